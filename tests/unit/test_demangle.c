/* Names of C++ that are shown as written, and those that are kept since the library would work on them for ever. */
#include "tests/support/unit.h"

#include "parser/demangle.h"

static void expect(struct str mangled, const char *readable)
{
    struct buf b = {0};

    demangle(&b, mangled, 4096);
    assert_buf(&b, readable);
}

static void is_kept(struct buf *mangled)
{
    struct buf b = {0};

    demangle(&b, buf_view(mangled), 4096);
    assert_true(str_eq(buf_view(&b), buf_view(mangled)));
    buf_free(&b);
    buf_free(mangled);
}

static void put_times(struct buf *b, const char *text, unsigned n)
{
    while (n-- > 0)
        buf_z(b, text);
}

static void usual_names(void **state)
{
    (void)state;
    expect(STR("_ZN1c3runEv"), "c::run()");
    expect(STR("_ZN4task10recvfrom_sERK1aS2_"), "task::recvfrom_s(a const&, a const&)");
    expect(STR("_ZN1v12emplace_backIJRiiiEEEvDpOT_"),
           "void v::emplace_back<int&, int, int>(int&, int&&, int&&)");
    expect(STR("_ZN1acvT_IiEEv"), "a::operator int<int>()");
    expect(STR("_ZN8dispatch3runERKN1b1cES3_S3_S3_S3_S3_S3_S3_S3_S3_"),
           "dispatch::run(b::c const&, b::c const&, b::c const&, b::c const&, b::c const&, b::c const&, "
           "b::c const&, b::c const&, b::c const&, b::c const&)");
}

/* Each level stands twice in the next: the pattern has as many parts as there are ways through it. */
static void packs_of_substitutions(void **state)
{
    static const char *const PACKS[] = {"Dp", "DTspcv", "DTsZ"};

    (void)state;
    for (size_t i = 0; i < sizeof(PACKS) / sizeof(*PACKS); i++) {
        struct buf b = {0};
        buf_printf(&b, "_Z1fIiEv%s1aI", PACKS[i]);
        put_times(&b, "S0_I", 31);
        buf_z(&b, "iiE");
        for (unsigned level = 1; level <= 31; level++)
            buf_printf(&b, "S%c_E", level < 10 ? '0' + level : 'A' + level - 10);
        is_kept(&b);
    }
}

static void conversions_in_conversions(void **state)
{
    struct buf b = {0};

    (void)state;
    buf_z(&b, "_Z");
    put_times(&b, "N1acvT_I", 60);
    buf_z(&b, "i");
    put_times(&b, "EE", 60);
    buf_z(&b, "v");
    is_kept(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_names),
        cmocka_unit_test(packs_of_substitutions),
        cmocka_unit_test(conversions_in_conversions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
