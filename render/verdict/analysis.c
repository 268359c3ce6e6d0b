#include "render/verdict/analysis.h"

#include "core/number.h"
#include "profile/frame/frame_text.h"
#include "render/names/names.h"
#include "render/view/input.h"

/* ---- kinds of methods ---- */

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

/* What a thread waits for in the method; WAIT_NONE: no method that is known to wait. */
static enum wait_kind wait_kind_of(const struct frame_parts *parts)
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

/* A bit for each enum work_kind that the method begins. */
static unsigned work_kinds_of(const struct frame_parts *parts)
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

/* ---- sums ---- */

/* What the stack above a node is made of. Pre-order lets one array hold it for all. */
struct above {
    frame_id own;         /* the innermost own method; FRAME_NONE */
    frame_id caller;      /* the innermost own or third party's method */
    uint16_t work;        /* enum work_kind bits that have begun */
    bool has_third_party; /* somewhere */
    bool waits;           /* in a method that waits: those that it calls are part of it */
};

struct pass {
    struct analysis *a;
    struct above *above; /* [n_nodes]: with the node itself */
    uint8_t *wait;       /* [n_frames]: enum wait_kind */
    uint16_t *work;      /* [n_frames] */
    bool on_main;
};

static void add(uint64_t *sum, uint64_t value)
{
    *sum = number_add(*sum, value);
}

static void add_cost(struct cost *c, uint64_t time, uint64_t calls, frame_id frame, frame_id caller)
{
    add(&c->time, time);
    add(&c->calls, calls);
    if (c->frame == FRAME_NONE || time > c->frame_time) {
        c->frame = frame;
        c->frame_time = time;
        c->caller = caller;
    }
}

static uint64_t value_of(const struct profile *p, const uint64_t *values, node_id node, uint32_t value)
{
    return value < p->n_values ? values[(size_t)node * profile_stride(p) + value] : 0;
}

/* The parts that the node's frame begins: each counts with its total, where nothing above began it already. */
static void enter_frame(const struct pass *pass, node_id node, const struct above *outer, struct above *here)
{
    struct analysis *a = pass->a;
    const struct profile *p = a->p;
    frame_id f = p->node_frame[node];
    enum origin origin = (enum origin)names_of(a->names, f)->origin;
    uint64_t total = profile_total(p, node, a->time), calls = value_of(p, p->node_self, node, a->calls);
    unsigned begins = pass->work[f] & ~(unsigned)outer->work;

    for (unsigned kind = 0; pass->on_main && begins != 0; kind++, begins >>= 1)
        if (begins & 1)
            add_cost(&a->work[kind], total, calls, f, outer->caller);
    here->work |= pass->work[f];
    if (origin == ORIGIN_APP) {
        if (outer->own == FRAME_NONE && pass->on_main)
            add(&a->entry_main[f], total);
        here->own = here->caller = f;
    } else if (origin == ORIGIN_THIRD_PARTY) {
        here->has_third_party = true;
        here->caller = f;
    }
}

/* A wait is one call of the outermost method that waits: Object.wait() calls Object.wait(long). */
static void enter_wait(const struct pass *pass, node_id node, const struct above *outer, struct above *here)
{
    struct analysis *a = pass->a;
    frame_id f = a->p->node_frame[node];

    if (pass->on_main && !outer->waits && pass->wait[f] != WAIT_NONE)
        add_cost(&a->waits[pass->wait[f]], profile_total(a->p, node, a->time),
                 value_of(a->p, a->p->node_self, node, a->calls), f, outer->caller);
    here->waits = outer->waits || pass->wait[f] != WAIT_NONE;
}

static void add_self(const struct pass *pass, node_id node, const struct above *here, struct thread_cost *t)
{
    struct analysis *a = pass->a;
    uint64_t self = profile_self(a->p, node, a->time);
    frame_id f = a->p->node_frame[node];
    bool idle = f != FRAME_NONE && names_of(a->names, f)->origin == ORIGIN_IDLE;
    enum share share = here->own != FRAME_NONE ? SHARE_OWN
                       : here->has_third_party ? SHARE_THIRD_PARTY
                                               : SHARE_PLATFORM;

    add(&t->share[idle || here->waits ? SHARE_WAITING : share], self);
    if (f == FRAME_NONE)
        return;
    add(&a->calls_all[f], value_of(a->p, a->p->node_self, node, a->calls));
    if (idle || here->waits)
        return;
    add(&a->self_all[f], self);
    if (here->caller != FRAME_NONE && here->caller != here->own)
        add(&a->third_all[names_of(a->names, here->caller)->package], self);
    if (share != SHARE_OWN)
        return;
    add(&a->own_all[here->own], self);
    if (!pass->on_main)
        return;
    add(&a->own_main[here->own], self);
    uint64_t cpu = value_of(a->p, a->p->node_self, node, a->cpu);
    if (here->own == f && a->wall < a->p->n_values && a->cpu < a->p->n_values && self > cpu)
        add_cost(&a->own_body, self - cpu, value_of(a->p, a->p->node_self, node, a->calls), f, FRAME_NONE);
}

uint64_t work_of(const struct thread_cost *t)
{
    return number_add(number_add(t->share[SHARE_OWN], t->share[SHARE_THIRD_PARTY]), t->share[SHARE_PLATFORM]);
}

static void walk_track(struct pass *pass, uint32_t track)
{
    struct analysis *a = pass->a;
    const struct profile *p = a->p;
    const struct profile_track *t = &p->tracks[track];
    struct thread_cost *cost = &a->threads[track];

    pass->on_main = track == a->main;
    *cost = (struct thread_cost){.total = profile_total(p, t->first, a->time),
                                 .cpu = value_of(p, p->node_total, t->first, a->cpu)};
    for (node_id i = t->first; i < t->first + t->count; i++) {
        struct above outer = {FRAME_NONE, FRAME_NONE, 0, false, false};
        if (p->node_parent[i] != NODE_NONE)
            outer = pass->above[p->node_parent[i]];
        struct above here = outer;
        if (p->node_frame[i] != FRAME_NONE) {
            enter_frame(pass, i, &outer, &here);
            enter_wait(pass, i, &outer, &here);
        }
        add_self(pass, i, &here, cost);
        pass->above[i] = here;
    }
    a->work_beside[track] = pass->on_main ? 0 : work_of(cost);
    add(&a->all.total, cost->total);
    add(&a->all.cpu, cost->cpu);
    for (unsigned i = 0; i < SHARES; i++)
        add(&a->all.share[i], cost->share[i]);
}

/* The thread that Android calls so draws the screen; else the one with most to do. */
static void choose_main(struct analysis *a)
{
    const struct profile *p = a->p;
    uint32_t weight = profile_weight_value(p);

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        if (str_eq(profile_string(p, p->tracks[i].name), STR("main"))) {
            a->main = i;
            a->has_main = true;
            return;
        }
        if (profile_total(p, p->tracks[i].first, weight) > profile_total(p, p->tracks[a->main].first, weight))
            a->main = i;
    }
}

static void choose_values(struct analysis *a)
{
    const struct profile *p = a->p;

    a->wall = profile_value_by_role(p, ROLE_WALL);
    a->cpu = profile_value_by_role(p, ROLE_CPU);
    a->calls = profile_value_by_role(p, ROLE_CALLS);
    a->time = a->wall < p->n_values ? a->wall : a->cpu < p->n_values ? a->cpu : 0;
    a->timed = p->n_values > 0 && p->values[a->time].unit == UNIT_NS;
    a->sampled = profile_fact(p, STR("sampling_interval_us")).n > 0;
}

static bool take_memory(struct pass *pass, struct arena *arena)
{
    struct analysis *a = pass->a;
    size_t frames = a->p->n_frames, nodes = a->p->n_nodes;

    pass->above = arena_array(arena, nodes, sizeof(*pass->above));
    pass->wait = arena_array(arena, frames, sizeof(*pass->wait));
    pass->work = arena_array(arena, frames, sizeof(*pass->work));
    a->threads = arena_array(arena, a->p->n_tracks, sizeof(*a->threads));
    a->work_beside = arena_array(arena, a->p->n_tracks, sizeof(*a->work_beside));
    a->own_main = arena_array(arena, frames, sizeof(uint64_t));
    a->own_all = arena_array(arena, frames, sizeof(uint64_t));
    a->entry_main = arena_array(arena, frames, sizeof(uint64_t));
    a->self_all = arena_array(arena, frames, sizeof(uint64_t));
    a->calls_all = arena_array(arena, frames, sizeof(uint64_t));
    a->third_all = arena_array(arena, names_packages(a->names), sizeof(uint64_t));
    return arena->failure == ARENA_OK;
}

const struct analysis *analysis_new(const struct render_input *in)
{
    struct analysis *a = arena_alloc(in->scratch, sizeof(*a));
    struct pass pass = {.a = a};

    if (a == NULL)
        return NULL;
    *a = (struct analysis){
        .p = in->profile, .names = in->names, .spans = in->spans, .own_body = {.frame = FRAME_NONE}};
    for (unsigned i = 0; i < WAIT_KINDS; i++)
        a->waits[i].frame = FRAME_NONE;
    for (unsigned i = 0; i < WORK_KINDS; i++)
        a->work[i].frame = FRAME_NONE;
    choose_values(a);
    choose_main(a);
    if (!take_memory(&pass, in->scratch))
        return NULL;
    for (frame_id f = 0; f < a->p->n_frames; f++) {
        struct frame_parts parts = names_parts(in->names, f);
        pass.wait[f] = (uint8_t)wait_kind_of(&parts);
        pass.work[f] = (uint16_t)work_kinds_of(&parts);
    }
    for (uint32_t i = 0; i < a->p->n_tracks; i++)
        walk_track(&pass, i);
    return a;
}
