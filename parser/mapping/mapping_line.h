/* Lines of a mapping.txt: see mapping_reader.h. */
#ifndef PARSER_MAPPING_MAPPING_LINE_H
#define PARSER_MAPPING_MAPPING_LINE_H

#include "profile/mapping/mapping.h"

/* `ORIGINAL -> RESIDUAL:`. The arrow may touch a name that ends in `-`. False: it is none. */
bool mapping_line_class(struct str line, struct str *original, struct str *residual);

/* What stands on both sides of the arrow of a member. False: there is none. */
bool mapping_line_member(struct str line, struct str *what, struct str *residual);

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
