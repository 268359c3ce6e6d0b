/* From what is asked of lanes to what a replay of the calls has to look for (profile/calls/lanes.h): which
 * tracks and in which order they are shown, the window of time, and of each frame whose code it is. */
#pragma once

#include "core/diag.h"
#include "profile/calls/lanes.h"
#include "render/view/asked.h"
#include "render/view/input.h"
#include "render/view/text_format.h"

struct lanes_plan {
    struct lanes_request request;
    /* [request.n_tracks] indexes of its tracks: the main one first, then the heaviest. */
    const uint32_t *order;
    uint64_t whole_from_ns, whole_to_ns; /* of all the recording */
    bool is_whole;                       /* the window is all of it */
    bool has_unknown;                    /* the profile has frames of unknown origin */
    uint32_t left_out;                   /* tracks beyond LANES_MAX */
};

/* in->view is resolved, and its tracks are those that are shown. The window is given beside it, since it
 * is not that of other views; VIEW_TIME_NONE: to the end of the recording. Lives in in->scratch. False:
 * diag, with DIAG_USAGE for a profile without times, a window that does not begin before its end and a
 * track of `stacks` that there is not, DIAG_NOT_FOUND for a mark that is no method's. */
bool lanes_plan(struct lanes_plan *plan, const struct render_input *in, const struct lanes_asked *asked,
                uint64_t from_ns, uint64_t to_ns, struct diag *diag) MUST_CHECK;

/* The formats of lanes: each is a file that fills a row. */

struct lanes_format {
    struct text_format text;
    /* Appends to out. False: diag. */
    bool (*write)(const struct render_input *in, const struct lanes_plan *plan, const struct lanes *lanes,
                  struct buf *out, struct diag *diag);
};

/* For the page's script, and for programs: the shape is in docs/http-api.md. */
extern const struct lanes_format LANES_JSON;

/* A picture that needs no script. */
extern const struct lanes_format LANES_SVG;
