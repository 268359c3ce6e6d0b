/* pprof profiles, behind a beginning that detection takes for one. */
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str BEGINNING =
        STR_INIT("\x0a\x04\x08\1\x10\2\x0a\x02\x08\3\x32\0\x32\x07samples\x32\x05"
                 "count\x32\x05"
                 "bytes");

    fuzzing_reader(BEGINNING, data, size);
    return 0;
}
