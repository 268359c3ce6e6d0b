#include "core/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/number.h"

void buf_init(struct buf *b, size_t limit)
{
    *b = (struct buf){.limit = limit};
}

void buf_free(struct buf *b)
{
    memory_free(b->p, b->capacity);
    buf_init(b, b->limit);
}

void buf_fit(struct buf *b)
{
    char *p = b->n > 0 ? memory_resize(b->p, b->capacity, b->n) : NULL;

    if (p == NULL)
        return;
    b->p = p;
    b->capacity = b->n;
}

void buf_part_end(struct buf *b, struct buf *part)
{
    b->failed = b->failed || part->failed;
    buf_free(part);
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->failed = b->full = false;
}

bool buf_grow(struct buf *b, size_t extra)
{
    if (b->drain != NULL && !b->failed && b->n >= BUF_DRAIN_BYTES) {
        b->failed = !b->drain(b->drain_context, buf_view(b));
        b->n = 0;
        if (!b->failed && b->capacity >= extra)
            return true;
    }
    if (b->failed)
        return false;
    /* Where the caller gives no limit, this one keeps the doubling below from overflowing. */
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
    char *p = memory_resize(b->p, b->capacity, capacity);
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

void buf_u64(struct buf *b, uint64_t value)
{
    char text[NUMBER_BYTES_MAX], *end = number_u64(text, value);

    buf_bytes(b, text, (size_t)(end - text));
}

void buf_label(struct buf *b, struct str label)
{
    bool is_word =
        label.n > 1 && label.p[0] >= 'A' && label.p[0] <= 'Z' && label.p[1] >= 'a' && label.p[1] <= 'z';

    if (is_word)
        buf_char(b, (char)(label.p[0] - 'A' + 'a'));
    buf_str(b, str_from(label, is_word));
}

void buf_u64_grouped(struct buf *b, uint64_t value)
{
    char text[NUMBER_BYTES_MAX], *end = number_grouped(text, value);

    buf_bytes(b, text, (size_t)(end - text));
}

void buf_fixed(struct buf *b, uint64_t value, unsigned decimals)
{
    char text[NUMBER_BYTES_MAX], *end = number_decimal(text, value, decimals);

    buf_bytes(b, text, (size_t)(end - text));
}

void buf_value(struct buf *b, enum unit unit, uint64_t value, unsigned digits)
{
    char text[NUMBER_BYTES_MAX], *end = number_value(text, unit, value, digits);

    buf_bytes(b, text, (size_t)(end - text));
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

void buf_percent(struct buf *b, struct str s)
{
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    for (size_t i = 0; i < s.n; i++)
        if (str_find(STR(PLAIN), s.p[i]) < sizeof(PLAIN) - 1)
            buf_char(b, s.p[i]);
        else
            buf_printf(b, "%%%02X", (unsigned)(unsigned char)s.p[i]);
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
    /* vsnprintf writes a NUL behind the text. It needs room, but is no part of the content. */
    if (!buf_reserve(b, (size_t)n + 1))
        return;
    va_start(arguments, format);
    vsnprintf(b->p + b->n, (size_t)n + 1, format, arguments);
    va_end(arguments);
    b->n += (size_t)n;
}
