/* Names what was refused: "PNG image data", from the first bytes, by libmagic. It never decides what a file
 * is. */
#pragma once

#include <stddef.h>

#include "core/diag.h"

enum { IDENTIFY_BYTES = 4096 };

/* Writes libmagic's words for the first n <= IDENTIFY_BYTES bytes, without anything of the content in it, cut
 * to the field; "data" if it has none. Each thread keeps a cookie of its own until it ends: any thread, but
 * not a connection's. */
void identify(const void *p, size_t n, char *out, size_t out_bytes);

/* Adds to the detail of an unknown format what the file looks like, or what is packed in it, if libmagic
 * has a word for it. Of archives nothing is said: another member than the first may have been meant. p and
 * n as above; any other diag stays as it is. */
void identify_refused(struct diag *diag, const void *p, size_t n);

/* What the parser cannot say: which setting raises a limit, and how something is chosen in a form, a URL or
 * a command. */

/* Adds to the hint what there is to say about the diag's topic, once. */
void diag_add_words(struct diag *diag);
