/* Elements of an object store's answers. */
#include "tests/support/unit.h"

#include "server/s3/s3_impl.h"

TEST(elements_come_in_their_order)
{
    struct str rest = STR("<A><Key>a</Key><KeyCount>2</KeyCount><Key>b&amp;c</Key><Key/></A>"), text;

    assert_true(s3_xml_next(&rest, STR("Key"), &text));
    assert_true(str_eq(text, STR("a")));
    assert_true(s3_xml_next(&rest, STR("Key"), &text));
    assert_true(str_eq(text, STR("b&amp;c")));
    assert_false(s3_xml_next(&rest, STR("Key"), &text));
}

/* Cut anywhere, it has no element that is not closed. */
TEST(what_is_cut_has_none)
{
    static const char TEXT[] = "<?xml?><Key>abc</Key>";

    for (size_t n = 0; n < sizeof(TEXT) - 1; n++) {
        struct str rest = {TEXT, n}, text;
        assert_int_equal(s3_xml_next(&rest, STR("Key"), &text), n > sizeof("<?xml?><Key>abc") - 1);
    }
}

TEST(entities_are_replaced)
{
    struct buf b = {0};

    s3_xml_text(&b, STR("&lt;a&amp;lt;&gt;&quot;&apos;&other;&amp"));
    assert_true(str_eq(buf_view(&b), STR("<a&lt;>\"'&other;&amp")));
    buf_free(&b);
}
