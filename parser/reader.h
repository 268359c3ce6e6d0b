/* Bytes in, profile out: unpack -> detect -> feed -> finish, for every format of parser/formats.c, plain or packed in
 * one of the ways of parser/unpack/unpack.c.
 *
 *     reader_init(&r, &arena, &limits, seed);
 *     while (more && reader_feed(&r, p, n))
 *         read on into p;
 *     const struct profile *profile = reader_finish(&r, &file);
 *     reader_free(&r);
 *
 * Pieces may have any size; their memory may be reused at once. NULL at the end: r.diag says why. Any cutting
 * of the input gives the same profile. All memory comes from the arena, which must outlive the profile.
 *
 * Archives, and formats that say so in their row, are not read as they come by: reader_feed ends early, reader_wants_whole is
 * true, and reader_finish reads the file that it is given. */
#ifndef PARSER_READER_H
#define PARSER_READER_H

#include "core/arena.h"
#include "core/diag.h"
#include "core/hash.h"
#include "parser/format.h"
#include "parser/unpack/unpack.h"
#include "parser/whole_file.h"
#include "profile/profile.h"

/* Those of parser/format.h, where nothing else is configured. */
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

    enum { READER_BEGINS, READER_PLAIN, READER_PACKED, READER_ARCHIVE } way;
    uint8_t head[UNPACK_MAGIC_BYTES]; /* while it begins: bytes that do not tell yet whether it is packed */
    size_t head_bytes;
    struct str member;
    struct unpack *unpack;
    bool packed_twice; /* what came out first is packed itself */
    struct diag unpack_diag;
};

/* False when the arena gives not even the beginning. */
bool reader_init(struct reader *r, struct arena *arena, const struct reader_limits *limits,
                 struct hash_seed seed) __attribute__((warn_unused_result));

/* Of an archive, this member is meant: a name as unpack_member_name gives it, which must stay; p NULL: the only one.
 * Before the first byte. DIAG_USAGE later if the input is no archive. */
void reader_choose(struct reader *r, struct str member);

/* False once no more bytes are taken: the input is known to be unusable, and r->diag is set; or reader_wants_whole. */
bool reader_feed(struct reader *r, const void *p, size_t n);
/* Whether what was fed so far is the beginning of a file that is read as a whole. */
bool reader_wants_whole(const struct reader *r);

/* After the last byte. `file`: what reader_feed was given the beginning of, or all; what is read as a whole is read from it now.
 * NULL: there is no file, and what is read as a whole is refused. NULL on failure (r->diag). */
const struct profile *reader_finish(struct reader *r, const struct whole_file *file)
    __attribute__((warn_unused_result));

/* Without reader_finish before it, or behind it; at any time, and again. */
void reader_free(struct reader *r);

#endif
