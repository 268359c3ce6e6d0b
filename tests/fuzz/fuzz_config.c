/* Configuration files: an answer, and what is taken prints as what is taken again. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server/config/config_keys.h"
#include "server/config/config_load.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config taken, again;
    struct diag diag = {0};
    char path[40];
    int fd = memfd_create("config", MFD_CLOEXEC);

    fuzzing_check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    config_defaults(&taken);
    bool ok = config_file_take(&taken, path, &diag);
    close(fd);
    fuzzing_check(ok ? diag.kind == DIAG_NONE : diag.kind == DIAG_USAGE && diag.hint[0] != '\0');
    config_defaults(&again);
    for (size_t i = 0; ok && i < CONFIG_KEYS_COUNT; i++) {
        struct buf first = {0}, second = {0};
        config_keys_value(&first, &CONFIG_KEYS[i], &taken);
        fuzzing_check(config_keys_set(&again, &CONFIG_KEYS[i], buf_view(&first)));
        config_keys_value(&second, &CONFIG_KEYS[i], &again);
        fuzzing_check(str_eq(buf_view(&first), buf_view(&second)));
        buf_free(&first);
        buf_free(&second);
    }
    return 0;
}
