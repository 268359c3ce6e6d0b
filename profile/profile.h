/* The model, as its readers see it: strings -> frames -> nodes -> tracks, flat arrays with 32-bit ids. A
 * profile is immutable once reader_finish has given it out and may be read by many threads; it lives in its
 * job's arena.
 *
 * Nodes are numbered in pre-order, track after track: a parent's id is smaller than its children's, and the
 * nodes of a track are the range [first, first + count). Totals are one backward scan, depths one forward
 * scan. */
#pragma once

#include "core/buf.h"
#include "core/str.h"
#include "core/strtab.h"
#include "core/unit.h"

struct profile_filtered; /* see filter.h */
struct profile_symbols;  /* see symbols.h */
struct profile_mapped;   /* see rename.h */
struct profile_compared; /* see compare.h */

typedef uint32_t frame_id;
typedef uint32_t node_id;
#define FRAME_NONE UINT32_MAX /* of a track's root */
#define NODE_NONE  UINT32_MAX /* parent of a track's root */

enum { PROFILE_VALUES_MAX = 32, PROFILE_CLOCKS_MAX = 7 };

/* What a value measures; views that know a role may derive from it: see thread_time.h.
 *
 * Waiting is wall less CPU time: all that a thread is not on a processor. Where the scheduler has told the states of
 * threads exactly, each state is a value beside it: runnable, sleeping, blocked, io and unknown time add up to waiting,
 * and with CPU time to wall time. */
enum profile_role {
    ROLE_OTHER,
    ROLE_WALL,
    ROLE_CPU,
    ROLE_RUNNABLE, /* a thread could run, and no processor is free */
    ROLE_SLEEPING, /* it waits for an event: a lock, a message, an answer, a time */
    ROLE_BLOCKED,  /* it waits in the kernel and cannot be interrupted, for what is not input or output */
    ROLE_IO,       /* it waits for input or output */
    ROLE_UNKNOWN,  /* it is stopped or dead, or nothing says what it does */
    ROLE_WAITING,  /* off the CPU, as measured: not what is derived of wall and CPU time */
    ROLE_CALLS,
    ROLE_SAMPLES,    /* how often a stack was seen */
    ROLE_ALLOCATED,  /* bytes, all of the recording */
    ROLE_UNRELEASED, /* bytes that are held at a moment: never summed over moments */
    ROLE_OBJECTS,    /* how many allocations either of the two is */
    ROLE_ROLES       /* how many there are */
};

struct profile_value {
    struct str name;  /* as in URLs and files: "wall", "cpu", "calls", "samples" */
    struct str label; /* for people: "wall time" */
    enum unit unit;
    enum profile_role role;
};

/* Part of a frame's identity. What a format does not tell is FRAME_KIND_UNKNOWN, and so is every method of
 * a trace in which all are of one kind. */
enum frame_kind {
    FRAME_KIND_UNKNOWN,
    FRAME_KIND_JAVA,
    FRAME_KIND_NATIVE,
    FRAME_KIND_KERNEL,
    FRAME_KIND_INLINED, /* into the frame that is its caller */
    FRAME_KIND_ERROR,   /* no function: why the rest of the stack is missing */
    FRAME_KINDS
};

/* "java", "native", ..; of FRAME_KIND_UNKNOWN the empty word. */
const char *frame_kind_word(enum frame_kind kind);

/* One function. A frame of a method trace is class + method + signature: overloads stay apart. */
struct profile_frame {
    string_id scope;     /* class, dotted; empty where the name is all there is */
    string_id name;      /* method or function; may be empty where only the class is known */
    string_id signature; /* JVM descriptor, or empty */
    string_id file;      /* source file, or empty; not part of the identity */
    string_id module;    /* mapped file of a native frame, or empty */
    string_id build_id;  /* of the module: hexadecimal digits or what the file has; or empty */
    enum frame_kind kind;
    bool is_script;   /* of JavaScript, where dots part no packages; not part of the identity */
    uint32_t line;    /* in the file, or 0; not part of the identity */
    uint64_t address; /* in the module, of the first such frame, or 0; not part of the identity */

    /* Of a nameless frame: the file that was read has no name for it, and `name` only says so. Symbols may
     * know what stands at its address, which belongs to the identity where builder_keep_addresses says so.
     * The address is right if the file of the module is shifted by load_bias, which was at map_offset of
     * it when it was mapped; see symbols.h. */
    bool nameless;
    /* p_vaddr - p_offset of its code, as far as the recorder knew it; PROFILE_BIAS_KNOWN: it did. */
    uint64_t load_bias;
    uint64_t map_offset;
};
#define PROFILE_BIAS_KNOWN UINT64_MAX

enum node_flag {
    NODE_RECURSIVE =
        1 /* the frame is open already further up this stack: all its calls are recursive calls */
};

enum track_kind {
    TRACK_THREAD,
    TRACK_HEAP, /* of a process */
    TRACK_PROCESS,
    TRACK_LABEL, /* samples with one value of a label: see struct profile_label */
    TRACK_ASYNC, /* sections of a process that no thread is in: they begin on one thread and may end on another */
    TRACK_SAMPLES, /* samples of a thread, in a profile that has the sections of threads as well */
    TRACK_SECOND,  /* more sections of a thread that has a track: its time is counted there, too */
    TRACK_WHOLE,   /* of a file that tells none of these */
    TRACK_KINDS
};

/* One graph: a thread that has at least one record, a heap of a process, a process, the samples with one
 * value of a label, or the whole of a folded file: see track.h for how it is called. The first node is the
 * root: it stands for the track itself, and time in no frame is its self. */
struct profile_track {
    uint32_t id; /* unique within the profile; in URLs and file names */
    string_id name;
    enum track_kind kind;
    uint32_t number;  /* that people know it by: tid or pid, by its kind */
    uint32_t process; /* pid of a thread, where the file says it of each; else 0: see track_process */
    string_id part;   /* of a heap: which one of the process; else empty */
    uint32_t beside;  /* of samples: the id of the track with the sections of their thread; else 0 */
    string_id group;  /* what it belongs to, in words, or empty: the process of a thread */
    uint32_t first_moment, n_moments; /* its moments, in profile.moments; none but of a series */
    uint32_t values; /* a bit for each value of the profile that its records can have; 0: all of them */
    node_id first;
    uint32_t count;   /* nodes, the root included */
    uint64_t records; /* of the input */
    uint64_t calls;
    uint64_t begin_ns, end_ns; /* first clock at its first and last record, since the trace's start */
    uint32_t re_roots;         /* calls entered before its first record and left later */
    node_id open;     /* the innermost frame that is open behind the last record; the root: none is */
    uint64_t rest_ns; /* wall time from end_ns to the last end_ns of all; 0 without wall time */
};

/* One dump of a series: the values of its track's nodes as they were at that time. */
struct profile_moment {
    uint64_t time_ns; /* since the first one of the profile */
};

/* How values went from moment to moment: of each node the changes that are not all 0, by moment. What a
 * node has at a moment is the sum of its changes up to it, and node_self is the sum of all: the last
 * moment. See profile/transform/transform.h. */
struct profile_series {
    const uint32_t *first;  /* [n_nodes + 1]: the changes of a node are [first[node], first[node + 1]) */
    const uint32_t *moment; /* of each change: from 0 in its track, ascending */
    const int64_t *change;  /* [change * n_values + value] */
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

/* What samples were labelled with when they were taken: a key, and a value for each sample that has it. */
struct profile_label {
    struct str key;
    uint32_t values; /* different ones, counted up to PROFILE_LABEL_VALUES_MAX */
};

enum { PROFILE_LABELS_MAX = 64, PROFILE_LABEL_VALUES_MAX = 10000 };

/* In the order to show. */
enum counter_kind {
    COUNTER_APP,       /* the app's own */
    COUNTER_MEMORY,    /* of the app */
    COUNTER_FREQUENCY, /* of a processor */
    COUNTER_OTHER
};

/* A number that the recording tells again and again. What was read holds until the next reading. */
struct profile_counter {
    string_id name;
    string_id group; /* the process that it is of; or empty */
    string_id unit;  /* "bytes", "MHz", ..; or empty */
    enum counter_kind kind;
    unsigned decimals; /* values are told times 10^decimals */
    uint32_t first, n; /* its readings, in profile.readings: at least one, in the order of time */
    int64_t least, most;
};

struct profile_reading {
    uint64_t time_ns; /* since the trace's start */
    int64_t value;
};

enum { PROFILE_COUNTERS_MAX = 256 };

/* Why a frame was late: the bits of the recorder (JankType of protos/perfetto/trace/android/frame_timeline_event.proto), and one of
 * our own. */
enum screen_cause {
    SCREEN_APP_BITS =
        0x40 | 0x100 | 0x1000, /* the app missed its deadline; not known; it was brought in step again */
    SCREEN_NO_CAUSE_BITS = 0x1 | 0x800, /* none; nothing moved */
    SCREEN_SLOW = 0x10000 /* its work on the main thread alone took longer than a frame at 60 Hz */
};

/* A picture that the app had shown on the screen: from where its work was due to begin to where it was shown. */
struct profile_screen_frame {
    uint64_t begin_ns, end_ns; /* since the trace's start */
    uint64_t due_ns;           /* when it should have ended; 0: nobody says */
    uint64_t number;           /* by which the system knows it; 0: none */
    uint32_t causes;           /* 0: it is in time */
};

enum {
    PROFILE_SCREEN_FRAMES_MAX = 1 << 17,
    PROFILE_PHASES_MAX = 8,
    SCREEN_SLOW_NS = 16700000 /* after which a screen that is drawn 60 times a second misses a frame */
};

/* A step of the app's start, as a section of its main thread tells it. */
struct profile_phase {
    string_id name;
    uint64_t begin_ns, end_ns; /* since the trace's start */
};

/* What the file says of one call beside its method. The call is known by its track and its begin; the frame is the one that the file
 * has, before any transform gave it another name (rename_became of rename.h). */
struct profile_note {
    uint32_t track; /* its id */
    frame_id frame;
    uint64_t begin_ns; /* since the trace's start */
    string_id name, value;
};

/* A thread that waited can go on since another one, or an interrupt, woke it. */
struct profile_wake {
    uint64_t time_ns; /* since the trace's start */
    uint32_t track;   /* the id of who is woken */
    uint32_t waker;   /* the id of who did it; 0: it has no track */
};
#define PROFILE_WAKE_INTERRUPT UINT32_MAX /* a waker that is no thread */

enum { PROFILE_WAKES_MAX = 1 << 20 /* of a recording that has more, none is kept */ };

enum { PROFILE_NOTES_MAX = 1 << 18, PROFILE_NOTES_AT_ONCE_MAX = 64 /* of calls that begin at one time */ };

struct profile {
    struct str format;       /* name of the input format's row, e.g. "android-trace" */
    struct str format_label; /* for people */

    const struct str *strings;
    uint32_t n_strings;
    const struct profile_frame *frames;
    uint32_t n_frames;

    uint32_t n_values;
    struct profile_value values[PROFILE_VALUES_MAX]; /* times first; the first one is the default */
    uint32_t n_times;     /* the first so many values are times: clocks that were read at each event; but see
                             profile_track_times */
    uint32_t n_beside;    /* with times: so many values behind those and the calls are of samples and heaps */
    uint32_t ns_per_tick; /* of the clocks */
    /* How many bytes are allocated from one sample to the next, on average; 0: all are counted, or nobody knows. */
    uint64_t sampled_bytes;
    /* Records have times: tracks have begin_ns and end_ns, and a log of calls can be written of them. */
    bool timed;

    uint32_t n_nodes;
    const frame_id *node_frame;
    const node_id *node_parent;
    const uint8_t *node_flags;
    /* Signed values are kept in two columns that are not below 0: what goes up in the value's own, what
     * goes down in another one. In the self of one node one of the two is 0; of totals neither need be. So
     * pictures draw what goes up, and whoever shows numbers shows the difference: see profile_minus_self. */
    uint32_t n_minus;                   /* columns for what goes down, behind those of the values */
    uint32_t minus[PROFILE_VALUES_MAX]; /* by value: that column; 0: the value is not signed */
    const uint64_t *node_self;          /* [node * profile_stride + value] */
    const uint64_t *node_total;         /* self and all descendants; same shape */

    const struct profile_track *tracks; /* by id */
    uint32_t n_tracks;

    const struct profile_moment *moments; /* those of the first track that has some, then the next one's */
    uint32_t n_moments;
    struct profile_series series; /* if there are moments */

    const struct profile_note *notes; /* by track, then by begin; of one call as the file has them */
    const struct profile_wake *wakes; /* by track, then by time */
    uint32_t n_notes, n_wakes;

    const struct profile_counter *counters; /* by kind; of one kind those with most readings first */
    const struct profile_reading *readings;
    uint32_t n_counters;

    uint32_t n_screen_frames;
    const struct profile_screen_frame *screen_frames; /* by their begin */
    const struct profile_phase *phases;               /* in the order in which they ended */
    uint32_t n_phases;

    uint32_t n_warnings;
    const struct profile_warning *warnings;
    const struct profile_fact *facts;
    uint32_t n_facts;

    /* As they first come in the file, PROFILE_LABELS_MAX of them at most. */
    const struct profile_label *labels;
    uint32_t n_labels;
    struct str split; /* the key of the label whose values the tracks are; empty: they are none */

    const struct profile_mapped *mapped;     /* whose frames were renamed; NULL: as they were read */
    const struct profile_symbols *symbols;   /* what was found for nameless frames; NULL: nobody looked */
    const struct profile_filtered *filtered; /* what filters took out; NULL: there were none */
    const struct profile_compared *compared; /* NULL: it is no comparison */
};
static inline struct str profile_string(const struct profile *p, string_id id)
{
    return p->strings[id];
}

/* A file may have tracks of calls beside tracks of samples and of heaps. Each kind of track has values of its own, which
 * are 0 on all other tracks, and only calls have clocks. */
static inline bool track_has(const struct profile_track *t, uint32_t value)
{
    return t->values == 0 || (t->values >> value & 1) != 0;
}

/* The first of its values. */
static inline uint32_t track_first_value(const struct profile_track *t)
{
    return t->values == 0 ? 0 : (uint32_t)__builtin_ctz(t->values);
}

/* How many clocks were read at each record of the track: all those of the profile, or none. */
static inline uint32_t profile_track_times(const struct profile *p, const struct profile_track *t)
{
    return track_has(t, 0) ? p->n_times : 0;
}

/* Which values are those of samples. */
static inline uint32_t profile_first_of_samples(const struct profile *p)
{
    return p->n_times > 0 ? p->n_times + 1 : 0;
}
static inline uint32_t profile_n_of_samples(const struct profile *p)
{
    return p->n_times > 0 ? p->n_beside : p->n_values;
}

/* Columns of a node. */
static inline uint32_t profile_stride(const struct profile *p)
{
    return p->n_values + p->n_minus;
}
static inline uint64_t profile_self(const struct profile *p, node_id node, uint32_t value)
{
    return p->node_self[(size_t)node * profile_stride(p) + value];
}
static inline uint64_t profile_total(const struct profile *p, node_id node, uint32_t value)
{
    return p->node_total[(size_t)node * profile_stride(p) + value];
}

/* What goes down of a signed value; 0 of another. */
static inline uint64_t profile_minus_self(const struct profile *p, node_id node, uint32_t value)
{
    return p->minus[value] > 0 ? profile_self(p, node, p->minus[value]) : 0;
}
static inline uint64_t profile_minus_total(const struct profile *p, node_id node, uint32_t value)
{
    return p->minus[value] > 0 ? profile_total(p, node, p->minus[value]) : 0;
}

/* Of sizes that are estimated from samples, how many bytes a sample stands for; 0: they are not, or they
 * are differences. */
static inline uint64_t profile_sample_bytes(const struct profile *p)
{
    return p->n_minus == 0 ? p->sampled_bytes : 0;
}

/* Index of the value with this role or name, or n_values. */
uint32_t profile_value_by_role(const struct profile *p, enum profile_role role);
uint32_t profile_value_by_name(const struct profile *p, struct str name);

/* Whether there are calls beside samples or heaps. */
static inline bool profile_is_mixed(const struct profile *p)
{
    return p->n_beside > 0;
}
/* The track, or NULL. Binary search. */
const struct profile_track *profile_track_by_id(const struct profile *p, uint32_t id);

/* The place of `number` in list[n], which is ascending, or n. Binary search: for tracks that were chosen,
 * by their index. */
uint32_t profile_place(const uint32_t *list, uint32_t n, uint32_t number);

/* The same for the id of a track of the profile. */
uint32_t profile_place_of_id(const struct profile *p, const uint32_t *tracks, uint32_t n, uint32_t id);

/* From when until when there is a track; UINT64_MAX and 0 without any. */
void profile_times(const struct profile *p, uint64_t *begin_ns, uint64_t *end_ns);

/* By which value tracks are ranked: thread-CPU time where it was recorded (a thread that only waits is not
 * busy), else the first value that is not 0 everywhere. */
uint32_t profile_weight_value(const struct profile *p);

/* What the track weighs by that value. */
uint64_t profile_work(const struct profile *p, const struct profile_track *t, uint32_t value);

/* Fills order[n_tracks] with indexes of p->tracks, the heaviest first; equal ones by id. */
void profile_tracks_by_weight(const struct profile *p, uint32_t *order);
/* Index of the first one of that order. 0 without tracks. */
uint32_t profile_heaviest(const struct profile *p);
/* Index of the track that is shown where none is asked for: the heaviest one named main, else the heaviest. 0 without
 * tracks. */
uint32_t profile_first_shown(const struct profile *p);

/* Value of the fact, or an empty slice. */
struct str profile_fact(const struct profile *p, struct str name);
/* Whether a recorder of calls looked at the stacks every so often: its calls are guesses, and their number means little. */
bool profile_is_sampled(const struct profile *p);

/* Notes of calls that begin on that track at that time; *n: how many. */
const struct profile_note *profile_notes(const struct profile *p, uint32_t track_id, uint64_t begin_ns,
                                         uint32_t *n);

/* Who woke the thread of that track at that time; NULL: nobody says. */
const struct profile_wake *profile_wake(const struct profile *p, uint32_t track_id, uint64_t time_ns);

/* How many of the frames that the app showed were late. */
uint32_t profile_late_frames(const struct profile *p);

/* "app", "memory", ..: stable words. */
const char *counter_kind_word(enum counter_kind kind);

/* Appends a value of the counter for people: "22.9 MiB", "1,804.8 MHz", "-3". */
void profile_counter_value(const struct profile *p, const struct profile_counter *c, int64_t value,
                           struct buf *to);

/* What values mean, in words for people. */

/* "bytes that were allocated and not released yet"; empty of a value that only its own name explains. */
struct str value_meaning(enum profile_role role);

/* "bytes", "time", "count" */
const char *value_unit_words(enum unit unit);
