/* The options of a view as the query of a link to another view of the same profile. */
#ifndef RENDER_VIEW_LINK_H
#define RENDER_VIEW_LINK_H

#include "render/view.h"

/* Appends what differs from the defaults, but for the tracks, which the URL's path names, and the budget, which it
 * cannot: `?value=cpu&view=icicle`, or nothing. Between two options stands `ampersand`: "&", or "&amp;" in XML and
 * HTML. The window goes with a chart only. */
void view_link(struct buf *b, const struct view_options *o, const char *ampersand);

#endif
