/* What a thread's time is made of. Lanes, sentences, the value `waiting`, tables and comparisons all ask
 * here, so that they mean the same.
 *
 * At each moment a thread is in one state. Values say how long it was in a state, by their roles: see
 * MEASURED in thread_time.c. What is known depends on which of them a recording has:
 *
 *     wall and CPU time   running is CPU time, the rest of the wall time is waiting
 *     wall time alone     methods that are known to wait are waiting, all else is "in methods", which says
 *                         nothing of a CPU
 *     CPU time alone      running, and nothing is said of waiting
 *     CPU and waiting     samples on and off the CPU: each is what it says
 *
 * Time in no method, the self of a track's root, is unknown whatever the clocks say. */
#pragma once

#include "core/number.h"
#include "profile/profile.h"

enum time_state {
    TIME_RUNNING,    /* on a CPU */
    TIME_WAITING,    /* for something that another thread, process or device does, or for a time */
    TIME_IN_METHODS, /* running or waiting: the recording does not tell them apart */
    TIME_UNKNOWN,    /* in no method */
    TIME_STATES
};

/* Which values of a profile tell states. */
struct time_values {
    uint32_t wall;                  /* n_values: it was not recorded */
    uint32_t measured[TIME_STATES]; /* the value that measures the state; n_values: none does */
    uint32_t n_values;
};

/* A profile without any of them (counts, bytes, time in locks) tells no states: time_known is false. */
struct time_values time_values_of(const struct profile *p);

static inline bool time_known(const struct time_values *v)
{
    return v->wall < v->n_values || v->measured[TIME_RUNNING] < v->n_values ||
           v->measured[TIME_WAITING] < v->n_values;
}

/* Whether it is known how long threads had a CPU. */
static inline bool time_has_cpu(const struct time_values *v)
{
    return v->measured[TIME_RUNNING] < v->n_values;
}

/* Whether it is measured how long threads waited. */
static inline bool time_has_waiting(const struct time_values *v)
{
    return v->measured[TIME_WAITING] < v->n_values || (v->wall < v->n_values && time_has_cpu(v));
}

/* Parts of a piece of time of one thread, all in one unit. `measured`: by state, 0 where nothing measures
 * it. `in_method`: a method was open; `waits`: the innermost one is known to wait (waits.h). The parts add
 * up to the wall time, or to what was measured where that is more, or where there is no wall time. */
void time_split(const struct time_values *v, uint64_t wall, const uint64_t measured[TIME_STATES],
                bool in_method, bool waits, uint64_t parts[TIME_STATES]);

/* The same of a node's self. */
void time_split_self(const struct time_values *v, const struct profile *p, node_id node, bool waits,
                     uint64_t parts[TIME_STATES]);

/* Whether waiting can be derived: wall and CPU time are both recorded, and no value has that name. Their indexes. */
bool profile_waits(const struct profile *p, uint32_t *wall, uint32_t *cpu);

/* What the node itself has waited: wall less CPU time, not below 0; nothing of a root, which is in no method. */
static inline uint64_t profile_waiting(const struct profile *p, node_id node, uint32_t wall, uint32_t cpu)
{
    uint64_t all = profile_self(p, node, wall), running = profile_self(p, node, cpu);

    return all > running && p->node_frame[node] != FRAME_NONE ? all - running : 0;
}
