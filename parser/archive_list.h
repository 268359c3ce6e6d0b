/* What an archive has that is read here: its members that a format recognises, in their order. */
#ifndef PARSER_ARCHIVE_LIST_H
#define PARSER_ARCHIVE_LIST_H

#include "parser/format.h"
#include "parser/source.h"
#include "parser/unpack/unpack.h"

/* The archive that the file is, packed in a stream or not; NULL: it is none, or cannot be read. */
const struct packer *archive_list_packer(const struct source_input *file);

/* Tells `each` of the members that a format recognises, and of those that cannot be looked into, but not of those that have names for
 * others; it returns false to hear of no more. Names are valid during the call. *report says whether the archive is whole: behind a
 * damage there may be others. False: diag. */
bool archive_list(const struct packer *archive, const struct source_input *file, struct arena *arena,
                  const struct unpack_limits *limits,
                  bool (*each)(void *context, const struct unpack_member *member), void *context,
                  struct unpack_report *report, struct diag *diag) __attribute__((warn_unused_result));

#endif
