/* How long an upload is to be kept, as clients write it. */
#include "tests/support/unit.h"

#include "server/spaces/expiry.h"

enum { HOUR_S = 3600, MONTH_S = 30 * EXPIRY_DAY_S };

TEST(days_and_hours)
{
    static const struct {
        const char *text;
        uint64_t seconds;
    } CASES[] = {
        {"7", 7 * EXPIRY_DAY_S}, {"7d", 7 * EXPIRY_DAY_S}, {" 7 ", 7 * EXPIRY_DAY_S}, {"12h", 12 * HOUR_S},
        {"1h", HOUR_S},          {"30", MONTH_S},          {"720h", MONTH_S},
    };
    uint64_t seconds;

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_true(expiry_parse(str_of(CASES[i].text), MONTH_S, &seconds));
        assert_int_equal(seconds, CASES[i].seconds);
    }
}

TEST(refused)
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

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        assert_false(expiry_parse(str_of(TEXTS[i]), MONTH_S, &seconds));
    assert_false(expiry_parse(STR("1"), EXPIRY_DAY_S - 1, &seconds));
    assert_false(expiry_parse(STR("1h"), 0, &seconds));
}

TEST(of_labels)
{
    static const char RULES[] = " branch=main 365d;; device=Pixel 8 12h ;release=* 30;branch=fix 1d";
    static const struct {
        const char *labels;
        uint64_t seconds; /* 0: no item is about them */
    } CASES[] = {
        {"branch=main\n", 365 * EXPIRY_DAY_S},
        {"branch=main\nrelease=1\n", 365 * EXPIRY_DAY_S},
        {"branch=fix\nrelease=1\n", MONTH_S},
        {"branch=fix\n", EXPIRY_DAY_S},
        {"branch=other\nrelease=any words\n", MONTH_S},
        {"device=Pixel 8\n", 12 * HOUR_S},
        {"device=Pixel\n", 0},
        {"branch=maintenance\n", 0},
        {"", 0},
    };
    uint64_t seconds;
    struct diag diag = {0};

    assert_true(expiry_rules_valid(STR(RULES)));
    assert_int_equal(expiry_rules_longest(STR(RULES)), 365 * EXPIRY_DAY_S);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct labels labels = {""};
        assert_true(labels_set_lines(&labels, str_of(CASES[i].labels), &diag));
        assert_int_equal(expiry_of_labels(STR(RULES), &labels, &seconds), CASES[i].seconds > 0);
        if (CASES[i].seconds > 0)
            assert_int_equal(seconds, CASES[i].seconds);
    }
}

TEST(bad_rules)
{
    static const char *const RULES[] = {"branch=main",
                                        "branch 365d",
                                        "=main 365d",
                                        "branch= 365d",
                                        "365d",
                                        "a=b 0d",
                                        "a=b 1w",
                                        "A=b 1d",
                                        "a=b 1d; c",
                                        "a=b -1d",
                                        "a=b 99999999999999999999d"};

    for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]); i++)
        assert_false(expiry_rules_valid(str_of(RULES[i])));
    assert_true(expiry_rules_valid(STR("")));
    assert_true(expiry_rules_valid(STR(" ; ")));
    assert_int_equal(expiry_rules_longest(STR("")), 0);
}
