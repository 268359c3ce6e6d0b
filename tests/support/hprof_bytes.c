#include "tests/support/hprof_bytes.h"

#include <string.h>

enum { THREADS = 2, STACKS = 4, FRAMES_MAX = 3, DEPTH = 3, FIRST_THREAD = 200001, FIRST_STACK = 300001 };

struct frame {
    const char *class, *method, *file;
    int line;
};

static const char *const THREAD_NAMES[THREADS] = {"main", "a, name=\"b\" (id = 7)\"\ngroup"};

static const struct frame RUN = {"com.example.App", "run", "App.java", 5},
                          WORK = {"com.example.App$Inner", "<init>", "App.java", 9},
                          WAIT = {"java.lang.Object", "wait", "", -2};

static const struct stack {
    unsigned thread, count;
    const struct frame *frames[FRAMES_MAX]; /* the innermost first */
} RUN_STACKS[STACKS] = {
    {0, 7, {&WORK, &RUN, &RUN}}, {0, 2, {&WAIT, &WORK, &RUN}}, {1, 4, {&WAIT}}, {1, 0, {&RUN}}};

const char HPROF_RUN_FOLDED[] =
    "main;com.example.App.run;com.example.App.run;com.example.App$Inner.<init> 7\n"
    "main;com.example.App.run;com.example.App$Inner.<init>;java.lang.Object.wait 2\n"
    "a, name=\"b\" (id = 7)\"\ngroup;java.lang.Object.wait 4\n";

/* ---- text ---- */

static void put_frame_line(struct buf *b, const struct frame *f)
{
    buf_printf(b, "\t%s.%s(", f->class, f->method);
    if (f->line < 0)
        buf_z(b, "Native Method)\n");
    else
        buf_printf(b, "%s:%d)\n", f->file, f->line);
}

void hprof_put_text(struct buf *b)
{
    for (unsigned i = 0; i < THREADS; i++)
        buf_printf(b, "THREAD START (obj=%u, id = %u, name=\"%s\", group=\"main\")\r\n", i + 1,
                   FIRST_THREAD + i, THREAD_NAMES[i]);
    buf_printf(b, "THREAD END (id = %u)\r\n", FIRST_THREAD + 1);
    for (unsigned i = 0; i < STACKS; i++) {
        buf_printf(b, "TRACE %u: (thread=%u)\n", FIRST_STACK + i, FIRST_THREAD + RUN_STACKS[i].thread);
        for (unsigned k = 0; k < FRAMES_MAX && RUN_STACKS[i].frames[k] != NULL; k++)
            put_frame_line(b, RUN_STACKS[i].frames[k]);
    }
    buf_z(
        b,
        "CPU SAMPLES BEGIN (total = 13) Wed Jul 21 12:03:46 2010\nrank   self  accum   count trace method\n");
    for (unsigned i = 0; i < STACKS; i++)
        if (RUN_STACKS[i].count > 0)
            buf_printf(b, "%4u 15,38%% 100,00%%%8u%7u %s.%s\n", i + 1, RUN_STACKS[i].count, FIRST_STACK + i,
                       RUN_STACKS[i].frames[0]->class, RUN_STACKS[i].frames[0]->method);
    buf_z(b, "CPU SAMPLES END\n");
}

/* ---- bytes ---- */

static void put_be(struct buf *b, uint64_t value, unsigned n)
{
    while (n-- > 0)
        buf_char(b, (char)(value >> (8 * n)));
}

void hprof_put_record(struct buf *b, unsigned tag, const void *p, size_t n)
{
    put_be(b, tag, 1);
    put_be(b, 0, 4);
    put_be(b, n, 4);
    buf_bytes(b, p, n);
}

struct writer {
    struct buf *out, body;
    unsigned id_bytes;
    bool slashes;
    uint64_t next_id;
};

static void end_record(struct writer *w, unsigned tag)
{
    hprof_put_record(w->out, tag, w->body.p, w->body.n);
    buf_clear(&w->body);
}

static uint64_t put_string(struct writer *w, const char *text)
{
    put_be(&w->body, ++w->next_id, w->id_bytes);
    buf_z(&w->body, text);
    for (size_t i = w->id_bytes; w->slashes && i < w->body.n; i++)
        if (w->body.p[i] == '.' && strstr(text, "java") == text)
            w->body.p[i] = '/';
    end_record(w, 0x01);
    return w->next_id;
}

static void put_thread(struct writer *w, unsigned i)
{
    uint64_t name = put_string(w, THREAD_NAMES[i]), group = put_string(w, "main");

    put_be(&w->body, FIRST_THREAD + i, 4);
    put_be(&w->body, 1, w->id_bytes);
    put_be(&w->body, 0, 4);
    put_be(&w->body, name, w->id_bytes);
    put_be(&w->body, group, w->id_bytes);
    put_be(&w->body, group, w->id_bytes);
    end_record(w, 0x0a);
}

static uint64_t put_frame(struct writer *w, const struct frame *f, unsigned class)
{
    uint64_t name = put_string(w, f->class), method = put_string(w, f->method), file = put_string(w, f->file);

    put_be(&w->body, class, 4);
    put_be(&w->body, 0, w->id_bytes);
    put_be(&w->body, 0, 4);
    put_be(&w->body, name, w->id_bytes);
    end_record(w, 0x02);
    put_be(&w->body, ++w->next_id, w->id_bytes);
    put_be(&w->body, method, w->id_bytes);
    put_be(&w->body, 0, w->id_bytes);
    put_be(&w->body, file, w->id_bytes);
    put_be(&w->body, class, 4);
    put_be(&w->body, (uint32_t)f->line, 4);
    end_record(w, 0x04);
    return w->next_id;
}

static void put_stack(struct writer *w, unsigned i)
{
    const struct stack *s = &RUN_STACKS[i];
    uint64_t frames[FRAMES_MAX];
    unsigned n = 0;

    for (; n < FRAMES_MAX && s->frames[n] != NULL; n++)
        frames[n] = put_frame(w, s->frames[n], i * FRAMES_MAX + n + 1);
    put_be(&w->body, FIRST_STACK + i, 4);
    put_be(&w->body, FIRST_THREAD + s->thread, 4);
    put_be(&w->body, n, 4);
    for (unsigned k = 0; k < n; k++)
        put_be(&w->body, frames[k], w->id_bytes);
    end_record(w, 0x05);
}

static void put_counts(struct writer *w)
{
    put_be(&w->body, 13, 4);
    put_be(&w->body, STACKS, 4);
    for (unsigned i = 0; i < STACKS; i++) {
        put_be(&w->body, RUN_STACKS[i].count, 4);
        put_be(&w->body, FIRST_STACK + i, 4);
    }
    end_record(w, 0x0d);
}

void hprof_put_binary(struct buf *b, const struct hprof_options *options)
{
    struct writer w = {
        .out = b, .id_bytes = options->id_bytes == 0 ? 4 : options->id_bytes, .slashes = options->slashes};

    buf_printf(b, "%sJAVA PROFILE %s", options->head == NULL ? "" : options->head,
               options->version == NULL ? "1.0.2" : options->version);
    put_be(b, 0, 1);
    put_be(b, w.id_bytes, 4);
    put_be(b, 1279713826000, 8);
    put_be(&w.body, 2, 4);
    put_be(&w.body, DEPTH, 2);
    end_record(&w, 0x0e);
    for (unsigned i = 0; i < THREADS; i++)
        put_thread(&w, i);
    for (unsigned i = 0; i < STACKS; i++)
        put_stack(&w, i);
    hprof_put_record(b, 0x07, "unknown", 7);
    put_counts(&w);
    buf_free(&w.body);
}
