#include "core/system/boot_id.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "core/system/folder.h"
#include "core/system/random_bytes.h"

static bool read_id(const char *path, char out[BOOT_CHARS + 1])
{
    struct buf text = {0};
    int fd = file_open(AT_FDCWD, path, O_RDONLY);
    bool ok = fd >= 0 && file_read_all(fd, BOOT_CHARS + 1, &text) && text.n >= BOOT_CHARS;

    if (ok)
        snprintf(out, BOOT_CHARS + 1, "%.*s", BOOT_CHARS, text.p);
    if (fd >= 0)
        close(fd);
    buf_free(&text);
    return ok;
}

bool boot_id(const char *path, char out[BOOT_CHARS + 1])
{
    uint64_t bits[2];

    if (read_id(path, out))
        return true;
    if (!random_bytes(bits, sizeof(bits)))
        return false;
    snprintf(out, BOOT_CHARS + 1, "%016llx%016llx", (unsigned long long)bits[0], (unsigned long long)bits[1]);
    return true;
}
