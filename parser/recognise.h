/* What a file is that is a member of an archive, by its first bytes. */
#ifndef PARSER_RECOGNISE_H
#define PARSER_RECOGNISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a file is that has names for another one (format.h, is_beside). */
extern const char RECOGNISED_BESIDE[];

/* RECOGNISED_BESIDE, or the label of the format, which stays; NULL: none that is read. `whole`: the file has no more bytes. A file that
 * is packed as a stream once more is what comes out of it. For unpack_options. */
const char *recognise_format(const uint8_t *p, size_t n, bool whole);

#endif
