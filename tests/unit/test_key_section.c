/* The text of an Android method trace, line by line: an odd line has an answer, and none fails the file. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/android/key_section.h"
#include "tests/support/profile_checks.h"

struct fixture {
    struct arena arena;
    struct builder *builder;
    struct reader_limits limits;
    struct diag diag;
    struct key_section keys;
    uint64_t offset; /* of the next line */
    const struct profile *profile;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    arena_init(&f->arena, 16 << 20);
    f->builder = builder_new(&f->arena, (struct hash_seed){7, 8});
    assert_non_null(f->builder);
    f->limits = (struct reader_limits){.methods = 8, .threads = 4, .line_bytes = 1000, .name_bytes = 16};
    assert_true(key_section_init(&f->keys, f->builder, &f->limits, &f->diag));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    arena_free(&f->arena);
    free(f);
    return 0;
}

/* Lines end with \n; each stands behind the one before it. True if all were taken. */
static bool lines(struct fixture *f, const char *text)
{
    struct str rest = str_of(text), line;

    while (rest.n > 0) {
        assert_true(str_split(&rest, '\n', &line));
        uint64_t offset = f->offset;
        f->offset += line.n + 1;
        if (!key_section_line(&f->keys, line, offset))
            return false;
    }
    return true;
}

static void finish(struct fixture *f)
{
    f->profile = builder_finish(f->builder, STR("format"), STR("Format"));
    assert_non_null(f->profile);
}

static void check_string(const struct fixture *f, string_id id, const char *expected)
{
    struct str s = profile_string(f->profile, id);

    if (!str_eq(s, str_of(expected)))
        fail_msg("got '%.*s', expected '%s'", (int)s.n, s.p, expected);
}

static void check_method(const struct fixture *f, uint64_t id, const char *scope, const char *name,
                         const char *signature, const char *file)
{
    frame_id frame = method_table_get(&f->keys.methods, id);

    assert_int_not_equal(frame, FRAME_NONE);
    check_string(f, f->profile->frames[frame].scope, scope);
    check_string(f, f->profile->frames[frame].name, name);
    check_string(f, f->profile->frames[frame].signature, signature);
    check_string(f, f->profile->frames[frame].file, file);
    assert_int_equal(f->profile->frames[frame].module, STRING_EMPTY);
}

/* That nothing else was warned of, and where the first one stands. */
static void check_warning(const struct fixture *f, enum warning_code code, uint64_t count, uint64_t offset)
{
    assert_int_equal(f->profile->n_warnings, 1);
    profile_check_warning(f->profile, code, count, offset);
}

/* ---- *version ---- */

TEST_WITH(parts_follow_each_other, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_int_equal(f->keys.part, KEY_VERSION);
    assert_true(lines(f, "*version\n3\nclock=dual\n"));
    assert_int_equal(f->keys.part, KEY_VERSION);
    assert_int_equal(f->keys.version, 3);
    assert_true(lines(f, "*threads\n"));
    assert_int_equal(f->keys.part, KEY_THREADS);
    assert_true(lines(f, "1\tmain\n*methods\n"));
    assert_int_equal(f->keys.part, KEY_METHODS);
    assert_true(lines(f, "0x4\ta.B\tm\t()V\n*end\n"));
    assert_int_equal(f->keys.part, KEY_END);
    assert_int_equal(f->keys.n_threads, 1);
    assert_int_equal(f->keys.n_methods, 1);
    finish(f);
    assert_int_equal(f->profile->n_warnings, 0);
}

TEST(odd_versions)
{
    static const struct {
        const char *lines;
        uint64_t version;
    } CASES[] = {{"*version\n 2 \n", 2},
                 {"*version\nthree\n", 0},
                 {"*version\n\n", 0},
                 {"*version\n18446744073709551616\n", 0},
                 {"*version\n18446744073709551615\n", UINT64_MAX}};

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        void *each;
        set_up(&each);
        assert_true(lines(each, CASES[i].lines));
        assert_true(((struct fixture *)each)->keys.version == CASES[i].version);
        tear_down(&each);
    }
}

TEST(clocks)
{
    static const struct {
        const char *line;
        enum key_clock clock;
    } CASES[] = {{"clock=dual\n", KEY_CLOCK_DUAL},
                 {"clock=thread-cpu\n", KEY_CLOCK_CPU},
                 {"clock=wall\n", KEY_CLOCK_WALL},
                 {"clock=global\n", KEY_CLOCK_WALL},
                 {"clock=Wall\n", KEY_CLOCK_UNKNOWN},
                 {"clock=\n", KEY_CLOCK_UNKNOWN},
                 {"clocks=wall\n", KEY_CLOCK_UNKNOWN},
                 {"clock=dual \n", KEY_CLOCK_UNKNOWN},
                 {"clock=wall\nclock=dual\n", KEY_CLOCK_DUAL},
                 {"vm=art\n", KEY_CLOCK_UNKNOWN}};

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        void *each;
        set_up(&each);
        assert_true(lines(each, "*version\n3\n") && lines(each, CASES[i].line));
        assert_int_equal(((struct fixture *)each)->keys.clock, CASES[i].clock);
        tear_down(&each);
    }
}

TEST_WITH(facts_are_those_that_are_known, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*version\n3\nclock=dual\nelapsed-time-usec=77\nnum-method-calls=9\nvm=art\npid=12\n"
                         "clock-call-overhead-nsec=zzz\nsecret=1\ngc-count=a=b\n"));
    finish(f);
    profile_check_fact(f->profile, "clock", "dual");
    profile_check_fact(f->profile, "elapsed_us", "77");
    profile_check_fact(f->profile, "declared_records", "9");
    profile_check_fact(f->profile, "vm", "art");
    profile_check_fact(f->profile, "pid", "12");
    profile_check_fact(f->profile, "clock_overhead_ns", "zzz");
    profile_check_fact(f->profile, "gc_count", "a=b");
    assert_int_equal(f->profile->n_facts, 7);
    assert_int_equal(f->profile->n_warnings, 0);
}

/* However often a file says it, a fact stands once, and with the value that was used. */
TEST_WITH(a_fact_stands_once, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*version\n3\nvm=dalvik\n"));
    for (unsigned i = 0; i < 1000; i++)
        assert_true(lines(f, "clock=wall\n"));
    assert_true(lines(f, "clock=dual\n"));
    finish(f);
    assert_int_equal(f->profile->n_facts, 2);
    profile_check_fact(f->profile, "vm", "dalvik");
    profile_check_fact(f->profile, "clock", "dual");
}

TEST_WITH(lines_without_equals, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*version\n3\nclock=dual\nno value\n\n"));
    finish(f);
    check_warning(f, WARN_BAD_KEY_LINE, 2, 22);
}

TEST_WITH(overflow, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*version\n3\ndata-file-overflow=false\ndata-file-overflow=true\n"));
    finish(f);
    check_warning(f, WARN_OVERFLOW, 1, 36);
}

TEST_WITH(windows_line_ends, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*version\r\n3\r\nclock=dual\r\n*threads\r\n1\tmain\r\n*methods\r\n"
                         "0x4\ta.B\tm\t()V\tB.java\r\n*end\r\n"));
    assert_int_equal(f->keys.part, KEY_END);
    assert_int_equal(f->keys.clock, KEY_CLOCK_DUAL);
    finish(f);
    check_method(f, 4, "a.B", "m", "()V", "B.java");
    check_warning(f, WARN_CRLF, 8, 0);
}

/* ---- *threads ---- */

static void check_thread(const struct fixture *f, uint32_t record_id, uint32_t expected_id, const char *name)
{
    uint32_t listed;
    string_id text;

    assert_true(key_section_thread(&f->keys, record_id, &listed, &text));
    assert_int_equal(listed, expected_id);
    check_string(f, text, name);
}

TEST_WITH(threads_by_all_or_the_low_bits, set_up, tear_down)
{
    struct fixture *f = *state;
    uint32_t id = 0;
    string_id name;

    assert_true(lines(f, "*threads\n70000\tby low bits\n65543\tfar\n7\tnear\n0\t\n"));
    assert_false(key_section_thread(&f->keys, 8, &id, &name));
    assert_int_equal(id, 8);
    finish(f);
    check_thread(f, 70000 & 0xffff, 70000, "by low bits");
    check_thread(f, 70000, 70000, "by low bits");
    check_thread(f, 7, 7, "near");
    check_thread(f, 0, 0, "");
}

TEST_WITH(of_equal_low_bits_the_first, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*threads\n70000\tfirst\n135536\tsecond\n"));
    finish(f);
    check_thread(f, 4464, 70000, "first");
    check_thread(f, 135536, 135536, "second");
}

TEST_WITH(thread_names_are_raw, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*threads\n1\ta\tb; <c>\n2\t \xff\n"));
    finish(f);
    check_thread(f, 1, 1, "a\tb; <c>");
    check_thread(f, 2, 2, " \xff");
}

TEST_WITH(a_thread_listed_twice_counts_once, set_up, tear_down)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 10; i++)
        assert_true(lines(f, i == 0 ? "*threads\n1\told\n" : "1\tnew\n"));
    assert_true(lines(f, "2\tb\n3\tc\n4\td\n1\tlast\n"));
    assert_int_equal(f->keys.n_threads, 4);
    finish(f);
    check_thread(f, 1, 1, "last");
    check_warning(f, WARN_THREAD_REDEFINED, 2, 15);
}

/* Records come before the list where that is a file of its own. */
TEST_WITH(a_thread_counted_and_then_listed_counts_once, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(key_section_count_thread(&f->keys, 1, 0));
    assert_true(key_section_count_thread(&f->keys, 2, 0));
    assert_true(lines(f, "*threads\n1\ta\n2\tb\n3\tc\n4\td\n2\te\n"));
    assert_int_equal(f->keys.n_threads, 4);
    assert_false(key_section_count_thread(&f->keys, 5, 100));
    assert_int_equal(f->diag.kind, DIAG_LIMIT);
    assert_int_equal(f->diag.offset, 100);
}

TEST_WITH(bad_thread_lines, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*threads\n1\tmain\nmain\n\tmain\n-1\tx\n4294967295\tx\n0x\tx\n1\n\n1.5\tx\n"));
    assert_int_equal(f->keys.n_threads, 1);
    finish(f);
    check_thread(f, 1, 1, "main");
    check_warning(f, WARN_BAD_THREAD_LINE, 8, 16);
}

TEST_WITH(too_many_threads, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*threads\n1\ta\n2\ta\n3\ta\n4\ta\n"));
    assert_false(lines(f, "5\ta\n"));
    assert_int_equal(f->diag.kind, DIAG_LIMIT);
    assert_int_equal(f->diag.offset, 25);
    assert_non_null(strstr(f->diag.detail, "more threads than the limit"));
    assert_non_null(strstr(f->diag.detail, " 4."));
}

/* ---- *methods ---- */

TEST_WITH(method_ids, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*methods\n0\ta\tzero\t()\n0X1c\ta\thex\t()\n 20 \ta\tdecimal\t()\n"
                         "0xFFFFFFFFFFFFFFFC\ta\tfar\t()\n"));
    finish(f);
    check_method(f, 0, "a", "zero", "()", "");
    check_method(f, 28, "a", "hex", "()", "");
    check_method(f, 20, "a", "decimal", "()", "");
    check_method(f, UINT64_MAX - 3, "a", "far", "()", "");
    assert_int_equal(f->profile->n_warnings, 0);
}

TEST_WITH(null_pointers, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*methods\n(nil)\ta\tnil\t()\n"));
    finish(f);
    check_method(f, 0, "a", "nil", "()", "");
}

TEST_WITH(method_columns, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f,
                      "*methods\n0x4\tname\n0x8\ta.B\tm\n0xc\ta.B\tB.cc\t12\n0x10\ta.B\tm\t(I)V\n"
                      "0x14\ta.B\tm\t(J)V\tB.java\n0x18\ta.B\tm\t(Z)V\tB.java\t-1\tmore\tand more\n0x1c\t\n"
                      "0x20\ta.B\tm\tV\t\n"));
    finish(f);
    check_method(f, 0x4, "name", "", "", "");
    check_method(f, 0x8, "a.B", "m", "", "");
    check_method(f, 0xc, "a.B", "", "", "B.cc");
    check_method(f, 0x10, "a.B", "m", "(I)V", "");
    check_method(f, 0x14, "a.B", "m", "(J)V", "B.java");
    check_method(f, 0x18, "a.B", "m", "(Z)V", "B.java");
    check_method(f, 0x1c, "", "", "", "");
    check_method(f, 0x20, "a.B", "m", "V", "");
    assert_int_equal(f->profile->n_warnings, 0);
}

/* In the class alone: a slash belongs to the types of a signature and to a path. */
TEST_WITH(slashes_become_dots, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*methods\n0x4\ta/b/C$1\tx/y\t(La/b;)V\tp/C.java\n"));
    finish(f);
    check_method(f, 4, "a.b.C$1", "x/y", "(La/b;)V", "p/C.java");
}

TEST_WITH(names_are_cut, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*threads\n1\taaaaaaaaaaaaaaa\xc3\xa4\n2\taaaaaaaaaaaaaa\xc3\xa4\n"
                         "*methods\n0x4\t0123456789abcdef\t0123456789abcdefg\t()\n"
                         "0x8\t0/2/4/6/8/a/c/e/g/i\tm\n"));
    finish(f);
    check_thread(f, 1, 1, "aaaaaaaaaaaaaaa");
    check_thread(f, 2, 2, "aaaaaaaaaaaaaa\xc3\xa4");
    check_method(f, 4, "0123456789abcdef", "0123456789abcdef", "()", "");
    check_method(f, 8, "0.2.4.6.8.a.c.e.", "m", "", "");
    check_warning(f, WARN_NAME_CUT, 3, 9);
}

TEST_WITH(bad_method_lines, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*methods\n\nnonsense\n0x\ta\n0x10000000000000000\ta\n0xg\ta\n0x4\n\ta\tb\n"));
    assert_int_equal(f->keys.n_methods, 0);
    finish(f);
    check_warning(f, WARN_BAD_METHOD_LINE, 6, 10);
}

TEST_WITH(redefined_methods, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*methods\n0x4\ta\tone\t()V\n0x4\ta\tone\t()V\tA.java\n0x4\ta\tother\t()V\n"));
    finish(f);
    check_method(f, 4, "a", "other", "()V", "");
    check_warning(f, WARN_METHOD_REDEFINED, 1, 44);
}

TEST_WITH(too_many_methods, set_up, tear_down)
{
    struct fixture *f = *state;
    char line[64];

    assert_true(lines(f, "*methods\n"));
    for (unsigned i = 0; i < 8; i++) {
        snprintf(line, sizeof(line), "0x%x\ta\tm%u\n", i * 4, i);
        assert_true(lines(f, line));
    }
    uint64_t offset = f->offset;
    assert_false(lines(f, "0x40\ta\tlast\n"));
    assert_int_equal(f->diag.kind, DIAG_LIMIT);
    assert_int_equal(f->diag.offset, offset);
    assert_non_null(strstr(f->diag.detail, "more methods than the limit"));
    assert_non_null(strstr(f->diag.detail, " 8."));
}

/* ---- parts ---- */

TEST_WITH(parts_may_come_again, set_up, tear_down)
{
    struct fixture *f = *state;

    assert_true(lines(f, "*methods\n0x4\ta\tm\t()V\n*threads\n1\tmain\n*unknown\n*methods\n0x8\ta\tn\t()V\n"
                         "*version\n2\n*End\n"));
    assert_int_equal(f->keys.part, KEY_VERSION);
    assert_int_equal(f->keys.version, 2);
    assert_int_equal(builder_warned(f->builder, WARN_BAD_THREAD_LINE), 1);
    assert_int_equal(builder_warned(f->builder, WARN_BAD_KEY_LINE), 1);
    finish(f);
    check_method(f, 4, "a", "m", "()V", "");
    check_method(f, 8, "a", "n", "()V", "");
}

TEST_WITH(no_memory_left, set_up, tear_down)
{
    struct reader_limits limits = {.methods = 1, .threads = 1, .line_bytes = 1, .name_bytes = UINT32_MAX};
    struct fixture *f = *state;
    struct key_section keys;
    struct diag diag = {0};

    assert_false(key_section_init(&keys, f->builder, &limits, &diag));
    assert_int_equal(diag.kind, DIAG_LIMIT);
    assert_non_null(strstr(diag.detail, "job_memory_bytes"));
}
