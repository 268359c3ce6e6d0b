/* The builder's inside, shared by builder.c (tables), fold.c (events), stacks.c (samples), join.c (pieces) and finish.c (the
 * profile). */
#pragma once

#include "core/idmap.h"
#include "core/number.h"
#include "core/strtab.h"
#include "profile/build/builder.h"

/* Where a node's measures stand: in the columns [0, n_times) the times, one for each clock of an event;
 * behind them the calls of events; behind these the values of samples. builder_values makes the layout, and all that reads
 * or writes a column asks it. */
struct fold_layout {
    uint32_t n_times, n_columns; /* no columns: nothing was declared */
    uint32_t calls;              /* column of the calls that events count; only with times */
    uint32_t samples;            /* first column of samples; n_columns: none are declared */
};

/* Events have their times and their calls. A constant argument makes constants of all of it. */
static inline struct fold_layout fold_layout_of_events(uint32_t n_times)
{
    return (struct fold_layout){
        .n_times = n_times, .n_columns = n_times + 1, .calls = n_times, .samples = n_times + 1};
}

/* A node while the tree grows; its columns stand behind it. Children are a ring, about in the order of their first
 * calls. The search among them begins behind the child that was entered last: what came next once comes next again.
 * Of a node with more than FOLD_RING_MAX children all are in builder.wide, so that no input is quadratic. */
struct fold_node {
    frame_id frame;
    node_id parent;
    node_id next_child;   /* behind the child that was entered last; NODE_NONE: no children */
    node_id next_sibling; /* in the ring of the parent's children */
    uint64_t columns[];
};

enum { FOLD_RING_MAX = 24 };

/* Where one frame of a stack led. */
struct fold_step {
    frame_id frame;
    node_id node;
};

/* Where a frame below a node led; in a table by hashes of whole stacks, each of which may be that of another stack. */
struct fold_guess {
    node_id parent;
    frame_id frame;
    node_id child; /* 0: nothing is known; the first node is a root */
};

enum { FOLD_PATH_MAX = 128 };

/* What a track is made of. */
enum fold_track_use { FOLD_UNUSED, FOLD_EVENTS, FOLD_SAMPLES, FOLD_TIMED_SAMPLES, FOLD_CHANGES };

/* A change of a node's values; they stand behind it, one for each column. */
struct fold_change {
    node_id node;
    uint32_t moment;
    int64_t values[];
};

struct fold_track {
    uint32_t id;
    string_id name;
    struct track_words words;
    enum fold_track_use use;
    node_id held; /* of FOLD_TIMED_SAMPLES: where the stack ends that holds; of FOLD_EVENTS: the first root */
    uint32_t values, beside; /* as in struct profile_track */
    uint32_t n_moments;      /* of FOLD_CHANGES, */
    uint64_t moment_ns;      /* and the time of the last one */
    node_id root;            /* NODE_NONE until the first event or sample */
    node_id current;         /* the frame on top: the stack is its chain of parents up to root */
    uint64_t records;
    uint64_t last[BUILDER_CLOCKS_MAX];      /* ticks, unwrapped */
    uint64_t wrapped[EVENT_CLOCKS_MAX];     /* to be added to the next readings */
    uint64_t first[BUILDER_CLOCKS_MAX];     /* ticks */
    uint64_t scanned;                       /* frames looked at in search of a mismatched exit's frame */
    uint64_t wrap_record[EVENT_CLOCKS_MAX]; /* of the last wrap, or of a late one right behind it; 0: none */
    uint32_t next_moved;                    /* track, or NODE_NONE */
    uint32_t re_roots;
    struct fold_step *path; /* of the last whole stack: at most FOLD_PATH_MAX from the root on */
    size_t path_capacity;
    uint32_t n_path;
    bool moved;   /* in the list of builder.moved */
    bool indexed; /* builder.open counts this track's open frames */
};

struct builder {
    struct arena *arena;
    struct hash_seed seed;
    struct strtab strings;

    struct profile_frame *frames;
    size_t n_frames, frames_capacity;
    struct hash_index frame_index;
    bool addresses; /* belong to the identity of nameless frames */

    struct fold_track *tracks;
    size_t n_tracks, tracks_capacity;

    /* The latest wall time of the trace, for the first readings of tracks. It is looked up when a track
     * begins, and then only in the tracks that have had a record since it was looked up last: these are in
     * a list. */
    uint64_t latest; /* ticks, unwrapped, when it was looked up last */
    uint32_t moved;  /* the list's first track, or NODE_NONE */

    unsigned guess_bits; /* guesses are 1 << guess_bits */

    char *nodes; /* struct fold_node every `stride` bytes */
    size_t n_nodes, nodes_capacity, stride;
    struct fold_guess *guesses;
    struct idmap wide;    /* parent << 32 | frame -> node */
    struct idmap open;    /* track << 32 | frame -> how often it is on the stack */
    struct idmap earlier; /* frame -> the frame that its method had before it was redefined */

    struct fold_layout layout;
    struct profile_value columns[PROFILE_VALUES_MAX]; /* what each column means */
    uint64_t sampled_bytes;
    bool is_signed;     /* columns of samples are int64_t */
    const char *misuse; /* how a format broke the rules of builder_values, or NULL */
    uint32_t ns_per_tick;
    bool wraps;

    struct call_log_writer *log; /* that is written; or NULL */
    bool logs_events;            /* It is not written where there are no events. */

    frame_id *entered; /* of FOLD_TIMED_SAMPLES, for the log: frames of a stack that begin to hold */
    size_t entered_capacity;

    /* Of FOLD_CHANGES: struct fold_change every change_stride bytes; and all moments, with their tracks. */
    char *changes;
    size_t n_changes, changes_capacity, change_stride;
    struct fold_moment {
        uint32_t track; /* its id */
        uint64_t time_ns;
    } * moments;
    size_t n_moments, moments_capacity;

    uint64_t n_events;
    size_t steps; /* since the stop was asked last: see builder_goes_on */
    struct {
        uint64_t count, offset;
    } warnings[WARNING_CODES];
    const struct profile_screen_frame *screen_frames;
    const struct profile_counter *counters;
    const struct profile_reading *readings;
    const struct profile_phase *phases;
    const struct profile_note *notes;
    const struct profile_wake *wakes;
    struct profile_fact *facts;
    size_t n_facts, facts_capacity;
    struct profile_label labels[PROFILE_LABELS_MAX];
    uint32_t n_labels, n_screen_frames, n_counters, n_phases, n_notes, n_wakes;
    struct str split;
};

/* A format broke a rule. Always false. */
static inline bool builder_misused(struct builder *b, const char *how)
{
    b->misuse = how;
    return false;
}

/* How many columns a sample has. */
static inline uint32_t fold_sample_values(const struct builder *b)
{
    return b->layout.n_columns - b->layout.samples;
}

static inline struct fold_node *fold_node_at(const struct builder *b, node_id id)
{
    return (struct fold_node *)(void *)(b->nodes + (size_t)id * b->stride);
}

static inline struct fold_change *fold_change_at(const struct builder *b, size_t i)
{
    return (struct fold_change *)(void *)(b->changes + i * b->change_stride);
}

/* Counts steps, each of which is short, and asks the arena's stop once in many. False: the job was told to
 * end. So whoever reads in a loop need not ask where each turn tells the builder something. */
enum { BUILDER_STEPS = 1 << 10 };
static inline bool builder_goes_on(struct builder *b, size_t steps)
{
    b->steps += steps;
    if (b->steps < BUILDER_STEPS)
        return true;
    b->steps = 0;
    return !arena_stopped(b->arena);
}

/* Counts one step, if no stop is to be asked at it; else does nothing. */
static inline bool builder_goes_on_yet(struct builder *b)
{
    bool yet = b->steps + 1 < BUILDER_STEPS;

    b->steps += yet;
    return yet;
}

/* The child of `parent` for this frame, made if it is new. NODE_NONE when the arena gives no more. */
node_id fold_child(struct builder *b, node_id parent, frame_id frame);
/* All events so far are below a call of this frame, which the track's root has become. False as above. */
bool fold_re_root(struct builder *b, uint32_t track, frame_id frame, uint64_t offset);
/* The latest wall time of all tracks so far. */
uint64_t fold_latest_time(struct builder *b);
/* Tells the log of a track's first record. */
void fold_log_begin(struct builder *b, uint32_t track, const uint64_t *ticks);
/* The table of guesses is needed no more. */
void fold_end_guesses(struct builder *b);
/* The track's root, made if it is new. NODE_NONE as above. */
node_id fold_root(struct builder *b, struct fold_track *t);

static inline uint64_t ticks_to_ns(const struct builder *b, uint64_t ticks)
{
    return number_multiply(ticks, b->ns_per_tick);
}
