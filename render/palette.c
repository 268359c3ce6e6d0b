#include "render/palette.h"

#define COLOUR(number, light, dark) {light, dark},

const struct palette_colour PALETTE[PALETTE_CLASSES] = {PALETTE_COLOURS(COLOUR)};

/* FNV-1a, 32 bits, folded: deterministic on purpose. Who wants two packages in one colour may have it. */
static uint32_t hash(struct str s)
{
    uint32_t h = 2166136261u;

    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 16777619u;
    return h ^ h >> 15;
}

uint8_t palette_class(struct str scope, struct str name)
{
    struct str key = {scope.p, str_find_last(scope, '.')};

    if (key.n == scope.n)
        key = scope.n > 0 ? scope : name;
    size_t first = str_find(key, '.');
    if (first < key.n) {
        struct str rest = {key.p + first + 1, key.n - first - 1};
        key.n = first + 1 + str_find(rest, '.');
    }
    return (uint8_t)(hash(key) % PALETTE_CLASSES);
}
