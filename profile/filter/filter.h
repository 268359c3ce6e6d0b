/* Filters: from a profile to the part of it that somebody wants to see. A filter is a list of steps, each
 * `key=text`, that are applied one after the other, in the order in which they were given:
 *
 *     focus=PATTERN           keeps the stacks in which a frame matches
 *     ignore=PATTERN          drops the stacks in which a frame matches
 *     hide=PATTERN            takes the frames that match out: their self goes to their caller, their calls are not added
 *     show-from=PATTERN       cuts what is nearer the root than the outermost match; drops the stacks without one
 *     recursion=collapse      joins a frame with an equal one right below it
 *     recursion=collapse-all  cuts back to the outermost equal frame: A;B;A;C becomes A;C, and A;B stays
 *     preset=NAME             the steps of a preset, see filter_pattern.h
 *
 * What each node has waited (profile_waits) is told before the first step: the filtered profile has it as
 * a value of its own, if there is room for one more. A joined frame has the calls of the outermost one.
 * Frames are equal if their text is: overloads are, and so are two classes whose names are shown alike.
 * The root is no frame: it never matches, and is never taken out.
 *
 * Patterns are those of filter_pattern.h. Pure; any thread. */
#pragma once

#include "core/arena.h"
#include "core/diag.h"
#include "profile/filter/filter_pattern.h"
#include "profile/profile.h"

/* What is asked for. All zero: nothing. */
struct filter_request {
    const struct filter_step *steps;
    uint32_t n_steps;
    struct str presets; /* of the configuration */
    /* The enum origin of each frame, where filter_wants_origins says so; else NULL may do. */
    const uint8_t *origins;
};

/* What a filtered profile says of itself. */
struct profile_filtered {
    const struct profile *before; /* the profile that the filters were applied to */
    /* Of each track the number of the step behind which no frame was left, or UINT32_MAX if some are. */
    const uint32_t *emptied_by;
};

/* The step behind which none of these tracks had a frame left, or UINT32_MAX if one still has, or there
 * are no tracks. */
uint32_t filter_emptied_by(const struct profile_filtered *filtered, const uint32_t *tracks, uint32_t n);

/* Whether one of the steps looks at origins. */
bool filter_wants_origins(const struct filter_request *request);

/* What the filters leave of each node of a profile, each of which stands for one stack. */
struct filter_stacks {
    const struct profile *profile;
    bool *there; /* whether its frame is still there */
    node_id *up; /* if so, which frame is its caller by now: of a smaller number */
    /* The node that its stack ends at by now: itself or one above it; NODE_NONE: its stack was dropped. */
    node_id *to;
    const node_id
        *number;     /* of the result, set by filter_result: the node that each became, where it is needed */
    node_id *new_up; /* filter.c's, while a step is applied */
};

/* Finds the stacks that filter_apply would leave, and makes no profile of them. */
bool filter_stacks_of(const struct profile *p, const struct filter_request *request, struct arena *a,
                      struct filter_stacks *stacks, struct diag *diag) MUST_CHECK;

/* The profile of what the filters leave; result->filtered is set. Frames, strings and tracks are those of
 * `p`, which must outlive it, and so must the texts of the steps; stacks that became equal are one. A
 * track of which nothing is left has its root only. NULL: the arena gives no more, or diag is set. */
const struct profile *filter_apply(const struct profile *p, const struct filter_request *request,
                                   struct arena *a, struct diag *diag) MUST_CHECK;
