/* What all Android method traces share, however their bytes are laid out: text lines, methods and threads by
 * id, the names of the clocks, and at the end all that header and records must not contradict.
 *
 *     android_init -> lines, methods and threads into .keys -> android_values -> android_track,
 *     android_unknown_method, android_events -> android_finish
 *
 * Functions that return false, NODE_NONE or FRAME_NONE have set *diag. */
#pragma once

#include "parser/android/key_section.h"
#include "parser/format.h"

enum { ANDROID_BATCH = 256 }; /* events that are decoded side by side */

extern const char ANDROID_PULL_AGAIN[]; /* the remedy for damage on the way */

/* For the checks: see common.c. */
enum {
    CHECKS_RECORDS = 1 << 16, /* of the beginning that are looked at for traces of sampling */
    CHECKS_STEPS = 512        /* steps of time between a thread's records, other than 0, that are enough */
};

struct android_checks {
    uint32_t n_records, n_steps;
    bool unrolled;   /* a sampling recorder never does */
    bool long_calls; /* the recorder leaves short calls out, so that steps are long anyway */
    uint64_t *last;  /* by track: clock of its last record */
    size_t last_capacity, n_last;
    uint64_t steps[CHECKS_STEPS]; /* ticks of the first clock */
    uint64_t reserved_records;    /* that were never filled in, and did not become events */
};

/* A thread that has records. Its name may come later than they do. */
struct android_thread {
    uint32_t thread; /* as in the records */
    uint32_t track;
    uint64_t offset; /* of the first record */
};

/* A method that has records and was not listed by then. Its line may come later than they do. */
struct android_unknown {
    uint64_t id;
    frame_id frame;
    uint64_t records, offset; /* of the first one */
};

struct android {
    struct source *source;
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    struct key_section keys;
    bool bare_exits;            /* exits name no method */
    bool short_threads;         /* records hold the lower 16 bits of thread ids only */
    bool is_piece;              /* of a file that is read in pieces: see android_piece */
    frame_id n_shared;          /* of a piece: the frames from here on are its unknown ones */
    bool wall, dual;            /* wall time is there; both clocks are: in an event, wall comes first */
    struct idmap unknown_index; /* method id that is not listed -> index of unknown */
    struct android_unknown *unknown;
    size_t n_unknown, unknown_capacity;
    struct android_thread *threads;
    size_t n_threads, threads_capacity;
    uint16_t *tracks; /* of short threads, by thread: track + 1; 0 = not seen. There are less than 65,536. */
    size_t n_tracks;  /* places in it */
    struct android_checks checks;

    /* Files with a summary at their end. */
    bool has_summary;
    bool ended;   /* nothing is read from end_offset on */
    bool damaged; /* because it makes no sense */
    uint64_t end_offset;
};

/* Whether a file begins with SLOW and a binary version, which is set then. For detection. */
enum detection android_slow_version(const uint8_t *p, size_t n, bool final, uint32_t *version);

bool android_init(struct android *a, struct reading *r) MUST_CHECK;

/* Reads one line of a text of which *left bytes are still to come; UINT64_MAX: nobody knows how many.
 * False: there is none, or the file ends within it. *ok = false: diag. */
bool android_line(struct android *a, uint64_t *left, bool *ok);

/* Reads so many bytes of text, which end a file. False: diag. The file may end before them. */
bool android_summary(struct android *a, uint64_t bytes) MUST_CHECK;
/* No packet begins like this. */
void android_damage(struct android *a, uint64_t offset);
/* For android_finish's callers whose files have a summary: goes to the end of the file, and warns if it
 * has none, or not the header's version, or something behind it. */
void android_check_end(struct android *a, uint32_t version);

/* Declares the values for this clock: wall and CPU, or one of them, and calls. */
bool android_values(struct android *a, enum key_clock clock) MUST_CHECK;
/* Where the text comes behind the records: gives a single clock, declared as any, its name. `assumed`: the
 * clock of a file that does not name it. */
bool android_late_clock(struct android *a, enum key_clock assumed) MUST_CHECK;

/* The track of a thread that is seen for the first time, in the record at `offset`. */
uint32_t android_track(struct android *a, uint32_t thread, uint64_t offset) MUST_CHECK;

/* What records are looked up in, out of the way of what is written meanwhile: to be taken again when a thread or a
 * method has come. */
struct android_tables {
    const uint16_t *tracks; /* as in struct android */
    size_t n_tracks;
    const frame_id *dense; /* as in struct method_table */
    size_t n_dense;
};

static inline struct android_tables android_tables(const struct android *a)
{
    return (struct android_tables){a->tracks, a->n_tracks, a->keys.methods.dense, a->keys.methods.n_dense};
}

/* Looks up thread and method of a record of short threads. False: one of them is not in the tables. */
static inline bool android_look_up(const struct android_tables *tables, uint32_t thread, uint32_t word,
                                   struct event *e)
{
    e->track = thread < tables->n_tracks ? (uint32_t)tables->tracks[thread] - 1 : UINT32_MAX;
    e->frame = word >> 2 < tables->n_dense ? tables->dense[word >> 2] : FRAME_NONE;
    return e->track != UINT32_MAX && e->frame != FRAME_NONE;
}

/* The same of a record of which one is not in the tables, by all that is known. False: diag. */
bool android_look_further(struct android *a, uint32_t thread, uint32_t word, uint64_t offset,
                          struct event *e) MUST_CHECK;

/* The frame that stands for a method that the table lacks; counts the record. */
frame_id android_unknown_method(struct android *a, uint64_t id, uint64_t offset) MUST_CHECK;

/* builder_events. */
bool android_events(struct android *a, const struct event *events, size_t n, uint64_t offset,
                    uint32_t stride) MUST_CHECK;

/* A piece of the records of a file, which is read at the same time as what comes before it: short threads, and methods
 * that are all listed before the records.
 *
 * android_piece begins one in an arena of its own. It shares what `a` knows, which must not change meanwhile but for
 * what records bring. A piece gives no names to threads and unknown methods. False: the arena gives no more.
 *
 * android_join adds the piece to `a`, behind all that comes before it in the file. False: diag. *joined: it was, see
 * builder_join; if not, the piece's records have to be read. */
bool android_join(struct android *a, const struct android *piece, bool *joined) MUST_CHECK;

bool android_fact_number(struct android *a, struct str name, uint64_t value) MUST_CHECK;
bool android_fact(struct android *a, struct str name, struct str value) MUST_CHECK;
/* How long the lists of methods and threads are, by now. */
bool android_fact_lists(struct android *a) MUST_CHECK;

/* Names the threads and makes the checks; false also if there was no record, which should have begun at
 * `data_offset`. The builder's clocks must be final. */
bool android_finish(struct android *a, uint64_t data_offset) MUST_CHECK;

enum { ANDROID_WINDOW_BYTES = 4096 }; /* of the binary part, that are looked at */

/* Whether the binary part of a method trace went through a conversion of text on its way. Such a file is
 * refused: what the conversion changed cannot be told from what was there. Only two conversions are looked
 * for, both where they are certain; all others are told at the end by the methods and threads that fit no
 * more (WARN_MOSTLY_UNLISTED).
 *
 * By the first n bytes of the binary part, which begins with its header at `offset` of the file: 0 where
 * names stand among the records, and not in a text before them. n is less than ANDROID_WINDOW_BYTES only
 * if the file ends. `lf_before`: text stands before them whose lines end in LF alone. True: diag is set. */
bool android_converted(const uint8_t *p, size_t n, uint64_t offset, bool lf_before, struct diag *diag);
