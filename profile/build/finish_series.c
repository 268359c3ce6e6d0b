/* Moments and changes, from how they came to how a profile has them: by track, and by node. */
#include <string.h>

#include "core/number.h"
#include "core/order.h"
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
static bool is_before(const void *builder, uint32_t x, uint32_t y)
{
    const struct fold_change *a = fold_change_at(builder, x), *b = fold_change_at(builder, y);

    return a->node != b->node ? a->node < b->node : a->moment < b->moment;
}

static bool is_zero(const struct fold_change *c, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++)
        if (c->values[v] != 0)
            return false;
    return true;
}

/* Changes of one node and moment, which stand behind each other in the order, become the first of them; those that are nothing go.
 * Returns how many are left. */
static size_t join_changes(struct builder *b, uint32_t *order)
{
    uint32_t values = b->layout.n_columns;
    size_t n = 0;

    for (size_t i = 0; i < b->n_changes && !arena_stopped_at(b->arena, i);) {
        struct fold_change *to = fold_change_at(b, order[i]);
        order[n] = order[i];
        for (i++; i < b->n_changes && !is_before(b, order[n], order[i]); i++)
            for (uint32_t v = 0; v < values; v++)
                to->values[v] = number_add_signed(to->values[v], fold_change_at(b, order[i])->values[v]);
        n += !is_zero(to, values);
    }
    return n;
}

static uint32_t *ordered_changes(struct builder *b)
{
    uint32_t *order = b->n_changes > UINT32_MAX ? NULL : arena_lend(b->arena, b->n_changes, sizeof(*order));

    for (size_t i = 0; order != NULL && i < b->n_changes; i++) {
        struct fold_change *c = fold_change_at(b, i);
        c->node = fold_node_at(b, c->node)->frame;
        order[i] = (uint32_t)i;
        if (arena_stopped_at(b->arena, i))
            return NULL;
    }
    return order != NULL && order_array(order, b->n_changes, is_before, b, b->arena) ? order : NULL;
}

static bool put_changes(struct builder *b, struct profile *p)
{
    uint32_t values = b->layout.n_columns, *order = ordered_changes(b);
    size_t n = order == NULL ? 0 : join_changes(b, order);
    uint32_t *first = arena_array(b->arena, (size_t)p->n_nodes + 1, sizeof(*first));
    uint32_t *moment = arena_array(b->arena, n, sizeof(*moment));
    int64_t *change = arena_array(b->arena, n * values, sizeof(*change));

    if (order == NULL || first == NULL || moment == NULL || change == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct fold_change *c = fold_change_at(b, order[i]);
        if (arena_stopped_at(b->arena, i))
            return false;
        first[c->node + 1]++;
        moment[i] = c->moment;
        memcpy(&change[i * values], c->values, values * sizeof(*change));
    }
    for (uint32_t i = 0; i < p->n_nodes; i++)
        first[i + 1] += first[i];
    arena_release(b->arena, order, b->n_changes, sizeof(*order));
    arena_release(b->arena, b->changes, b->changes_capacity, b->change_stride);
    b->changes = NULL;
    p->series = (struct profile_series){first, moment, change};
    return true;
}

bool finish_series(struct builder *b, struct profile *p)
{
    return b->n_moments == 0 || (put_moments(b, p) && put_changes(b, p));
}
