/* How long an upload is kept, as clients write it. Pure. */
#ifndef SERVER_UPLOAD_EXPIRY_H
#define SERVER_UPLOAD_EXPIRY_H

#include "core/str.h"

enum { EXPIRY_DAY_S = 86400 };

/* "7" and "7d" are days, "12h" hours; blanks around them are passed over. False: it is neither, or 0, or more than
 * max_s seconds. */
bool expiry_parse(struct str text, uint64_t max_s, uint64_t *seconds) __attribute__((warn_unused_result));

#endif
