/* Whether a method trace was passed through a conversion of text on its way: of its characters, or of its line ends.
 *
 * Only what a conversion leaves and nothing else does counts: bytes that a recorder cannot have written, records that do
 * not fit as they are and would fit as they were before, line ends that are there too often or not at all. What is not
 * certain is no conversion, and is reported as the damage that it looks like: a few records whose bytes happen to be below
 * 80; CR LF that became LF in less than a MB; the LEB128 numbers of ART's version 2 when it is not streaming, without
 * their highest bits. */
#ifndef PARSER_ANDROID_CONVERTED_H
#define PARSER_ANDROID_CONVERTED_H

#include "parser/android/common.h"

enum { ANDROID_LINES_BYTES = 64 }; /* of a key section, that android_lines_converted looks at */

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

/* The binary part goes by, n > 0 bytes of it. */
void android_count_line_ends(struct android_line_ends *e, const uint8_t *p, size_t n);
static inline void android_note_line_ends(struct android *a, const uint8_t *p, size_t n)
{
    if (!a->line_ends.usual && n > 0)
        android_count_line_ends(&a->line_ends, p, n);
}
/* By the line ends of the whole binary part, which begins at `offset`. Records named so many threads and methods that are
 * not listed. */
bool android_line_ends_converted(struct android *a, size_t n_unlisted, uint64_t offset);

#endif
