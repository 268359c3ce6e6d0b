/* Passes: of pictures for an hour or two, and of cards for some days; each for one upload. */
#include "tests/support/unit.h"
#include <string.h>

#include "core/system/digest.h"
#include "server/views/policies.h"

enum { NOW_S = 1795171759 };

TEST(for_one_upload_and_two_hours)
{
    struct passes *p = passes_new(NULL);
    char pass[PASS_CHARS + 1], again[PASS_CHARS + 1];
    int64_t hour_s = NOW_S / PASS_S * PASS_S;

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

TEST(nothing_else_passes)
{
    struct passes *p = passes_new(NULL), *other = passes_new(NULL);
    char pass[PASS_CHARS + 1];

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

/* A pass is of the store's key: each machine that serves it lets in whom another one gave a pass. */
TEST(of_a_card_for_thirty_days)
{
    static const uint8_t KEY[DIGEST_KEY_BYTES] = {1, 2, 3};
    struct passes *p = passes_new(KEY), *again = passes_new(KEY), *other = passes_new(NULL);
    char pass[CARD_PASS_CHARS + 1];
    int64_t day = 86400, end_s = (NOW_S / day + CARD_PASS_DAYS + 1) * day;

    assert_true(card_pass_make(p, STR("one"), NOW_S, pass));
    assert_int_equal(strspn(pass, "abcdefghijklmnopqrstuvwxyz234567"), CARD_PASS_CHARS);
    assert_true(card_pass_holds(again, STR("one"), NOW_S, str_of(pass)));
    assert_true(card_pass_holds(p, STR("one"), end_s - 1, str_of(pass)));
    assert_false(card_pass_holds(p, STR("one"), end_s, str_of(pass)));
    assert_false(card_pass_holds(p, STR("two"), NOW_S, str_of(pass)));
    assert_false(card_pass_holds(other, STR("one"), NOW_S, str_of(pass)));
    assert_false(pass_holds(p, STR("one"), NOW_S, str_of(pass)));
    for (size_t i = 0; i < CARD_PASS_CHARS; i++) {
        char was = pass[i];
        assert_false(card_pass_holds(p, STR("one"), NOW_S, (struct str){pass, i}));
        for (const char *c = "ab7/%"; *c != '\0'; c++) {
            pass[i] = *c;
            assert_int_equal(card_pass_holds(p, STR("one"), NOW_S, str_of(pass)), *c == was);
        }
        pass[i] = was;
    }
    passes_free(p);
    passes_free(again);
    passes_free(other);
}
