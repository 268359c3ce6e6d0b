/* Regular method traces, behind what detection asks for. */
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzzing_reader(STR("*version\n"), data, size);
    return 0;
}
