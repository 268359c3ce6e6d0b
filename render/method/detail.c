#include "render/method/detail.h"

#include "core/number.h"
#include "core/order.h"
#include "render/table/walk.h"

/* A list in the making. */
struct list {
    struct detail_edge *edges;
    size_t capacity;
    uint64_t *values; /* [n * table.n_counted] */
    size_t values_capacity;
    uint32_t n;
    uint32_t *slot; /* by row, TABLE_NO_ROW as the last: position in edges, plus 1 */
};

struct part {
    struct list parents, children;
    uint64_t *self;
};

struct collector {
    uint32_t row;
    struct part outermost, recursive;
    struct arena *arena;
    bool failed; /* no memory: nothing more is collected */
};

/* False: no memory. */
static bool edge_new(struct collector *c, const struct table *t, struct list *l, uint32_t row)
{
    if (!ARENA_ROOM(c->arena, l->edges, l->capacity, l->n + 1u) ||
        !ARENA_ROOM(c->arena, l->values, l->values_capacity, (l->n + (size_t)1) * t->n_counted))
        return false;
    for (uint32_t m = 0; m < t->n_counted; m++)
        l->values[(size_t)l->n * t->n_counted + m] = 0;
    l->edges[l->n++] = (struct detail_edge){.row = row};
    return true;
}

static struct detail_edge *edge_of(struct collector *c, const struct table *t, struct list *l, uint32_t row)
{
    uint32_t *slot = &l->slot[row == TABLE_NO_ROW ? t->n : row];

    if (*slot == 0) {
        if (!edge_new(c, t, l, row)) {
            c->failed = true;
            return NULL;
        }
        *slot = l->n;
    }
    return &l->edges[*slot - 1];
}

static void add_edge(struct collector *c, const struct table *t, struct list *l, uint32_t row,
                     const struct walk_node *callee)
{
    struct detail_edge *edge = c->failed ? NULL : edge_of(c, t, l, row);

    if (edge == NULL)
        return;
    if (t->has_calls)
        edge->calls = number_add(edge->calls, profile_self(t->profile, callee->node, t->calls_value));
    uint64_t *value = &l->values[(size_t)(edge - l->edges) * t->n_counted];
    for (uint32_t m = 0; m < t->n_counted; m++)
        value[m] = number_add(value[m], m < t->first_calls
                                            ? walk_total(t, callee, m)
                                            : measure_self(t->profile, &t->measures[m], callee->node));
}

static void collect(void *context, const struct table *t, const struct walk_node *node,
                    const struct walk_node *parent)
{
    struct collector *c = context;

    if (parent != NULL && parent->row == c->row) {
        struct part *part = parent->outermost ? &c->outermost : &c->recursive;
        add_edge(c, t, &part->children, node->row, node);
    }
    if (node->row != c->row)
        return;
    struct part *part = node->outermost ? &c->outermost : &c->recursive;
    add_edge(c, t, &part->parents, parent != NULL ? parent->row : TABLE_NO_ROW, node);
    for (uint32_t m = 0; m < t->n_counted; m++)
        part->self[m] = number_add(part->self[m], measure_self(t->profile, &t->measures[m], node->node));
}

/* ---- order ---- */

struct by_value {
    const struct table *table;
    const struct detail_edge *edges;
};

static bool before(const void *context, uint32_t a, uint32_t b)
{
    const struct by_value *by = context;
    const struct detail_edge *x = &by->edges[a], *y = &by->edges[b];

    if (by->table->n_measures > 0) {
        uint32_t m = by->table->heaviest;
        struct net of_x = table_net(by->table, x->value, m), of_y = table_net(by->table, y->value, m);
        if (!net_equal(of_x, of_y))
            return net_greater(of_x, of_y);
    }
    return x->row < y->row;
}

static bool finish_list(const struct list *l, const struct table *t, struct detail_edges *out,
                        struct arena *arena)
{
    const struct by_value by = {t, l->edges};

    uint32_t *next = arena_array(arena, l->n, sizeof(*next));
    struct detail_edge *sorted = arena_array(arena, l->n, sizeof(*sorted));

    if (next == NULL || sorted == NULL)
        return false;
    for (uint32_t i = 0; i < l->n; i++) {
        l->edges[i].value = &l->values[(size_t)i * t->n_counted];
        next[i] = i + 1 < l->n ? i + 1 : ORDER_NONE;
    }
    uint32_t at = order_list(l->n > 0 ? 0 : ORDER_NONE, next, before, &by);
    for (; at != ORDER_NONE; at = next[at])
        sorted[out->n++] = l->edges[at];
    out->edges = sorted;
    return true;
}

static bool slots_new(struct part *part, const struct table *t, struct arena *arena)
{
    part->parents.slot = arena_array(arena, t->n + 1u, sizeof(*part->parents.slot));
    part->children.slot = arena_array(arena, t->n + 1u, sizeof(*part->children.slot));
    return part->parents.slot != NULL && part->children.slot != NULL;
}

static bool finish_part(const struct part *part, const struct table *t, struct detail_part *out,
                        struct arena *arena)
{
    return finish_list(&part->parents, t, &out->parents, arena) &&
           finish_list(&part->children, t, &out->children, arena);
}

bool detail_new(struct detail *d, const struct table *t, uint32_t row, struct arena *arena)
{
    struct collector c = {.row = row, .arena = arena};

    *d = (struct detail){0};
    c.outermost.self = d->outermost.self;
    c.recursive.self = d->recursive.self;
    return slots_new(&c.outermost, t, arena) && slots_new(&c.recursive, t, arena) &&
           walk_nodes(t, collect, &c, arena) && !c.failed &&
           finish_part(&c.outermost, t, &d->outermost, arena) &&
           finish_part(&c.recursive, t, &d->recursive, arena);
}
