#include "render/table/methods.h"

#include "core/number.h"
#include "profile/filter/filter.h"
#include "render/table/walk.h"

struct counter {
    struct table *table;
    uint64_t *sums;
    bool *present;
};

static void add_to(uint64_t *sum, uint64_t value)
{
    *sum = number_add(*sum, value);
}

static void count_calls(const struct table *t, uint64_t *calls, const struct walk_node *node)
{
    uint64_t n = profile_self(t->profile, node->node, t->calls_value);

    add_to(&calls[0], n);
    if (!node->outermost && t->row_of_frame != NULL)
        add_to(&calls[1], n);
}

static void count_node(void *context, const struct table *t, const struct walk_node *node,
                       const struct walk_node *parent)
{
    struct counter *c = context;
    uint64_t *sums = node->row != TABLE_NO_ROW ? c->sums + node->row * table_stride(t) : NULL;

    for (uint32_t m = 0; m < t->n_counted; m++) {
        uint64_t self = measure_self(t->profile, &t->measures[m], node->node);
        add_to(sums != NULL ? &sums[t->n_counted + m] : &c->table->top[m], self);
        if (sums != NULL && node->outermost)
            add_to(&sums[m], walk_total(t, node, m));
        if (parent == NULL)
            add_to(&c->table->total[m], walk_total(t, node, m));
    }
    if (sums == NULL)
        return;
    c->present[node->row] = true;
    if (t->has_calls)
        count_calls(t, &sums[2u * t->n_counted], node);
}

static void choose_measures(struct table *t)
{
    struct measure all[MEASURES_MAX];
    uint32_t n = measures_of(t->profile, all);

    t->calls_value = profile_value_by_role(t->profile, ROLE_CALLS);
    t->has_calls = t->calls_value < t->profile->n_values && t->profile->compared == NULL;
    for (uint32_t i = 0; i < n; i++)
        if (all[i].waiting || !t->has_calls || all[i].value != t->calls_value)
            t->measures[t->n_measures++] = all[i];
    t->n_counted = t->n_measures;
    for (uint32_t m = 0; m < t->n_measures; m++) {
        const struct measure *up = &t->measures[m];
        if (up->waiting || t->profile->minus[up->value] == 0)
            continue;
        t->minus[m] = t->n_counted;
        t->measures[t->n_counted] = *up;
        t->measures[t->n_counted++].value = t->profile->minus[up->value];
    }
    t->first_calls = t->n_counted;
}

static bool is_listed(const struct view_options *view, uint32_t id)
{
    for (uint32_t i = 0; i < view->n_track_ids; i++)
        if (view->track_ids[i] == id)
            return true;
    return false;
}

const uint32_t *methods_tracks(const struct profile *p, const struct view_options *view, uint32_t *n,
                               struct arena *arena)
{
    uint32_t *tracks = arena_array(arena, p->n_tracks, sizeof(*tracks));

    *n = 0;
    for (uint32_t i = 0; tracks != NULL && i < p->n_tracks; i++)
        if (view->tracks != TRACKS_LISTED || is_listed(view, p->tracks[i].id))
            tracks[(*n)++] = i;
    return tracks;
}

static bool make_rows(struct table *t, struct arena *arena)
{
    struct groups g;

    if (t->group == GROUP_THREAD) {
        t->n = t->n_tracks;
        return true;
    }
    if (!groups_new(&g, t->profile, t->names, t->group, arena))
        return false;
    t->n = g.n;
    t->row_of_frame = g.of_frame;
    t->frame = g.frame;
    return true;
}

/* ---- what filters took out ---- */

static uint64_t total_of(const struct profile *p, const struct profile_track *track, const struct measure *m)
{
    uint64_t sum = 0;

    if (!m->waiting)
        return profile_total(p, track->first, m->value);
    for (uint32_t i = 0; i < track->count; i++)
        add_to(&sum, measure_self(p, m, track->first + i));
    return sum;
}

/* Of one measure before the filters; what goes down, too. */
static void add_before(struct table *t, const struct profile_track *track, uint32_t m,
                       const struct measure *of)
{
    const struct profile *before = t->profile->filtered->before;

    add_to(&t->before[m], total_of(before, track, of));
    if (t->minus[m] > 0)
        add_to(&t->before[t->minus[m]], profile_minus_total(before, track->first, of->value));
}

/* A filtered profile has the tracks of the one before it, in the same order. */
static void count_before(struct table *t)
{
    const struct profile_filtered *filtered = t->profile->filtered;
    const struct profile *before = filtered->before;
    struct measure all[MEASURES_MAX];
    uint32_t n = measures_of(before, all);

    t->filtered = true;
    t->emptied_by = filter_emptied_by(filtered, t->tracks, t->n_tracks);
    for (uint32_t i = 0; i < t->n_tracks; i++)
        for (uint32_t m = 0; m < t->n_measures; m++)
            for (uint32_t k = 0; k < n; k++)
                if (str_eq(all[k].name, t->measures[m].name))
                    add_before(t, &before->tracks[t->tracks[i]], m, &all[k]);
}

const struct table *methods_new(const struct profile *p, const struct names *names,
                                const struct view_options *view, enum table_group group, struct arena *arena)
{
    struct table *t = arena_alloc(arena, sizeof(*t));
    struct counter c = {.table = t};

    if (t == NULL)
        return NULL;
    *t = (struct table){.profile = p, .names = names, .group = group};
    choose_measures(t);
    t->tracks = methods_tracks(p, view, &t->n_tracks, arena);
    if (t->tracks == NULL || !make_rows(t, arena))
        return NULL;
    t->emptied_by = UINT32_MAX;
    if (p->filtered != NULL && t->n_tracks > 0)
        count_before(t);
    t->sums = c.sums = arena_array(arena, t->n, table_stride(t) * sizeof(*c.sums));
    t->present = c.present = arena_array(arena, t->n, sizeof(*c.present));
    return c.sums != NULL && c.present != NULL && walk_nodes(t, count_node, &c, arena) ? t : NULL;
}
