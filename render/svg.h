/* Output "svg": a flame graph or icicle as one file that stands alone. */
#ifndef RENDER_SVG_H
#define RENDER_SVG_H

#include "core/str.h"

/* The content of the <style> element: the same bytes in every picture, so that one digest of a content
 * security policy allows it. Nothing else in a picture is style, and nothing is script. */
struct str svg_style(void);

/* The <style> element of a picture, with its tags: for pages that take its elements and load the style on their
 * own. Empty, at the picture's end, if there is none. */
struct str svg_style_element(struct str svg);

#endif
