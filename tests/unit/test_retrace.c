/* Classes and methods in stack traces of release builds, as another reader of mappings has translated them. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/buf.h"
#include "parser/mapping/mapping_reader.h"

enum { MIB = 1 << 20 };

struct fixture {
    struct arena arena;
    struct mapping *mapping;
    struct mapping_answer answer;
};

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    arena_init(&f->arena, 64 * MIB);
    f->mapping = mapping_new(&f->arena, (struct hash_seed){3, 5});
    assert_non_null(f->mapping);
}

static void read_all(struct fixture *f, const char *text)
{
    struct mapping_reader *r = mapping_reader_new(f->mapping);

    assert_non_null(r);
    assert_true(mapping_reader_feed(r, text, strlen(text)));
    assert_true(mapping_reader_finish(r));
    mapping_reader_free(r);
}

/* ---- stack traces ---- */

struct trace_line {
    struct str scope, name;
};

/* `at CLASS.METHOD(FILE:LINE)`. */
static bool is_frame(struct str text, struct trace_line *t)
{
    text = str_trim(text);
    if (!str_starts(text, STR("at ")) || !str_ends(text, STR(")")))
        return false;
    text = (struct str){text.p + 3, text.n - 4};
    struct str method = {text.p, str_find(text, '(')};
    size_t dot = str_find_last(method, '.');
    t->scope = (struct str){text.p, dot};
    t->name = (struct str){text.p + dot + 1, method.n - dot - 1};
    return true;
}

/* A word of another line, without the colon behind a class. */
static struct str class_of(struct str word)
{
    if (str_ends(word, STR(":")))
        word.n--;
    return word;
}

static void want_trace(struct fixture *f, struct str trace)
{
    struct str line, word;
    struct trace_line t;

    while (trace.n > 0 && str_split(&trace, '\n', &line)) {
        if (is_frame(line, &t)) {
            assert_true(mapping_want(f->mapping, t.scope, t.name, STR("")));
            continue;
        }
        while (str_split(&line, ' ', &word))
            assert_true(mapping_want(f->mapping, class_of(word), STR(""), STR("")));
    }
}

static bool has_method(struct str expected, const struct mapping_frame *a)
{
    struct buf b = {0};

    buf_printf(&b, "at %.*s.%.*s(", (int)a->scope.n, a->scope.p, (int)a->name.n, a->name.p);
    assert_false(b.failed);
    bool has = str_find_str(expected, buf_view(&b)) < expected.n;
    buf_free(&b);
    return has;
}

/* One of the candidates is in the translated trace: its method that was not inlined. */
static bool is_told(struct fixture *f, const struct trace_line *t, struct str expected)
{
    struct mapping_question q = {t->scope, t->name, STR("")};
    const struct mapping_answer *a = &f->answer;
    bool told = false;

    assert_true(mapping_resolve(f->mapping, &q, &f->answer));
    for (size_t i = 0; i < a->n_frames; i++)
        if (i + 1 == a->n_frames || a->frames[i + 1].candidate != a->frames[i].candidate)
            told = told || has_method(expected, &a->frames[i]);
    return told || a->found < MAPPING_FOUND_NAME;
}

static void assert_told(struct fixture *f, struct str trace, struct str expected)
{
    struct trace_line t;

    for (struct str line, word; trace.n > 0 && str_split(&trace, '\n', &line);) {
        if (is_frame(line, &t)) {
            assert_true(is_told(f, &t, expected));
            continue;
        }
        while (str_split(&line, ' ', &word)) {
            struct str class = mapping_class_name(f->mapping, class_of(word));
            assert_true(str_find_str(expected, class) < expected.n || class.n == 0);
        }
    }
}

TEST(stack_traces_are_translated)
{
    const char *samples = getenv("AFLAMED_SAMPLES");
    struct buf path = {0};

    if (samples == NULL || *samples == '\0')
        skip();
    buf_printf(&path, "%s/samples/mapping/retrace_cases.json", samples);
    buf_char(&path, '\0');
    json_t *cases = json_load_file(path.p, 0, NULL);
    assert_non_null(cases);
    assert_true(json_array_size(cases) > 30);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *c = json_array_get(cases, i);
        struct str trace = str_of(json_string_value(json_object_get(c, "input")));
        const char *mapping = json_string_value(json_object_get(c, "mapping"));
        if (strstr(mapping, "r8.outline") != NULL)
            continue; /* Which one is meant is told by lines, which no profile has. */
        struct fixture f;
        begin(&f);
        want_trace(&f, trace);
        read_all(&f, mapping);
        assert_told(&f, trace, str_of(json_string_value(json_object_get(c, "expected"))));
        arena_free(&f.arena);
    }
    json_decref(cases);
    buf_free(&path);
}
