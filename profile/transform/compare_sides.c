#include "profile/transform/compare_sides.h"

#include <string.h>

#include "core/buf.h"
#include "core/number.h"
#include "profile/filter/filter.h"

struct sides {
    const struct profile *from;
    struct profile *to;
    uint64_t *self, *total;
    const struct compare_scale *scale;
};

/* The nodes below a node stand behind it: what is rounded is the sum of all nodes so far. */
static void put_side(const struct sides *s, uint32_t base, uint32_t run, uint32_t to)
{
    uint32_t value = compare_value(s->from->compared, base, run);
    uint64_t sum = 0, before = 0;

    for (node_id i = 0; i < s->from->n_nodes; i++) {
        sum = number_add(sum, profile_self(s->from, i, value));
        uint64_t now = compare_scaled(s->scale, base, value, sum);
        s->self[(size_t)i * s->to->n_values + to] = now - before;
        before = now;
    }
}

static void put_larger(const struct sides *s)
{
    for (node_id i = 0; i < s->from->n_nodes; i++) {
        uint64_t *self = s->self + (size_t)i * s->to->n_values;
        self[COMPARE_LARGER] =
            self[COMPARE_SIDE_A] > self[COMPARE_SIDE_B] ? self[COMPARE_SIDE_A] : self[COMPARE_SIDE_B];
    }
}

static void put_totals(const struct sides *s)
{
    uint32_t n = s->to->n_values;

    for (node_id i = s->from->n_nodes; i-- > 0;) {
        node_id up = s->from->node_parent[i];
        for (uint32_t v = 0; v < n; v++) {
            uint64_t *total = &s->total[(size_t)i * n + v];
            *total = number_add(*total, s->self[(size_t)i * n + v]);
            if (up != NODE_NONE)
                s->total[(size_t)up * n + v] = number_add(s->total[(size_t)up * n + v], *total);
        }
    }
}

/* ---- what the values are called ---- */

static bool name_value(struct profile_value *v, const struct profile_value *base, const char *end,
                       const char *words, struct arena *a)
{
    struct buf name = {0}, label = {0};

    buf_str(&name, base->name);
    buf_z(&name, end);
    buf_str(&label, base->label);
    buf_z(&label, words);
    char *copy = name.failed ? NULL : arena_copy(a, name.p, name.n);
    char *said = label.failed ? NULL : arena_copy(a, label.p, label.n);
    if (name.failed || label.failed)
        a->failure = ARENA_NO_MEMORY;
    if (copy != NULL && said != NULL)
        *v = (struct profile_value){{copy, name.n}, {said, label.n}, base->unit, ROLE_OTHER};
    buf_free(&name);
    buf_free(&label);
    return copy != NULL && said != NULL;
}

static bool name_values(struct profile *to, uint32_t base, uint32_t calls, struct arena *a)
{
    static const char *const ENDS[] = {"_a", "_b", "_larger"};
    static const char *const WORDS[] = {" of A", " of B", ", the larger of A and B"};
    const struct profile_compared *c = to->compared;

    to->n_values = calls < c->n_bases ? COMPARE_CALLS_B + 1 : COMPARE_CALLS_A;
    for (uint32_t v = 0; v < to->n_values; v++) {
        uint32_t side = v < COMPARE_CALLS_A ? v : v - COMPARE_CALLS_A;
        if (!name_value(&to->values[v], &c->bases[v < COMPARE_CALLS_A ? base : calls], ENDS[side],
                        WORDS[side], a))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

static const struct profile *sides_of(const struct profile *p, uint32_t base, uint32_t calls,
                                      const struct compare_scale *scale, struct arena *a)
{
    struct profile *to = arena_alloc(a, sizeof(*to));
    struct sides s = {.from = p, .to = to, .scale = scale};
    uint32_t first_b = p->compared->n_a;

    if (to == NULL)
        return NULL;
    *to = *p;
    to->n_minus = 0;
    memset(to->minus, 0, sizeof(to->minus));
    if (!name_values(to, base, calls, a))
        return NULL;
    s.self = arena_array(a, p->n_nodes, to->n_values * sizeof(*s.self));
    s.total = arena_array(a, p->n_nodes, to->n_values * sizeof(*s.total));
    if (s.self == NULL || s.total == NULL)
        return NULL;
    put_side(&s, base, 0, COMPARE_SIDE_A);
    put_side(&s, base, first_b, COMPARE_SIDE_B);
    put_larger(&s);
    if (to->n_values > COMPARE_CALLS_A) {
        put_side(&s, calls, 0, COMPARE_CALLS_A);
        put_side(&s, calls, first_b, COMPARE_CALLS_B);
    }
    put_totals(&s);
    to->node_self = s.self;
    to->node_total = s.total;
    return to;
}

const struct profile *compare_sides(const struct profile *p, uint32_t base, uint32_t calls,
                                    const struct compare_scale *scale, struct arena *a)
{
    const struct profile *made = sides_of(p, base, calls, scale, a);

    if (made == NULL || p->filtered == NULL)
        return made;
    struct profile *whole = arena_alloc(a, sizeof(*whole));
    struct profile_filtered *filtered = arena_alloc(a, sizeof(*filtered));
    const struct profile *before = sides_of(p->filtered->before, base, calls, scale, a);
    if (whole == NULL || filtered == NULL || before == NULL)
        return NULL;
    *filtered = *p->filtered;
    filtered->before = before;
    *whole = *made;
    whole->filtered = filtered;
    return whole;
}
