#include "tests/support/perfetto_bytes.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "tests/support/proto_bytes.h"

enum { SEQUENCE = 7, PID = 71 };

static void put_packet(struct buf *b, struct buf *packet, unsigned flags)
{
    proto_put_number(packet, 10, SEQUENCE);
    proto_put_number(packet, 13, flags);
    proto_put_number(packet, 8, 1000);
    proto_put_message(b, 1, packet);
}

static void put_string(struct buf *to, uint32_t field, uint64_t id, const char *text)
{
    struct buf m = {0};

    proto_put_number(&m, 1, id);
    proto_put_text(&m, 2, text);
    proto_put_message(to, field, &m);
    buf_free(&m);
}

static void put_frame(struct buf *to, uint32_t field, uint64_t id, uint64_t name, uint64_t pc)
{
    struct buf m = {0};

    proto_put_number(&m, 1, id);
    proto_put_number(&m, 2, name);
    proto_put_number(&m, 3, 1);
    proto_put_number(&m, 4, pc);
    proto_put_message(to, field, &m);
    buf_free(&m);
}

static void put_stack(struct buf *to, uint32_t field, uint64_t id, uint64_t outer, uint64_t inner)
{
    struct buf m = {0};

    proto_put_number(&m, 1, id);
    proto_put_number(&m, 2, outer);
    proto_put_number(&m, 2, inner);
    proto_put_message(to, field, &m);
    buf_free(&m);
}

/* A second library: functions 11 to 13 of it, each the outermost of a stack 21 to 23. */
static void put_library(struct buf *to)
{
    struct buf m = {0};

    put_string(to, 17, 7, "libn.so");
    proto_put_number(&m, 1, 2);
    proto_put_number(&m, 7, 4);
    proto_put_number(&m, 7, 7);
    proto_put_message(to, 19, &m);
    for (uint64_t i = 11; i <= 13; i++) {
        put_string(to, 5, i, "n");
        proto_put_number(&m, 1, i);
        proto_put_number(&m, 2, i);
        proto_put_number(&m, 3, 2);
        proto_put_number(&m, 4, 16 * i);
        proto_put_message(to, 6, &m);
        put_stack(to, 7, 10 + i, i, 2);
    }
    buf_free(&m);
}

/* The entries, as fields of InternedData or of a ProfilePacket of Android 10; `base` is added to the ids
 * of stacks. */
static void put_interned(struct buf *to, bool legacy, uint64_t base)
{
    struct buf m = {0};

    put_string(to, legacy ? 1 : 5, 1, "main");
    put_string(to, legacy ? 1 : 5, 2, "b");
    put_string(to, legacy ? 1 : 5, 3, "_ZN1c3runEv");
    put_string(to, legacy ? 1 : 17, 4, "lib");
    put_string(to, legacy ? 1 : 17, 5, "libx.so");
    put_string(to, legacy ? 1 : 16, 6, "\x12\xab");
    proto_put_number(&m, 1, 1);
    proto_put_number(&m, 2, 6);
    proto_put_number(&m, 7, 4);
    proto_put_number(&m, 7, 5);
    proto_put_message(to, legacy ? 4 : 19, &m);
    for (uint64_t i = 1; i <= 3; i++)
        put_frame(to, legacy ? 2 : 6, i, i, 16 * i);
    put_stack(to, legacy ? 3 : 7, base + 1, 1, 2);
    put_stack(to, legacy ? 3 : 7, base + 2, 1, 3);
    buf_free(&m);
}

static void put_sample(struct buf *to, uint64_t stack, const uint64_t values[4], bool at_max)
{
    struct buf m = {0};

    proto_put_number(&m, 1, stack);
    proto_put_number(&m, at_max ? 8 : 2, values[0]);
    proto_put_number(&m, at_max ? 9 : 5, values[1]);
    proto_put_number(&m, 3, values[2]);
    proto_put_number(&m, 6, values[3]);
    proto_put_message(to, 2, &m);
    buf_free(&m);
}

static void put_dump(struct buf *b, const struct perfetto_options *o, unsigned number, uint64_t base)
{
    static const uint64_t VALUES[2][2][4] = {{{100, 1, 0, 0}, {40, 2, 0, 0}},
                                             {{100, 1, 100, 1}, {90, 5, 30, 2}}};
    /* What began anew counts from there. */
    static const uint64_t ANEW[2][4] = {{0, 0, 100, 1}, {50, 3, 30, 2}};
    struct buf packet = {0}, profile = {0}, process = {0};

    proto_put_number(&process, 1, PID);
    proto_put_number(&process, 9, 1000 * (number + 1));
    proto_put_text(&process, 11, o->art ? "com.android.art" : "libc.malloc");
    proto_put_number(&process, 12, 4096);
    proto_put_number(&process, 13, 4096);
    for (unsigned i = 0; i < 2; i++)
        put_sample(&process, base + 1 + i, base > 0 ? ANEW[i] : VALUES[number][i], o->at_max);
    for (unsigned i = 21; o->no_unwind && i <= 23; i++)
        put_sample(&process, i, VALUES[0][0], o->at_max);
    proto_put_message(&profile, 5, &process);
    if (o->legacy)
        put_interned(&profile, true, base);
    proto_put_number(&profile, 6, 1);
    proto_put_number(&profile, 7, 2 * number);
    proto_put_message(&packet, 37, &profile);
    put_packet(b, &packet, base > 0 || number == 0 ? 1 : 2);
    if (!o->legacy && (number == 0 || base > 0)) {
        struct buf interned = {0};
        put_interned(&interned, false, base);
        if (o->no_unwind)
            put_library(&interned);
        proto_put_message(&packet, 12, &interned);
        put_packet(b, &packet, 2);
        buf_free(&interned);
    }
    if (!o->cut_dump || number == 0) {
        proto_put_number(&profile, 7, 2 * number + 1);
        proto_put_message(&packet, 37, &profile);
        put_packet(b, &packet, 2);
    }
    buf_free(&packet);
    buf_free(&profile);
    buf_free(&process);
}

static void put_people(struct buf *b)
{
    struct buf packet = {0}, tree = {0}, one = {0};

    proto_put_number(&one, 1, PID);
    proto_put_text(&one, 3, "com.example");
    proto_put_number(&one, 5, 10042);
    proto_put_message(&tree, 1, &one);
    proto_put_number(&one, 1, PID + 1);
    proto_put_text(&one, 2, "worker");
    proto_put_message(&tree, 2, &one);
    proto_put_message(&packet, 2, &tree);
    put_packet(b, &packet, 2);
    buf_free(&packet);
    buf_free(&tree);
    buf_free(&one);
}

static void put_cpu_sample(struct buf *b, uint32_t tid, uint64_t stack, uint64_t time)
{
    struct buf packet = {0}, sample = {0};

    proto_put_number(&sample, 2, PID);
    proto_put_number(&sample, 3, tid);
    proto_put_number(&sample, 4, stack);
    proto_put_message(&packet, 66, &sample);
    proto_put_number(&packet, 10, SEQUENCE);
    proto_put_number(&packet, 13, 2);
    proto_put_number(&packet, 8, time);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    buf_free(&sample);
}

/* b was inlined into outer, at x.cc:5 of its symbols. */
void perfetto_put_names(struct buf *b)
{
    struct buf packet = {0}, module = {0}, address = {0}, line = {0};

    proto_put_text(&module, 1, "/lib/libx.so");
    proto_put_text(&module, 2, "\x12\xab");
    proto_put_number(&address, 1, 32);
    proto_put_text(&line, 1, "inner");
    proto_put_text(&line, 2, "x.cc");
    proto_put_number(&line, 3, 5);
    proto_put_message(&address, 2, &line);
    proto_put_text(&line, 1, "outer");
    proto_put_message(&address, 2, &line);
    proto_put_message(&module, 3, &address);
    proto_put_message(&packet, 61, &module);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    buf_free(&module);
    buf_free(&address);
    buf_free(&line);
}

static void pack(struct buf *b, enum perfetto_packing packing)
{
    struct buf packet = {0};
    size_t room = b->n + 1024;
    char *packed = malloc(room);
    uLongf n = room;

    if (packed == NULL)
        abort();
    if (packing == PERFETTO_ZSTD)
        n = ZSTD_compress(packed, room, b->p, b->n, 3);
    else if (compress((Bytef *)packed, &n, (const Bytef *)b->p, b->n) != Z_OK)
        abort();
    proto_put_varint(&packet, (packing == PERFETTO_ZSTD ? 133u : 50u) << 3 | 2u);
    proto_put_varint(&packet, n);
    buf_bytes(&packet, packed, n);
    buf_clear(b);
    proto_put_message(b, 1, &packet);
    buf_free(&packet);
    free(packed);
}

void perfetto_put(struct buf *b, const struct perfetto_options *o)
{
    put_people(b);
    put_dump(b, o, 0, 0);
    put_dump(b, o, 1, o->cleared ? 10 : 0);
    for (unsigned i = 0; o->samples && i < 6; i++)
        put_cpu_sample(b, PID + i % 2, 1 + i / 3, 5000 + 100 * i);
    if (o->names)
        perfetto_put_names(b);
    if (o->packing != PERFETTO_PLAIN)
        pack(b, o->packing);
    if (o->packing == PERFETTO_NESTED)
        pack(b, PERFETTO_DEFLATE);
}
