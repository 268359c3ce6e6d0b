/* Bytes in, profile out: detect -> feed -> finish, for every format of parser/formats.c.
 *
 *     reader_init(&r, &arena, &limits, seed);
 *     while (more && reader_feed(&r, p, n))
 *         read on into p;
 *     const struct profile *profile = reader_finish(&r);
 *
 * Pieces may have any size; their memory may be reused at once. NULL at the end: r.diag says why. Any cutting
 * of the input gives the same profile. All memory comes from the arena, which must outlive the profile. */
#ifndef PARSER_READER_H
#define PARSER_READER_H

#include "core/arena.h"
#include "core/diag.h"
#include "core/hash.h"
#include "parser/profile.h"

struct format;
struct builder;

/* How large an input may be. Passing one is DIAG_LIMIT, unless a comment says otherwise. */
struct reader_limits {
    uint32_t methods;    /* lines of the method table */
    uint32_t threads;    /* distinct threads listed or recorded */
    uint32_t line_bytes; /* of one text line; longer ones are cut, with a warning */
    uint32_t name_bytes; /* of one class, method, signature, file or thread name; longer ones are cut, with a
                            warning */
};

extern const struct reader_limits READER_LIMITS_DEFAULT;

struct reader {
    struct arena *arena;
    struct reader_limits limits;
    struct diag diag;
    const struct format *format; /* NULL until detected */
    struct builder *builder;
    void *state;     /* the format's own */
    uint64_t offset; /* of the first byte that is not consumed */
    uint8_t *carry;  /* bytes that were fed but not consumed: the beginning of a record or line */
    size_t carry_bytes, carry_capacity;
    size_t enough_bytes; /* the format is asked again when this many are carried, or at the end */
};

/* False when the arena gives not even the beginning. */
bool reader_init(struct reader *r, struct arena *arena, const struct reader_limits *limits,
                 struct hash_seed seed) __attribute__((warn_unused_result));

/* False once the input is known to be unusable: r->diag is set, and further bytes are ignored. */
bool reader_feed(struct reader *r, const void *p, size_t n);

/* After the last byte. NULL on failure (r->diag). */
const struct profile *reader_finish(struct reader *r) __attribute__((warn_unused_result));

#endif
