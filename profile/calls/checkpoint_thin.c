/* Fewer checkpoints in the place of many, so that they stand as evenly in a file that needs more memory for each. */
#include <string.h>

#include "profile/calls/checkpoints_impl.h"

enum { LEAST = 8 };

/* What is made, and where calls have come to: by their old numbers, UINT32_MAX where they have not. */
struct thinner {
    struct checkpoints *from;
    struct checkpoints to;
    uint32_t *moved;
};

static void *copy(struct thinner *t, const void *list, size_t n, size_t size)
{
    void *made = arena_array(&t->to.arena, n, size);

    if (made != NULL && n > 0)
        memcpy(made, list, n * size);
    return made;
}

/* For lists that go on growing: the arena has to know those that it made large (arena_grow). */
static void *copy_growing(struct thinner *t, const void *list, size_t n, size_t size, size_t *capacity)
{
    *capacity = 0;
    void *made = arena_grow(&t->to.arena, NULL, capacity, n, size);
    if (made != NULL && n > 0)
        memcpy(made, list, n * size);
    return made;
}

static bool move_call(struct thinner *t, uint32_t *call)
{
    uint32_t *to = &t->moved[*call];

    if (*to == UINT32_MAX) {
        if (!ARENA_ROOM(&t->to.arena, t->to.calls, t->to.calls_capacity, t->to.n_calls + 1))
            return false;
        t->to.calls[t->to.n_calls] = t->from->calls[*call];
        *to = (uint32_t)t->to.n_calls++;
    }
    *call = *to;
    return true;
}

static bool move_point(struct thinner *t, const struct checkpoint *from)
{
    struct checkpoint *to = &t->to.list[t->to.n++];

    *to = *from;
    to->state = copy(t, from->state, from->state_bytes, 1);
    to->tracks = copy(t, from->tracks, from->n_tracks, sizeof(*to->tracks));
    if (to->state == NULL || to->tracks == NULL)
        return false;
    for (uint32_t i = 0; i < to->n_tracks; i++) {
        struct checkpoint_track *track = &to->tracks[i];
        track->open = copy(t, track->open, track->n_open, sizeof(*track->open));
        for (uint32_t k = 0; track->open != NULL && k < track->n_open; k++)
            if (!move_call(t, &track->open[k].call))
                return false;
        if (track->open == NULL)
            return false;
    }
    return true;
}

static bool move_logs(struct thinner *t)
{
    const struct checkpoints *from = t->from;

    t->to.logs = copy_growing(t, from->logs, from->n_logs, sizeof(*from->logs), &t->to.logs_capacity);
    t->to.n_logs = t->to.logs != NULL ? from->n_logs : 0;
    for (size_t i = 0; i < t->to.n_logs; i++) {
        struct checkpoint_log *log = &t->to.logs[i];
        log->roots = copy_growing(t, log->roots, log->n_roots, sizeof(*log->roots), &log->roots_capacity);
        log->unknown_from /= 2; /* so many with odd numbers stand before it */
        if (log->roots == NULL)
            return false;
    }
    return t->to.logs != NULL;
}

static bool move_all(struct thinner *t)
{
    const struct checkpoints *from = t->from;

    t->to.list = arena_grow(&t->to.arena, NULL, &t->to.capacity, from->n / 2, sizeof(*t->to.list));
    t->to.definitions = copy_growing(t, from->definitions, from->n_definitions, sizeof(*from->definitions),
                                     &t->to.definitions_capacity);
    t->to.n_definitions = from->n_definitions;
    if (t->to.list == NULL || t->to.definitions == NULL || !move_logs(t))
        return false;
    for (size_t i = 1; i < from->n; i += 2)
        if (!move_point(t, &from->list[i]))
            return false;
    return true;
}

/* What is open knows the number of its call. */
static void renumber(const struct thinner *t)
{
    const struct builder *b = t->from->builder;

    for (size_t i = 0; i < b->n_tracks; i++) {
        struct checkpoint_watched *track = b->tracks[i].watched;
        for (size_t k = 0; track != NULL && k < track->n_open; k++)
            if (track->open[k].kept != UINT32_MAX)
                track->open[k].kept = t->moved[track->open[k].kept];
    }
}

bool checkpoints_thin(struct checkpoints *c)
{
    struct thinner t = {.from = c, .to = {.every = 2 * c->every}};

    if (c->n < LEAST)
        return false;
    t.moved = arena_array(c->builder->arena, c->n_calls, sizeof(*t.moved));
    for (size_t i = 0; t.moved != NULL && i < c->n_calls; i++)
        t.moved[i] = UINT32_MAX;
    arena_init(&t.to.arena, c->arena.limit_bytes);
    if (t.moved == NULL || !move_all(&t)) {
        arena_free(&t.to.arena);
        return false;
    }
    renumber(&t);
    t.to.watcher = c->watcher;
    t.to.to = c->to;
    t.to.builder = c->builder;
    arena_free(&c->arena);
    *c = t.to;
    return true;
}
