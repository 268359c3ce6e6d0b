/* Any bytes in one piece: an answer, within the memory that it may take. */
#include <stdlib.h>

#include "tests/support/profile_dump.h"
#include "tests/support/test_input.h"

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
    const struct profile *profile = test_input_read(&r, (struct str){(const char *)data, size});
    if ((profile == NULL) != (r.diag.kind != DIAG_NONE))
        abort();
    if (profile != NULL)
        profile_dump(&text, profile);
    buf_free(&text);
    arena_free(&arena);
    return 0;
}
