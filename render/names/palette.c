#include "render/names/palette.h"

#include "core/clean.h"

#define FNV_BASIS UINT32_C(2166136261)

/* FNV-1a, 32 bits: deterministic on purpose. */
static uint32_t fnv(uint32_t h, uint32_t byte)
{
    return (h ^ byte) * UINT32_C(16777619);
}

/* The code point in UTF-8. */
static uint32_t fnv_point(uint32_t h, uint32_t c)
{
    if (c < 0x80)
        return fnv(h, c);
    if (c < 0x800)
        return fnv(fnv(h, 0xc0 | c >> 6), 0x80 | (c & 0x3f));
    h = c < 0x10000 ? fnv(h, 0xe0 | c >> 12) : fnv(fnv(h, 0xf0 | c >> 18), 0x80 | (c >> 12 & 0x3f));
    return fnv(fnv(h, 0x80 | (c >> 6 & 0x3f)), 0x80 | (c & 0x3f));
}

unsigned palette_self_class(uint64_t self, uint64_t largest)
{
    __extension__ typedef unsigned __int128 u128;

    if (self == 0)
        return 0;
    u128 step = (u128)self * (PALETTE_SELF_CLASSES - 1) / ((u128)largest + 1);
    return step >= PALETTE_SELF_CLASSES - 1 ? PALETTE_SELF_CLASSES - 1 : 1 + (unsigned)step;
}

unsigned palette_classic_class(struct str text)
{
    uint32_t h = FNV_BASIS;

    while (text.n > 0)
        h = fnv_point(h, clean_next(&text));
    return h % PALETTE_CLASSIC_CLASSES;
}
