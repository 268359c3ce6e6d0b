/* Detection: no format answers more bytes differently once it has answered, and each answers in the end. */
#include <stdlib.h>

#include "parser/format.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct format *f, const uint8_t *data, size_t size)
{
    enum detection whole = f->detect(data, size, size < DETECT_BYTES_MAX);
    size_t cuts[FUZZING_CUTS];

    fuzzing_check(whole != DETECT_MORE);
    fuzzing_cut_points(data, size, cuts);
    for (size_t i = 0; i < FUZZING_CUTS; i++) {
        struct str part = fuzzing_copy(data, cuts[i]);
        enum detection early = f->detect((const uint8_t *)part.p, part.n, false);
        fuzzing_check(early == whole || (early == DETECT_MORE && part.n < DETECT_BYTES_MAX));
        fuzzing_check(f->detect((const uint8_t *)part.p, part.n, true) != DETECT_MORE);
        free((char *)part.p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DETECT_BYTES_MAX)
        size = DETECT_BYTES_MAX;
    for (size_t i = 0; i < FORMATS_COUNT; i++)
        ask(FORMATS[i], data, size);
    for (size_t i = 0; i < REFUSED_FORMATS_COUNT; i++)
        ask(REFUSED_FORMATS[i], data, size);
    return 0;
}
