#include "server/store/kept.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/hash.h"
#include "core/idmap.h"
#include "core/system/random_bytes.h"

/* Names stand for their hashes, which nobody outside can choose: 64 bits are enough to take two names for two. */
struct table {
    struct arena arena;
    struct idmap owners;   /* to their places in `bytes` */
    struct idmap contents; /* of one owner: to how many uploads are of them */
    uint64_t *bytes;
    size_t n, capacity;
};

struct kept {
    uint64_t limit_bytes; /* constant, as is the seed */
    struct hash_seed seed;
    pthread_mutex_t lock; /* of what follows */
    struct table now, next;
    bool counting; /* `next` is being filled */
};

/* ---- tables: under the lock ---- */

/* Only the arena of a moved table is at another place now. */
static void move(struct table *to, struct table *from)
{
    arena_free(&to->arena);
    *to = *from;
    to->owners.arena = to->contents.arena = &to->arena;
    *from = (struct table){.n = 0};
}

static void begin(const struct kept *k, struct table *t)
{
    arena_free(&t->arena);
    *t = (struct table){.n = 0};
    arena_init(&t->arena, SIZE_MAX);
    idmap_init(&t->owners, &t->arena, k->seed);
    idmap_init(&t->contents, &t->arena, k->seed);
}

static uint64_t hash_of(const struct kept *k, const char *owner)
{
    return hash_bytes(k->seed, owner, strlen(owner));
}

static uint64_t content_of(const struct kept *k, const struct record *r)
{
    return hash_of(k, r->owner) ^ hash_u64(k->seed, hash_bytes(k->seed, r->sha256, RECORD_SHA256_CHARS));
}

/* NULL: nobody has counted anything of them. */
static uint64_t *bytes_of(const struct kept *k, struct table *t, const char *owner)
{
    uint32_t at = idmap_get(&t->owners, hash_of(k, owner));

    return at == IDMAP_NONE ? NULL : &t->bytes[at];
}

/* NULL: no memory. */
static uint64_t *new_bytes_of(const struct kept *k, struct table *t, const char *owner)
{
    uint64_t *bytes = bytes_of(k, t, owner);

    if (bytes != NULL)
        return bytes;
    if (t->n >= IDMAP_NONE || !ARENA_ROOM(&t->arena, t->bytes, t->capacity, t->n + 1) ||
        !idmap_set(&t->owners, hash_of(k, owner), (uint32_t)t->n))
        return NULL;
    t->bytes[t->n] = 0;
    return &t->bytes[t->n++];
}

static uint32_t uploads_of(struct table *t, uint64_t content)
{
    uint32_t uploads = idmap_get(&t->contents, content);

    return uploads == IDMAP_NONE ? 0 : uploads;
}

/* Whatever finds no memory is not counted. */
static void add(const struct kept *k, struct table *t, const struct record *r)
{
    uint64_t content = content_of(k, r), *bytes = new_bytes_of(k, t, r->owner);
    uint32_t uploads = uploads_of(t, content);

    if (bytes != NULL && idmap_set(&t->contents, content, uploads + 1) && uploads == 0)
        *bytes += r->size;
}

static void subtract(const struct kept *k, struct table *t, const struct record *r)
{
    uint64_t content = content_of(k, r), *bytes = bytes_of(k, t, r->owner);
    uint32_t uploads = uploads_of(t, content);

    if (bytes == NULL || uploads == 0 || !idmap_set(&t->contents, content, uploads - 1) || uploads > 1)
        return;
    *bytes -= r->size < *bytes ? r->size : *bytes;
}

struct kept *kept_new(uint64_t limit_bytes)
{
    struct kept *k = calloc(1, sizeof(*k));

    if (k == NULL || !random_bytes(&k->seed, sizeof(k->seed))) {
        free(k);
        return NULL;
    }
    k->limit_bytes = limit_bytes;
    pthread_mutex_init(&k->lock, NULL);
    begin(k, &k->now);
    begin(k, &k->next);
    return k;
}

void kept_free(struct kept *k)
{
    if (k == NULL)
        return;
    arena_free(&k->now.arena);
    arena_free(&k->next.arena);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

/* ---- any thread ---- */

static bool counts(const struct kept *k, const char *owner)
{
    return k != NULL && owner[0] != '\0';
}

static uint64_t room(struct kept *k, const char *owner)
{
    const uint64_t *bytes = bytes_of(k, &k->now, owner);

    return bytes == NULL ? k->limit_bytes : *bytes < k->limit_bytes ? k->limit_bytes - *bytes : 0;
}

bool kept_take(struct kept *k, const struct record *r)
{
    if (!counts(k, r->owner))
        return true;
    pthread_mutex_lock(&k->lock);
    bool fits = uploads_of(&k->now, content_of(k, r)) > 0 || r->size <= room(k, r->owner);
    if (fits) {
        add(k, &k->now, r);
        if (k->counting)
            add(k, &k->next, r);
    }
    pthread_mutex_unlock(&k->lock);
    return fits;
}

void kept_give(struct kept *k, const struct record *r)
{
    if (!counts(k, r->owner))
        return;
    pthread_mutex_lock(&k->lock);
    subtract(k, &k->now, r);
    if (k->counting)
        subtract(k, &k->next, r);
    pthread_mutex_unlock(&k->lock);
}

bool kept_is_full(struct kept *k, const char *owner)
{
    if (!counts(k, owner))
        return false;
    pthread_mutex_lock(&k->lock);
    bool full = room(k, owner) == 0;
    pthread_mutex_unlock(&k->lock);
    return full;
}

/* ---- the sweep ---- */

void kept_count_begin(struct kept *k)
{
    if (k == NULL)
        return;
    pthread_mutex_lock(&k->lock);
    begin(k, &k->next);
    k->counting = true;
    pthread_mutex_unlock(&k->lock);
}

void kept_count(struct kept *k, const struct record *r)
{
    if (!counts(k, r->owner))
        return;
    pthread_mutex_lock(&k->lock);
    if (k->counting)
        add(k, &k->next, r);
    pthread_mutex_unlock(&k->lock);
}

void kept_count_end(struct kept *k, bool whole)
{
    if (k == NULL)
        return;
    pthread_mutex_lock(&k->lock);
    k->counting = false;
    if (whole)
        move(&k->now, &k->next);
    begin(k, &k->next);
    pthread_mutex_unlock(&k->lock);
}
