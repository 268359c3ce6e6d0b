/* Warnings: each code has a word of its own and a sentence that fits any count. */
#include "tests/support/unit.h"

#include <string.h>

#include "profile/warning.h"

static struct str text_of(struct buf *b, enum warning_code code, uint64_t count)
{
    buf_clear(b);
    warning_text(b, code, count);
    assert_false(b->failed);
    return buf_view(b);
}

TEST(names_are_words_and_distinct)
{
    for (unsigned i = 0; i < WARNING_CODES; i++) {
        const char *name = warning_name((enum warning_code)i);
        assert_non_null(name);
        assert_true(strlen(name) > 0);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(name, warning_name((enum warning_code)k));
    }
}

TEST(texts_are_whole_sentences)
{
    static const uint64_t COUNTS[] = {0, 1, 2, 1234567, UINT64_MAX};
    struct buf b = {0};

    for (unsigned i = 0; i < WARNING_CODES; i++)
        for (unsigned k = 0; k < sizeof(COUNTS) / sizeof(*COUNTS); k++) {
            struct str text = text_of(&b, (enum warning_code)i, COUNTS[k]);
            assert_true(text.n > 20);
            assert_true(str_ends(text, STR(".")));
            assert_true((text.p[0] >= 'A' && text.p[0] <= 'Z') || (text.p[0] >= '0' && text.p[0] <= '9'));
            assert_int_equal(str_find(text, '{'), text.n);
            assert_int_equal(str_find(text, '}'), text.n);
            assert_int_equal(str_find_str(text, STR("  ")), text.n);
        }
    buf_free(&b);
}

TEST(each_says_what_to_do)
{
    struct buf b = {0};

    for (unsigned i = 0; i < WARNING_CODES; i++) {
        const char *next = warning_next((enum warning_code)i);
        assert_non_null(next);
        assert_true(next[0] >= 'A' && next[0] <= 'Z' && strlen(next) > 10);
        assert_true(strstr(next, ". ") == NULL && str_ends(str_of(next), STR(".")));
        assert_null(strstr(next, "max_")); /* a setting of the service, */
        assert_null(strchr(next, '='));    /* or of a link */
        struct str text = text_of(&b, (enum warning_code)i, 3);
        assert_true(str_ends(text, str_of(next)));
        assert_true(text.n > strlen(next) + 20);
        assert_memory_equal(text.p + text.n - strlen(next) - 2, ". ", 2);
    }
    buf_free(&b);
}

TEST(one_and_many)
{
    struct buf b = {0};

    assert_true(str_starts(text_of(&b, WARN_IGNORED_EXIT, 1), STR("1 exit was ")));
    assert_true(str_starts(text_of(&b, WARN_IGNORED_EXIT, 2), STR("2 exits were ")));
    assert_true(str_starts(text_of(&b, WARN_IGNORED_EXIT, 0), STR("0 exits were ")));
    assert_true(str_starts(text_of(&b, WARN_IGNORED_EXIT, 1234567), STR("1,234,567 exits were ")));
    assert_true(str_starts(text_of(&b, WARN_TIME_BACK, 1), STR("Time went back once;")));
    assert_true(str_starts(text_of(&b, WARN_LONG_LINE, 1),
                           STR("1 line is longer than the limit max_line_bytes, and was left out")));
    assert_true(str_starts(text_of(&b, WARN_TIME_BACK, 12), STR("Time went back 12 times;")));
    struct str first = text_of(&b, WARN_CRLF, 1);
    struct buf again = {0};
    assert_true(str_eq(first, text_of(&again, WARN_CRLF, 5)));
    buf_free(&again);
    buf_free(&b);
}

TEST(appends)
{
    struct buf b = {0};

    buf_z(&b, "warning: ");
    warning_text(&b, WARN_CUT_RECORD, 1);
    assert_true(str_starts(buf_view(&b), STR("warning: The file ends within a record")));
    buf_free(&b);
}
