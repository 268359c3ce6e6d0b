/* Stack traces of release builds, translated by a mapping.txt, as another reader of mappings has translated them. */
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
    struct str scope, name, file;
    uint32_t line;
};

/* `at CLASS.METHOD(FILE:LINE)`. */
static bool is_frame(struct str text, struct trace_line *t)
{
    text = str_trim(text);
    if (!str_starts(text, STR("at ")) || !str_ends(text, STR(")")))
        return false;
    text = (struct str){text.p + 3, text.n - 4};
    size_t open = str_find(text, '(');
    struct str method = {text.p, open};
    size_t dot = str_find_last(method, '.'), colon;
    uint64_t line = 0;
    t->scope = (struct str){text.p, dot};
    t->name = (struct str){text.p + dot + 1, open - dot - 1};
    t->file = (struct str){text.p + open + 1, text.n - open - 1};
    colon = str_find_last(t->file, ':');
    if (colon < t->file.n)
        (void)str_to_u64((struct str){t->file.p + colon + 1, t->file.n - colon - 1}, 10, &line);
    t->line = (uint32_t)line;
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

static void put_trace_frame(struct buf *out, const struct mapping_frame *a)
{
    buf_printf(out, "    at %.*s.%.*s(%.*s", (int)a->scope.n, a->scope.p, (int)a->name.n, a->name.p,
               (int)a->file.n, a->file.p);
    if (a->line != MAPPING_LINE_NONE)
        buf_printf(out, ":%u", a->line);
    buf_z(out, ")\n");
}

/* The exception of the last line that is no frame, as a descriptor. */
static void note_thrown(const struct fixture *f, struct str line, struct buf *thrown)
{
    struct str word;

    buf_clear(thrown);
    while (str_split(&line, ' ', &word)) {
        struct str class = mapping_class_name(f->mapping, class_of(word));
        if (str_find(class, '.') == class.n)
            continue;
        buf_clear(thrown);
        buf_char(thrown, 'L');
        buf_str(thrown, class);
        buf_char(thrown, ';');
    }
    for (size_t i = 0; i < thrown->n; i++)
        thrown->p[i] = thrown->p[i] == '.' ? '/' : thrown->p[i];
}

static void put_other(struct fixture *f, struct str line, struct buf *out)
{
    for (struct str word, rest = line; str_split(&rest, ' ', &word);) {
        struct str class = class_of(word);
        bool may_be = class.n < word.n || str_find(word, '.') < word.n;
        buf_str(out, may_be ? mapping_class_name(f->mapping, class) : class);
        buf_z(out, class.n < word.n ? ":" : "");
        buf_z(out, rest.p != NULL ? " " : "");
    }
    buf_char(out, '\n');
}

static void retrace(struct fixture *f, struct str trace, struct buf *out)
{
    struct buf thrown = {0};
    struct trace_line t;
    uint32_t outline = 0;

    for (struct str line; trace.n > 0 && str_split(&trace, '\n', &line);) {
        if (!is_frame(line, &t)) {
            put_other(f, line, out);
            note_thrown(f, line, &thrown);
            continue;
        }
        struct mapping_question q = {t.scope, t.name, STR(""), t.line, outline, buf_view(&thrown)};
        assert_true(mapping_resolve(f->mapping, &q, &f->answer));
        outline = f->answer.outline ? t.line : 0;
        buf_clear(&thrown);
        if (f->answer.found == MAPPING_FOUND_NOTHING)
            buf_printf(out, "    %.*s\n", (int)str_trim(line).n, str_trim(line).p);
        for (size_t i = 0;
             f->answer.found != MAPPING_FOUND_NOTHING && !f->answer.outline && i < f->answer.n_frames; i++)
            put_trace_frame(out, &f->answer.frames[i]);
    }
    buf_char(out, '\0');
    assert_false(out->failed || thrown.failed);
    buf_free(&thrown);
}

static void stack_traces_are_translated(void **state)
{
    const char *samples = getenv("AFLAMED_SAMPLES");
    struct buf path = {0};

    (void)state;
    if (samples == NULL || *samples == '\0')
        skip();
    buf_printf(&path, "%s/samples/mapping/retrace_cases.json", samples);
    buf_char(&path, '\0');
    json_t *cases = json_load_file(path.p, 0, NULL);
    assert_non_null(cases);
    assert_true(json_array_size(cases) > 30);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *c = json_array_get(cases, i);
        const char *mapping = json_string_value(json_object_get(c, "mapping"));
        struct fixture f;
        struct buf out = {0};
        begin(&f);
        want_trace(&f, str_of(json_string_value(json_object_get(c, "input"))));
        read_all(&f, mapping);
        retrace(&f, str_of(json_string_value(json_object_get(c, "input"))), &out);
        if (strcmp(out.p, json_string_value(json_object_get(c, "expected"))) != 0)
            print_message("case %s\n", json_string_value(json_object_get(c, "test")));
        assert_string_equal(out.p, json_string_value(json_object_get(c, "expected")));
        buf_free(&out);
        arena_free(&f.arena);
    }
    json_decref(cases);
    buf_free(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_traces_are_translated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
