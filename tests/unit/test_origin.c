/* Where frames come from, and which package is taken for the app's. */
#include "tests/support/unit.h"

#include <string.h>

#include "profile/frame/frame_text.h"
#include "profile/frame/origin_table.h"
#include "profile/frame/own_code.h"
#include "profile/frame/waits.h"
#include "render/names/names.h"
#include "tests/support/fake_profile.h"

TEST(tables_are_sorted)
{
    for (size_t i = 1; i < ORIGIN_PREFIXES_COUNT; i++)
        assert_true(str_cmp(ORIGIN_PREFIXES[i - 1].package, ORIGIN_PREFIXES[i].package) < 0);
    for (size_t i = 0; i < ORIGIN_PREFIXES_COUNT; i++) {
        char scope[100];
        struct str package = ORIGIN_PREFIXES[i].package;
        memcpy(scope, package.p, package.n);
        memcpy(scope + package.n, ".X", 2);
        assert_int_equal(origin_of_scope((struct str){scope, package.n + 2}), ORIGIN_PREFIXES[i].origin);
    }
}

TEST(scopes)
{
    static const struct {
        const char *scope;
        enum origin origin;
    } CASES[] = {
        {"androidx.compose.ui.Node", ORIGIN_ANDROIDX},
        {"android.support.v4.app.Fragment", ORIGIN_ANDROIDX},
        {"com.google.android.material.button.MaterialButton", ORIGIN_ANDROIDX},
        {"android.view.View", ORIGIN_ANDROID},
        {"com.android.internal.os.ZygoteInit", ORIGIN_ANDROID},
        {"dalvik.system.VMRuntime", ORIGIN_ANDROID},
        {"com.google.android.gles_jni.GLImpl", ORIGIN_ANDROID},
        {"com.ibm.icu4jni.util.ICU", ORIGIN_ANDROID},
        {"com.samsung.android.rune.CoreRune", ORIGIN_ANDROID},
        {"com.mediatek.perfframe.PerfFrameInfoManagerImpl", ORIGIN_ANDROID},
        {"com.qualcomm.qti.Performance", ORIGIN_ANDROID},
        {"miui.util.FeatureParser", ORIGIN_ANDROID},
        {"org.chromium.android_webview.AwContents", ORIGIN_ANDROID},
        {"org.chromium.net.UrlRequest", ORIGIN_LIBRARY},
        {"com.android.webview.chromium.WebViewChromium", ORIGIN_ANDROID},
        {"libcore.io.Linux", ORIGIN_ANDROID},
        {"java.lang.Object", ORIGIN_JAVA},
        {"javax.crypto.Cipher", ORIGIN_JAVA},
        {"kotlinx.coroutines.BuildersKt", ORIGIN_JAVA},
        {"org.json.JSONObject", ORIGIN_JAVA},
        {"com.google.android.gms.tasks.Task", ORIGIN_LIBRARY},
        {"com.google.gson.Gson", ORIGIN_LIBRARY},
        {"com.android.volley.Request", ORIGIN_LIBRARY},
        {"okhttp3.Call", ORIGIN_LIBRARY},
        {"com.example.shop.Main", ORIGIN_APP},
        {"androidxx.Foo", ORIGIN_APP},
        {"javafoo.bar.Foo", ORIGIN_APP},
        {"a.b", ORIGIN_APP},
        {"Main", ORIGIN_UNKNOWN},
        {"", ORIGIN_UNKNOWN},
        {"java", ORIGIN_UNKNOWN},
        {".", ORIGIN_UNKNOWN},
        {"..", ORIGIN_APP},
        {"unknown[0x12]", ORIGIN_UNKNOWN},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        assert_int_equal(origin_of_scope(str_of(CASES[i].scope)), CASES[i].origin);
}

TEST(packages_as_finely_as_they_differ)
{
    static const struct {
        const char *scope, *package;
    } CASES[] = {
        {"com.example.shop.ui.Main", "com.example"},
        {"androidx.compose.ui.Node", "androidx.compose"},
        {"okhttp3.internal.http.Call", "okhttp3.internal"},
        {"com.facebook.imagepipeline.core.Pipeline", "com.facebook.imagepipeline"},
        {"com.google.gson.Gson", "com.google.gson"},
        {"com.google.android.gms.tasks.Task", "com.google.android.gms"},
        {"com.google.android.material.button.MaterialButton", "com.google.android.material"},
        {"com.github.mikephil.charting.Chart", "com.github.mikephil"},
        {"io.gitlab.ann.tool.Main", "io.gitlab.ann"},
        {"org.apache.commons.io.IOUtils", "org.apache.commons"},
        {"com.google.X", "com.google"},
        {"com.googlex.a.X", "com.googlex"},
        {"Main", "Main"},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct str package = frame_package(str_of(CASES[i].scope), STR("run"));
        assert_true(str_eq(package, str_of(CASES[i].package)));
    }
    assert_true(str_eq(frame_package(STR(""), STR("main")), STR("main")));
}

TEST(idle)
{
    assert_true(wait_is_idle(STR("android.os.MessageQueue"), STR("nativePollOnce")));
    assert_true(wait_is_idle(STR("java.lang.Object"), STR("wait")));
    assert_true(wait_is_idle(STR("java.util.concurrent.locks.LockSupport"), STR("parkNanos")));
    assert_true(wait_is_idle(STR("sun.misc.Unsafe"), STR("park")));
    assert_true(wait_is_idle(STR("java.lang.Thread"), STR("sleep")));
    assert_false(wait_is_idle(STR("sun.misc.Unsafe"), STR("unpark")));
    assert_false(wait_is_idle(STR("sun.misc.Unsafe"), STR("parkAll")));
    assert_false(wait_is_idle(STR("java.lang.Object"), STR("notify")));
    assert_false(wait_is_idle(STR("com.example.Object"), STR("wait")));
    assert_false(wait_is_idle(STR("android.os.Looper"), STR("loop")));
    assert_false(wait_is_idle(STR(""), STR("")));
}

static const char *guess(struct origin_package_weight *list, uint32_t n)
{
    static char text[64];
    struct str app = origin_guess_app(list, n);

    assert_true(app.n < sizeof(text));
    memset(text, 0, sizeof(text));
    if (app.n > 0)
        memcpy(text, app.p, app.n);
    return text;
}

#define GUESS(...)                                       \
    guess((struct origin_package_weight[]){__VA_ARGS__}, \
          sizeof((struct origin_package_weight[]){__VA_ARGS__}) / sizeof(struct origin_package_weight))
#define P(package, weight)        \
    {                             \
        STR_INIT(package), weight \
    }

TEST(app_is_the_heaviest)
{
    assert_string_equal(GUESS(P("com.example.shop", 5)), "com.example.shop");
    assert_string_equal(GUESS(P("com.example.shop.ui", 5), P("com.example.shop.net", 5), P("org.lib", 9)),
                        "com.example.shop");
    /* Two modules of one company. */
    assert_string_equal(GUESS(P("com.example.shop", 5), P("com.example.core", 5), P("org.lib", 9)),
                        "com.example");
    assert_string_equal(GUESS(P("com.example.shop", 75), P("com.example.core", 25)), "com.example.shop");
    assert_string_equal(GUESS(P("com.example.shop", 74), P("com.example.core", 26)), "com.example");
    /* Two projects of one host. */
    assert_string_equal(GUESS(P("com.github.ann.app", 6), P("com.github.bob.lib", 5)), "com.github.ann");
    assert_string_equal(GUESS(P("a", 1), P("a.b", 1), P("b", 1)), "a");
    assert_string_equal(GUESS(P("b.c", 1), P("a.b", 1)), "a.b");
    assert_string_equal(GUESS(P("a$b.c", 4), P("a.b", 3), P("a$b.d", 0), P("a.b.c", 2)), "a.b");
    assert_string_equal(GUESS(P("com.example", 0)), "");
    assert_string_equal(guess(NULL, 0), "");
    assert_true(origin_is_app(STR("com.example.shop"), STR("com.example.shop")));
    assert_true(origin_is_app(STR("com.example.shop.ui"), STR("com.example.shop")));
    assert_false(origin_is_app(STR("com.example.shopping"), STR("com.example.shop")));
    assert_false(origin_is_app(STR("com"), STR("com.example")));
    assert_false(origin_is_app(STR(""), STR("")));
}

/* As names give it to each frame of a profile. */
TEST(of_frames)
{
    static const struct {
        const char *text;
        enum origin origin;
    } CASES[] = {
        {"com.example.shop.Main.run", ORIGIN_APP},
        {"com.example.shop.ui.Page.draw", ORIGIN_APP},
        {"net.other.Lib.work", ORIGIN_LIBRARY},
        {"okio.Buffer.read", ORIGIN_LIBRARY},
        {"java.lang.Object.wait", ORIGIN_IDLE},
        {"java.lang.Object.hashCode", ORIGIN_JAVA},
        {"android.view.View.draw", ORIGIN_ANDROID},
        {"main", ORIGIN_UNKNOWN},
        {"Main.main", ORIGIN_UNKNOWN},
    };
    struct fake *f = fake_thread(STR("t"));
    struct arena a;

    arena_init(&a, 1 << 20);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        fake_stack(f, CASES[i].text, 1000, i == 2 ? 8 : 5, 1);
    struct names *n = names_new(fake_finish(f), &a);
    assert_non_null(n);
    assert_int_equal(names_own(n)->n, 1);
    assert_true(str_eq(names_own(n)->prefix[0], STR("com.example.shop")));
    for (frame_id i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        assert_true(str_eq(names_frame(n, i), str_of(CASES[i].text)));
        assert_int_equal(names_of(n, i)->origin, CASES[i].origin);
    }
    arena_free(&a);
    fake_free(f);
}

/* The same frames in one piece, as folded stacks have them. */
TEST(of_frames_in_one_piece)
{
    static const struct {
        const char *text, *scope;
        enum origin origin;
    } CASES[] = {
        {"com.example.shop.Main.run", "com.example.shop.Main", ORIGIN_APP},
        {"com.example.shop.Main.<init>", "com.example.shop.Main", ORIGIN_APP},
        {"java.lang.Thread.sleep", "java.lang.Thread", ORIGIN_IDLE},
        {"main", "", ORIGIN_UNKNOWN},
        {"a.b", "", ORIGIN_UNKNOWN},
        {"libc.so.6", "", ORIGIN_UNKNOWN},
        {"std::vector<a.b.c>::at", "", ORIGIN_UNKNOWN},
        {"read file a.b.c", "", ORIGIN_UNKNOWN},
        {"...", "", ORIGIN_UNKNOWN},
        {"a..b.c", "", ORIGIN_UNKNOWN},
        {"a.b.", "", ORIGIN_UNKNOWN},
    };
    struct fake *f = fake_new();
    const uint64_t one = 1;
    struct arena a;

    arena_init(&a, 1 << 20);
    fake_value(f, "samples", UNIT_COUNT, ROLE_OTHER);
    uint32_t root = fake_track(f, 1, STR("all"));
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++)
        fake_child(f, root, fake_frame(f, STR(""), str_of(CASES[i].text), STR("")), &one);
    struct names *n = names_new(fake_finish(f), &a);
    assert_non_null(n);
    for (frame_id i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct frame_parts parts = names_parts(n, i);
        struct str text = str_of(CASES[i].text), scope = str_of(CASES[i].scope);
        size_t skip = scope.n > 0 ? scope.n + 1 : 0;
        assert_true(str_eq(names_frame(n, i), text));
        assert_true(str_eq(parts.scope, scope));
        assert_true(str_eq(parts.name, (struct str){text.p + skip, text.n - skip}));
        assert_int_equal(names_of(n, i)->origin, CASES[i].origin);
    }
    arena_free(&a);
    fake_free(f);
}
