#include "render/verdict/kinds.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A `*` at the end of scope or name: all that begin so. */
struct wait_row {
    struct str scope, name;
    enum wait_kind kind;
};

static const struct wait_row WAITS[] = {
    {STR_INIT("android.os.MessageQueue"), STR_INIT("nativePollOnce"), WAIT_MESSAGES},
    {STR_INIT("android.os.MessageQueue"), STR_INIT("next*"), WAIT_MESSAGES},
    {STR_INIT("android.os.BinderProxy"), STR_INIT("transact*"), WAIT_BINDER},
    {STR_INIT("android.os.SystemClock"), STR_INIT("sleep"), WAIT_SLEEP},
    {STR_INIT("android.system.Os"), STR_INIT("poll"), WAIT_IO},
    {STR_INIT("java.lang.Object"), STR_INIT("wait*"), WAIT_LOCK},
    {STR_INIT("java.lang.Thread"), STR_INIT("join*"), WAIT_LOCK},
    {STR_INIT("java.lang.Thread"), STR_INIT("park*"), WAIT_PARK},
    {STR_INIT("java.lang.Thread"), STR_INIT("sleep*"), WAIT_SLEEP},
    {STR_INIT("java.lang.VMThread"), STR_INIT("sleep"), WAIT_SLEEP},
    {STR_INIT("java.util.concurrent.locks.LockSupport"), STR_INIT("park*"), WAIT_PARK},
    {STR_INIT("jdk.internal.misc.Unsafe"), STR_INIT("park"), WAIT_PARK},
    {STR_INIT("sun.misc.Unsafe"), STR_INIT("park"), WAIT_PARK},
    {STR_INIT("libcore.io.*"), STR_INIT("poll"), WAIT_IO},
    {STR_INIT("libcore.io.*"), STR_INIT("accept*"), WAIT_IO},
    {STR_INIT("libcore.io.*"), STR_INIT("connect*"), WAIT_IO},
    {STR_INIT("libcore.io.*"), STR_INIT("recv*"), WAIT_IO},
    {STR_INIT("sun.nio.ch.*"), STR_INIT("epollWait"), WAIT_IO},
    {STR_INIT("sun.nio.ch.*"), STR_INIT("poll*"), WAIT_IO},
    {STR_INIT("java.net.SocketInputStream"), STR_INIT("socketRead*"), WAIT_IO},
};

static const char *const WAIT_WORDS[WAIT_KINDS] = {
    [WAIT_NONE] = "",
    [WAIT_MESSAGES] = "for messages",
    [WAIT_LOCK] = "for a lock or another thread",
    [WAIT_PARK] = "parked, until another thread lets it go on",
    [WAIT_SLEEP] = "asleep",
    [WAIT_IO] = "for a socket or a pipe",
    [WAIT_BINDER] = "for another process (binder)",
};

struct work_row {
    struct str scope, name;
    enum work_kind kind;
};

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
};

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
};

enum wait_kind wait_kind_of(const struct frame_parts *parts)
{
    for (size_t i = 0; i < COUNT_OF(WAITS); i++)
        if (str_fits(parts->scope, WAITS[i].scope) && str_fits(parts->name, WAITS[i].name))
            return WAITS[i].kind;
    return WAIT_NONE;
}

const char *wait_kind_words(enum wait_kind kind)
{
    return WAIT_WORDS[kind];
}

unsigned work_kinds_of(const struct frame_parts *parts)
{
    unsigned kinds = 0;

    for (size_t i = 0; i < COUNT_OF(WORKS); i++)
        if (str_fits(parts->scope, WORKS[i].scope) && str_fits(parts->name, WORKS[i].name))
            kinds |= 1u << WORKS[i].kind;
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
