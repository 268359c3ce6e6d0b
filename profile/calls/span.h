/* Calls in the order of time, of one track: for views with time on x. A profile does not hold them; they are
 * made by replaying its log:
 *
 *     sink = span_sink_new(&arena, &request);
 *     replay(.. of one track, looks_at_self, with span_sink_replay(sink) ..);
 *     const struct spans *spans = span_sink_finish(sink);
 *
 * However long the recording is, only what a picture of the window can show is kept: calls that are wide
 * enough one by one, and runs of narrower neighbours, each run as one. Frame ids, and what repairs broken
 * nesting, are those of the profile. */
#pragma once

#include "core/arena.h"
#include "profile/calls/replay.h"

enum { SPAN_KINDS_MAX = 16 };

struct span_request {
    uint32_t track;          /* its id */
    uint32_t ns_per_tick;    /* of the profile */
    uint64_t rest_ns;        /* that calls which are never left last longer than up to the last record */
    uint64_t from_ns, to_ns; /* the window; from < to <= INT64_MAX */
    uint64_t least_ns;       /* a call that is seen for less goes into a run; at least 1 */
    bool by_cell; /* a run does not pass the cell of least_ns, counted from from_ns, in which it begins */
    uint32_t levels_max; /* deeper calls are only counted */
    uint32_t spans_max;  /* if there are more, least_ns is raised; more than levels_max */
    bool wide_only;      /* narrower calls are left out, and counted nowhere: there are no runs */
    const uint8_t
        *kinds; /* with wide_only: of each frame of the profile, below SPAN_KINDS_MAX; NULL: all are 0 */
};

/* A call, or a run of calls of one depth, none of them wide, with less than least_ns between neighbours. */
struct span {
    frame_id frame; /* FRAME_NONE: a run */
    uint32_t depth; /* 1: nothing above it but the track */
    uint8_t flags;  /* SPAN_BEFORE, SPAN_OPEN: it ends with the track's last record, or rest_ns later */
    uint64_t calls; /* 1, or of the run */
    uint64_t begin_ns, end_ns;
    uint64_t self_ns; /* of a call: less its callees; of a run: time in its calls */
};

/* Spans of one depth are in the order of time and do not overlap; those of a call stand before it. Runs, and
 * nothing else, are cut to the window. */
struct spans {
    const struct span *list;
    uint32_t n;
    uint32_t levels;                     /* the largest depth in the list */
    uint64_t calls;                      /* in the window, whether kept, in runs or too deep */
    uint64_t deep;                       /* of them deeper than levels_max */
    uint64_t least_ns;                   /* that was used */
    uint64_t idle_ns;                    /* of the whole track: in no call */
    uint64_t longest_ns[SPAN_KINDS_MAX]; /* of the calls of each kind but 0, also if it is narrow; 0: none */
};

struct span_sink;

/* Lives in the arena; NULL when it gives no more. */
struct span_sink *span_sink_new(struct arena *arena, const struct span_request *request) MUST_CHECK;
struct replay_sink span_sink_replay(struct span_sink *s);
/* The same for sinks that pass the calls of a track on: `context` is the sink. */
bool span_sink_leave(void *context, struct replay_track *t, const struct replay_left *left);

/* A call in place of a replayed one: those of a track in the order of their ends. */
void span_sink_put(struct span_sink *s, const struct span *span);

/* The sink's own, in its arena. */
const struct spans *span_sink_finish(struct span_sink *s);
