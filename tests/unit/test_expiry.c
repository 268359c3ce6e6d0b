/* How long an upload is to be kept, as clients write it. */
#include "tests/support/unit.h"

#include "server/upload/upload.h"

enum { HOUR_S = 3600, MONTH_S = 30 * EXPIRY_DAY_S };

static void days_and_hours(void **state)
{
    static const struct {
        const char *text;
        uint64_t seconds;
    } CASES[] = {
        {"7", 7 * EXPIRY_DAY_S}, {"7d", 7 * EXPIRY_DAY_S}, {" 7 ", 7 * EXPIRY_DAY_S}, {"12h", 12 * HOUR_S},
        {"1h", HOUR_S},          {"30", MONTH_S},          {"720h", MONTH_S},
    };
    uint64_t seconds;

    (void)state;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_true(expiry_parse(str_of(CASES[i].text), MONTH_S, &seconds));
        assert_int_equal(seconds, CASES[i].seconds);
    }
}

static void refused(void **state)
{
    static const char *const TEXTS[] = {"",
                                        "0",
                                        "0h",
                                        "h",
                                        "d",
                                        "31",
                                        "721h",
                                        "-1",
                                        "1.5",
                                        "7 d",
                                        "1 h ",
                                        "0x1",
                                        "7dd",
                                        "7m",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "5124095576030431h"};
    uint64_t seconds;

    (void)state;
    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        assert_false(expiry_parse(str_of(TEXTS[i]), MONTH_S, &seconds));
    assert_false(expiry_parse(STR("1"), EXPIRY_DAY_S - 1, &seconds));
    assert_false(expiry_parse(STR("1h"), 0, &seconds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_and_hours),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests_name("expiry", tests, NULL, NULL);
}
