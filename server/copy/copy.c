#include "server/copy/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/buf.h"
#include "core/system/digest.h"
#include "core/system/folder.h"
#include "server/store/local.h"
#include "server/store/record.h"

enum place_result {
    PLACE_OK,
    PLACE_GONE,  /* of a get: the object is not there any more */
    PLACE_FAILED /* diag */
};

enum { COPIERS = 8, PIECE_BYTES = 256 << 10, ROUNDS_MAX = 10 };

struct place {
    struct local *local; /* of these two, one */
    struct s3 *s3;
};

/* ---- places ---- */

struct place *place_open(const char *name, bool is_written, const struct s3_settings *settings,
                         struct diag *diag)
{
    struct place *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        diag_no_memory(diag, "No memory is left for the copy.");
        return NULL;
    }
    if (s3_is_named(name))
        p->s3 = s3_open(name, settings, diag);
    else
        p->local = is_written ? local_open(name, diag) : local_open_to_read(name, diag);
    if (p->s3 != NULL || p->local != NULL)
        return p;
    place_close(p);
    return NULL;
}

void place_close(struct place *p)
{
    if (p == NULL)
        return;
    local_close(p->local);
    s3_close(p->s3);
    free(p);
}

struct s3 *place_s3(struct place *p)
{
    return p->s3;
}

struct listing {
    bool (*each)(void *context, const char *key, uint64_t bytes);
    void *context;
};

/* A bucket may have objects of others, whose keys no store takes. */
static bool list_key(void *listing, const struct s3_object *object)
{
    const struct listing *l = listing;

    return !store_key_valid(object->key) || l->each(l->context, object->key, object->bytes);
}

static bool list_object(void *listing, const struct store_object *object)
{
    const struct listing *l = listing;

    return l->each(l->context, object->key, object->bytes);
}

bool place_list(struct place *p, const char *folder,
                bool (*each)(void *context, const char *key, uint64_t bytes), void *context,
                struct diag *diag)
{
    struct listing l = {each, context};

    if (p->s3 != NULL) {
        enum s3_result result = s3_list(p->s3, folder, list_key, &l, diag);
        return result == S3_OK || result == S3_ENDED;
    }
    return local_list(p->local, folder, list_object, &l) == STORE_OK ||
           diag_set(diag, DIAG_IO, "a directory cannot be read", "", "%s: %m.", folder);
}

/* A file without a name, for an object of a bucket. -1 with errno. */
static int scratch_file(void)
{
    const char *folder = getenv("TMPDIR");

    return file_open(AT_FDCWD, folder != NULL && folder[0] != '\0' ? folder : "/var/tmp", O_TMPFILE | O_RDWR);
}

struct fetch {
    int fd;
    uint64_t bytes;
    int error; /* errno of the file */
};

static bool take_piece(void *fetch, const char *p, size_t n)
{
    struct fetch *f = fetch;

    if (!file_write_all(f->fd, p, n)) {
        f->error = errno;
        return false;
    }
    f->bytes += n;
    return true;
}

static enum place_result get_from_bucket(struct s3 *s3, const char *key, int *fd, uint64_t *bytes,
                                         struct diag *diag)
{
    struct fetch f = {.fd = scratch_file()};
    enum s3_result result = S3_ENDED;

    if (f.fd >= 0)
        result = s3_get(s3, key, take_piece, &f, diag);
    else
        f.error = errno;
    if (result == S3_OK && lseek(f.fd, 0, SEEK_SET) == 0) {
        *fd = f.fd;
        *bytes = f.bytes;
        return PLACE_OK;
    }
    if (f.fd >= 0)
        close(f.fd);
    if (result == S3_ENDED)
        diag_set(diag, DIAG_IO, "no room for a temporary file", "Name another folder by TMPDIR.", "%s: %s.",
                 key, strerror(f.error));
    return result == S3_NOT_FOUND ? PLACE_GONE : PLACE_FAILED;
}

/* A descriptor to read the whole object from, the caller's to close, and its size in bytes. */
static enum place_result place_get(struct place *p, const char *key, int *fd, uint64_t *bytes,
                                   struct diag *diag)
{
    if (p->s3 != NULL)
        return get_from_bucket(p->s3, key, fd, bytes, diag);
    enum store_result result = local_get(p->local, key, fd, bytes);
    if (result == STORE_FAILED)
        diag_set(diag, DIAG_IO, "a file cannot be read", "", "%s: %m.", key);
    return result == STORE_OK ? PLACE_OK : result == STORE_NOT_FOUND ? PLACE_GONE : PLACE_FAILED;
}

static enum store_result fill(struct local_temp *t, int fd, uint64_t bytes)
{
    static const size_t PIECE = PIECE_BYTES;
    char *piece = malloc(PIECE);
    enum store_result result = piece == NULL ? STORE_FAILED : STORE_OK;

    for (uint64_t at = 0; result == STORE_OK && at < bytes;) {
        size_t wanted = bytes - at < PIECE ? (size_t)(bytes - at) : PIECE;
        ssize_t n = TEMP_FAILURE_RETRY(pread(fd, piece, wanted, (off_t)at));
        result = n > 0 ? local_temp_write(t, piece, (size_t)n) : STORE_FAILED;
        at += n > 0 ? (uint64_t)n : 0;
    }
    free(piece);
    return result;
}

static enum store_result put_new(struct local *l, const char *key, int fd, uint64_t bytes)
{
    struct local_temp t;
    enum store_result result = local_temp_open(l, &t);

    if (result == STORE_OK)
        result = fill(&t, fd, bytes);
    if (result == STORE_OK)
        result = local_temp_commit(l, &t, key, LOCAL_DURABLE);
    local_temp_discard(l, &t);
    return result;
}

/* `sha256` is the digest of the file, in hex. Durable when it returns true. One that is there already stays. */
static bool place_put(struct place *p, const char *key, int fd, uint64_t bytes, const char *sha256,
                      struct diag *diag)
{
    if (p->s3 != NULL) {
        enum s3_result result = s3_put(p->s3, NULL, key, fd, bytes, sha256, diag);
        return result == S3_OK || result == S3_EXISTS;
    }
    enum store_result result = put_new(p->local, key, fd, bytes);
    return result == STORE_OK || result == STORE_EXISTS ||
           diag_set(diag, result == STORE_FULL ? DIAG_FULL : DIAG_IO, "a file cannot be written",
                    "Make room on the disk, and copy again: it goes on where it ended.", "%s: %m.", key);
}

/* ---- lists ---- */

struct item {
    const char *key;
    uint64_t bytes;
};

struct items {
    struct arena *arena;
    struct item *of;
    size_t n, capacity;
};

static bool add_item(void *items, const char *key, uint64_t bytes)
{
    struct items *all = items;
    size_t n = strlen(key) + 1;
    char *copy =
        ARENA_ROOM(all->arena, all->of, all->capacity, all->n + 1) ? arena_alloc(all->arena, n) : NULL;

    if (copy == NULL)
        return false;
    memcpy(copy, key, n);
    all->of[all->n++] = (struct item){copy, bytes};
    return true;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct item *)a)->key, ((const struct item *)b)->key);
}

/* In the order of keys. */
static bool list(struct place *p, const char *folder, struct items *all, struct diag *diag)
{
    if (!place_list(p, folder, add_item, all, diag))
        return false;
    if (all->arena->failure != ARENA_OK)
        return diag_no_memory(diag, "No memory is left for the list of what to copy.");
    if (all->n > 0)
        qsort(all->of, all->n, sizeof(all->of[0]), by_key);
    return true;
}

static bool has(const struct items *all, const struct item *wanted)
{
    const struct item *found =
        all->n == 0 ? NULL : bsearch(wanted, all->of, all->n, sizeof(all->of[0]), by_key);

    return found != NULL && found->bytes == wanted->bytes;
}

/* ---- one object ---- */

struct copier {
    struct place *from, *to;
    struct items items, there; /* at the one place, and at the other */
    void (*damaged)(void *context, const char *key);
    void *context;
    atomic_size_t next; /* item */
    atomic_bool failed;
    bool again;           /* What is there was counted before. */
    pthread_mutex_t lock; /* of the rest */
    struct items told;    /* those that are damaged: few, or a person looks */
    struct copy_counts *counts;
    struct diag *diag;
};

/* In hex. */
static bool digest_of_file(int fd, uint64_t bytes, char hex[DIGEST_CHARS + 1])
{
    static const size_t PIECE = PIECE_BYTES;
    struct sha256 *hash = sha256_new();
    uint8_t sha256[SHA256_BYTES];
    char *piece = malloc(PIECE);
    uint64_t at = 0;
    ssize_t n = 1;

    while (hash != NULL && piece != NULL && at < bytes && n > 0) {
        n = TEMP_FAILURE_RETRY(pread(fd, piece, PIECE, (off_t)at));
        if (n > 0)
            sha256_add(hash, (struct str){piece, (size_t)n});
        at += n > 0 ? (uint64_t)n : 0;
    }
    bool ok = hash != NULL && piece != NULL && at == bytes && sha256_end(hash, sha256);
    if (ok)
        digest_hex(sha256, hex);
    free(piece);
    sha256_free(hash);
    return ok;
}

/* PLACE_GONE: there is no record of this upload that can be read. */
static enum place_result digest_in_record(struct copier *c, struct str id, char hex[RECORD_SHA256_CHARS + 1],
                                          struct diag *diag)
{
    char key[STORE_KEY_BYTES];
    struct buf text = {0};
    struct record r = {0};
    uint64_t bytes;
    int fd;

    if (!record_id_valid(id))
        return PLACE_GONE;
    snprintf(key, sizeof(key), "uploads/%.*s.json", (int)id.n, id.p);
    enum place_result result = place_get(c->from, key, &fd, &bytes, diag);
    if (result != PLACE_OK)
        return result;
    bool is_read = file_read_all(fd, RECORD_BYTES_MAX, &text) && record_text_read(buf_view(&text), id, &r);
    if (is_read)
        memcpy(hex, r.sha256, RECORD_SHA256_CHARS + 1);
    close(fd);
    buf_free(&text);
    return is_read ? PLACE_OK : PLACE_GONE;
}

/* Whether the object is what it should be: files of names are named by their digest, and an upload's record has that of its
 * bytes. Of others nothing is known. */
static enum place_result check_digest(struct copier *c, const char *key, const char *hex, bool *damaged,
                                      struct diag *diag)
{
    struct str name = str_behind_last(str_of(key), '/');
    char right[RECORD_SHA256_CHARS + 1] = "";

    if (str_starts(str_of(key), STR("bytes/"))) {
        if (digest_in_record(c, name, right, diag) == PLACE_FAILED)
            return PLACE_FAILED;
    } else if ((str_starts(str_of(key), STR("names/")) || str_starts(str_of(key), STR("blobs/"))) &&
               record_sha256_valid(name)) {
        memcpy(right, name.p, name.n);
    }
    *damaged = right[0] != '\0' && memcmp(hex, right, RECORD_SHA256_CHARS) != 0;
    return PLACE_OK;
}

static enum place_result copy_object(struct copier *c, const char *key, uint64_t *bytes, bool *damaged,
                                     struct diag *diag)
{
    char hex[DIGEST_CHARS + 1];
    int fd;
    enum place_result result = place_get(c->from, key, &fd, bytes, diag);

    if (result != PLACE_OK)
        return result;
    if (!digest_of_file(fd, *bytes, hex)) {
        diag_set(diag, DIAG_IO, "a file cannot be read", "", "%s: not all of it can be read.", key);
        result = PLACE_FAILED;
    } else {
        result = check_digest(c, key, hex, damaged, diag);
    }
    if (result == PLACE_OK && !*damaged && !place_put(c->to, key, fd, *bytes, hex, diag))
        result = PLACE_FAILED;
    close(fd);
    return result;
}

/* Whether an earlier round has found it damaged. */
static bool is_told(struct copier *c, const char *key)
{
    bool told = false;

    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->told.n && !told; i++)
        told = strcmp(c->told.of[i].key, key) == 0;
    pthread_mutex_unlock(&c->lock);
    return told;
}

static void copy_item(struct copier *c, const struct item *item)
{
    struct diag diag = {0};
    bool damaged = false;
    uint64_t bytes = 0;

    if (is_told(c, item->key))
        return;
    bool there = has(&c->there, item);
    enum place_result result = there ? PLACE_OK : copy_object(c, item->key, &bytes, &damaged, &diag);

    pthread_mutex_lock(&c->lock);
    if (result == PLACE_FAILED && !atomic_exchange(&c->failed, true))
        *c->diag = diag;
    c->counts->there += there && !c->again;
    c->counts->gone += result == PLACE_GONE;
    if (damaged) {
        c->counts->damaged++;
        c->damaged(c->context, item->key);
        (void)add_item(&c->told, item->key, 0); /* without memory it is told again */
    }
    if (result == PLACE_OK && !there && !damaged) {
        c->counts->copied++;
        c->counts->copied_bytes += bytes;
    }
    pthread_mutex_unlock(&c->lock);
}

static void *copy_items(void *copier)
{
    struct copier *c = copier;

    for (size_t i; !atomic_load(&c->failed) && (i = atomic_fetch_add(&c->next, 1)) < c->items.n;)
        copy_item(c, &c->items.of[i]);
    return NULL;
}

/* Most objects are small, and take a round trip or a sync each: several are under way at once. */
static void run(struct copier *c)
{
    pthread_t threads[COPIERS];
    size_t n = 0;

    while (n < COPIERS && pthread_create(&threads[n], NULL, copy_items, c) == 0)
        n++;
    if (n == 0)
        copy_items(c);
    while (n > 0)
        pthread_join(threads[--n], NULL);
}

/* ---- all of them ---- */

/* `items`: what to copy of the folder, or NULL: all that it has now. */
static bool copy_folder(struct copier *c, const char *folder, const struct items *items, struct diag *diag)
{
    struct arena arena;
    struct items now = {.arena = &arena}, there = {.arena = &arena};

    arena_init(&arena, SIZE_MAX);
    bool ok = (items != NULL || list(c->from, folder, &now, diag)) && list(c->to, folder, &there, diag);
    if (ok) {
        atomic_store(&c->next, 0);
        c->items = items != NULL ? *items : now;
        c->there = there;
        run(c);
    }
    arena_free(&arena);
    return ok && !atomic_load(&c->failed);
}

static bool copy_once(struct copier *c)
{
    static const char *const FOLDERS[] = {"blobs/", "refs/", /* of earlier versions */
                                          "bytes/", "names/", "gone/", "spaces/"},
                             RECORDS[] = "uploads/";
    struct arena arena;
    struct items records = {.arena = &arena};

    arena_init(&arena, SIZE_MAX);
    bool ok = list(c->from, RECORDS, &records, c->diag);
    for (size_t i = 0; ok && i < sizeof(FOLDERS) / sizeof(FOLDERS[0]); i++)
        ok = copy_folder(c, FOLDERS[i], NULL, c->diag);
    ok = ok && copy_folder(c, RECORDS, &records, c->diag);
    arena_free(&arena);
    return ok;
}

/* What was removed since it was listed may have made way for something new: the next revision of a record, or the
 * tombstone of an upload. So all is looked at again until nothing is missing. */
bool copy_all(struct place *from, struct place *to, void (*damaged)(void *context, const char *key),
              void *context, struct copy_counts *counts, struct diag *diag)
{
    struct arena arena;
    struct copier c = {.told = {.arena = &arena},
                       .from = from,
                       .to = to,
                       .damaged = damaged,
                       .context = context,
                       .counts = counts,
                       .diag = diag};
    uint64_t gone;
    unsigned rounds = 0;
    bool ok;

    *counts = (struct copy_counts){0};
    arena_init(&arena, SIZE_MAX);
    pthread_mutex_init(&c.lock, NULL);
    do {
        gone = counts->gone;
        c.again = rounds > 0;
        ok = copy_once(&c);
    } while (ok && counts->gone > gone && ++rounds < ROUNDS_MAX);
    pthread_mutex_destroy(&c.lock);
    arena_free(&arena);
    return ok;
}
