/* A short name can stand for a text without end: its parts refer to each other. The library has no limit for that, so what
 * takes its output leaves it by longjmp when there is enough. It has nothing from the heap then: neither for names of C++, nor
 * for those of Rust without Punycode, which are the only ones that it is given. */
#include "parser/perfetto/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "core/clean.h"

enum { MANGLED_MAX = 1024 };

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
    if (!is_new_rust &&
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
