/* Writing with a bare pointer into room that was reserved for the longest: `to` is where, the end of what was
 * written comes back. For what is written a hundred thousand times. */
#pragma once

#include <string.h>

#include "core/str.h"

static inline char *put_bytes(char *to, const char *p, size_t n)
{
    memcpy(to, p, n);
    return to + n;
}

static inline char *put_str(char *to, struct str s)
{
    return s.n > 0 ? put_bytes(to, s.p, s.n) : to;
}

#define PUT(to, literal) put_bytes(to, literal, sizeof(literal) - 1)
