/* What a file is that is a member of an archive, by its first bytes; and what an archive has that is read here. */
#pragma once

#include "parser/format.h"
#include "parser/source.h"
#include "parser/unpack/unpack.h"

/* What a file is that has names for another one (format.h, is_beside). */
extern const char RECOGNISED_BESIDE[];

/* RECOGNISED_BESIDE, or the label of the format, which stays; NULL: none that is read. `whole`: the file
 * has no more bytes. A file that is packed as a stream once more is what comes out of it. For
 * unpack_options. */
const char *recognise_format(const uint8_t *p, size_t n, bool whole);

/* The archive that the file is, packed in a stream or not; NULL: it is none, or cannot be read. */
const struct packer *recognise_archive(const struct source_input *file);

/* Tells `each` of the members that a format recognises, and of those that cannot be looked into, but not
 * of those that have names for others; it returns false to hear of no more. Names are valid during the
 * call. *report says whether the archive is whole: behind a damage there may be others. False: diag. */
bool recognise_members(const struct packer *archive, const struct source_input *file, struct arena *arena,
                       const struct unpack_limits *limits,
                       bool (*each)(void *context, const struct unpack_member *member), void *context,
                       struct unpack_report *report, struct diag *diag) MUST_CHECK;
