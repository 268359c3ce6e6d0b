#include "profile/mapping/mapping_types.h"

enum { ARRAYS_MAX = 255 }; /* of a class file */

static const struct {
    char letter;
    const char *word;
} PRIMITIVES[] = {{'V', "void"}, {'Z', "boolean"}, {'B', "byte"},  {'C', "char"},  {'S', "short"},
                  {'I', "int"},  {'J', "long"},    {'F', "float"}, {'D', "double"}};

enum { PRIMITIVES_COUNT = sizeof(PRIMITIVES) / sizeof(PRIMITIVES[0]) };

bool type_next(struct str *rest, struct type_in_descriptor *type)
{
    struct str s = *rest;

    *type = (struct type_in_descriptor){.letter = 0};
    for (; s.n > 0 && *s.p == '[' && type->arrays < ARRAYS_MAX; s.p++, s.n--)
        type->arrays++;
    if (s.n == 0)
        return false;
    if (*s.p == 'L') {
        size_t end = str_find(s, ';');
        if (end == s.n || end == 1)
            return false;
        type->class = (struct str){s.p + 1, end - 1};
        *rest = (struct str){s.p + end + 1, s.n - end - 1};
        return true;
    }
    for (size_t i = 0; i < PRIMITIVES_COUNT; i++)
        if (PRIMITIVES[i].letter == *s.p)
            type->letter = *s.p;
    *rest = (struct str){s.p + 1, s.n - 1};
    return type->letter != 0;
}

bool type_split(struct str descriptor, struct str *params, struct str *returns)
{
    size_t end = str_find(descriptor, ')');

    if (descriptor.n == 0 || *descriptor.p != '(' || end == descriptor.n)
        return false;
    *params = (struct str){descriptor.p + 1, end - 1};
    *returns = (struct str){descriptor.p + end + 1, descriptor.n - end - 1};
    return true;
}

void type_put_source(struct buf *b, const struct type_in_descriptor *type, struct str class_name)
{
    if (type->letter == 0)
        buf_str(b, class_name);
    for (size_t i = 0; i < PRIMITIVES_COUNT && type->letter != 0; i++)
        if (PRIMITIVES[i].letter == type->letter)
            buf_z(b, PRIMITIVES[i].word);
    for (unsigned i = 0; i < type->arrays; i++)
        buf_z(b, "[]");
}

void type_put_replaced(struct buf *b, struct str text, char from, char to)
{
    size_t start = b->n;

    buf_str(b, text);
    for (size_t i = start; i < b->n; i++)
        if (b->p[i] == from)
            b->p[i] = to;
}

void type_put_descriptor(struct buf *b, struct str source)
{
    for (; str_ends(source, STR("[]")); source.n -= 2)
        buf_char(b, '[');
    for (size_t i = 0; i < PRIMITIVES_COUNT; i++)
        if (str_eq(source, str_of(PRIMITIVES[i].word))) {
            buf_char(b, PRIMITIVES[i].letter);
            return;
        }
    buf_char(b, 'L');
    type_put_replaced(b, source, '.', '/');
    buf_char(b, ';');
}
