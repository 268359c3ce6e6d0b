/* The command line's traces in two files. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_spool.h"
#include "core/system/file.h"
#include "parser/two_files.h"
#include "server/convert/diag_words.h"

/* Only files: of anything else a look would take bytes away. -1: it is none, or cannot be read. */
static int open_file(const char *path, off_t *bytes)
{
    struct stat st;
    int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? file_open(AT_FDCWD, path, O_RDONLY) : -1;

    if (fd >= 0)
        *bytes = st.st_size;
    return fd;
}

/* False with errno. */
static bool look(int fd, void *to, size_t *n, off_t offset)
{
    ssize_t got = TEMP_FAILURE_RETRY(pread(fd, to, *n, offset));

    *n = got < 0 ? 0 : (size_t)got;
    return got >= 0;
}

static enum two_files_kind kind_of(const char *path, bool *ends)
{
    uint8_t head[TWO_FILES_HEAD_BYTES], tail[TWO_FILES_TAIL_BYTES];
    size_t head_n = sizeof(head), tail_n = sizeof(tail);
    off_t bytes;
    int fd = open_file(path, &bytes);

    if (fd < 0)
        return TWO_FILES_NEITHER;
    off_t behind = bytes > (off_t)sizeof(tail) ? bytes - (off_t)sizeof(tail) : 0;
    bool seen = look(fd, head, &head_n, 0) && look(fd, tail, &tail_n, behind);
    close(fd);
    *ends = seen && two_files_key_ends(tail, tail_n);
    return seen ? two_files_kind(head, head_n) : TWO_FILES_NEITHER;
}

static bool is_pair(const char *key, const char *data)
{
    bool ends = false, unused;
    enum two_files_kind of_data = TWO_FILES_NEITHER;

    if (kind_of(key, &ends) == TWO_FILES_KEY && ends)
        of_data = kind_of(data, &unused);
    return of_data == TWO_FILES_DATA || of_data == TWO_FILES_STREAM;
}

size_t cli_pair_files(const char **files, const char **keys, size_t n_files)
{
    size_t n = 0;

    for (size_t i = 0; i < n_files; n++) {
        bool more = i + 1 < n_files, key_first = more && is_pair(files[i], files[i + 1]);
        bool key_last = more && !key_first && is_pair(files[i + 1], files[i]);
        keys[n] = key_first ? files[i] : key_last ? files[i + 1] : NULL;
        files[n] = files[key_first ? i + 1 : i];
        i += key_first || key_last ? 2 : 1;
    }
    return n;
}

/* ---- joining ---- */

static bool cannot_join(struct diag *diag)
{
    return diag_set(diag, DIAG_IO, "cannot join the two files",
                    "Check that both can be read, and that there is room for both in TMPDIR.", "%s.",
                    strerror(errno));
}

static bool append(int to, int from, struct diag *diag)
{
    return cli_spool_append(to, from) || cannot_join(diag);
}

static bool join(int to, int key, int data, off_t key_bytes, struct diag *diag)
{
    uint8_t head[TWO_FILES_HEAD_BYTES], joint[TWO_FILES_JOINT_BYTES];
    size_t head_n = sizeof(head);

    if (!look(data, head, &head_n, 0))
        return cannot_join(diag);
    bool stream = two_files_kind(head, head_n) == TWO_FILES_STREAM;
    if (key_bytes > UINT32_MAX)
        return two_files_key_too_large(diag);
    two_files_joint(joint, (uint32_t)key_bytes);
    return append(to, stream ? data : key, diag) &&
           (!stream || file_write_all(to, joint, sizeof(joint)) || cannot_join(diag)) &&
           append(to, stream ? key : data, diag);
}

int cli_join(const char *key, const char *data, struct diag *diag)
{
    off_t key_bytes = 0, data_bytes = 0;
    int from_key = open_file(key, &key_bytes), from_data = open_file(data, &data_bytes),
        to = cli_spool_open();
    bool ok = from_key >= 0 && from_data >= 0 && to >= 0 ? join(to, from_key, from_data, key_bytes, diag)
                                                         : cannot_join(diag);

    if (from_key >= 0)
        close(from_key);
    if (from_data >= 0)
        close(from_data);
    if (ok)
        return to;
    diag_add_words(diag);
    if (to >= 0)
        close(to);
    return -1;
}
