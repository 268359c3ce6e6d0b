/* Counters and frames on the screen in the answer of lanes: how each counter went in the window, by the places of a picture;
 * which frames stand in it. */
#pragma once

#include "core/json.h"
#include "profile/calls/lanes.h"

/* Puts two members into the object that is open, in a bounded number of bytes; docs/http-api.md tells what stands in them. Nothing
 * of a profile without counters. `group`: the process whose counters do not say that they are of it. */
void lanes_put_counters(struct json *j, const struct profile *p, const struct lanes_request *r,
                        string_id group);

/* Puts a member into the object that is open; docs/http-api.md tells what stands in it. Frames that begin in one place of the
 * picture are one entry, so that there are never more than places. Nothing of a profile without frames and steps of a start. */
void lanes_put_screen(struct json *j, const struct profile *p, const struct lanes_request *r);

/* Where a counter is drawn, in pixels of a picture; it is as wide as the window of the lanes. */
struct counter_box {
    unsigned left_px, bottom_px, height_px;
};

/* A shape without script and style, from the counter's least value to its most in all of the recording; nothing if it has no value in
 * the window. */
void lanes_draw_counter(const struct profile *p, const struct profile_counter *c,
                        const struct lanes_request *r, const struct counter_box *box, struct buf *out);
