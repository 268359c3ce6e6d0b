#include "render/verdict/work_kinds.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A `*` at the end of scope or name: all that begin so. */
struct work_row {
    struct str scope, name;
    enum work_kind kind;
};

/* clang-format off */
static const struct work_row WORKS[] = {
    {STR_INIT("java.io.File"), STR_INIT("*"), WORK_FILES},
    {STR_INIT("java.io.FileInputStream"), STR_INIT("*"), WORK_FILES},
    {STR_INIT("java.io.FileOutputStream"), STR_INIT("*"), WORK_FILES},
    {STR_INIT("java.io.RandomAccessFile"), STR_INIT("*"), WORK_FILES},
    {STR_INIT("java.nio.file.Files"), STR_INIT("*"), WORK_FILES},
    {STR_INIT("sun.nio.ch.FileChannelImpl"), STR_INIT("*"), WORK_FILES},
    {STR_INIT("android.content.res.AssetManager"), STR_INIT("open*"), WORK_FILES},
    {STR_INIT("android.util.AtomicFile"), STR_INIT("*"), WORK_FILES},
    {STR_INIT("kotlin.io.*"), STR_INIT("read*"), WORK_FILES},
    {STR_INIT("kotlin.io.*"), STR_INIT("write*"), WORK_FILES},
    {STR_INIT("android.database.*"), STR_INIT("*"), WORK_DATABASE},
    {STR_INIT("androidx.room.*"), STR_INIT("*"), WORK_DATABASE},
    {STR_INIT("androidx.sqlite.*"), STR_INIT("*"), WORK_DATABASE},
    {STR_INIT("net.sqlcipher.*"), STR_INIT("*"), WORK_DATABASE},
    {STR_INIT("io.realm.*"), STR_INIT("*"), WORK_DATABASE},
    {STR_INIT("android.app.SharedPreferencesImpl*"), STR_INIT("*"), WORK_PREFERENCES},
    {STR_INIT("android.app.ContextImpl"), STR_INIT("getSharedPreferences"), WORK_PREFERENCES},
    {STR_INIT("android.app.QueuedWork"), STR_INIT("waitToFinish"), WORK_PREFERENCES},
    {STR_INIT("org.json.*"), STR_INIT("*"), WORK_JSON},
    {STR_INIT("android.util.Json*"), STR_INIT("*"), WORK_JSON},
    {STR_INIT("com.google.gson.*"), STR_INIT("*"), WORK_JSON},
    {STR_INIT("com.squareup.moshi.*"), STR_INIT("*"), WORK_JSON},
    {STR_INIT("com.fasterxml.jackson.*"), STR_INIT("*"), WORK_JSON},
    {STR_INIT("kotlinx.serialization.json.*"), STR_INIT("*"), WORK_JSON},
    {STR_INIT("android.view.LayoutInflater"), STR_INIT("inflate*"), WORK_INFLATION},
    {STR_INIT("android.view.LayoutInflater"), STR_INIT("rInflate*"), WORK_INFLATION},
    {STR_INIT("android.view.MenuInflater"), STR_INIT("inflate*"), WORK_INFLATION},
    {STR_INIT("android.graphics.BitmapFactory"), STR_INIT("decode*"), WORK_IMAGES},
    {STR_INIT("android.graphics.BitmapFactory"), STR_INIT("nativeDecode*"), WORK_IMAGES},
    {STR_INIT("android.graphics.BitmapRegionDecoder"), STR_INIT("*"), WORK_IMAGES},
    {STR_INIT("android.graphics.ImageDecoder"), STR_INIT("*"), WORK_IMAGES},
    {STR_INIT("android.graphics.drawable.VectorDrawable"), STR_INIT("inflate*"), WORK_IMAGES},
    {STR_INIT("java.lang.Class"), STR_INIT("getDeclared*"), WORK_REFLECTION},
    {STR_INIT("java.lang.Class"), STR_INIT("getMethod*"), WORK_REFLECTION},
    {STR_INIT("java.lang.Class"), STR_INIT("getField*"), WORK_REFLECTION},
    {STR_INIT("java.lang.Class"), STR_INIT("getConstructor*"), WORK_REFLECTION},
    {STR_INIT("java.lang.reflect.Proxy"), STR_INIT("newProxyInstance"), WORK_REFLECTION},
    {STR_INIT("kotlin.reflect.*"), STR_INIT("*"), WORK_REFLECTION},
    {STR_INIT("java.lang.ClassLoader"), STR_INIT("loadClass"), WORK_CLASS_LOADING},
    {STR_INIT("java.lang.BootClassLoader"), STR_INIT("loadClass"), WORK_CLASS_LOADING},
    {STR_INIT("java.lang.Class"), STR_INIT("forName*"), WORK_CLASS_LOADING},
    {STR_INIT("dalvik.system.*"), STR_INIT("loadClass*"), WORK_CLASS_LOADING},
    {STR_INIT("dalvik.system.*"), STR_INIT("findClass"), WORK_CLASS_LOADING},
    {STR_INIT("*"), STR_INIT("<clinit>"), WORK_INITIALISERS},
    {STR_INIT("java.lang.System"), STR_INIT("gc"), WORK_COLLECTION},
    {STR_INIT("java.lang.Runtime"), STR_INIT("gc"), WORK_COLLECTION},
    {STR_INIT("dalvik.system.VMRuntime"), STR_INIT("requestConcurrentGC"), WORK_COLLECTION},
    {STR_INIT("java.util.regex.*"), STR_INIT("*"), WORK_REGEX},
    {STR_INIT("kotlin.text.Regex*"), STR_INIT("*"), WORK_REGEX},
    {STR_INIT("java.lang.String"), STR_INIT("split"), WORK_REGEX},
    {STR_INIT("java.lang.String"), STR_INIT("replaceAll"), WORK_REGEX},
    {STR_INIT("java.lang.String"), STR_INIT("replaceFirst"), WORK_REGEX},
    {STR_INIT("java.lang.String"), STR_INIT("matches"), WORK_REGEX},
    {STR_INIT("java.util.zip.*"), STR_INIT("*"), WORK_ZIP},
    {STR_INIT("java.util.jar.*"), STR_INIT("*"), WORK_ZIP},
    {STR_INIT("java.util.Base64*"), STR_INIT("*"), WORK_BASE64},
    {STR_INIT("android.util.Base64*"), STR_INIT("*"), WORK_BASE64},
    {STR_INIT("okio.*"), STR_INIT("*"), WORK_STREAMS},
    {STR_INIT("kotlinx.coroutines.BuildersKt*"), STR_INIT("runBlocking*"), WORK_BLOCKING},
    {STR_INIT("java.lang.Thread"), STR_INIT("join"), WORK_BLOCKING},
    {STR_INIT("java.util.concurrent.CountDownLatch"), STR_INIT("await"), WORK_BLOCKING},
    {STR_INIT("java.util.concurrent.FutureTask"), STR_INIT("get"), WORK_BLOCKING},
    {STR_INIT("java.util.concurrent.CompletableFuture"), STR_INIT("get"), WORK_BLOCKING},
    {STR_INIT("java.util.concurrent.CompletableFuture"), STR_INIT("join"), WORK_BLOCKING},
    {STR_INIT("android.os.AsyncTask"), STR_INIT("get"), WORK_BLOCKING},
    {STR_INIT("com.google.android.gms.tasks.Tasks"), STR_INIT("await"), WORK_BLOCKING},
    {STR_INIT("java.net.Socket*"), STR_INIT("*"), WORK_NETWORK},
    {STR_INIT("java.net.InetAddress"), STR_INIT("*"), WORK_NETWORK},
    {STR_INIT("java.net.URL"), STR_INIT("openStream"), WORK_NETWORK},
    {STR_INIT("java.net.HttpURLConnection"), STR_INIT("*"), WORK_NETWORK},
    {STR_INIT("javax.net.ssl.*"), STR_INIT("*"), WORK_NETWORK},
    {STR_INIT("com.android.okhttp.*"), STR_INIT("*"), WORK_NETWORK},
    {STR_INIT("okhttp3.RealCall"), STR_INIT("execute"), WORK_NETWORK},
    {STR_INIT("okhttp3.internal.connection.RealCall"), STR_INIT("execute"), WORK_NETWORK},
    {STR_INIT("org.apache.http.*"), STR_INIT("execute*"), WORK_NETWORK},
    {STR_INIT("java.lang.System"), STR_INIT("load"), WORK_LIBRARIES},
    {STR_INIT("java.lang.System"), STR_INIT("loadLibrary"), WORK_LIBRARIES},
    {STR_INIT("java.lang.Runtime"), STR_INIT("load*"), WORK_LIBRARIES},
    {STR_INIT("com.facebook.soloader.SoLoader"), STR_INIT("loadLibrary*"), WORK_LIBRARIES},
    {STR_INIT("javax.crypto.*"), STR_INIT("*"), WORK_CRYPTO},
    {STR_INIT("java.security.*"), STR_INIT("*"), WORK_CRYPTO},
    {STR_INIT("android.security.keystore*"), STR_INIT("*"), WORK_CRYPTO},
    {STR_INIT("android.security.KeyStore*"), STR_INIT("*"), WORK_CRYPTO},
    {STR_INIT("androidx.security.crypto.*"), STR_INIT("*"), WORK_CRYPTO},
    {STR_INIT("android.graphics.Typeface*"), STR_INIT("*"), WORK_FONTS},
    {STR_INIT("androidx.core.content.res.ResourcesCompat"), STR_INIT("getFont*"), WORK_FONTS},
    {STR_INIT("android.content.res.AssetManager"), STR_INIT("*"), WORK_RESOURCES},
    {STR_INIT("android.content.res.Resources*"), STR_INIT("*"), WORK_RESOURCES},
    {STR_INIT("android.webkit.WebView*"), STR_INIT("*"), WORK_WEBVIEW},
    {STR_INIT("com.android.webview.chromium.*"), STR_INIT("*"), WORK_WEBVIEW},
    {STR_INIT("androidx.compose.runtime.Recomposer*"), STR_INIT("*"), WORK_COMPOSE},
    {STR_INIT("androidx.compose.runtime.Composition*"), STR_INIT("*"), WORK_COMPOSE},
    {STR_INIT("androidx.compose.runtime.ComposerImpl"), STR_INIT("*"), WORK_COMPOSE},
    {STR_INIT("android.os.Debug"), STR_INIT("startMethodTracing*"), WORK_TRACING},
    {STR_INIT("android.os.Debug"), STR_INIT("stopMethodTracing"), WORK_TRACING},
    {STR_INIT("dalvik.system.VMDebug"), STR_INIT("startMethodTracing*"), WORK_TRACING},
    {STR_INIT("dalvik.system.VMDebug"), STR_INIT("stopMethodTracing"), WORK_TRACING},
    {STR_INIT("dalvik.system.DexFile"), STR_INIT("open*"), WORK_VERIFYING},
    {STR_INIT("dalvik.system.DexPathList"), STR_INIT("*"), WORK_VERIFYING},
    {STR_INIT("java.lang.Class"), STR_INIT("classForName"), WORK_VERIFYING},
    {STR_INIT("java.lang.Class"), STR_INIT("verify*"), WORK_VERIFYING},
    {STR_INIT("java.text.SimpleDateFormat"), STR_INIT("*"), WORK_DATES},
    {STR_INIT("java.text.DateFormat"), STR_INIT("*"), WORK_DATES},
    {STR_INIT("android.text.format.DateFormat"), STR_INIT("*"), WORK_DATES},
    {STR_INIT("android.text.format.DateUtils"), STR_INIT("*"), WORK_DATES},
    {STR_INIT("java.util.TimeZone"), STR_INIT("*"), WORK_DATES},
    {STR_INIT("libcore.icu.*"), STR_INIT("*"), WORK_DATES},
};
/* clang-format on */

static const struct {
    const char *words, *advice;
} KINDS[WORK_KINDS] = {
    [WORK_FILES] = {"files", "Files are better read and written on another thread."},
    [WORK_DATABASE] = {"databases", "Queries are better made on another thread."},
    [WORK_PREFERENCES] = {"SharedPreferences",
                          "The first read loads the whole file; apply() does not wait, commit() does."},
    [WORK_JSON] = {"JSON", "Documents are better read and written on another thread."},
    [WORK_INFLATION] = {"inflating layouts", "Fewer and flatter views, or views made later, cost less."},
    [WORK_IMAGES] = {"decoding images",
                     "Images are better decoded on another thread, in the size that is shown."},
    [WORK_REFLECTION] = {"reflection", "Looked up once and kept, or generated code, costs less."},
    [WORK_CLASS_LOADING] = {"loading classes", "A baseline profile makes the first use of classes cheaper."},
    [WORK_INITIALISERS] = {"class initialisers",
                           "What a static field needs can be made when it is first used."},
    [WORK_COLLECTION] = {"collecting garbage on request",
                         "The runtime collects by itself; the request can go."},
    [WORK_REGEX] = {"regular expressions",
                    "A pattern that is compiled once and kept costs less; for plain text, indexOf does."},
    [WORK_ZIP] = {"compressing and unpacking", "Archives are better read and written on another thread."},
    [WORK_BASE64] =
        {"Base64", "Bytes that need not be text can stay bytes; else this is better done on another thread."},
    [WORK_STREAMS] = {"Okio streams", "Streams are better read and written on another thread."},
    [WORK_BLOCKING] = {"waiting for other threads on purpose (runBlocking, join, get, await)",
                       "A callback or a suspending function leaves the thread free meanwhile."},
    [WORK_NETWORK] = {"the network", "Requests belong on another thread."},
    [WORK_LIBRARIES] = {"loading native libraries",
                        "A library can be loaded when it is first used, or on another thread."},
    [WORK_CRYPTO] =
        {"cryptography and key stores",
         "Keys are better made and used on another thread; a key store answers through another process."},
    [WORK_FONTS] = {"typefaces", "A typeface that is loaded once and kept, or asynchronously, costs less."},
    [WORK_RESOURCES] = {"resources", "Values that are looked up once and kept cost less."},
    [WORK_WEBVIEW] = {"WebView",
                      "The first WebView of a process starts a browser; make it when it is needed."},
    [WORK_COMPOSE] = {"composition (Compose)",
                      "Stable parameters and state that is read as late as possible compose less again."},
    [WORK_TRACING] = {"starting and stopping the recording itself", "That is not a cost of the app."},
    [WORK_VERIFYING] = {"opening and verifying classes",
                        "A release build, or a baseline profile, is verified when it is installed."},
    [WORK_DATES] =
        {"formats of dates and times",
         "A format that is made once and kept costs less: each one reads the data of its language."},
};

uint32_t work_kinds_of(const struct frame_parts *parts)
{
    uint32_t kinds = 0;

    for (size_t i = 0; i < COUNT_OF(WORKS); i++)
        if (str_fits(parts->scope, WORKS[i].scope) && str_fits(parts->name, WORKS[i].name))
            kinds |= UINT32_C(1) << WORKS[i].kind;
    return kinds;
}

const char *work_kind_words(enum work_kind kind)
{
    return KINDS[kind].words;
}

const char *work_kind_advice(enum work_kind kind)
{
    return KINDS[kind].advice;
}
