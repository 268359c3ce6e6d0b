#include "render/tree/sandwich.h"

#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "core/order.h"
#include "render/names/names.h"
#include "render/tree/tree.h"
#include "render/view/view.h"

/* --- the method --- */

struct search {
    struct str wanted;
    struct buf text; /* of a name that must be cleaned */
    bool failed;     /* it had no memory */
    frame_id exact, by_text;
};

/* What follows in `wanted` behind the cleaned text; p is NULL if it does not begin so. */
static struct str behind(struct search *s, struct str wanted, struct str raw, bool is_clean)
{
    if (!is_clean) {
        buf_clear(&s->text);
        clean_text(&s->text, raw);
        s->failed = s->failed || s->text.failed;
        raw = buf_view(&s->text);
    }
    if (!str_starts(wanted, raw))
        return (struct str){NULL, 0};
    return str_from(wanted, raw.n);
}

static frame_id first_by_rank(const struct names *n, frame_id a, frame_id b)
{
    return a != FRAME_NONE && names_rank(n, a) < names_rank(n, b) ? a : b;
}

static bool find_method(const struct render_input *in, frame_id *method, struct diag *diag)
{
    struct search s = {.wanted = str_of(in->view->method), .exact = FRAME_NONE, .by_text = FRAME_NONE};

    for (frame_id i = 0; i < in->profile->n_frames; i++) {
        const struct names_frame *frame = names_of(in->names, i);
        struct str rest = behind(&s, s.wanted, frame->text, frame->plain);
        if (rest.p == NULL)
            continue;
        if (rest.n == 0)
            s.by_text = first_by_rank(in->names, s.by_text, i);
        struct str signature = profile_string(in->profile, in->profile->frames[i].signature);
        struct str end = behind(&s, rest, signature, false);
        if (end.p != NULL && end.n == 0)
            s.exact = first_by_rank(in->names, s.exact, i);
    }
    *method = s.exact != FRAME_NONE ? s.exact : s.by_text;
    bool ok = !s.failed || fail_buf(&s.text, diag);
    buf_free(&s.text);
    return ok;
}

/* A wait that lasts is not what anybody looks for. */
static bool is_busier(const struct names *n, const uint64_t *self, frame_id a, frame_id b)
{
    bool idle_a = names_of(n, a)->origin == ORIGIN_IDLE, idle_b = names_of(n, b)->origin == ORIGIN_IDLE;

    if (idle_a != idle_b)
        return idle_b;
    return self[a] != self[b] ? self[a] > self[b] : names_rank(n, a) < names_rank(n, b);
}

/* False: no memory. */
static bool find_busiest(const struct render_input *in, const struct tree *t, frame_id *method)
{
    const uint64_t *self = tree_selves(t, in->scratch);

    *method = FRAME_NONE;
    if (self == NULL)
        return false;
    for (uint32_t i = 0; i < t->n; i++) {
        frame_id frame = tree_frame(t, i);
        if (frame < t->n_frames && (*method == FRAME_NONE || is_busier(in->names, self, frame, *method)))
            *method = frame;
    }
    return true;
}

bool sandwich_method(const struct render_input *in, const struct tree *base, frame_id *method,
                     struct diag *diag)
{
    if (in->view->method[0] != '\0') {
        if (!find_method(in, method, diag))
            return false;
        return *method != FRAME_NONE ||
               diag_set(diag, DIAG_NOT_FOUND, "no such method",
                        "Name it as its frames show it, package.Class.method, with or without signature.",
                        "The profile has no method of that name.");
    }
    if (!find_busiest(in, base, method))
        return fail_arena(in->scratch, diag);
    return *method != FRAME_NONE ||
           diag_set(diag, DIAG_NOT_FOUND, "no method to show", "Choose another thread, or another view.",
                    "Nothing was called in what is shown.");
}

void sandwich_name(struct buf *b, const struct names *n, const struct profile *p, frame_id method)
{
    const struct names_frame *frame = names_of(n, method);

    clean_text(b, frame->text);
    if (frame->overloaded)
        clean_text(b, profile_string(p, p->frames[method].signature));
}

/* --- callees --- */

/* The subtrees of the outermost instances as rows under one root. */
struct callees {
    const struct tree *base;
    const struct names *names;
    frame_id method;
    uint32_t *place; /* by row: of the base tree; not of row 0, which stands for all instances */
    uint32_t *parent, *rank;
    uint32_t n;
    struct tree *made;
    struct place_values values;
};

/* The outermost instance at `from` or behind it; n if there is none. */
static uint32_t next_instance(const struct callees *c, uint32_t from)
{
    while (from < c->base->n && tree_frame(c->base, from) != c->method)
        from++;
    return from;
}

static bool gather(struct callees *c, struct arena *arena)
{
    const struct tree *t = c->base;
    uint32_t n = 1;

    for (uint32_t i = next_instance(c, 0); i < t->n; i = next_instance(c, i + t->size[i]))
        n += t->size[i] - 1;
    c->place = arena_lend(arena, (size_t)n * 3, sizeof(*c->place));
    if (c->place == NULL)
        return false;
    c->parent = c->place + n;
    c->rank = c->parent + n;
    c->place[0] = c->parent[0] = c->rank[0] = 0;
    c->n = 1;
    for (uint32_t i = next_instance(c, 0); i < t->n; i = next_instance(c, i + t->size[i])) {
        uint32_t shift = c->n - 1; /* of the place i + 1 */
        for (uint32_t j = i + 1; j < i + t->size[i]; j++, c->n++) {
            c->place[c->n] = j;
            c->parent[c->n] = t->parent[j] == i ? 0 : t->parent[j] - i + shift;
            c->rank[c->n] = names_rank(c->names, tree_frame(t, j));
        }
    }
    return true;
}

static void add(struct callees *c, uint32_t group, uint32_t place)
{
    for (uint32_t i = 0; i < c->base->n_columns; i++) {
        c->values.self[i][group] = number_add(c->values.self[i][group], tree_self(c->base, place, i));
        c->values.total[i][group] = number_add(c->values.total[i][group], tree_total(c->base, place, i));
    }
    if (c->values.calls != NULL)
        c->values.calls[group] = number_add(c->values.calls[group], tree_calls(c->base, place));
}

static void add_up(struct callees *c, const struct merge *m)
{
    const struct tree *t = c->base;

    c->values.frame[0] = c->method;
    for (uint32_t i = next_instance(c, 0); i < t->n; i = next_instance(c, i + t->size[i]))
        add(c, 0, i);
    for (uint32_t group = 1; group < m->groups.n; group++) {
        c->values.frame[group] = tree_frame(t, c->place[m->head[group]]);
        for (uint32_t row = m->head[group]; row != ORDER_NONE; row = m->next[row])
            add(c, group, c->place[row]);
    }
}

/* A frame is recursive if it is open further up in this tree. */
static bool mark_recursive(struct callees *c, struct arena *arena)
{
    const struct tree *t = c->made;
    uint32_t *open = arena_lend(arena, t->n_frames, sizeof(*open));

    if (open == NULL)
        return false;
    memset(open, 0, t->n_frames * sizeof(*open));
    for (uint32_t i = 0, at = NODE_NONE; i < t->n; at = i++) {
        for (; at != t->parent[i]; at = t->parent[at])
            open[tree_frame(t, at)]--;
        if (open[tree_frame(t, i)]++ > 0)
            c->values.flags[t->row[i]] = NODE_RECURSIVE;
    }
    arena_release(arena, open, t->n_frames, sizeof(*open));
    return true;
}

static const struct tree *callees_new(const struct render_input *in, const struct tree_spec *spec,
                                      const struct tree *base, frame_id method)
{
    struct arena *arena = in->scratch;
    struct callees c = {.base = base, .names = in->names, .method = method};
    struct merge m;

    c.made = arena_alloc(arena, sizeof(*c.made));
    if (c.made == NULL || !gather(&c, arena))
        return NULL;
    const struct place_rows rows = {c.n, c.parent, 0, c.rank};
    if (!merge_rows(&rows, &m, arena) ||
        !place_values_new(&c.values, m.groups.n, base->n_columns, base->calls != NULL, arena))
        return NULL;
    add_up(&c, &m);
    arena_release(arena, c.place, (size_t)c.n * 3, sizeof(*c.place));
    return place_values_tree(c.made, &c.values, &m.groups, base, spec, arena) && mark_recursive(&c, arena)
               ? c.made
               : NULL;
}

/* Rounded down, as in layout_invert_cut. */
static struct invert_cut share_of(const struct invert_cut *cut, uint64_t part, uint64_t whole)
{
    __extension__ typedef unsigned __int128 u128;
    struct invert_cut share = *cut;

    if (part < whole)
        share.least = (uint64_t)((u128)cut->least * part / whole);
    return share;
}

bool sandwich_new(const struct render_input *in, const struct tree_spec *spec, const struct tree *base,
                  frame_id method, const struct invert_cut *cut, struct sandwich *made, struct diag *diag)
{
    made->method = method;
    made->callees = callees_new(in, spec, base, method);
    if (made->callees == NULL)
        return fail_arena(in->scratch, diag);
    struct invert_cut share = share_of(cut, tree_total(made->callees, 0, 0), tree_total(base, 0, 0));
    made->callers = invert_callers(in, spec, base, method, &share, diag);
    return made->callers != NULL;
}
