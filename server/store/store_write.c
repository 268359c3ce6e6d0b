/* Objects on their way in.
 *
 * The order of a durable put is: write the bytes, sync them, give the file its name with link(2), sync the folders above the
 * name. A reader so finds no object or the whole one, also after a power cut; and who is told STORE_OK relies on nothing
 * that the disk does not have. A link never replaces a name that is there: of two puts of one key the second finds it there
 * (STORE_EXISTS), which is success for content keys. An evictable put leaves the two syncs out. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/system/folder.h"
#include "server/store/store_impl.h"

int store_open_nameless(const struct store *s)
{
    return file_open(s->top, "tmp", O_TMPFILE | O_RDWR);
}

int store_link_nameless(const struct store *s, int fd, const char *key)
{
    char itself[40];

    snprintf(itself, sizeof(itself), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, itself, s->top, key, AT_SYMLINK_FOLLOW);
}

static bool random_name(char *out, size_t out_bytes)
{
    uint64_t bits[2];

    if (TEMP_FAILURE_RETRY(getrandom(bits, sizeof(bits), 0)) != (ssize_t)sizeof(bits))
        return false;
    snprintf(out, out_bytes, "tmp/%016llx%016llx", (unsigned long long)bits[0], (unsigned long long)bits[1]);
    return true;
}

static int open_named(const struct store *s, struct store_temp *t)
{
    if (!random_name(t->name, sizeof(t->name)))
        return -1;
    return file_open(s->top, t->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
}

static int open_either(const struct store *s, struct store_temp *t, bool nameless)
{
    return nameless ? store_open_nameless(s) : open_named(s, t);
}

static enum store_result open_temp(struct store *s, struct store_temp *t, bool nameless)
{
    *t = (struct store_temp){.store = s};
    int fd = open_either(s, t, nameless);
    if (fd < 0 && errno == ENOENT && folder_make_parents(s->top, "tmp/"))
        fd = open_either(s, t, nameless); /* somebody tidied up too much */
    if (fd < 0)
        return store_write_failure(s);
    t->fd = fd;
    t->open = true;
    return STORE_OK;
}

enum store_result store_temp_open(struct store *s, struct store_temp *t)
{
    return open_temp(s, t, s->nameless);
}

enum store_result store_temp_write(struct store_temp *t, const void *p, size_t n)
{
    if (!file_write_all(t->fd, p, n)) {
        enum store_result result = store_write_failure(t->store);
        /* A part may be written: the same bytes can be given again when there is room. */
        return lseek(t->fd, t->written, SEEK_SET) == t->written ? result : STORE_FAILED;
    }
    /* The disk begins now, so that the sync at the end has little left to wait for. Only a hint, in steps: each costs the machine a
     * request to the disk. */
    enum { STEP_BYTES = 1 << 20 };
    off_t before = t->written / STEP_BYTES;
    t->written += (off_t)n;
    off_t steps = t->written / STEP_BYTES - before;
    if (steps > 0)
        sync_file_range(t->fd, before * STEP_BYTES, steps * STEP_BYTES, SYNC_FILE_RANGE_WRITE);
    return STORE_OK;
}

void store_temp_discard(struct store *s, struct store_temp *t)
{
    int why = errno;

    if (!t->open)
        return;
    close(t->fd);
    if (t->name[0] != '\0')
        unlinkat(s->top, t->name, 0);
    t->open = false;
    errno = why;
}

static int link_temp(const struct store *s, const struct store_temp *t, const char *key)
{
    if (t->name[0] == '\0')
        return store_link_nameless(s, t->fd, key);
    return linkat(s->top, t->name, s->top, key, 0);
}

/* Under the lock: who deletes what was not used for long looks and deletes under it, and so sees this, or is
 * seen to have deleted. False only if the object is not there any more. */
static bool use_again(struct store *s, const char *key)
{
    store_lock(s);
    bool there = utimensat(s->top, key, NULL, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
    store_unlock(s);
    return there;
}

/* The folder may be missing, and vanish again between being made and being used, when another thread deletes
 * the last object in it, and so may an object that is there already: that many times in a row is no accident.
 */
static enum store_result give_name(struct store *s, const struct store_temp *t, const char *key)
{
    enum { TRIES = 100 };

    for (int i = 0; link_temp(s, t, key) != 0; i++) {
        if (errno == EEXIST && use_again(s, key))
            return STORE_EXISTS;
        if (errno != ENOENT || i == TRIES || !folder_make_parents(s->top, key))
            return store_write_failure(s);
    }
    return STORE_OK;
}

/* It may have waited since its last byte: to the sweep it is as young as its name. The sync says once what failed: a
 * second one would be silent about what was lost. */
static bool make_durable(const struct store_temp *t)
{
    (void)futimens(t->fd, NULL);
    return TEMP_FAILURE_RETRY(fsync(t->fd)) == 0;
}

enum store_result store_temp_commit(struct store *s, struct store_temp *t, const char *key,
                                    enum store_durability durability)
{
    bool durable = durability == STORE_DURABLE;
    enum store_result result = STORE_OK;

    if (!store_key_valid(key))
        result = store_refuse_key();
    else if (durable && !make_durable(t))
        result = store_write_failure(s);
    if (result == STORE_OK) {
        result = give_name(s, t, key);
        /* The file stays open: its owner may make room and commit it again, or discards it. */
        if (result == STORE_FULL)
            return result;
    }
    /* A name that another thread gave is to be durable too before anybody relies on it. */
    if (durable && (result == STORE_OK || result == STORE_EXISTS) && !folder_sync_parents(s->top, key))
        result = store_write_failure(s);
    store_temp_discard(s, t);
    if (durable)
        store_note_change(s); /* also after a failure: the object may be there */
    return result;
}

enum store_result store_put(struct store *s, const char *key, struct str bytes,
                            enum store_durability durability)
{
    struct store_temp t;
    enum store_result result = store_temp_open(s, &t);

    if (result == STORE_OK)
        result = file_write_all(t.fd, bytes.p, bytes.n) ? STORE_OK : store_write_failure(s);
    if (result == STORE_OK)
        result = store_temp_commit(s, &t, key, durability);
    store_temp_discard(s, &t);
    return result;
}

/* Only what has a name can take another one's place. */
enum store_result store_replace(struct store *s, const char *key, struct str bytes)
{
    struct store_temp t;

    if (!store_key_valid(key))
        return store_refuse_key();
    enum store_result result = open_temp(s, &t, false);
    if (result == STORE_OK)
        result = file_write_all(t.fd, bytes.p, bytes.n) ? STORE_OK : store_write_failure(s);
    if (result == STORE_OK &&
        (TEMP_FAILURE_RETRY(fsync(t.fd)) != 0 || !folder_make_parents(s->top, key) ||
         renameat(s->top, t.name, s->top, key) != 0 || !folder_sync_parents(s->top, key)))
        result = store_write_failure(s);
    store_temp_discard(s, &t);
    /* Also after a failure: only the sync behind the change of names may have failed. */
    store_note_change(s);
    return result;
}
