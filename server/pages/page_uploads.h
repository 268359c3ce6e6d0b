/* /uploads: the uploads that a browser knows. The list is the browser's own (static/upload-list.js); the service
 * has none, and its page is the same for everyone. */
#ifndef SERVER_PAGES_PAGE_UPLOADS_H
#define SERVER_PAGES_PAGE_UPLOADS_H

#include "core/buf.h"

void page_uploads(struct buf *b);

#endif
