#include "parser/text_lines.h"

#include <string.h>

#include "core/clean.h"

enum { UTF_8_MARK_BYTES = 3, UTF_16_MARK_BYTES = 2, UNIT_BYTES_16 = 2, UTF_8_BYTES_OF_UNIT = 3 };

/* The encoding that the first bytes tell, and how many of them are its mark. */
static enum text_encoding encoding_of(const uint8_t *p, size_t n, size_t *mark_bytes)
{
    *mark_bytes = 0;
    if (n >= UTF_8_MARK_BYTES && memcmp(p, "\xef\xbb\xbf", UTF_8_MARK_BYTES) == 0) {
        *mark_bytes = UTF_8_MARK_BYTES;
        return TEXT_UTF_8;
    }
    if (n < UTF_16_MARK_BYTES || (memcmp(p, "\xff\xfe", 2) != 0 && memcmp(p, "\xfe\xff", 2) != 0))
        return TEXT_UTF_8;
    *mark_bytes = UTF_16_MARK_BYTES;
    return p[0] == 0xff ? TEXT_UTF_16_LE : TEXT_UTF_16_BE;
}

/* ---- UTF-16 ---- */

static uint32_t unit_at(enum text_encoding encoding, const uint8_t *p)
{
    return encoding == TEXT_UTF_16_LE ? (uint32_t)p[0] | (uint32_t)p[1] << 8
                                      : (uint32_t)p[0] << 8 | (uint32_t)p[1];
}

/* Takes a character off the front of n bytes, n even and not 0. */
static uint32_t next_character(enum text_encoding encoding, const uint8_t **p, size_t *n)
{
    uint32_t unit = unit_at(encoding, *p), low;

    *p += UNIT_BYTES_16;
    *n -= UNIT_BYTES_16;
    if (unit < 0xd800 || unit > 0xdfff)
        return unit;
    if (unit > 0xdbff || *n == 0 || (low = unit_at(encoding, *p)) < 0xdc00 || low > 0xdfff)
        return 0xfffd;
    *p += UNIT_BYTES_16;
    *n -= UNIT_BYTES_16;
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

/* To `room`, which has UTF_8_BYTES_OF_UNIT for each unit of the n bytes: the buffer never grows. */
static struct str to_utf_8(enum text_encoding encoding, const uint8_t *p, size_t n, char *room)
{
    struct buf b = {.p = room, .capacity = n / UNIT_BYTES_16 * UTF_8_BYTES_OF_UNIT};

    n -= n % UNIT_BYTES_16;
    while (n > 0)
        clean_put(&b, next_character(encoding, &p, &n));
    return buf_view(&b);
}

/* ---- lines ---- */

/* Where the line end stands, or n. */
static size_t find_end(enum text_encoding encoding, const uint8_t *p, size_t n)
{
    const uint8_t *lf;

    if (encoding == TEXT_UTF_8) {
        lf = memchr(p, '\n', n);
        return lf == NULL ? n : (size_t)(lf - p);
    }
    for (size_t i = 0; i + UNIT_BYTES_16 <= n; i += UNIT_BYTES_16)
        if (unit_at(encoding, p + i) == '\n')
            return i;
    return n;
}

static struct str as_utf_8(struct text_lines *t, const uint8_t *p, size_t n)
{
    size_t bytes = n / UNIT_BYTES_16 * UTF_8_BYTES_OF_UNIT;

    if (t->encoding == TEXT_UTF_8)
        return (struct str){(const char *)p, n};
    if (!ARENA_ROOM(t->arena, t->utf_8, t->utf_8_capacity, bytes + 1)) {
        t->failed = true;
        return STR("");
    }
    return to_utf_8(t->encoding, p, n, t->utf_8);
}

static struct str without_cr(struct str line)
{
    if (line.n > 0 && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

/* Of bytes that cannot be a line yet because they are too many: whole units of them. */
static size_t whole_units(const struct text_lines *t, size_t n, bool final)
{
    return t->encoding == TEXT_UTF_8 || final ? n : n - n % UNIT_BYTES_16;
}

static size_t take_line(struct text_lines *t, const uint8_t *p, size_t n, bool final, struct text_line *line)
{
    size_t end = find_end(t->encoding, p, n), unit = t->encoding == TEXT_UTF_8 ? 1 : UNIT_BYTES_16;
    bool ends = end < n;
    size_t taken = ends ? end + unit : whole_units(t, n, final);

    line->is_rest = t->in_long_line;
    line->too_long = t->in_long_line || end > t->limit_bytes;
    if (line->too_long) {
        t->in_long_line = !ends;
        return taken;
    }
    if (!ends && !final)
        return 0;
    line->text = without_cr(as_utf_8(t, p, end));
    return t->failed ? 0 : taken;
}

/* As text_lines_next, of n bytes; returns how many it took. 0: there is no whole line, or `failed`. */
static size_t next_of(struct text_lines *t, const uint8_t *p, size_t n, bool final, struct text_line *line)
{
    size_t mark = 0;

    if (n == 0 || (!t->begun && n < UTF_8_MARK_BYTES && !final))
        return 0;
    if (!t->begun) {
        enum text_encoding encoding = encoding_of(p, n, &mark);
        t->encoding = encoding;
    }
    size_t taken = mark == n ? 0 : take_line(t, p + mark, n - mark, final, line);
    if (taken == 0 && !(mark == n && final))
        return 0;
    t->begun = true;
    return mark + taken;
}

bool text_lines_next(struct text_lines *t, struct text_line *line)
{
    source_consume(t->source, t->taken);
    t->taken = 0;
    for (size_t want = 1; t->taken == 0 && !t->failed;) {
        size_t n;
        const uint8_t *p = source_need(t->source, want, &n);
        bool final = n < want;
        *line = (struct text_line){.text = STR(""), .offset = source_offset(t->source)};
        t->taken = next_of(t, p, n, final, line);
        if (final)
            break;
        want = 2 * n;
    }
    return t->taken > 0;
}

struct str text_beginning(const uint8_t *p, size_t n, char *room, size_t room_bytes)
{
    size_t mark;
    enum text_encoding encoding = encoding_of(p, n, &mark);

    p += mark;
    n -= mark;
    if (encoding == TEXT_UTF_8)
        return (struct str){(const char *)p, n};
    if (TEXT_BEGINNING_BYTES(n) > room_bytes)
        n = room_bytes / UTF_8_BYTES_OF_UNIT * UNIT_BYTES_16;
    return to_utf_8(encoding, p, n, room);
}
