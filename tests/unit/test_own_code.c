/* Which packages are taken for the app's own, from stacks as Android makes them. */
#include "tests/support/unit.h"

#include "profile/frame/own_code.h"
#include "render/names/names.h"
#include "tests/support/fake_profile.h"

#define CREATE      "android.app.Activity.performCreate()V;"
#define APPLICATION "android.app.Instrumentation.callApplicationOnCreate()V;"
#define HANDLER     "android.os.Handler.handleCallback()V;"
#define THREAD      "java.lang.Thread.run()V;"

struct stack {
    const char *text;
    uint64_t us;
};

/* What own code is guessed from the stacks, as text of *kept. */
static const char *guessed(const struct stack *stacks, struct buf *kept)
{
    struct fake *f = fake_thread(STR("main"));
    struct arena a;

    arena_init(&a, 1 << 20);
    for (; stacks->text != NULL; stacks++)
        fake_stack(f, stacks->text, stacks->us * 1000, stacks->us * 1000, 1);
    struct names *n = names_new(fake_finish(f), &a);
    assert_non_null(n);
    buf_clear(kept);
    own_code_put(names_own(n), kept);
    buf_char(kept, '\0');
    assert_false(kept->failed);
    arena_free(&a);
    fake_free(f);
    return kept->p;
}

TEST(guess_follows_what_android_calls)
{
    static const struct {
        const char *own;
        struct stack stacks[6];
    } CASES[] = {
        {"", {{"android.os.Looper.loop()V", 5}, {"androidx.core.A.b()V", 9}}},
        {"", {{NULL, 0}}},
        /* An activity counts more than a library that took longer. */
        {"com.example.shop",
         {{CREATE "com.example.shop.Main.onCreate()V", 5}, {THREAD "net.other.Worker.run()V", 90}}},
        /* So does one that took no time. */
        {"com.example.shop",
         {{CREATE "com.example.shop.Main.onCreate()V", 0}, {THREAD "net.other.Worker.run()V", 90}}},
        /* Between Android and the class stands reflection. */
        {"com.example.shop",
         {{"android.app.Instrumentation.newActivity()V;java.lang.Class.newInstance()V;com.example.shop.Main.<"
           "init>()V",
           1},
          {THREAD "net.other.Worker.run()V", 90}}},
        /* What an activity calls is a library as much as not. */
        {"com.example.shop", {{CREATE "com.example.shop.Main.onCreate()V;net.other.Worker.run()V", 90}}},
        /* The base class of a library comes between. */
        {"com.example.shop",
         {{CREATE "androidx.activity.ComponentActivity.onCreate()V;com.example.shop.Main.bind()V", 4},
          {HANDLER "net.other.Worker.run()V", 3}}},
        /* The code of an app beside its activities. */
        {"com.example",
         {{CREATE "com.example.ui.Main.onCreate()V", 5}, {THREAD "com.example.net.Client.run()V", 20}}},
        /* Application and activities of two names; one of them small. */
        {"com.example.shop,io.brand.feature",
         {{APPLICATION "com.example.shop.App.onCreate()V", 60},
          {CREATE "io.brand.feature.Page.onCreate()V", 40}}},
        {"com.example.shop",
         {{APPLICATION "com.example.shop.App.onCreate()V", 95},
          {CREATE "io.brand.feature.Page.onCreate()V", 5}}},
        /* Names that begin like the platform's or a vendor's. */
        {"android.com.shop", {{CREATE "android.com.shop.Main.onCreate()V", 5}}},
        {"com.lge.email",
         {{CREATE "com.lge.email.Main.onCreate()V", 5}, {THREAD "net.other.Worker.run()V", 90}}},
        {"com.android.settings",
         {{CREATE "com.android.settings.Main.onCreate()V", 5},
          {THREAD "com.android.internal.Worker.run()V", 90}}},
        {"com.google.android.apps.maps",
         {{CREATE "com.google.android.apps.maps.Main.onCreate()V", 5},
          {HANDLER "com.google.android.gms.A.run()V", 9}}},
        /* A listed library brings an activity; the app is seen as well. */
        {"com.example.shop",
         {{CREATE "com.facebook.FacebookActivity.onCreate()V", 50},
          {CREATE "com.example.shop.Main.onCreate()V", 5}}},
        {"com.example.shop",
         {{CREATE "com.facebook.FacebookActivity.onCreate()V", 50},
          {"android.app.ActivityThread.handleReceiver()V;com.example.shop.Alarm.onReceive()V", 5}}},
        {"com.facebook.katana", {{CREATE "com.facebook.katana.Main.onCreate()V", 50}}},
        /* An activity counts more than the provider of a library. */
        {"com.example.shop",
         {{"android.content.ContentProvider.attachInfo()V;net.other.InitProvider.onCreate()V", 50},
          {CREATE "com.example.shop.Main.onCreate()V", 5}}},
        {"com.example.shop",
         {{"androidx.fragment.app.Fragment.performCreateView()V;com.example.shop.Page.onCreateView()V", 5},
          {HANDLER "net.other.Worker.run()V", 50}}},
        /* Nothing is called by Android: time below the ladder, without waiting, tells. */
        {"com.example.shop",
         {{HANDLER "com.example.shop.Task.run()V;net.other.Lib.work()V", 50},
          {THREAD "net.other.Worker.run()V", 20}}},
        {"com.example.shop",
         {{HANDLER "com.example.shop.Task.run()V", 5},
          {THREAD "net.other.Worker.run()V;java.lang.Object.wait()V", 90}}},
        {"com.github.ann",
         {{CREATE "com.github.ann.app.Main.onCreate()V", 5}, {HANDLER "com.github.bob.A.run()V", 6}}},
    };
    struct buf text = {0};

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        assert_string_equal(guessed(CASES[i].stacks, &text), CASES[i].own);
    buf_free(&text);
}

/* What the app's organisation has written is its own, too; but not what the table knows of it. */
TEST(code_of_the_organisation)
{
    static const struct {
        const char *own;
        struct stack stacks[3];
    } CASES[] = {
        {"com.example",
         {{CREATE "com.example.ui.Main.onCreate()V", 50}, {THREAD "com.example.net.Client.run()V", 2}}},
        {"com.squareup.shop",
         {{CREATE "com.squareup.shop.Main.onCreate()V", 50}, {THREAD "com.squareup.moshi.A.run()V", 2}}},
    };
    struct buf text = {0};

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        assert_string_equal(guessed(CASES[i].stacks, &text), CASES[i].own);
    buf_free(&text);
}

TEST(packages_are_read)
{
    static const char *const BAD[] = {"",
                                      ",",
                                      "com.foo,",
                                      "com..foo",
                                      ".com",
                                      "com.",
                                      "com foo",
                                      "1",
                                      "a,,b",
                                      "a.1b",
                                      "a;b",
                                      "a/b",
                                      "a,b,c,d,e,f,g,h,i",
                                      "a\xe2\x80\x8e",
                                      "\xef\xbb\xbf"
                                      "a",
                                      "a\xff"};
    struct own_code own;

    assert_true(own_code_parse(STR("com.foo,com.bar_baz.q2,a,Stra\xc3\x9f"
                                   "e"),
                               &own));
    assert_int_equal(own.n, 4);
    assert_true(own_code_has(&own, STR("com.foo.ui")));
    assert_true(own_code_has(&own, STR("a")));
    assert_false(own_code_has(&own, STR("com.fool")));
    assert_true(own_code_parse(STR("a,b,c,d,e,f,g,h"), &own));
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++)
        assert_false(own_code_parse(str_of(BAD[i]), &own));
}

/* What a person says replaces the guess, also for listed packages; waiting stays waiting. */
TEST(what_is_said_counts)
{
    static const struct {
        const char *stack;
        enum origin guessed, said;
    } CASES[] = {
        {"com.example.shop.Main.onCreate()V", ORIGIN_APP, ORIGIN_LIBRARY},
        {"net.other.Worker.run()V", ORIGIN_LIBRARY, ORIGIN_APP},
        {"okio.Buffer.read()V", ORIGIN_LIBRARY, ORIGIN_APP},
        {"java.lang.Object.wait()V", ORIGIN_IDLE, ORIGIN_IDLE},
        {"android.os.Looper.loop()V", ORIGIN_ANDROID, ORIGIN_ANDROID},
    };
    struct fake *f = fake_thread(STR("main"));
    struct own_code own;
    struct arena a;

    arena_init(&a, 1 << 20);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        fake_stack(f, CASES[i].stack, i == 0 ? 90000 : 1000, 1000, 1);
    const struct profile *p = fake_finish(f);
    const struct names *n = names_new(p, &a);
    assert_non_null(n);
    assert_true(own_code_parse(STR("net.other,okio,java"), &own));
    const struct names *said = names_with_own(n, p, &own, &a);
    assert_non_null(said);
    assert_int_equal(names_own(said)->n, 3);
    for (frame_id i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_int_equal(names_of(n, i)->origin, CASES[i].guessed);
        assert_int_equal(names_of(said, i)->origin, CASES[i].said);
        assert_int_equal(names_rank(said, i), names_rank(n, i));
    }
    arena_free(&a);
    fake_free(f);
}
