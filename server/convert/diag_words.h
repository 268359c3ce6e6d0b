/* What the parser cannot say: which setting raises a limit, and how something is chosen in a form, a URL or
 * a command. */
#ifndef SERVER_CONVERT_DIAG_WORDS_H
#define SERVER_CONVERT_DIAG_WORDS_H

#include "core/diag.h"

/* Adds to the hint what there is to say about the diag's topic, once. */
void diag_add_words(struct diag *diag);

#endif
