/* What the methods of a comparison did on the tracks that both sides have, without waiting: what its words
 * are made of. Work on a thread that only one side has is no change of a method, and a thread that waits
 * longer for its next message has not become slower.
 *
 * Of wall time, waiting is told by profile/thread_time.h: with a CPU clock all that is not on a CPU, else
 * the time in methods that are known to wait. Of any other value nothing is taken off. Tracks of
 * asynchronous sections are left out of times: no thread is in them. Where no track is on both sides, all
 * count. */
#pragma once

#include "core/arena.h"
#include "render/table/diff_pairs.h"
#include "render/table/table.h"

enum { DIFF_ALONE_MAX = 3 };

/* A track that only one side has. */
struct diff_alone {
    uint32_t track; /* index of profile->tracks */
    struct diff_pair pair;
};

struct diff_worked {
    const struct table *t;  /* of methods, with its diff */
    const uint32_t *tracks; /* those that both sides have: indexes of profile->tracks, ascending */
    uint32_t n_tracks;
    bool tells_waits;                        /* some of the time is known to be waiting */
    const struct diff_pair *pairs;           /* by row: see below */
    struct diff_pair worked, waited;         /* of all of these tracks */
    struct diff_alone alone[DIFF_ALONE_MAX]; /* those with most, the most first */
    uint32_t n_alone;                        /* of all */

    const uint64_t *node; /* [node * runs + run]: what it and all below it did */
    node_id *behind;      /* [node]: the first one that is not below it */
    uint64_t *below;      /* [row * runs + run], all 0 between two uses; as are: */
    node_id *open_until;  /* [row] */
    uint32_t *touched;    /* [row] rows that `below` has numbers of */
};

/* `t` must outlive it. False: the arena gives no more. */
bool diff_worked_new(struct diff_worked *w, const struct table *t, struct arena *arena) MUST_CHECK;

struct diff_pair diff_worked_inclusive(const struct diff_worked *w, uint32_t row);
struct diff_pair diff_worked_exclusive(const struct diff_worked *w, uint32_t row);
struct diff_pair diff_worked_waited(const struct diff_worked *w, uint32_t row); /* by itself */
struct diff_pair diff_worked_calls(const struct diff_worked *w, uint32_t row);

/* Whether it is known to wait, and that is told apart. */
bool diff_worked_is_wait(const struct diff_worked *w, uint32_t row);

/* Whether the row is a method of the app's own code. */
bool diff_worked_is_own(const struct diff_worked *w, uint32_t row);

/* Own methods that have most of a change of `row`: those below it that changed in the same direction by at
 * least three quarters as much, counted within its outermost calls. What they did is told with `row`, or
 * `row` with them. Calls `visit` for each, in the order in which they first come below it. */
typedef void diff_worked_visit(void *context, uint32_t row, struct diff_pair within);
void diff_worked_below(struct diff_worked *w, uint32_t row, diff_worked_visit *visit, void *context);
