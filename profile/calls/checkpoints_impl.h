/* The inside of checkpoints: checkpoints.c takes them, checkpoint_part.c reads from one to another. What a builder tells them stands in
 * builder_impl.h. */
#ifndef PROFILE_CALLS_CHECKPOINTS_IMPL_H
#define PROFILE_CALLS_CHECKPOINTS_IMPL_H

#include "profile/build/builder_impl.h"
#include "profile/calls/checkpoints.h"

/* A call that is open at some checkpoint; or the thread itself, which calls the outermost ones. Ticks. */
struct checkpoint_call {
    frame_id frame;
    frame_id callee; /* if it is never left: its callee that is not either, or FRAME_NONE */
    bool ended;
    uint64_t begin[BUILDER_CLOCKS_MAX];
    uint64_t end[BUILDER_CLOCKS_MAX]; /* or since when that callee is open */
    uint64_t callees;                 /* first clock: of those that were left */
};

/* Of the stack at a checkpoint. */
struct checkpoint_open {
    uint32_t call;    /* of checkpoints.calls */
    uint64_t callees; /* as above, by then */
};

/* A track as it is between two records; all zero but for its id where it has none yet. */
struct checkpoint_track {
    uint32_t id, re_roots;
    uint64_t records;
    uint64_t last[BUILDER_CLOCKS_MAX], wrapped[BUILDER_CLOCKS_MAX], wrap_record[BUILDER_CLOCKS_MAX];
    uint64_t next[BUILDER_CLOCKS_MAX]; /* its next record's clocks, as `last` will be */
    bool has_next;
    uint32_t n_open; /* with the thread itself, which comes first; then the outermost */
    struct checkpoint_open *open;
};

struct checkpoint {
    uint64_t offset;   /* of the next record in the file */
    const void *state; /* the format's */
    size_t state_bytes;
    uint32_t n_tracks;
    struct checkpoint_track *tracks; /* as in the builder, and by its numbers */
};

/* A call that turned out to enclose all of its track so far. */
struct checkpoint_root {
    frame_id frame;
    uint64_t end[BUILDER_CLOCKS_MAX];
    uint64_t callees; /* first clock: of the track until then */
};

/* Of one track, by the builder's number. */
struct checkpoint_log {
    size_t unknown_from;           /* the first checkpoint that does not know the track's next record */
    struct checkpoint_root *roots; /* the first one first */
    size_t n_roots, roots_capacity;
    uint64_t end[BUILDER_CLOCKS_MAX]; /* its last record */
};

/* A call that is open while checkpoints are taken. */
struct checkpoint_level {
    struct checkpoint_call call;
    uint32_t kept; /* its number in checkpoints.calls, or UINT32_MAX */
};

/* A track of the builder that takes checkpoints: who is told of its calls, and what is open. */
struct checkpoint_watched {
    struct checkpoints *checkpoints;
    uint32_t number; /* the builder's */
    void *to;        /* of the watcher behind; NULL: it does not want to know */
    struct checkpoint_level *open;
    size_t n_open, open_capacity;
};

struct checkpoints {
    struct arena arena; /* of half the memory: beside it thinner ones are made */
    uint64_t every;     /* records */
    bool full, useless;
    struct checkpoint *list;
    size_t n, capacity;
    struct checkpoint_log *logs;
    size_t n_logs, logs_capacity;
    struct checkpoint_range *definitions; /* ascending, none beside the next one */
    size_t n_definitions, definitions_capacity;
    struct checkpoint_call *calls;
    size_t n_calls, calls_capacity;

    /* While they are taken. */
    struct watcher watcher, *to; /* `to`: NULL, or who is told beside */
    struct builder *builder;
};

/* checkpoint_thin.c: every second one is dropped, and so is the memory of what only these need. False: there are too few, or that does
 * not help; nothing has changed then. While they are taken. */
bool checkpoints_thin(struct checkpoints *c);

#endif
