/* Whether the binary part of a method trace went through a conversion of text on its way. Such a file is refused: what
 * the conversion changed cannot be told from what was there. Only two conversions are looked for, both where they are
 * certain; all others are told at the end by the methods and threads that fit no more (WARN_MOSTLY_UNLISTED). */
#ifndef PARSER_ANDROID_CONVERTED_H
#define PARSER_ANDROID_CONVERTED_H

#include <stddef.h>

#include "core/diag.h"

enum { ANDROID_WINDOW_BYTES = 4096 }; /* of the binary part, that are looked at */

/* By the first n bytes of the binary part, which begins with its header at `offset` of the file: 0 where names stand
 * among the records, and not in a text before them. n is less
 * than ANDROID_WINDOW_BYTES only if the file ends. `lf_before`: text stands before them whose lines end in LF alone.
 * True: diag is set. */
bool android_converted(const uint8_t *p, size_t n, uint64_t offset, bool lf_before, struct diag *diag);

#endif
