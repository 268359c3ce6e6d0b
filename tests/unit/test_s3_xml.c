/* Elements of an object store's answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/s3/s3_impl.h"

static void elements_come_in_their_order(void **state)
{
    struct str rest = STR("<A><Key>a</Key><KeyCount>2</KeyCount><Key>b&amp;c</Key><Key/></A>"), text;

    (void)state;
    assert_true(s3_xml_next(&rest, STR("Key"), &text));
    assert_true(str_eq(text, STR("a")));
    assert_true(s3_xml_next(&rest, STR("Key"), &text));
    assert_true(str_eq(text, STR("b&amp;c")));
    assert_false(s3_xml_next(&rest, STR("Key"), &text));
}

/* Cut anywhere, it has no element that is not closed. */
static void what_is_cut_has_none(void **state)
{
    static const char TEXT[] = "<?xml?><Key>abc</Key>";

    (void)state;
    for (size_t n = 0; n < sizeof(TEXT) - 1; n++) {
        struct str rest = {TEXT, n}, text;
        assert_int_equal(s3_xml_next(&rest, STR("Key"), &text), n > sizeof("<?xml?><Key>abc") - 1);
    }
}

static void entities_are_replaced(void **state)
{
    struct buf b = {0};

    (void)state;
    s3_xml_text(&b, STR("&lt;a&amp;lt;&gt;&quot;&apos;&other;&amp"));
    assert_true(str_eq(buf_view(&b), STR("<a&lt;>\"'&other;&amp")));
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_come_in_their_order),
        cmocka_unit_test(what_is_cut_has_none),
        cmocka_unit_test(entities_are_replaced),
    };

    return cmocka_run_group_tests_name("s3_xml", tests, NULL, NULL);
}
