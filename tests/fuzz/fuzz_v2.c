/* Method traces of ART's version 2, behind what detection asks for; the first byte chooses the version. */
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str BEGINNINGS[] = {STR_INIT("SLOW\4\0"),   STR_INIT("SLOW\5\0"),
                                            STR_INIT("SLOW\6\0"),   STR_INIT("SLOW\xf4\0"),
                                            STR_INIT("SLOW\xf5\0"), STR_INIT("SLOW\xf6\0")};

    if (size > 0)
        fuzzing_reader(BEGINNINGS[data[0] % 6], data + 1, size - 1);
    return 0;
}
