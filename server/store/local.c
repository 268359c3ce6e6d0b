#include "server/store/local.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/diag.h"
#include "core/system/folder.h"
#include "core/system/random_bytes.h"

/* The directory: objects under their keys, and two names of its own:
 *     lock     held with flock for as long as the store is open
 *     tmp/     objects on their way in, where the file system wants a name for them */
struct local {
    int top;       /* descriptor of the directory; every path is relative to it */
    int lock;      /* descriptor of the lock file */
    bool nameless; /* The file system can hold files without a name, and /proc is there to name them later. */
    pthread_mutex_t
        making;      /* of folders, and of the two numbers; nobody waits for another lock while holding it */
    uint64_t made;   /* folders of the first level, which stay */
    uint64_t synced; /* how many of these are known to be durable */
    void (*full)(void *context); /* local_on_full() */
    void *full_context;
};

enum {
    USE_KNOWN_TO_S = 3600
}; /* The time of last use is written again only if it is older, or further ahead. */

void local_on_full(struct local *l, void (*full)(void *context), void *context)
{
    l->full = full;
    l->full_context = context;
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

/* What a step of a write has failed with, from errno, which stays as it is. Tells who asked for it
 * (local_on_full) if the disk is full. "Exists" and "not found" are failures here. */
static enum store_result write_failure(const struct local *l)
{
    int why = errno;
    enum store_result result = failure_of(why);

    if (result == STORE_FULL && l->full != NULL)
        l->full(l->full_context);
    errno = why;
    return result;
}

/* STORE_FAILED with errno EINVAL. */
static enum store_result refuse_key(void)
{
    errno = EINVAL;
    return STORE_FAILED;
}

/* ---- reading and removing ---- */

static enum store_result open_object(const struct local *l, const char *key, int *fd, struct stat *st)
{
    if (!store_key_valid(key))
        return refuse_key();
    /* Opening a pipe that somebody has put there would wait for ever without O_NONBLOCK. */
    int opened = file_open(l->top, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
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

enum store_result local_get(struct local *l, const char *key, int *fd, uint64_t *bytes)
{
    struct stat st;
    enum store_result result = open_object(l, key, fd, &st);

    if (result == STORE_OK)
        *bytes = (uint64_t)st.st_size;
    return result;
}

enum store_result local_use(struct local *l, const char *key, int *fd, uint64_t *bytes)
{
    struct stat st;
    enum store_result result = open_object(l, key, fd, &st);

    if (result != STORE_OK)
        return result;
    note_use(*fd, &st);
    *bytes = (uint64_t)st.st_size;
    return STORE_OK;
}

enum store_result local_read(struct local *l, const char *key, size_t limit, struct buf *out)
{
    int fd;
    struct stat st;
    enum store_result result = open_object(l, key, &fd, &st);

    if (result != STORE_OK)
        return result;
    if (!file_read_all(fd, limit, out))
        result = STORE_FAILED;
    close(fd);
    return result;
}

enum store_result local_look(struct local *l, const char *key, struct store_object *o)
{
    struct stat st;

    if (!store_key_valid(key))
        return refuse_key();
    if (fstatat(l->top, key, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return result_of(errno);
    /* A file without a name was removed while it was looked for. */
    if (!S_ISREG(st.st_mode) || st.st_nlink == 0)
        return STORE_NOT_FOUND;
    *o = (struct store_object){key, (uint64_t)st.st_size, (uint64_t)st.st_nlink, (int64_t)st.st_mtime};
    return STORE_OK;
}

/* Of refs/<sha256>/<id> there are as many folders as contents: an empty one goes. Those of the first level
 * stay. */
static void remove_empty_folder(const struct local *l, const char *key)
{
    char folder[STORE_KEY_BYTES];
    size_t n = str_find_last(str_of(key), '/');

    if (memchr(key, '/', n) == NULL)
        return;
    memcpy(folder, key, n);
    folder[n] = '\0';
    unlinkat(l->top, folder, AT_REMOVEDIR); /* fails as long as something is in it */
}

enum store_result local_delete(struct local *l, const char *key)
{
    if (!store_key_valid(key))
        return refuse_key();
    if (unlinkat(l->top, key, 0) != 0)
        return errno == EISDIR ? STORE_NOT_FOUND : result_of(errno);
    remove_empty_folder(l, key);
    return STORE_OK;
}

struct listing {
    struct local *local;
    bool (*each)(void *context, const struct store_object *object);
    void *context;
    int error;
};

/* An object that cannot be looked at is not passed over: who counts must not take it for none. */
static bool list_file(void *context, const char *path)
{
    struct listing *listing = context;
    struct store_object o;
    enum store_result result = store_key_valid(path) ? local_look(listing->local, path, &o) : STORE_NOT_FOUND;

    if (result == STORE_OK)
        return listing->each(listing->context, &o);
    if (result != STORE_NOT_FOUND)
        listing->error = errno;
    return result == STORE_NOT_FOUND;
}

enum store_result local_list(struct local *l, const char *prefix,
                             bool (*each)(void *context, const struct store_object *object), void *context)
{
    struct listing listing = {l, each, context, 0};
    struct str folder = str_of(prefix);

    if (!str_ends(folder, STR("/")) ||
        !store_path_valid((struct str){folder.p, folder.n - 1}, 1, FOLDER_DEPTH_MAX - 1) ||
        str_starts(folder, STR("tmp/")))
        return refuse_key();
    bool walked = folder_walk(l->top, prefix, list_file, &listing);
    if (listing.error != 0)
        errno = listing.error;
    return walked && listing.error == 0 ? STORE_OK : STORE_FAILED;
}

/* ---- objects on their way in ---- */

/* Objects on their way in.
 *
 * The order of a durable put is: write the bytes, sync them, give the file its name with link(2), sync the
 * folders above the name. A reader so finds no object or the whole one, also after a power cut; and who is
 * told STORE_OK relies on nothing that the disk does not have. A link never replaces a name that is there:
 * of two puts of one key the second finds it there (STORE_EXISTS), which is success for content keys. An
 * evictable put leaves the two syncs out. */

/* A file without a name in tmp/, and its name later. -1 with errno. */
static int open_nameless(const struct local *l)
{
    return file_open(l->top, "tmp", O_TMPFILE | O_RDWR);
}

static int link_nameless(const struct local *l, int fd, const char *key)
{
    char itself[40];

    snprintf(itself, sizeof(itself), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, itself, l->top, key, AT_SYMLINK_FOLLOW);
}

static bool random_name(char *out, size_t out_bytes)
{
    uint64_t bits[2];

    if (!random_bytes(bits, sizeof(bits)))
        return false;
    snprintf(out, out_bytes, "tmp/%016llx%016llx", (unsigned long long)bits[0], (unsigned long long)bits[1]);
    return true;
}

static int open_named(const struct local *l, struct local_temp *t)
{
    if (!random_name(t->name, sizeof(t->name)))
        return -1;
    return file_open(l->top, t->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
}

static int open_either(const struct local *l, struct local_temp *t, bool nameless)
{
    return nameless ? open_nameless(l) : open_named(l, t);
}

static bool make_parents(struct local *l, const char *key)
{
    bool is_new = false;

    pthread_mutex_lock(&l->making);
    bool ok = folder_make_parents(l->top, key, &is_new);
    l->made += is_new;
    pthread_mutex_unlock(&l->making);
    return ok;
}

/* Behind the object's name. The directory itself is synced only while it may have a new folder: who made
 * the one that the name is in had made it, and counted it, before the lock was free. */
static bool sync_parents(struct local *l, const char *key)
{
    pthread_mutex_lock(&l->making);
    uint64_t made = l->made;
    bool has_new = made != l->synced;
    pthread_mutex_unlock(&l->making);
    if (!folder_sync_parents(l->top, key, has_new))
        return false;
    pthread_mutex_lock(&l->making);
    l->synced = l->synced < made ? made : l->synced;
    pthread_mutex_unlock(&l->making);
    return true;
}

/* False with errno. */
static bool make_temp(struct local *l, struct local_temp *t, bool nameless)
{
    *t = (struct local_temp){.local = l};
    t->fd = open_either(l, t, nameless);
    if (t->fd < 0 && errno == ENOENT && make_parents(l, "tmp/"))
        t->fd = open_either(l, t, nameless); /* somebody tidied up too much */
    t->open = t->fd >= 0;
    return t->open;
}

static enum store_result open_temp(struct local *l, struct local_temp *t, bool nameless)
{
    return make_temp(l, t, nameless) ? STORE_OK : write_failure(l);
}

enum store_result local_temp_open(struct local *l, struct local_temp *t)
{
    return open_temp(l, t, l->nameless);
}

/* The disk begins now with these bytes, so that the sync at the end has little left to wait for. Only a hint. */
static void begin_writing(const struct local_temp *t, off_t from, off_t to)
{
    if (from < to)
        sync_file_range(t->fd, from, to - from, SYNC_FILE_RANGE_WRITE);
}

/* Each hint costs the machine a request to the disk. */
static off_t whole_steps(off_t bytes)
{
    enum { STEP_BYTES = 1 << 20 };

    return bytes / STEP_BYTES * STEP_BYTES;
}

enum store_result local_temp_write(struct local_temp *t, const void *p, size_t n)
{
    if (!file_write_all(t->fd, p, n)) {
        enum store_result result = write_failure(t->local);
        /* A part may be written: the same bytes can be given again when there is room. */
        return lseek(t->fd, t->written, SEEK_SET) == t->written ? result : STORE_FAILED;
    }
    off_t before = t->written;
    t->written += (off_t)n;
    begin_writing(t, whole_steps(before), whole_steps(t->written));
    return STORE_OK;
}

void local_temp_sync(struct local_temp *t)
{
    if (TEMP_FAILURE_RETRY(fsync(t->fd)) != 0)
        t->sync_errno = errno;
}

void local_temp_is_whole(const struct local_temp *t)
{
    off_t begun = whole_steps(t->written);

    if (begun > 0)
        begin_writing(t, begun, t->written);
}

void local_temp_discard(struct local *l, struct local_temp *t)
{
    int why = errno;

    if (!t->open)
        return;
    close(t->fd);
    if (t->name[0] != '\0')
        unlinkat(l->top, t->name, 0);
    t->open = false;
    errno = why;
}

enum store_result local_probe(struct local *l)
{
    static const char BYTES[4096]; /* a block: what is smaller may need none */
    struct local_temp t;
    bool ok = make_temp(l, &t, l->nameless) && file_write_all(t.fd, BYTES, sizeof(BYTES));
    enum store_result result = ok ? STORE_OK : failure_of(errno);

    local_temp_discard(l, &t);
    return result;
}

static int link_temp(const struct local *l, const struct local_temp *t, const char *key)
{
    if (t->name[0] == '\0')
        return link_nameless(l, t->fd, key);
    return linkat(l->top, t->name, l->top, key, 0);
}

static int link_object(const struct local *l, const char *from, const char *key)
{
    return linkat(l->top, from, l->top, key, 0);
}

static bool is_missing(const struct local *l, const char *key)
{
    struct stat st;

    return fstatat(l->top, key, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

/* The folder may be missing, and vanish again between being made and being used, when another thread deletes
 * the last object in it: that many times in a row is no accident. Where a copy is made, its source may be what is
 * missing. */
static enum store_result give_name(struct local *l, const struct local_temp *t, const char *from,
                                   const char *key)
{
    enum { TRIES = 100 };

    for (int i = 0; (t != NULL ? link_temp(l, t, key) : link_object(l, from, key)) != 0; i++) {
        if (errno == EEXIST)
            return STORE_EXISTS;
        if (errno == ENOENT && t == NULL && is_missing(l, from))
            return STORE_NOT_FOUND;
        if (errno != ENOENT || i == TRIES || !make_parents(l, key))
            return write_failure(l);
    }
    return STORE_OK;
}

/* It may have waited since its last byte: to the sweep it is as young as its name. The system says once what it could not
 * write: an early sync may have been told, and this one would be silent about what was lost. */
static bool make_durable(const struct local_temp *t)
{
    (void)futimens(t->fd, NULL);
    if (TEMP_FAILURE_RETRY(fsync(t->fd)) != 0)
        return false;
    errno = t->sync_errno;
    return t->sync_errno == 0;
}

enum store_result local_temp_commit(struct local *l, struct local_temp *t, const char *key,
                                    enum local_durability durability)
{
    bool durable = durability == LOCAL_DURABLE;
    enum store_result result = STORE_OK;

    if (!store_key_valid(key))
        result = refuse_key();
    else if (durable && !make_durable(t))
        result = write_failure(l);
    if (result == STORE_OK) {
        result = give_name(l, t, NULL, key);
        /* The file stays open: its owner may make room and commit it again, or discards it. */
        if (result == STORE_FULL)
            return result;
    }
    /* A name that another thread gave is to be durable too before anybody relies on it. */
    if (durable && (result == STORE_OK || result == STORE_EXISTS) && !sync_parents(l, key))
        result = write_failure(l);
    local_temp_discard(l, t);
    return result;
}

enum store_result local_link(struct local *l, const char *from, const char *key,
                             enum local_durability durability)
{
    if (!store_key_valid(from) || !store_key_valid(key))
        return refuse_key();
    enum store_result result = give_name(l, NULL, from, key);
    if (durability == LOCAL_DURABLE && (result == STORE_OK || result == STORE_EXISTS) &&
        !sync_parents(l, key))
        result = write_failure(l);
    return result;
}

enum store_result local_sync(struct local *l)
{
    return syncfs(l->top) == 0 ? STORE_OK : write_failure(l);
}

enum store_result local_put(struct local *l, const char *key, struct str bytes,
                            enum local_durability durability)
{
    struct local_temp t;
    enum store_result result = local_temp_open(l, &t);

    if (result == STORE_OK)
        result = file_write_all(t.fd, bytes.p, bytes.n) ? STORE_OK : write_failure(l);
    if (result == STORE_OK)
        result = local_temp_commit(l, &t, key, durability);
    local_temp_discard(l, &t);
    return result;
}

/* Only what has a name can take another one's place. */
enum store_result local_replace(struct local *l, const char *key, struct str bytes)
{
    struct local_temp t;

    if (!store_key_valid(key))
        return refuse_key();
    enum store_result result = open_temp(l, &t, false);
    if (result == STORE_OK)
        result = file_write_all(t.fd, bytes.p, bytes.n) ? STORE_OK : write_failure(l);
    if (result == STORE_OK && (TEMP_FAILURE_RETRY(fsync(t.fd)) != 0 || !make_parents(l, key) ||
                               renameat(l->top, t.name, l->top, key) != 0 || !sync_parents(l, key)))
        result = write_failure(l);
    local_temp_discard(l, &t);
    return result;
}

/* ---- opening ---- */

/* Tried once, with a real link: file systems and containers lack one half or the other of what it takes. */
static bool probe_nameless(const struct local *l)
{
    int fd = open_nameless(l);

    if (fd < 0)
        return false;
    bool ok = link_nameless(l, fd, "tmp/probe") == 0 && unlinkat(l->top, "tmp/probe", 0) == 0;
    close(fd);
    return ok;
}

struct clearing {
    int top;
    int error; /* errno of what does not go away */
};

static bool remove_file(void *clearing, const char *path)
{
    struct clearing *c = clearing;

    if (unlinkat(c->top, path, 0) != 0)
        c->error = errno;
    return c->error == 0;
}

/* False with errno. */
static bool clear_tmp(struct local *l)
{
    struct clearing c = {.top = l->top};

    if (!make_parents(l, "tmp/") || !folder_walk(l->top, "tmp/", remove_file, &c))
        return false;
    errno = c.error;
    return c.error == 0;
}

static bool take_lock(struct local *l, const char *directory, struct diag *diag)
{
    l->lock = file_open(l->top, "lock", O_RDWR | O_CREAT);
    if (l->lock < 0)
        return diag_set(diag, DIAG_IO, "the store cannot be opened",
                        "Give the service a directory of its own that it may write to.",
                        "No lock file can be made in %.200s: %m.", directory);
    if (flock(l->lock, LOCK_EX | LOCK_NB) == 0)
        return true;
    if (errno == EWOULDBLOCK)
        return diag_set(diag, DIAG_IO, "the store is in use",
                        "Stop the other one, or give this one another directory with --store DIR.",
                        "Another aflamed uses the directory %.200s.", directory);
    return diag_set(diag, DIAG_IO, "the store cannot be opened", "Put it on a file system that has locks.",
                    "The lock in %.200s cannot be taken: %m.", directory);
}

static const char HINT[] = "Check its owner and permissions, or name another one with --store DIR.";

static bool open_top(struct local *l, const char *directory, struct diag *diag)
{
    l->top = file_open(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY);
    return l->top >= 0 ||
           diag_set(diag, DIAG_IO, "the store cannot be opened", HINT, "%.200s: %m.", directory);
}

static bool prepare(struct local *l, const char *directory, struct diag *diag)
{
    if (!folder_make(directory))
        return diag_set(diag, DIAG_IO, "the store cannot be opened", HINT,
                        "The directory %.200s cannot be made: %m.", directory);
    if (!open_top(l, directory, diag))
        return false;
    if (!take_lock(l, directory, diag))
        return false;
    if (!clear_tmp(l))
        return diag_set(diag, DIAG_IO, "the store cannot be opened", HINT,
                        "Temporary files in %.200s cannot be swept: %m.", directory);
    /* After clearing: a probe that a crash has left would make this one fail. */
    l->nameless = probe_nameless(l);
    return true;
}

static struct local *open_by(bool (*open)(struct local *l, const char *directory, struct diag *diag),
                             const char *directory, struct diag *diag)
{
    struct local *l = malloc(sizeof(*l));

    if (l == NULL) {
        diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "The store cannot be opened.");
        return NULL;
    }
    *l = (struct local){
        .top = -1, .lock = -1, .made = 1}; /* An earlier run may have left a folder that is not durable. */
    pthread_mutex_init(&l->making, NULL);
    if (open(l, directory, diag))
        return l;
    local_close(l);
    return NULL;
}

struct local *local_open(const char *directory, struct diag *diag)
{
    return open_by(prepare, directory, diag);
}

struct local *local_open_to_read(const char *directory, struct diag *diag)
{
    return open_by(open_top, directory, diag);
}

void local_close(struct local *l)
{
    if (l == NULL)
        return;
    if (l->lock >= 0)
        close(l->lock);
    if (l->top >= 0)
        close(l->top);
    pthread_mutex_destroy(&l->making);
    free(l);
}
