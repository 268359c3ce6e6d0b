/* What pprof's sample types mean: their names, units, and words for people. */
#include <string.h>

#include "parser/pprof/pprof.h"
#include "parser/value_name.h"

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000, KIB = 1024 };

/* The words that programs write for units. Another one counts. */
static const struct {
    struct str word;
    enum unit unit;
    int64_t factor;
} UNITS[] = {
    {STR_INIT("nanoseconds"), UNIT_NS, 1},
    {STR_INIT("nanosecond"), UNIT_NS, 1},
    {STR_INIT("ns"), UNIT_NS, 1},
    {STR_INIT("microseconds"), UNIT_NS, NS_PER_US},
    {STR_INIT("us"), UNIT_NS, NS_PER_US},
    {STR_INIT("milliseconds"), UNIT_NS, NS_PER_MS},
    {STR_INIT("ms"), UNIT_NS, NS_PER_MS},
    {STR_INIT("seconds"), UNIT_NS, NS_PER_S},
    {STR_INIT("s"), UNIT_NS, NS_PER_S},
    {STR_INIT("bytes"), UNIT_BYTES, 1},
    {STR_INIT("byte"), UNIT_BYTES, 1},
    {STR_INIT("b"), UNIT_BYTES, 1},
    {STR_INIT("kilobytes"), UNIT_BYTES, KIB},
    {STR_INIT("kb"), UNIT_BYTES, KIB},
    {STR_INIT("megabytes"), UNIT_BYTES, KIB *KIB},
    {STR_INIT("mb"), UNIT_BYTES, KIB *KIB},
};

/* What types that many programs write are called for people; of others their own name. */
static const struct {
    struct str type;
    const char *label;
    enum profile_role role;
} MEANINGS[] = {
    {STR_INIT("samples"), "samples", ROLE_SAMPLES},
    {STR_INIT("sample"), "samples", ROLE_SAMPLES},
    {STR_INIT("cpu"), "CPU time", ROLE_CPU},
    {STR_INIT("wall"), "wall time", ROLE_OTHER},
    {STR_INIT("alloc_space"), "memory allocated", ROLE_ALLOCATED},
    {STR_INIT("alloc_objects"), "objects allocated", ROLE_OBJECTS},
    {STR_INIT("inuse_space"), "memory in use", ROLE_UNRELEASED},
    {STR_INIT("inuse_objects"), "objects in use", ROLE_OBJECTS},
    {STR_INIT("contentions"), "contentions of locks", ROLE_OTHER},
    {STR_INIT("delay"), "time waited for locks", ROLE_OTHER},
};

static const size_t N_UNITS = sizeof(UNITS) / sizeof(*UNITS),
                    N_MEANINGS = sizeof(MEANINGS) / sizeof(*MEANINGS);

/* N_UNITS: none of them. */
static size_t unit_of(struct str word)
{
    for (size_t i = 0; i < N_UNITS; i++)
        if (str_eq_nocase(word, UNITS[i].word))
            return i;
    return N_UNITS;
}

/* ---- their order ---- */

static uint32_t types_of(const struct pprof *p)
{
    return p->n_types < PPROF_TYPES_MAX ? p->n_types : PPROF_TYPES_MAX;
}

/* What is shown first: what the file says, or else its last type, as pprof does; another one if that is empty. */
static uint32_t first_type(struct pprof *p)
{
    /* pprof_declare refuses a profile without types, so n is at least 1. */
    uint32_t n = types_of(p), first = n - 1;
    struct str named = p->default_type == 0 ? STR("") : pprof_string(p, p->default_type);

    for (uint32_t i = 0; named.n > 0 && i < n; i++)
        if (str_eq(pprof_string(p, p->types[i].type), named)) {
            first = i;
            break;
        }
    for (uint32_t i = n; i-- > 0 && !p->filled[first];)
        if (p->filled[i])
            return i;
    return first;
}

static void set_order(struct pprof *p)
{
    uint32_t n = types_of(p), first = first_type(p), at = 1;

    p->order[0] = first;
    for (uint32_t i = 0; i < n; i++)
        if (i != first)
            p->order[at++] = i;
}

/* ---- their meaning ---- */

static bool set_value(struct pprof *p, struct profile_value *values, uint32_t i)
{
    struct pprof_type type = p->types[p->order[i]];
    struct str name = pprof_string(p, type.type);
    size_t unit = unit_of(pprof_string(p, type.unit));
    string_id label = pprof_name(p, name.n > 0 ? name : STR("value"));

    if (label == STRING_NONE)
        return false;
    p->factors[p->order[i]] = unit < N_UNITS ? UNITS[unit].factor : 1;
    values[i].unit = unit < N_UNITS ? UNITS[unit].unit : UNIT_COUNT;
    values[i].role = ROLE_OTHER;
    values[i].label = builder_text_of(p->builder, label);
    for (size_t k = 0; k < N_MEANINGS; k++)
        if (str_eq_nocase(name, MEANINGS[k].type)) {
            values[i].label = str_of(MEANINGS[k].label);
            values[i].role = MEANINGS[k].role;
        }
    if (values[i].role == ROLE_CPU && values[i].unit != UNIT_NS)
        values[i].role = ROLE_OTHER;
    return value_name_set(p->arena, values, i, name);
}

bool pprof_declare(struct pprof *p)
{
    struct profile_value values[PPROF_TYPES_MAX] = {{.unit = UNIT_COUNT}};
    uint32_t n = types_of(p);

    if (n == 0)
        return diag_set(p->diag, DIAG_UNUSABLE, "no sample types",
                        "Write the profile again: the file is not whole.",
                        "The file is a pprof profile, but says nothing of what its samples count.");
    set_order(p);
    for (uint32_t i = 0; i < n; i++)
        if (!set_value(p, values, i))
            return builder_failed(p->builder, p->diag);
    if (p->n_types > PPROF_TYPES_MAX)
        builder_warn(p->builder, WARN_VALUES_LEFT_OUT, p->n_types - PPROF_TYPES_MAX, WARNING_NO_OFFSET);
    if (!builder_values(p->builder, NULL, 0, values, n))
        return builder_failed(p->builder, p->diag);
    if (p->negative)
        builder_signed(p->builder);
    return true;
}
