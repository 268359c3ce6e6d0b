/* Reads a mapping.txt of ProGuard or R8 as it arrives, and keeps what profile/mapping/mapping.h is asked for.
 *
 *     mapping_reader_new -> mapping_reader_feed .. -> mapping_reader_finish, mapping_reader_free
 *
 * The layout, by lines:
 *
 *     # text                                           comment; R8 writes "# pg_map_id: .." and others at the beginning
 *     ORIGINAL -> RESIDUAL:                            a class
 *     # {"id": .., ..}                                 what R8 says of the class or member above: struct mapping_comment
 *         [FROM:TO:]TYPE NAME[(TYPES)][:FROM[:TO]] -> RESIDUAL     a member of it: struct mapping_line_method
 *
 * Lines that are none of these are counted and left out. Memory is bounded by the longest line that is read (see the .c) and
 * by what is asked for. One thread. */
#ifndef PARSER_MAPPING_MAPPING_READER_H
#define PARSER_MAPPING_MAPPING_READER_H

#include "core/diag.h"
#include "core/str.h"
#include "profile/mapping/mapping.h"

struct mapping_reader;

/* NULL: no memory. */
struct mapping_reader *mapping_reader_new(struct mapping *m) __attribute__((warn_unused_result));

void mapping_reader_free(struct mapping_reader *r); /* NULL is fine */

/* False: diag, which belongs to the reader, says why it is no mapping, or the arena of the mapping gives no more (its `failure`). */
bool mapping_reader_feed(struct mapping_reader *r, const void *p, size_t n)
    __attribute__((warn_unused_result));

/* Behind the last byte. False as above. */
bool mapping_reader_finish(struct mapping_reader *r) __attribute__((warn_unused_result));

const struct diag *mapping_reader_diag(const struct mapping_reader *r);

/* What R8 says in comments of the form `# {"id": "..", ..}`, of the class or member above. Which there are, and what they mean, is
 * said in doc/retrace.md of R8; ids that are not known are passed over, as it asks for.
 *
 * They are JSON; some writers use single quotes or none around keys, so this reads words rather than JSON. */

enum mapping_comment_kind {
    MAPPING_COMMENT_OTHER,
    MAPPING_COMMENT_SOURCE_FILE, /* of the class: text */
    MAPPING_COMMENT_RESIDUAL,    /* of the member, its descriptor in the release build: text */
    MAPPING_COMMENT_OUTLINE,     /* The member is an outline. */
    MAPPING_COMMENT_CALLSITE,    /* The member calls an outline: see mapping_comment_position. */
    MAPPING_COMMENT_REWRITE /* of the member: `text` is the exception's descriptor, and so many frames go */
};

struct mapping_comment {
    enum mapping_comment_kind kind;
    struct str text;
    uint32_t remove;
    struct str positions;
};

/* `text` begins with the brace. */
struct mapping_comment mapping_comment_parse(struct str text);

/* Takes one position off the front: the outline's line, and the caller's. False: there are no more. */
bool mapping_comment_position(struct str *positions, uint32_t *outline_line, uint32_t *line);

/* `ORIGINAL -> RESIDUAL:`. The arrow may touch a name that ends in `-`. False: it is none. */
bool mapping_line_class(struct str line, struct str *original, struct str *residual);

/* A method in words. */
struct mapping_line_method {
    struct str owner, name, params, returns;
    uint32_t min_from, min_to, original_from, original_to;
    unsigned flags; /* enum mapping_member_flag */
};

enum mapping_line_kind { MAPPING_LINE_METHOD, MAPPING_LINE_FIELD, MAPPING_LINE_BAD };

/* Parts what stands in front of the arrow. *m is filled for a method. */
enum mapping_line_kind mapping_line_parse(struct str what, struct mapping_line_method *m);

#endif
