/* Lanes of a profile: by a replay of its log, or by several side by side, of slices of the time. */
#pragma once

#include "profile/calls/lanes.h"
#include "server/convert/convert.h"

/* The log is made if it is not there yet; indexes[i] is the place of request->tracks[i] in the profile. Lives in the arena. NULL:
 * diag, or the arena gave no more. */
const struct lanes *convert_replay_lanes(const struct convert_source *s, const struct lanes_request *request,
                                         const uint32_t *indexes, struct arena *arena,
                                         struct diag *diag) MUST_CHECK;
