#include "tests/support/tree_model.h"

#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/fake_profile.h"
#include "tests/support/random.h"

static uint32_t add_node(struct model *m, uint32_t parent, frame_id frame)
{
    if (m->n == m->capacity) {
        m->capacity = m->capacity * 2 + 16;
        m->nodes = realloc(m->nodes, m->capacity * sizeof(*m->nodes));
        assert_non_null(m->nodes);
    }
    m->nodes[m->n] = (struct model_node){.parent = parent, .frame = frame};
    if (parent != NODE_NONE) {
        m->nodes[m->n].depth = m->nodes[parent].depth + 1;
        m->nodes[parent].children++;
    }
    return m->n++;
}

static void begin(struct model *m, frame_id root)
{
    *m = (struct model){0};
    add_node(m, NODE_NONE, root);
}

void model_free(struct model *m)
{
    free(m->nodes);
}

uint32_t model_find(const struct model *m, uint32_t parent, frame_id frame)
{
    for (uint32_t i = 1; i < m->n; i++)
        if (m->nodes[i].parent == parent && m->nodes[i].frame == frame)
            return i;
    return NODE_NONE;
}

/* The child of that frame, made if it is not there. */
static uint32_t child(struct model *m, uint32_t parent, frame_id frame)
{
    uint32_t found = model_find(m, parent, frame);

    return found != NODE_NONE ? found : add_node(m, parent, frame);
}

/* One member's way from its own frame to the top, with what it weighs. */
static void add_way(struct model *m, const struct tree *base, uint32_t place, uint32_t first, bool total)
{
    uint32_t node = 0;

    for (uint32_t at = first;; at = base->parent[at]) {
        bool end = base->parent[at] == NODE_NONE;
        for (uint32_t c = 0; c < base->n_columns; c++) {
            uint64_t w = total ? tree_total(base, place, c) : tree_self(base, place, c);
            if (!end)
                m->nodes[node].total[c] += w;
            else
                m->nodes[node].self[c] += w, m->nodes[node].total[c] += w;
        }
        m->nodes[node].calls += tree_calls(base, place);
        if (end)
            return;
        node = child(m, node, tree_frame(base, at));
    }
}

static bool weighs(const struct tree *base, uint32_t place, bool total)
{
    for (uint32_t c = 0; c < base->n_columns; c++)
        if ((total ? tree_total(base, place, c) : tree_self(base, place, c)) > 0)
            return true;
    return tree_calls(base, place) > 0;
}

void model_invert(struct model *m, const struct tree *base)
{
    begin(m, FRAME_NONE);
    for (uint32_t i = 1; i < base->n; i++)
        if (weighs(base, i, false))
            add_way(m, base, i, i, false);
    for (uint32_t c = 0; c < base->n_columns; c++) {
        m->nodes[0].self[c] = tree_self(base, 0, c);
        m->nodes[0].total[c] = tree_total(base, 0, c);
    }
}

static bool is_outermost(const struct tree *base, uint32_t place, frame_id method)
{
    if (tree_frame(base, place) != method)
        return false;
    for (uint32_t at = base->parent[place]; at != NODE_NONE; at = base->parent[at])
        if (tree_frame(base, at) == method)
            return false;
    return true;
}

void model_callers(struct model *m, const struct tree *base, frame_id method)
{
    begin(m, method);
    for (uint32_t i = 1; i < base->n; i++)
        if (is_outermost(base, i, method) && weighs(base, i, true))
            add_way(m, base, i, base->parent[i], true);
}

void model_callees(struct model *m, const struct tree *base, frame_id method)
{
    uint32_t *node = calloc(base->n, sizeof(*node)); /* + 1, by place */

    assert_non_null(node);
    begin(m, method);
    for (uint32_t i = 1; i < base->n; i++) {
        uint32_t up = base->parent[i];
        if (is_outermost(base, i, method))
            node[i] = 1;
        else if (node[up] > 0)
            node[i] = child(m, node[up] - 1, tree_frame(base, i)) + 1;
        else
            continue;
        struct model_node *n = &m->nodes[node[i] - 1];
        for (uint32_t c = 0; c < base->n_columns; c++) {
            n->self[c] += tree_self(base, i, c);
            n->total[c] += tree_total(base, i, c);
        }
        n->calls += tree_calls(base, i);
    }
    for (uint32_t i = 1; i < m->n; i++)
        for (uint32_t at = m->nodes[i].parent; at != NODE_NONE; at = m->nodes[at].parent)
            m->nodes[i].recursive = m->nodes[i].recursive || m->nodes[at].frame == m->nodes[i].frame;
    free(node);
}

static uint32_t rank_of(const struct rendering *r, const struct tree *t, frame_id frame)
{
    if (frame < t->n_frames)
        return names_rank(r->input.names, frame);
    return t->n_frames + names_track_rank(r->input.names, frame - t->n_frames);
}

static void check_siblings(const struct tree *t, const struct rendering *r, const struct tree_spec *spec,
                           uint32_t a, uint32_t b)
{
    uint64_t of_a = tree_total(t, a, spec->order_column), of_b = tree_total(t, b, spec->order_column);
    bool by_rank = rank_of(r, t, tree_frame(t, a)) < rank_of(r, t, tree_frame(t, b));

    assert_true(spec->order == ORDER_NAME || of_a == of_b ? by_rank : of_a > of_b);
}

void model_check(const struct model *m, const struct tree *t, const struct rendering *r,
                 const struct tree_spec *spec, bool cut_short)
{
    uint32_t *node = calloc(t->n, sizeof(*node));

    assert_non_null(node);
    if (!cut_short)
        assert_int_equal(t->n, m->n);
    assert_int_equal(t->parent[0], NODE_NONE);
    assert_int_equal(t->size[0], t->n);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct model_node *n;
        if (i > 0) {
            node[i] = model_find(m, node[t->parent[i]], tree_frame(t, i));
            assert_int_not_equal(node[i], NODE_NONE);
        }
        n = &m->nodes[node[i]];
        assert_int_equal(tree_frame(t, i), n->frame);
        assert_int_equal(t->depth[i], n->depth);
        assert_int_equal(tree_calls(t, i), n->calls);
        assert_int_equal(tree_recursive(t, i), n->recursive);
        bool whole = !cut_short || t->size[i] > 1;
        for (uint32_t c = 0; c < t->n_columns; c++) {
            assert_int_equal(tree_total(t, i, c), n->total[c]);
            assert_true(whole ? tree_self(t, i, c) == n->self[c] : tree_self(t, i, c) <= n->self[c]);
        }
        uint32_t next = i + t->size[i];
        if (i > 0 && next < t->n && t->parent[next] == t->parent[i])
            check_siblings(t, r, spec, i, next);
    }
    free(node);
}

struct fake *model_random_profile(uint64_t seed)
{
    static const char *const FRAMES[] = {"a.B.c", "a.B.d", "f(I)V", "f(J)V", "x", "y", "zz.Z.<init>", "A"};
    struct fake *f = fake_new();
    uint64_t state = seed;
    uint32_t frames = 1 + random_below(&state, 8), tracks = 1 + random_below(&state, 3),
             deepest = 1 + random_below(&state, 12);

    fake_usual_values(f);
    for (uint32_t track = 0; track < tracks; track++) {
        fake_track(f, track + 1, (struct str){&"cab"[track], 1});
        fake_stack(f, "", random_below(&state, 50), random_below(&state, 50), 0);
        for (uint32_t i = random_below(&state, 40); i > 0; i--) {
            char stack[256] = "";
            for (uint32_t depth = 1 + random_below(&state, deepest); depth > 0; depth--) {
                strcat(stack, FRAMES[random_below(&state, frames)]);
                strcat(stack, depth > 1 ? ";" : "");
            }
            bool nothing = random_below(&state, 4) == 0;
            fake_stack(f, stack, nothing ? 0 : random_below(&state, 1000),
                       nothing ? 0 : random_below(&state, 1000), random_below(&state, 3));
        }
    }
    return f;
}
