/* The text of an Android method trace: `*version`, `*threads` and `*methods` lines up to `*end`, as
 * dalvik/vm/Profile.c and art/runtime/trace.cc write them; readers disagree on odd lines, so none of them
 * fails the file here. Lines come one by one; what they say goes into this struct and into the builder's
 * strings and frames. */
#pragma once

#include "core/idmap.h"
#include "parser/format.h"
#include "profile/build/builder.h"

/* Method id -> frame. Ids are an index shifted left by two (ART 6 and later) or a pointer (before); bits 0
 * and 1, where records hold the action, are 0. As far as ids are dense they stand in an array: one load per
 * record; the others are in a map. */
struct method_table {
    struct arena *arena;
    uint64_t n_set;
    frame_id *dense; /* by id >> 2 */
    size_t n_dense;
    struct idmap map; /* ids that the array did not reach when they came, or that have one of the two bits */
};

void method_table_init(struct method_table *t, struct arena *arena, struct hash_seed seed);

/* False when the arena gives no more. */
bool method_table_set(struct method_table *t, uint64_t id, frame_id frame) MUST_CHECK;

/* FRAME_NONE if the id is not there. */
static inline frame_id method_table_get(const struct method_table *t, uint64_t id)
{
    if ((id >> 2) < t->n_dense && (id & 3) == 0)
        return t->dense[id >> 2];
    return idmap_get(&t->map, id);
}

enum key_clock {
    KEY_CLOCK_UNKNOWN, /* not named, or with a word that is not known */
    KEY_CLOCK_CPU,
    KEY_CLOCK_WALL, /* "wall", and "global" of old Dalvik */
    KEY_CLOCK_DUAL
};

struct key_section {
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;

    enum { KEY_VERSION, KEY_THREADS, KEY_METHODS, KEY_END } part;
    uint32_t lines_of_part;
    bool has_crlf;
    uint64_t version; /* 0: not a number */
    enum key_clock clock;
    bool elapsed_in_ns; /* the recorder's times are ns: elapsed-time-nsec */
    uint64_t elapsed;   /* in that unit or in µs; this and the next two: 0 if not there or no number */
    uint64_t declared_records;  /* num-method-calls */
    uint64_t clock_overhead_ns; /* of one reading of the clocks */
    struct method_table methods;
    uint32_t n_methods;       /* lines */
    uint32_t n_threads;       /* distinct ids: listed, and those counted beside them */
    struct idmap threads;     /* listed id -> string id of its name */
    struct idmap counted;     /* ids that were not listed when they were counted */
    struct idmap threads_low; /* id & 0xffff -> listed id: records of Android 4.4 to 13 hold 16 bits only */
    char *scratch;            /* name_bytes, for names that are rewritten */
};

/* False when the arena gives no more. */
bool key_section_init(struct key_section *k, struct builder *b, const struct reader_limits *limits,
                      struct diag *diag) MUST_CHECK;

/* One line without its LF, at byte `offset` of the file. False (diag set) when a limit is passed. */
bool key_section_line(struct key_section *k, struct str line, uint64_t offset) MUST_CHECK;

/* One line of the method table: `id TAB class TAB method TAB signature TAB file [TAB line]`, or one of its
 * shorter forms. */
bool key_section_method_line(struct key_section *k, struct str line, uint64_t offset) MUST_CHECK;

/* One method by its id, the line without the id's column. */
bool key_section_method(struct key_section *k, uint64_t id, struct str columns, uint64_t offset) MUST_CHECK;

/* One thread by its id, at most UINT32_MAX - 1. */
bool key_section_name_thread(struct key_section *k, uint32_t id, struct str name, uint64_t offset) MUST_CHECK;

/* The listed thread that records with this id belong to: its full id and name. False if none is listed. */
bool key_section_thread(const struct key_section *k, uint32_t record_id, uint32_t *listed_id,
                        string_id *name);

/* Name of the thread that is listed with exactly this id, or STRING_NONE. */
string_id key_section_thread_name(const struct key_section *k, uint32_t id);

/* Counts a thread that has a record at `offset` and is not listed, or not yet. Once for each. False (diag
 * set) when the limit is passed. */
bool key_section_count_thread(struct key_section *k, uint32_t id, uint64_t offset) MUST_CHECK;
