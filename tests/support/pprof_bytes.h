/* Writes a small pprof profile: three sample types, inlined lines, a location without a name, one that is
 * not listed, a label of a thread, a value below 0. */
#pragma once

#include "core/buf.h"

struct pprof_options {
    const char *default_type; /* NULL: none is said */
    bool strings_first;
    bool packed; /* lists of numbers in one field */
    bool positive;
    bool labels;
};

void pprof_put(struct buf *b, const struct pprof_options *options);
