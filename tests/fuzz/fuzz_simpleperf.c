/* simpleperf's report-sample files, behind their header. */
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzzing_reader(STR("SIMPLEPERF\1\0"), data, size);
    return 0;
}
