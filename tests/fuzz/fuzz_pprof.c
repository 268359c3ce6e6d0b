/* pprof profiles, behind a beginning that detection takes for one: by threads, and by each of two labels
 * that the corpus has. */
#include <stdlib.h>

#include "tests/support/fuzzing.h"
#include "tests/support/profile_dump.h"

enum { ARENA_BYTES = 64 << 20 };

static const struct str BEGINNING = STR_INIT("\x0a\x04\x08\1\x10\2\x0a\x02\x08\3\x32\0\x32\x07samples\x32\x05"
                                             "count\x32\x05"
                                             "bytes");

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void split(struct str input, struct str key)
{
    static const struct reader_limits LIMITS = {
        .methods = 1000, .threads = 10, .line_bytes = 64, .name_bytes = 20};
    struct arena arena;
    struct reader r;
    struct buf dump = {0};

    arena_init(&arena, ARENA_BYTES);
    if (!reader_init(&r, &arena, &LIMITS, (struct hash_seed){1, 2}))
        abort();
    reader_split(&r, key);
    profile_dump_read(&dump, &r, input);
    buf_free(&dump);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf input = {0};

    fuzzing_reader(BEGINNING, data, size);
    buf_str(&input, BEGINNING);
    buf_bytes(&input, data, size);
    fuzzing_check(!input.failed);
    split(buf_view(&input), STR("thread_name"));
    split(buf_view(&input), STR("bytes"));
    buf_free(&input);
    return 0;
}
