/* Perfetto traces, behind a beginning that detection takes for one. The bytes are packets as they stand;
 * and as messages that fit into each other, so that mutations need not find lengths: a byte says which
 * field of a packet, and the next how long it is. The same packets stand behind a small trace, and in a
 * file of names beside it. */

#include "parser/reader.h"
#include "tests/support/fuzzing.h"
#include "tests/support/perfetto_bytes.h"
#include "tests/support/proto_bytes.h"
#include "tests/support/test_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct str BEGINNING = STR_INIT("\x0a\x02\x08\x01");

/* The fields that the reader knows, by a byte. */
static const uint8_t FIELDS[] = {37, 12, 66, 2,   61, 64, 54, 135, 60, 47, 6,
                                 59, 44, 50, 133, 1,  11, 34, 35,  45, 69, 78};

static void put_structured(struct buf *b, const uint8_t *data, size_t size)
{
    struct buf packet = {0}, message = {0};

    for (size_t at = 0; at + 3 <= size;) {
        size_t n = data[at + 1] < size - at - 3 ? data[at + 1] : size - at - 3;
        buf_bytes(&message, data + at + 3, n);
        proto_put_message(&packet, FIELDS[data[at] % sizeof(FIELDS)], &message);
        proto_put_number(&packet, 10, data[at + 2] >> 4);
        proto_put_number(&packet, 13, data[at + 2] & 3);
        proto_put_message(b, 1, &packet);
        at += 3 + n;
    }
    buf_free(&packet);
    buf_free(&message);
}

static void read_beside(struct str trace, struct str names)
{
    enum { ARENA_BYTES = 64 << 20 };
    static const struct reader_limits LIMITS = {
        .methods = 1000, .threads = 1000, .line_bytes = 64, .name_bytes = 20, .unpacked = {1 << 20, 200}};
    struct test_input input = {.bytes = names};
    const struct source_input beside = test_input_of(&input);
    struct arena arena;
    struct reader r;

    arena_init(&arena, ARENA_BYTES);
    fuzzing_check(reader_init(&r, &arena, &LIMITS, (struct hash_seed){1, 2}) && reader_attach(&r, &beside));
    fuzzing_check(test_input_read(&r, trace) != NULL || r.diag.kind == DIAG_LIMIT);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf b = {0}, trace = {0};

    fuzzing_reader(BEGINNING, data, size);
    put_structured(&b, data, size);
    fuzzing_reader(BEGINNING, (const uint8_t *)b.p, b.n);
    perfetto_put(&trace, &(struct perfetto_options){.samples = true});
    read_beside(buf_view(&trace), b.n > 0 ? buf_view(&b) : STR(""));
    fuzzing_reader(buf_view(&trace), (const uint8_t *)b.p, b.n);
    buf_free(&b);
    buf_free(&trace);
    return 0;
}
