/* Whether bytes are a mapping.txt, told while they arrive: so that one which is none is refused at once, and not when somebody
 * looks at the profile. Keeps nothing of them. One thread. */
#ifndef SERVER_CONVERT_MAPPING_CHECK_H
#define SERVER_CONVERT_MAPPING_CHECK_H

#include "core/diag.h"
#include "core/str.h"

struct mapping_check;

/* NULL: no memory. */
struct mapping_check *mapping_check_new(void) __attribute__((warn_unused_result));
void mapping_check_free(struct mapping_check *c); /* NULL is fine */

/* False: diag. */
bool mapping_check_feed(struct mapping_check *c, struct str bytes, struct diag *diag)
    __attribute__((warn_unused_result));
/* Behind the last byte. */
bool mapping_check_finish(struct mapping_check *c, struct diag *diag) __attribute__((warn_unused_result));

#endif
