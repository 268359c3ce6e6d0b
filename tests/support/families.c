#include "tests/support/families.h"

#include "tests/support/trace_writer.h"

enum { FEW = 1000, THREAD_MAX = 65535 };

const char *const FAMILY_NAMES[FAMILIES] = {
    "wide", "deep", "methods", "threads", "turns", "exits", "enters", "equal-names", "aliens", "missed",
};

static const struct trace_format FORMAT = {3, TRACE_DUAL};

struct writer {
    struct buf *out;
    uint32_t us;
};

static void put(struct writer *w, uint32_t thread, uint32_t method, enum trace_action action)
{
    w->us++;
    trace_writer_record(w->out, FORMAT,
                        &(struct trace_record){(uint16_t)thread, method, action, w->us, w->us});
}

static void call(struct writer *w, uint32_t thread, uint32_t method)
{
    put(w, thread, method, TRACE_ENTER);
    put(w, thread, method, TRACE_EXIT);
}

/* ---- the text ---- */

static uint32_t n_methods(enum family family, uint32_t size)
{
    return family == FAMILY_WIDE || family == FAMILY_METHODS || family == FAMILY_EQUAL ? size : FEW;
}

static void put_method(struct buf *out, enum family family, uint32_t method)
{
    struct buf name = {0};

    if (family == FAMILY_EQUAL)
        buf_printf(&name, "(L%u;)V", method);
    else
        buf_printf(&name, "m%u", method);
    trace_writer_method(out, FORMAT, method, STR("a.B"), family == FAMILY_EQUAL ? STR("c") : buf_view(&name),
                        family == FAMILY_EQUAL ? buf_view(&name) : STR("()V"), STR("B.java"));
    buf_free(&name);
}

static void put_text(struct buf *out, enum family family, uint32_t size)
{
    uint32_t threads = family == FAMILY_THREADS ? size : family == FAMILY_TURNS ? FEW : 1;

    trace_writer_keys(out, FORMAT, &(struct trace_keys){.elapsed_us = UINT32_MAX, .vm = "art"});
    for (uint32_t i = 1; i <= threads; i++)
        trace_writer_thread(out, (uint16_t)i, STR("thread"));
    trace_writer_methods(out);
    for (uint32_t i = 0; i < n_methods(family, size); i++)
        put_method(out, family, i);
    trace_writer_header(out, FORMAT, 0);
}

/* ---- the records ---- */

/* Groups of eight, within the first of them. */
static void put_many_methods(struct writer *w, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        put(w, 1, i & ~7u, TRACE_ENTER);
        call(w, 1, i);
        put(w, 1, i & ~7u, TRACE_EXIT);
    }
}

static void put_stack(struct writer *w, uint32_t size, bool leave)
{
    for (uint32_t i = 0; i < size; i++)
        put(w, 1, i % FEW, TRACE_ENTER);
    for (uint32_t i = size; leave && i-- > 0;)
        put(w, 1, i % FEW, TRACE_EXIT);
}

/* Half of the methods are on the stack, the others are what is left. */
static void put_aliens(struct writer *w, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        put(w, 1, i % (FEW / 2), TRACE_ENTER);
    for (uint32_t i = 0; i < size; i++)
        put(w, 1, FEW / 2 + i % (FEW / 2), TRACE_EXIT);
}

static void put_missed(struct writer *w, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        put(w, 1, i % FEW, TRACE_ENTER);
    for (uint32_t i = size; i >= 2; i -= 2)
        put(w, 1, (i - 2) % FEW, TRACE_EXIT);
}

static void put_records(struct writer *w, enum family family, uint32_t size)
{
    switch (family) {
    case FAMILY_WIDE:
    case FAMILY_EQUAL:
        put(w, 1, 0, TRACE_ENTER);
        for (uint32_t i = 0; i < size; i++)
            call(w, 1, i);
        put(w, 1, 0, TRACE_EXIT);
        break;
    case FAMILY_DEEP:
    case FAMILY_ENTERS:
        put_stack(w, size, family == FAMILY_DEEP);
        break;
    case FAMILY_METHODS:
        put_many_methods(w, size);
        break;
    case FAMILY_THREADS:
        for (uint32_t i = 1; i <= size; i++)
            call(w, i, 0);
        break;
    case FAMILY_TURNS:
        for (uint32_t i = 0; i < size; i++)
            put(w, 1 + i % FEW, (i / FEW + 1) % 4 / 2, i / FEW % 4 < 2 ? TRACE_ENTER : TRACE_EXIT);
        break;
    case FAMILY_EXITS:
        for (uint32_t i = 0; i < size; i++)
            put(w, 1, i % FEW, TRACE_EXIT);
        break;
    case FAMILY_ALIENS:
        put_aliens(w, size);
        break;
    case FAMILY_MISSED:
        put_missed(w, size);
        break;
    case FAMILIES:
        break;
    }
}

void family_put(struct buf *b, enum family family, uint32_t size)
{
    struct writer w = {.out = b};

    if (family == FAMILY_THREADS && size > THREAD_MAX)
        size = THREAD_MAX;
    put_text(b, family, size);
    put_records(&w, family, size);
}
