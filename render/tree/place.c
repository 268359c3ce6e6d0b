#include "render/tree/place.h"

#include "core/order.h"

bool place_list(const struct place_rows *rows, struct place_lists *l, struct arena *arena)
{
    l->first = arena_array(arena, rows->n, sizeof(*l->first));
    l->next = arena_array(arena, rows->n, sizeof(*l->next));
    if (l->first == NULL || l->next == NULL)
        return false;
    for (uint32_t i = 0; i < rows->n; i++)
        l->first[i] = l->next[i] = ORDER_NONE;
    /* Each row goes to the front of its list. From the last row on, lists come out in the order of rows. */
    for (uint32_t i = rows->n; i-- > 1;) {
        uint32_t *first = &l->first[rows->parent[i] - rows->parent_base];
        l->next[i] = *first;
        *first = i;
    }
    return true;
}

bool place_before_by_rank(const void *context, uint32_t a, uint32_t b)
{
    const struct place_rows *rows = context;

    return rows->rank[a] < rows->rank[b];
}

struct weighed {
    const struct place_rows *rows;
    const struct tree_column *weight;
};

static bool before_by_weight(const void *context, uint32_t a, uint32_t b)
{
    const struct weighed *w = context;
    const struct tree_column *c = w->weight;
    uint64_t of_a = c->total[(size_t)a * c->stride], of_b = c->total[(size_t)b * c->stride];

    return of_a != of_b ? of_a > of_b : w->rows->rank[a] < w->rows->rank[b];
}

static uint32_t ordered(const struct weighed *w, uint32_t first, uint32_t *next)
{
    return w->weight != NULL ? order_list(first, next, before_by_weight, w)
                             : order_list(first, next, place_before_by_rank, w->rows);
}

bool place_all(struct tree *t, const struct place_rows *rows, const struct tree_column *weight,
               struct arena *arena)
{
    const struct weighed w = {rows, weight};
    uint32_t *row = arena_array(arena, rows->n, sizeof(*row));
    uint32_t *parent = arena_array(arena, rows->n, sizeof(*parent));
    uint32_t *depth = arena_array(arena, rows->n, sizeof(*depth));
    uint32_t *size = arena_array(arena, rows->n, sizeof(*size));
    struct place_lists l;

    if (row == NULL || parent == NULL || depth == NULL || size == NULL || !place_list(rows, &l, arena))
        return false;
    parent[0] = NODE_NONE;
    for (uint32_t place = 0;;) {
        uint32_t at = row[place], level = depth[place] + 1, up = place;
        size[place] = 1;
        uint32_t next = l.first[at] = ordered(&w, l.first[at], l.next);
        for (; next == ORDER_NONE && up != NODE_NONE; up = parent[up], level--)
            next = l.next[row[up]];
        if (next == ORDER_NONE)
            break;
        /* A sibling of `up` has its parent; a child has `up` itself: the loop above stopped one step further.
         */
        row[++place] = next;
        parent[place] = up;
        depth[place] = level;
    }
    /* Children stand behind their parents: going backwards, a size is final before it is added. */
    for (uint32_t i = rows->n; i-- > 1;)
        size[parent[i]] += size[i];
    t->n = rows->n;
    t->row = row;
    t->parent = parent;
    t->depth = depth;
    t->size = size;
    return true;
}

bool place_values_new(struct place_values *v, size_t n, uint32_t n_columns, bool has_calls,
                      struct arena *arena)
{
    *v = (struct place_values){.frame = arena_array(arena, n, sizeof(*v->frame)),
                               .flags = arena_array(arena, n, sizeof(*v->flags)),
                               .calls = has_calls ? arena_array(arena, n, sizeof(*v->calls)) : NULL};
    bool ok = v->frame != NULL && v->flags != NULL && (v->calls != NULL || !has_calls);

    for (uint32_t c = 0; ok && c < n_columns; c++) {
        v->self[c] = arena_array(arena, n, sizeof(*v->self[c]));
        v->total[c] = arena_array(arena, n, sizeof(*v->total[c]));
        ok = v->self[c] != NULL && v->total[c] != NULL;
    }
    return ok;
}

bool place_values_tree(struct tree *t, const struct place_values *v, const struct place_rows *rows,
                       const struct tree *base, const struct tree_spec *spec, struct arena *arena)
{
    bool by_weight = spec->order == ORDER_WEIGHT;

    t->frame = v->frame;
    t->flags = v->flags;
    t->n_columns = base->n_columns;
    for (uint32_t c = 0; c < t->n_columns; c++)
        t->columns[c] = (struct tree_column){v->self[c], v->total[c], 1};
    t->calls = v->calls;
    t->calls_stride = 1;
    t->tracks = base->tracks;
    t->n_tracks = base->n_tracks;
    t->n_frames = base->n_frames;
    return place_all(t, rows, by_weight ? &t->columns[spec->order_column] : NULL, arena);
}
