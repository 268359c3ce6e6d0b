#include "tests/support/simpleperf_bytes.h"

#include "tests/support/proto_bytes.h"

enum { MAIN_THREAD = 71, WORKER = 72, BEGIN_NS = 1000000, NO_SYMBOL = -1 };

struct entry {
    uint64_t file;
    int64_t symbol;
    uint64_t execution;
};

/* The innermost first. */
static const struct sample {
    uint64_t time, thread, count, event, unwinding;
    struct entry chain[3];
    size_t n;
} CHAINS[] = {
    {BEGIN_NS, MAIN_THREAD, 250000, 0, 0, {{0, 1, 0}, {1, 0, 1}, {0, 0, 0}}, 3},
    {BEGIN_NS + 100, WORKER, 125000, 0, 4, {{9, NO_SYMBOL, 0}, {0, NO_SYMBOL, 0}}, 2},
    {BEGIN_NS + 200, MAIN_THREAD, 1, 1, 0, {{2, 0, 0}, {0, 0, 0}}, 2},
    {BEGIN_NS + 5000, MAIN_THREAD, 250000, 0, 0, {{0, 0, 0}}, 1},
};

static void put_le(struct buf *b, uint64_t value, unsigned n)
{
    for (; n > 0; n--, value >>= 8)
        buf_char(b, (char)value);
}

void simpleperf_put_header(struct buf *b)
{
    buf_z(b, "SIMPLEPERF");
    put_le(b, 1, 2);
}

void simpleperf_put_record(struct buf *b, uint32_t field, struct buf *body)
{
    struct buf record = {0};

    proto_put_message(&record, field, body);
    put_le(b, record.n, 4);
    buf_bytes(b, record.p, record.n);
    buf_free(&record);
}

static void put_sample(struct buf *b, const struct sample *s, uint64_t first_event)
{
    struct buf body = {0}, entry = {0};

    proto_put_number(&body, 1, s->time);
    proto_put_number(&body, 2, s->thread);
    for (size_t i = 0; i < s->n; i++) {
        proto_put_number(&entry, 1, 0x1a00 + i);
        proto_put_number(&entry, 2, s->chain[i].file);
        proto_put_number(&entry, 3, (uint64_t)s->chain[i].symbol);
        proto_put_number(&entry, 4, s->chain[i].execution);
        proto_put_message(&body, 3, &entry);
    }
    proto_put_number(&body, 4, s->count);
    proto_put_number(&body, 5, first_event + s->event);
    proto_put_number(&entry, 3, s->unwinding);
    proto_put_message(&body, 6, &entry);
    simpleperf_put_record(b, 1, &body);
    buf_free(&body);
    buf_free(&entry);
}

static void put_switch(struct buf *b, bool on, uint64_t time, uint64_t thread)
{
    struct buf body = {0};

    proto_put_number(&body, 1, on);
    proto_put_number(&body, 2, time);
    proto_put_number(&body, 3, thread);
    simpleperf_put_record(b, 6, &body);
    buf_free(&body);
}

static void put_file(struct buf *b, uint64_t id, const char *path, const char *first, const char *second)
{
    struct buf body = {0};

    proto_put_number(&body, 1, id);
    proto_put_text(&body, 2, path);
    proto_put_text(&body, 3, first);
    if (second != NULL)
        proto_put_text(&body, 3, second);
    simpleperf_put_record(b, 3, &body);
    buf_free(&body);
}

static void put_thread(struct buf *b, uint64_t id, const char *name)
{
    struct buf body = {0};

    proto_put_number(&body, 1, id);
    proto_put_number(&body, 2, MAIN_THREAD);
    proto_put_text(&body, 3, name);
    simpleperf_put_record(b, 4, &body);
    buf_free(&body);
}

static void put_meta(struct buf *b, const struct simpleperf_options *o)
{
    struct buf body = {0};

    if (o->silent_first)
        proto_put_text(&body, 1, "task-clock:k");
    proto_put_text(&body, 1, "cpu-clock:u");
    proto_put_text(&body, 1, "sched:sched_switch");
    proto_put_text(&body, 2, "com.example.app");
    proto_put_text(&body, 4, "33");
    proto_put_number(&body, 6, !o->no_off_cpu);
    simpleperf_put_record(b, 5, &body);
    buf_free(&body);
}

void simpleperf_put(struct buf *b, const struct simpleperf_options *o)
{
    struct buf body = {0};

    simpleperf_put_header(b);
    if (!o->meta_last)
        put_meta(b, o);
    for (size_t i = 0; i < sizeof(CHAINS) / sizeof(*CHAINS); i++) {
        if (CHAINS[i].event == 1 && o->on_first)
            put_switch(b, true, CHAINS[i].time + 3000, MAIN_THREAD);
        put_sample(b, &CHAINS[i], o->silent_first);
        if (CHAINS[i].event == 1)
            put_switch(b, false, CHAINS[i].time + 10, MAIN_THREAD);
        if (CHAINS[i].event == 1 && !o->on_first)
            put_switch(b, true, CHAINS[i].time + 3000, MAIN_THREAD);
    }
    proto_put_number(&body, 1, 6);
    proto_put_number(&body, 2, 2);
    simpleperf_put_record(b, 2, &body);
    put_file(b, 0, "/data/app/lib/libfoo.so", "main", "work(int; char)");
    put_file(b, 1, "/system/framework/framework.jar", "com.example.App.run", NULL);
    put_file(b, 2, "[kernel.kallsyms]", "schedule", NULL);
    put_thread(b, MAIN_THREAD, "com.example.app");
    if (o->meta_last)
        put_meta(b, o);
    if (!o->no_end)
        put_le(b, 0, 4);
    buf_free(&body);
}
