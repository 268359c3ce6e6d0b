/* A profile in words: what render/verdict says of it. */
#ifndef SERVER_CONVERT_VERDICT_H
#define SERVER_CONVERT_VERDICT_H

#include "render/verdict/verdict.h"
#include "server/convert/convert.h"

/* Appends the sentences about a profile in that format. For the long calls of the main thread the profile's bytes are read
 * again, from behind the descriptor; -1: there are none, and rules that need them stay silent. `stop` as for
 * conversion_finish. False: diag. */
bool convert_verdict(const struct shared_profile *f, const struct config *config, int fd,
                     const atomic_bool *stop, const struct view_options *view,
                     const struct verdict_format *format, struct buf *out, struct diag *diag);

#endif
