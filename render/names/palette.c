#include "render/names/palette.h"

#include "core/clean.h"
#include "profile/origin.h"

#define COLOUR(number, light, dark) {light, dark},

const struct palette_colour PALETTE[PALETTE_CLASSES] = {PALETTE_COLOURS(COLOUR)};
const struct palette_colour PALETTE_BY_ORIGIN[PALETTE_ORIGIN_CLASSES] = {PALETTE_ORIGINS(COLOUR)};
const struct palette_colour PALETTE_BY_SELF[PALETTE_SELF_CLASSES] = {PALETTE_SELF(COLOUR)};
const struct palette_colour PALETTE_BY_CLASSIC[PALETTE_CLASSIC_CLASSES] = {PALETTE_CLASSIC(COLOUR)};

#define FNV_BASIS UINT32_C(2166136261)

/* FNV-1a, 32 bits: deterministic on purpose. Who wants two packages in one colour may have it. */
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

struct str palette_package(struct str scope, struct str name)
{
    struct str key = {scope.p, str_find_last(scope, '.')};

    if (key.n == scope.n)
        key = scope.n > 0 ? scope : name;
    size_t first = str_find(key, '.');
    if (first < key.n) {
        struct str rest = {key.p + first + 1, key.n - first - 1};
        key.n = first + 1 + str_find(rest, '.');
    }
    return key;
}

uint8_t palette_class(struct str scope, struct str name)
{
    struct str key = palette_package(scope, name);
    uint32_t h = FNV_BASIS;

    for (size_t i = 0; i < key.n; i++)
        h = fnv(h, (unsigned char)key.p[i]);
    return (uint8_t)((h ^ h >> 15) % PALETTE_CLASSES);
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

struct palette palette_new(const struct names *n, enum view_palette kind, const struct tree *base)
{
    struct palette p = {n, kind, 0};

    for (uint32_t i = 0; kind == COLOURS_SELF && i < base->n; i++) {
        uint64_t self = tree_self(base, i, 0);
        frame_id frame = tree_frame(base, i);
        if (frame < base->n_frames && self > p.self_largest && names_of(n, frame)->origin != ORIGIN_IDLE)
            p.self_largest = self;
    }
    return p;
}

static struct palette_text class_text(char letter, unsigned number)
{
    struct palette_text made = {{letter, (char)('0' + number % 10)}};

    if (number >= 10) {
        made.text[1] = (char)('0' + number / 10);
        made.text[2] = (char)('0' + number % 10);
    }
    return made;
}

struct palette_text palette_frame_class(const struct palette *p, const struct tree *t, frame_id frame,
                                        uint64_t self)
{
    if (frame >= t->n_frames)
        return (struct palette_text){"cr"};
    const struct names_frame *f = names_of(p->names, frame);
    switch (p->kind) {
    case COLOURS_ORIGIN:
        return class_text('o', f->origin);
    case COLOURS_PACKAGE:
        return class_text('c', f->colour);
    case COLOURS_SELF:
        return class_text('h', palette_self_class(self, p->self_largest));
    case COLOURS_CLASSIC:
        break;
    }
    return class_text('y', palette_classic_class(f->text));
}
