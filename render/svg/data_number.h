/* The numbers of DATA; see render/svg/data.h. */
#ifndef RENDER_SVG_DATA_NUMBER_H
#define RENDER_SVG_DATA_NUMBER_H

#include <stdint.h>

enum { DATA_NUMBER_BYTES_MAX = 13 };

static inline char *data_number(char *to, uint64_t value)
{
    static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

    for (; value >= 32; value >>= 5)
        *to++ = DIGITS[32 + (value & 31)];
    *to++ = DIGITS[value];
    return to;
}

#endif
