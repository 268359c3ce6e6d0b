#include "render/method/method_report.h"

#include "core/number.h"
#include "profile/frame/frame_text.h"
#include "render/table/walk.h"

struct collector {
    uint32_t row;
    const struct table *table;
    struct method_thread *threads;
    uint32_t at; /* of table.tracks: nodes come track after track */
};

static void collect(void *context, const struct table *t, const struct walk_node *node,
                    const struct walk_node *parent)
{
    struct collector *c = context;
    struct method_thread *thread = &c->threads[c->at];

    if (node->row == c->row && t->has_calls)
        thread->calls = number_add(thread->calls, profile_self(t->profile, node->node, t->calls_value));
    for (uint32_t m = 0; node->row == c->row && node->outermost && m < t->n_counted; m++)
        thread->inclusive[m] = number_add(thread->inclusive[m], walk_total(t, node, m));
    if (parent == NULL)
        c->at++;
}

/* Rows are numbered by their names, so that overloads stand together. */
static bool find_overloads(struct method_report *r, struct arena *arena)
{
    const struct table *t = r->table;
    struct str name = table_name(t, r->row);
    uint32_t first = r->row, end = r->row + 1;

    while (first > 0 && str_eq(table_name(t, first - 1), name))
        first--;
    while (end < t->n && str_eq(table_name(t, end), name))
        end++;
    uint32_t *rows = arena_array(arena, end - first, sizeof(*rows));
    for (uint32_t row = first; rows != NULL && row < end; row++)
        if (row != r->row && t->present[row])
            rows[r->n_overloads++] = row;
    r->overloads = rows;
    return rows != NULL;
}

bool method_report_new(struct method_report *r, const struct table *t, uint32_t row, struct arena *arena)
{
    struct collector c = {.row = row, .table = t};

    *r = (struct method_report){.table = t, .row = row, .sums = table_sums(t, row)};
    c.threads = arena_array(arena, t->n_tracks, sizeof(*c.threads));
    r->threads = c.threads;
    return c.threads != NULL && detail_new(&r->detail, t, row, arena) && walk_nodes(t, collect, &c, arena) &&
           find_overloads(r, arena);
}

struct str method_note(const struct method_report *r)
{
    const struct table *t = r->table;

    if (!t->present[r->row])
        return STR(
            "This method did not run in the chosen range, or filters and the choice of threads leave it out. "
            "Leave the range out to see all of its calls.");
    return frame_note(t->profile, &t->profile->frames[t->frame[r->row]]);
}

struct detail_edges method_edges_asked(const struct detail_edges *all, uint32_t offset, uint32_t limit)
{
    uint32_t first = offset < all->n ? offset : all->n, left = all->n - first;

    if (all->n == 0)
        return *all;
    return (struct detail_edges){all->edges + first, limit < left ? limit : left};
}
