/* The script and the style of every picture that can be worked with: static/flame.js and static/flame.css, compiled
 * in by the build. The same bytes in every picture, so that one digest each of a content security policy lets
 * them through. Neither contains the end of a CDATA section. */
#ifndef RENDER_VIEWER_H
#define RENDER_VIEWER_H

#include "core/str.h"

struct str viewer_script(void);
struct str viewer_style(void);

#endif
