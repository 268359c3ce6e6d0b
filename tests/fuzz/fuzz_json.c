/* Profiles in JSON, of all families. */
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzzing_reader(STR("{"), data, size);
    return 0;
}
