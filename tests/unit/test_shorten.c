/* Names that fit their box, in every width. */
#include "tests/support/unit.h"

#include <string.h>

#include "render/names/names.h"
#include "tests/support/fake_profile.h"

struct one {
    struct fake *fake;
    struct arena arena;
    struct names *names;
};

static void one_init_signed(struct one *o, const char *scope, const char *name, const char *signature)
{
    o->fake = fake_new();
    arena_init(&o->arena, 1 << 20);
    fake_frame(o->fake, str_of(scope), str_of(name), str_of(signature));
    o->names = names_new(fake_finish(o->fake), &o->arena);
    assert_non_null(o->names);
}

static void one_init(struct one *o, const char *scope, const char *name)
{
    one_init_signed(o, scope, name, "(I)V");
}

static void one_free(struct one *o)
{
    arena_free(&o->arena);
    fake_free(o->fake);
}

static const char *form(struct one *o, enum view_names names, bool parameters, size_t cells)
{
    static char text[512];
    struct buf b = {0};

    shorten_xml(&b, o->names, 0, names, parameters, cells);
    buf_char(&b, '\0');
    assert_true(b.n <= sizeof(text));
    memcpy(text, b.p, b.n);
    buf_free(&b);
    return text;
}

static const char *shortened(struct one *o, enum view_names names, size_t cells)
{
    return form(o, names, false, cells);
}

TEST(forms)
{
    struct one o;

    one_init(&o, "com.example.foo.Foo", "bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 100), "com.example.foo.Foo.bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 23), "com.example.foo.Foo.bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 22), "c.e.f.Foo.bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 13), "c.e.f.Foo.bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 12), "Foo.bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 7), "Foo.bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 6), "bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 5), "bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 4), "bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 3), "bar");
    assert_string_equal(shortened(&o, NAMES_SHORT, 2), "");
    assert_string_equal(shortened(&o, NAMES_FULL, 23), "com.example.foo.Foo.bar");
    assert_string_equal(shortened(&o, NAMES_FULL, 22), "com.example.foo.Foo...");
    one_free(&o);
}

/* As a person calls them. */
TEST(lambdas)
{
    struct one o;

    one_init(&o, "com.example.Foo$bar$1", "invoke");
    assert_string_equal(shortened(&o, NAMES_SHORT, 28), "com.example.Foo$bar$1.invoke");
    assert_string_equal(shortened(&o, NAMES_SHORT, 27), "bar lambda in Foo");
    assert_string_equal(shortened(&o, NAMES_SHORT, 17), "bar lambda in Foo");
    assert_string_equal(shortened(&o, NAMES_SHORT, 16), "bar lambda");
    assert_string_equal(shortened(&o, NAMES_SHORT, 9), "bar lam..");
    assert_string_equal(shortened(&o, NAMES_SHORT, 2), "");
    assert_string_equal(form(&o, NAMES_SHORT, true, 15), "bar lambda(int)");
    assert_string_equal(shortened(&o, NAMES_FULL, 10), "com.exam..");
    one_free(&o);
    one_init(&o, "", "std::map<int, A<B> >::at(int const&)");
    assert_string_equal(shortened(&o, NAMES_SHORT, 20), "map::at");
    assert_string_equal(shortened(&o, NAMES_SHORT, 6), "at");
    one_free(&o);
}

TEST(odd_names)
{
    struct one o;

    one_init(&o, "Main", "start");
    assert_string_equal(shortened(&o, NAMES_SHORT, 9), "start");
    assert_string_equal(shortened(&o, NAMES_SHORT, 6), "start");
    assert_string_equal(shortened(&o, NAMES_SHORT, 4), "st..");
    one_free(&o);
    one_init(&o, "", "a word, and more");
    assert_string_equal(shortened(&o, NAMES_SHORT, 8), "a word..");
    one_free(&o);
    one_init(&o, "com.example.OnlyAClass", "");
    assert_string_equal(shortened(&o, NAMES_SHORT, 21), "c.e.OnlyAClass");
    assert_string_equal(shortened(&o, NAMES_SHORT, 13), "OnlyAClass");
    assert_string_equal(shortened(&o, NAMES_SHORT, 5), "Onl..");
    one_free(&o);
    one_init(&o, "com..x.Foo", "<init>");
    assert_string_equal(shortened(&o, NAMES_SHORT, 16), "c..x.Foo.&lt;init&gt;");
    assert_string_equal(shortened(&o, NAMES_SHORT, 5), "&lt;in..");
    one_free(&o);
    /* Wide characters take two cells; a control is one, and shown. */
    one_init(&o, "日本.語\x01.Foo", "名");
    assert_string_equal(shortened(&o, NAMES_SHORT, 15), "日本.語␁.Foo.名");
    assert_string_equal(shortened(&o, NAMES_SHORT, 14), "日.語.Foo.名");
    assert_string_equal(shortened(&o, NAMES_SHORT, 11), "Foo.名");
    one_free(&o);
}

TEST(parameters)
{
    static const char *const KNOWN[][2] = {
        {"()V", "()"},
        {"(I)", "(int)"},
        {"(BCDFIJSZ)[[J", "(byte, char, double, float, int, long, short, boolean)"},
        {"(ILjava/lang/String;)V", "(int, String)"},
        {"([[I[LMain;)Ljava/util/Map$Entry;", "(int[][], Main[])"},
        {"(La/\xff;)V", "(\xef\xbf\xbd)"},
        {"(L<b>;)V", "(&lt;b&gt;)"},
        /* No descriptors. */
        {"", ""},
        {"I", "I"},
        {"(", "("},
        {"(I", "(I"},
        {"(I)X", "(I)X"},
        {"(I)VV", "(I)VV"},
        {"(I)I\x01", "(I)I\xe2\x90\x81"},
        {"(V)V", "(V)V"},
        {"([)V", "([)V"},
        {"(L", "(L"},
        {"(La", "(La"},
        {"(L;)V", "(L;)V"},
        {"(La/;)V", "(La/;)V"},
        {"(La)b;)V", "(La)b;)V"},
        {"int, String", "int, String"},
    };
    struct one o;

    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++) {
        char expected[256] = "Foo.bar";
        one_init_signed(&o, "Foo", "bar", KNOWN[i][0]);
        strcat(expected, KNOWN[i][1]);
        assert_string_equal(form(&o, NAMES_SHORT, true, 200), expected);
        assert_string_equal(form(&o, NAMES_SHORT, false, 200), "Foo.bar");
        one_free(&o);
    }
    one_init(&o, "com.example.foo.Foo", "bar");
    assert_string_equal(form(&o, NAMES_SHORT, true, 28), "com.example.foo.Foo.bar(int)");
    assert_string_equal(form(&o, NAMES_SHORT, true, 27), "c.e.f.Foo.bar(int)");
    assert_string_equal(form(&o, NAMES_SHORT, true, 17), "Foo.bar(int)");
    assert_string_equal(form(&o, NAMES_SHORT, true, 11), "bar(int)");
    assert_string_equal(form(&o, NAMES_SHORT, true, 9), "bar(int)");
    assert_string_equal(form(&o, NAMES_SHORT, true, 7), "bar(i..");
    assert_string_equal(form(&o, NAMES_SHORT, true, 2), "");
    assert_string_equal(form(&o, NAMES_FULL, true, 27), "com.example.foo.Foo.bar(i..");
    one_free(&o);
}

/* An escape is one character. */
static size_t cells_of_xml(const char *xml)
{
    char text[256];
    size_t n = 0;

    for (; *xml != '\0'; xml += *xml == '&' ? strchr(xml, ';') - xml + 1 : 1)
        text[n++] = *xml == '&' ? 'x' : *xml;
    return fit_cells((struct str){text, n});
}

/* Nothing is wider than its box, and a wider box never shows less. */
TEST(never_too_wide)
{
    static const char *const SCOPES[] = {"com.example.foo.Foo", "x", "", "日本.語.B", "a.b.c.d.e.f", ".."};
    static const char *const METHODS[] = {"bar", "<init>", "", "a\xff\xff\xff\xff", "é́é"};

    for (size_t i = 0; i < sizeof(SCOPES) / sizeof(SCOPES[0]); i++)
        for (size_t j = 0; j < sizeof(METHODS) / sizeof(METHODS[0]); j++) {
            struct one o;
            size_t before = 0;
            one_init(&o, SCOPES[i], METHODS[j]);
            for (size_t cells = 0; cells < 40; cells++) {
                size_t used = cells_of_xml(shortened(&o, NAMES_SHORT, cells));
                assert_true(used <= cells);
                assert_true(cells_of_xml(form(&o, NAMES_SHORT, true, cells)) <= cells);
                assert_true(used + 2 >= before); /* the dots of a cut */
                before = used;
            }
            one_free(&o);
        }
}
