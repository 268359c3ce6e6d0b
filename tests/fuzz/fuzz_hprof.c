/* hprof sampling: text and binary, behind what detection asks for; the first byte chooses. */
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str BEGINNINGS[] = {
        STR_INIT("JAVA PROFILE 1.0.2\0\0\0\0\4\0\0\0\0\0\0\0\0"),
        STR_INIT("JAVA PROFILE 1.0.1\0\0\0\0\x08\0\0\0\0\0\0\0\0"),
        STR_INIT("THREAD START (obj=1, id = 5, name=\"a\", group=\"b\")\n")};

    if (size > 0)
        fuzzing_reader(BEGINNINGS[data[0] % 3], data + 1, size - 1);
    return 0;
}
