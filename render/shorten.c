#include "render/shorten.h"

#include "core/clean.h"
#include "render/fit.h"

enum { INITIAL_BYTES_MAX = 4 }; /* of one character */

struct forms {
    struct str package; /* `com.example`; may be empty */
    struct str class;   /* `Foo`; may be empty */
    struct str method;  /* `bar`; may be empty if there is a class */
};

static struct forms forms_of(const struct names_parts *parts)
{
    size_t dot = str_find_last(parts->scope, '.');

    if (dot == parts->scope.n)
        return (struct forms){{parts->scope.p, 0}, parts->scope, parts->name};
    return (struct forms){
        {parts->scope.p, dot}, {parts->scope.p + dot + 1, parts->scope.n - dot - 1}, parts->name};
}

/* The first character of a component; what is not UTF-8 counts byte by byte. */
static struct str initial(struct str component)
{
    struct str rest = component;

    if (component.n > 0)
        clean_next(&rest);
    size_t n = component.n - rest.n;
    return (struct str){component.p, n < INITIAL_BYTES_MAX ? n : INITIAL_BYTES_MAX};
}

/* `c.e.` of com.example. False: it takes more than `cells`. */
static bool put_initials(struct buf *b, struct str package, size_t cells)
{
    struct str component;
    size_t used = 0;

    while (package.n > 0 && str_split(&package, '.', &component)) {
        struct str first = initial(component);
        used += fit_cells(first) + 1;
        if (used > cells)
            return false;
        clean_xml(b, first);
        buf_char(b, '.');
    }
    return true;
}

/* `Foo.bar`, or the one that is not empty. */
static void put_simple(struct buf *b, const struct forms *f)
{
    clean_xml(b, f->class);
    if (f->class.n > 0 && f->method.n > 0)
        buf_char(b, '.');
    clean_xml(b, f->method);
}

static size_t simple_cells(const struct forms *f)
{
    return fit_cells(f->class) + (f->class.n > 0 && f->method.n > 0) + fit_cells(f->method);
}

void shorten_xml(struct buf *b, const struct names *n, frame_id frame, enum view_names names, size_t cells)
{
    const struct names_frame *text = names_of(n, frame);
    size_t whole = text->plain ? text->text.n : fit_cells(text->text), start = b->n;

    if (whole <= cells || names == NAMES_FULL || cells < FIT_CELLS_LEAST) {
        fit_xml(b, text->text, cells);
        return;
    }
    struct names_parts parts = names_parts(n, frame);
    struct forms f = forms_of(&parts);
    size_t simple = simple_cells(&f);
    if (simple > cells) {
        fit_xml(b, f.method.n > 0 ? f.method : f.class, cells);
        return;
    }
    if (!put_initials(b, f.package, cells - simple))
        b->n = b->failed ? b->n : start;
    put_simple(b, &f);
}
