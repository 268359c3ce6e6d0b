/* How well a mapping.txt fits a profile: the share of the profile's names that it knows, counted as where
 * it is applied. The names are taken out of the profile first (convert_java_names), so that no profile is
 * held while files are read.
 *
 *     mapping_fit_new -> mapping_fit_feed .. -> mapping_fit_finish, mapping_fit_free
 *
 * Memory grows with the names and not with the file. One thread. */
#pragma once

#include "profile/mapping/mapping.h"
#include "server/convert/convert.h"

/* Appends the names that mappings are asked about and that are no platform's, in a form of this room's
 * own. False: diag. */
struct report_input;
bool convert_java_names(const struct report_input *in, struct buf *out, struct diag *diag) MUST_CHECK;

struct mapping_fit;

/* `names`, as above, must outlive it; with none it only tells whether bytes are a mapping at all. NULL: diag. */
struct mapping_fit *mapping_fit_new(struct str names, size_t memory_bytes, struct diag *diag) MUST_CHECK;
void mapping_fit_free(struct mapping_fit *f); /* NULL is fine */

/* False: diag. DIAG_NO_MEMORY is the machine's want; all other kinds are about this file: it is no mapping
 * (DIAG_UNUSABLE and others), or needs more than the memory that it was given (DIAG_LIMIT). */
bool mapping_fit_feed(struct mapping_fit *f, struct str bytes, struct diag *diag) MUST_CHECK;
/* Behind the last byte. False as above. */
bool mapping_fit_finish(struct mapping_fit *f, struct mapping_share *share, struct diag *diag) MUST_CHECK;
