/* A builder of two clocks, whose ticks are units, and calls, with the frames and tracks that events need.
 * What is not as expected fails the running test. */
#pragma once

#include "profile/build/builder.h"

struct fold_fixture {
    struct arena arena;
    struct builder *builder;
    const struct profile *profile; /* after fold_fixture_finish */
};

/* Wall, CPU, calls. */
extern const struct profile_value FOLD_VALUES[3];

/* Frames a to z, f26 and on; the id of a track is its index + 1. `times` are of FOLD_VALUES. */
void fold_fixture_open(struct fold_fixture *f, const struct profile_value *times, uint32_t n_times,
                       uint32_t n_frames, uint32_t n_tracks);
void fold_fixture_finish(struct fold_fixture *f);
