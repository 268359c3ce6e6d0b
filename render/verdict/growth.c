#include "render/verdict/growth.h"

#include "core/number.h"

static void take_top(const int64_t *numbers, uint32_t n, struct growth_top *top)
{
    top->n = analysis_top(numbers, n, top->index, GROWTH_TOP);
    for (uint32_t i = 0; i < top->n; i++)
        top->bytes[i] = (uint64_t)numbers[top->index[i]];
}

bool growth_find(const struct render_input *in, uint32_t since, struct growth *g)
{
    const struct analysis *a = analysis_new(in);

    *g = (struct growth){0};
    if (a == NULL)
        return false;
    if (!a->is_memory)
        return true;
    g->since = since;
    for (node_id i = 0; i < a->p->n_nodes; i++) {
        g->came = number_add(g->came, profile_self(a->p, i, a->value));
        g->went = number_add(g->went, profile_minus_self(a->p, i, a->value));
    }
    take_top(a->self_all, a->p->n_frames, &g->methods);
    take_top(a->module_all, a->p->n_strings, &g->libraries);
    return true;
}

/* ": by library a.so 2 MiB, b.so 1 MiB". False: none is known. */
static bool say_libraries(struct finding *f, const struct analysis *a, const struct growth_top *top)
{
    uint32_t said = 0;

    for (uint32_t i = 0; i < top->n; i++) {
        struct str path = profile_string(a->p, top->index[i]);
        if (path.n == 0)
            continue;
        say(f, said++ == 0 ? ": by library " : ", ");
        buf_str(f->text, str_behind_last(path, '/'));
        say(f, " ");
        say_number(f, a, top->bytes[i]);
    }
    return said > 0;
}

static bool say_growth(struct finding *f, const struct analysis *a, unsigned kind)
{
    const struct growth *g = a->growths == NULL ? NULL : &a->growths[kind];

    if (g == NULL || g->since == 0 || g->came == 0)
        return false;
    say(f, "Since dump ");
    buf_u64(f->text, g->since);
    say(f, kind == GROWTH_SINCE_FIRST ? ", the first one, " : ", the one before, ");
    buf_label(f->text, a->p->values[a->value].label);
    say(f, g->came < g->went ? " shrank by " : " grew by ");
    say_number(f, a, g->came > g->went ? g->came - g->went : g->went - g->came);
    if (g->went > 0) {
        say(f, " (");
        say_number(f, a, g->came);
        say(f, " came, ");
        say_number(f, a, g->went);
        say(f, " went)");
    }
    bool libraries = say_libraries(f, a, &g->libraries);
    for (uint32_t i = 0; i < g->methods.n; i++) {
        say(f, i > 0 ? ", " : libraries ? "; asked for by " : ": asked for by ");
        say_method(f, a, g->methods.index[i]);
        say(f, " ");
        say_number(f, a, g->methods.bytes[i]);
    }
    say(f, ".");
    f->sentence->weight = kind == GROWTH_SINCE_FIRST ? WEIGHT_OWN : WEIGHT_OWN - 1;
    return true;
}

bool growth_since_first(const struct rule *r, const struct analysis *a, struct finding *f)
{
    (void)r;
    return say_growth(f, a, GROWTH_SINCE_FIRST);
}

bool growth_since_before(const struct rule *r, const struct analysis *a, struct finding *f)
{
    (void)r;
    return say_growth(f, a, GROWTH_SINCE_BEFORE);
}
