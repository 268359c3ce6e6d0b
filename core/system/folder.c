#include "core/system/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/buf.h"

/* ---- files ---- */

int file_open(int top, const char *path, int flags)
{
    return (int)TEMP_FAILURE_RETRY(openat(top, path, flags | O_CLOEXEC, 0600));
}

bool file_write_all(int fd, const void *p, size_t n)
{
    const char *next = p;

    while (n > 0) {
        ssize_t written = TEMP_FAILURE_RETRY(write(fd, next, n));
        if (written < 0)
            return false;
        next += written;
        n -= (size_t)written;
    }
    return true;
}

bool file_read_all(int fd, size_t limit, struct buf *out)
{
    enum { STEP_BYTES = 64 << 10 };
    size_t before = out->n;

    for (;;) {
        size_t left = limit - (out->n - before);
        size_t want = left < STEP_BYTES ? left + 1 : STEP_BYTES; /* one more shows that there is too much */
        ssize_t got = -1;
        if (!buf_reserve(out, want))
            errno = ENOMEM;
        else
            got = TEMP_FAILURE_RETRY(read(fd, out->p + out->n, want));
        if (got == 0)
            return true;
        if (got > 0 && (size_t)got > left) {
            errno = EFBIG;
            got = -1;
        }
        if (got < 0) {
            out->n = before;
            return false;
        }
        out->n += (size_t)got;
    }
}

/* ---- folders ---- */

static int open_folder(int top, const char *path)
{
    return file_open(top, path, O_RDONLY | O_DIRECTORY);
}

/* Some file systems cannot sync a folder and say EINVAL: their names are as durable as they get. */
static bool sync_fd(int fd)
{
    return TEMP_FAILURE_RETRY(fsync(fd)) == 0 || errno == EINVAL;
}

static bool sync_folder(int top, const char *path)
{
    int fd = open_folder(top, path);

    if (fd < 0)
        return errno == ENOENT;
    bool ok = sync_fd(fd);
    int why = errno;
    close(fd);
    errno = why;
    return ok;
}

static bool copy_path(char *to, size_t to_bytes, const char *path)
{
    size_t n = strlen(path);

    if (n == 0 || n >= to_bytes) {
        errno = n == 0 ? ENOENT : ENAMETOOLONG;
        return false;
    }
    memcpy(to, path, n + 1);
    return true;
}

/* Makes one folder; a new one is not there for good until the folder that holds it is synced. */
static bool make_durably(char *path)
{
    struct stat st;

    if (mkdir(path, 0700) != 0) {
        int why = errno;
        bool there = why == EEXIST || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
        errno = why;
        return there;
    }
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return sync_folder(AT_FDCWD, ".");
    if (slash == path)
        return sync_folder(AT_FDCWD, "/");
    *slash = '\0';
    bool ok = sync_folder(AT_FDCWD, path);
    *slash = '/';
    return ok;
}

bool folder_make(const char *directory)
{
    char path[PATH_MAX];

    if (!copy_path(path, sizeof(path), directory))
        return false;
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        bool ok = make_durably(path);
        *slash = '/';
        if (!ok)
            return false;
    }
    return make_durably(path);
}

bool folder_make_parents(int top, const char *path, bool *is_new)
{
    char folder[FOLDER_PATH_BYTES];

    if (!copy_path(folder, sizeof(folder), path))
        return false;
    for (char *slash = folder; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        bool made = mkdirat(top, folder, 0700) == 0;
        if (!made && errno != EEXIST)
            return false;
        *is_new = *is_new || (made && strchr(folder, '/') == NULL);
        *slash = '/';
    }
    return true;
}

/* Each time: the folder may be another thread's, made a moment ago and not synced by it yet. */
bool folder_sync_parents(int top, const char *path, bool and_top)
{
    char folder[FOLDER_PATH_BYTES];
    char *slash;

    if (!copy_path(folder, sizeof(folder), path))
        return false;
    while ((slash = strrchr(folder, '/')) != NULL) {
        *slash = '\0';
        if (!sync_folder(top, folder))
            return false;
    }
    return !and_top || sync_fd(top);
}

struct walk {
    int top;
    char path[FOLDER_PATH_BYTES];
    size_t depth;
    struct {
        DIR *dir;
        size_t end; /* of its path, behind the slash */
    } open[FOLDER_DEPTH_MAX];
};

/* Goes into the folder path[0..end), which ends with a slash. What lies too deep is not ours and passed over.
 */
static bool enter(struct walk *w, size_t end)
{
    if (w->depth == FOLDER_DEPTH_MAX)
        return true;
    int fd = open_folder(w->top, w->path);
    if (fd < 0)
        return errno == ENOENT;
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        int why = errno;
        close(fd);
        errno = why;
        return false;
    }
    w->open[w->depth].dir = dir;
    w->open[w->depth].end = end;
    w->depth++;
    return true;
}

static bool is_folder(const struct walk *w, const struct dirent *entry)
{
    struct stat st;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(w->top, w->path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static void leave(struct walk *w)
{
    closedir(w->open[--w->depth].dir);
}

enum step { STEP_ON, STEP_ENOUGH, STEP_FAILED };

static enum step step(struct walk *w, bool (*each)(void *context, const char *path), void *context)
{
    size_t end = w->open[w->depth - 1].end;

    errno = 0;
    struct dirent *entry = readdir(w->open[w->depth - 1].dir);
    if (entry == NULL && errno != 0)
        return STEP_FAILED;
    if (entry == NULL) {
        leave(w);
        return STEP_ON;
    }
    size_t n = strlen(entry->d_name);
    if (entry->d_name[0] == '.' || end + n + 2 > sizeof(w->path))
        return STEP_ON;
    memcpy(w->path + end, entry->d_name, n + 1);
    if (!is_folder(w, entry))
        return each(context, w->path) ? STEP_ON : STEP_ENOUGH;
    memcpy(w->path + end + n, "/", 2);
    return enter(w, end + n + 1) ? STEP_ON : STEP_FAILED;
}

bool folder_walk(int top, const char *prefix, bool (*each)(void *context, const char *path), void *context)
{
    struct walk w = {.top = top};
    enum step last = STEP_ON;

    if (!copy_path(w.path, sizeof(w.path), prefix) || !enter(&w, strlen(prefix)))
        return false;
    while (w.depth > 0 && last == STEP_ON)
        last = step(&w, each, context);
    int why = errno;
    while (w.depth > 0)
        leave(&w);
    errno = why;
    return last != STEP_FAILED;
}
