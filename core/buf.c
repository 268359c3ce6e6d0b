#include "core/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *b, size_t limit)
{
    *b = (struct buf){.limit = limit};
}

void buf_free(struct buf *b)
{
    free(b->p);
    buf_init(b, b->limit);
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->failed = b->full = false;
}

bool buf_reserve(struct buf *b, size_t extra)
{
    if (b->failed)
        return false;
    if (b->capacity - b->n >= extra)
        return true;
    size_t limit = b->limit == 0 ? SIZE_MAX / 4 : b->limit;
    if (b->n > limit || extra > limit - b->n) {
        b->failed = true;
        b->full = b->limit > 0;
        return false;
    }
    size_t capacity = b->capacity * 2;
    if (capacity < b->n + extra)
        capacity = b->n + extra;
    if (capacity < 256)
        capacity = 256;
    if (capacity > limit)
        capacity = limit;
    char *p = realloc(b->p, capacity);
    if (p == NULL) {
        b->failed = true;
        return false;
    }
    b->p = p;
    b->capacity = capacity;
    return true;
}

void buf_bytes(struct buf *b, const void *p, size_t n)
{
    if (n == 0 || !buf_reserve(b, n))
        return;
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void buf_str(struct buf *b, struct str s)
{
    buf_bytes(b, s.p, s.n);
}

void buf_z(struct buf *b, const char *terminated)
{
    buf_bytes(b, terminated, strlen(terminated));
}

void buf_char(struct buf *b, char c)
{
    buf_bytes(b, &c, 1);
}

/* Writes the digits to the end of a field of 20 bytes and returns where they begin. */
static char *digits(char field[20], uint64_t value)
{
    char *p = field + 20;

    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return p;
}

void buf_u64(struct buf *b, uint64_t value)
{
    char field[20];
    char *p = digits(field, value);

    buf_bytes(b, p, (size_t)(field + sizeof(field) - p));
}

void buf_u64_grouped(struct buf *b, uint64_t value)
{
    char field[20];
    char *p = digits(field, value);
    size_t left = (size_t)(field + sizeof(field) - p);

    for (; left > 0; left--) {
        buf_char(b, *p++);
        if (left > 1 && left % 3 == 1)
            buf_char(b, ',');
    }
}

void buf_fixed(struct buf *b, uint64_t value, unsigned decimals)
{
    char fraction[9];
    unsigned kept = 0;

    for (unsigned i = decimals; i > 0; i--) {
        fraction[i - 1] = (char)('0' + value % 10);
        if (kept == 0 && fraction[i - 1] != '0')
            kept = i;
        value /= 10;
    }
    buf_u64(b, value);
    if (kept > 0) {
        buf_char(b, '.');
        buf_bytes(b, fraction, kept);
    }
}

static const char HEX_DIGITS[] = "0123456789abcdef";

void buf_hex(struct buf *b, uint64_t value)
{
    char field[16];
    char *p = field + sizeof(field);

    do {
        *--p = HEX_DIGITS[value & 15];
        value >>= 4;
    } while (value != 0);
    buf_bytes(b, p, (size_t)(field + sizeof(field) - p));
}

void buf_hex_bytes(struct buf *b, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buf_char(b, HEX_DIGITS[p[i] >> 4]);
        buf_char(b, HEX_DIGITS[p[i] & 15]);
    }
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (n < 0) {
        b->failed = true;
        return;
    }
    if (!buf_reserve(b, (size_t)n + 1))
        return;
    va_start(arguments, format);
    vsnprintf(b->p + b->n, (size_t)n + 1, format, arguments);
    va_end(arguments);
    b->n += (size_t)n;
}
