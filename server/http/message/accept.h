/* Fields of preferences, as Accept and Accept-Encoding are (RFC 9110, 12.4): their members and how much each
 * is wanted. Pure. */
#ifndef SERVER_HTTP_MESSAGE_ACCEPT_H
#define SERVER_HTTP_MESSAGE_ACCEPT_H

#include "core/str.h"

enum { ACCEPT_NEVER = 0, ACCEPT_GLADLY = 1000 };

/* Takes the next member off the front of *field: its value without blanks and parameters, and its quality in
 * thousandths, ACCEPT_GLADLY where none is said. What is said and is no quality counts as ACCEPT_NEVER. False
 * at the end. */
bool accept_next(struct str *field, struct str *value, unsigned *quality);

#endif
