#include "server/views/stored_names.h"

#include <unistd.h>

#include "server/store/record.h"
#include "server/store/store.h"

static bool use(struct conversion *conversion, enum record_names_file which, int fd, struct diag *diag)
{
    return which == RECORD_SYMBOLS ? conversion_symbols(conversion, fd, STR(""), diag)
                                   : conversion_map(conversion, fd, STR(""), diag);
}

bool stored_names_use(const struct service *service, const struct record_names *names,
                      struct conversion *conversion, struct diag *diag)
{
    uint64_t bytes;
    bool ok = true;

    for (int i = 0; ok && i < RECORD_NAMES_FILES; i++) {
        if (names->of[i][0] == '\0')
            continue;
        int fd = store_access_blob(service->store, service->log, names->of[i], &bytes, diag);
        ok = fd >= 0 && use(conversion, (enum record_names_file)i, fd, diag);
        if (fd >= 0)
            close(fd);
    }
    return ok;
}
