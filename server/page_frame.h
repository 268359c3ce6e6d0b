/* What the pages are made of: the frame around each, and text that is escaped. */
#ifndef SERVER_PAGE_FRAME_H
#define SERVER_PAGE_FRAME_H

#include "core/buf.h"

/* Everything from the doctype to the beginning of the content; the title is escaped here. */
void page_frame_begin(struct buf *b, struct str title);
void page_frame_end(struct buf *b);

/* `before`, then the text cleaned and escaped, then `after`: both are markup of our own. */
void page_frame_text(struct buf *b, const char *before, struct str text, const char *after);

#endif
