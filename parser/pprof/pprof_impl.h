/* The inside of pprof's reader, shared by its files.
 *
 * A file is one message (github.com/google/pprof: proto/profile.proto), plain or packed by gzip. Its
 * fields may stand in any order, strings usually last, so it is read as a whole: once for the tables, then
 * for the samples.
 *
 *   Profile   1 sample types, 2 samples, 3 mappings, 4 locations, 5 functions, 6 strings (the first is ""), 7 pattern of
 *             frames to leave out, 9 time in ns, 10 duration in ns, 11 type of the period, 12 period, 13 comments,
 *             14 default sample type
 *   ValueType 1 type, 2 unit                 Sample   1 locations (the innermost first), 2 values, 3 labels
 *   Label     1 key, 2 text, 3 number,       Mapping  1 id, 2 first address, 3 end, 4 offset in
 *             4 unit of the number                    the file, 5 file, 6 build id
 *   Location  1 id, 2 mapping, 3 address, 4 lines (the innermost first: all but the last were inlined into the next)
 *   Line      1 function, 2 line             Function 1 id, 2 name, 3 system name, 4 file
 *
 * What is a text is the place of a string in the table. */
#pragma once

#include "core/idmap.h"
#include "core/protobuf.h"
#include "parser/format.h"

enum { PPROF_TYPES_MAX = PROFILE_VALUES_MAX };

struct pprof_type {
    uint64_t type, unit; /* strings */
};

struct pprof_function {
    uint64_t name, system_name, file; /* strings */
};

struct pprof_mapping {
    uint64_t file, build_id; /* strings */
    uint64_t start, offset;
};

struct pprof_location {
    uint64_t mapping, address;
    struct str message; /* for its lines */
    bool resolved;
    size_t first, n; /* then: its frames, the outermost first */
};

/* All labels that were met. */
struct pprof_labels {
    struct idmap places; /* of the string of a key -> its index */
    struct idmap values; /* those that were met, as hashes of the index and the text */
    struct profile_label list[PROFILE_LABELS_MAX];
    bool chosen[PROFILE_LABELS_MAX];
    uint32_t n;
};

struct pprof {
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    struct arena *arena;
    struct str bytes; /* the file */

    struct str *strings;
    size_t n_strings, strings_capacity;
    struct idmap function_ids, mapping_ids, location_ids; /* id -> place below */
    struct pprof_function *functions;
    size_t n_functions, functions_capacity;
    struct pprof_mapping *mappings;
    size_t n_mappings, mappings_capacity;
    struct pprof_location *locations;
    size_t n_locations, locations_capacity;
    size_t unlisted; /* the place of what stands for locations that are not listed, from 1; 0: not made yet */
    frame_id *frames; /* of locations */
    size_t n_frames, frames_capacity;

    struct pprof_type types[PPROF_TYPES_MAX];
    uint32_t n_types; /* of the file; those from PPROF_TYPES_MAX on are left out */
    uint64_t default_type, drop_frames;
    uint64_t time_ns, duration_ns, period, comment;
    struct pprof_type period_type;

    bool negative;                    /* a value is */
    bool filled[PPROF_TYPES_MAX];     /* a value of that type is not 0 */
    uint32_t order[PPROF_TYPES_MAX];  /* of the profile's values: which type each is */
    int64_t factors[PPROF_TYPES_MAX]; /* of each type's numbers, to the unit of its value */
    uint64_t n_samples;
    struct pprof_labels labels;
    uint64_t bad_references, bad_counts;
};

/* pprof_tables.c: what the file lists, but the samples, of which it counts what they have. False: diag. */
bool pprof_read_tables(struct pprof *p);
/* What the values mean. False: diag. */
bool pprof_declare(struct pprof *p);
/* A string of the file; empty where there is none. */
struct str pprof_string(struct pprof *p, uint64_t place);
/* A location with its frames; one that is not listed has a frame that says so. NULL: no memory. */
const struct pprof_location *pprof_location(struct pprof *p, uint64_t id);
/* A string of the builder, cut to the limit. STRING_NONE: no memory. */
string_id pprof_name(struct pprof *p, struct str text);
