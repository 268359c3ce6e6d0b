/* What a verdict says of profiles that are made for it: each rule once where it speaks, and once where it
 * does not. */
#include "tests/support/unit.h"

#include <string.h>

#include "core/json.h"
#include "render/names/names.h"
#include "render/verdict/chain.h"
#include "render/verdict/rules.h"
#include "render/verdict/verdict.h"
#include "tests/support/fake_profile.h"

#define LADDER "android.os.Looper.loop()V;android.os.Handler.dispatchMessage()V;"
#define CREATE LADDER "android.app.Activity.performCreate()V;com.example.shop.Main.onCreate()V"
#define POLL   "android.os.Looper.loop()V;android.os.MessageQueue.nativePollOnce()V"
/* Ten methods of a release build; twenty that were not renamed. */
#define RENAMED                                                                                \
    ";a.a.a()V;a.b.a()V;a.c.a()V;a.d.a()V;a.e.a()V;a.f.a()V;a.g.a()V;a.h.a()V;a.i.a()V;a.j.a(" \
    ")V"
#define READABLE                                                                               \
    ";c.Reader.a()V;c.Reader.b()V;c.Reader.c()V;c.Reader.d()V;c.Reader.e()V;c.Reader.f()V;c.R" \
    "eader.g()V;c.Reader.h()V;c.Reader.i()V;c.Reader.j()V;c.Reader.k()V;c.Reader.l()V;c.Reade" \
    "r.m()V;c.Reader.n()V;c.Reader.o()V;c.Reader.p()V;c.Reader.q()V;c.Reader.r()V;c.Reader.s(" \
    ")V;c.Reader.t()V"

struct stack {
    const char *text; /* "=NAME" begins a track */
    uint64_t wall_us, cpu_us, calls;
};

struct verdict_case {
    const char *rule;
    const char *says; /* part of the sentence; NULL: the rule is silent */
    struct stack stacks[8];
};

/* An app with 100 ms of work on its main thread, and more where `...` is. */
#define SHOP(...)                                                                          \
    {                                                                                      \
        {"=main", 0, 0, 0}, {POLL, 400000, 0, 9}, {CREATE, 100000, 100000, 1}, __VA_ARGS__ \
    }
#define LIBRARY ";java.util.ArrayList.sort()V"

static const struct verdict_case CASES[] = {
    {"idle",
     "of 500 ms, main used a CPU for 1 ms, all threads together for 1 ms.",
     {{"=main", 0, 0, 0}, {POLL, 499000, 0, 9}, {CREATE, 1000, 1000, 1}}},
    {"idle", NULL, SHOP({"", 0, 0, 0})},
    {"busy", "Of main's 500 ms: 100 ms on a CPU (20 %), 400 ms waiting (80 %), all of it for messages.",
     SHOP({"", 0, 0, 0})},
    {"busy", NULL, {{"=main", 0, 0, 0}, {POLL, 499000, 0, 9}, {CREATE, 1000, 1000, 1}}},
    {"split",
     "Of main's 250 ms on a CPU, your code (com.example.shop) caused 40 %, libraries alone 40 %, Android "
     "alone 20 %.",
     SHOP({LADDER "okio.Buffer.read()V", 100000, 100000, 1},
          {LADDER "android.view.View.draw()V", 50000, 50000, 1})},
    {"split",
     "Of main's 4 ms on a CPU, libraries caused 75 %, Android alone 25 %. No package is known to be your own.",
     {{"=main", 0, 0, 0},
      {"okio.Buffer.read()V", 3000, 3000, 1},
      {"android.view.View.draw()V", 1000, 1000, 1}}},
    {"split", NULL, {{"=main", 0, 0, 0}, {"android.view.View.draw()V", 1000, 1000, 1}}},
    {"renamed", "11 of the 12 methods that are not Android's have names of a release build",
     SHOP({CREATE RENAMED ";a.k.a()V;java.util.a.b()V", 1000, 1000, 1})},
    {"renamed", NULL, SHOP({CREATE RENAMED, 1000, 1000, 1}, {CREATE READABLE, 1000, 1000, 1})},
    {"renamed", NULL, SHOP({CREATE ";a.a.a()V;a.b.a()V;a.c.a()V;a.d.a()V", 1000, 1000, 1})},
    /* The innermost own method has what the platform does for it. */
    {"own-methods",
     "the other code it calls: com.example.shop.Main.onCreate 100 ms (17.9 % of main's 560 ms), "
     "com.example.shop.List.bind 60 ms (10.7 %).",
     SHOP({CREATE ";com.example.shop.List.bind()V", 10000, 10000, 1},
          {CREATE ";com.example.shop.List.bind()V" LIBRARY, 50000, 50000, 1})},
    {"own-methods",
     "com.example.shop.Job.run 90 ms (98.9 % of the 91 ms of CPU time of all threads).",
     {{"=main", 0, 0, 0},
      {"android.view.View.draw()V", 100000, 1000, 1},
      {"=worker", 0, 0, 0},
      {"com.example.shop.Job.run()V", 90000, 90000, 1}}},
    {"own-methods", NULL, {{"=main", 0, 0, 0}, {"android.view.View.draw()V", 100000, 1000, 1}}},
    {"own-entries", "com.example.shop.Main.onCreate 150 ms (27.3 % of main's 550 ms)",
     SHOP({CREATE ";com.example.shop.List.bind()V", 50000, 1, 1})},
    {"own-entries",
     NULL,
     {{"=main", 0, 0, 0}, {"android.view.View.draw()V", 950000, 0, 1}, {CREATE, 40000, 40000, 1}}},
    {"self",
     "com.example.shop.Main.onCreate 100 ms (80 % of the 125 ms of CPU time), java.util.ArrayList.sort 25 ms (20 %)",
     SHOP({CREATE LIBRARY, 25000, 25000, 1})},
    {"self", NULL, {{"=main", 0, 0, 0}, {POLL, 450000, 0, 1}}},
    {"library-packages", "okio 100 ms (50 % of the 200 ms of CPU time)",
     SHOP({CREATE ";okio.Buffer.read()V" LIBRARY, 100000, 100000, 1})},
    {"library-packages", NULL, SHOP({CREATE ";okio.Buffer.read()V", 1000, 1000, 1})},
    {"often",
     "com.example.shop.Id.get was called 20,000 times, with 2 µs of self time each: together 40 ms (28.6 % of the 140 ms of CPU time)",
     SHOP({CREATE ";com.example.shop.Id.get()I", 40000, 40000, 20000})},
    {"often", NULL, SHOP({CREATE ";com.example.shop.Id.get()I", 40000, 40000, 9999})},
    {"often", NULL, SHOP({CREATE ";com.example.shop.Id.get()I", 400, 400, 20000})},
    {"often", NULL, SHOP({CREATE ";com.example.shop.Id.get()I", 800000, 800000, 20000})},
    {"waits-for-lock",
     "main waited 40 ms of its 540 ms (7.41 %) for a lock or another thread, in 3 calls, in java.lang.Object.wait, called "
     "by com.example.shop.Main.onCreate.",
     SHOP({CREATE ";java.lang.Object.wait()V", 0, 0, 3},
          {CREATE ";java.lang.Object.wait()V;java.lang.Object.wait(JI)V", 40000, 0, 3})},
    {"waits-for-lock", NULL, SHOP({CREATE ";java.lang.Object.wait()V", 16000, 0, 3})},
    {"waits-parked", "main waited 40 ms of its 540 ms (7.41 %) parked",
     SHOP({CREATE ";sun.misc.Unsafe.park(ZJ)V", 40000, 0, 3})},
    {"waits-parked", NULL, SHOP({CREATE ";sun.misc.Unsafe.unpark(ZJ)V", 40000, 0, 3})},
    {"waits-asleep", "asleep", SHOP({CREATE ";java.lang.Thread.sleep(J)V", 40000, 0, 3})},
    {"waits-asleep", NULL, SHOP({CREATE ";java.lang.Thread.sleep(J)V", 4000, 0, 3})},
    {"waits-for-socket", "for a socket or a pipe",
     SHOP({CREATE ";libcore.io.Linux.recvfromBytes()V", 40000, 0, 3})},
    {"waits-for-socket", NULL, SHOP({CREATE ";libcore.io.Linux.stat()V", 40000, 0, 3})},
    {"waits-for-binder", "for another process (binder), in 2 calls",
     SHOP({CREATE ";android.os.BinderProxy.transact()V", 40000, 0, 2})},
    {"waits-for-binder", NULL, SHOP({CREATE ";android.os.Binder.onTransact()V", 40000, 0, 2})},
    {"waits-unknown",
     "main waited 30 ms of its 540 ms (5.56 %) for something that the trace does not name, or for a CPU, in com.example.shop.Native.read.",
     SHOP({CREATE ";com.example.shop.Native.read()V", 40000, 10000, 1})},
    {"waits-unknown", NULL, SHOP({CREATE ";com.example.shop.Native.read()V", 40000, 39000, 1})},
    {"files-on-main",
     "on files, in java.io.FileInputStream.read, called by com.example.shop.Main.onCreate. Files are better",
     SHOP({CREATE ";java.io.FileInputStream.read()I", 20000, 20000, 1})},
    {"files-on-main", NULL, SHOP({CREATE ";java.io.FileInputStream.read()I", 900, 900, 1})},
    {"files-on-main", NULL, {{"=worker", 0, 0, 0}, {"java.io.FileInputStream.read()I", 20000, 20000, 1}}},
    {"database-on-main", "databases",
     SHOP({CREATE ";android.database.sqlite.SQLiteDatabase.query()V", 20000, 20000, 1})},
    {"database-on-main", NULL, SHOP({CREATE ";android.data.Query.run()V", 20000, 20000, 1})},
    {"preferences-on-main", "SharedPreferences",
     SHOP({CREATE ";android.app.SharedPreferencesImpl.awaitLoadedLocked()V", 20000, 1, 1})},
    {"preferences-on-main", NULL, SHOP({CREATE ";android.app.Shared.get()V", 20000, 1, 1})},
    {"json-on-main", "main spent 20 ms of its 520 ms (3.85 %) on JSON",
     SHOP({CREATE ";org.json.JSONObject.<init>()V", 15000, 1, 1},
          {CREATE ";org.json.JSONObject.<init>()V;org.json.JSONTokener.next()V", 5000, 1, 1})},
    {"json-on-main", NULL, SHOP({CREATE ";org.jsonx.Parser.<init>()V", 20000, 1, 1})},
    {"inflation-on-main", "inflating layouts",
     SHOP({CREATE ";android.view.LayoutInflater.inflate()V", 20000, 1, 1})},
    {"inflation-on-main", NULL, SHOP({CREATE ";android.view.LayoutInflater.from()V", 20000, 1, 1})},
    {"images-on-main", "decoding images",
     SHOP({CREATE ";android.graphics.BitmapFactory.decodeStream()V", 20000, 1, 1})},
    {"images-on-main", NULL, SHOP({CREATE ";android.graphics.Bitmap.recycle()V", 20000, 1, 1})},
    {"reflection-on-main", "reflection",
     SHOP({CREATE ";java.lang.Class.getDeclaredMethods()V", 20000, 1, 1})},
    {"reflection-on-main", NULL, SHOP({CREATE ";java.lang.Class.getName()V", 20000, 1, 1})},
    {"class-loading-on-main", "loading classes",
     SHOP({CREATE ";java.lang.ClassLoader.loadClass()V", 20000, 1, 1})},
    {"class-loading-on-main", NULL, SHOP({CREATE ";java.lang.ClassLoader.getParent()V", 20000, 1, 1})},
    {"initialisers-on-main", "class initialisers, in com.example.shop.Big.<clinit>",
     SHOP({CREATE ";com.example.shop.Big.<clinit>()V", 20000, 1, 1})},
    {"initialisers-on-main", NULL, SHOP({CREATE ";com.example.shop.Big.<init>()V", 20000, 1, 1})},
    {"gc-on-main", "collecting garbage on request", SHOP({CREATE ";java.lang.System.gc()V", 20000, 1, 1})},
    {"gc-on-main", NULL, SHOP({CREATE ";java.lang.System.nanoTime()J", 20000, 1, 1})},
    /* The chain: from the heaviest own method to the last one, and what that one calls. */
    {"headline",
     "com.example.shop.Main.onCreate took 400 ms (50 % of main's 800 ms), in 1 call, 200 ms of it on a CPU; "
     "75 % of that in com.example.shop.List.bind, 70 % in java.text.SimpleDateFormat.<init>, which it calls.",
     SHOP({CREATE ";com.example.shop.List.bind()V", 20000, 10000, 8},
          {CREATE ";com.example.shop.List.bind()V;java.text.A.a()V;java.text.SimpleDateFormat.<init>()V",
           150000, 45000, 8},
          {CREATE ";com.example.shop.List.bind()V;java.text.B.b()V;java.text.SimpleDateFormat.<init>()V",
           130000, 45000, 8})},
    {"headline",
     "android.view.View.draw took 400 ms (50 % of main's 800 ms), in 1 call.",
     {{"=main", 0, 0, 0}, {POLL, 400000, 0, 1}, {"android.view.View.draw()V", 400000, 400000, 1}}},
    /* The path has 300 ms of the 400 ms that the method took. */
    {"headline",
     "java.util.ArrayList.sort took 400 ms (80 % of main's 500 ms), in 2 calls.",
     {{"=main", 0, 0, 0},
      {"android.view.View.draw()V", 100000, 100000, 1},
      {"android.view.View.draw()V" LIBRARY, 300000, 300000, 1},
      {"java.util.ArrayList.sort()V", 100000, 100000, 1}}},
    {"headline", NULL, {{"=main", 0, 0, 0}, {POLL, 499000, 0, 9}, {CREATE, 1000, 1000, 1}}},
    {"busy",
     "Of main's 600 ms: 100 ms on a CPU (16.7 %), 400 ms waiting (66.7 %), all of it for messages, 100 ms in no method (16.7 %).",
     SHOP({"", 100000, 100000, 0})},
    {"largest",
     "Most self time on main: com.example.shop.Native.read 300 ms (37.5 % of main's 800 ms), 200 ms of it waiting.",
     SHOP({CREATE ";com.example.shop.Native.read()V", 300000, 100000, 1})},
    {"largest", NULL, {{"=main", 0, 0, 0}, {POLL, 960000, 0, 1}, {CREATE, 40000, 40000, 1}}},
    {"waits-for-drawing", "main waited 40 ms of its 540 ms (7.41 %) for a frame to be drawn",
     SHOP({CREATE ";android.view.ThreadedRenderer.nSyncAndDrawFrame()V", 40000, 0, 2})},
    {"waits-for-drawing", NULL, SHOP({CREATE ";android.view.ThreadedRenderer.draw()V", 40000, 40000, 2})},
    {"regex-on-main", "regular expressions",
     SHOP({CREATE ";java.util.regex.Matcher.find()V", 20000, 20000, 1})},
    {"regex-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"zip-on-main", "compressing and unpacking",
     SHOP({CREATE ";java.util.zip.Inflater.inflate()V", 20000, 20000, 1})},
    {"zip-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"base64-on-main", "Base64", SHOP({CREATE ";android.util.Base64.decode()V", 20000, 20000, 1})},
    {"base64-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"streams-on-main", "Okio streams", SHOP({CREATE ";okio.Buffer.read()V", 20000, 20000, 1})},
    {"streams-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"blocking-on-main", "on purpose",
     SHOP({CREATE ";kotlinx.coroutines.BuildersKt.runBlocking()V", 20000, 20000, 1})},
    {"blocking-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"network-on-main", "the network", SHOP({CREATE ";java.net.Socket.connect()V", 20000, 20000, 1})},
    {"network-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"libraries-on-main", "native libraries",
     SHOP({CREATE ";java.lang.System.loadLibrary()V", 20000, 20000, 1})},
    {"libraries-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"crypto-on-main", "cryptography", SHOP({CREATE ";javax.crypto.Cipher.doFinal()V", 20000, 20000, 1})},
    {"crypto-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"fonts-on-main", "typefaces", SHOP({CREATE ";android.graphics.Typeface.create()V", 20000, 20000, 1})},
    {"fonts-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"resources-on-main", "resources",
     SHOP({CREATE ";android.content.res.Resources.getDrawable()V", 20000, 20000, 1})},
    {"resources-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"webview-on-main", "WebView", SHOP({CREATE ";android.webkit.WebView.<init>()V", 20000, 20000, 1})},
    {"webview-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"compose-on-main", "composition",
     SHOP({CREATE ";androidx.compose.runtime.Recomposer.recompose()V", 20000, 20000, 1})},
    {"compose-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"tracing-on-main", "the recording itself",
     SHOP({CREATE ";android.os.Debug.startMethodTracing()V", 20000, 20000, 1})},
    {"tracing-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"verifying-on-main", "verifying classes",
     SHOP({CREATE ";java.lang.Class.classForName()V", 20000, 20000, 1})},
    {"verifying-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"dates-on-main", "formats of dates",
     SHOP({CREATE ";java.text.SimpleDateFormat.<init>()V", 20000, 20000, 1})},
    {"dates-on-main", NULL, SHOP({CREATE ";com.example.shop.Other.run()V", 20000, 20000, 1})},
    {"threads",
     "Most CPU time besides main: two 300 ms (66.7 % of the 450 ms of CPU time of all threads), one 50 ms (11.1 %).",
     SHOP({"=one", 0, 0, 0}, {"a.B.run()V", 50000, 50000, 1}, {"=two", 0, 0, 0},
          {"a.B.run()V", 300000, 300000, 1})},
    {"threads", NULL, SHOP({"=one", 0, 0, 0}, {"java.lang.Object.wait()V", 500000, 0, 1})},
    {"gc", "Collecting garbage used 50 ms (33.3 % of the 150 ms of CPU time of all threads), on",
     SHOP({"=HeapTaskDaemon", 0, 0, 0}, {"java.lang.Daemons.run()V", 50000, 50000, 1})},
    /* Time in no method, and time without a CPU. */
    {"gc", NULL,
     SHOP({"=HeapTaskDaemon", 0, 0, 0}, {"", 90000000, 0, 0}, {"java.lang.Daemons.run()V", 50000, 5, 1})},
    {"jit", "Compiling methods (JIT) used 50 ms",
     SHOP({"=Jit thread pool worker thread 0", 0, 0, 0}, {"a.B.run()V", 50000, 50000, 1})},
    {"jit", NULL, SHOP({"=Jitter", 0, 0, 0}, {"a.B.run()V", 50000, 50000, 1})},
};

struct subject {
    struct fake *fake;
    struct arena arena;
    struct render_input in;
    struct profile profile;
};

static void begin(struct subject *s, const struct stack *stacks, size_t n)
{
    uint32_t id = 0;

    memset(s, 0, sizeof(*s));
    s->fake = fake_new();
    arena_init(&s->arena, 1 << 22);
    fake_usual_values(s->fake);
    for (size_t i = 0; i < n && stacks[i].text != NULL; i++) {
        const char *text = stacks[i].text;
        if (text[0] == '=')
            fake_track(s->fake, ++id, str_of(text + 1));
        else
            fake_stack(s->fake, text, stacks[i].wall_us * 1000, stacks[i].cpu_us * 1000, stacks[i].calls);
    }
    s->profile = *fake_finish(s->fake);
    s->in = (struct render_input){
        .profile = &s->profile, .names = names_new(&s->profile, &s->arena), .scratch = &s->arena};
    assert_non_null(s->in.names);
}

static void end(struct subject *s)
{
    arena_free(&s->arena);
    fake_free(s->fake);
}

/* The sentence of the rule, in *text, terminated; false if it is silent. */
static bool ask(struct subject *s, const char *rule, struct buf *text)
{
    struct analysis *a = analysis_new(&s->in);
    struct verdict_sentence sentence = {.track = UINT32_MAX};
    struct finding f = {text, &sentence};

    assert_non_null(a);
    a->chain = chain_new(a, &s->arena);
    buf_clear(text);
    for (size_t i = 0; i < RULES_COUNT; i++)
        if (strcmp(RULES[i].name, rule) == 0) {
            bool found = RULES[i].find(&RULES[i], a, &f);
            buf_char(text, '\0');
            return found && sentence.weight > 0;
        }
    fail_msg("no rule is called %s", rule);
    return false;
}

static void check(struct subject *s, const char *rule, const char *says)
{
    struct buf text = {0};
    bool found = ask(s, rule, &text);

    if (found != (says != NULL) || (found && strstr(text.p, says) == NULL))
        fail_msg("%s: %s, not: %s", rule, found ? text.p : "silent", says != NULL ? says : "silent");
    buf_free(&text);
}

TEST(each_rule_speaks_and_is_silent)
{
    struct subject s;

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        begin(&s, CASES[i].stacks, 8);
        check(&s, CASES[i].rule, CASES[i].says);
        end(&s);
    }
}

/* A rule that has no case here would never be seen to work. */
TEST(no_rule_is_forgotten)
{
    static const char *const OTHERS[] = {"grew", "grew-last", "libraries", "long-messages", "native",
                                         "nothing", "outlier", "tracer",
                                         /* in test_verdict_system.c */
                                         "start", "start-times", "states", "late-frames", "shown-late",
                                         "waited-for-cpu", "longest-wait", "lock-contention",
                                         /* in tests/http/test_mixed.py */
                                         "sampled"};

    for (size_t i = 0; i < RULES_COUNT; i++) {
        unsigned speaks = 0, silent = 0;
        for (size_t k = 0; k < sizeof(CASES) / sizeof(CASES[0]); k++)
            if (strcmp(CASES[k].rule, RULES[i].name) == 0)
                *(CASES[k].says != NULL ? &speaks : &silent) += 1;
        for (size_t k = 0; k < sizeof(OTHERS) / sizeof(OTHERS[0]); k++)
            if (strcmp(OTHERS[k], RULES[i].name) == 0)
                speaks = silent = 1;
        if (speaks == 0 || silent == 0)
            fail_msg("%s: %u that speak, %u that are silent", RULES[i].name, speaks, silent);
        assert_true(strlen(RULES[i].how) > 10);
    }
}

static frame_id frame_named(const struct subject *s, const char *text)
{
    for (frame_id i = 0; i < s->profile.n_frames; i++)
        if (str_eq(names_frame(s->in.names, i), str_of(text)))
            return i;
    fail_msg("no frame %s", text);
    return FRAME_NONE;
}

TEST(long_calls)
{
    static const struct stack STACKS[] = SHOP({CREATE ";com.example.shop.List.bind()V", 900000, 1, 12});
    enum { MS = 1000000 };
    struct subject s;

    begin(&s, STACKS, sizeof(STACKS) / sizeof(STACKS[0]));
    frame_id message = frame_named(&s, "android.os.Handler.dispatchMessage");
    frame_id bind = frame_named(&s, "com.example.shop.List.bind");
    const struct span list[] = {
        {bind, 3, 0, 1, 10 * MS, 40 * MS, 0},         {message, 2, 0, 1, 10 * MS, 50 * MS, 0},
        {bind, 3, 0, 1, 100 * MS, 900 * MS, 0},       {message, 2, 0, 1, 100 * MS, 950 * MS, 0},
        {FRAME_NONE, 3, 0, 9, 950 * MS, 960 * MS, 0}, {message, 2, 0, 1, 960 * MS, 970 * MS, 0},
    };
    struct spans spans = {.list = list, .n = 6, .least_ns = 16700000};
    check(&s, "long-messages", NULL);
    check(&s, "outlier", NULL);
    s.in.spans = &spans;
    check(
        &s, "long-messages",
        "2 messages on main took over 16.7 ms, the time of a frame at 60 Hz, 1 of them over 100 ms, 1 over 700 "
        "ms; the longest took 850 ms and ran com.example.shop.List.bind.");
    check(&s, "outlier",
          "One call of com.example.shop.List.bind took 800 ms; none of the others on main took more than 30 "
          "ms. It was called 12 times in all.");
    spans.n = 2;
    check(&s, "long-messages", "1 message on main took over 16.7 ms");
    check(&s, "outlier", "took 30 ms; none of the others on main took as much as 16.7 ms.");
    spans.list = &list[4];
    check(&s, "long-messages", NULL);
    check(&s, "outlier", NULL);
    end(&s);
}

TEST(recorder)
{
    static const struct stack STACKS[] = SHOP({"", 0, 0, 0});
    const struct profile_fact facts[] = {{STR_INIT("clock_overhead_ns"), STR_INIT("500")},
                                         {STR_INIT("sampling_interval_us"), STR_INIT("1000")}};
    struct subject s;

    begin(&s, STACKS, 4);
    struct profile_track main = s.profile.tracks[0];
    main.records = 20000;
    s.profile.tracks = &main;
    check(&s, "tracer", NULL);
    s.profile.facts = facts;
    s.profile.n_facts = 1;
    check(&s, "tracer", "Recording itself may have cost 10 % of the 100 ms of CPU time: 20,000 records");
    s.profile.n_facts = 2;
    check(&s, "tracer", NULL);
    s.profile.n_facts = 1;
    main.records = 9000;
    check(&s, "tracer", NULL);
    main.records = UINT64_MAX;
    check(&s, "tracer", NULL);
    main.records = 2000000;
    check(&s, "headline",
          "Recording itself may have cost as much as all of the 100 ms of CPU time, so short");
    end(&s);
}

/* At most seven, the heaviest first; as text and as JSON. */
TEST(an_empty_range)
{
    struct profile_warning empty = {.code = STR("range-empty"), .count = 1, .text = STR("Nothing is in it.")};
    const struct stack stacks[] = {{"=main", 0, 0, 0}};
    struct subject s;

    begin(&s, stacks, 1);
    check(&s, "nothing", NULL);
    s.profile.warnings = &empty;
    s.profile.n_warnings = 1;
    check(&s, "nothing", "Nothing is in it.");
    end(&s);
}

TEST(the_heaviest_come_first)
{
    static const struct stack STACKS[] =
        SHOP({CREATE ";org.json.JSONObject.<init>()V", 20000, 1, 1},
             {CREATE ";java.lang.Object.wait()V", 90000, 1, 1}, {CREATE ";okio.Buffer.read()V", 90000, 1, 1},
             {"=b", 0, 0, 0}, {"a.B.c()V", 90000, 90000, 1});
    struct subject s;
    struct buf out = {0};
    struct diag diag = {0};

    begin(&s, STACKS, 8);
    const struct verdict *v = verdict_new(&s.in);
    assert_non_null(v);
    assert_int_equal(v->n, VERDICT_SENTENCES_MAX);
    assert_string_equal(v->list[0].rule, "headline");
    assert_string_equal(v->list[1].rule, "busy");
    assert_string_equal(v->list[2].rule, "split");
    for (uint32_t i = 1; i < v->n; i++)
        assert_true(v->list[i].weight <= v->list[i - 1].weight);
    assert_true(verdict_write(&s.in, verdict_format_by_name(STR("txt")), &out, &diag));
    assert_true(str_starts(buf_view(&out), STR("com.example.shop.Main.onCreate took ")));
    unsigned lines = 0;
    for (size_t i = 0; i < out.n; i++)
        lines += out.p[i] == '\n';
    assert_int_equal(lines, VERDICT_SENTENCES_MAX);
    buf_clear(&out);
    assert_true(verdict_write(&s.in, verdict_format_by_name(STR("json")), &out, &diag));
    buf_char(&out, '\0');
    assert_true(str_starts(buf_view(&out), STR("{\"version\":1,\"app\":[\"com.example.shop\"],\"chain\":["
                                               "{\"method\":\"com.example.shop.Main.onCreate\","
                                               "\"origin\":\"app\",\"value\":300000000,\"calls\":1}")));
    assert_non_null(strstr(out.p, "\"sentences\":[{\"rule\":\"headline\",\"text\":\"com.example.shop.Main"));
    assert_null(verdict_format_by_name(STR("xml")));
    buf_free(&out);
    end(&s);
}

/* Counts of folded stacks are no times; a profile of nothing has nothing to say. */
TEST(without_times)
{
    struct fake *f = fake_new();
    struct arena a;
    const uint64_t seven = 7, three = 3;

    arena_init(&a, 1 << 20);
    fake_value(f, "samples", UNIT_COUNT, ROLE_OTHER);
    uint32_t root = fake_track(f, 1, STR("all"));
    fake_child(f, root, fake_frame(f, STR(""), STR("com.example.shop.Main.run"), STR("")), &seven);
    fake_child(f, root, fake_frame(f, STR(""), STR("java.util.List.sort"), STR("")), &three);
    const struct profile *p = fake_finish(f);
    struct render_input in = {.profile = p, .names = names_new(p, &a), .scratch = &a};
    struct span_request request;
    assert_false(verdict_wants_spans(p, in.names, &a, &request));
    const struct verdict *v = verdict_new(&in);
    assert_non_null(v);
    assert_int_equal(v->n, 3);
    assert_true(
        str_eq(v->list[0].text, STR("com.example.shop.Main.run accounts for 7 (70 % of the 10 samples).")));
    assert_true(
        str_eq(v->list[1].text, STR("Of 10 samples, your code (com.example.shop) caused 70 %, libraries "
                                    "alone 0 %, all else 30 %.")));
    assert_string_equal(v->list[2].rule, "self");
    arena_free(&a);
    fake_free(f);
}

/* Whatever memory there is: a verdict, or none; never half of one. */
TEST(little_memory)
{
    static const struct stack STACKS[] = SHOP({CREATE ";org.json.JSONObject.<init>()V", 20000, 1, 1});
    struct subject s;
    bool made = false;

    begin(&s, STACKS, sizeof(STACKS) / sizeof(STACKS[0]));
    for (size_t limit = 0; !made && limit < 1 << 20; limit += 512) {
        struct arena a;
        arena_init(&a, limit);
        s.in.scratch = &a;
        made = verdict_new(&s.in) != NULL;
        assert_true(made || a.failure == ARENA_LIMIT);
        arena_free(&a);
    }
    assert_true(made);
    end(&s);
}

TEST(sizes_are_of_what_is_measured)
{
    struct fake *f = fake_new();
    struct arena a;
    const uint64_t bytes = 3 << 20;

    arena_init(&a, 1 << 20);
    fake_value(f, "Unreleased size", UNIT_BYTES, ROLE_OTHER);
    uint32_t root = fake_track(f, 1, STR("all"));
    fake_child(f, root, fake_frame(f, STR(""), STR("com.example.shop.Main.run"), STR("")), &bytes);
    const struct profile *p = fake_finish(f);
    struct render_input in = {.profile = p, .names = names_new(p, &a), .scratch = &a};
    const struct verdict *v = verdict_new(&in);
    assert_non_null(v);
    assert_true(
        str_eq(v->list[0].text,
               STR("com.example.shop.Main.run accounts for 3 MiB (100 % of the 3 MiB of unreleased size).")));
    arena_free(&a);
    fake_free(f);
}

/* A method is named where the sentence means it, and not where words about the value happen to be its name. */
TEST(names_are_told_from_words)
{
    struct fake *f = fake_new();
    struct arena a;
    struct buf out = {0};
    struct diag diag = {0};
    const uint64_t most = 3 << 20, some = 2 << 20;

    arena_init(&a, 1 << 20);
    fake_value(f, "unreleased malloc size", UNIT_BYTES, ROLE_OTHER);
    uint32_t root = fake_track(f, 1, STR("all"));
    fake_child(f, root, fake_frame(f, STR(""), STR("one"), STR("")), &most);
    fake_child(f, root, fake_frame(f, STR(""), STR("size"), STR("")), &some);
    const struct profile *p = fake_finish(f);
    struct render_input in = {.profile = p, .names = names_new(p, &a), .scratch = &a};
    assert_true(verdict_write(&in, verdict_format_by_name(STR("json")), &out, &diag));
    buf_char(&out, '\0');
    assert_non_null(strstr(out.p, "{\"text\":\"one\",\"method\":true},"
                                  "{\"text\":\" 3 MiB (60 % of the 5 MiB of unreleased malloc size), \"},"
                                  "{\"text\":\"size\",\"method\":true},"
                                  "{\"text\":\" 2 MiB (40 %).\"}]"));
    buf_free(&out);
    arena_free(&a);
    fake_free(f);
}

/* Time in locks, or of every thread at once, is no time on a CPU. */
TEST(values_that_are_no_cpu_time)
{
    static const char *const LABELS[] = {"time waited for locks", "wall time"};
    const uint64_t ns = 5000000;

    for (size_t i = 0; i < sizeof(LABELS) / sizeof(LABELS[0]); i++) {
        struct fake *f = fake_new();
        struct arena a;
        struct buf out = {0};
        struct diag diag = {0};
        arena_init(&a, 1 << 20);
        fake_value(f, LABELS[i], UNIT_NS, ROLE_OTHER);
        fake_child(f, fake_track(f, 1, STR("all stacks")), fake_frame(f, STR(""), STR("main.run"), STR("")),
                   &ns);
        const struct profile *p = fake_finish(f);
        struct render_input in = {.profile = p, .names = names_new(p, &a), .scratch = &a};
        assert_true(verdict_write(&in, verdict_format_by_name(STR("txt")), &out, &diag));
        buf_char(&out, '\0');
        assert_non_null(strstr(out.p, "main.run accounts for 5 ms (100 % of the 5 ms of "));
        assert_null(strstr(out.p, "CPU"));
        buf_free(&out);
        arena_free(&a);
        fake_free(f);
    }
}

/* Where main rests, what another thread did is said first. */
TEST(the_main_thread_rests)
{
    static const struct stack OWN[] = {{"=main", 0, 0, 0},
                                       {POLL, 1000000, 100, 1},
                                       {"=game", 0, 0, 0},
                                       {"com.example.Game.loop()V", 1000000, 800000, 1}};
    static const struct stack OTHERS[] = {{"=main", 0, 0, 0},
                                          {POLL, 1000000, 100, 1},
                                          {"=game", 0, 0, 0},
                                          {"android.os.Game.loop()V", 1000000, 800000, 1}};
    struct subject s;

    begin(&s, OWN, 4);
    s.in.names = names_with_own(s.in.names, &s.profile,
                                &(struct own_code){.prefix = {STR("com.example")}, .n = 1}, &s.arena);
    const struct verdict *v = verdict_new(&s.in);
    assert_non_null(v);
    assert_string_equal(v->list[0].rule, "own-methods");
    end(&s);
    begin(&s, OTHERS, 4);
    v = verdict_new(&s.in);
    assert_non_null(v);
    assert_string_equal(v->list[0].rule, "threads");
    end(&s);
}

/* CPU time alone says nothing of waiting, and is not as long as the recording. */
TEST(cpu_time_alone)
{
    struct profile_fact length = {STR("elapsed_us"), STR("20000000")};
    struct fake *f = fake_new();
    struct arena a;
    struct buf out = {0};
    struct diag diag = {0};
    const uint64_t poll = 42000000, work = 4958000000;

    arena_init(&a, 1 << 20);
    fake_value(f, "cpu", UNIT_NS, ROLE_CPU);
    uint32_t root = fake_track(f, 1, STR("main"));
    fake_child(f, root, fake_frame(f, STR("android.os.MessageQueue"), STR("next"), STR("")), &poll);
    fake_child(f, root, fake_frame(f, STR("com.example.Main"), STR("run"), STR("")), &work);
    struct profile p = *fake_finish(f);
    p.facts = &length;
    p.n_facts = 1;
    struct render_input in = {.profile = &p, .names = names_new(&p, &a), .scratch = &a};
    assert_true(verdict_write(&in, verdict_format_by_name(STR("txt")), &out, &diag));
    buf_char(&out, '\0');
    assert_non_null(strstr(
        out.p, "main used 5 s of CPU time, 25 % of the recording's 20 s; the file does not say what it did "
               "the rest of the time."));
    assert_null(strstr(out.p, "for messages"));
    buf_free(&out);
    arena_free(&a);
    fake_free(f);
}

/* Of stacks without a thread, it is the program that used the time. */
TEST(cpu_time_of_a_whole_program)
{
    struct fake *f = fake_new();
    struct arena a;
    struct buf out = {0};
    struct diag diag = {0};
    const uint64_t work = 5000000000;

    arena_init(&a, 1 << 20);
    fake_value(f, "cpu", UNIT_NS, ROLE_CPU);
    uint32_t root = fake_track(f, 1, STR("all stacks"));
    fake_child(f, root, fake_frame(f, STR(""), STR("main.run"), STR("")), &work);
    struct profile p = *fake_finish(f);
    struct profile_track track = p.tracks[0];
    track.kind = TRACK_WHOLE;
    p.tracks = &track;
    struct render_input in = {.profile = &p, .names = names_new(&p, &a), .scratch = &a};
    assert_true(verdict_write(&in, verdict_format_by_name(STR("txt")), &out, &diag));
    buf_char(&out, '\0');
    assert_non_null(strstr(out.p, "\nThe program used 5 s of CPU time; the file does not say what it did"));
    buf_free(&out);
    arena_free(&a);
    fake_free(f);
}

/* An asynchronous section runs beside threads, on none of them: it has no part in what threads took together. */
TEST(asynchronous_sections_are_no_time_of_threads)
{
    static const struct stack STACKS[] =
        SHOP({"=async load", 0, 0, 0}, {"okio.Load.run()V", 900000, 900000, 1});
    struct subject s;

    begin(&s, STACKS, sizeof(STACKS) / sizeof(STACKS[0]));
    ((struct profile_track *)s.profile.tracks)[1].kind = TRACK_ASYNC;
    check(
        &s, "self",
        "Most self time on a CPU: com.example.shop.Main.onCreate 100 ms (100 % of the 100 ms of CPU time of");
    check(&s, "library-packages", NULL);
    end(&s);
}

/* Functions of the kernel are one part, and what they wait is that of who called them; C++ is told without parameters. */
TEST(native_functions_beside_java)
{
    struct fake *f = fake_new();
    struct arena a;
    struct buf out = {0};
    struct diag diag = {0};
    const uint64_t none[] = {0, 0, 0}, cpu[] = {30000000, 30000000, 0}, more[] = {50000000, 50000000, 0},
                   waits[] = {60000000, 20000000, 0};

    arena_init(&a, 1 << 20);
    fake_usual_values(f);
    uint32_t root = fake_track(f, 1, STR("main"));
    frame_id java = fake_frame(f, STR("com.example.shop.Main"), STR("run"), STR(""));
    frame_id cpp = fake_frame(f, STR(""), STR("[linker]ns::Map::find(int, int)"), STR(""));
    frame_id call = fake_frame(f, STR(""), STR("ioctl"), STR(""));
    frame_id kernel[] = {fake_frame(f, STR(""), STR("[kernel]+1"), STR("")),
                         fake_frame(f, STR(""), STR("[kernel]+2"), STR(""))};
    fake_kind(f, java, FRAME_KIND_JAVA);
    fake_kind(f, cpp, FRAME_KIND_NATIVE);
    fake_kind(f, call, FRAME_KIND_NATIVE);
    fake_kind(f, kernel[0], FRAME_KIND_KERNEL);
    fake_kind(f, kernel[1], FRAME_KIND_KERNEL);
    uint32_t run = fake_child(f, root, java, more);
    fake_child(f, run, cpp, cpu);
    uint32_t in = fake_child(f, run, call, none);
    fake_child(f, in, kernel[0], waits);
    fake_child(f, in, kernel[1], cpu);
    const struct profile *p = fake_finish(f);
    struct render_input input = {.profile = p, .names = names_new(p, &a), .scratch = &a};
    assert_true(verdict_write(&input, verdict_format_by_name(STR("json")), &out, &diag));
    buf_char(&out, '\0');
    assert_non_null(
        strstr(out.p, "Native functions with the most self time on a CPU: Map::find 30 ms (23.1 % of the "
                      "130 ms of CPU time); the kernel 50 ms (38.5 %)."));
    assert_non_null(strstr(out.p, "{\"text\":\"Map::find\",\"method\":true,\"name\":\"[linker]ns::Map::find"
                                  "(int, int)\"}"));
    assert_non_null(strstr(
        out.p, "main waited 40 ms of its 170 ms (23.5 %) for something that the trace does not name, or "
               "for a CPU, in ioctl"));
    buf_free(&out);
    arena_free(&a);
    fake_free(f);
}

/* Allocators count for their callers, and sizes for the file of these. */
TEST(memory_is_that_of_who_asks)
{
    struct fake *f = fake_new();
    struct arena a;
    const uint64_t none = 0, bytes = 3 << 20;

    arena_init(&a, 1 << 20);
    fake_value(f, "unreleased", UNIT_BYTES, ROLE_UNRELEASED);
    uint32_t root = fake_track(f, 1, STR("all"));
    uint32_t load = fake_child(f, root, fake_frame(f, STR(""), STR("load_image"), STR("")), &none);
    fake_child(f, load, fake_frame(f, STR(""), STR("malloc"), STR("")), &bytes);
    const struct profile *p = fake_finish(f);
    struct render_input in = {.profile = p, .names = names_new(p, &a), .scratch = &a};
    const struct verdict *v = verdict_new(&in);
    assert_non_null(v);
    assert_true(
        str_eq(v->list[0].text, STR("load_image accounts for 3 MiB (100 % of the 3 MiB of unreleased).")));
    assert_int_equal(v->n, 1);
    assert_int_equal(v->chain->n, 2);
    arena_free(&a);
    fake_free(f);
}
