/* The page of a check. */
#pragma once

#include "server/pages/page_frame.h"
#include "server/spaces/space_check.h"

struct page_check {
    struct str space, root;
    const struct space_check *check;
    struct str uploads; /* ids of what was uploaded for it, if something was */
    const struct page_visitor *visitor;
};
void page_check(struct buf *b, const struct page_check *p);
