#include "tests/support/svg_xml.h"

#include "tests/support/unit.h"

#include "core/buf.h"
#include "core/clean.h"

enum { DEPTH_MAX = 12 };

static bool one_of(struct str s, const char *const *words)
{
    for (; *words != NULL; words++)
        if (str_eq(s, str_of(*words)))
            return true;
    return false;
}

/* Text or an attribute's value: clean characters, known entities, no markup. (Line ends and tabs are ours.) */
static void check_text(struct str s)
{
    static const char *const ENTITIES[] = {"lt", "gt", "amp", "#34", "#39", NULL};

    while (s.n > 0) {
        struct str before = s;
        uint32_t c = clean_next(&s);
        if (before.p[0] != '\n' && before.p[0] != '\t') { /* which DATA has */
            struct buf same = {0};
            clean_put(&same, c);
            assert_int_equal(same.n, before.n - s.n);
            assert_memory_equal(same.p, before.p, same.n);
            buf_free(&same);
        }
        assert_true(c != '<' && c != '>');
        if (c != '&')
            continue;
        size_t end = str_find(s, ';');
        assert_true(end < s.n);
        assert_true(one_of((struct str){s.p, end}, ENTITIES));
        s.p += end + 1, s.n -= end + 1;
    }
}

static void check_attributes(struct str s)
{
    static const char *const NAMES[] = {"xmlns",
                                        "class",
                                        "role",
                                        "aria-label",
                                        "width",
                                        "height",
                                        "viewBox",
                                        "x",
                                        "y",
                                        "data-nodes",
                                        "name",
                                        "value",
                                        "placeholder",
                                        "type",
                                        "tabindex",
                                        "data-state",
                                        "aria-live",
                                        "display",
                                        "transform",
                                        "title",
                                        "data-embedded",
                                        "data-do",
                                        "data-emptied-by",
                                        NULL};

    while (s.n > 0 && s.p[0] == ' ') {
        size_t equals = str_find(s, '=');
        assert_true(equals + 1 < s.n && s.p[equals + 1] == '"');
        assert_true(one_of((struct str){s.p + 1, equals - 1}, NAMES));
        struct str value = {s.p + equals + 2, s.n - equals - 2};
        size_t quote = str_find(value, '"');
        assert_true(quote < value.n);
        check_text((struct str){value.p, quote});
        s = (struct str){value.p + quote + 1, value.n - quote - 1};
    }
    assert_true(s.n == 0 || str_eq(s, STR("/")));
}

void svg_xml_check(struct str s)
{
    static const char *const ELEMENTS[] = {"svg",      "style",   "rect",    "g",   "text",   "title",
                                           "metadata", "script",  "path",    "div", "select", "option",
                                           "input",    "button",  "p",       "nav", "label",  "foreignObject",
                                           "span",     "details", "summary", "ol",  NULL};
    static const struct str CDATA = STR_INIT("<![CDATA["), CDATA_END = STR_INIT("]]>");
    struct str open[DEPTH_MAX];
    size_t depth = 0;

    while (s.n > 0) {
        size_t tag = str_find(s, '<');
        check_text((struct str){s.p, tag});
        s.p += tag, s.n -= tag;
        if (s.n == 0)
            break;
        if (str_starts(s, CDATA)) {
            assert_true(depth >= 2 &&
                        (str_eq(open[depth - 1], STR("style")) || str_eq(open[depth - 1], STR("script"))));
            size_t after = str_find_str(s, CDATA_END) + CDATA_END.n;
            assert_true(after < s.n);
            s.p += after, s.n -= after;
            continue;
        }
        size_t end = str_find(s, '>');
        assert_true(end < s.n && end >= 2);
        bool closes = s.p[1] == '/';
        struct str inside = {s.p + 1 + closes, end - 1 - closes};
        size_t name_end = 0;
        while (name_end < inside.n && inside.p[name_end] != ' ' && inside.p[name_end] != '/')
            name_end++;
        struct str name = {inside.p, name_end};
        assert_true(one_of(name, ELEMENTS));
        if (closes) {
            assert_true(depth > 0 && str_eq(open[depth - 1], name));
            depth--;
        } else {
            check_attributes((struct str){inside.p + name_end, inside.n - name_end});
            if (inside.p[inside.n - 1] != '/') {
                assert_true(depth < DEPTH_MAX);
                open[depth++] = name;
            }
        }
        s.p += end + 1, s.n -= end + 1;
    }
    assert_int_equal(depth, 0);
}
