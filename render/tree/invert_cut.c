/* Members that share k frames stand together, as a run, and runs nest. Going up from a member through the runs around
 * it, the first one that weighs enough is the deepest node of it that has children. */
#include "render/tree/invert_cut.h"

#include "core/number.h"

struct run {
    uint32_t shared; /* frames */
    uint32_t first;  /* member */
    uint64_t weight;
};

struct cutter {
    const struct invert_members *members;
    uint64_t least;
    struct run *runs; /* open ones, each within the one before */
    uint32_t n_runs;
    uint32_t *open; /* members that no run was enough for yet, ascending */
    uint32_t n_open;
};

/* The frames of the run have children. */
static void settle(struct cutter *c, uint32_t first, uint32_t frames)
{
    while (c->n_open > 0 && c->open[c->n_open - 1] >= first)
        c->members->deep[c->open[--c->n_open]] = frames;
}

static void close_run(struct cutter *c, uint32_t shared)
{
    struct run closed = c->runs[--c->n_runs];
    struct run *around = &c->runs[c->n_runs - 1];

    if (closed.weight >= c->least)
        settle(c, closed.first, closed.shared);
    if (around->shared < shared)
        c->runs[c->n_runs++] = (struct run){shared, closed.first, closed.weight};
    else
        around->weight = number_add(around->weight, closed.weight);
}

/* deep[i] = frames of the member's stack that have children. */
static void find_parents(struct cutter *c)
{
    const struct invert_members *m = c->members;

    c->runs[0] = (struct run){m->common, 0, 0};
    c->n_runs = 1;
    for (uint32_t i = 0; i <= m->n; i++) {
        uint32_t shared = i < m->n ? m->shared[i] : m->common;
        while (c->runs[c->n_runs - 1].shared > shared)
            close_run(c, shared);
        if (i == m->n)
            break;
        struct run *around = &c->runs[c->n_runs - 1];
        if (around->shared < m->length[i])
            c->runs[c->n_runs++] = (struct run){m->length[i], i, m->weight[i]};
        else
            around->weight = number_add(around->weight, m->weight[i]);
        c->open[c->n_open++] = i;
    }
    settle(c, 0, m->common);
}

static uint32_t parents(const struct invert_members *m, uint32_t member, uint32_t levels)
{
    return m->deep[member] - m->common < levels ? m->deep[member] : m->common + levels - 1;
}

static uint64_t count_parents(const struct invert_members *m, uint32_t levels)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t deep = parents(m, i, levels);
        n += deep > m->shared[i] ? deep - m->shared[i] : 0;
    }
    return n;
}

bool invert_cut(const struct invert_members *m, const struct invert_cut *cut, bool *cut_short,
                struct arena *arena)
{
    struct cutter c = {.members = m, .least = cut->least};
    uint32_t levels = cut->levels_max > 0 ? cut->levels_max : UINT32_MAX;
    uint64_t most = cut->nodes_max > 0 ? cut->nodes_max : UINT64_MAX;

    c.runs = arena_lend(arena, (size_t)m->n + 2, sizeof(*c.runs));
    c.open = arena_lend(arena, m->n, sizeof(*c.open));
    bool ok = c.runs != NULL && c.open != NULL;
    if (ok) {
        find_parents(&c);
        while (count_parents(m, levels) > most && c.least <= UINT64_MAX / 2) {
            c.least = c.least > 0 ? c.least * 2 : 1;
            find_parents(&c);
        }
    }
    for (uint32_t i = 0; ok && i < m->n; i++) {
        uint32_t deep = parents(m, i, levels);
        m->deep[i] = deep < m->length[i] ? deep + 1 : deep;
        *cut_short = *cut_short || m->deep[i] < m->length[i];
    }
    arena_release(arena, c.open, m->n, sizeof(*c.open));
    arena_release(arena, c.runs, (size_t)m->n + 2, sizeof(*c.runs));
    return ok;
}
