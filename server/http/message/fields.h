/* Names of form fields and query keys. What nobody knows is refused by its name, so that a misspelt one is not taken for
 * one left out. A list of names is one text with a blank between two. */
#ifndef SERVER_HTTP_MESSAGE_FIELDS_H
#define SERVER_HTTP_MESSAGE_FIELDS_H

#include "core/diag.h"
#include "core/str.h"

bool fields_have(const char *known, struct str name);

/* Sets the diag, and returns false: there is no `what` ("field of a form", "query key") of that name. */
bool fields_refuse(struct diag *diag, const char *what, struct str name, const char *known);

#endif
