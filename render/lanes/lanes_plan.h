/* From what is asked of lanes to what a replay of the calls has to look for (profile/calls/lanes.h): which tracks and in which order they
 * are shown, the window of time, and of each frame whose code it is. */
#ifndef RENDER_LANES_LANES_PLAN_H
#define RENDER_LANES_LANES_PLAN_H

#include "core/diag.h"
#include "profile/calls/lanes.h"
#include "render/view/asked.h"
#include "render/view/input.h"

enum {
    LANES_MAX = 3000,           /* tracks in one answer: the heaviest */
    LANES_PIXELS_MAX = 800000,  /* of all tracks; for more the width is smaller than asked for */
    LANES_LEVELS_MAX = 500,     /* of stacks; deeper calls are only counted */
    LANES_SPANS_MAX = 9000,     /* of all tracks that are open */
    LANES_SPANS_LEAST = 600,    /* of each of them */
    LANES_MESSAGE_NS = 16700000 /* in which a screen misses a frame */
};

struct lanes_plan {
    struct lanes_request request;
    const uint32_t
        *order; /* [request.n_tracks] indexes of its tracks: the main one first, then the heaviest */
    uint64_t whole_from_ns, whole_to_ns; /* of all the recording */
    bool is_whole;                       /* the window is all of it */
    uint32_t left_out;                   /* tracks beyond LANES_MAX */
};

/* in->view is resolved, and its tracks are those that are shown. The window is given beside it, since it is not that of other
 * views; VIEW_TIME_NONE: to the end of the recording. Lives in in->scratch. False: diag, with DIAG_USAGE for a profile without times, a
 * window that does not begin before its end and a track of `stacks` that there is not, DIAG_NOT_FOUND for a mark that is no
 * method's. */
bool lanes_plan(struct lanes_plan *plan, const struct render_input *in, const struct lanes_asked *asked,
                uint64_t from_ns, uint64_t to_ns, struct diag *diag) __attribute__((warn_unused_result));

/* How long the track worked: its CPU time, or its time; of samples without clocks, from the first to the last. */
uint64_t lanes_work_ns(const struct profile *p, const struct profile_track *t);

#endif
