/* Who woke whom (sched_waking): told of threads that have tracks, behind the states, which know who each record is of. */
#include "core/order.h"
#include "parser/systrace/systrace_impl.h"

/* The id of the thread's own track; 0: it has none. */
static uint32_t track_id(const struct systrace *s, uint32_t thread)
{
    uint32_t own = s->threads[thread].own;

    return own != SY_NONE && s->tracks[own].track != SY_NONE ? s->tracks[own].id : 0;
}

static bool is_told(const struct systrace *s, const struct sy_record *r)
{
    return r->kind == SY_WAKING && track_id(s, r->thread) != 0;
}

static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
    const struct profile_wake *wakes = context;

    return wakes[a].track != wakes[b].track ? wakes[a].track < wakes[b].track
                                            : wakes[a].time_ns < wakes[b].time_ns;
}

/* In the order of time. */
static void put_wakes(const struct systrace *s, struct profile_wake *wakes)
{
    uint32_t n = 0;

    for (size_t i = 0; i < s->n_records; i++) {
        const struct sy_record *r = &s->records[i];
        if (!is_told(s, r))
            continue;
        const struct sy_thread *waker = &s->threads[r->a];
        wakes[n++] =
            (struct profile_wake){.time_ns = r->time - s->begin,
                                  .track = track_id(s, r->thread),
                                  .waker = waker->tid == 0 ? PROFILE_WAKE_INTERRUPT : track_id(s, r->a)};
    }
}

bool sy_tell_wakes(struct systrace *s)
{
    uint32_t n = 0;

    for (size_t i = 0; i < s->n_records && n <= PROFILE_WAKES_MAX; i++)
        n += is_told(s, &s->records[i]);
    n = n <= PROFILE_WAKES_MAX ? n : 0;
    struct profile_wake *wakes = arena_array(s->arena, (size_t)n + 1, sizeof(*wakes)),
                        *sorted = arena_array(s->arena, (size_t)n + 1, sizeof(*sorted));
    uint32_t *order = arena_array(s->arena, (size_t)n + 1, sizeof(*order));
    if (wakes == NULL || sorted == NULL || order == NULL)
        return false;
    if (n > 0)
        put_wakes(s, wakes);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (!order_array(order, n, comes_before, wakes, s->arena))
        return false;
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = wakes[order[i]];
    builder_wakes(s->builder, sorted, n);
    return true;
}
