#include "tests/support/mktrace/calls.h"

#include <stdlib.h>

enum { CALLEES = 24 /* of a method, anywhere */, CHILDREN_MAX = 22 };

/* ---- growing ---- */

/* The static call graph is a function: nothing of it is kept. A few methods are called from everywhere. */
static uint32_t callee(const struct calls *t, uint32_t caller, uint32_t slot)
{
    struct chance c = chance_new(t->seed, 3000000000u + (uint64_t)caller * CALLEES + slot);

    if (!chance_percent(&c, 55))
        return (uint32_t)((caller + 1ull + chance_below(&c, 60)) % t->n_methods);
    double x = (double)(chance_draw(&c) >> 11) / (double)(1ull << 53);
    return (uint32_t)(x * x * x * x * t->n_methods);
}

static bool has_child(const struct calls *t, uint32_t node, uint32_t method)
{
    uint32_t child = t->nodes[node].first;

    while (child != 0 && t->nodes[child].method != method)
        child = t->nodes[child].next;
    return child != 0;
}

/* The new node, or 0 if all that were tried are there. */
static uint32_t add_child(struct calls *t, struct chance *c, uint32_t parent)
{
    enum { ATTEMPTS = 12 };
    struct call_node *p = &t->nodes[parent];

    for (int i = 0; i < ATTEMPTS; i++) {
        uint32_t method = callee(t, p->method, chance_below(c, CALLEES)), n = t->n_nodes;
        if (has_child(t, parent, method))
            continue;
        t->nodes[n] =
            (struct call_node){.method = method, .parent = parent, .depth = (uint16_t)(p->depth + 1)};
        *(p->last != 0 ? &t->nodes[p->last].next : &p->first) = n;
        p->last = n;
        p->n_children++;
        t->n_nodes++;
        return n;
    }
    return 0;
}

static bool can_grow(const struct calls *t, uint32_t node)
{
    return node >= t->loop && t->nodes[node].depth < CALLS_DEPTH_MAX &&
           t->nodes[node].n_children < CHILDREN_MAX;
}

/* Where the next chain of calls hangs: at a recent stack as often as at any, and now and then it is another
 * kind of message. */
static uint32_t pick_parent(const struct calls *t, struct chance *c)
{
    enum { RECENT = 300, ATTEMPTS = 100 };
    uint32_t n = t->n_nodes;

    if (chance_below(c, 1000) < 4 && can_grow(t, t->loop))
        return t->loop;
    for (int i = 0; i < ATTEMPTS; i++) {
        uint32_t node =
            chance_percent(c, 50) ? n - 1 - chance_below(c, n < RECENT ? n : RECENT) : chance_below(c, n);
        if (can_grow(t, node))
            return node;
    }
    return t->loop;
}

static void grow_chain(struct calls *t, struct chance *c, uint32_t limit)
{
    uint32_t at = pick_parent(t, c), length = chance_run(c, 700, 40);

    for (uint32_t i = 0; i < length && t->nodes[at].depth < CALLS_DEPTH_MAX; i++) {
        uint32_t siblings = chance_percent(c, 70) ? 1 + chance_below(c, 5) : 1, grown = 0;
        for (; siblings > 0 && t->n_nodes < limit && t->nodes[at].n_children < CHILDREN_MAX; siblings--) {
            uint32_t child = add_child(t, c, at);
            grown = child != 0 ? child : grown;
        }
        if (grown == 0)
            return;
        at = grown;
    }
}

/* Loops are where little is called: a whole message is not handled twice in a row. */
static void set_repeats(struct calls *t, struct chance *c, uint32_t *sizes)
{
    for (uint32_t i = t->n_nodes; i-- > 0;) {
        uint32_t size = ++sizes[i], p = chance_below(c, 100);
        if (i > 0)
            sizes[t->nodes[i].parent] += size;
        t->nodes[i].repeats = 1;
        if (size <= 4 && p >= 96)
            t->nodes[i].repeats = (uint16_t)(p < 99 ? 2 + chance_below(c, 3) : 4 + chance_below(c, 16));
        else if (size > 4 && size < 40 && p >= 99)
            t->nodes[i].repeats = 2;
    }
}

bool calls_grow(struct calls *t, struct chance *c, uint32_t stacks, uint32_t loop_depth)
{
    enum { FRUITLESS_MAX = 1000 };
    uint32_t limit = stacks > loop_depth ? stacks : loop_depth, fruitless = 0;
    uint32_t *sizes = calloc(limit, sizeof(*sizes));

    t->nodes = calloc(limit, sizeof(*t->nodes));
    if (sizes == NULL || t->nodes == NULL) {
        free(sizes);
        return false;
    }
    t->nodes[0] = (struct call_node){.method = callee(t, 0, chance_below(c, CALLEES)), .depth = 1};
    t->n_nodes = 1;
    while (t->n_nodes < loop_depth && add_child(t, c, t->n_nodes - 1) != 0)
        continue;
    t->loop = t->n_nodes - 1;
    while (t->n_nodes < limit && fruitless < FRUITLESS_MAX) {
        uint32_t before = t->n_nodes;
        grow_chain(t, c, limit);
        fruitless = t->n_nodes > before ? 0 : fruitless + 1;
    }
    set_repeats(t, c, sizes);
    free(sizes);
    return true;
}

void calls_free(struct calls *t)
{
    free(t->nodes);
}

/* ---- running ---- */

/* The first of these calls that is made this time: all are at first, later some are passed over. */
static uint32_t next_call(const struct calls *t, struct chance *c, uint32_t child)
{
    enum { ALWAYS_DEPTH = 12 };

    while (child != 0 && t->warm && t->nodes[child].depth >= ALWAYS_DEPTH && chance_percent(c, 8))
        child = t->nodes[child].next;
    return child;
}

/* Any of the node's children; 0 if it has none. */
static uint32_t any_child(const struct calls *t, struct chance *c, uint32_t node)
{
    uint32_t child = t->nodes[node].first;

    for (uint32_t skip = child != 0 ? chance_below(c, t->nodes[node].n_children) : 0; skip > 0; skip--)
        child = t->nodes[child].next;
    return child;
}

/* What the innermost open call calls next; 0: it returns. */
static uint32_t decide(struct calls *t, struct chance *c, struct call_frame *f)
{
    if (f->repeats_left > 0) {
        f->repeats_left--;
        return f->child;
    }
    uint32_t child = next_call(t, c, f->child != 0 ? t->nodes[f->child].next : t->nodes[f->node].first);
    if (child == 0 && f->node == t->loop) {
        t->warm = true;
        child = any_child(t, c, f->node);
    }
    if (child == 0)
        return 0;
    uint32_t repeats = t->nodes[child].repeats;
    f->child = child;
    f->repeats_left = (repeats > 1 && t->warm ? 1 + chance_below(c, 2 * repeats - 1) : repeats) - 1;
    return child;
}

void calls_step(struct calls *t, struct chance *c, struct trace_record *r)
{
    uint32_t node = 0;

    if (t->depth > 0) {
        struct call_frame *top = &t->frames[t->depth - 1];
        node = decide(t, c, top);
        if (node == 0) {
            t->depth--;
            r->method = t->nodes[top->node].method;
            r->action = TRACE_EXIT;
            return;
        }
    }
    t->frames[t->depth++] = (struct call_frame){.node = node};
    r->method = t->nodes[node].method;
    r->action = TRACE_ENTER;
}

bool calls_sample(struct calls *t, struct chance *c, struct call_sample *s, struct trace_record *r)
{
    enum { STEPS = 24 }; /* of calls between two samples, on average */
    bool fresh = false;

    while (s->depth <= s->kept && s->depth == t->depth) {
        for (uint32_t n = 1 + chance_below(c, 2 * STEPS); n > 0; n--)
            calls_step(t, c, r);
        fresh = true;
        for (s->kept = 0;
             s->kept < s->depth && s->kept < t->depth && s->nodes[s->kept] == t->frames[s->kept].node;)
            s->kept++;
    }
    r->action = s->depth > s->kept ? TRACE_EXIT : TRACE_ENTER;
    if (r->action == TRACE_EXIT) {
        r->method = t->nodes[s->nodes[--s->depth]].method;
    } else {
        s->nodes[s->depth] = t->frames[s->depth].node;
        r->method = t->nodes[s->nodes[s->depth]].method;
        s->kept = ++s->depth;
    }
    return fresh;
}
