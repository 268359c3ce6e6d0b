#include "tests/support/mktrace/names.h"

#include "tests/support/mktrace/chance.h"

enum { METHODS_PER_CLASS = 5 };

static const char PACKAGES[] =
    "android.app android.content.res android.graphics android.os android.text android.view "
    "android.widget androidx.activity androidx.appcompat.widget androidx.compose.runtime.snapshots "
    "androidx.compose.ui.layout androidx.fragment.app androidx.lifecycle androidx.navigation "
    "androidx.recyclerview.widget androidx.room androidx.work.impl com.bumptech.glide.load.engine "
    "com.example.recipes.data com.example.recipes.feature.search com.example.recipes.home "
    "com.google.android.material.internal com.google.gson.internal com.squareup.moshi dagger.internal "
    "io.reactivex.rxjava3.internal.operators java.io java.lang java.util java.util.concurrent "
    "kotlin.collections kotlin.text kotlinx.coroutines kotlinx.coroutines.channels "
    "kotlinx.coroutines.scheduling kotlinx.serialization.json libcore.io okhttp3.internal.cache "
    "okhttp3.internal.http2 okio org.json retrofit2";

static const char NOUNS[] =
    "Adapter Asset Binder Bitmap Buffer Cache Call Channel Clock Config Constraint Context Cursor "
    "Database Drawable Entry Event Factory Fragment Frame Handler Header Holder Image Index Input "
    "Item Job Journal Key Layout Lifecycle List Loader Lock Map Message Model Node Observer Pantry "
    "Parser Path Pool Query Queue Recipe Record Registry Request Resource Scope Session Source State "
    "Stream Style Table Task Text Theme Token Tree Type Value View Window Worker";

static const char VERBS[] =
    "add apply attach await bind build check close collect commit compute copy create decode dispatch "
    "draw emit encode ensure find get handle inflate init invoke is layout load lookup map measure "
    "merge next notify obtain on open parse peek poll post put read recycle release remove reset "
    "resolve resume schedule set start submit trim update verify visit write";

static const char TYPES[] =
    "I J Z F [B [I Ljava/lang/String; Ljava/lang/Object; Ljava/lang/CharSequence; Ljava/util/List; "
    "Ljava/util/Map; Landroid/content/Context; Landroid/os/Bundle; Landroid/view/View; "
    "Landroid/view/ViewGroup; Landroid/graphics/Canvas; Landroid/util/AttributeSet; "
    "Lkotlin/coroutines/Continuation; Lkotlin/jvm/functions/Function1;";

static const char *const THREADS[] = {
    "main",
    "RenderThread",
    "OkHttp https://api.recipes.example/...",
    "DefaultDispatcher-worker-1",
    "DefaultDispatcher-worker-2",
    "arch_disk_io_0",
    "glide-source-thread-0",
    "Binder:14233_1",
    "HeapTaskDaemon",
    "RxCachedThreadScheduler-1",
    "FinalizerDaemon",
    "queued-work-looper",
};

/* One of the words. */
static void put(struct buf *b, struct chance *c, const char *words)
{
    struct str rest = str_of(words), word = rest;
    uint32_t n = 1;

    for (size_t i = 0; i < rest.n; i++)
        n += rest.p[i] == ' ';
    for (n = 1 + chance_below(c, n); n > 0 && str_split(&rest, ' ', &word); n--)
        continue;
    buf_str(b, word);
}

static void put_numbered(struct buf *b, const char *text, uint32_t number)
{
    buf_z(b, text);
    buf_u64(b, number);
}

/* What a class is called depends on its number alone; its file is named after the outermost one. */
static void put_class(struct buf *class_name, struct buf *file, uint64_t seed, uint32_t number)
{
    struct chance c = chance_new(seed, 1000000000u + (uint64_t)number);

    put(file, &c, NOUNS);
    if (chance_percent(&c, 60))
        put(file, &c, NOUNS);
    put(file, &c, NOUNS);
    put(class_name, &c, PACKAGES);
    buf_char(class_name, '.');
    buf_str(class_name, buf_view(file));
    buf_z(file, chance_percent(&c, 55) ? ".java" : ".kt");
    uint32_t kind = chance_below(&c, 100);
    if (kind < 18) {
        buf_char(class_name, '$');
        put(class_name, &c, NOUNS);
        put(class_name, &c, NOUNS);
    } else if (kind < 26) {
        put_numbered(class_name, "$", 1 + chance_below(&c, 9));
    } else if (kind < 32) {
        buf_z(class_name, "$Companion");
    } else if (kind < 38) {
        put_numbered(class_name, "$$ExternalSyntheticLambda", chance_below(&c, 20));
    }
}

static void put_member(struct buf *name, struct chance *c)
{
    uint32_t kind = chance_below(c, 100);

    if (kind < 14) {
        buf_z(name, kind < 12 ? "<init>" : "<clinit>");
        return;
    }
    buf_z(name, kind < 19 ? "lambda$" : "");
    put(name, c, VERBS);
    put(name, c, NOUNS);
    if (kind < 19)
        put_numbered(name, "$", chance_below(c, 6));
    else if (kind < 43)
        put(name, c, NOUNS);
}

static void put_signature(struct buf *signature, struct str name, struct chance *c)
{
    uint32_t parameters = chance_percent(c, 30) || str_eq(name, STR("<clinit>")) ? 0 : 1 + chance_below(c, 4);

    buf_char(signature, '(');
    for (; parameters > 0; parameters--)
        put(signature, c, TYPES);
    buf_char(signature, ')');
    if (str_starts(name, STR("<")) || chance_percent(c, 40))
        buf_char(signature, 'V');
    else
        put(signature, c, TYPES);
}

void names_put_method(struct buf *out, struct trace_format format, uint64_t seed, uint32_t method)
{
    struct chance c = chance_new(seed, 2000000000u + (uint64_t)method);
    struct buf parts[4] = {{0}}; /* class, name, signature, file */

    put_class(&parts[0], &parts[3], seed, method / METHODS_PER_CLASS);
    put_member(&parts[1], &c);
    put_signature(&parts[2], buf_view(&parts[1]), &c);
    trace_writer_method(out, format, method, buf_view(&parts[0]), buf_view(&parts[1]), buf_view(&parts[2]),
                        buf_view(&parts[3]));
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        out->failed = out->failed || parts[i].failed;
        buf_free(&parts[i]);
    }
}

void names_put_thread(struct buf *out, uint32_t n)
{
    if (n < sizeof(THREADS) / sizeof(*THREADS))
        buf_z(out, THREADS[n]);
    else
        put_numbered(out, "pool-3-thread-", n);
}
