/* Moments and changes, from how they came to how a profile has them: by track, and by node. */
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "profile/build/builder_impl.h"

/* ---- moments ---- */

/* Puts the moments of all tracks behind each other; those of one track are in their order already. The numbers that tracks
 * had when the moments came mean nothing here, behind the sorting of tracks: each moment brings its track's id. */
static bool put_moments(struct builder *b, struct profile *p)
{
    struct profile_moment *moments = arena_array(b->arena, b->n_moments, sizeof(*moments));
    struct profile_track *tracks = (struct profile_track *)(uintptr_t)p->tracks;

    if (moments == NULL)
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        tracks[i].first_moment = p->n_moments;
        p->n_moments += tracks[i].n_moments;
        tracks[i].n_moments = 0;
    }
    for (size_t i = 0; i < b->n_moments; i++) {
        struct profile_track *t = &tracks[profile_track_by_id(p, b->moments[i].track) - tracks];
        moments[t->first_moment + t->n_moments++].time_ns = b->moments[i].time_ns;
    }
    p->moments = moments;
    return true;
}

/* ---- changes ---- */

/* The node's number is where its frame was: see finish.c. */
static int by_node(const void *x, const void *y)
{
    const struct fold_change *a = x, *b = y;

    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->moment < b->moment ? -1 : a->moment > b->moment;
}

static bool is_zero(const struct fold_change *c, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++)
        if (c->values[v] != 0)
            return false;
    return true;
}

/* Changes of one node and moment become one, in place; those that are nothing go. */
static size_t join_changes(struct builder *b)
{
    uint32_t values = b->layout.n_columns;
    size_t n = 0;

    for (size_t i = 0; i < b->n_changes;) {
        struct fold_change *to = fold_change_at(b, n), *first = fold_change_at(b, i);
        if (n < i)
            memcpy(to, first, b->change_stride);
        for (i++; i < b->n_changes && by_node(to, fold_change_at(b, i)) == 0; i++)
            for (uint32_t v = 0; v < values; v++)
                to->values[v] = number_add_signed(to->values[v], fold_change_at(b, i)->values[v]);
        n += !is_zero(to, values);
    }
    return n;
}

static bool put_changes(struct builder *b, struct profile *p)
{
    uint32_t values = b->layout.n_columns;

    for (size_t i = 0; i < b->n_changes; i++) {
        struct fold_change *c = fold_change_at(b, i);
        c->node = fold_node_at(b, c->node)->frame;
    }
    if (b->n_changes > 0)
        qsort(b->changes, b->n_changes, b->change_stride, by_node);
    size_t n = join_changes(b);
    uint32_t *first = arena_array(b->arena, (size_t)p->n_nodes + 1, sizeof(*first));
    uint32_t *moment = arena_array(b->arena, n, sizeof(*moment));
    int64_t *change = arena_array(b->arena, n * values, sizeof(*change));
    if (first == NULL || moment == NULL || change == NULL || n > UINT32_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct fold_change *c = fold_change_at(b, i);
        first[c->node + 1]++;
        moment[i] = c->moment;
        memcpy(&change[i * values], c->values, values * sizeof(*change));
    }
    for (uint32_t i = 0; i < p->n_nodes; i++)
        first[i + 1] += first[i];
    arena_release(b->arena, b->changes, b->changes_capacity, b->change_stride);
    b->changes = NULL;
    p->series = (struct profile_series){first, moment, change};
    return true;
}

bool finish_series(struct builder *b, struct profile *p)
{
    return b->n_moments == 0 || (put_moments(b, p) && put_changes(b, p));
}
