/* Names of C++ and Rust that are shown as written, and those that are kept: in Punycode, or since the library would work on them for
 * ever. */
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

TEST(usual_names)
{
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
TEST(packs_of_substitutions)
{
    static const char *const PACKS[] = {"Dp", "DTspcv", "DTsZ"};

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

TEST(conversions_in_conversions)
{
    struct buf b = {0};

    buf_z(&b, "_Z");
    put_times(&b, "N1acvT_I", 60);
    buf_z(&b, "i");
    put_times(&b, "EE", 60);
    buf_z(&b, "v");
    is_kept(&b);
}

/* A `u` in front of a digit is part of a name, of a number, or a type. */
TEST(names_of_rust)
{
    expect(STR("_RNvC5crate7read_u8"), "crate::read_u8");
    expect(STR("_RNvCslNYArtu3iFV_5alloc3foo"), "alloc::foo");
    expect(STR("_RNvMs_NtCslNYArtu3iFV_5alloc3vecINtB4_3VechE7from_u8"), "<alloc::vec::Vec<u8>>::from_u8");
    expect(STR("_RINvC5crate7as_u128NtB2_2u8FUKCjEuTuRL_eAhj3_EuECs1u2_4main.llvm.7"),
           "crate::as_u128::<crate::u8, unsafe extern \"C\" fn(usize), ((), &str, [u8; 3]), ()>");
    expect(STR("_RINvC1a2u8DNtB2_1Tp2u9hEL_Kj3_E"), "a::u8::<dyn a::T<u9 = u8>, 3>");
    expect(STR("_RNvXs_C1aNtB4_2u8NtB4_2u91f"), "<a::u8 as a::u9>::f");
    expect(STR("_RNvYhNtC2u82u91f"), "<u8 as u8::u9>::f");
}

/* The library takes memory for Punycode, which would be lost where its output is stopped. */
TEST(punycode_is_kept)
{
    static const char *const NAMES[] = {
        "_RNvC1au7caf_dma",         "_RNvCu7caf_dma1f",
        "_RNvCs_u7caf_dma1f",       "_RINvC1a1fDNtB2_1Tpu7caf_dmahEL_E",
        "_RINvC1a1fFKu7caf_dmaEuE", "_RNvC1a1fCu7caf_dma",
        "_RINvC1a10Cu7caf_dmaB7_E", /* A reference leads into a name that is the path of such a crate. */
    };

    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++)
        expect(str_of(NAMES[i]), NAMES[i]);
}

/* Parts that ask for ever more parts, names that end early, and lengths without end. */
TEST(damaged_names_of_rust)
{
    static const char WHOLE[] = "_RINvC5crate7as_u128NtB2_2u8FUKCjEuTuRL_eAhj3_EuECs1u2_4main";

    for (size_t n = 3; n + 1 < sizeof(WHOLE); n++) {
        struct buf b = {0};
        demangle(&b, (struct str){WHOLE, n}, 4096);
        assert_false(b.failed);
        buf_free(&b);
    }
    for (const char *part = "IYMXRTDAFB"; *part != '\0'; part++) {
        struct buf b = {0};
        buf_z(&b, "_R");
        put_times(&b, (char[]){*part, '\0'}, 1000);
        buf_z(&b, "u8");
        is_kept(&b);
    }
    struct buf b = {0};
    buf_z(&b, "_RNvC1u2u");
    put_times(&b, "9", 1000);
    is_kept(&b);
}
