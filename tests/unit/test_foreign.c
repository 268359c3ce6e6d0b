/* Other kinds of files: every row of the table can be reached by each of its marks, says something, and says
 * it however the bytes arrive. What rows look like in whole files is in tests/data. */
#include "tests/support/unit.h"
#include <string.h>

#include "core/buf.h"
#include "parser/format.h"
#include "parser/refuse/foreign.h"
#include "tests/support/hostile.h"

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

TEST(every_mark_leads_to_its_row)
{
    for (size_t i = 0; i < FOREIGN_COUNT; i++)
        for (size_t k = 0; k < FOREIGN_MARKS; k++) {
            const struct foreign_mark *m = &FOREIGN[i].marks[k];
            struct buf b = {0};
            if (m->where == FOREIGN_NOWHERE)
                continue;
            if (m->where == FOREIGN_KEY) {
                const struct str keys[] = {STR("a"), m->with.n > 0 ? m->with : STR("b"), m->bytes};
                const struct foreign *f = foreign_find_keys(keys, 3);
                assert_non_null(f);
                assert_string_equal(f->code, FOREIGN[i].code);
                assert_null(foreign_find_keys(keys, m->with.n > 0 ? 2 : 1));
                continue;
            }
            assert_true(m->bytes.n > 0);
            put_marked(&b, m);
            if (strcmp(code_of(buf_view(&b)), FOREIGN[i].code) != 0)
                fail_msg("mark %zu of %s is taken for %s", k, FOREIGN[i].code, code_of(buf_view(&b)));
            buf_free(&b);
        }
}

TEST(every_row_says_what_to_do)
{
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
        assert_true(f->marks[0].where != FOREIGN_NOWHERE);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(f->code, FOREIGN[k].code);
    }
}

TEST(cuttings_do_not_matter)
{
    static const struct str FILES[] = {STR_INIT("SIMPLEPERF\1\0"),
                                       STR_INIT("SLOW\xef\xbf\xbd\0"),
                                       STR_INIT("<!DOCTYPE html>\n<html><head i18n-values=\"dir\">\n"),
                                       STR_INIT("\n<!doctype HTML>\n<p>\n"),
                                       STR_INIT("\x0a\x04\x08\x01\x10\x02\x0a\x02\x08\x03"),
                                       STR_INIT("KnZlcnNpb24KMwo=\n")};

    for (size_t i = 0; i < sizeof(FILES) / sizeof(*FILES); i++) {
        struct buf b = {0};
        buf_str(&b, FILES[i]);
        hostile_damage("foreign", &b);
        buf_free(&b);
    }
}

/* A long file is known by the same bytes, whatever comes behind them. */
TEST(only_the_beginning_counts)
{
    static char large[2 * DETECT_BYTES_MAX];

    memset(large, 'x', sizeof(large));
    memcpy(large, "<a>", 3);
    assert_string_equal(code_of((struct str){large, sizeof(large)}), "none");
    memcpy(large + DETECT_BYTES_MAX - 13, "\n\n\n\n# tracer:", 13);
    assert_string_equal(code_of((struct str){large, sizeof(large)}), "systrace");
    memmove(large + DETECT_BYTES_MAX - 12, large + DETECT_BYTES_MAX - 13, 13);
    assert_string_equal(code_of((struct str){large, sizeof(large)}), "none");
}

TEST(what_is_none_of_them)
{
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

/* Hints are for those who have a browser, a device and Android Studio. */
TEST(hints_name_no_setting_and_no_upload_command)
{
    for (size_t i = 0; i < FOREIGN_COUNT; i++) {
        assert_null(strstr(FOREIGN[i].hint, "curl"));
        assert_null(strstr(FOREIGN[i].hint, "max_"));
    }
}
