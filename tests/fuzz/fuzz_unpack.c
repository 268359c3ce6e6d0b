/* What is packed, in pieces of the length that the first byte says: the answer to the whole. */
#include "tests/support/fuzzing.h"
#include "tests/support/profile_dump.h"

enum { CUTS_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct reader_limits LIMITS = {.methods = 1000,
                                                .threads = 1000,
                                                .line_bytes = 300,
                                                .name_bytes = 40,
                                                .unpacked = {.bytes = 1 << 20, .ratio = 200}};
    size_t cuts[CUTS_MAX], n = 0, piece = size == 0 ? 1 : (size_t)data[0] + 1;
    struct buf whole = {0}, cut = {0};

    if (size == 0)
        return 0;
    data++, size--;
    for (size_t at = piece; at < size && n < CUTS_MAX; at += piece)
        cuts[n++] = at;
    profile_dump_cut(&whole, &LIMITS, data, size, NULL, 0);
    profile_dump_cut(&cut, &LIMITS, data, size, cuts, n);
    fuzzing_check(whole.failed || cut.failed || str_eq(buf_view(&whole), buf_view(&cut)));
    buf_free(&whole);
    buf_free(&cut);
    return 0;
}
