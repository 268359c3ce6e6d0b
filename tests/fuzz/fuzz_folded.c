/* Folded stacks, behind lines that detection takes for such. */
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str LINE = STR_INIT("main;a 1\n");
    struct buf lines = {0};

    while (lines.n < 4096 && !lines.failed)
        buf_str(&lines, LINE);
    fuzzing_reader(buf_view(&lines), data, size);
    buf_free(&lines);
    return 0;
}
