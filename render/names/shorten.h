/* Names that fit their box. */
#ifndef RENDER_NAMES_SHORTEN_H
#define RENDER_NAMES_SHORTEN_H

#include "render/names/names.h"
#include "render/view/view.h"

/* Appends the longest form of the frame's text that stands in `cells` (see fit.h), cleaned and escaped for XML:
 *
 *   com.example.foo.Foo.bar    c.e.f.Foo.bar    Foo.bar    F.bar    bar    ba..
 *
 * With NAMES_FULL the first, cut at its end. Nothing below FIT_CELLS_LEAST cells. `parameters`: with their types behind
 * it, as `(int, String)`, or the signature as it is where it is no descriptor of the JVM. */
void shorten_xml(struct buf *b, const struct names *n, frame_id frame, enum view_names names, bool parameters,
                 size_t cells);

#endif
