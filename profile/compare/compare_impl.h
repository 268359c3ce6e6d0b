/* The inside of a comparison, shared by compare.c (values, the tree) and compare_match.c (which frames and
 * tracks are the same). */
#pragma once

#include "profile/build/builder.h"
#include "profile/compare/compare.h"
#include "profile/compare/compare_rules.h"

/* One run on its way into the comparison. */
struct compare_run {
    const struct profile *profile;
    frame_id *frame; /* by frame of the run: the comparison's */
    uint32_t *track; /* by index of the run's track: the builder's */
};

struct comparing {
    struct builder *builder;
    struct arena *arena, *scratch; /* of the result, and of the work */
    struct hash_seed seed;
    struct compare_run *runs;
    uint32_t n_runs;
    bool one_format;   /* of all runs */
    uint32_t n_frames; /* of the comparison */
    uint8_t *paired;   /* by frame of the comparison */
    uint32_t by_rule[COMPARE_RULE_NONE +
                     1]; /* how many frames each rule has paired; the last one: by text alone */
    struct compare_member *members;
    uint32_t n_members;
};

/* Fills run.frame of all runs, paired and by_rule. False: the arena gives no more. */
bool compare_frames(struct comparing *c) MUST_CHECK;

/* Makes the tracks, and fills run.track and the members (whose track is its id). False: the arena gives no
 * more. */
bool compare_tracks(struct comparing *c) MUST_CHECK;
