#include "render/verdict/chain.h"

#include "core/number.h"

/* Nodes that have one frame, none of them below another one. */
struct level {
    node_id *nodes; /* ascending */
    uint32_t n;
    uint64_t took, calls;
};

struct walk {
    const struct analysis *a;
    node_id first, end;  /* of the main thread */
    node_id *behind;     /* [by node from first]: the first one that is not below it */
    uint64_t *sum;       /* [n_frames]: what nodes of it took; all 0 between two steps */
    node_id *open_until; /* [n_frames]: of the latest occurrence that counts; all 0 between two steps */
    struct level now, next;
};

static uint64_t took_of(const struct walk *w, node_id node)
{
    return w->a->took[node - w->first];
}

static bool take_memory(struct walk *w, struct arena *arena)
{
    size_t n = w->end - w->first;

    w->behind = arena_array(arena, n, sizeof(*w->behind));
    w->sum = arena_array(arena, w->a->p->n_frames, sizeof(*w->sum));
    w->open_until = arena_array(arena, w->a->p->n_frames, sizeof(*w->open_until));
    w->now.nodes = arena_array(arena, n, sizeof(node_id));
    w->next.nodes = arena_array(arena, n, sizeof(node_id));
    return arena->failure == ARENA_OK;
}

static void find_ends(struct walk *w)
{
    const struct profile *p = w->a->p;

    for (node_id i = w->first; i < w->end; i++)
        w->behind[i - w->first] = i + 1;
    for (node_id i = w->end; i-- > w->first + 1;) {
        node_id *up = &w->behind[p->node_parent[i] - w->first];
        if (w->behind[i - w->first] > *up)
            *up = w->behind[i - w->first];
    }
}

/* Looks at the callees of the level, or at all that is below: calls `visit` with the outermost node of each
 * frame. */
static void visit_below(struct walk *w, bool deep, void (*visit)(struct walk *w, node_id node))
{
    const struct profile *p = w->a->p;

    for (uint32_t i = 0; i < w->now.n; i++) {
        node_id from = w->now.nodes[i], end = w->behind[from - w->first];
        for (node_id n = from + 1; n < end; n = deep ? n + 1 : w->behind[n - w->first]) {
            frame_id f = p->node_frame[n];
            if (n < w->open_until[f])
                continue;
            w->open_until[f] = w->behind[n - w->first];
            visit(w, n);
        }
        for (node_id n = from + 1; n < end; n = deep ? n + 1 : w->behind[n - w->first])
            w->open_until[p->node_frame[n]] = 0;
    }
}

static void add_node(struct walk *w, node_id n)
{
    uint64_t *sum = &w->sum[w->a->p->node_frame[n]];

    *sum = number_add(*sum, took_of(w, n));
}

static void forget_node(struct walk *w, node_id n)
{
    w->sum[w->a->p->node_frame[n]] = 0;
}

static void keep_node(struct walk *w, node_id n)
{
    const struct analysis *a = w->a;

    if (a->p->node_frame[n] != w->next.nodes[0])
        return;
    w->next.nodes[++w->next.n] = n;
    w->next.took = number_add(w->next.took, took_of(w, n));
    if (a->calls < a->p->n_values)
        w->next.calls = number_add(w->next.calls, profile_self(a->p, n, a->calls));
}

/* The heaviest frame among those; FRAME_NONE: none takes anything. Of equal ones the one that comes first. */
static frame_id heaviest(struct walk *w, bool deep)
{
    const struct profile *p = w->a->p;
    frame_id best = FRAME_NONE;

    visit_below(w, deep, add_node);
    for (uint32_t i = 0; i < w->now.n; i++) {
        node_id from = w->now.nodes[i], end = w->behind[from - w->first];
        for (node_id n = from + 1; n < end; n = deep ? n + 1 : w->behind[n - w->first]) {
            frame_id f = p->node_frame[n];
            if (w->sum[f] > 0 && (best == FRAME_NONE || w->sum[f] > w->sum[best]))
                best = f;
        }
    }
    return best;
}

/* The next level is of the nodes of this frame. */
static void go_down(struct walk *w, bool deep, frame_id frame)
{
    struct level was = w->now;

    /* The first element holds the frame that is looked for, so that a visit needs no context of its own. */
    w->next = (struct level){.nodes = w->next.nodes};
    w->next.nodes[0] = frame;
    visit_below(w, deep, keep_node);
    for (uint32_t i = 0; i < w->next.n; i++)
        w->next.nodes[i] = w->next.nodes[i + 1];
    w->now = w->next;
    w->next = was;
}

/* Goes down to the heaviest frame if it has more than `half`. False: it has not. */
static bool step(struct walk *w, bool deep, uint64_t half, frame_id *frame)
{
    frame_id best = heaviest(w, deep);
    bool enough = best != FRAME_NONE && w->sum[best] > half;

    visit_below(w, deep, forget_node);
    if (!enough)
        return false;
    go_down(w, deep, best);
    *frame = best;
    return true;
}

/* The outermost own method that took most, if it is a tenth of what the thread did. */
static frame_id heaviest_own(const struct analysis *a)
{
    enum { LEAST_PART = 10 };
    frame_id best = FRAME_NONE;

    for (frame_id f = 0; f < a->p->n_frames; f++)
        if (a->entry_main[f] > 0 && (best == FRAME_NONE || a->entry_main[f] > a->entry_main[best]))
            best = f;
    return best != FRAME_NONE && a->entry_main[best] >= a->took_all / LEAST_PART ? best : FRAME_NONE;
}

/* All outermost nodes of the method, below the thread. */
static void begin_at(struct walk *w, frame_id method)
{
    w->now.nodes[0] = w->first;
    w->now.n = 1;
    go_down(w, true, method);
}

static void append(struct chain *c, frame_id frame, const struct level *level)
{
    c->links[c->n++] = (struct chain_link){frame, level->took, level->calls};
}

static uint64_t running_of(const struct walk *w)
{
    const struct analysis *a = w->a;
    uint32_t value = a->clocks.measured[TIME_RUNNING];
    uint64_t sum = 0;

    for (uint32_t i = 0; a->has_cpu && i < w->now.n; i++)
        sum = number_add(sum, profile_total(a->p, w->now.nodes[i], value));
    return sum;
}

static bool is_own(const struct analysis *a, frame_id f)
{
    return names_of(a->names, f)->origin == ORIGIN_APP;
}

static void find_ends_of_code(const struct analysis *a, struct chain *c)
{
    c->last_own = c->below = c->n;
    for (uint32_t i = 0; i < c->n; i++)
        if (is_own(a, c->links[i].frame))
            c->last_own = i;
    if (c->last_own + 1 < c->n)
        c->below = c->last_own + 1;
}

/* The path leads to the method, but others may call it, too. */
static void find_end(struct walk *w, struct chain *c)
{
    uint32_t last = c->n;

    if (c->from_own || last == 0)
        return;
    do
        last--;
    while (last > 0 && w->a->allocates[c->links[last].frame]);
    begin_at(w, c->links[last].frame);
    c->end = (struct chain_link){c->links[last].frame, w->now.took, w->now.calls};
}

/* "(root)" is how JavaScript engines call the bottom of each stack: that most of the time is above it says nothing. */
static bool is_bottom(const struct analysis *a, const struct chain *c)
{
    return c->n == 1 && !c->from_own && str_eq(names_frame(a->names, c->links[0].frame), STR("(root)"));
}

const struct chain *chain_new(const struct analysis *a, struct arena *arena)
{
    enum { DEEP_STEPS = 3 };
    struct chain *c = arena_alloc(arena, sizeof(*c));
    struct walk w = {.a = a};
    unsigned deep = 0;
    frame_id frame;

    if (c == NULL)
        return NULL;
    *c = (struct chain){.n = 0};
    if (a->p->n_tracks == 0 || a->took_all == 0)
        return c;
    w.first = a->p->tracks[a->main].first;
    w.end = w.first + a->p->tracks[a->main].count;
    if (!take_memory(&w, arena))
        return NULL;
    find_ends(&w);
    frame_id own = heaviest_own(a);
    uint64_t half = own != FRAME_NONE ? a->entry_main[own] / 2 : a->took_all / 2;
    if (own != FRAME_NONE) {
        begin_at(&w, own);
        c->from_own = true;
        append(c, own, &w.now);
    } else {
        w.now = (struct level){.nodes = w.now.nodes, .n = 1};
        w.now.nodes[0] = w.first;
    }
    c->running = running_of(&w);
    while (c->n < CHAIN_LINKS_MAX && (step(&w, false, half, &frame) ||
                                      (deep < DEEP_STEPS && ++deep > 0 && step(&w, true, half, &frame)))) {
        if (c->n == 0)
            c->running = running_of(&w);
        append(c, frame, &w.now);
    }
    if (is_bottom(a, c))
        c->n = 0;
    find_ends_of_code(a, c);
    find_end(&w, c);
    return c;
}
