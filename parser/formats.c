/* THE TABLE of input formats. A new one is a file with its row, and a line here. */
#include "parser/format.h"

extern const struct format FORMAT_ANDROID_TRACE;
extern const struct format FORMAT_FOLDED_STACKS;

const struct format *const FORMATS[] = {
    &FORMAT_ANDROID_TRACE, &FORMAT_FOLDED_STACKS, /* last: any text could be it */
};

const size_t FORMATS_COUNT = sizeof(FORMATS) / sizeof(*FORMATS);
