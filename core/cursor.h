/* Bounds-checked reader of little-endian fields, and by cursor_be of big-endian ones, with a sticky error:
 * a read past the end sets `failed` and yields 0, so that a whole record needs one check. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
    const uint8_t *p, *end;
    bool failed;
};

static inline struct cursor cursor_of(const void *p, size_t n)
{
    return (struct cursor){p, (const uint8_t *)p + n, false};
}

static inline size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->p);
}

/* The next n bytes, or NULL. */
static inline const uint8_t *cursor_take(struct cursor *c, size_t n)
{
    if (c->failed || cursor_left(c) < n) {
        c->failed = true;
        return NULL;
    }
    const uint8_t *p = c->p;
    c->p += n;
    return p;
}

static inline uint64_t cursor_le(struct cursor *c, size_t n)
{
    const uint8_t *p = cursor_take(c, n);
    uint64_t v = 0;

    if (p != NULL)
        for (size_t i = n; i > 0; i--)
            v = v << 8 | p[i - 1];
    return v;
}

static inline uint64_t cursor_be(struct cursor *c, size_t n)
{
    const uint8_t *p = cursor_take(c, n);
    uint64_t v = 0;

    for (size_t i = 0; p != NULL && i < n; i++)
        v = v << 8 | p[i];
    return v;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
    return (uint8_t)cursor_le(c, 1);
}

static inline uint16_t cursor_u16(struct cursor *c)
{
    return (uint16_t)cursor_le(c, 2);
}

static inline uint32_t cursor_u32(struct cursor *c)
{
    return (uint32_t)cursor_le(c, 4);
}

static inline uint64_t cursor_u64(struct cursor *c)
{
    return cursor_le(c, 8);
}

/* Without a cursor, of bytes that are known to be there: for loops that have no time for a check each. */
static inline uint32_t cursor_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t cursor_le64(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}
