/* Other kinds of files: every row of the table can be reached by each of its marks, says something, and says
 * it however the bytes arrive. What rows look like in whole files is in tests/data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "parser/format.h"
#include "parser/refuse/foreign.h"
#include "parser/refuse/foreign_shapes.h"
#include "tests/support/hostile.h"

extern const struct format FORMAT_FOLDED_STACKS;

static const char *code_of(struct str head)
{
    const struct foreign *f = foreign_find(head);

    return f == NULL ? "none" : f->code;
}

/* The smallest file with this mark. */
static void put_marked(struct buf *b, const struct foreign_mark *m)
{
    if (m->where == FOREIGN_LINE)
        buf_z(b, "first line\n");
    if (m->where == FOREIGN_HEAD)
        buf_z(b, "\xef\xbb\xbf \r\n\t");
    for (size_t i = 0; m->where == FOREIGN_AT && i < m->at; i++)
        buf_char(b, '\x01');
    buf_str(b, m->bytes);
    buf_str(b, m->with);
    assert_false(b->failed);
}

static void every_mark_leads_to_its_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < FOREIGN_COUNT; i++)
        for (size_t k = 0; k < FOREIGN_MARKS; k++) {
            const struct foreign_mark *m = &FOREIGN[i].marks[k];
            struct buf b = {0};
            if (m->where == FOREIGN_NOWHERE)
                continue;
            assert_true(m->bytes.n > 0);
            put_marked(&b, m);
            if (strcmp(code_of(buf_view(&b)), FOREIGN[i].code) != 0)
                fail_msg("mark %zu of %s is taken for %s", k, FOREIGN[i].code, code_of(buf_view(&b)));
            buf_free(&b);
        }
}

static void every_row_says_what_to_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < FOREIGN_COUNT; i++) {
        const struct foreign *f = &FOREIGN[i];
        struct diag diag = {0};
        assert_false(foreign_refuse(f, &diag));
        assert_int_equal(diag.kind, f->damaged ? DIAG_UNUSABLE : DIAG_FOREIGN);
        assert_string_equal(diag.title, f->title); /* none is cut */
        assert_string_equal(diag.detail, f->detail);
        assert_string_equal(diag.hint, f->hint);
        assert_true(strlen(f->title) > 2 && strchr(f->title, ':') == NULL);
        assert_int_equal(f->detail[strlen(f->detail) - 1], '.');
        assert_int_equal(f->hint[strlen(f->hint) - 1], '.');
        assert_true(f->test != NULL || f->marks[0].where != FOREIGN_NOWHERE);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(f->code, FOREIGN[k].code);
    }
}

static void cuttings_do_not_matter(void **state)
{
    (void)state;
    static const struct str FILES[] = {STR_INIT("SIMPLEPERF\1\0"),
                                       STR_INIT("\0\0\0\x18"
                                                "ftypmp42\0\0\0\0"),
                                       STR_INIT("<!DOCTYPE html>\n<html><head i18n-values=\"dir\">\n"),
                                       STR_INIT("\n<!doctype HTML>\n<p>\n"),
                                       STR_INIT("\x0a\x04\x08\x01\x10\x02\x0a\x02\x08\x03"),
                                       STR_INIT("KnZlcnNpb24KMwo=\n")};

    for (size_t i = 0; i < sizeof(FILES) / sizeof(*FILES); i++) {
        struct buf b = {0};
        buf_str(&b, FILES[i]);
        hostile_cuttings("foreign", &b);
        hostile_truncations("foreign", &b);
        hostile_bit_flips("foreign", &b);
        buf_free(&b);
    }
}

/* A long file is known by the same bytes, whatever comes behind them. */
static void only_the_beginning_counts(void **state)
{
    (void)state;
    static char large[2 * DETECT_BYTES_MAX];

    memset(large, 'x', sizeof(large));
    memcpy(large, "{\"a\":1,", 7);
    assert_string_equal(code_of((struct str){large, sizeof(large)}), "json");
    memcpy(large + DETECT_BYTES_MAX - 13, "\"traceEvents\"", 13);
    assert_string_equal(code_of((struct str){large, sizeof(large)}), "chrome-trace");
    memmove(large + DETECT_BYTES_MAX - 12, large + DETECT_BYTES_MAX - 13, 13);
    assert_string_equal(code_of((struct str){large, sizeof(large)}), "json");
}

static void what_is_none_of_them(void **state)
{
    (void)state;
    static const struct str FILES[] = {
        STR_INIT(""),
        STR_INIT("\0"),
        STR_INIT("A letter.\n\nDear reader,\n"),
        STR_INIT("\nHello world\n"),
        STR_INIT("\n\x05Hello"),
        STR_INIT("main;a 1\nmain;b 2\n"),
        STR_INIT("The error: it is not at the beginning.\n"),
        STR_INIT("KnZlcnNpb24 is how base64 begins\n"),
        STR_INIT("a -> b c\nd -> e f\n"),
        STR_INIT("12-24 is a date\n12-31 as well\n"),
        STR_INIT("\x08\x01\x08\x02\x08\x03\x08\x04"), /* fields, but not of a profile */
    };

    for (size_t i = 0; i < sizeof(FILES) / sizeof(*FILES); i++)
        assert_string_equal(code_of(FILES[i]), "none");
}

static void lines_of_logs(void **state)
{
    (void)state;
    assert_true(foreign_is_logcat(STR("05-06 07:08:09.123 I/App(1): a\n05-06 07:08:09.124 I/App(1): b\n")));
    assert_true(foreign_is_logcat(
        STR("2024-05-06 07:08:09.123  1  1 I App: a\r\n2024-05-06 07:08:09.124  1  1 I App: b\r\n")));
    assert_true(foreign_is_logcat(STR("I/App( 4711): a\nW/App( 4711): b\n\n")));
    assert_false(foreign_is_logcat(STR("05-06 07:08:09.123 I/App(1): a\n")));
    assert_false(foreign_is_logcat(STR("I/App\nW/App\n/\n")));
    assert_true(
        foreign_is_mapping(STR("a.b.C -> a.a:\n    int size -> b\n    1:1:void <init>():3:3 -> <init>\n")));
    assert_false(foreign_is_perf_script(STR("a b:\n")));
    assert_false(foreign_is_perf_script(STR("a b:\n\tmain (x)\n")));
    assert_true(foreign_is_perf_script(STR("# c\n\na b:\n\tff main (x)\n")));
    assert_true(foreign_is_base64_trace(STR("data:application/octet-stream;base64,U0xPV/MA")));
    assert_false(foreign_is_base64_trace(STR("data:U0xPV/MA")));
}

/* In each form of `adb logcat -v`, with messages that could be folded stacks; CR before LF, or none. */
static void all_forms_of_logcat(void **state)
{
    (void)state;
    static const char *const LOGS[] = {
        "I/App     ( 4711): a;b 1\nW/Choreographer( 4711): c;d 2\n",
        "I/App(10123: 4711): a;b 1\nW/Choreographer(10123: 4711): c;d 2\n",
        "I( 4711) a;b 1  (App)\nW( 4711) c;d 2  (Choreographer)\n",
        "I( 4711: 4712) a;b 1\nW( 4711: 4712) c;d 2\n",
        "I/App     : a;b 1\nW/Choreographer: c;d 2\n",
        "05-06 07:08:09.123 I/App     ( 4711): a;b 1\n05-06 07:08:09.124 W/X( 4711): c;d 2\n",
        "05-06 07:08:09.123  4711  4712 I App     : a;b 1\n05-06 07:08:09.124  4711  4712 W X: c;d 2\n",
        "05-06 07:08:09.123 u0_a123  4711  4712 I App     : a;b 1\n"
        "05-06 07:08:09.124 10123  4711  4712 W X: c;d 2\n",
        "2024-05-06 07:08:09.123456 +0200  4711  4712 I App     : a;b 1\n"
        "2024-05-06 07:08:09.123457 +0200  4711  4712 W X: c;d 2\n",
        "         1714972089.123  4711  4712 I App     : a;b 1\n         1714972089.124  4711  4712 W X: c;d "
        "2\n",
        "1714972089.123456789 I/App     ( 4711): a;b 1\n1714972089.223456789 I/App     ( 4711): c;d 2\n",
        "[ 05-06 07:08:09.123  4711: 4712 I/App      ]\na;b 1\nc;d 2\ne;f 3\n\n",
        "[ 1714972089.123  4711: 4712 I/App      ]\na;b 1\nc;d 2\ne;f 3\n\n",
        "2024-05-06 07:08:09.123  4711-4712  App  com.example.app  I  a;b 1\n"
        "2024-05-06 07:08:09.124  4711-4712  App  com.example.app  I  c;d 2\n",
    };

    for (size_t i = 0; i < 4 * sizeof(LOGS) / sizeof(*LOGS); i++) {
        struct buf b = {0};
        if ((i & 1) != 0)
            buf_z(&b, "--------- beginning of main\n");
        for (const char *p = LOGS[i / 4]; *p != '\0'; p++)
            buf_str(&b, *p == '\n' && (i & 2) != 0 ? STR("\r\n") : (struct str){p, 1});
        assert_false(b.failed);
        if (!foreign_is_logcat(buf_view(&b)))
            fail_msg("not taken for a log: %s", LOGS[i / 4]);
        assert_int_equal(FORMAT_FOLDED_STACKS.detect((const uint8_t *)b.p, b.n, true), DETECT_NO);
        assert_string_equal(code_of(buf_view(&b)), "logcat");
        buf_free(&b);
    }
    assert_string_equal(code_of(STR("--------- beginning of main\na;b 1\n")), "logcat");
    assert_int_equal(
        FORMAT_FOLDED_STACKS.detect((const uint8_t *)"--------- beginning of main\na;b 1\n", 34, true),
        DETECT_NO);
}

/* Names of frames hold slashes, colons, blanks and numbers as well. */
static void folded_stacks_are_no_log(void **state)
{
    (void)state;
    static const char *const STACKS[] = {
        "I/O: read;x 5\nI/O: write;y 6\n",
        "I/O;D/ISK 5\nI/O;E/ND 6\n",
        "D/isk/path/name: open;x 5\nD/isk/path/name: close;y 6\n",
        "D/Some.Class::method: x;y 5\nD/Some.Class::other: x;y 5\n",
        "A(int) b;c 5\nA(12) b;c 6\nE(1:2) x;y 7\n",
        "main: 12:30 a/b;run (x): y 5\nworker/1: 07:08:09.123 c;d 6\n",
        "12.5 ms;a 1\n13.5 ms;b 2\n",
        "1.500 a b;c 1\n1.600 a b;c 2\n",
        "05-06;a 1\n05-07;b 2\n",
        "[ main ];a: b/c 1\n[ 12 main/x:1 ];b 2\n",
        "/system/bin/app_process64 (deleted);a 1\n/x: y;b 2\n",
        "I/;a 1\nW/: ;b 2\nE(;c 1\n(;d 2\n",
    };

    for (size_t i = 0; i < sizeof(STACKS) / sizeof(*STACKS); i++) {
        if (foreign_is_logcat(str_of(STACKS[i])))
            fail_msg("taken for a log: %s", STACKS[i]);
        assert_int_equal(FORMAT_FOLDED_STACKS.detect((const uint8_t *)STACKS[i], strlen(STACKS[i]), true),
                         DETECT_YES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mark_leads_to_its_row), cmocka_unit_test(every_row_says_what_to_do),
        cmocka_unit_test(cuttings_do_not_matter),      cmocka_unit_test(only_the_beginning_counts),
        cmocka_unit_test(what_is_none_of_them),        cmocka_unit_test(lines_of_logs),
        cmocka_unit_test(all_forms_of_logcat),         cmocka_unit_test(folded_stacks_are_no_log),
    };
    return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
