/* What R8 says in comments of the form `# {"id": "..", ..}`, of the class or member above. Which there are, and what they mean, is
 * said in doc/retrace.md of R8; ids that are not known are passed over, as it asks for.
 *
 * They are JSON; some writers use single quotes or none around keys, so this reads words rather than JSON. */
#ifndef PARSER_MAPPING_MAPPING_COMMENT_H
#define PARSER_MAPPING_MAPPING_COMMENT_H

#include "core/str.h"

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

#endif
