/* The chart of one series: a dot for each point, which leads to its typical run, with a line from its least value to its
 * most; behind them the medians between the changes, and the noise around these. SVG as part of a page: no script, and its
 * colours are the page's. */
#ifndef SERVER_PAGES_SERIES_CHART_H
#define SERVER_PAGES_SERIES_CHART_H

#include "server/spaces/series_value.h"

/* Appends the chart; nothing where no point has a value. `root`: what stands before p/ID in a link. */
void series_chart(struct buf *b, const struct series_list *l, const struct series_told *told,
                  const struct series *s, struct str root);

#endif
