#include "tests/support/trace_variants.h"

#include <string.h>

#include "tests/support/trace_bytes.h"

enum { N_METHODS = 4, COUNTER_HZ = 19200000 };

const char *const VARIANT_NAMES[VARIANTS] = {
    "s1", "s2", "s2-wide", "s3",       "a4", "a5", "b4",         "b5", "c4",
    "c5", "d4", "d5",      "d5-split", "e4", "e5", "e5-counter", "f6",
};

const struct variant_event VARIANT_HEALTHY[] = {
    {1, 0, EVENT_ENTER, 0, 10},       {1, 1, EVENT_ENTER, 5, 20},    {700, 2, EVENT_ENTER, 0, 22},
    {1, 1, EVENT_EXIT, 9, 300},       {1, 1, EVENT_ENTER, 11, 330},  {700, 1, EVENT_ENTER, 1, 400},
    {1, 1, EVENT_ENTER, 12, 331},     {1, 1, EVENT_UNROLL, 14, 350}, {1, 1, EVENT_EXIT, 15, 360},
    {700, 1, EVENT_EXIT, 6, 60000},   {1, 3, EVENT_ENTER, 20, 9000}, {1, 3, EVENT_EXIT, 70, 9100},
    {700, 2, EVENT_EXIT, 7, 60001},   {1, 0, EVENT_EXIT, 80, 9400},  {1, 2, EVENT_ENTER, 90, 9500},
    {1, 3, EVENT_ENTER, 4000, 70000},
};
const size_t VARIANT_HEALTHY_COUNT = sizeof(VARIANT_HEALTHY) / sizeof(*VARIANT_HEALTHY);

bool variant_is_v2(enum variant v)
{
    return v >= VARIANT_A4;
}

bool variant_is_dual(enum variant v)
{
    return strchr(VARIANT_NAMES[v], '5') != NULL || v == VARIANT_S3;
}

void variant_uleb(struct buf *b, uint64_t value)
{
    for (; value > 127; value >>= 7)
        buf_char(b, (char)(value | 128));
    buf_char(b, (char)value);
}

void variant_sleb(struct buf *b, uint64_t value)
{
    bool negative = value >> 63;

    for (;;) {
        unsigned low = (unsigned)value & 127;
        value = value >> 7 | (negative ? UINT64_C(127) << 57 : 0);
        bool last = negative ? value == UINT64_MAX && (low & 64) != 0 : value == 0 && (low & 64) == 0;
        buf_char(b, (char)(last ? low : low | 128));
        if (last)
            return;
    }
}

static const char *thread_name(unsigned thread)
{
    return thread == 1 ? "main" : "worker";
}

static void put_keys(struct buf *b, unsigned version, const char *clock, const char *unit)
{
    buf_printf(b, "*version\n%u\ndata-file-overflow=false\nclock=%s\nelapsed-time-%s=99000000\nvm=art\n",
               version, clock, unit);
}

static const char *clock_name(enum variant v, const struct variant_options *o)
{
    return variant_is_dual(v) ? "dual" : o->clock != NULL ? o->clock : "wall";
}

/* ---- streaming ---- */

static void stream_event(struct buf *b, enum variant v, const struct variant_event *e,
                         const struct variant_options *o)
{
    trace_bytes_le(b, e->thread, 2);
    trace_bytes_le(b, (unsigned)e->method << 2 | e->action, 4);
    if (v == VARIANT_S3 || o->cpu_alone)
        trace_bytes_le(b, e->cpu, 4);
    if (!o->cpu_alone)
        trace_bytes_le(b, e->wall, 4);
    if (v == VARIANT_S2_WIDE)
        trace_bytes_le(b, 0xddccbbaa, 4);
}

static void stream_method(struct buf *b, unsigned method)
{
    struct buf line = {0};

    buf_printf(&line, "0x%x\ta.B\tm%u\t()V\tB.java\n", method << 2, method);
    trace_bytes_le(b, 0, 2);
    trace_bytes_le(b, 1, 1);
    trace_bytes_le(b, line.n, 2);
    buf_str(b, buf_view(&line));
    buf_free(&line);
}

static void stream_thread(struct buf *b, unsigned thread)
{
    trace_bytes_le(b, 0, 2);
    trace_bytes_le(b, 2, 1);
    trace_bytes_le(b, thread, 2);
    trace_bytes_le(b, strlen(thread_name(thread)), 2);
    buf_z(b, thread_name(thread));
}

static void stream_summary(struct buf *b, unsigned version, const char *clock)
{
    struct buf text = {0};

    put_keys(&text, version, clock, "usec");
    buf_z(&text, "*threads\n1\tmain\n700\tworker\n*methods\n*end\n");
    trace_bytes_le(b, 0, 2);
    trace_bytes_le(b, 3, 1);
    trace_bytes_le(b, text.n, 4);
    buf_str(b, buf_view(&text));
    buf_free(&text);
}

static void put_stream(struct buf *b, enum variant v, const struct variant_event *events, size_t n,
                       const struct variant_options *o)
{
    unsigned version = v == VARIANT_S1 ? 1 : v == VARIANT_S3 ? 3 : 2;
    bool methods[256] = {0}, threads[65536] = {0};

    trace_bytes_header(b, 0xf0 | version, 32, v == VARIANT_S3 ? 14 : v == VARIANT_S1 ? 0 : 10);
    for (size_t i = 0; i < n; i++) {
        if (!methods[events[i].method] && events[i].method < N_METHODS)
            stream_method(b, events[i].method);
        if (!threads[events[i].thread])
            stream_thread(b, events[i].thread);
        methods[events[i].method] = threads[events[i].thread] = true;
        stream_event(b, v, &events[i], o);
    }
    if (!o->no_summary)
        stream_summary(b, version, clock_name(v, o));
}

/* ---- ART version 2 ---- */

static char letter(enum variant v)
{
    return VARIANT_NAMES[v][0];
}

static uint64_t v2_method(enum variant v, unsigned method)
{
    return letter(v) == 'a' ? method : 0x70001000 + (uint64_t)method * 0x28;
}

static uint64_t v2_word(enum variant v, const struct variant_event *e)
{
    uint64_t method = v2_method(v, e->method);

    return (letter(v) == 'a' ? method << 2 : method) | e->action;
}

static void v2_infos(struct buf *b, enum variant v)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *name = thread_name(i == 0 ? 1 : 700);
        trace_bytes_le(b, 0, 1);
        trace_bytes_le(b, i == 0 ? 1 : 700, 4);
        trace_bytes_le(b, strlen(name), 2);
        buf_z(b, name);
    }
    for (unsigned i = 0; i < N_METHODS; i++) {
        struct buf line = {0};
        buf_printf(&line, "a.B\tm%u\t()V\tB.java\n", i);
        trace_bytes_le(b, 1, 1);
        trace_bytes_le(b, v2_method(v, i), letter(v) == 'a' ? 4 : 8);
        trace_bytes_le(b, line.n, 2);
        buf_str(b, buf_view(&line));
        buf_free(&line);
    }
}

/* What the numbers of a block count from. */
struct counts {
    uint64_t word, wall, cpu, method;
};

static void v2_record(struct buf *b, enum variant v, const struct variant_event *e, uint64_t first,
                      struct counts *c, const struct variant_options *o)
{
    uint64_t scale = letter(v) >= 'd' ? 1000 : 1;
    uint64_t wall = (o->cpu_alone ? e->cpu : e->wall) * scale, cpu = e->cpu * scale, word;

    if (letter(v) <= 'd') {
        word = v2_word(v, e);
        variant_sleb(b, word - (letter(v) == 'a' ? first : c->word));
        variant_uleb(b, wall - c->wall);
        if (variant_is_dual(v))
            variant_uleb(b, cpu - c->cpu);
        *c = (struct counts){word, wall, cpu, 0};
        return;
    }
    uint64_t ticks = v == VARIANT_E5_COUNTER ? (wall * (COUNTER_HZ / 100000) + 9999) / 10000 : wall;
    word = letter(v) == 'f' ? ticks << 1 | (e->action != EVENT_ENTER) : ticks << 2 | e->action;
    variant_sleb(b, word - c->word);
    c->word = word;
    if (variant_is_dual(v))
        variant_sleb(b, cpu - c->cpu);
    c->cpu = cpu;
    if (e->action == EVENT_ENTER) {
        variant_sleb(b, v2_method(v, e->method) - c->method);
        c->method = v2_method(v, e->method);
    }
}

/* `counted`: records that the head counts beside those of this body. */
static void v2_block(struct buf *b, enum variant v, const struct variant_event *const *events, size_t n,
                     struct counts *c, size_t counted, const struct variant_options *o)
{
    bool in_head = letter(v) <= 'b';
    uint64_t first = v2_word(v, events[0]);
    struct buf body = {0};

    trace_bytes_le(b, 2, 1);
    trace_bytes_le(b, events[0]->thread, 4);
    if (in_head) {
        uint32_t wall = o->cpu_alone ? events[0]->cpu : events[0]->wall;
        trace_bytes_le(b, first, letter(v) == 'a' ? 4 : 8);
        if (variant_is_dual(v))
            trace_bytes_le(b, events[0]->cpu, 4);
        trace_bytes_le(b, wall, 4);
        *c = (struct counts){first, wall, events[0]->cpu, 0};
    }
    for (size_t i = in_head; i < n; i++)
        v2_record(&body, v, events[i], first, c, o);
    trace_bytes_le(b, in_head ? n - 1 : n + counted, in_head ? 2 : 3);
    trace_bytes_le(b, body.n, in_head ? 2 : 4);
    buf_str(b, buf_view(&body));
    buf_free(&body);
}

static void v2_thread(struct buf *b, enum variant v, unsigned thread, const struct variant_event *events,
                      size_t n, const struct variant_options *o)
{
    const struct variant_event *own[1024];
    size_t n_own = 0;

    for (size_t i = 0; i < n && n_own < 1024; i++)
        if (events[i].thread == thread)
            own[n_own++] = &events[i];
    size_t step = o->events_per_block == 0 ? 1024 : o->events_per_block;
    for (size_t at = 0; at < n_own; at += step) {
        struct counts c = {0};
        size_t part = n_own - at < step ? n_own - at : step;
        size_t half = v == VARIANT_D5_SPLIT && part > 1 ? part / 2 : part;
        v2_block(b, v, own + at, half, &c, 0, o);
        if (half < part)
            v2_block(b, v, own + at + half, part - half, &c, half, o);
    }
}

static void put_v2(struct buf *b, enum variant v, const struct variant_event *events, size_t n,
                   const struct variant_options *o)
{
    unsigned version = (unsigned)VARIANT_NAMES[v][1] - '0';

    buf_z(b, "SLOW");
    trace_bytes_le(b, (o->not_streaming ? 0 : 0xf0) | version, 2);
    trace_bytes_le(b, letter(v) >= 'd' ? 5000000000000 : 5000000000, 8);
    trace_bytes_le(b, v == VARIANT_E5_COUNTER ? 777 : 0, 8);
    trace_bytes_le(b, v == VARIANT_E5_COUNTER ? COUNTER_HZ : 0, 8);
    trace_bytes_le(b, 0, 2);
    if (letter(v) == 'f') {
        trace_bytes_le(b, 3, 1);
        trace_bytes_le(b, 0, 8);
        trace_bytes_le(b, 0, 8);
    } else {
        v2_infos(b, v);
    }
    v2_thread(b, v, 1, events, n, o);
    v2_thread(b, v, 700, events, n, o);
    if (letter(v) == 'f') {
        v2_infos(b, v);
    } else if (!o->no_summary) {
        struct buf text = {0};
        put_keys(&text, version, clock_name(v, o), letter(v) >= 'd' ? "nsec" : "usec");
        buf_z(&text, "*end\n");
        trace_bytes_le(b, 3, 1);
        trace_bytes_le(b, text.n, 2);
        buf_str(b, buf_view(&text));
        buf_free(&text);
    }
}

void variant_put(struct buf *b, enum variant v, const struct variant_event *events, size_t n,
                 const struct variant_options *options)
{
    static const struct variant_options USUAL = {0};
    const struct variant_options *o = options == NULL ? &USUAL : options;

    if (variant_is_v2(v))
        put_v2(b, v, events, n, o);
    else
        put_stream(b, v, events, n, o);
}
