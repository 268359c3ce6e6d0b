#include "server/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/system/folder.h"
#include "server/store/store_impl.h"

enum {
    USE_KNOWN_TO_S = 3600
}; /* The time of last use is written again only if it is older, or further ahead. */

void store_begin_change(struct store *s)
{
    pthread_mutex_lock(&s->changing);
}

void store_end_change(struct store *s)
{
    pthread_mutex_unlock(&s->changing);
}

void store_lock(struct store *s)
{
    pthread_mutex_lock(&s->lock_for_all);
}

void store_unlock(struct store *s)
{
    pthread_mutex_unlock(&s->lock_for_all);
}

void store_on_full(struct store *s, void (*full)(void *context), void *context)
{
    s->full = full;
    s->full_context = context;
}

uint64_t store_changes(const struct store *s)
{
    return atomic_load(&s->changes);
}

void store_note_change(struct store *s)
{
    atomic_fetch_add(&s->changes, 1);
}

static enum store_result result_of(int error)
{
    switch (error) {
    case EEXIST:
        return STORE_EXISTS;
    case ENOENT:
        return STORE_NOT_FOUND;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return STORE_FULL;
    default:
        return STORE_FAILED;
    }
}

/* For steps in which "exists" and "not found" are failures like any other. */
static enum store_result failure_of(int error)
{
    return result_of(error) == STORE_FULL ? STORE_FULL : STORE_FAILED;
}

enum store_result store_write_failure(const struct store *s)
{
    int why = errno;
    enum store_result result = failure_of(why);

    if (result == STORE_FULL && s->full != NULL)
        s->full(s->full_context);
    errno = why;
    return result;
}

enum store_result store_refuse_key(void)
{
    errno = EINVAL;
    return STORE_FAILED;
}

static bool part_valid(struct str part)
{
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";

    if (part.n == 0 || part.p[0] == '.')
        return false;
    for (size_t i = 0; i < part.n; i++)
        if (memchr(ALLOWED, part.p[i], sizeof(ALLOWED) - 1) == NULL)
            return false;
    return true;
}

/* A path of from `least` to `most` parts. */
static bool path_valid(struct str path, size_t least, size_t most)
{
    size_t parts = 0;
    struct str part;

    if (path.n >= STORE_KEY_BYTES || str_starts(path, STR("tmp/")))
        return false;
    for (; str_split(&path, '/', &part); parts++)
        if (!part_valid(part))
            return false;
    return parts >= least && parts <= most;
}

bool store_key_valid(const char *key)
{
    return path_valid(str_of(key), 2, FOLDER_DEPTH_MAX);
}

/* ---- reading and removing ---- */

static enum store_result open_object(const struct store *s, const char *key, int *fd, struct stat *st)
{
    if (!store_key_valid(key))
        return store_refuse_key();
    /* Opening a pipe that somebody has put there would wait for ever without O_NONBLOCK. */
    int opened = file_open(s->top, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (opened < 0)
        return result_of(errno);
    enum store_result result = STORE_OK;
    if (fstat(opened, st) != 0)
        result = failure_of(errno);
    else if (!S_ISREG(st->st_mode))
        result = STORE_NOT_FOUND;
    if (result != STORE_OK) {
        close(opened);
        return result;
    }
    *fd = opened;
    return STORE_OK;
}

/* A time in the future is from before the clock was set right. A file system that cannot take the time has an
 * object that looks older than it is: no reason to fail. */
static void note_use(int fd, const struct stat *st)
{
    int64_t age_s = (int64_t)time(NULL) - (int64_t)st->st_mtime;

    if (age_s > USE_KNOWN_TO_S || age_s < -USE_KNOWN_TO_S)
        (void)futimens(fd, NULL);
}

enum store_result store_get(struct store *s, const char *key, int *fd, uint64_t *bytes)
{
    struct stat st;
    enum store_result result = open_object(s, key, fd, &st);

    if (result != STORE_OK)
        return result;
    note_use(*fd, &st);
    *bytes = (uint64_t)st.st_size;
    return STORE_OK;
}

enum store_result store_read(struct store *s, const char *key, size_t limit, struct buf *out)
{
    int fd;
    struct stat st;
    enum store_result result = open_object(s, key, &fd, &st);

    if (result != STORE_OK)
        return result;
    if (!file_read_all(fd, limit, out))
        result = STORE_FAILED;
    close(fd);
    return result;
}

enum store_result store_look(struct store *s, const char *key, struct store_object *o)
{
    struct stat st;

    if (!store_key_valid(key))
        return store_refuse_key();
    if (fstatat(s->top, key, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return result_of(errno);
    if (!S_ISREG(st.st_mode))
        return STORE_NOT_FOUND;
    *o = (struct store_object){key, (uint64_t)st.st_size, (int64_t)st.st_mtime};
    return STORE_OK;
}

enum store_result store_exists(struct store *s, const char *key)
{
    struct store_object o;

    return store_look(s, key, &o);
}

/* Of refs/<sha256>/<id> there are as many folders as contents: an empty one goes. Those of the first level
 * stay. */
static void remove_empty_folder(const struct store *s, const char *key)
{
    char folder[STORE_KEY_BYTES];
    size_t n = str_find_last(str_of(key), '/');

    if (memchr(key, '/', n) == NULL)
        return;
    memcpy(folder, key, n);
    folder[n] = '\0';
    unlinkat(s->top, folder, AT_REMOVEDIR); /* fails as long as something is in it */
}

enum store_result store_evict(struct store *s, const char *key)
{
    if (!store_key_valid(key))
        return store_refuse_key();
    if (unlinkat(s->top, key, 0) != 0)
        return errno == EISDIR ? STORE_NOT_FOUND : result_of(errno);
    remove_empty_folder(s, key);
    return STORE_OK;
}

enum store_result store_delete(struct store *s, const char *key)
{
    enum store_result result = store_evict(s, key);

    if (result == STORE_OK)
        store_note_change(s);
    return result;
}

struct listing {
    struct store *store;
    bool (*each)(void *context, const struct store_object *object);
    void *context;
    int error;
};

/* An object that cannot be looked at is not passed over: who counts must not take it for none. */
static bool list_file(void *listing, const char *path)
{
    struct listing *l = listing;
    struct store_object o;
    enum store_result result = store_key_valid(path) ? store_look(l->store, path, &o) : STORE_NOT_FOUND;

    if (result == STORE_OK)
        return l->each(l->context, &o);
    if (result != STORE_NOT_FOUND)
        l->error = errno;
    return result == STORE_NOT_FOUND;
}

enum store_result store_list(struct store *s, const char *prefix,
                             bool (*each)(void *context, const struct store_object *object), void *context)
{
    struct listing l = {s, each, context, 0};
    struct str folder = str_of(prefix);

    if (!str_ends(folder, STR("/")) ||
        !path_valid((struct str){folder.p, folder.n - 1}, 1, FOLDER_DEPTH_MAX - 1) ||
        str_starts(folder, STR("tmp/")))
        return store_refuse_key();
    bool walked = folder_walk(s->top, prefix, list_file, &l);
    if (l.error != 0)
        errno = l.error;
    return walked && l.error == 0 ? STORE_OK : STORE_FAILED;
}
