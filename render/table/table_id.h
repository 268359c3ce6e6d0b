/* The id of a method in links: the same in every profile and every run. It is the first 12 hexadecimal digits of SHA-256
 * over the frame's scope, name, signature, module and kind, raw, with a NUL between two of them. No frame has a kind
 * yet: it is empty. Two methods of a profile can have one id, if somebody tries long enough. */
#ifndef RENDER_TABLE_TABLE_ID_H
#define RENDER_TABLE_TABLE_ID_H

#include "core/sha256.h"
#include "render/table/table.h"

enum { TABLE_ID_DIGITS = 12 };

/* Of a row of a table of methods; terminated. False: the library failed. */
bool table_id(const struct table *t, uint32_t row, struct sha256 *h, char id[TABLE_ID_DIGITS + 1])
    __attribute__((warn_unused_result));

/* The same of a frame of a profile. */
bool table_frame_id(const struct profile *p, frame_id frame, struct sha256 *h, char id[TABLE_ID_DIGITS + 1])
    __attribute__((warn_unused_result));

/* Fills rows[max] with the rows of that id which are present, and *n with how many there are, also if that is more than
 * max. False: the library failed. */
bool table_by_id(const struct table *t, struct str id, struct sha256 *h, uint32_t *rows, uint32_t max,
                 uint32_t *n) __attribute__((warn_unused_result));

#endif
