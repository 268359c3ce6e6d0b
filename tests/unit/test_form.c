/* Fields of forms: decoded as browsers encode them, whatever stands between the signs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/http/form.h"

static void check_field(const char *form, const char *name, struct str expected)
{
    struct buf value = {0};

    assert_true(form_field(str_of(form), str_of(name), &value));
    assert_true(str_eq(buf_view(&value), expected));
    buf_free(&value);
}

static void fields(void **state)
{
    (void)state;
    check_field("a=1", "a", STR("1"));
    check_field("a=1&b=2&b=3", "b", STR("2"));
    check_field("a=&b=x", "a", STR(""));
    check_field("a&b=x", "a", STR(""));
    check_field("a=b=c", "a", STR("b=c"));
    check_field("aa=0&a=1", "a", STR("1"));
    check_field("=x&a=1", "", STR("x"));
}

static void decoding(void **state)
{
    (void)state;
    check_field("n=cold+start%21", "n", STR("cold start!"));
    check_field("n=%c3%BC%2b", "n", STR("\xc3\xbc+"));
    check_field("n=%00x", "n", STR("\0x"));
    check_field("n=100%", "n", STR("100%"));
    check_field("n=%4", "n", STR("%4"));
    check_field("n=%zz%4g%%41", "n", STR("%zz%4g%A"));
    check_field("n=%41&m=%42", "m", STR("B"));
}

static void absent(void **state)
{
    static const char *const FORMS[] = {"", "&", "b=a", "ab=1", "a%3d=1", "&&=&"};
    struct buf value = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(FORMS) / sizeof(FORMS[0]); i++)
        assert_false(form_field(str_of(FORMS[i]), STR("a"), &value));
    assert_false(form_field((struct str){NULL, 0}, STR("a"), &value));
    assert_int_equal(value.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),
        cmocka_unit_test(decoding),
        cmocka_unit_test(absent),
    };

    return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
