/* Hostile text made fit to be shown. The ill-formed cases are those of Unicode 15, chapter 3, tables 3-8 to
 * 3-11. */
#include "tests/support/unit.h"

#include <string.h>

#include "core/clean.h"
#include "tests/support/random.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

typedef void cleaner(struct buf *b, struct str s);

static void check_n(cleaner *clean, const char *in, size_t n, const char *expected)
{
    struct buf b = {0};

    clean(&b, (struct str){in, n});
    assert_false(b.failed);
    if (clean == clean_text)
        assert_int_equal(clean_is_text((struct str){in, n}), str_eq(buf_view(&b), (struct str){in, n}));
    assert_buf(&b, expected);
}

static void check(cleaner *clean, const char *in, const char *expected)
{
    check_n(clean, in, strlen(in), expected);
}

TEST(good_text_stays)
{
    static const char *const TEXTS[] = {
        "",
        "java.lang.Object.<init> #1",
        "\xe8\xbf\x9b\xe5\xba\xa6", /* two Chinese characters */
        "\xc2\xa0\xc3\xbf",         /* the first two-byte ones that are no control */
        "\xed\x9f\xbf",             /* U+D7FF, before the surrogates */
        "\xee\x80\x80",             /* U+E000, after them */
        "\xf0\x90\x80\x80",         /* U+10000 */
        "\xf0\x9f\x94\xa5",         /* U+1F525 */
        "\xf4\x8f\xbf\xbd",         /* U+10FFFD */
        "\xef\xbf\xbd",             /* U+FFFD itself */
        "\xcc\x81",                 /* a combining mark */
    };

    for (size_t i = 0; i < sizeof(TEXTS) / sizeof(TEXTS[0]); i++)
        check(clean_text, TEXTS[i], TEXTS[i]);
}

TEST(controls_become_pictures)
{
    check(clean_text, "a\tb\nc\rd\x1b[31m",
          "a\xe2\x90\x89"
          "b\xe2\x90\x8a"
          "c\xe2\x90\x8d"
          "d\xe2\x90\x9b[31m");
    check_n(clean_text, "\0\x01\x1f\x7f", 4, "\xe2\x90\x80\xe2\x90\x81\xe2\x90\x9f\xe2\x90\xa1");
}

/* C1, bidirectional controls, line and paragraph separator, byte order mark, noncharacters. */
TEST(invisible_ones_are_replaced)
{
    static const uint32_t POINTS[] = {
        0x80,   0x85,   0x9b,   0x9f,   0x061c, 0x200e, 0x200f, 0x202a,  0x202d,  0x202e,   0x2066,   0x2069,
        0x2028, 0x2029, 0xfeff, 0xfdd0, 0xfdef, 0xfffe, 0xffff, 0x1fffe, 0x1ffff, 0x10fffe, 0x10ffff,
    };

    for (size_t i = 0; i < sizeof(POINTS) / sizeof(POINTS[0]); i++) {
        struct buf b = {0};
        clean_put(&b, POINTS[i]);
        buf_char(&b, '\0');
        check(clean_text, b.p, REPLACED);
        buf_free(&b);
    }
}

TEST(neighbours_of_those_stay)
{
    static const uint32_t POINTS[] = {0xa0,   0x061b, 0x061d, 0x200d, 0x2010, 0x202f, 0x2065,
                                      0x206a, 0x2027, 0xfefe, 0xff00, 0xfdcf, 0xfdf0, 0xfffd};

    for (size_t i = 0; i < sizeof(POINTS) / sizeof(POINTS[0]); i++) {
        struct buf b = {0};
        clean_put(&b, POINTS[i]);
        buf_char(&b, '\0');
        check(clean_text, b.p, b.p);
        buf_free(&b);
    }
}

/* Each maximal part of an ill-formed sequence gives one replacement. */
TEST(ill_formed_text)
{
    static const struct {
        const char *in, *out;
    } ROWS[] = {
        {"\x80", REPLACED},
        {"\xff", REPLACED},
        {"\xc0\xaf", REPLACED REPLACED}, /* overlong slash */
        {"\xc1\xbf", REPLACED REPLACED},
        {"\xe0\x80\xaf", REPLACED REPLACED REPLACED}, /* overlong */
        {"\xf0\x80\x80\xaf", REPLACED REPLACED REPLACED REPLACED},
        {"\xed\xa0\x80", REPLACED REPLACED REPLACED}, /* a surrogate */
        {"\xed\xbf\xbf", REPLACED REPLACED REPLACED},
        {"\xf4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED}, /* above U+10FFFF */
        {"\xf5\x80\x80\x80", REPLACED REPLACED REPLACED REPLACED},
        {"\xc3", REPLACED}, /* cut */
        {"\xe4\xbd", REPLACED},
        {"\xf0\x9f\x94", REPLACED},
        {"\xf0\x9f\x94"
         "a",
         REPLACED "a"},
        {"\xe4\xbd\xc3\xa9", REPLACED "\xc3\xa9"},
        {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
         "A",
         REPLACED REPLACED REPLACED REPLACED "A"},
        {"a\xc3<", "a" REPLACED "<"},
    };

    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        check(clean_text, ROWS[i].in, ROWS[i].out);
}

TEST(well_formed_text)
{
    static const char *const GOOD[] = {
        "", "a\x7f\t", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x94\xa5", "\xef\xbf\xbd", "\xef\xbf\xbf"};
    static const char *const BAD[] = {"\x80",
                                      "\xff",
                                      "\xc0",
                                      "\xc3"
                                      "a",
                                      "\xe0\x80",
                                      "\xed\xa0",
                                      "\xf4\x90",
                                      "\xe4\xbd"
                                      "a",
                                      "\xf0\x9f\x94"
                                      "a",
                                      "\xc3\xa9\xa9"};

    for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++)
        for (size_t n = 0; n <= strlen(GOOD[i]); n++) /* cut anywhere */
            assert_true(clean_is_utf8((struct str){GOOD[i], n}));
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
        assert_false(clean_is_utf8(str_of(BAD[i])));
}

TEST(xml)
{
    check(clean_xml, "<init> & \"a\" 'b' ]]>", "&lt;init&gt; &amp; &#34;a&#34; &#39;b&#39; ]]&gt;");
    check(clean_xml, "\xc3<script>", REPLACED "&lt;script&gt;");
    check_n(clean_xml, "a\0b", 3,
            "a\xe2\x90\x80"
            "b");
}

TEST(json)
{
    check(clean_json, "a\"b\\c/d", "a\\\"b\\\\c/d");
    check(clean_json, "</script><!--", "\\u003c/script>\\u003c!--");
    check(clean_json,
          "a\nb\xe2\x80\xa8"
          "c",
          "a\xe2\x90\x8a"
          "b" REPLACED "c");
}

TEST(log_field)
{
    check(clean_log, "a b=\"c\\d\"", "a\\ b\\=\\\"c\\\\d\\\"");
    check(clean_log, "x\nlevel=error",
          "x\xe2\x90\x8a"
          "level\\=error");
}

static bool is_well_formed(struct str s)
{
    while (s.n > 0) {
        struct str before = s;
        struct buf b = {0};
        clean_put(&b, clean_next(&s));
        bool same = b.n == before.n - s.n && memcmp(b.p, before.p, b.n) == 0;
        buf_free(&b);
        if (!same)
            return false;
    }
    return true;
}

/* Whatever comes in: what comes out is clean already, and each language's own characters are escaped. */
TEST(random_bytes)
{
    uint64_t seed = 1;

    for (unsigned round = 0; round < 3000; round++) {
        char in[24];
        size_t n = random_below(&seed, sizeof(in));
        for (size_t i = 0; i < n; i++)
            in[i] = (char)(random_below(&seed, 3) ? 0x80 | random_next(&seed) : random_next(&seed));
        struct buf text = {0}, markup = {0};
        clean_text(&text, (struct str){in, n});
        assert_true(is_well_formed(buf_view(&text)));
        assert_int_equal(clean_length((struct str){in, n}), clean_length(buf_view(&text)));
        clean_xml(&markup, (struct str){in, n});
        assert_true(is_well_formed(buf_view(&markup)));
        assert_int_equal(str_find(buf_view(&markup), '<'), markup.n);
        assert_int_equal(str_find(buf_view(&markup), '"'), markup.n);
        buf_free(&text);
        buf_free(&markup);
    }
}

TEST(lengths)
{
    assert_int_equal(clean_length(STR("")), 0);
    assert_int_equal(clean_length(STR("abc")), 3);
    assert_int_equal(clean_length(STR("\xe8\xbf\x9b\xe5\xba\xa6")), 2);
    assert_int_equal(clean_length(STR("\xf0\x9f\x94\xa5\xff\n")), 3);
}

TEST(cutting)
{
    struct str text = STR("a\xc3\xa9\xe8\xbf\x9b\xf0\x9f\x94\xa5");
    static const size_t KEPT[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};

    for (size_t limit = 0; limit < sizeof(KEPT) / sizeof(KEPT[0]); limit++)
        assert_int_equal(clean_cut(text, limit).n, KEPT[limit]);
    assert_int_equal(clean_cut(STR(""), 0).n, 0);
}

/* Text that is no UTF-8 at all is not cut back without end. */
TEST(cutting_garbage)
{
    char in[100];

    memset(in, 0x80, sizeof(in));
    for (size_t limit = 0; limit < sizeof(in); limit++) {
        size_t n = clean_cut((struct str){in, sizeof(in)}, limit).n;
        assert_true(n <= limit && n + 3 >= limit);
    }
}
