#include "core/clean.h"

enum { REPLACEMENT = 0xfffd };

struct lead {
    unsigned more;        /* bytes that follow */
    unsigned char lo, hi; /* bounds of the first of them; the others are 80..BF */
};

/* Unicode 15, table 3-7: well-formed UTF-8 byte sequences. */
static struct lead lead_of(unsigned char c)
{
    if (c >= 0xc2 && c <= 0xdf)
        return (struct lead){1, 0x80, 0xbf};
    if (c >= 0xe0 && c <= 0xef)
        return (struct lead){2, c == 0xe0 ? 0xa0 : 0x80, c == 0xed ? 0x9f : 0xbf};
    if (c >= 0xf0 && c <= 0xf4)
        return (struct lead){3, c == 0xf0 ? 0x90 : 0x80, c == 0xf4 ? 0x8f : 0xbf};
    return (struct lead){0, 0, 0};
}

static uint32_t shown(uint32_t c)
{
    bool bidi = c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
                (c >= 0x2066 && c <= 0x2069);
    bool separator = c == 0x2028 || c == 0x2029;
    bool nonchar = (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef);

    if (c < 0x20)
        return 0x2400 + c;
    if (c == 0x7f)
        return 0x2421;
    if ((c >= 0x80 && c < 0xa0) || bidi || separator || nonchar || c == 0xfeff)
        return REPLACEMENT;
    return c;
}

/* Takes a sequence that is not ASCII, or the maximal ill-formed part that stands there, off the front of
 * *s. False: it is ill-formed. */
static bool take_sequence(struct str *s, uint32_t *code_point)
{
    const unsigned char *p = (const unsigned char *)s->p;
    struct lead lead = lead_of(p[0]);
    uint32_t c = p[0] & (0x3fu >> lead.more);
    size_t taken = 1;

    for (; taken <= lead.more && taken < s->n; taken++) {
        unsigned char lo = taken == 1 ? lead.lo : 0x80;
        unsigned char hi = taken == 1 ? lead.hi : 0xbf;
        if (p[taken] < lo || p[taken] > hi)
            break;
        c = c << 6 | (p[taken] & 0x3f);
    }
    s->p += taken, s->n -= taken;
    *code_point = c;
    return lead.more > 0 && taken > lead.more;
}

uint32_t clean_next(struct str *s)
{
    unsigned char first = (unsigned char)s->p[0];
    uint32_t c;

    if (first < 0x80) {
        s->p++, s->n--;
        return shown(first);
    }
    return take_sequence(s, &c) ? shown(c) : REPLACEMENT;
}

bool clean_is_utf8(struct str s)
{
    uint32_t c;

    while (s.n > 0) {
        struct str at = s;
        if ((unsigned char)s.p[0] < 0x80)
            s.p++, s.n--;
        else if (!take_sequence(&s, &c))
            return s.n == 0 && at.n <= lead_of((unsigned char)at.p[0]).more;
    }
    return true;
}

/* In UTF-8; how many bytes. */
static size_t encode(uint32_t c, char out[4])
{
    static const unsigned char LEADS[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(LEADS[n] | c);
    return n;
}

void clean_put(struct buf *b, uint32_t c)
{
    char bytes[4];

    buf_bytes(b, bytes, encode(c, bytes));
}

bool clean_is_text(struct str s)
{
    while (s.n > 0) {
        struct str at = s;
        char bytes[4];
        size_t n = encode(clean_next(&s), bytes);
        if (!str_eq((struct str){at.p, at.n - s.n}, (struct str){bytes, n}))
            return false;
    }
    return true;
}

size_t clean_length(struct str s)
{
    size_t n = 0;

    for (; s.n > 0; n++)
        clean_next(&s);
    return n;
}

/* One walk for all: runs of plain printable ASCII that the language needs no escape for are copied whole. */
static void walk(struct buf *b, struct str s, const char *special, void (*escape)(struct buf *b, uint32_t c))
{
    bool stop[128] = {false};

    for (const char *c = special; *c != '\0'; c++)
        stop[(unsigned char)*c] = true;
    while (s.n > 0) {
        size_t run = 0;
        while (run < s.n && s.p[run] >= 0x20 && s.p[run] < 0x7f && !stop[(unsigned char)s.p[run]])
            run++;
        buf_bytes(b, s.p, run);
        s.p += run, s.n -= run;
        if (s.n == 0)
            break;
        uint32_t c = clean_next(&s);
        if (c < 128 && stop[c])
            escape(b, c);
        else
            clean_put(b, c);
    }
}

void clean_text(struct buf *b, struct str s)
{
    walk(b, s, "", clean_put);
}

static void escape_xml(struct buf *b, uint32_t c)
{
    switch (c) {
    case '<':
        buf_str(b, STR("&lt;"));
        break;
    case '>':
        buf_str(b, STR("&gt;"));
        break;
    case '&':
        buf_str(b, STR("&amp;"));
        break;
    default: /* the two quotes */
        buf_printf(b, "&#%u;", (unsigned)c);
    }
}

void clean_xml(struct buf *b, struct str s)
{
    walk(b, s, "<>&\"'", escape_xml);
}

static void escape_log(struct buf *b, uint32_t c)
{
    buf_char(b, '\\');
    buf_char(b, (char)c);
}

static void escape_json(struct buf *b, uint32_t c)
{
    if (c == '<')
        buf_str(b, STR("\\u003c")); /* never "</script" */
    else
        escape_log(b, c);
}

void clean_json(struct buf *b, struct str s)
{
    walk(b, s, "\"\\<", escape_json);
}

void clean_log(struct buf *b, struct str s)
{
    walk(b, s, " \"=\\", escape_log);
}

struct str clean_cut(struct str s, size_t limit)
{
    if (s.n <= limit)
        return s;
    size_t n = limit;
    while (n > 0 && limit - n < 3 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    return (struct str){s.p, n};
}
