/* Streaming method traces, behind what detection asks for; the first byte chooses the version. */
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str BEGINNINGS[] = {STR_INIT("SLOW\xf1\0"), STR_INIT("SLOW\xf2\0"),
                                            STR_INIT("SLOW\xf3\0")};

    if (size > 0)
        fuzzing_reader(BEGINNINGS[data[0] % 3], data + 1, size - 1);
    return 0;
}
