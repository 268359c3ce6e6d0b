#include "render/view/measure.h"

#include "core/clean.h"
#include "render/view/view.h"

uint32_t measures_of(const struct profile *p, struct measure m[MEASURES_MAX])
{
    uint32_t n = 0;

    for (; n < p->n_values; n++) {
        const struct profile_value *v = &p->values[n];
        m[n] = (struct measure){.name = v->name, .label = v->label, .unit = v->unit, .value = n};
    }
    uint32_t wall, cpu;
    if (profile_waits(p, &wall, &cpu))
        m[n++] = (struct measure){STR("waiting"), STR("waiting time"), UNIT_NS, true, wall, cpu};
    return n;
}

struct str measure_key(struct str name)
{
    enum { ROOM = sizeof((struct view_options){0}.value) - 1 };

    name.n = str_find(name, '\0');
    return clean_cut(name, ROOM);
}

bool measure_by_name(const struct profile *p, const char *name, struct measure *m)
{
    struct measure all[MEASURES_MAX];
    uint32_t n = measures_of(p, all);

    for (uint32_t i = 0; i < n; i++)
        if (str_eq(measure_key(all[i].name), str_of(name))) {
            *m = all[i];
            return true;
        }
    return false;
}

bool measure_counts(const struct profile *p, const struct measure *bytes, struct measure *counts)
{
    static const struct str SUFFIX = STR_INIT("-count");
    struct measure all[MEASURES_MAX];
    uint32_t n = measures_of(p, all);

    if (profile_sample_bytes(p) == 0 || bytes->unit != UNIT_BYTES)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (all[i].name.n == bytes->name.n + SUFFIX.n && str_starts(all[i].name, bytes->name) &&
            str_ends(all[i].name, SUFFIX)) {
            *counts = all[i];
            return true;
        }
    return false;
}
