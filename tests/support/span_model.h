/* The rules of profile/calls/span.h once more, as plain as they can be written: all calls of a track, each
 * with its caller, in an array; whatever is asked of them is searched for. */
#pragma once

#include "profile/build/builder.h"
#include "profile/calls/span.h"
#include "tests/support/replayed.h"

enum { SPAN_MODEL_CALLS_MAX = 4000 };

struct span_model_call {
    frame_id frame;
    int parent; /* -1: none yet */
    uint64_t begin, end, callees;
    unsigned closed; /* counts upwards */
    uint8_t flags;
};

struct span_model {
    struct span_model_call calls[SPAN_MODEL_CALLS_MAX];
    int n, top; /* the innermost open call, or -1 */
    unsigned closed;
    bool begun;
    uint64_t first, last;
};

void span_model_init(struct span_model *m);

/* Applies an event, whose clock is in ns and does not wrap. `unknown` is the frame that an exit without
 * one stands for when the stack is empty. Too many calls abort. */
void span_model_event(struct span_model *m, const struct event *e, frame_id unknown);
void span_model_end(struct span_model *m);

/* After the end: 1 for a call that nothing encloses; whether it is in the window. */
unsigned span_model_depth(const struct span_model *m, int call);
bool span_model_sees(const struct span_model_call *c, const struct span_request *r);

/* Random events of one track: mostly well nested, sometimes not at all. */
struct span_model_random {
    unsigned wild, down; /* so many events of a hundred are wild; of the others so many leave a call */
    frame_id open[SPAN_MODEL_CALLS_MAX];
    size_t depth;
};
/* Whether e, whose frame is set, enters that frame, leaves the innermost open one, or is anything. */
void span_model_random_action(struct span_model_random *s, uint64_t *random, struct event *e);

/* Two clocks and calls, for a profile of such events; its frames are called a, b, .. and have these ids. */
enum { SPAN_MODEL_FRAMES = 6, SPAN_MODEL_CLOCKS = 2 };
/* The profile of the events, of which the log is written (NULL: none); it is the caller's to close. ids[i]
 * is the id of track i. */
const struct profile *span_model_fold(struct arena *arena, struct replayed *log, const uint32_t *ids,
                                      uint32_t n_tracks, const struct event *events, size_t n);
/* Random events of several tracks. Some streams are mostly well nested, some not at all; some tracks begin by leaving what
 * they never entered. */
enum { SPAN_MODEL_TRACKS = 3, SPAN_MODEL_FIRST_ID = 7 };
void span_model_random_events(uint64_t *random, struct event *events, size_t n);
/* Their profile, as above. The tracks do not stand in the order of their ids, the lowest of which is SPAN_MODEL_FIRST_ID. */
const struct profile *span_model_fold_tracks(struct arena *arena, struct replayed *log,
                                             const struct event *events, size_t n);

/* The model of one track, by one of the clocks; an exit of nothing is of the frame behind all others. */
void span_model_track(struct span_model *m, const struct event *events, size_t n, uint32_t track,
                      unsigned clock);

/* The spans of one depth; room for as many as there are calls. Returns how many. */
uint32_t span_model_level(const struct span_model *m, unsigned depth, const struct span_request *r,
                          uint64_t least, struct span *out);
