#include "cli/cli_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/clean.h"
#include "core/diag.h"
#include "core/system/folder.h"
#include "core/system/random_bytes.h"

/* ---- standard input, kept ---- */

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

/* ---- output ---- */

static bool refused(const struct cli_output *o, struct diag *diag)
{
    const char *why = strerror(errno);
    bool is_folder = errno == EISDIR;

    if (o->fd == STDOUT_FILENO)
        return diag_set(diag, DIAG_IO, "cannot write the result",
                        "Check that there is room, and that the reader still reads.", "standard output: %s.",
                        why);
    return diag_set(diag, DIAG_IO, "cannot write the result",
                    is_folder ? "Name a file in it; `aflamed render` writes into a folder by --out-dir."
                              : "Check that there is room, and that you may write there.",
                    "%.*s: %s.", (int)clean_cut(str_of(o->path), 300).n, o->path, why);
}

/* A new file beside the target, so that rename(2) stays within one file system. -1 with errno. */
static int open_temp(struct cli_output *o)
{
    size_t folder = str_find_last(str_of(o->target), '/');
    uint64_t random;

    if (!random_bytes(&random, sizeof(random)))
        return -1;
    if (folder < strlen(o->target))
        buf_bytes(&o->temp, o->target, folder + 1);
    buf_z(&o->temp, ".aflamed-");
    buf_hex(&o->temp, random);
    buf_char(&o->temp, '\0');
    if (o->temp.failed) {
        errno = ENOMEM;
        return -1;
    }
    return open(o->temp.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, o->lasting ? 0600 : 0666);
}

/* The mode, and of what is lasting the owner: root may write it in the place of the service's user. False: errno. */
static bool look_like(const struct cli_output *o, const struct stat *like)
{
    bool is_own = !o->lasting || (like->st_uid == geteuid() && like->st_gid == getegid());

    return fchmod(o->fd, like->st_mode & 0777) == 0 &&
           (is_own || fchown(o->fd, like->st_uid, like->st_gid) == 0);
}

/* `like`: the file that is replaced, or NULL. False: errno. */
static bool open_replacing(struct cli_output *o, const struct stat *like)
{
    if (o->target == NULL)
        return false;
    o->fd = open_temp(o);
    if (o->fd < 0 || like == NULL || look_like(o, like))
        return o->fd >= 0;
    int why = errno;
    close(o->fd);
    unlink(o->temp.p);
    errno = why;
    return false;
}

/* A link goes on pointing to its file, which is replaced. */
static bool open_file(struct cli_output *o)
{
    struct stat st;

    if (stat(o->path, &st) != 0) {
        o->target = errno == ENOENT ? strdup(o->path) : NULL;
        return open_replacing(o, NULL);
    }
    if (S_ISREG(st.st_mode)) {
        o->target = realpath(o->path, NULL);
        return open_replacing(o, &st);
    }
    o->fd = file_open(AT_FDCWD, o->path, O_WRONLY | O_TRUNC);
    return o->fd >= 0;
}

static void end(struct cli_output *o)
{
    free(o->target);
    buf_free(&o->temp);
}

static bool open_output(struct cli_output *o, const char *path, bool lasting, struct diag *diag)
{
    *o = (struct cli_output){.path = path, .lasting = lasting, .fd = -1};
    if (strcmp(path, "-") == 0)
        o->fd = STDOUT_FILENO;
    if (o->fd >= 0 || open_file(o))
        return true;
    o->fd = -1;
    refused(o, diag);
    end(o);
    return false;
}

bool cli_output_open(struct cli_output *o, const char *path, struct diag *diag)
{
    return open_output(o, path, false, diag);
}

bool cli_output_put(struct cli_output *o, struct str bytes, struct diag *diag)
{
    return file_write_all(o->fd, bytes.p, bytes.n) || refused(o, diag);
}

/* The name is on the disk with its folder. Some file systems cannot sync a folder and say EINVAL: their names are as
 * durable as they get. False: errno. */
static bool sync_folder(const char *path)
{
    size_t n = str_find_last(str_of(path), '/');
    char *folder = n == strlen(path) ? strdup(".") : strndup(path, n == 0 ? 1 : n);
    int fd = folder == NULL ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

    if (fd >= 0)
        close(fd);
    free(folder);
    return ok;
}

bool cli_output_close(struct cli_output *o, bool ok, struct diag *diag)
{
    if (o->fd != STDOUT_FILENO) {
        if (ok && o->lasting && fsync(o->fd) != 0)
            ok = refused(o, diag);
        if (close(o->fd) != 0 && ok)
            ok = refused(o, diag);
        if (ok && o->target != NULL && rename(o->temp.p, o->target) != 0)
            ok = refused(o, diag);
        if (!ok && o->target != NULL)
            unlink(o->temp.p);
        if (ok && o->lasting && o->target != NULL && !sync_folder(o->target))
            ok = refused(o, diag);
    }
    end(o);
    return ok;
}

bool cli_write_lasting(const char *path, struct str bytes, struct diag *diag)
{
    struct cli_output o;

    return open_output(&o, path, true, diag) && cli_output_close(&o, cli_output_put(&o, bytes, diag), diag);
}
