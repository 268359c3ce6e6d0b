/* Makes the table of a profile: see table.h for what it is. */
#ifndef RENDER_TABLE_METHODS_H
#define RENDER_TABLE_METHODS_H

#include "render/table/table.h"
#include "render/view/view.h"

/* Counts the tracks that `view` selects; `merged` is the same as `all`. Of a view that is resolved (view_resolve). Takes
 * memory for the rows, and for the deepest stack, which it gives back. NULL: the arena gives no more. */
const struct table *methods_new(const struct profile *p, const struct names *names,
                                const struct view_options *view, enum table_group group, struct arena *arena)
    __attribute__((warn_unused_result));

/* The tracks that `view` selects: indexes of p->tracks, ascending. NULL: the arena gives no more. */
const uint32_t *methods_tracks(const struct profile *p, const struct view_options *view, uint32_t *n,
                               struct arena *arena) __attribute__((warn_unused_result));

#endif
