/* Files that are much work: a reading asks its stop all the time, and ends soon when it is told to. Work
 * is counted by questions: the builder asks once in 1,024 of its steps, other loops once in 4,096. */
#include "tests/support/unit.h"

#include <stdio.h>

#include "tests/support/proto_bytes.h"
#include "tests/support/stopping.h"

enum { TIMES = 12 };

/* A reading of the bytes asks from `least` to `most` times. */
static void check(struct buf *b, unsigned least, unsigned most)
{
    unsigned asked;

    assert_false(b->failed);
    const char *wrong = stopping_tried(buf_view(b), TIMES, b->n, &asked);
    if (wrong != NULL || asked < least || asked > most)
        fail_msg("%u questions, %s", asked, wrong == NULL ? "too few or too many" : wrong);
    buf_free(b);
}

static void put_packet(struct buf *b, uint32_t field, struct buf *data, uint64_t time)
{
    struct buf packet = {0};

    proto_put_message(&packet, field, data);
    proto_put_number(&packet, 8, time);
    proto_put_number(&packet, 10, 1);
    proto_put_number(&packet, 13, 1);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
}

static void put_interned(struct buf *data, uint32_t field, unsigned id, struct buf *rest)
{
    struct buf m = {0};

    proto_put_number(&m, 1, id);
    buf_str(&m, buf_view(rest));
    buf_clear(rest);
    proto_put_message(data, field, &m);
    buf_free(&m);
}

/* A stack of so many frames. */
static void put_stack(struct buf *b, unsigned frames)
{
    struct buf data = {0}, m = {0}, list = {0};
    char name[16];

    for (unsigned i = 1; i <= frames; i++) {
        snprintf(name, sizeof(name), "f%u", i);
        proto_put_text(&m, 2, name);
        put_interned(&data, 5, i, &m);
        proto_put_number(&m, 2, i);
        put_interned(&data, 6, i, &m);
        proto_put_number(&list, 2, i);
    }
    put_interned(&data, 7, 1, &list);
    put_packet(b, 12, &data, 1);
    buf_free(&data);
    buf_free(&m);
    buf_free(&list);
}

/* Samples of the stack, in a byte each. */
static void put_samples(struct buf *b, unsigned n, uint64_t time)
{
    struct buf data = {0}, list = {0};

    for (unsigned i = 0; i < n; i++)
        buf_char(&list, 1);
    proto_put_message(&data, 1, &list);
    put_packet(b, 54, &data, time);
    buf_free(&data);
    buf_free(&list);
}

/* To go down the stack for each sample would be a million questions. */
TEST(samples_of_one_deep_stack)
{
    enum { FRAMES = 4096, SAMPLES = 300000 };
    struct buf b = {0};

    put_stack(&b, FRAMES);
    put_samples(&b, SAMPLES, 1000);
    check(&b, 4 * SAMPLES / 4096, 20000 + SAMPLES / 100);
}

/* The samples of a packet have one time. Each packet is before the last one. */
TEST(samples_that_go_back_in_time)
{
    enum { PACKETS = 20000 };
    struct buf b = {0};

    put_stack(&b, 3);
    for (unsigned i = PACKETS; i > 0; i--)
        put_samples(&b, 3, i);
    check(&b, PACKETS, 6 * PACKETS);
}

TEST(many_folded_stacks)
{
    enum { STACKS = 100000 };
    struct buf b = {0};

    for (unsigned i = 0; i < STACKS; i++)
        buf_printf(&b, "a%u;b%u;c%u 1\n", i % 7, i % 1000, i);
    check(&b, 4 * STACKS / 1024, 2 * STACKS);
}

/* Locations of so many lines each, which samples name in a byte. */
static void put_locations(struct buf *b, unsigned locations, unsigned lines)
{
    struct buf m = {0}, line = {0};

    for (unsigned i = 1; i <= locations; i++) {
        proto_put_number(&m, 1, i);
        for (unsigned k = 1; k <= lines; k++) {
            proto_put_number(&line, 1, k);
            proto_put_message(&m, 4, &line);
        }
        proto_put_message(b, 4, &m);
    }
    for (unsigned k = 1; k <= lines; k++) {
        proto_put_number(&m, 1, k);
        proto_put_number(&m, 2, 1 + k % 2);
        proto_put_message(b, 5, &m);
    }
    buf_free(&m);
    buf_free(&line);
}

/* To go down all lines for each sample would be 250,000 questions. */
TEST(locations_of_many_lines)
{
    enum { SAMPLES = 10000, DEPTH = 100, LINES = 256 };
    struct buf b = {0}, m = {0}, list = {0};

    proto_put_number(&m, 1, 1);
    proto_put_number(&m, 2, 2);
    proto_put_message(&b, 1, &m);
    put_locations(&b, DEPTH, LINES);
    for (unsigned i = 0; i < SAMPLES; i++) {
        for (unsigned k = 1; k <= DEPTH; k++)
            proto_put_varint(&list, k);
        proto_put_message(&m, 1, &list);
        proto_put_number(&m, 2, 1);
        proto_put_message(&b, 2, &m);
    }
    proto_put_text(&b, 6, "");
    proto_put_text(&b, 6, "samples");
    proto_put_text(&b, 6, "count");
    buf_free(&m);
    buf_free(&list);
    check(&b, SAMPLES, 6 * SAMPLES);
}
