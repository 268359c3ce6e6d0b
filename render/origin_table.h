/* The packages and methods that render/origin.c knows. */
#ifndef RENDER_ORIGIN_TABLE_H
#define RENDER_ORIGIN_TABLE_H

#include "render/origin.h"

struct origin_prefix {
    struct str package; /* with all that stand below it; the longest one that fits decides */
    enum origin origin;
};

struct origin_idle {
    struct str scope;
    struct str name; /* a `*` at its end: all that begin so */
};

/* Both ascending, bytewise, the second by scope. */
extern const struct origin_prefix ORIGIN_PREFIXES[];
extern const size_t ORIGIN_PREFIXES_COUNT;
extern const struct origin_idle ORIGIN_IDLES[];
extern const size_t ORIGIN_IDLES_COUNT;

#endif
