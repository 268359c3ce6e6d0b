/* Texts of perf and simpleperf, behind lines that detection takes for such. */
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str SCRIPT = STR_INIT("# ========\n"),
                            REPORT = STR_INIT("sample:\n  event_type: cycles\n  time: 1\n");
    bool report = size > 0 && data[0] == 's';

    fuzzing_reader(report ? REPORT : SCRIPT, data, size);
    return 0;
}
