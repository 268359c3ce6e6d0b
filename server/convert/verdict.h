/* A profile in words: what render/verdict says of it. */
#ifndef SERVER_CONVERT_VERDICT_H
#define SERVER_CONVERT_VERDICT_H

#include "render/verdict/verdict.h"
#include "server/convert/convert.h"

/* Appends the sentences about a profile in that format. For the long calls of the main thread the bytes are read
 * again; where there is no file, rules that need them stay silent. False: diag. */
bool convert_verdict(const struct convert_source *s, const struct view_options *view,
                     const struct verdict_format *format, struct buf *out, struct diag *diag);

#endif
