/* The page of a series. */
#pragma once

#include "server/pages/page_frame.h"
#include "server/spaces/series_value.h"

struct page_series {
    struct str space, query;
    const struct series_list *list;
    const struct series_told *told;
    const struct page_visitor *visitor;
};
void page_series(struct buf *b, const struct page_series *p);
