/* Whether a method trace was passed through a conversion of text on its way: of its characters, or of its line ends.
 *
 * Only what a conversion leaves and nothing else does counts: bytes that a recorder cannot have written, records that do
 * not fit as they are and would fit as they were before. What is not certain is no conversion, and is reported as the
 * damage that it looks like: a few records whose bytes happen to be below 80; what a long-running recording has lost, as
 * its methods stand at its end; the LEB128 numbers of ART's version 2 when it is not streaming, without their highest
 * bits; and a CR that its blocks, or a header, have lost. */
#ifndef PARSER_ANDROID_CONVERTED_H
#define PARSER_ANDROID_CONVERTED_H

#include "parser/android_common.h"

enum {
    ANDROID_LINES_BYTES = 64,   /* of a key section, that android_lines_converted looks at */
    ANDROID_DOUBTS_MAX = 16,    /* places that are looked at for a lost CR */
    ANDROID_BEFORE_BYTES = 256, /* the largest record before them */
};

/* How the records of a regular file are laid out. */
struct android_records {
    uint64_t at; /* the first one, from the beginning of the binary part */
    uint32_t bytes;
    bool one_byte_thread, two_times;
};

/* All set diag if they return true. */

/* By the first ANDROID_LINES_BYTES of a file that begins with *version. */
bool android_lines_converted(const uint8_t *p, size_t n, struct diag *diag);

/* By the first ANDROID_WINDOW_BYTES of the binary part, which begins at `offset`. What only the names there have in
 * common with such a file does not count. */
bool android_text_damaged(struct android *a, const uint8_t *p, size_t n, uint64_t offset);

/* The same of the records there, once all threads and methods are listed. */
bool android_records_converted(struct android *a, const uint8_t *p, size_t n, uint64_t offset,
                               const struct android_records *r);

/* By a binary version that nobody writes. */
bool android_version_converted(uint32_t version, struct diag *diag);

/* The size of the packet at p, of n bytes, if it is one that makes sense there; or 0. */
typedef size_t android_fits(const struct android *a, const uint8_t *p, size_t n,
                            const struct android_records *r);

/* The same of a record: its thread and method are listed, and its action is one. */
android_fits android_record_fits;

/* Whether the record before the n bytes at p lost a CR before a LF, or two: `before` is it as it is now, and ends with
 * bytes of the next one; what is behind p does not fit, but does so many bytes earlier. The n bytes are all there are,
 * or ANDROID_WINDOW_BYTES. */
bool android_lost_cr(struct android *a, const uint8_t *before, const uint8_t *p, size_t n, uint64_t offset,
                     const struct android_records *r, android_fits *fits);

#endif
