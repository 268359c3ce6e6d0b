/* Diagnostics: the first one stays, long texts are cut, offsets are kept. */
#include "tests/support/unit.h"

#include "core/diag.h"

#include <string.h>

static void the_first_stays(void **state)
{
    struct diag d = {0};

    (void)state;
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

static void an_offset(void **state)
{
    struct diag d = {0};

    (void)state;
    assert_false(diag_at(&d, DIAG_UNUSABLE, UINT64_MAX, "t", "", "%s", "%s%n is text"));
    assert_true(d.has_offset);
    assert_true(d.offset == UINT64_MAX);
    assert_string_equal(d.detail, "%s%n is text");
    assert_string_equal(d.hint, "");
}

static void long_texts_are_cut(void **state)
{
    struct diag d = {0};
    char text[2000];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_false(diag_set(&d, DIAG_UNKNOWN, text, text, "%s", text));
    assert_int_equal(strlen(d.title), sizeof(d.title) - 1);
    assert_int_equal(strlen(d.detail), sizeof(d.detail) - 1);
    assert_int_equal(strlen(d.hint), sizeof(d.hint) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_stays),
        cmocka_unit_test(an_offset),
        cmocka_unit_test(long_texts_are_cut),
    };
    return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
