/* Libraries without unwind information: a stack cannot be followed beyond their first function, which is the outermost one then
 * (Perfetto's manual of native heap profiles, "Only one frame shown"). A library that begins
 * threads is the outermost one as well, but with few functions, and has others on other stacks. */
#include "parser/perfetto/perfetto_impl.h"

enum { DIFFERENT_LEAST = 3, NAMED_MAX = 5 };

/* Of one mapping. */
struct ends {
    uint32_t outermost; /* different functions that are */
    bool deeper;        /* it has other frames as well */
};

static struct str text_of(const struct perfetto *t, string_id id)
{
    return builder_text_of(t->builder, id);
}

static bool is_error(const struct perfetto *t, uint32_t stack)
{
    return str_starts(text_of(t, t->stacks.frames[t->stacks.stacks[stack].frame].name), STR("ERROR "));
}

static void count(const struct perfetto *t, struct ends *ends)
{
    const struct pf_stacks *s = &t->stacks;

    for (size_t i = 0; i < s->n_stacks; i++) {
        uint32_t up = s->stacks[i].up, mapping = s->frames[s->stacks[i].frame].mapping;
        if (mapping == PERFETTO_NONE)
            continue;
        if (up == PERFETTO_NONE || is_error(t, up))
            ends[mapping].outermost++;
        else
            ends[mapping].deeper = true;
    }
}

bool pf_unwinding(struct perfetto *t)
{
    struct buf names = {0};
    uint32_t n = 0;

    if (t->stacks.n_mappings == 0)
        return true;
    struct ends *ends = arena_array(t->arena, t->stacks.n_mappings, sizeof(*ends));
    if (ends == NULL)
        return pf_failed(t);
    count(t, ends);
    for (size_t i = 0; i < t->stacks.n_mappings; i++) {
        struct str path = text_of(t, t->stacks.mappings[i].path);
        if (ends[i].deeper || ends[i].outermost < DIFFERENT_LEAST || !str_ends(path, STR(".so")))
            continue;
        if (n < NAMED_MAX) {
            buf_z(&names, n > 0 ? ", " : "");
            buf_str(&names, path);
        }
        n++;
    }
    pf_warn(t, WARN_ONE_FRAME, n);
    bool ok = n == 0 || (!names.failed && builder_fact(t->builder, STR("one-frame"), buf_view(&names)));
    buf_free(&names);
    return ok;
}
