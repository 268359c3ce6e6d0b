#include "server/http/pulse.h"

#include <stddef.h>

static struct pulse *own_pulse(struct pulses *p)
{
    static _Thread_local struct pulses *of;
    static _Thread_local struct pulse *own;

    if (of != p) {
        unsigned i = atomic_fetch_add(&p->n, 1);
        of = p;
        own = i < PULSE_THREADS_MAX ? &p->threads[i] : NULL;
    }
    return own;
}

static void count(struct pulses *p)
{
    struct pulse *own = own_pulse(p);

    if (own != NULL)
        atomic_fetch_add_explicit(&own->calls, 1, memory_order_relaxed);
}

void pulse_begin(struct pulses *p)
{
    count(p);
}

void pulse_end(struct pulses *p)
{
    count(p);
}

static bool is_stuck(struct pulse *pulse)
{
    unsigned calls = atomic_load_explicit(&pulse->calls, memory_order_relaxed);
    bool same = calls == pulse->seen && calls % 2 == 1;

    pulse->seen = calls;
    pulse->looks = same ? pulse->looks + 1 : 0;
    return pulse->looks >= PULSE_STUCK_LOOKS;
}

bool pulses_look(struct pulses *p)
{
    bool well = true;

    for (size_t i = 0; i < PULSE_THREADS_MAX; i++)
        well = !is_stuck(&p->threads[i]) && well;
    return well;
}
