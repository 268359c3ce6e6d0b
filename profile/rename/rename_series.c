#include "profile/rename/rename.h"

#include <string.h>

#include "core/number.h"

/* The changes of the new profile, while they are put in their places. */
struct placing {
    const struct profile *from;
    const node_id *became;
    uint32_t *first;  /* by new node: where its changes begin; one more at the end */
    uint32_t *next;   /* by new node: where its next change stands */
    uint32_t *moment; /* by place, as in struct profile_series */
    int64_t *change;
};

/* Adds a change to its node. They come by moment, so that one of the same moment is the last one there. */
static void place(struct placing *p, node_id from, uint32_t change)
{
    node_id to = p->became[from];
    uint32_t n_values = p->from->n_values, moment = p->from->series.moment[change];
    bool known = p->next[to] > p->first[to] && p->moment[p->next[to] - 1] == moment;
    uint32_t at = known ? p->next[to] - 1 : p->next[to]++;

    p->moment[at] = moment;
    for (uint32_t v = 0; v < n_values; v++) {
        int64_t *sum = &p->change[(size_t)at * n_values + v];
        *sum = number_add_signed(*sum, p->from->series.change[(size_t)change * n_values + v]);
    }
}

/* Sorts the changes by moment: order[] gets them as indexes, owner[] has the node of each. `starts` has room for all moments. */
static void sort_by_moment(const struct profile *p, uint32_t *order, node_id *owner, uint32_t *starts)
{
    const struct profile_series *s = &p->series;

    for (node_id i = 0; i < p->n_nodes; i++)
        for (uint32_t c = s->first[i]; c < s->first[i + 1]; c++) {
            owner[c] = i;
            starts[s->moment[c] + 1]++;
        }
    for (uint32_t m = 0; m < p->n_moments; m++)
        starts[m + 1] += starts[m];
    for (uint32_t c = 0; c < s->first[p->n_nodes]; c++)
        order[starts[s->moment[c]]++] = c;
}

/* Room for all changes of each new node, though some may become one. */
static void find_room(struct placing *p, uint32_t n_to)
{
    const struct profile_series *s = &p->from->series;

    for (node_id i = 0; i < p->from->n_nodes; i++)
        p->first[p->became[i] + 1] += s->first[i + 1] - s->first[i];
    for (uint32_t i = 0; i < n_to; i++)
        p->first[i + 1] += p->first[i];
    memcpy(p->next, p->first, n_to * sizeof(*p->next));
}

/* Closes the gaps. */
static void pack(struct placing *p, uint32_t n_to)
{
    uint32_t n = 0, n_values = p->from->n_values;

    for (uint32_t i = 0; i < n_to; i++) {
        uint32_t from = p->first[i], count = p->next[i] - from;
        memmove(&p->moment[n], &p->moment[from], count * sizeof(*p->moment));
        memmove(&p->change[(size_t)n * n_values], &p->change[(size_t)from * n_values],
                (size_t)count * n_values * sizeof(*p->change));
        p->first[i] = n;
        n += count;
    }
    p->first[n_to] = n;
}

static bool place_all(struct placing *p, uint32_t n_to, struct arena *a)
{
    const struct profile *from = p->from;
    uint32_t n = from->series.first[from->n_nodes];
    uint32_t *order = arena_array(a, n, sizeof(*order)),
             *starts = arena_array(a, (size_t)from->n_moments + 1, sizeof(*starts));
    node_id *owner = arena_array(a, n, sizeof(*owner));

    p->first = arena_array(a, (size_t)n_to + 1, sizeof(*p->first));
    p->next = arena_array(a, n_to, sizeof(*p->next));
    p->moment = arena_array(a, n, sizeof(*p->moment));
    p->change = arena_array(a, (size_t)n * from->n_values, sizeof(*p->change));
    if (order == NULL || starts == NULL || owner == NULL || p->first == NULL || p->next == NULL ||
        p->moment == NULL || p->change == NULL)
        return false;
    sort_by_moment(from, order, owner, starts);
    find_room(p, n_to);
    for (uint32_t i = 0; i < n; i++)
        place(p, owner[order[i]], order[i]);
    pack(p, n_to);
    return true;
}

const struct profile *rename_series(const struct profile *from, const node_id *became,
                                    const struct profile *to, struct arena *arena)
{
    struct placing p = {.from = from, .became = became};
    struct profile *made = arena_alloc(arena, sizeof(*made));
    struct profile_track *tracks = arena_array(arena, to->n_tracks, sizeof(*tracks));

    if (made == NULL || tracks == NULL || !place_all(&p, to->n_nodes, arena))
        return NULL;
    *made = *to;
    for (uint32_t i = 0; i < to->n_tracks; i++) {
        tracks[i] = to->tracks[i];
        tracks[i].first_moment = from->tracks[i].first_moment;
        tracks[i].n_moments = from->tracks[i].n_moments;
    }
    made->tracks = tracks;
    made->moments = from->moments;
    made->n_moments = from->n_moments;
    made->series = (struct profile_series){p.first, p.moment, p.change};
    return made;
}
