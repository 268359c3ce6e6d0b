#include "profile/thread_time.h"

#include <string.h>

/* THE TABLE of roles that measure a state. A format that knows more of a thread (runnable, in storage)
 * gives the value a role, and the role a row. */
static const struct {
    enum profile_role role;
    enum time_state state;
} MEASURED[] = {
    {ROLE_CPU, TIME_RUNNING},
    {ROLE_WAITING, TIME_WAITING},
};

struct time_values time_values_of(const struct profile *p)
{
    struct time_values v = {.wall = profile_value_by_role(p, ROLE_WALL), .n_values = p->n_values};

    for (unsigned s = 0; s < TIME_STATES; s++)
        v.measured[s] = p->n_values;
    for (size_t i = 0; i < sizeof(MEASURED) / sizeof(MEASURED[0]); i++)
        v.measured[MEASURED[i].state] = profile_value_by_role(p, MEASURED[i].role);
    for (unsigned s = 0; s < TIME_STATES; s++)
        if (v.measured[s] < p->n_values && p->values[v.measured[s]].unit != UNIT_NS)
            v.measured[s] = p->n_values;
    if (v.wall < p->n_values && p->values[v.wall].unit != UNIT_NS)
        v.wall = p->n_values;
    return v;
}

void time_split(const struct time_values *v, uint64_t wall, const uint64_t measured[TIME_STATES],
                bool in_method, bool waits, uint64_t parts[TIME_STATES])
{
    uint64_t known = 0, all;

    memset(parts, 0, TIME_STATES * sizeof(*parts));
    for (unsigned s = 0; s < TIME_STATES; s++)
        known = number_add(known, measured[s]);
    all = wall > known ? wall : known;
    if (!in_method) {
        parts[TIME_UNKNOWN] = all;
        return;
    }
    memcpy(parts, measured, TIME_STATES * sizeof(*parts));
    if (time_has_cpu(v) || waits)
        parts[TIME_WAITING] = number_add(parts[TIME_WAITING], all - known);
    else
        parts[TIME_IN_METHODS] = number_add(parts[TIME_IN_METHODS], all - known);
}

void time_split_self(const struct time_values *v, const struct profile *p, node_id node, bool waits,
                     uint64_t parts[TIME_STATES])
{
    uint64_t measured[TIME_STATES] = {0};
    uint64_t wall = v->wall < v->n_values ? profile_self(p, node, v->wall) : 0;

    for (unsigned s = 0; s < TIME_STATES; s++)
        if (v->measured[s] < v->n_values)
            measured[s] = profile_self(p, node, v->measured[s]);
    time_split(v, wall, measured, p->node_frame[node] != FRAME_NONE, waits, parts);
}

bool profile_waits(const struct profile *p, uint32_t *wall, uint32_t *cpu)
{
    *wall = profile_value_by_role(p, ROLE_WALL);
    *cpu = profile_value_by_role(p, ROLE_CPU);
    return *wall < p->n_values && *cpu < p->n_values && p->values[*wall].unit == UNIT_NS &&
           p->values[*cpu].unit == UNIT_NS && p->n_minus == 0 &&
           profile_value_by_name(p, STR("waiting")) == p->n_values;
}
