#include "server/store/sweep_index.h"

#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/hash.h"
#include "core/idmap.h"
#include "core/system/random_bytes.h"

struct table {
    struct arena arena;
    struct idmap places; /* from the hash of an id to its place in `of` */
    struct swept_upload *of;
    size_t n, capacity;
    bool failed; /* without memory for one of them */
};

struct sweep_index {
    struct hash_seed seed;
    struct table now, last;
    bool is_whole; /* `now` is of a sweep that has ended and has seen all */
};

static void table_begin(struct table *t, struct hash_seed seed)
{
    *t = (struct table){.n = 0};
    arena_init(&t->arena, SIZE_MAX);
    idmap_init(&t->places, &t->arena, seed);
}

/* Only the arena of a moved table is at another place now. */
static void table_move(struct table *to, struct table *from, struct hash_seed seed)
{
    arena_free(&to->arena);
    *to = *from;
    to->places.arena = &to->arena;
    table_begin(from, seed);
}

static uint64_t hash_of(const struct sweep_index *x, const char *id)
{
    return hash_bytes(x->seed, id, RECORD_ID_CHARS);
}

static struct swept_upload *table_find(struct table *t, uint64_t hash, const char *id)
{
    uint32_t at = idmap_get(&t->places, hash);

    return at != IDMAP_NONE && memcmp(t->of[at].id, id, RECORD_ID_CHARS) == 0 ? &t->of[at] : NULL;
}

struct sweep_index *sweep_index_new(void)
{
    struct sweep_index *x = calloc(1, sizeof(*x));

    if (x == NULL || !random_bytes(&x->seed, sizeof(x->seed))) {
        free(x);
        return NULL;
    }
    table_begin(&x->now, x->seed);
    table_begin(&x->last, x->seed);
    return x;
}

void sweep_index_free(struct sweep_index *x)
{
    if (x == NULL)
        return;
    arena_free(&x->now.arena);
    arena_free(&x->last.arena);
    free(x);
}

void sweep_index_begin(struct sweep_index *x)
{
    table_move(&x->last, &x->now, x->seed);
    x->is_whole = false;
}

/* One that finds no memory is as one that was not listed: the caller has to ask sweep_index_is_whole. */
static struct swept_upload *add(struct sweep_index *x, const char *id)
{
    struct table *t = &x->now;
    uint64_t hash = hash_of(x, id);
    const struct swept_upload *before = table_find(&x->last, hash, id);

    if (t->n >= IDMAP_NONE || !ARENA_ROOM(&t->arena, t->of, t->capacity, t->n + 1) ||
        !idmap_set(&t->places, hash, (uint32_t)t->n)) {
        t->failed = true;
        return NULL;
    }
    struct swept_upload *u = &t->of[t->n++];
    *u = before != NULL ? *before : (struct swept_upload){.read = 0};
    memcpy(u->id, id, RECORD_ID_CHARS);
    u->id[RECORD_ID_CHARS] = '\0';
    u->has_first = u->has_bytes = false;
    u->revision = 0;
    return u;
}

void sweep_index_note(struct sweep_index *x, const char *id, uint32_t revision)
{
    struct swept_upload *u = sweep_index_find(x, id);

    if (u == NULL)
        u = add(x, id);
    if (u == NULL)
        return;
    u->has_first = u->has_first || revision == 1;
    u->revision = revision > u->revision ? revision : u->revision;
}

size_t sweep_index_count(const struct sweep_index *x)
{
    return x->now.n;
}

struct swept_upload *sweep_index_at(struct sweep_index *x, size_t i)
{
    return &x->now.of[i];
}

struct swept_upload *sweep_index_find(struct sweep_index *x, const char *id)
{
    return table_find(&x->now, hash_of(x, id), id);
}

void sweep_index_end(struct sweep_index *x, bool whole)
{
    x->is_whole = whole && !x->now.failed;
    if (!x->is_whole)
        table_move(&x->now, &x->last, x->seed);
    arena_free(&x->last.arena);
    table_begin(&x->last, x->seed);
}

bool sweep_index_is_whole(const struct sweep_index *x)
{
    return x->is_whole;
}

struct hash_seed sweep_index_seed(const struct sweep_index *x)
{
    return x->seed;
}

uint64_t sweep_index_content(const struct sweep_index *x, struct str text)
{
    return hash_bytes(x->seed, text.p, text.n);
}
