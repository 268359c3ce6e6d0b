/* The packages and methods that profile/origin.c knows. */
#ifndef PROFILE_ORIGIN_TABLE_H
#define PROFILE_ORIGIN_TABLE_H

#include "profile/origin.h"

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
