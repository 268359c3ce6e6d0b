/* The page of an archive that was uploaded with all that is in it: a link for each result, and what could not be read. */
#ifndef SERVER_PAGES_PAGE_MEMBERS_H
#define SERVER_PAGES_PAGE_MEMBERS_H

#include "core/buf.h"
#include "server/upload/job.h"

/* Its links hold the token, as the address of a single upload's result does behind a form. */
void page_members(struct buf *b, struct str root, const struct job_result *result);

#endif
