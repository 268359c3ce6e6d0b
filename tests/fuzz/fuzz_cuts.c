/* Any bytes in any pieces: the answer to the whole. The last bytes say where to cut, so that a file can be an
 * input as it is. */
#include <stdlib.h>

#include "tests/support/profile_dump.h"

enum { CUTS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int by_size(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct reader_limits LIMITS = {
        .methods = 1000, .threads = 1000, .line_bytes = 64, .name_bytes = 20};
    struct buf whole = {0}, cut = {0};
    size_t cuts[CUTS];

    for (size_t i = 0; i < CUTS; i++)
        cuts[i] =
            size < 2 * CUTS ? size : (data[size - 1 - i] * 256u + data[size - 1 - CUTS - i]) % (size + 1);
    qsort(cuts, CUTS, sizeof(*cuts), by_size);
    profile_dump_cut(&whole, &LIMITS, data, size, NULL, 0);
    profile_dump_cut(&cut, &LIMITS, data, size, cuts, CUTS);
    if (!whole.failed && !cut.failed && !str_eq(buf_view(&whole), buf_view(&cut)))
        abort();
    buf_free(&whole);
    buf_free(&cut);
    return 0;
}
