/* Any bytes in one piece: an answer, within the memory that it may take. */
#include <stdlib.h>

#include "tests/support/profile_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct reader_limits LIMITS = {
        .methods = 1000, .threads = 1000, .line_bytes = 300, .name_bytes = 40};
    struct arena arena;
    struct reader r;
    struct buf text = {0};

    arena_init(&arena, 16 << 20);
    if (!reader_init(&r, &arena, &LIMITS, (struct hash_seed){size, 1}))
        abort();
    reader_feed(&r, data, size);
    const struct str bytes = {(const char *)data, size};
    const struct whole_file file = whole_file_of(&bytes);
    const struct profile *profile = reader_finish(&r, &file);
    if ((profile == NULL) != (r.diag.kind != DIAG_NONE))
        abort();
    if (profile != NULL)
        profile_dump(&text, profile);
    buf_free(&text);
    arena_free(&arena);
    return 0;
}
