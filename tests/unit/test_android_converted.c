/* Method traces that were passed through a conversion of text, in every layout; and those that only look so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/support/art_file.h"
#include "tests/support/trace_bytes.h"

static const char CONVERTED[] = "damaged by a text conversion";

/* ---- regular files ---- */

enum { REGULARS = 4, METHODS = 60, CALLS = 400 };

static const struct regular {
    unsigned version, record_bytes;
    const char *clock;
} REGULAR[REGULARS] = {{1, 9, "thread-cpu"}, {2, 10, "wall"}, {3, 14, "dual"}, {3, 10, "wall"}};

/* Calls one after the other on two threads, `step` µs long; methods are 4, 8, .. from `first`. */
static void put_regular(struct buf *b, const struct regular *r, uint32_t first, uint32_t step, unsigned calls)
{
    buf_clear(b);
    buf_printf(b, "*version\n%u\nclock=%s\n*threads\n1\tmain\n7\tworker\n*methods\n", r->version, r->clock);
    for (uint32_t i = 0; i < METHODS; i++)
        buf_printf(b, "0x%x\ta/B%u\trun\t()V\tB.java\n", first + 4 * i, (unsigned)i);
    buf_z(b, "*end\n");
    trace_bytes_header(b, r->version, 32, r->record_bytes);
    for (unsigned i = 0; i < 2 * calls; i++)
        trace_bytes_record(b, r->record_bytes,
                           (struct trace_record){(uint16_t)(i % 8 < 4 ? 1 : 7),
                                                 first + 4 * (i / 2 % METHODS),
                                                 i % 2 == 0 ? EVENT_ENTER : EVENT_EXIT,
                                                 {i * step, i * step}});
    assert_false(b->failed);
}

enum conversion { CR_CR_LF, LF_TO_CR, QUESTION_MARKS, SEVEN_BITS, CR_LF_TO_LF, LF_TO_CR_LF, CONVERSIONS };

static void convert(struct buf *b, enum conversion how)
{
    struct buf from = *b;

    *b = (struct buf){0};
    for (size_t i = 0; i < from.n; i++) {
        unsigned char c = (unsigned char)from.p[i];
        if (how == CR_CR_LF && c == '\n')
            buf_z(b, "\r\r");
        if (how == LF_TO_CR_LF && c == '\n')
            buf_char(b, '\r');
        if (how == CR_LF_TO_LF && c == '\r' && i + 1 < from.n && from.p[i + 1] == '\n')
            continue;
        if (how == LF_TO_CR && c == '\n')
            c = '\r';
        if (how == QUESTION_MARKS && c >= 0x80)
            c = '?';
        if (how == SEVEN_BITS)
            c &= 0x7f;
        buf_char(b, (char)c);
    }
    buf_free(&from);
    assert_false(b->failed);
}

static const char *title_of(struct art_file *f)
{
    arena_free(&f->arena);
    const struct profile *p = hostile_read(&f->arena, f->bytes.p, f->bytes.n, &f->diag);
    return p == NULL ? f->diag.title : "";
}

static void check_converted(struct art_file *f, const char *what)
{
    if (strcmp(title_of(f), CONVERTED) != 0)
        fail_msg("%s of %zu bytes, %s: %s", f->name, f->bytes.n, what, title_of(f));
    if (strstr(f->diag.detail, what) == NULL)
        fail_msg("%s: %s", what, f->diag.detail);
    assert_non_null(strstr(f->diag.hint, "adb pull"));
}

static const char *const WORDS[CONVERSIONS] = {"CR CR LF",    "end in CR,",         "question mark",
                                               "highest bit", "lacks CR before LF", "a CR before every LF"};

static void regular_files(void **state)
{
    struct art_file *f = *state;

    for (size_t i = 0; i < REGULARS; i++)
        for (enum conversion how = CR_CR_LF; how < CR_LF_TO_LF; how++)
            for (unsigned pointers = 0; pointers < 2; pointers++) {
                uint32_t first = pointers == 0 ? 4 : 0x41a8c0f0;
                put_regular(&f->bytes, &REGULAR[i], first, 37, CALLS);
                assert_string_equal(title_of(f), "");
                convert(&f->bytes, how);
                check_converted(f, WORDS[how]);
            }
}

/* Short ones are told by the methods that their records name no more. */
static void short_files(void **state)
{
    struct art_file *f = *state;

    for (size_t i = 0; i < REGULARS; i++)
        for (enum conversion how = CR_CR_LF; how < CR_LF_TO_LF; how++) {
            put_regular(&f->bytes, &REGULAR[i], 0x41a8c0f0, 1, 4);
            if (how >= QUESTION_MARKS)
                memset(f->bytes.p + f->bytes.n - 8 * REGULAR[i].record_bytes - 24, 0, 8); /* the start time */
            assert_string_equal(title_of(f), "");
            convert(&f->bytes, how);
            check_converted(f, WORDS[how]);
        }
}

/* Of so many bytes some must have had CR LF. */
static void lost_carriage_returns(void **state)
{
    struct art_file *f = *state;

    put_regular(&f->bytes, &REGULAR[2], 4, 104729, 180000);
    assert_string_equal(title_of(f), "");
    convert(&f->bytes, CR_LF_TO_LF);
    check_converted(f, WORDS[CR_LF_TO_LF]);
}

/* Where the first LF of the records stands far behind their beginning. */
static void late_carriage_returns(void **state)
{
    struct art_file *f = *state;

    for (size_t i = 0; i < REGULARS; i++)
        for (enum conversion how = LF_TO_CR_LF; how < CONVERSIONS; how++) {
            put_regular(&f->bytes, &REGULAR[i], 0x40, 0, 300);
            for (unsigned lf = 1; lf <= 2; lf++)
                f->bytes.p[f->bytes.n - lf * 20 * REGULAR[i].record_bytes + (i == 0 ? 6 : 7)] = '\n';
            assert_string_equal(title_of(f), "");
            convert(&f->bytes, how);
            check_converted(f, WORDS[how]);
            if (i == 0)
                hostile_cuttings("a CR before every LF", &f->bytes);
        }
}

/* Somebody edited the lines and left the records alone; or there was nothing to convert in these. */
static void lines_alone(void **state)
{
    struct art_file *f = *state;

    for (size_t i = 0; i < REGULARS; i++)
        for (unsigned lf = 0; lf < 3; lf++) {
            struct buf records = {0};
            put_regular(&f->bytes, &REGULAR[i], 0x40, 0, 20);
            size_t n = 40 * REGULAR[i].record_bytes + 32;
            buf_bytes(&records, f->bytes.p + f->bytes.n - n, n);
            for (unsigned at = 0; at < lf; at++)
                records.p[n - (at + 1) * REGULAR[i].record_bytes + (i == 0 ? 6 : 7)] = '\n';
            f->bytes.n -= n;
            convert(&f->bytes, LF_TO_CR_LF);
            buf_bytes(&f->bytes, records.p, records.n);
            buf_free(&records);
            assert_string_equal(title_of(f), "");
        }
}

/* ---- streaming files ---- */

static void streaming_files(void **state)
{
    static const char *const SAYS[] = {"CR", "CR in the place of every LF", "question mark", "highest bit"};
    struct art_file *f = *state;

    for (enum variant v = VARIANT_S1; v < VARIANTS; v++)
        for (enum conversion how = CR_CR_LF; how < CR_LF_TO_LF; how++) {
            art_file_put(f, v, &(struct variant_options){0});
            convert(&f->bytes, how);
            check_converted(f, SAYS[how]);
        }
}

/* ---- good ones ---- */

/* Bytes below 80 only, question marks among them: a few records, or many with times and ids that are small. */
static void what_only_looks_converted(void **state)
{
    struct art_file *f = *state;

    for (size_t i = 0; i < REGULARS; i++)
        for (uint32_t step = 0; step < 40; step++) {
            put_regular(&f->bytes, &REGULAR[i], 4, step, 6);
            memset(f->bytes.p + f->bytes.n - 12 * REGULAR[i].record_bytes - 24, 0, 8);
            assert_string_equal(title_of(f), "");
        }
    for (size_t i = 0; i < REGULARS; i++) {
        put_regular(&f->bytes, &REGULAR[i], 4, 0, 400);
        for (size_t at = f->bytes.n - 800 * REGULAR[i].record_bytes; at < f->bytes.n;
             at += REGULAR[i].record_bytes)
            f->bytes.p[at + (REGULAR[i].version == 1 ? 5 : 6)] = '?'; /* all at 63 µs */
        assert_string_equal(title_of(f), "");
    }
}

/* Version 3 with both clocks; threads and methods, 0 for none. */
static void put_keys(struct buf *b, const uint32_t threads[2], const uint32_t methods[2])
{
    buf_clear(b);
    buf_z(b, "*version\n3\nclock=dual\n*threads\n");
    for (unsigned i = 0; i < 2; i++)
        if (threads[i] != 0)
            buf_printf(b, "%u\tthread\n", (unsigned)threads[i]);
    buf_z(b, "*methods\n");
    for (unsigned i = 0; i < 2; i++)
        if (methods[i] != 0)
            buf_printf(b, "0x%x\ta/B\trun%u\t()V\tB.java\n", (unsigned)methods[i], i);
    buf_z(b, "*end\n");
    trace_bytes_header(b, 3, 32, 14);
    memset(b->p + b->n - 24, 0, 8); /* the start time */
}

static void put_record(struct buf *b, uint32_t thread, uint32_t method, unsigned i, uint32_t cpu,
                       uint32_t wall)
{
    trace_bytes_record(
        b, 14,
        (struct trace_record){(uint16_t)thread, method, i % 2 == 0 ? EVENT_ENTER : EVENT_EXIT, {cpu, wall}});
}

/* Thread ids are the same in every record, and so are their CR and LF. */
static void threads_that_look_like_line_ends(void **state)
{
    static const uint32_t THREADS[][2] = {
        {0x0a0d, 0}, {0x0d0a, 0}, {0x0d09, 0}, {0x2a0a, 0x2a0d}, {0x2a0a, 0}};
    static const uint32_t CALLS_MADE[] = {3, 15, 10000};
    struct art_file *f = *state;

    for (size_t i = 0; i < sizeof(THREADS) / sizeof(*THREADS); i++)
        for (size_t size = 0; size < 3; size++) {
            put_keys(&f->bytes, THREADS[i], (const uint32_t[]){0x1000, 0x1004});
            for (uint32_t at = 0; at < 2 * CALLS_MADE[size]; at++) /* one method is not listed */
                put_record(&f->bytes, THREADS[i][THREADS[i][1] != 0 ? at / 2 % 2 : 0],
                           at / 2 % 100 == 7 ? 0x9000 : 0x1000, at, 5000 + 37 * at, 0x20000 + 41 * at);
            assert_string_equal(title_of(f), "");
        }
}

/* Bytes below 80 only. */
static void clocks_and_methods_that_are_low(void **state)
{
    struct art_file *f = *state;

    put_keys(&f->bytes, (const uint32_t[]){0x1210, 0x1220}, (const uint32_t[]){0x1000, 0x1004});
    for (uint32_t i = 0; i < 40; i++) /* each thread has a clock of its own */
        put_record(&f->bytes, i % 2 == 0 ? 0x1210 : 0x1220, 0x1000, i / 2, (i % 2 == 0 ? 0x1200 : 0x3400) + i,
                   0x5000 + i);
    assert_string_equal(title_of(f), "");
    put_keys(&f->bytes, (const uint32_t[]){0x1210, 0}, (const uint32_t[]){0x94, 0x1000});
    for (uint32_t i = 0; i < 6; i++) /* enter and exit of one method that is not listed */
        put_record(&f->bytes, 0x1210, i / 2 == 1 ? 0x14 : 0x1000, i, 7 * i, 9 * i);
    assert_string_equal(title_of(f), "");
}

/* A key file of another recording: its methods are not those of the records, but damaged by nothing. */
static void methods_that_are_not_listed(void **state)
{
    struct art_file *f = *state;

    for (size_t i = 0; i < REGULARS; i++) {
        put_regular(&f->bytes, &REGULAR[i], 0x41a8c0f0, 3, 8);
        for (size_t at = f->bytes.n - 16 * REGULAR[i].record_bytes; at < f->bytes.n;
             at += REGULAR[i].record_bytes)
            memcpy(f->bytes.p + at + (REGULAR[i].version == 1 ? 1 : 2), "\x10\x20\x30\x40", 4);
        assert_string_equal(title_of(f), "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ART_FILE_TEST(regular_files),
        ART_FILE_TEST(short_files),
        ART_FILE_TEST(lost_carriage_returns),
        ART_FILE_TEST(late_carriage_returns),
        ART_FILE_TEST(lines_alone),
        ART_FILE_TEST(streaming_files),
        ART_FILE_TEST(what_only_looks_converted),
        ART_FILE_TEST(threads_that_look_like_line_ends),
        ART_FILE_TEST(clocks_and_methods_that_are_low),
        ART_FILE_TEST(methods_that_are_not_listed),
    };
    return cmocka_run_group_tests_name("android_converted", tests, NULL, NULL);
}
