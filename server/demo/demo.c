#include "server/demo/demo.h"

#include "server/demo/demo_play.h"

enum { MEMORY_BYTES = 16 << 20, THREADS_MAX = 32, OVERHEAD_NS = 251 };

static const struct trace_format FORMAT = {3, TRACE_DUAL};
static const uint64_t START_US = 8041733120; /* since the phone was switched on */

static bool has(struct str text, struct str part)
{
    return str_find_str(text, part) < text.n;
}

static bool is_kotlin(struct str class_name)
{
    static const struct str PACKAGES[] = {
        STR_INIT("com.example."),
        STR_INIT("com.squareup.moshi."),
        STR_INIT("kotlin"),
        STR_INIT("okhttp3."),
        STR_INIT("okio."),
        STR_INIT("retrofit2.Kotlin"),
        STR_INIT("androidx.datastore.core."),
        STR_INIT("timber."),
    };
    bool generated = str_starts(class_name, STR("com.example.")) &&
                     (has(class_name, STR("_")) || has(class_name, STR("Binding")));

    for (size_t i = 0; i < sizeof(PACKAGES) / sizeof(*PACKAGES); i++)
        if (str_starts(class_name, PACKAGES[i]))
            return !generated;
    return false;
}

/* The file is named after the outermost class, but FileKt is what Kotlin calls the functions of a file, and
 * FacadeKt__FileKt those of one of several. */
static void put_file(struct buf *b, struct str class_name)
{
    size_t dot = str_find_last(class_name, '.');
    size_t package_bytes = dot < class_name.n ? dot + 1 : 0;
    struct str name = {class_name.p + package_bytes, class_name.n - package_bytes};
    bool kotlin = is_kotlin(class_name);

    name.n = str_find(name, '$');
    if (kotlin && str_ends(name, STR("Kt"))) {
        size_t facade = str_find_str(name, STR("__"));
        size_t begin = facade < name.n ? facade + 2 : 0;
        name = (struct str){name.p + begin, name.n - begin - 2};
    }
    buf_str(b, name);
    buf_z(b, kotlin ? ".kt" : ".java");
}

static bool put_type(struct buf *b, struct str name)
{
    buf_char(b, 'L');
    if (str_find(name, '/') == name.n) {
        struct str package = demo_script_package(name);
        if (package.p == NULL)
            return false;
        buf_str(b, package);
        buf_char(b, '/');
    }
    buf_str(b, name);
    buf_char(b, ';');
    return true;
}

static bool put_signature(struct buf *b, struct str s)
{
    struct str part;

    while (str_split(&s, '{', &part)) {
        buf_str(b, part);
        if (s.p == NULL)
            break;
        if (!str_split(&s, '}', &part) || !put_type(b, part))
            return false;
    }
    return true;
}

/* The text of a method, CLASS.METHOD(SIGNATURE)RESULT, as a line of the list. False if it is none. */
static bool put_method(struct buf *out, uint32_t index, struct str text)
{
    size_t open = str_find(text, '('), dot = str_find_last((struct str){text.p, open}, '.');
    struct buf signature = {0}, file = {0};

    if (open == text.n || dot == open)
        return false;
    struct str class_name = {text.p, dot}, name = {text.p + dot + 1, open - dot - 1};
    bool ok = put_signature(&signature, (struct str){text.p + open, text.n - open});
    put_file(&file, class_name);
    trace_writer_method(out, FORMAT, index, class_name, name, buf_view(&signature), buf_view(&file));
    ok = ok && !signature.failed && !file.failed;
    buf_free(&signature);
    buf_free(&file);
    return ok;
}

static bool put_text(struct buf *out, const struct strtab *methods, const struct trace_keys *keys)
{
    struct str rest = demo_script_all();
    struct demo_thread thread;

    trace_writer_keys(out, FORMAT, keys);
    while (demo_script_thread(&rest, &thread))
        trace_writer_thread(out, thread.id, thread.name);
    trace_writer_methods(out);
    for (uint32_t i = STRING_EMPTY + 1; i < methods->count; i++)
        if (!put_method(out, i, strtab_get(methods, i)))
            return false;
    trace_writer_header(out, FORMAT, START_US);
    return true;
}

struct recording {
    struct strtab methods;
    struct trace_keys keys;
    struct {
        const struct trace_record *next, *end;
    } threads[THREADS_MAX];
    size_t n_threads;
};

static bool record_thread(struct recording *r, const struct demo_thread *thread)
{
    struct demo_records records = {0};

    if (r->n_threads == THREADS_MAX || !demo_play(thread, &r->methods, &records) || records.n == 0)
        return false;
    uint32_t end_us = records.p[records.n - 1].wall_us;
    r->threads[r->n_threads].next = records.p;
    r->threads[r->n_threads++].end = records.p + records.n;
    r->keys.records += records.n;
    if (r->keys.elapsed_us < end_us)
        r->keys.elapsed_us = end_us;
    return true;
}

/* The records of all threads in the order of time, until none has more. */
static void put_records(struct buf *out, struct recording *r)
{
    for (;;) {
        size_t best = r->n_threads;
        for (size_t i = 0; i < r->n_threads; i++)
            if (r->threads[i].next < r->threads[i].end &&
                (best == r->n_threads || r->threads[i].next->wall_us < r->threads[best].next->wall_us))
                best = i;
        if (best == r->n_threads)
            return;
        trace_writer_record(out, FORMAT, r->threads[best].next++);
    }
}

static bool put_trace(struct buf *out, struct arena *arena)
{
    struct recording r = {.keys = {.overhead_ns = OVERHEAD_NS, .vm = "art"}};
    struct str rest = demo_script_all();
    struct demo_thread thread;

    if (!strtab_init(&r.methods, arena, (struct hash_seed){0, 0}))
        return false;
    while (demo_script_thread(&rest, &thread)) {
        if (!record_thread(&r, &thread))
            return false;
        if (r.n_threads == 1)
            r.keys.pid = thread.id;
    }
    if (!put_text(out, &r.methods, &r.keys))
        return false;
    put_records(out, &r);
    return !out->failed;
}

bool demo_write(struct buf *out)
{
    size_t before = out->n;
    struct arena arena;

    arena_init(&arena, MEMORY_BYTES);
    bool ok = put_trace(out, &arena);
    arena_free(&arena);
    if (!ok)
        out->n = before;
    return ok;
}
