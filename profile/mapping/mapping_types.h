/* Types of Java as they stand in class files (descriptors: `(La/b;[I)V`) and in sources (`a.b,int[]`). */
#ifndef PROFILE_MAPPING_MAPPING_TYPES_H
#define PROFILE_MAPPING_MAPPING_TYPES_H

#include "core/buf.h"

/* Takes one type off the front of a descriptor: its class (`a/b`), or its letter alone, and how many arrays it is of. False:
 * none stands there. */
struct type_in_descriptor {
    struct str class; /* empty: a primitive type */
    char letter;      /* of a primitive type */
    unsigned arrays;
};
bool type_next(struct str *rest, struct type_in_descriptor *type);

/* Parts `(..)..`; a descriptor of anything else is refused. */
bool type_split(struct str descriptor, struct str *params, struct str *returns);

/* Appends the type as in sources; a class is what `name` says of its dotted name. */
void type_put_source(struct buf *b, const struct type_in_descriptor *type, struct str class_name);

/* Appends a type of sources as in a descriptor. */
void type_put_descriptor(struct buf *b, struct str source);

/* Appends the text with `to` for each `from`. */
void type_put_replaced(struct buf *b, struct str text, char from, char to);

#endif
