/* hprof sampling, text and binary: both forms of one run fold to the same stacks; names and numbers as
 * recorders write them; what is refused; damage. */
#include "tests/support/unit.h"

#include "tests/support/hostile.h"
#include "tests/support/hprof_bytes.h"
#include "tests/support/profile_checks.h"

/* Stacks with the thread's name in front, in the order of nodes. */
static void put_folded(struct buf *b, const struct profile *p, uint32_t track, node_id node)
{
    node_id up[16];
    size_t n = 0;

    for (; p->node_frame[node] != FRAME_NONE && n < 16; node = p->node_parent[node])
        up[n++] = node;
    buf_str(b, profile_string(p, p->tracks[track].name));
    while (n-- > 0) {
        const struct profile_frame *f = &p->frames[p->node_frame[up[n]]];
        buf_char(b, ';');
        buf_str(b, profile_string(p, f->scope));
        buf_z(b, f->scope == STRING_EMPTY ? "" : ".");
        buf_str(b, profile_string(p, f->name));
    }
}

static void folded(struct buf *b, const struct profile *p)
{
    for (uint32_t t = 0; t < p->n_tracks; t++)
        for (node_id i = p->tracks[t].first; i < p->tracks[t].first + p->tracks[t].count; i++)
            if (profile_self(p, i, 0) > 0) {
                put_folded(b, p, t, i);
                buf_printf(b, " %llu\n", (unsigned long long)profile_self(p, i, 0));
            }
    buf_char(b, '\0');
}

static void reads_as(struct buf *bytes, const char *expected)
{
    struct arena arena;
    struct buf b = {0};

    folded(&b, hostile_read_well(&arena, bytes));
    assert_string_equal(b.p, expected);
    buf_free(&b);
    arena_free(&arena);
}

static void reads_text_as(const char *text, const char *expected)
{
    struct buf b = {0};

    buf_z(&b, text);
    reads_as(&b, expected);
}

/* ---- the same run ---- */

TEST(all_forms_of_a_run_are_the_same)
{
    static const struct hprof_options FORMS[] = {{0},
                                                 {.id_bytes = 8},
                                                 {.version = "1.0.1"},
                                                 {.slashes = true},
                                                 {.head = "Version: 3\nPackage: com.example\n\n"}};
    struct buf b = {0};

    hprof_put_text(&b);
    reads_as(&b, HPROF_RUN_FOLDED);
    for (size_t i = 0; i < sizeof(FORMS) / sizeof(*FORMS); i++) {
        hprof_put_binary(&b, &FORMS[i]);
        reads_as(&b, HPROF_RUN_FOLDED);
    }
}

TEST(what_is_said_of_it)
{
    struct buf b = {0};
    struct arena arena;

    hprof_put_binary(&b, &(struct hprof_options){.head = "Version: 3\nPackage: com.example\n\n"});
    const struct profile *p = hostile_read_well(&arena, &b);
    assert_true(str_eq(p->format, STR("hprof-binary")));
    profile_check_fact(p, "package", "com.example");
    profile_check_fact(p, "stack_depth", "3");
    profile_check_fact(p, "start_us", "1279713826000000");
    profile_check_warning(p, WARN_STACKS_CUT, 2, WARNING_NO_OFFSET);
    assert_int_equal(p->n_warnings, 1);
    assert_int_equal(p->tracks[0].id, 200001);
    arena_free(&arena);
    hprof_put_text(&b);
    p = hostile_read_well(&arena, &b);
    assert_true(str_eq(p->format, STR("hprof-text")));
    profile_check_warning(p, WARN_STACKS_CUT, 2, WARNING_NO_OFFSET);
    assert_int_equal(p->n_warnings, 1);
    arena_free(&arena);
}

TEST(deep_stacks_without_a_sample_do_not_count)
{
    struct buf b = {0};
    struct arena arena;

    buf_z(&b, "JAVA PROFILE 1.0.1, created Wed Jul 21 2010\n");
    for (unsigned trace = 1; trace <= 3; trace++)
        buf_printf(&b, "TRACE %u:\n\ta.B.c%u(B.java:1)\n\ta.B.main(B.java:2)\n", trace, trace);
    buf_z(
        &b,
        "CPU SAMPLES BEGIN (total = 5) Wed Jul 21 2010\nrank   self  accum   count trace method\n"
        "   1 60.00% 60.00%       3     1 a.B.c1\n   2 40.00% 100.00%       2     3 a.B.c3\nCPU SAMPLES END\n");
    profile_check_warning(hostile_read_well(&arena, &b), WARN_STACKS_CUT, 2, WARNING_NO_OFFSET);
    arena_free(&arena);
    buf_free(&b);
}

/* ---- text ---- */

#define SAMPLES(rows) \
    "CPU SAMPLES BEGIN (total = 3) x\nrank   self  accum   count trace method\n" rows "CPU SAMPLES END\n"

TEST(frames_of_text)
{
    reads_text_as("TRACE 1: (thread=5)\n\tjava.base@17.0.2/a.B.c(B.java:1)\n\tapp//d.E.f(Unknown Source)\n"
                  "\tapp/m@1/g.H$$Lambda/0x00.run(H.java)\n\tplain\n" SAMPLES("1 1% 1% 3 1 x\n"),
                  "Thread-5;plain;g.H$$Lambda/0x00.run;d.E.f;a.B.c 3\n");
}

/* A thread that is not listed has the first number; what has no thread gets another one. */
TEST(numbers_of_tracks)
{
    struct buf b = {0};
    struct arena arena;

    buf_z(&b, "JAVA PROFILE 1.0.1, created x\n\nTRACE 7: (thread=1)\n\ta.B.c(B.java:1)\n" SAMPLES(
                  "1 1.5% 1.5% 1 9 x\n2 1.5% 1.5% 2 7 a.B.c\n"));
    const struct profile *p = hostile_read_well(&arena, &b);
    assert_int_equal(p->n_tracks, 2);
    assert_int_not_equal(p->tracks[0].id, p->tracks[1].id);
    arena_free(&arena);
}

/* The JDK's own: no threads, a header in prose, and no rows for rare stacks. */
TEST(text_of_the_jdk)
{
    struct buf b = {0};
    struct arena arena;

    buf_z(&b,
          "JAVA PROFILE 1.0.1, created Thu Sep  7 22:16:49 2017\n\nTRACE           represents\n   indented\n"
          "THREAD START (obj=5000016, id = 200001, name=\"HPROF\", group=\"system\")\n"
          "TRACE 7:\n\ta.B.c(B.java:Unknown line)\nTRACE 8:\n\t<empty>\n" SAMPLES("1 1.5% 1.5% 1 7 a.B.c\n"
                                                                                  "2 1.5% 1.5% 1 8 x\n"));
    const struct profile *p = hostile_read_well(&arena, &b);
    folded(&b, p);
    assert_string_equal(b.p, "all threads;a.B.c 1\nall threads;unknown 1\n");
    profile_check_warning(p, WARN_SAMPLES_MISSING, 1, WARNING_NO_OFFSET);
    assert_int_equal(p->n_warnings, 1);
    buf_free(&b);
    arena_free(&arena);
}

TEST(numbers_of_any_language)
{
    reads_text_as("TRACE 1:\n\ta.b(C)\n" SAMPLES("1 99,5%100,00% 3 1 a.b\n"), "all threads;a.b 3\n");
    reads_text_as("TRACE 12:\n\ta.b(C)\n" SAMPLES(
                      "\xd9\xa1 \xd9\xa9\xd9\xa9\xd9\xab\xd9\xa5% \xd9\xa1% \xd9\xa3 \xd9\xa1\xd9\xa2 a.b\n"),
                  "all threads;a.b 3\n");
    reads_text_as("TRACE 1:\n\ta.b(C)\n" SAMPLES("\xe0\xa5\xa7 1% 1% \xe0\xa5\xa9 \xe0\xa5\xa7 a.b\n"),
                  "all threads;a.b 3\n");
}

TEST(rows_that_make_no_sense)
{
    struct buf b = {0};
    struct arena arena;

    buf_z(&b, "TRACE 1:\n\ta.b(C)\n" SAMPLES(
                  "1 1% 1% 2 1 a.b\n2 1%\nx\n3 1% 1% 1 99 a\n4 1% 1% 99999999999999999999 1 a\n"
                  "5 1% 1% 1 4294967296 a\n"));
    const struct profile *p = hostile_read_well(&arena, &b);
    folded(&b, p);
    assert_string_equal(b.p, "all threads;a.b 2\nall threads;unknown 1\n");
    assert_int_equal(profile_warned_count(p, WARN_BAD_LINE), 4);
    profile_check_warning(p, WARN_UNKNOWN_STACK, 1, WARNING_NO_OFFSET);
    buf_free(&b);
    arena_free(&arena);
}

/* A name that never ends swallows no block. */
TEST(a_thread_line_without_end)
{
    reads_text_as(
        "THREAD START (obj=1, id = 5, name=\"a\nTRACE 1: (thread=5)\n\ta.b(C)\n" SAMPLES("1 1% 1% 3 1 a.b\n"),
        "a;a.b 3\n");
}

/* ---- refused ---- */

TEST(heap_dumps)
{
    struct buf b = {0};

    hprof_put_binary(&b, &(struct hprof_options){.version = "1.0.3"});
    hostile_refused(&b, DIAG_FOREIGN, "heap dump");
    for (unsigned tag = 0x0c; tag < 0x20; tag += 0x10) {
        buf_bytes(&b, "JAVA PROFILE 1.0.2\0\0\0\0\4\0\0\0\0\0\0\0\0", 31);
        hprof_put_record(&b, tag, "dump", 4);
        hostile_refused(&b, DIAG_FOREIGN, "heap dump");
    }
}

TEST(files_without_samples)
{
    struct buf b = {0};

    buf_z(&b, "TRACE 1:\n\ta.b(C)\n");
    hostile_refused(&b, DIAG_UNUSABLE, "no counts of CPU samples");
    buf_z(&b, "TRACE 1:\n\ta.b(C)\n" SAMPLES(""));
    hostile_refused(&b, DIAG_UNUSABLE, "no CPU sample.");
    buf_z(&b, "TRACE 1:\n\ta.b(C)\nCPU TIME (ms) BEGIN (total = 9) x\n1 1% 1% 1 1 a\nCPU TIME (ms) END\n");
    hostile_refused(&b, DIAG_FOREIGN, "CPU times");
    buf_bytes(&b, "JAVA PROFILE 1.0.2\0\0\0\0\5\0\0\0\0\0\0\0\0", 31);
    hostile_refused(&b, DIAG_UNUSABLE, "neither 4 nor 8 bytes");
    buf_bytes(&b, "JAVA PROFILE 1.0.2\0\0\0", 21);
    hostile_refused(&b, DIAG_UNUSABLE, "header does not end");
}

/* ---- damage ---- */

TEST(any_cutting_and_damage)
{
    static const struct hprof_options FORMS[] = {{0}, {.id_bytes = 8, .head = "Version: 3\n\n"}};
    struct buf b = {0};

    hprof_put_text(&b);
    hostile_damage("text", &b);
    for (size_t i = 0; i < 2; i++) {
        buf_clear(&b);
        hprof_put_binary(&b, &FORMS[i]);
        hostile_damage("binary", &b);
    }
    buf_free(&b);
}

/* Where it is cut, all that came before is used. */
TEST(a_cut_file_is_used)
{
    struct buf b = {0};
    struct arena arena;

    hprof_put_binary(&b, &(struct hprof_options){0});
    b.n -= 12;
    const struct profile *p = hostile_read_well(&arena, &b);
    folded(&b, p);
    assert_string_equal(b.p,
                        "main;com.example.App.run;com.example.App.run;com.example.App$Inner.<init> 7\n"
                        "main;com.example.App.run;com.example.App$Inner.<init>;java.lang.Object.wait 2\n");
    assert_int_equal(profile_warned_count(p, WARN_CUT_RECORD), 1);
    buf_free(&b);
    arena_free(&arena);
}
