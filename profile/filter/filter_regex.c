#include "profile/filter/filter_regex.h"

#include <string.h>

#include "core/clean.h"

static const char SYNTAX[] = "^$\\.*+?()[]{}|/";

/* One open group, or the whole. */
struct level {
    uint64_t sum;     /* ways of the alternatives before this one */
    uint64_t product; /* of what stands in this one, without its last atom */
    uint64_t size;    /* characters of all alternatives, repetitions written out, without the last atom */
};

struct parser {
    struct str rest;
    struct buf *out;
    struct level levels[FILTER_REGEX_DEPTH_MAX + 1];
    unsigned depth;
    bool has_atom; /* What was read last can be repeated, */
    uint64_t ways; /* matches in so many ways, */
    uint64_t size; /* and is so long. */
    const char *problem;
};

static uint64_t capped(uint64_t ways)
{
    return ways > FILTER_REGEX_WAYS_MAX ? (uint64_t)FILTER_REGEX_WAYS_MAX + 1 : ways;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return capped(a * b); /* both are capped */
}

static bool fail(struct parser *p, const char *problem)
{
    p->problem = problem;
    return false;
}

static bool take(struct parser *p, char c)
{
    if (p->rest.n == 0 || p->rest.p[0] != c)
        return false;
    p->rest.p++, p->rest.n--;
    return true;
}

/* ---- ways ---- */

static void close_atom(struct parser *p)
{
    struct level *l = &p->levels[p->depth];

    if (p->has_atom) {
        l->product = times(l->product, p->ways);
        l->size = capped(l->size + p->size);
    }
    p->has_atom = false;
}

static void new_atom(struct parser *p, uint64_t ways, uint64_t size)
{
    close_atom(p);
    p->has_atom = true;
    p->ways = ways;
    p->size = size;
}

static void next_branch(struct parser *p)
{
    struct level *l = &p->levels[p->depth];

    close_atom(p);
    l->sum = capped(l->sum + l->product);
    l->product = 1;
}

static uint64_t repeated(uint64_t ways, unsigned least, unsigned most, bool unbounded)
{
    uint64_t all = 1;

    if (unbounded)
        return ways == 1 ? FILTER_REGEX_UNBOUNDED : capped(UINT32_MAX);
    for (unsigned i = 0; ways > 1 && i < most; i++)
        all = times(all, ways);
    if (least == 0 && most == 1)
        return capped(ways + 1);
    return times(all, (uint64_t)most - least + 1);
}

/* ---- atoms ---- */

/* \w is what it is in both languages without regard to case, whose letters are not those of ASCII alone. */
static bool read_escape(struct parser *p, bool in_class)
{
    if (p->rest.n == 0)
        return fail(p, "a backslash at its end stands for nothing");
    char c = p->rest.p[0];
    p->rest.p++, p->rest.n--;
    if (c == 'd')
        buf_z(p->out, in_class ? "0-9" : "[0-9]");
    else if (c == 'w')
        buf_z(p->out, in_class ? "A-Za-z0-9_" : "[A-Za-z0-9_]");
    else if (strchr(SYNTAX, c) != NULL && c != '\0')
        buf_printf(p->out, "\\%c", c);
    else if (in_class && c == '-')
        buf_z(p->out, "\\-");
    else
        return fail(p, "behind a backslash only d, w and the signs ^ $ \\ . * + ? ( ) [ ] { } | / are "
                       "understood");
    return true;
}

/* One end of a range, or a character. *code: itself; UINT32_MAX for \d and \w, which are no end. */
static bool read_member(struct parser *p, uint32_t *code)
{
    const char *at = p->rest.p;

    if (take(p, '\\')) {
        bool wide = p->rest.n > 0 && (p->rest.p[0] == 'd' || p->rest.p[0] == 'w');
        *code = !wide && p->rest.n > 0 ? (unsigned char)p->rest.p[0] : UINT32_MAX;
        return read_escape(p, true);
    }
    if (p->rest.p[0] == '[')
        return fail(p, "within brackets a [ needs a backslash in front");
    *code = clean_next(&p->rest);
    buf_z(p->out, *code == '-' ? "\\" : "");
    buf_bytes(p->out, at, (size_t)(p->rest.p - at));
    return true;
}

static bool read_range(struct parser *p, bool first)
{
    bool dash = p->rest.p[0] == '-';
    uint32_t low, high;

    if (dash && !first && p->rest.n > 1 && p->rest.p[1] != ']')
        return fail(p, "within brackets a - that is no range needs a backslash in front");
    if (!read_member(p, &low))
        return false;
    if (p->rest.n < 2 || p->rest.p[0] != '-' || p->rest.p[1] == ']')
        return true;
    if (dash)
        return fail(p, "within brackets a - that is no range needs a backslash in front");
    take(p, '-');
    buf_char(p->out, '-');
    if (p->rest.p[0] == '-')
        return fail(p, "within brackets a - that is no range needs a backslash in front");
    if (!read_member(p, &high))
        return false;
    return (low != UINT32_MAX && high != UINT32_MAX && low <= high) ||
           fail(p, "a range within brackets goes from a character to a later one");
}

static bool read_class(struct parser *p)
{
    buf_char(p->out, '[');
    if (take(p, '^'))
        buf_char(p->out, '^');
    if (p->rest.n > 0 && p->rest.p[0] == ']')
        return fail(p, "brackets must not be empty");
    for (bool first = true; p->rest.n > 0 && p->rest.p[0] != ']'; first = false)
        if (!read_range(p, first))
            return false;
    if (!take(p, ']'))
        return fail(p, "a [ has no ] behind it");
    buf_char(p->out, ']');
    new_atom(p, 1, 1);
    return true;
}

static bool open_group(struct parser *p)
{
    if (take(p, '?') && !take(p, ':'))
        return fail(p, "groups that begin with (? are not understood, but for (?:");
    if (p->depth == FILTER_REGEX_DEPTH_MAX)
        return fail(p, "more than 16 groups stand within each other");
    close_atom(p);
    p->levels[++p->depth] = (struct level){0, 1, 0};
    buf_z(p->out, "(?:");
    return true;
}

static bool close_group(struct parser *p)
{
    if (p->depth == 0)
        return fail(p, "a ) has no ( before it");
    next_branch(p);
    struct level done = p->levels[p->depth--];
    buf_char(p->out, ')');
    new_atom(p, done.sum, done.size + 1);
    return true;
}

/* ---- repetitions ---- */

static bool read_number(struct parser *p, unsigned *number)
{
    size_t n = 0;
    uint64_t value;

    while (n < p->rest.n && p->rest.p[n] >= '0' && p->rest.p[n] <= '9')
        n++;
    if (!str_to_u64((struct str){p->rest.p, n}, 10, &value))
        return fail(p, "a { begins a repetition such as {2}, {2,} or {2,5}, or needs a backslash in front");
    if (value > FILTER_REGEX_REPEAT_MAX)
        return fail(p, "the numbers of a repetition are 50 at most");
    *number = (unsigned)value;
    p->rest.p += n, p->rest.n -= n;
    return true;
}

static bool read_counts(struct parser *p, unsigned *least, unsigned *most, bool *unbounded)
{
    if (!read_number(p, least))
        return false;
    *most = *least;
    if (take(p, ',')) {
        *unbounded = p->rest.n > 0 && p->rest.p[0] == '}';
        if (!*unbounded && !read_number(p, most))
            return false;
    }
    if (!take(p, '}'))
        return fail(p, "a { begins a repetition such as {2}, {2,} or {2,5}, or needs a backslash in front");
    return *least <= *most || fail(p, "a repetition goes from a number to one that is not smaller");
}

static bool read_repetition(struct parser *p, char sign)
{
    const char *begin = p->rest.p - 1;
    unsigned least = sign == '+', most = sign == '?';
    bool unbounded = sign == '*' || sign == '+';

    if (!p->has_atom)
        return fail(p, "nothing stands before a repetition");
    if (sign == '{' && !read_counts(p, &least, &most, &unbounded))
        return false;
    take(p, '?');
    buf_bytes(p->out, begin, (size_t)(p->rest.p - begin));
    p->ways = repeated(p->ways, least, most, unbounded);
    p->size = times(p->size, most > least + 1 ? most : least + 1);
    close_atom(p);
    return true;
}

/* ---- the whole ---- */

static bool read_sign(struct parser *p, char sign)
{
    switch (sign) {
    case '\\':
        if (!read_escape(p, false))
            return false;
        new_atom(p, 1, 1);
        return true;
    case '[':
        return read_class(p);
    case '(':
        return open_group(p);
    case ')':
        return close_group(p);
    case '|':
        next_branch(p);
        buf_char(p->out, sign);
        return true;
    case '^':
    case '$':
        close_atom(p);
        buf_char(p->out, sign);
        return true;
    case '.':
        new_atom(p, 1, 1);
        buf_char(p->out, sign);
        return true;
    case ']':
    case '}':
        return fail(p, "a ] or } that closes nothing needs a backslash in front");
    default: /* * + ? { */
        return read_repetition(p, sign);
    }
}

static bool read_character(struct parser *p)
{
    const char *at = p->rest.p;

    clean_next(&p->rest);
    buf_bytes(p->out, at, (size_t)(p->rest.p - at));
    new_atom(p, 1, 1);
    return true;
}

static bool read_next(struct parser *p)
{
    char c = p->rest.p[0];

    if (c == '/' || c == '\0' || strchr(SYNTAX, c) == NULL)
        return read_character(p);
    p->rest.p++, p->rest.n--;
    return read_sign(p, c);
}

const char *filter_regex_translate(struct str expression, struct buf *pcre)
{
    struct parser p = {.rest = expression, .out = pcre, .levels = {{0, 1, 0}}};

    if (expression.n == 0)
        return "it is empty";
    while (p.rest.n > 0)
        if (!read_next(&p))
            return p.problem;
    if (p.depth > 0)
        return "a ( has no ) behind it";
    next_branch(&p);
    if (p.levels[0].size > FILTER_REGEX_SIZE_MAX)
        return "it is too long when its repetitions are written out; use smaller numbers";
    if (p.levels[0].sum > FILTER_REGEX_WAYS_MAX)
        return "it can match in too many ways; use fewer of * + ? {} and |";
    return NULL;
}
