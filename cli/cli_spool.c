#include "cli/cli_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/system/file.h"

enum { PIECE_BYTES = 256 << 10 };

/* Where the system has no files without a name, the name is gone at once. */
int cli_spool_open(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];

    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || snprintf(path, sizeof(path), "%s/aflamed-XXXXXX", folder) >= (int)sizeof(path))
        return fd;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

bool cli_spool_append(int to, int from)
{
    char *piece = malloc(PIECE_BYTES);
    ssize_t n = -1;
    bool ok = piece != NULL;

    while (ok && (n = TEMP_FAILURE_RETRY(read(from, piece, PIECE_BYTES))) > 0)
        ok = file_write_all(to, piece, (size_t)n);
    free(piece);
    return ok && n == 0;
}
