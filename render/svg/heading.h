/* What a picture shows, in words: "main (21491) · wall time · 2.5 s". Raw text: who writes it cleans it. */
#ifndef RENDER_SVG_HEADING_H
#define RENDER_SVG_HEADING_H

#include "render/tree/tree.h"

/* The text of the root: the thread's name and id, or how many threads there are. At most `cells` for a name
 * (render/names/fit.h); what else there is is never cut. */
void heading_root(struct buf *b, const struct render_input *in, const struct tree *t, size_t cells);

/* What is measured, and how it counts methods that are never left where that was chosen: of wall time and waiting. */
void heading_value(struct buf *b, const struct render_input *in, const struct measure *m);

/* The name that heading_root cuts; empty where it has none. */
struct str heading_name(const struct render_input *in, const struct tree *t);

/* "1 stack", "83,753 stacks" */
void heading_count(struct buf *b, uint64_t n, const char *noun);

/* What the tree's tracks had of the value before they were filtered; 0 without filters. */
uint64_t heading_before(const struct render_input *in, const struct tree *t, struct str value);

#endif
