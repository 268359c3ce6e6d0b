/* Output "svg": a flame graph or icicle as one file that stands alone. */
#ifndef RENDER_SVG_H
#define RENDER_SVG_H

#include "core/str.h"

/* The content of the <style> element: the same bytes in every picture, so that one digest of a content
 * security policy allows it. Nothing else in a picture is style, and nothing is script. */
struct str svg_style(void);

#endif
