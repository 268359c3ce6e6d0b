#include "server/copy/copy.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/system/digest.h"
#include "core/system/folder.h"
#include "server/store/record.h"

enum { COPIERS = 8, PIECE_BYTES = 256 << 10, ROUNDS_MAX = 10 };

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
