/* Frames on the screen in the answer of lanes: those of the window, and how many there are in all. */
#ifndef RENDER_LANES_LANES_SCREEN_H
#define RENDER_LANES_LANES_SCREEN_H

#include "core/json.h"
#include "profile/calls/lanes.h"

/* Puts a member into the object that is open; docs/http-api.md tells what stands in it. Frames that begin in one place of the picture
 * are one entry, so that there are never more than places. Nothing of a profile without frames and steps of a start. */
void lanes_put_screen(struct json *j, const struct profile *p, const struct lanes_request *r);

#endif
