/* Any bytes, of which a reading is told to end at some question: it ends soon. */
#include <stdio.h>

#include "tests/support/fuzzing.h"
#include "tests/support/stopping.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { TIMES = 8 };
    unsigned asked;
    const char *wrong = stopping_tried((struct str){(const char *)data, size}, TIMES, size, &asked);

    if (wrong != NULL)
        fprintf(stderr, "%s\n", wrong);
    fuzzing_check(wrong == NULL);
    return 0;
}
