/* What a person calls a frame: a table of names as compilers and tools write them. */
#include "tests/support/unit.h"

#include <string.h>

#include "profile/frame/short_name.h"

/* `scope`: of the JVM. `name` NULL: nothing is said. */
static const struct row {
    const char *scope, *text, *name, *least;
} ROWS[] = {
    /* Kotlin: classes of lambdas and coroutines, and methods of lambdas. */
    {"com.example.Foo$bar$1", "invoke", "bar lambda in Foo", "bar lambda"},
    {"com.example.Foo$bar$1$2", "invokeSuspend", "bar lambda in Foo", "bar lambda"},
    {"com.example.Foo$Companion$bar$1", "invoke", "bar lambda in Companion", "bar lambda"},
    {"com.example.MainKt$main$1$job$1", "invokeSuspend", "job lambda in MainKt", "job lambda"},
    {"com.example.Foo", "bar$lambda$0", "bar lambda in Foo", "bar lambda"},
    {"com.example.Foo", "bar$lambda$1$lambda$0", "bar lambda in Foo", "bar lambda"},
    /* Java, d8, R8. */
    {"com.example.Foo", "lambda$bar$0", "bar lambda in Foo", "bar lambda"},
    {"com.example.Foo$Inner", "lambda$bar$0$com-example-Foo", "bar lambda in Inner", "bar lambda"},
    {"com.example.Foo$$ExternalSyntheticLambda0", "run", "lambda in Foo", "lambda"},
    {"com.example.Foo$Inner$$ExternalSyntheticLambda12", "onClick", "lambda in Inner", "lambda"},
    {"com.example.-$$Lambda$Foo$gJr0u7Kq", "run", "lambda in Foo", "lambda"},
    /* What is no lambda. */
    {"com.example.Foo", "bar", NULL, NULL},
    {"com.example.Foo$Inner", "bar", NULL, NULL},
    {"com.example.Foo$1", "onClick", NULL, NULL},
    {"com.example.Foo", "access$100", NULL, NULL},
    {"com.example.$$ExternalSyntheticLambda0", "run", NULL, NULL},
    {"com.example.$", "$", NULL, NULL},
    {"com.example.$1", "$lambda$0", NULL, NULL},
    {"com.example.Foo$bar$1", "", NULL, NULL},
    /* Go. */
    {"", "github.com/acme/shop/cart.(*Cart).Add.func1", "cart.(*Cart).Add.func1", "Add.func1"},
    {"", "net/http.(*conn).serve", "http.(*conn).serve", "serve"},
    {"", "google.golang.org/grpc.(*Server).Serve", "grpc.(*Server).Serve", "Serve"},
    {"", "a.com/b.Map[go.shape.string,c.com/d.T].Get", "b.Map[go.shape.string,c.com/d.T].Get",
     "Map[go.shape.string,c.com/d.T].Get"},
    {"", "a/b.(*c).", "b.(*c).", "(*c)."},
    {"", "runtime.mallocgc", NULL, NULL},
    {"", "/system/lib64/libart.so", NULL, NULL},
    {"", "[anon:dalvik/x.y]", NULL, NULL},
    {"", "read a/b.c of it", NULL, NULL},
    {"", "a/b", NULL, NULL},
    {"", "a/.b", NULL, NULL},
    {"", "a/b.", NULL, NULL},
    /* C++. */
    {"", "std::__1::vector<int, std::__1::allocator<int> >::insert(int const&)", "vector::insert", "insert"},
    {"", "void art::Foo<art::Bar::Baz>::Run<true>(art::Thread*)", "Foo::Run", "Run"},
    {"", "art::(anonymous namespace)::Visitor::Visit(int) const", "Visitor::Visit", "Visit"},
    {"", "(anonymous namespace)::Visit()", "Visit", "Visit"},
    {"", "non-virtual thunk to android::View::draw(int)", "View::draw", "draw"},
    {"", "a::B::operator()(int) const", "B::operator()", "operator()"},
    {"", "a::B::operator->() const", "B::operator->", "operator->"},
    {"", "a::B::operator<(a::B const&)", "B::operator<", "operator<"},
    {"", "a::B::operator new(unsigned long)", "B::operator new", "operator new"},
    {"", "a::operators::f(int)", "operators::f", "f"},
    {"", "a::B::~B()", "B::~B", "~B"},
    {"", "std::function<void (int)>::operator()(int) const", "function::operator()", "operator()"},
    {"", "a::b(int)::{lambda(int)#1}::operator()(int) const", "a::b lambda", "b lambda"},
    {"", "a::b(int)::'lambda'(int)::operator()(int) const", "a::b lambda", "b lambda"},
    {"", "[linker]soinfo::get_soname() const", "soinfo::get_soname", "get_soname"},
    {"", "[linker]syscall", NULL, NULL},
    {"", "read", NULL, NULL},
    {"", "foo(int)", NULL, NULL},
    {"", "::", NULL, NULL},
    {"", "a::", "a", "a"},
    {"", "<<<<::", NULL, NULL},
    {"", ">>>>::a", ">>>>::a", "a"},
    /* Rust. */
    {"", "core::ptr::drop_in_place<alloc::vec::Vec<u8>>", "ptr::drop_in_place", "drop_in_place"},
    {"", "<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend", "Vec::extend", "extend"},
    {"", "app::main::{{closure}}", "app::main closure", "main closure"},
    {"", "<app::Foo as app::Bar>::run::{{closure}}", "Foo::run closure", "run closure"},
};

static void check(const struct row *row)
{
    const struct frame_parts parts = {str_of(row->scope), str_of(row->text), STR("")};
    struct buf name = {0}, least = {0};
    bool said = short_name_put(&parts, &name, &least);

    if (said != (row->name != NULL) ||
        (said &&
         (!str_eq(buf_view(&name), str_of(row->name)) || !str_eq(buf_view(&least), str_of(row->least)))) ||
        (!said && name.n + least.n > 0))
        fail_msg("%s %s: %.*s, %.*s", row->scope, row->text, (int)name.n, name.n > 0 ? name.p : "",
                 (int)least.n, least.n > 0 ? least.p : "");
    buf_free(&name);
    buf_free(&least);
}

TEST(names_of_many_languages)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        check(&ROWS[i]);
}

/* Each beginning of each name is some name. */
TEST(cut_names)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        for (size_t n = 0; n <= strlen(ROWS[i].text); n++) {
            const struct frame_parts parts = {str_of(ROWS[i].scope), {ROWS[i].text, n}, STR("")};
            struct buf name = {0}, least = {0};
            if (short_name_put(&parts, &name, &least))
                assert_in_range(least.n, 1, name.n);
            buf_free(&name);
            buf_free(&least);
        }
}
