/* What each thread was in, from when to when: calls as they begin and as they end, in the order of time
 * within each thread, for tools that nest what lies within each other. Made by replaying the profile's
 * log:
 *
 *     sink = call_slices_new(&arena, &request, seed);
 *     replay(.. in_order, of the same tracks and window, with call_slices_replay(sink) ..);
 *
 * Slices nest: what began last ends first. The time in slices is that of the tree: a frame's time less
 * that of the slices within is its self, under filters and in windows too. So a call whose stack some
 * filter drops or cuts for a while is several slices, and one that an edge of the window cuts is as long
 * as what lies within; without either, a call is one slice. Calls that are never left end where the tree
 * says.
 *
 * Threads take turns as in the file. Only what is open is in memory. */
#pragma once

#include "core/arena.h"
#include "profile/calls/replay.h"
#include "profile/filter/filter.h"

struct call_slice {
    uint32_t track; /* index of profile->tracks */
    frame_id frame;
    bool ends;                 /* else it begins */
    uint64_t at_ns, cpu_at_ns; /* first clock; and the CPU clock, if there is one */
};

struct call_slices_request {
    const struct profile *profile; /* that is replayed; outlives the sink */
    uint32_t n_tracks;             /* that are replayed */
    bool open_to_end; /* calls that are never left last up to the trace's last record, on the wall clock */
    const struct window *window;        /* NULL: all */
    const struct filter_stacks *filter; /* of the profile; NULL: none */
    /* Is told of each beginning and end. False ends the replay. */
    bool (*slice)(void *context, const struct call_slice *slice);
    void *context;
};

struct call_slices;

/* Lives in the arena; NULL when it gives no more. */
struct call_slices *call_slices_new(struct arena *arena, const struct call_slices_request *request,
                                    struct hash_seed seed) MUST_CHECK;
struct replay_sink call_slices_replay(struct call_slices *s);
