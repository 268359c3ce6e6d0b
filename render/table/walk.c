#include "render/table/walk.h"

#include "core/number.h"

struct walk {
    const struct table *table;
    walk_leave *leave;
    void *context;
    const struct measure *waiting; /* NULL: the table has no such measure */
    uint32_t *open;                /* by row: how often it is on the stack */
    struct walk_node *stack;
    size_t depth, capacity;
    struct arena *arena;
};

static void leave_top(struct walk *w)
{
    struct walk_node *top = &w->stack[--w->depth], *parent = w->depth > 0 ? top - 1 : NULL;

    w->leave(w->context, w->table, top, parent);
    if (parent != NULL)
        parent->waiting = number_add(parent->waiting, top->waiting);
    if (top->row != TABLE_NO_ROW)
        w->open[top->row]--;
}

static bool enter(struct walk *w, node_id node, uint32_t row)
{
    if (!ARENA_ROOM(w->arena, w->stack, w->capacity, w->depth + 1))
        return false;
    w->stack[w->depth++] = (struct walk_node){
        .node = node,
        .row = row,
        .outermost = row == TABLE_NO_ROW || w->open[row]++ == 0,
        .waiting = w->waiting != NULL ? measure_self(w->table->profile, w->waiting, node) : 0};
    return true;
}

/* `row`: of all nodes where rows are tracks. */
static bool walk_track(struct walk *w, const struct profile_track *track, uint32_t row)
{
    const struct table *t = w->table;
    const struct profile *p = t->profile;

    for (node_id node = track->first; node < track->first + track->count; node++) {
        frame_id frame = p->node_frame[node];
        while (w->depth > 0 && w->stack[w->depth - 1].node != p->node_parent[node])
            leave_top(w);
        if (t->row_of_frame != NULL)
            row = frame == FRAME_NONE ? TABLE_NO_ROW : t->row_of_frame[frame];
        if (!enter(w, node, row))
            return false;
    }
    while (w->depth > 0)
        leave_top(w);
    return true;
}

bool walk_nodes(const struct table *t, walk_leave *leave, void *context, struct arena *arena)
{
    struct walk w = {.table = t, .leave = leave, .context = context, .arena = arena};
    bool ok = true;

    for (uint32_t m = 0; m < t->n_measures; m++)
        if (t->measures[m].waiting)
            w.waiting = &t->measures[m];
    w.open = arena_array(arena, t->n, sizeof(*w.open));
    if (w.open == NULL)
        return false;
    for (uint32_t i = 0; ok && i < t->n_tracks; i++)
        ok = walk_track(&w, &t->profile->tracks[t->tracks[i]], i);
    arena_release(arena, w.stack, w.capacity, sizeof(*w.stack));
    return ok;
}
