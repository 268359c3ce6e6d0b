/* Who woke whom (sched_waking): told of threads that have tracks, behind the states, which know who each record is of. */
#include "core/order.h"
#include "parser/systrace/systrace_impl.h"

/* The id of the thread's own track; 0: it has none. */
static uint32_t track_id(const struct systrace *s, uint32_t thread)
{
    uint32_t own = s->threads[thread].own;

    return own != SY_NONE && s->tracks[own].track != SY_NONE ? s->tracks[own].id : 0;
}

static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
    const struct profile_wake *wakes = context;

    return wakes[a].track != wakes[b].track ? wakes[a].track < wakes[b].track
                                            : wakes[a].time_ns < wakes[b].time_ns;
}

/* In the order of time. Returns how many there are. */
static uint32_t put_wakes(const struct systrace *s, struct profile_wake *wakes)
{
    uint32_t n = 0;

    for (size_t i = 0; n < s->n_wakings && i < s->n_records; i++) {
        const struct sy_record *r = &s->records[i];
        if (r->kind != SY_WAKING || track_id(s, r->thread) == 0)
            continue;
        const struct sy_thread *waker = &s->threads[r->a];
        wakes[n++] =
            (struct profile_wake){.time_ns = r->time - s->begin,
                                  .track = track_id(s, r->thread),
                                  .waker = waker->tid == 0 ? PROFILE_WAKE_INTERRUPT : track_id(s, r->a)};
    }
    return n;
}

bool sy_tell_wakes(struct systrace *s)
{
    uint32_t n = s->n_wakings <= PROFILE_WAKES_MAX ? (uint32_t)s->n_wakings : 0;
    struct profile_wake *wakes = arena_array(s->arena, (size_t)n + 1, sizeof(*wakes)),
                        *sorted = arena_array(s->arena, (size_t)n + 1, sizeof(*sorted));
    uint32_t *order = arena_array(s->arena, (size_t)n + 1, sizeof(*order));
    if (wakes == NULL || sorted == NULL || order == NULL)
        return false;
    n = n > 0 ? put_wakes(s, wakes) : 0;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (!order_array(order, n, comes_before, wakes, s->arena))
        return false;
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = wakes[order[i]];
    builder_wakes(s->builder, sorted, n);
    return true;
}
