/* A builder, for tests of what it makes. What is not as expected fails the running test. */
#pragma once

#include "profile/build/builder.h"

/* *state of tests between these two. */
struct builder_fixture {
    struct arena arena;
    struct builder *builder;
};

int builder_set_up(void **state);
int builder_tear_down(void **state);

extern const struct hash_seed BUILDER_SEED;
/* A time and a value: what is measured of calls. */
extern const struct profile_value CLOCK_AND_CALLS[2];

/* The frame of a name that belongs to the number. */
frame_id builder_frame_numbered(struct builder *b, uint32_t number);

const struct profile *builder_finished(struct builder_fixture *f);
