/* Fields of forms: decoded as browsers encode them, whatever stands between the signs. */
#include "tests/support/unit.h"

#include "server/http/message/form.h"

static void check_field(const char *body, const char *name, struct str expected)
{
    struct form form = {0};
    struct diag diag = {0};

    assert_true(form_parse(&form, str_of(body), "", &diag));
    struct str value = form_value(&form, str_of(name));
    assert_non_null(value.p);
    assert_true(str_eq(value, expected));
    form_free(&form);
}

TEST(fields)
{
    check_field("a=1", "a", STR("1"));
    check_field("a=1&b=2&b=3", "b", STR("2"));
    check_field("a=&b=x", "a", STR(""));
    check_field("a&b=x", "a", STR(""));
    check_field("a=b=c", "a", STR("b=c"));
    check_field("aa=0&a=1", "a", STR("1"));
    check_field("=x&a=1", "", STR("x"));
}

TEST(decoding)
{
    check_field("n=cold+start%21", "n", STR("cold start!"));
    check_field("n=%c3%BC%2b", "n", STR("\xc3\xbc+"));
    check_field("n=%00x", "n", STR("\0x"));
    check_field("n=100%", "n", STR("100%"));
    check_field("n=%4", "n", STR("%4"));
    check_field("n=%zz%4g%%41", "n", STR("%zz%4g%A"));
    check_field("n=%41&m=%42", "m", STR("B"));
}

TEST(absent)
{
    static const char *const FORMS[] = {"", "&", "b=a", "ab=1", "a%3d=1", "&&=&"};
    struct form form = {0};
    struct diag diag = {0};

    for (size_t i = 0; i < sizeof(FORMS) / sizeof(FORMS[0]); i++) {
        assert_true(form_parse(&form, str_of(FORMS[i]), "", &diag));
        assert_null(form_value(&form, STR("a")).p);
        form_free(&form);
    }
    assert_true(form_parse(&form, (struct str){NULL, 0}, "", &diag));
    assert_int_equal(form.n, 0);
    form_free(&form);
}

TEST(names)
{
    struct form form = {0};
    struct diag diag = {0};

    assert_true(form_parse(&form, STR("&b%20c=1&&a&=2"), "", &diag));
    assert_int_equal(form.n, 3);
    assert_true(str_eq(form_name(&form, 0), STR("b c")));
    assert_true(str_eq(form_name(&form, 1), STR("a")));
    assert_true(str_eq(form_name(&form, 2), STR("")));
    form_free(&form);
}

TEST(as_multipart)
{
    static const char BODY[] = "--B\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nabc\r\n"
                               "--B\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n\r\n"
                               "--B\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nlater\r\n--B--";
    struct form form = {0};
    struct diag diag = {0};

    assert_true(form_parse(&form, STR(BODY), "B", &diag));
    assert_int_equal(form.n, 3);
    assert_true(str_eq(form_value(&form, STR("token")), STR("abc")));
    struct str name = form_value(&form, STR("name"));
    assert_non_null(name.p);
    assert_int_equal(name.n, 0);
    form_free(&form);
    assert_false(
        form_parse(&form, STR("--B\r\nContent-Disposition: form-data; name=x\r\n\r\ncut"), "B", &diag));
    assert_int_equal(diag.kind, DIAG_USAGE);
    form_free(&form);
}

TEST(too_many_fields)
{
    struct buf pairs = {0}, parts = {0};
    struct form form = {0};
    struct diag diag = {0};

    for (int i = 0; i <= FORM_FIELDS_MAX; i++) {
        buf_z(&pairs, "a=1&");
        buf_z(&parts, "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n");
    }
    buf_z(&parts, "--B--");
    assert_false(form_parse(&form, buf_view(&pairs), "", &diag));
    assert_int_equal(diag.kind, DIAG_USAGE);
    form_free(&form);
    diag = (struct diag){0};
    assert_false(form_parse(&form, buf_view(&parts), "B", &diag));
    assert_int_equal(diag.kind, DIAG_USAGE);
    form_free(&form);
    buf_free(&pairs);
    buf_free(&parts);
}
