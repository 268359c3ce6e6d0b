#include "server/upload/keep_blob.h"

#include "server/store/record.h"
#include "server/store/store.h"
#include "server/store/sweep.h"

/* A full disk is swept once. */
bool keep_blob(const struct service *service, struct local_temp *temp, const char *key, bool is_new,
               const char *sha256, struct diag *diag)
{
    struct store *store = service->store;
    struct sweep *sweep = service->sweep;
    const uint64_t bytes = (uint64_t)temp->written;
    bool takes_room = is_new || store_exists(store, key) == STORE_NOT_FOUND;
    if (takes_room && !sweep_take_upload_room(sweep, bytes))
        return diag_set(
            diag, DIAG_FULL, "no room for uploads",
            "Delete an upload, wait until some have expired, or ask the operator to raise store_bytes.",
            "The service keeps %llu bytes of uploads at most, and has as many.",
            (unsigned long long)service->config->store_bytes);
    enum store_result result = store_put_file(store, temp, key, sha256);
    if (result == STORE_FULL && temp->open && sweep_make_room(sweep))
        result = store_put_file(store, temp, key, sha256);
    /* STORE_EXISTS: another upload has put the same bytes meanwhile, and has counted them. */
    if (takes_room && result != STORE_OK)
        sweep_give_upload_room(sweep, bytes);
    if (result == STORE_OK || result == STORE_EXISTS)
        return true;
    store_access_failed(service->log, result, "stored", diag);
    return false;
}
