#include "server/store/store_access.h"

#include <errno.h>
#include <string.h>

#include "server/store/record.h"

static const char HINT[] = "Tell the operator: the service's log has the details.";

void store_access_failed(const struct log *log, enum store_result result, const char *what, struct diag *diag)
{
    bool full = result == STORE_FULL;

    LOG(log, full ? LOG_WARN : LOG_ERROR, "store-failed", LOG_STR("what", str_of(what)),
        LOG_STR("why", str_of(strerror(errno))));
    if (full)
        diag_set(diag, DIAG_FULL, "disk full",
                 "Tell the operator; nothing of other uploads is lost. Try again later.",
                 "The service has no room left: the upload could not be %s.", what);
    else
        diag_set(diag, DIAG_IO, "store not writable", HINT, "The upload could not be %s.", what);
}

int store_access_blob(struct store *store, const struct log *log, const char *sha256, uint64_t *bytes,
                      struct diag *diag)
{
    char key[RECORD_BLOB_KEY_CHARS + 1];
    int fd;

    record_blob_key(sha256, key);
    if (store_get(store, key, &fd, bytes) == STORE_OK)
        return fd;
    LOG(log, LOG_ERROR, "blob-not-opened", LOG_STR("sha256", str_of(sha256)),
        LOG_STR("why", str_of(strerror(errno))));
    diag_set(diag, DIAG_IO, "upload not readable", HINT, "The stored upload could not be opened.");
    return -1;
}
