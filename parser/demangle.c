/* A short name can stand for a text without end: its parts refer to each other. The library has no limit
 * for that, so what takes its output leaves it by longjmp when there is enough. It has nothing from the
 * heap then: neither for names of C++, nor for those of Rust without Punycode, which are the only ones
 * that it is given. */
#include "parser/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "core/clean.h"

enum { MANGLED_MAX = 1024, SUBSTITUTIONS_MAX = 16, CONVERSIONS_MAX = 6 };

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

static bool has_punycode(const char *name)
{
    for (; *name != '\0'; name++)
        if (name[0] == 'u' && name[1] >= '0' && name[1] <= '9')
            return true;
    return false;
}

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
    while ((*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z'))
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

/* Whether it was mangled; *b is longer than before by the readable name then. */
static bool make_readable(struct buf *b, const char *mangled, size_t max)
{
    struct output out = {.to = b, .end = b->n + max};
    const size_t before = b->n;
    bool is_new_rust = mangled[1] == 'R';

    if (is_new_rust && has_punycode(mangled))
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
