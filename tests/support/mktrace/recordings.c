#include "tests/support/mktrace/recordings.h"

#include <stdio.h>

#include "tests/support/proto_bytes.h"

enum {
    PIECE_BYTES = 1 << 20,
    LIBRARIES = 8,
    THREADS = 12,
    MAIN_THREAD = 9001,
    STEPS = 24, /* of calls from one sample to the next */
    SAMPLE_NS = 1000000,
    STACKS_MAX = 20000, /* of a heap */
    STACKS_FEW = 100,
    CHANGES = 8,         /* from dump to dump one in so many stacks changes */
    PACKET_BYTES = 3000, /* of one that is passed over */
    BEGIN_NS = 1000,
    CPUS = 4,
    BUNDLE_EVENTS = 500, /* of one CPU, before another one's come */
    SWITCH_EVENTS = 4,   /* on average a thread runs for so many events */
    EVENT_NS = 8000
};

struct recorder {
    struct calls *calls;
    struct chance *chance;
    struct buf out;
    uint64_t written; /* bytes, with those in `out` */
    recording_flush *flush;
    void *context;
    bool ok;
    struct buf message, part, inner, event; /* room */
};

const char *recording_word(enum recording recording)
{
    static const char *const WORDS[] = {"simpleperf", "perfetto", "samples", "skipped", "system"};

    return recording < RECORDINGS ? WORDS[recording] : NULL;
}

static void flush(struct recorder *r, size_t least)
{
    if (r->out.n < least)
        return;
    r->written += r->out.n;
    r->ok = r->ok && !r->out.failed && r->flush(r->context, &r->out);
}

static void step(struct recorder *r)
{
    struct trace_record record;

    for (uint32_t n = 1 + chance_below(r->chance, 2 * STEPS); n > 0; n--)
        calls_step(r->calls, r->chance, &record);
    if (r->calls->depth == 0)
        calls_step(r->calls, r->chance, &record);
}

static uint32_t method_at(const struct recorder *r, uint32_t depth)
{
    return r->calls->nodes[r->calls->frames[depth].node].method;
}

static void put_name(struct buf *b, uint32_t field, uint32_t method)
{
    char text[80];

    snprintf(text, sizeof(text), "com.example.part%u.Worker%u.work%u", method % 97, method / 20, method);
    proto_put_text(b, field, text);
}

/* ---- simpleperf ---- */

static void put_record(struct recorder *r, uint32_t field)
{
    proto_put_message(&r->part, field, &r->message);
    for (uint32_t i = 0, n = (uint32_t)r->part.n; i < 4; i++, n >>= 8)
        buf_char(&r->out, (char)(n & 0xff));
    buf_bytes(&r->out, r->part.p, r->part.n);
    buf_clear(&r->part);
}

static void put_sample(struct recorder *r, uint64_t number)
{
    struct buf *m = &r->message;

    proto_put_number(m, 1, UINT64_C(100000000000) + number * SAMPLE_NS);
    proto_put_number(m, 2, MAIN_THREAD + chance_below(r->chance, THREADS));
    for (uint32_t depth = r->calls->depth; depth-- > 0;) {
        uint32_t method = method_at(r, depth);
        /* What is called from the same place has the same address. */
        uint32_t place =
            depth + 1 < r->calls->depth ? method_at(r, depth + 1) % 8 : chance_below(r->chance, 16);
        proto_put_number(&r->inner, 1, 0x10000u + 64 * (uint64_t)method + place);
        proto_put_number(&r->inner, 2, method % LIBRARIES);
        proto_put_number(&r->inner, 3, method / LIBRARIES);
        proto_put_message(m, 3, &r->inner);
    }
    proto_put_number(m, 4, SAMPLE_NS);
    proto_put_number(m, 5, 0);
    put_record(r, 1);
}

/* Behind the samples, as simpleperf writes it. */
static void put_names(struct recorder *r)
{
    for (uint32_t library = 0; library < LIBRARIES; library++) {
        char path[40];
        snprintf(path, sizeof(path), "/data/app/lib/libpart%u.so", library);
        proto_put_number(&r->message, 1, library);
        proto_put_text(&r->message, 2, path);
        for (uint32_t method = library; method < r->calls->n_methods; method += LIBRARIES)
            put_name(&r->message, 3, method);
        put_record(r, 3);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        proto_put_number(&r->message, 1, MAIN_THREAD + i);
        proto_put_number(&r->message, 2, MAIN_THREAD);
        proto_put_text(&r->message, 3, i == 0 ? "com.example.app" : "worker");
        put_record(r, 4);
    }
    proto_put_text(&r->message, 1, "cpu-clock");
    proto_put_text(&r->message, 2, "com.example.app");
    put_record(r, 5);
    buf_bytes(&r->out, "\0\0\0\0", 4);
}

static void put_simpleperf(struct recorder *r, uint64_t bytes)
{
    buf_bytes(&r->out, "SIMPLEPERF\1\0", 12);
    for (uint64_t i = 0; r->ok && r->written + r->out.n < bytes; i++) {
        step(r);
        put_sample(r, i);
        flush(r, PIECE_BYTES);
    }
    put_names(r);
}

/* ---- Perfetto ---- */

static void put_packet(struct recorder *r, struct buf *packet, uint64_t time_ns)
{
    proto_put_number(packet, 10, 7);
    proto_put_number(packet, 8, time_ns);
    proto_put_message(&r->out, 1, packet);
    flush(r, PIECE_BYTES);
}

/* As one of the kernel's events: a message that nobody here looks into. */
static void put_skipped(struct recorder *r)
{
    buf_clear(&r->message);
    for (uint32_t i = 0; i < PACKET_BYTES / 8; i++) {
        uint64_t draw = chance_draw(r->chance);
        buf_bytes(&r->message, &draw, sizeof(draw));
    }
    proto_put_message(&r->part, 1, &r->message);
    put_packet(r, &r->part, BEGIN_NS);
}

static void put_string(struct recorder *r, uint32_t field, uint64_t id, uint32_t method)
{
    proto_put_number(&r->inner, 1, id);
    put_name(&r->inner, 2, method);
    proto_put_message(&r->message, field, &r->inner);
}

/* Functions and frames of all methods, and so many stacks. */
static void put_interned(struct recorder *r, uint32_t stacks)
{
    proto_put_number(&r->inner, 1, 1);
    proto_put_text(&r->inner, 2, "libpart.so");
    proto_put_message(&r->message, 17, &r->inner);
    proto_put_number(&r->inner, 1, 1);
    proto_put_number(&r->inner, 7, 1);
    proto_put_message(&r->message, 19, &r->inner);
    for (uint32_t method = 0; method < r->calls->n_methods; method++) {
        put_string(r, 5, 1 + method, method);
        proto_put_number(&r->inner, 1, 1 + method);
        proto_put_number(&r->inner, 2, 1 + method);
        proto_put_number(&r->inner, 3, 1);
        proto_put_number(&r->inner, 4, 64 * (uint64_t)method);
        proto_put_message(&r->message, 6, &r->inner);
    }
    for (uint32_t stack = 0; stack < stacks; stack++) {
        step(r);
        proto_put_number(&r->inner, 1, 1 + stack);
        for (uint32_t depth = 0; depth < r->calls->depth; depth++)
            proto_put_number(&r->inner, 2, 1 + method_at(r, depth));
        proto_put_message(&r->message, 7, &r->inner);
    }
    proto_put_message(&r->part, 12, &r->message);
    proto_put_number(&r->part, 13, 1);
    put_packet(r, &r->part, BEGIN_NS);
}

/* The numbers count from the beginning of the recording. */
static void put_dump(struct recorder *r, uint32_t stacks, uint32_t number)
{
    struct buf *process = &r->message;

    proto_put_number(process, 1, MAIN_THREAD);
    proto_put_number(process, 9, (uint64_t)SAMPLE_NS * (number + 1));
    proto_put_text(process, 11, "libc.malloc");
    proto_put_number(process, 12, 4096);
    for (uint32_t stack = 0; stack < stacks; stack++) {
        proto_put_number(&r->inner, 1, 1 + stack);
        uint32_t times = 1 + (number + stack % CHANGES) / CHANGES; /* that something was allocated there */
        proto_put_number(&r->inner, 2, (uint64_t)4096 * times);
        proto_put_number(&r->inner, 3, (uint64_t)4096 * (times - 1));
        proto_put_number(&r->inner, 5, times);
        proto_put_number(&r->inner, 6, times - 1);
        proto_put_message(process, 2, &r->inner);
    }
    proto_put_message(&r->part, 5, process);
    proto_put_number(&r->part, 7, number);
    buf_bytes(process, r->part.p, r->part.n);
    buf_clear(&r->part);
    proto_put_message(&r->part, 37, process);
    proto_put_number(&r->part, 13, 2);
    put_packet(r, &r->part, BEGIN_NS);
}

/* PerfSamples of interned stacks, one each SAMPLE_NS, of threads that take turns. */
static void put_cpu_samples(struct recorder *r, uint64_t bytes)
{
    put_interned(r, STACKS_MAX);
    for (uint64_t i = 0; r->ok && r->written + r->out.n < bytes; i++) {
        struct buf *sample = &r->message;
        proto_put_number(sample, 2, MAIN_THREAD);
        proto_put_number(sample, 3, MAIN_THREAD + chance_below(r->chance, THREADS));
        proto_put_number(sample, 4, 1 + chance_below(r->chance, STACKS_MAX));
        proto_put_message(&r->part, 66, sample);
        put_packet(r, &r->part, BEGIN_NS + i * SAMPLE_NS);
    }
}

/* Dumps come as often as keeps them a tenth of all. */
static void put_perfetto(struct recorder *r, uint64_t bytes, bool many)
{
    enum { SHARE = 10 };
    uint64_t dumped = 0;
    uint32_t dumps = 0, stacks = many ? STACKS_MAX : STACKS_FEW;

    put_interned(r, stacks);
    while (r->ok && r->written + r->out.n < bytes) {
        uint64_t at = r->written + r->out.n;
        if (dumps > 0 && (!many || dumped > at / SHARE)) {
            put_skipped(r);
            continue;
        }
        put_dump(r, stacks, dumps++);
        dumped += r->written + r->out.n - at;
    }
}

/* ---- system traces ---- */

/* A CPU, and the threads that it alone runs: the first of them is idle. */
struct cpu {
    uint64_t time_ns;
    uint32_t thread;
    uint32_t depths[1 + THREADS]; /* of the sections that each thread has open */
};

static uint32_t tid_of(uint32_t cpu, uint32_t thread)
{
    return thread == 0 ? 0 : MAIN_THREAD + cpu * THREADS + thread - 1;
}

/* Of the kernel, with what is in r->inner. */
static void put_kernel_event(struct recorder *r, const struct cpu *c, uint32_t tid, uint32_t kind)
{
    proto_put_number(&r->event, 1, UINT64_C(100000000000) + c->time_ns);
    proto_put_number(&r->event, 2, tid);
    proto_put_message(&r->event, kind, &r->inner);
    proto_put_message(&r->message, 2, &r->event);
}

static void put_switch(struct recorder *r, struct cpu *c, uint32_t cpu)
{
    enum { SWITCH = 4, PRIORITY = 120, SLEEPS = 1 };
    uint32_t to = (c->thread + 1 + chance_below(r->chance, THREADS)) % (1 + THREADS);
    uint32_t tids[] = {tid_of(cpu, c->thread), tid_of(cpu, to)};

    for (uint32_t i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof(name), tids[i] == 0 ? "swapper" : "worker-%u", tids[i]);
        proto_put_text(&r->inner, 1 + 4 * i, name);
        proto_put_number(&r->inner, 2 + 4 * i, tids[i]);
        proto_put_number(&r->inner, 3 + 4 * i, PRIORITY);
        if (i == 0)
            proto_put_number(&r->inner, 4, tids[0] == 0 ? 0 : SLEEPS);
    }
    put_kernel_event(r, c, tids[0], SWITCH);
    c->thread = to;
}

/* One begins or ends. One in four has a number in its name, as that of a frame. */
static void put_section(struct recorder *r, struct cpu *c, uint32_t cpu)
{
    enum { PRINT = 3, DEPTH_MAX = 4, NAMES = 4 };
    uint32_t *depth = &c->depths[c->thread], name = chance_below(r->chance, NAMES);
    char text[80];

    if (*depth == 0 || (*depth < DEPTH_MAX && chance_percent(r->chance, 50))) {
        int n = snprintf(text, sizeof(text), "B|%u|Worker%u.doWork level %u", MAIN_THREAD, name, *depth);
        if (name == 0)
            snprintf(text + n, sizeof(text) - (size_t)n, " of frame %u", chance_below(r->chance, 1 << 20));
        ++*depth;
    } else {
        snprintf(text, sizeof(text), "E|%u", MAIN_THREAD);
        --*depth;
    }
    proto_put_text(&r->inner, 2, text);
    put_kernel_event(r, c, tid_of(cpu, c->thread), PRINT);
}

/* The events of CPUs come in turns, as from their buffers. */
static void put_system(struct recorder *r, uint64_t bytes)
{
    struct cpu cpus[CPUS] = {{0}};

    for (uint32_t cpu = 0; r->ok && r->written + r->out.n < bytes; cpu = (cpu + 1) % CPUS) {
        struct cpu *c = &cpus[cpu];
        proto_put_number(&r->message, 1, cpu);
        for (uint32_t i = 0; i < BUNDLE_EVENTS; i++) {
            c->time_ns += 1 + chance_below(r->chance, 2 * EVENT_NS);
            if (c->thread == 0 || chance_below(r->chance, SWITCH_EVENTS) == 0)
                put_switch(r, c, cpu);
            else
                put_section(r, c, cpu);
        }
        proto_put_message(&r->part, 1, &r->message);
        proto_put_message(&r->out, 1, &r->part);
        flush(r, PIECE_BYTES);
    }
}

/* ---- */

bool recording_put(enum recording recording, struct calls *t, struct chance *c, uint64_t bytes,
                   recording_flush *flush_out, void *context)
{
    struct recorder r = {.calls = t, .chance = c, .flush = flush_out, .context = context, .ok = true};

    if (recording == RECORDING_SIMPLEPERF)
        put_simpleperf(&r, bytes);
    else if (recording == RECORDING_SAMPLES)
        put_cpu_samples(&r, bytes);
    else if (recording == RECORDING_SYSTEM)
        put_system(&r, bytes);
    else
        put_perfetto(&r, bytes, recording == RECORDING_PERFETTO);
    flush(&r, 0);
    bool ok = r.ok && !r.message.failed && !r.part.failed && !r.inner.failed && !r.event.failed;
    buf_free(&r.out);
    buf_free(&r.message);
    buf_free(&r.part);
    buf_free(&r.inner);
    buf_free(&r.event);
    return ok;
}
