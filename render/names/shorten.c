#include "render/names/shorten.h"

#include "core/clean.h"
#include "render/names/fit.h"

enum { INITIAL_BYTES_MAX = 4 }; /* of one character */

struct forms {
    struct str package; /* `com.example`; may be empty */
    struct str class;   /* `Foo`; may be empty */
    struct str method;  /* `bar`; may be empty if there is a class */
};

static struct forms forms_of(const struct frame_parts *parts)
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

/* `F.bar`, where there are both and they stand in the cells. */
static bool put_method_of(struct buf *b, const struct forms *f, struct str tail, size_t cells)
{
    struct str first = initial(f->class);

    if (f->class.n == 0 || f->method.n == 0 ||
        fit_cells(first) + 1 + fit_cells(f->method) + fit_cells(tail) > cells)
        return false;
    clean_xml(b, first);
    buf_char(b, '.');
    clean_xml(b, f->method);
    clean_xml(b, tail);
    return true;
}

/* --- parameters --- */

/* Takes a type off the front of *s: a descriptor of a class, whose last component is the word, or of a primitive type,
 * behind a bracket for each dimension of an array. */
static bool take_type(struct str *s, struct str *word, size_t *arrays)
{
    static const struct {
        char letter;
        struct str word;
    } PRIMITIVES[] = {{'B', STR_INIT("byte")},  {'C', STR_INIT("char")},   {'D', STR_INIT("double")},
                      {'F', STR_INIT("float")}, {'I', STR_INIT("int")},    {'J', STR_INIT("long")},
                      {'S', STR_INIT("short")}, {'Z', STR_INIT("boolean")}};
    struct str rest = *s;

    for (*arrays = 0; rest.n > 0 && rest.p[0] == '['; ++*arrays)
        rest.p++, rest.n--;
    if (rest.n > 0 && rest.p[0] == 'L') {
        struct str class;
        str_split(&rest, ';', &class);
        *s = rest;
        *word = str_behind_last((struct str){class.p + 1, class.n - 1}, '/');
        bool whole = str_find(class, '(') == class.n && str_find(class, ')') == class.n;
        return rest.p != NULL && whole && word->n > 0;
    }
    for (size_t i = 0; rest.n > 0 && i < sizeof(PRIMITIVES) / sizeof(PRIMITIVES[0]); i++)
        if (PRIMITIVES[i].letter == rest.p[0]) {
            *word = PRIMITIVES[i].word;
            *s = (struct str){rest.p + 1, rest.n - 1};
            return true;
        }
    return false;
}

/* `(ILjava/lang/String;)V` as `(int, String)`. False: it is no descriptor; what was written is to be forgotten. */
static bool put_parameters(struct buf *b, struct str signature)
{
    struct str s = signature, word;
    size_t arrays;

    if (s.n == 0 || s.p[0] != '(')
        return false;
    s.p++, s.n--;
    buf_char(b, '(');
    for (bool first = true; s.n > 0 && s.p[0] != ')'; first = false) {
        if (!take_type(&s, &word, &arrays))
            return false;
        if (!first)
            buf_z(b, ", ");
        clean_text(b, word);
        while (arrays-- > 0)
            buf_z(b, "[]");
    }
    buf_char(b, ')');
    bool ends = str_eq(s, STR(")")) || str_eq(s, STR(")V"));
    if (s.n == 0 || ends)
        return ends;
    s.p++, s.n--;
    return take_type(&s, &word, &arrays) && s.n == 0;
}

/* --- the whole --- */

/* Both in one piece, as much as stands in the cells. */
static void fit_both(struct buf *b, struct str text, struct str tail, size_t cells)
{
    struct buf both = {0};

    if (tail.n == 0) {
        fit_xml(b, text, cells);
        return;
    }
    clean_text(&both, text);
    buf_str(&both, tail);
    fit_xml(b, buf_view(&both), cells);
    buf_part_end(b, &both);
}

/* `tail` is clean. */
static void shorten(struct buf *b, const struct names *n, frame_id frame, enum view_names names,
                    struct str tail, size_t cells)
{
    const struct names_frame *text = names_of(n, frame);
    size_t behind = fit_cells(tail), start = b->n;
    size_t whole = (text->plain ? text->text.n : fit_cells(text->text)) + behind;

    if (whole <= cells || names == NAMES_FULL || cells < FIT_CELLS_LEAST) {
        fit_both(b, text->text, tail, cells);
        return;
    }
    struct frame_parts parts = names_parts(n, frame);
    struct forms f = forms_of(&parts);
    size_t simple = simple_cells(&f) + behind;
    if (simple > cells) {
        if (!put_method_of(b, &f, tail, cells))
            fit_both(b, f.method.n > 0 ? f.method : f.class, tail, cells);
        return;
    }
    if (!put_initials(b, f.package, cells - simple))
        b->n = b->failed ? b->n : start;
    put_simple(b, &f);
    clean_xml(b, tail);
}

void shorten_xml(struct buf *b, const struct names *n, frame_id frame, enum view_names names, bool parameters,
                 size_t cells)
{
    struct str signature = names_parts(n, frame).signature;
    struct buf tail = {0};

    if (parameters && !put_parameters(&tail, signature)) {
        buf_clear(&tail);
        clean_text(&tail, signature);
    }
    shorten(b, n, frame, names, buf_view(&tail), cells);
    buf_part_end(b, &tail);
}
