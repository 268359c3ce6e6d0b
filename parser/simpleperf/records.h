/* The records of a simpleperf report-sample file, one after the other from a whole file: a length of 4 bytes, little-endian, and
 * a message of so many bytes; a length of 0 ends them. */
#ifndef PARSER_SIMPLEPERF_RECORDS_H
#define PARSER_SIMPLEPERF_RECORDS_H

#include "core/arena.h"
#include "core/diag.h"
#include "core/str.h"
#include "parser/whole_file.h"

enum records_end {
    RECORDS_WHOLE,      /* there was an end */
    RECORDS_CUT,        /* the file ends before it, or within a record */
    RECORDS_UNREADABLE, /* the file could not be read */
    RECORDS_NO_MEMORY
};

struct records {
    const struct whole_file *file;
    struct arena *arena;
    uint64_t at;     /* of the next record */
    uint64_t record; /* of the one that was given out last */
    enum records_end end;
    uint8_t *piece; /* bytes of the file from piece_at on */
    uint64_t piece_at;
    size_t piece_bytes, capacity;
};

/* From `at` on. May be done again, to go through them again. */
void records_begin(struct records *r, uint64_t at);
/* The next one; valid until the next call. False: r->end. */
bool records_next(struct records *r, struct str *message);

#endif
