/* The input formats, in words. A file of its own, since what draws does not know what reads. */
#ifndef SERVER_PAGES_PAGE_FORMATS_H
#define SERVER_PAGES_PAGE_FORMATS_H

#include "core/buf.h"

/* What is accepted, from the table of formats, each with the separator between it and the next. Nothing in it
 * needs to be escaped. */
void page_formats(struct buf *b, const char *separator);

#endif
