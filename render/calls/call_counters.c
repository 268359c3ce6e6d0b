#include "render/calls/call_counters.h"

uint32_t call_counters(const struct call_writer *w)
{
    const struct profile *p = w->profile;
    bool is_cpu = w->by_cpu || (p->n_times > 0 && p->values[0].role == ROLE_CPU);

    return is_cpu ? 0 : p->n_counters;
}

uint32_t call_counter_process(const struct call_writer *w, const struct profile_counter *c)
{
    const struct profile *p = w->profile;

    for (uint32_t i = 0; c->group != STRING_EMPTY && i < p->n_tracks; i++)
        if (p->tracks[i].group == c->group)
            return w->processes[i];
    return 0;
}

void call_each_reading(struct call_writer *w, const struct profile_counter *c,
                       void (*put)(struct call_writer *w, const struct profile_counter *c,
                                   const struct profile_reading *reading, struct buf *out),
                       struct buf *out)
{
    const struct profile_reading *readings = &w->profile->readings[c->first];
    uint32_t i = 0;

    if (w->window != NULL) {
        while (i < c->n && readings[i].time_ns <= w->window->from_ns)
            i++;
        if (i > 0)
            put(w, c, &(struct profile_reading){w->window->from_ns, readings[i - 1].value}, out);
    }
    for (; i < c->n && !out->failed && (w->window == NULL || window_has(w->window, readings[i].time_ns)); i++)
        put(w, c, &readings[i], out);
}
