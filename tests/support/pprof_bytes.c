#include "tests/support/pprof_bytes.h"

#include <string.h>

#include "tests/support/proto_bytes.h"

enum text {
    EMPTY,
    SAMPLES,
    COUNT,
    CPU,
    MILLISECONDS,
    SPACE,
    BYTES,
    MAIN,
    WORK,
    INLINED,
    FILE_NAME,
    MODULE,
    BUILD_ID,
    THREAD,
    UI,
    TEXTS
};

static const char *const STRINGS[TEXTS] = {[EMPTY] = "",
                                           [SAMPLES] = "samples",
                                           [COUNT] = "count",
                                           [CPU] = "cpu",
                                           [MILLISECONDS] = "milliseconds",
                                           [SPACE] = "In-use Space",
                                           [BYTES] = "bytes",
                                           [MAIN] = "main",
                                           [WORK] = "work(int; char)",
                                           [INLINED] = "inlined",
                                           [FILE_NAME] = "a.c",
                                           [MODULE] = "/lib/libfoo.so",
                                           [BUILD_ID] = "abcd",
                                           [THREAD] = "thread_name",
                                           [UI] = "ui"};

static void put_strings(struct buf *b)
{
    for (unsigned i = 0; i < TEXTS; i++)
        proto_put_text(b, 6, STRINGS[i]);
}

static void put_type(struct buf *b, uint64_t type, uint64_t unit)
{
    struct buf body = {0};

    proto_put_number(&body, 1, type);
    proto_put_number(&body, 2, unit);
    proto_put_message(b, 1, &body);
    buf_free(&body);
}

static void put_function(struct buf *b, uint64_t id, uint64_t name, bool system_name)
{
    struct buf body = {0};

    proto_put_number(&body, 1, id);
    proto_put_number(&body, system_name ? 3 : 2, name);
    proto_put_number(&body, 4, FILE_NAME);
    proto_put_message(b, 5, &body);
    buf_free(&body);
}

static void put_location(struct buf *b, uint64_t id, const uint64_t *functions, size_t n)
{
    struct buf body = {0}, line = {0};

    proto_put_number(&body, 1, id);
    proto_put_number(&body, 2, 7);
    proto_put_number(&body, 3, 0x1000 + id);
    for (size_t i = 0; i < n; i++) {
        proto_put_number(&line, 1, functions[i]);
        proto_put_number(&line, 2, 10 + i);
        proto_put_message(&body, 4, &line);
    }
    proto_put_message(b, 4, &body);
    buf_free(&body);
    buf_free(&line);
}

static void put_list(struct buf *b, uint32_t field, const uint64_t *numbers, size_t n, bool packed)
{
    struct buf list = {0};

    for (size_t i = 0; i < n && !packed; i++)
        proto_put_number(b, field, numbers[i]);
    for (size_t i = 0; i < n && packed; i++)
        proto_put_varint(&list, numbers[i]);
    if (packed)
        proto_put_message(b, field, &list);
    buf_free(&list);
}

static void put_sample(struct buf *b, const uint64_t locations[2], const uint64_t values[3], bool packed,
                       bool label)
{
    struct buf body = {0}, labels = {0};

    put_list(&body, 1, locations, 2, packed);
    put_list(&body, 2, values, 3, packed);
    if (label) {
        proto_put_number(&labels, 1, THREAD);
        proto_put_number(&labels, 2, UI);
        proto_put_message(&body, 3, &labels);
    }
    proto_put_message(b, 2, &body);
    buf_free(&body);
    buf_free(&labels);
}

static void put_mapping(struct buf *b)
{
    struct buf body = {0};

    proto_put_number(&body, 1, 7);
    proto_put_number(&body, 5, MODULE);
    proto_put_number(&body, 6, BUILD_ID);
    proto_put_message(b, 3, &body);
    buf_free(&body);
}

void pprof_put(struct buf *b, const struct pprof_options *o)
{
    static const uint64_t MAIN_LINES[] = {1}, WORK_LINES[] = {3, 2};
    static const uint64_t STACKS[3][2] = {{20, 10}, {30, 10}, {99, 10}};
    const uint64_t below = o->positive ? 4 : (uint64_t)-4;
    const uint64_t values[3][3] = {{1, 10, 0}, {2, 20, below}, {3, 30, 8}};

    if (o->strings_first)
        put_strings(b);
    put_type(b, SAMPLES, COUNT);
    put_type(b, CPU, MILLISECONDS);
    put_type(b, SPACE, BYTES);
    for (unsigned i = 0; i < 3; i++)
        put_sample(b, STACKS[i], values[i], o->packed, o->labels && i == 0);
    put_mapping(b);
    put_location(b, 10, MAIN_LINES, 1);
    put_location(b, 20, WORK_LINES, 2);
    put_location(b, 30, NULL, 0);
    put_function(b, 1, MAIN, false);
    put_function(b, 2, WORK, true);
    put_function(b, 3, INLINED, false);
    if (!o->strings_first)
        put_strings(b);
    proto_put_number(b, 10, 5000);
    for (uint64_t i = 0; o->default_type != NULL && i < TEXTS; i++)
        if (strcmp(STRINGS[i], o->default_type) == 0)
            proto_put_number(b, 14, i);
}
