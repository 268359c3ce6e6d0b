/* What all tracks did in a window of time, as far as a picture of some width can show it. For each track
 * and pixel: time in own code, in that of libraries, of the platform and of unknown origin, time spent
 * waiting, and how many calls began; for tracks that are opened also their calls (span.h); for methods that are marked
 * where they are open, how often they are called, and some of their calls one by one; and, if it is asked for, which
 * method each pixel is most of. A profile does not
 * hold that; it is made by replaying its log:
 *
 *     sink = lanes_sink_new(&arena, &request);
 *     replay(.. of the same tracks, rests, looks_at_self where tracks are open, with lanes_sink_replay(sink) ..);
 *     const struct lanes *lanes = lanes_sink_finish(sink);
 *
 * The picture has one clock, the profile's first. Pixel i is the time [lanes_edge(i), lanes_edge(i + 1));
 * these are whole ns, so that in a window shorter than its pixels some of them are empty. The pixels of a
 * track add up to its times in the window.
 *
 * Time is credited as the fold credits it: to the frame on top. What of it is waiting is told by
 * profile/thread_time.h. Where wall and CPU time are both recorded, waiting is the wall time that a pixel
 * and class has less its CPU time, not below 0; CPU time between two records passes evenly, rounded down,
 * as in windows of time (window.h). A sample that says how long its thread was off the CPU is followed by
 * so much waiting; one of CPU time alone is followed by so much time on the CPU, and then by nothing that
 * is known.
 *
 * A picture may be made in slices, side by side: some pixels each, by a sink of its own whose replay is of their time. lanes_join
 * puts them together.
 *
 * Memory grows with pixels * tracks and with the depth of stacks, not with the number of calls. */
#pragma once

#include "profile/calls/call_rows.h"
#include "profile/calls/calls.h"

/* From the bottom of a lane to its top; all but waiting are classes of frames. */
enum lane_class { LANE_OWN, LANE_LIBRARY, LANE_PLATFORM, LANE_UNKNOWN, LANE_WAITING, LANE_CLASSES };

enum {
    LANE_MARKED = 1 << 4, /* a frame whose calls are looked for */
    LANE_MESSAGE = 1 << 5 /* its calls are of interest on the main track, if they take long */
};

enum {
    LANES_CALLS_MAX = 200,   /* in each list of marked calls */
    LANES_MESSAGES_MAX = 100 /* of the main track */
};

/* One of the tracks that are looked at. */
struct lanes_track {
    const struct profile_track *track;
    bool is_open; /* its calls are wanted */
    bool is_main; /* its messages are wanted */
};

struct lanes_request {
    const struct lanes_track *tracks; /* by the ids of their tracks, ascending; outlives the sink */
    uint32_t n_tracks;
    const uint8_t *class_of_frame; /* [n_frames] enum lane_class, and the flags above; outlives the sink */
    uint32_t n_frames;
    uint32_t ns_per_tick; /* of the profile */
    uint32_t cpu_clock;   /* index of the CPU clock beside a wall clock; 0: waiting cannot be measured */
    uint32_t sample_cpu, sample_waiting; /* of samples: index of the value in ns + 1; 0: they have none */
    bool open_to_end; /* calls that are never left last up to the trace's last record, on the wall clock */
    bool marks;       /* some frame is LANE_MARKED */
    bool methods;     /* for each pixel the method that it is most of is wanted */
    uint64_t from_ns, to_ns; /* the window; from < to <= INT64_MAX */
    uint32_t width_px;       /* at least 1 */
    /* [width_px + 1] Where pixels begin, from from_ns to to_ns; outlives the sink. NULL: as lanes_edge has it. */
    const uint64_t *edges;
    uint64_t message_ns;            /* shorter messages are of no interest */
    uint32_t levels_max, spans_max; /* of each track that is open: see span.h */
    /* The filter of all tracks that are open; NULL: all their calls are shown. */
    const struct span_filter *filter;
};

struct lane_pixel {
    uint64_t ns[LANE_CLASSES]; /* by enum lane_class */
    uint64_t calls;            /* that begin in it */
};

struct lane_mark {
    uint64_t ns;    /* a marked method is open */
    uint64_t calls; /* of marked methods, that begin here */
};

/* The method on top for most of a pixel's time that is not waiting: if one has more than half of it, it is this one,
 * else it is one of those that were there last. It is found by a vote in one pass, in which each method takes from
 * the others what it has itself; so a pixel needs no list of methods. */
struct lane_method {
    frame_id frame; /* FRAME_NONE: nothing but waiting */
    uint64_t ns;    /* what the others have left of it */
};

struct lane {
    const struct lanes_track *of;
    struct lane_pixel *pixels;   /* [width_px]; NULL: no record came */
    struct lane_mark *marks;     /* [width_px]; NULL: nothing is marked, or no record came */
    struct lane_method *methods; /* [width_px]; NULL: not asked for, or no record came */
    const struct spans *spans;   /* NULL: not open */
};

struct lanes {
    const struct lane *list; /* as in the request */
    uint32_t n;
    uint64_t marked;                           /* calls that begin in the window, on all tracks */
    struct longest_calls first, last, longest; /* of them, sorted; `track` is an index of the list */
    struct longest_calls messages;             /* those that are seen in the window, the longest first */
};

struct lanes_sink;

/* Where pixel i begins: from + floor(i * (to - from) / width). */
uint64_t lanes_edge(uint64_t from_ns, uint64_t to_ns, uint32_t width_px, uint32_t i);
/* [width_px + 1] of a request, in the arena; NULL when it gives no more. */
const uint64_t *lanes_edges(struct arena *arena, const struct lanes_request *r) MUST_CHECK;
/* The last pixel that begins at a time of the window, or before. */
uint32_t lanes_pixel_at(const uint64_t *edges, uint32_t width_px, uint64_t ns);

/* Lives in the arena; NULL when it gives no more. */
struct lanes_sink *lanes_sink_new(struct arena *arena, const struct lanes_request *request) MUST_CHECK;
struct replay_sink lanes_sink_replay(struct lanes_sink *s);
/* The sink's own. */
const struct lanes *lanes_sink_finish(struct lanes_sink *s);

/* Whether the pixels may be made in slices: where calls are not looked at one by one. */
bool lanes_has_slices(const struct lanes_request *request);
/* The request of a slice: the pixels [first_px, end_px) of the whole, whose edges are given. */
struct lanes_request lanes_slice(const struct lanes_request *whole, const uint64_t *edges, uint32_t first_px,
                                 uint32_t end_px);
/* The whole of n slices that follow each other, first_px[i] being the first pixel of each. In the arena; NULL when it gives no
 * more. */
const struct lanes *lanes_join(struct arena *arena, const struct lanes_request *whole,
                               const struct lanes *const *slices, const uint32_t *first_px,
                               uint32_t n) MUST_CHECK;
