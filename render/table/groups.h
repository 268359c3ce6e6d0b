/* Which row of the table a frame belongs to. */
#ifndef RENDER_TABLE_GROUPS_H
#define RENDER_TABLE_GROUPS_H

#include "render/names/names.h"
#include "render/view/asked.h"

struct groups {
    uint32_t n;
    uint32_t *of_frame; /* the row of each frame */
    frame_id *frame;    /* by row: the first of its frames, in the order of names */
};

/* Any kind but GROUP_THREAD. Rows are numbered in the bytewise order of their names; methods of equal text by their
 * signature, then by what else they differ in. False: the arena gives no more. */
bool groups_new(struct groups *g, const struct profile *p, const struct names *names, enum table_group kind,
                struct arena *arena) __attribute__((warn_unused_result));

/* The name of the frame's row, raw. */
struct str groups_name(const struct names *names, enum table_group kind, frame_id frame);

#endif
