/* Diagnostics: the first one stays, long texts are cut, offsets are kept. */
#include "tests/support/unit.h"

#include "core/diag.h"

#include <string.h>

TEST(the_first_stays)
{
    struct diag d = {0};

    assert_false(diag_set(&d, DIAG_UNUSABLE, "damaged", "record again", "found %d of %s", 3, "four"));
    assert_int_equal(d.kind, DIAG_UNUSABLE);
    assert_string_equal(d.title, "damaged");
    assert_string_equal(d.hint, "record again");
    assert_string_equal(d.detail, "found 3 of four");
    assert_false(d.has_offset);
    assert_false(diag_at(&d, DIAG_LIMIT, 7, "other", "other", "other"));
    assert_int_equal(d.kind, DIAG_UNUSABLE);
    assert_string_equal(d.title, "damaged");
    assert_false(d.has_offset);
    assert_false(diag_set(&d, DIAG_IO, "other", "other", "other"));
    assert_string_equal(d.detail, "found 3 of four");
}

TEST(an_offset)
{
    struct diag d = {0};

    assert_false(diag_at(&d, DIAG_UNUSABLE, UINT64_MAX, "t", "", "%s", "%s%n is text"));
    assert_true(d.has_offset);
    assert_true(d.offset == UINT64_MAX);
    assert_string_equal(d.detail, "%s%n is text");
    assert_string_equal(d.hint, "");
}

TEST(long_texts_are_cut)
{
    struct diag d = {0};
    char text[2000];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_false(diag_set(&d, DIAG_UNKNOWN, text, text, "%s", text));
    assert_int_equal(strlen(d.title), sizeof(d.title) - 1);
    assert_int_equal(strlen(d.detail), sizeof(d.detail) - 1);
    assert_int_equal(strlen(d.hint), sizeof(d.hint) - 1);
}
