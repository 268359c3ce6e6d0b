/* Form fields as a browser sends them: application/x-www-form-urlencoded. */
#ifndef SERVER_HTTP_FORM_H
#define SERVER_HTTP_FORM_H

#include "core/buf.h"

/* Appends the decoded value of the first field of that name (a + is a blank; a % without two digits stands for
 * itself). False, with nothing appended: there is none. Any bytes may come out. */
bool form_field(struct str form, struct str name, struct buf *value);

#endif
