/* A short name can stand for a text without end: its parts refer to each other. The library has no limit
 * for that, so what takes its output leaves it by longjmp when there is enough. It has nothing from the
 * heap then: neither for names of C++, nor for those of Rust without Punycode, which are the only ones
 * that it is given. What of a name is Punycode is told by the grammar of these names (Rust's RFC 2603). */
#include "parser/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "core/clean.h"

enum { MANGLED_MAX = 1024, SUBSTITUTIONS_MAX = 16, CONVERSIONS_MAX = 6, PARTS_MAX = 1024 };

struct output {
    struct buf *to;
    size_t end; /* of what may be in it */
    jmp_buf enough;
};

static void take(const char *text, size_t n, void *context)
{
    struct output *out = context;

    buf_bytes(out->to, text, n);
    if (out->to->failed || out->to->n > out->end)
        longjmp(out->enough, 1);
}

/* ---- Punycode in names of Rust ---- */

/* The grammar: a part that begins with one of these letters is that letter and then these parts. Parts that
 * the table explains are p path, t type, k constant, g arguments of generics, T types, D traits of an object
 * and o their bindings, F and c what stands in front of a function's types, i identifier, b d l ! numbers
 * behind a letter. walk_part knows the others. */
static const struct rust_rule {
    char part;
    const char *letters; /* NULL: any other letter, which is left for the parts */
    const char *parts;
} RUST_RULES[] = {
    {'p', "C", "i"},    {'p', "N", "npi"},
    {'p', "M", "dpt"},  {'p', "X", "dptp"},
    {'p', "Y", "tp"},   {'p', "I", "pg"},
    {'p', "B", "B"},    {'t', "abcdefhijlmnopstuvxyz", ""},
    {'t', "RQ", "lt"},  {'t', "POS", "t"},
    {'t', "A", "tk"},   {'t', "T", "T"},
    {'t', "F", "bFTt"}, {'t', "D", "bD!"},
    {'t', NULL, "p"},   {'k', "B", "B"},
    {'k', "p", ""},     {'k', "abchijlmnostxy", "h"},
    {'g', "E", ""},     {'g', "L", "#g"},
    {'g', "K", "kg"},   {'g', NULL, "tg"},
    {'T', "E", ""},     {'T', NULL, "tT"},
    {'D', "E", ""},     {'D', NULL, "poD"},
    {'o', "p", "uto"},  {'o', NULL, ""},
    {'F', "U", "F"},    {'F', "K", "c"},
    {'F', NULL, ""},    {'c', "C", ""},
    {'c', NULL, "u"},   {'i', NULL, "du"},
    {'d', "s", "#"},    {'d', NULL, ""},
    {'b', "G", "#"},    {'b', NULL, ""},
    {'l', "L", "#"},    {'l', NULL, ""},
    {'!', "L", "#"},
};

/* A walk along a name, with the parts that are still to come. */
struct rust_walk {
    const char *start, *at;
    char parts[PARTS_MAX]; /* the next is the last of them */
    size_t n_parts;
    bool begins[MANGLED_MAX + 1]; /* A path, type or constant begins there, so a reference may lead there. */
};

/* One that is in Punycode is none here, and none that is longer than the name. */
static bool walk_identifier(struct rust_walk *w)
{
    size_t n = 0, left;

    if (!is_digit(*w->at))
        return false;
    do
        n = n * 10 + (size_t)(*w->at++ - '0');
    while (n > 0 && n <= MANGLED_MAX && is_digit(*w->at));
    w->at += *w->at == '_';
    left = strlen(w->at);
    w->at += n < left ? n : left;
    return n <= left;
}

/* A number to the base of 62 that ends with `_`; nothing but that is 0, and all others are one more. */
static bool walk_number(struct rust_walk *w, size_t *number)
{
    static const char DIGITS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *digit, *first = w->at;
    size_t n = 0;

    for (; *w->at != '\0' && (digit = strchr(DIGITS, *w->at)) != NULL; w->at++)
        n = n > MANGLED_MAX ? n : n * 62 + (size_t)(digit - DIGITS);
    *number = n + (w->at > first);
    return *w->at++ == '_';
}

/* It leads to a part that was walked along already, so there is no need to follow it. */
static bool walk_reference(struct rust_walk *w)
{
    const size_t here = (size_t)(w->at - 1 - w->start);
    size_t to;

    return walk_number(w, &to) && to < here && w->begins[to];
}

static bool walk_by_rule(struct rust_walk *w, char part)
{
    const struct rust_rule *rule = RUST_RULES, *end = rule + sizeof(RUST_RULES) / sizeof(*RUST_RULES);

    if (part == 'p' || part == 't' || part == 'k')
        w->begins[w->at - w->start] = true;
    while (rule < end && (rule->part != part || (rule->letters != NULL &&
                                                 (*w->at == '\0' || strchr(rule->letters, *w->at) == NULL))))
        rule++;
    if (rule == end || w->n_parts + strlen(rule->parts) > PARTS_MAX)
        return false;
    w->at += rule->letters != NULL;
    for (size_t i = strlen(rule->parts); i-- > 0;)
        w->parts[w->n_parts++] = rule->parts[i];
    return true;
}

static bool walk_part(struct rust_walk *w, char part)
{
    size_t number;

    switch (part) {
    case 'u': /* an identifier without a number in front */
        return walk_identifier(w);
    case '#':
        return walk_number(w, &number);
    case 'B':
        return walk_reference(w);
    case 'h': /* digits of a constant */
        w->at += strspn(w->at, "0123456789abcdefn");
        return *w->at++ == '_';
    case 'n': /* the letter of a namespace */
        return *w->at++ != '\0';
    default:
        return walk_by_rule(w, part);
    }
}

static bool walk_path(struct rust_walk *w)
{
    bool ok = true;

    w->parts[0] = 'p';
    w->n_parts = 1;
    while (ok && w->n_parts > 0)
        ok = walk_part(w, w->parts[--w->n_parts]);
    return ok;
}

/* False also for what is no name of Rust. Behind the path may be the crate that asked for it, and a suffix. */
static bool is_without_punycode(const char *mangled)
{
    struct rust_walk w = {.start = mangled + 2, .at = mangled + 2};

    return walk_path(&w) && (*w.at == '\0' || *w.at == '.' || walk_path(&w)) &&
           (*w.at == '\0' || *w.at == '.');
}

static bool may_have_punycode(const char *name)
{
    for (; *name != '\0'; name++)
        if (name[0] == 'u' && is_digit(name[1]))
            return true;
    return false;
}

/* ---- names of C++ that take long ---- */

static bool is_pair(const char *at, char first, const char *seconds)
{
    return at[0] == first && at[1] != '\0' && strchr(seconds, at[1]) != NULL;
}

/* What has expressions within: arguments of templates, arrays' lengths, decltype and its like. */
static bool begins_expression(const char *at)
{
    return at[0] == 'X' || at[0] == 'Q' || (at[0] == 'A' && at[1] != '_') || is_pair(at, 'D', "TtOBUvkK");
}

/* "S_", "S1A_": what stood before. */
static bool begins_substitution(const char *at)
{
    if (*at++ != 'S')
        return false;
    while (is_digit(*at) || (*at >= 'A' && *at <= 'Z'))
        at++;
    return *at == '_';
}

/* Names of C++ that the library may work on for ever before it puts out anything: patterns of packs, since
 * their substitutions may stand for each other and each pattern is walked before, and conversion operators
 * within each other, each of which is read twice. Dp and sp expand a pack, sZ and sP count one, and fl,
 * fr, fL and fR fold it; all but the first are expressions. Letters within identifiers count as well, so
 * the limits are above what names of libraries have. */
static bool takes_long(const char *mangled)
{
    unsigned substitutions = 0, in_packs = 0, conversions = 0;
    bool pack = false, expression = false;

    for (const char *at = mangled; *at != '\0'; at++) {
        expression = expression || begins_expression(at);
        pack = pack || is_pair(at, 'D', "p") ||
               (expression && (is_pair(at, 's', "pZP") || is_pair(at, 'f', "lrLR")));
        if (begins_substitution(at)) {
            substitutions++;
            in_packs += pack;
        }
        conversions += is_pair(at, 'c', "v");
    }
    return conversions > CONVERSIONS_MAX || (in_packs > 0 && substitutions > SUBSTITUTIONS_MAX);
}

/* ---- the library ---- */

/* Whether it was mangled; *b is longer than before by the readable name then. */
static bool make_readable(struct buf *b, const char *mangled, size_t max)
{
    struct output out = {.to = b, .end = b->n + max};
    const size_t before = b->n;
    bool is_new_rust = mangled[1] == 'R';

    if (is_new_rust && may_have_punycode(mangled) && !is_without_punycode(mangled))
        return false;
    if (setjmp(out.enough) != 0)
        return true;
    if (rust_demangle_callback(mangled, 0, take, &out))
        return true;
    b->n = before;
    if (!is_new_rust && !takes_long(mangled) &&
        cplus_demangle_v3_callback(mangled, DMGL_PARAMS | DMGL_ANSI | DMGL_VERBOSE, take, &out))
        return true;
    b->n = before;
    return false;
}

void demangle(struct buf *b, struct str name, size_t max)
{
    char mangled[MANGLED_MAX + 1];
    const size_t before = b->n;

    if (name.n > 2 && name.n <= MANGLED_MAX && name.p[0] == '_' && (name.p[1] == 'Z' || name.p[1] == 'R') &&
        memchr(name.p, '\0', name.n) == NULL) {
        memcpy(mangled, name.p, name.n);
        mangled[name.n] = '\0';
        if (make_readable(b, mangled, max)) {
            if (b->n - before > max)
                b->n = before + clean_cut((struct str){b->p + before, b->n - before}, max).n;
            return;
        }
    }
    buf_str(b, name);
}
