/* Where code can come from, and the packages and methods of which that is known. */
#pragma once

#include "core/str.h"

/* The numbers stand in pictures (classes o0 .. o8) and their data. */
enum origin {
    ORIGIN_APP,
    ORIGIN_LIBRARY,
    ORIGIN_ANDROIDX,
    ORIGIN_ANDROID,
    ORIGIN_JAVA,   /* Java and Kotlin */
    ORIGIN_NATIVE, /* of a mapped file */
    ORIGIN_IDLE,   /* waits, whatever it belongs to */
    ORIGIN_UNKNOWN,
    ORIGIN_ERROR, /* no code: why the rest of the stack is missing */
    ORIGIN_TRACK, /* not a frame: a node that stands for a track */
    ORIGINS = ORIGIN_TRACK
};

struct origin_prefix {
    struct str package; /* with all that stand below it; the longest one that fits decides */
    enum origin origin;
};

/* Ascending, bytewise. */
extern const struct origin_prefix ORIGIN_PREFIXES[];
extern const size_t ORIGIN_PREFIXES_COUNT;
