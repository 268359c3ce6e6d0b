#include "server/http/message/range.h"

#include "tests/support/unit.h"

TEST(ranges)
{
    static const struct {
        const char *field;
        uint64_t total;
        enum range_answer answer;
        uint64_t first, n;
    } CASES[] = {
        {"bytes=0-0", 10, RANGE_PART, 0, 1},
        {"bytes=0-9", 10, RANGE_PART, 0, 10},
        {"bytes=3-5", 10, RANGE_PART, 3, 3},
        {"bytes=3-", 10, RANGE_PART, 3, 7},
        {"bytes=9-", 10, RANGE_PART, 9, 1},
        {"bytes=3-100", 10, RANGE_PART, 3, 7},
        {"bytes=-3", 10, RANGE_PART, 7, 3},
        {"bytes=-10", 10, RANGE_PART, 0, 10},
        {"bytes=-11", 10, RANGE_PART, 0, 10},
        {"BYTES = 3-5 ", 10, RANGE_PART, 3, 3},
        {"bytes=00003-5", 10, RANGE_PART, 3, 3},
        {"bytes=0-18446744073709551615", 10, RANGE_PART, 0, 10},
        {"bytes=0-99999999999999999999999", 10, RANGE_PART, 0, 10},
        {"bytes=-99999999999999999999999", 10, RANGE_PART, 0, 10},
        {"bytes=10-", 10, RANGE_OUTSIDE, 0, 0},
        {"bytes=10-20", 10, RANGE_OUTSIDE, 0, 0},
        {"bytes=99999999999999999999999-", 10, RANGE_OUTSIDE, 0, 0},
        {"bytes=-0", 10, RANGE_OUTSIDE, 0, 0},
        {"bytes=0-", 0, RANGE_OUTSIDE, 0, 0},
        {"bytes=-5", 0, RANGE_OUTSIDE, 0, 0},
        {"bytes=5-3", 10, RANGE_WHOLE, 0, 0},
        {"bytes=0-1,3-4", 10, RANGE_WHOLE, 0, 0},
        {"bytes=0-1,-1", 10, RANGE_WHOLE, 0, 0},
        {"bytes=-1,0-1", 10, RANGE_WHOLE, 0, 0},
        {"bytes=,0-1", 10, RANGE_WHOLE, 0, 0},
        {"bytes=-", 10, RANGE_WHOLE, 0, 0},
        {"bytes=", 10, RANGE_WHOLE, 0, 0},
        {"bytes", 10, RANGE_WHOLE, 0, 0},
        {"", 10, RANGE_WHOLE, 0, 0},
        {"bytes=5", 10, RANGE_WHOLE, 0, 0},
        {"bytes=--5", 10, RANGE_WHOLE, 0, 0},
        {"bytes=+1-5", 10, RANGE_WHOLE, 0, 0},
        {"bytes=0x1-5", 10, RANGE_WHOLE, 0, 0},
        {"bytes=1 -5", 10, RANGE_WHOLE, 0, 0},
        {"items=0-5", 10, RANGE_WHOLE, 0, 0},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct range r = {0, 0};
        enum range_answer answer = range_parse(str_of(CASES[i].field), CASES[i].total, &r);
        if (answer != CASES[i].answer ||
            (answer == RANGE_PART && (r.first != CASES[i].first || r.n != CASES[i].n)))
            fail_msg("%s: %d, %llu+%llu", CASES[i].field, (int)answer, (unsigned long long)r.first,
                     (unsigned long long)r.n);
    }
}

TEST(no_header_is_the_whole)
{
    struct range r;

    assert_int_equal(range_parse((struct str){NULL, 0}, 10, &r), RANGE_WHOLE);
}

TEST(largest_sizes)
{
    struct range r;

    assert_int_equal(range_parse(STR("bytes=1-"), UINT64_MAX, &r), RANGE_PART);
    assert_true(r.first == 1 && r.n == UINT64_MAX - 1);
    assert_int_equal(range_parse(STR("bytes=0-18446744073709551615"), UINT64_MAX, &r), RANGE_PART);
    assert_true(r.first == 0 && r.n == UINT64_MAX);
}

TEST(condition_of_a_range)
{
    assert_true(range_if((struct str){NULL, 0}, STR("abc")));
    assert_true(range_if(STR("\"abc\""), STR("abc")));
    assert_true(range_if(STR(" \"abc\" "), STR("abc")));
    assert_false(range_if(STR("W/\"abc\""), STR("abc")));
    assert_false(range_if(STR("\"abd\""), STR("abc")));
    assert_false(range_if(STR("abc"), STR("abc")));
    assert_false(range_if(STR("xabcx"), STR("abc")));
    assert_false(range_if(STR(""), STR("abc")));
    assert_false(range_if(STR("Fri, 20 Nov 2026 10:00:00 GMT"), STR("abc")));
}

TEST(tags_that_match)
{
    assert_true(range_none_match(STR("\"abc\""), STR("abc")));
    assert_true(range_none_match(STR("W/\"abc\""), STR("abc")));
    assert_true(range_none_match(STR("\"x\", \"abc\""), STR("abc")));
    assert_true(range_none_match(STR("\"x\",W/\"abc\",\"y\""), STR("abc")));
    assert_true(range_none_match(STR(" * "), STR("abc")));
    assert_false(range_none_match((struct str){NULL, 0}, STR("abc")));
    assert_false(range_none_match(STR(""), STR("abc")));
    assert_false(range_none_match(STR("\""), STR("abc")));
    assert_false(range_none_match(STR("abc"), STR("abc")));
    assert_false(range_none_match(STR("\"abc.gz\""), STR("abc")));
    assert_false(range_none_match(STR("\"ABC\""), STR("abc")));
    assert_false(range_none_match(STR("W/"), STR("abc")));
}

TEST(tags_of_which_one_must_match)
{
    assert_true(range_match((struct str){NULL, 0}, STR("abc")));
    assert_true(range_match(STR("\"abc\""), STR("abc")));
    assert_true(range_match(STR("\"x\", W/\"abc\" ,\"abc\""), STR("abc")));
    assert_true(range_match(STR(" * "), STR("abc")));
    assert_false(range_match(STR("W/\"abc\""), STR("abc")));
    assert_false(range_match(STR("\"x\""), STR("abc")));
    assert_false(range_match(STR("abc"), STR("abc")));
    assert_false(range_match(STR("\"abc.gz\""), STR("abc")));
    assert_false(range_match(STR(""), STR("abc")));
}
