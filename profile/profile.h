/* The model, as its readers see it: strings -> frames -> nodes -> tracks, flat arrays with 32-bit ids. A
 * profile is immutable once reader_finish has given it out and may be read by many threads; it lives in its
 * job's arena.
 *
 * Nodes are numbered in pre-order, track after track: a parent's id is smaller than its children's, and the
 * nodes of a track are the range [first, first + count). Totals are one backward scan, depths one forward
 * scan. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "core/str.h"
#include "core/strtab.h"
#include "core/unit.h"

typedef uint32_t frame_id;
typedef uint32_t node_id;

#define FRAME_NONE UINT32_MAX /* of a track's root */
#define NODE_NONE  UINT32_MAX /* parent of a track's root */

enum { PROFILE_VALUES_MAX = 8 };

/* What a value measures; views that know a role may derive from it (waiting = wall - cpu). */
enum profile_role { ROLE_OTHER, ROLE_WALL, ROLE_CPU, ROLE_CALLS };

struct profile_value {
    struct str name;  /* as in URLs and files: "wall", "cpu", "calls", "samples" */
    struct str label; /* for people: "wall time" */
    enum unit unit;
    enum profile_role role;
};

/* One function. A frame of a method trace is class + method + signature: overloads stay apart. */
struct profile_frame {
    string_id scope;     /* class, dotted; empty where the name is all there is */
    string_id name;      /* method or function; may be empty where only the class is known */
    string_id signature; /* JVM descriptor, or empty */
    string_id file;      /* source file, or empty; not part of the identity */
    string_id module;    /* mapped file of a native frame, or empty */
};

enum node_flag {
    NODE_RECURSIVE =
        1 /* the frame is open already further up this stack: all its calls are recursive calls */
};

/* One graph: a thread of a method trace that has at least one record, or the whole of a folded file. The
 * first node is the root: it stands for the track itself, and time in no frame is its self. */
struct profile_track {
    uint32_t id; /* unique within the profile; in URLs and file names */
    string_id name;
    node_id first;
    uint32_t count;   /* nodes, the root included */
    uint64_t records; /* of the input */
    uint64_t calls;
    uint64_t begin_ns, end_ns; /* first clock at its first and last record, since the trace's start */
    uint32_t re_roots;         /* calls entered before its first record and left later */
    node_id open;     /* the innermost frame that is open behind the last record; the root: none is */
    uint64_t rest_ns; /* wall time from end_ns to the last end_ns of all; 0 without wall time */
};

/* Something that the reader of the result must know. Shown, never hidden. */
struct profile_warning {
    struct str code; /* stable word, e.g. "open-frames" */
    uint64_t count;
    bool has_offset;
    uint64_t offset; /* of the first occurrence: bytes from the beginning of the file */
    struct str text; /* one sentence, without the count's code or offset */
};

/* A fact about the recording, in the order to show: {"clock", "dual"}. */
struct profile_fact {
    struct str name, value;
};

struct profile_filtered; /* see filter.h */

struct profile {
    struct str format;       /* name of the input format's row, e.g. "android-trace" */
    struct str format_label; /* for people */

    const struct str *strings;
    uint32_t n_strings;
    const struct profile_frame *frames;
    uint32_t n_frames;

    uint32_t n_values;
    struct profile_value values[PROFILE_VALUES_MAX]; /* times first; the first one is the default */
    uint32_t n_times;     /* the first so many values are times: clocks that were read at each event */
    uint32_t ns_per_tick; /* of the clocks */

    uint32_t n_nodes;
    const frame_id *node_frame;
    const node_id *node_parent;
    const uint8_t *node_flags;
    const uint64_t *node_self;  /* [node * n_values + value] */
    const uint64_t *node_total; /* self and all descendants; same shape */

    const struct profile_track *tracks; /* by id */
    uint32_t n_tracks;

    const struct profile_warning *warnings;
    uint32_t n_warnings;
    const struct profile_fact *facts;
    uint32_t n_facts;

    const struct profile_filtered *filtered; /* what filters took out; NULL: there were none */
};

static inline struct str profile_string(const struct profile *p, string_id id)
{
    return p->strings[id];
}

static inline uint64_t profile_self(const struct profile *p, node_id node, uint32_t value)
{
    return p->node_self[(size_t)node * p->n_values + value];
}

static inline uint64_t profile_total(const struct profile *p, node_id node, uint32_t value)
{
    return p->node_total[(size_t)node * p->n_values + value];
}

/* Index of the value with this role or name, or n_values. */
uint32_t profile_value_by_role(const struct profile *p, enum profile_role role);
uint32_t profile_value_by_name(const struct profile *p, struct str name);

/* Whether waiting can be told: wall and CPU time are both recorded, and no value has that name. Their indexes. */
bool profile_waits(const struct profile *p, uint32_t *wall, uint32_t *cpu);

/* What the node itself has waited: wall less CPU time, not below 0. */
static inline uint64_t profile_waiting(const struct profile *p, node_id node, uint32_t wall, uint32_t cpu)
{
    uint64_t all = profile_self(p, node, wall), busy = profile_self(p, node, cpu);

    return all > busy ? all - busy : 0;
}

/* The track, or NULL. Binary search. */
const struct profile_track *profile_track_by_id(const struct profile *p, uint32_t id);

/* By which value tracks are ranked: thread-CPU time where it was recorded (a thread that only waits is not
 * busy), else the default value. */
uint32_t profile_weight_value(const struct profile *p);

/* Fills order[n_tracks] with indexes of p->tracks, the heaviest first; equal ones by id. */
void profile_tracks_by_weight(const struct profile *p, uint32_t *order);

/* Value of the fact, or an empty slice. */
struct str profile_fact(const struct profile *p, struct str name);

#endif
