/* Style and script of a picture: how they stand in its file, and the picture without them. */
#ifndef RENDER_SVG_SVG_CODE_H
#define RENDER_SVG_SVG_CODE_H

#include "core/buf.h"

/* What the element of a picture says of itself: whether its filters left nothing, and behind which of them that was so. */
bool svg_emptied_by(struct str svg, uint32_t *step);

/* The elements that hold style and script. Nothing else in a picture is style or script. */
void svg_put_style(struct buf *out, struct str style);
void svg_put_script(struct buf *out, struct str script);

/* A picture without these two elements, in three pieces: for pages that take the others and load the same style and script
 * as files. What is no picture of this program comes back whole, in the first piece. */
struct svg_parts {
    struct str pieces[3];
};
struct svg_parts svg_without_code(struct str svg);

#endif
