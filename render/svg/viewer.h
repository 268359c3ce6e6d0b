/* What makes a picture one that can be worked with, compiled in by the build. Script
 * (static/flame-model.js, flame-filters.js, flame-views.js and flame.js in one function) and style
 * (static/flame.css) are the same bytes in every picture, so that one digest each of a content security
 * policy lets them through. Neither contains the end of a CDATA section. */
#pragma once

#include "core/str.h"

struct str viewer_script(void);
struct str viewer_style(void);
/* static/flame-controls.xml: what the script shows; <?word?> where something of the picture stands. */
struct str viewer_controls(void);
