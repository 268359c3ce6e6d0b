/* The rules of folding once more, as plain as they can be written: a track is a stack and a table from paths
 * to values, and everything is searched for. For comparison with profile/build/builder.h. */
#pragma once

#include "profile/build/builder.h"

enum {
    FOLD_MODEL_CLOCKS = 2,
    FOLD_MODEL_VALUES = 3,
    FOLD_MODEL_DEPTH_MAX = 700,
    FOLD_MODEL_PATHS_MAX = 2000
};

/* Frames from the root's child to the top. */
struct fold_path {
    uint16_t n;
    uint8_t frames[FOLD_MODEL_DEPTH_MAX];
};

struct fold_model_track {
    struct fold_path stack;
    uint32_t n_paths;
    struct {
        struct fold_path path;
        uint64_t values[FOLD_MODEL_VALUES]; /* ticks of the clocks, then calls */
    } * paths;
    uint64_t records, last[FOLD_MODEL_CLOCKS], added[FOLD_MODEL_CLOCKS];
    bool just_wrapped[FOLD_MODEL_CLOCKS]; /* no record since the wrap was in time */
};

struct fold_model {
    uint32_t n_tracks;
    struct fold_model_track *tracks;
    uint64_t counts[WARNING_CODES], offsets[WARNING_CODES]; /* all but WARN_OPEN_FRAMES */
};

/* Running out of memory, depth or paths aborts. */
struct fold_model *fold_model_new(uint32_t n_tracks);
void fold_model_free(struct fold_model *m);

/* Applies an event of two 32-bit clocks. `unknown` is the frame that an exit without one stands for when the
 * stack is empty. Frames are below 256. */
void fold_model_event(struct fold_model *m, const struct event *e, uint8_t unknown, uint64_t offset);

/* The values of a path, made if it is new. */
uint64_t *fold_model_values(struct fold_model_track *t, const struct fold_path *path);

/* The path of a node of a profile below its track's root. */
struct fold_path fold_model_path(const struct profile *p, node_id node, node_id root);
