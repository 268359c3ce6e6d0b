/* Passes of pictures: for one upload, for an hour or two, from one start of the service. */
#include "tests/support/unit.h"
#include <string.h>

#include "server/views/policies.h"

enum { NOW_S = 1795171759 };

static void for_one_upload_and_two_hours(void **state)
{
    struct passes *p = passes_new();
    char pass[PASS_CHARS + 1], again[PASS_CHARS + 1];
    int64_t hour_s = NOW_S / PASS_S * PASS_S;

    (void)state;
    assert_non_null(p);
    assert_true(pass_make(p, STR("one"), hour_s, pass));
    assert_int_equal(strlen(pass), PASS_CHARS);
    assert_int_equal(strspn(pass, "abcdefghijklmnopqrstuvwxyz234567"), PASS_CHARS);
    assert_true(pass_make(p, STR("one"), hour_s + PASS_S - 1, again));
    assert_string_equal(pass, again);
    assert_true(pass_holds(p, STR("one"), hour_s, str_of(pass)));
    assert_true(pass_holds(p, STR("one"), hour_s + 2 * PASS_S - 1, str_of(pass)));
    assert_false(pass_holds(p, STR("one"), hour_s + 2 * PASS_S, str_of(pass)));
    assert_false(pass_holds(p, STR("one"), hour_s - 1, str_of(pass)));
    assert_false(pass_holds(p, STR("two"), hour_s, str_of(pass)));
    passes_free(p);
}

static void nothing_else_passes(void **state)
{
    struct passes *p = passes_new(), *other = passes_new();
    char pass[PASS_CHARS + 1];

    (void)state;
    assert_true(pass_make(p, STR("one"), NOW_S, pass));
    assert_false(pass_holds(other, STR("one"), NOW_S, str_of(pass)));
    assert_false(pass_holds(p, STR("one"), NOW_S, STR("")));
    assert_false(pass_holds(p, STR("one"), NOW_S, (struct str){pass, PASS_CHARS - 1}));
    for (size_t i = 0; i < PASS_CHARS; i++) {
        pass[i] ^= 1;
        assert_false(pass_holds(p, STR("one"), NOW_S, str_of(pass)));
        pass[i] ^= 1;
    }
    assert_true(pass_holds(p, STR("one"), NOW_S, str_of(pass)));
    passes_free(p);
    passes_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_one_upload_and_two_hours),
        cmocka_unit_test(nothing_else_passes),
    };
    return cmocka_run_group_tests_name("pass", tests, NULL, NULL);
}
