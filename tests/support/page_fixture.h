/* Pages of a profile that was made up, and what must be true of all pages. What is not as expected fails
 * the running test. */
#pragma once

#include <jansson.h>

#include "server/pages/pages.h"

#define PAGES_ID "abcdefghijklmnopqrstuvwxy2" /* of the record */

/* What pages_put_workspace shows as the picture, without its style and script. */
#define PAGES_SVG_START  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\">\n"
#define PAGES_SVG_MIDDLE "<g class=\"f\"><g><title>x</title></g></g>\n"
#define PAGES_SVG_END    "</svg>\n"

/* True of every page: a frame, no script or style within it, no inline style or handler, balanced elements, a label
 * for every field, and no link that would leave a path that a proxy put in front. */
void pages_check(const char *page);
/* The page holds each of them. */
void pages_check_all(const char *page, const char *const *all, size_t n);
#define PAGES_CHECK_ALL(page, all) pages_check_all(page, all, sizeof(all) / sizeof((all)[0]))

struct record pages_record(const char *name);
/* Tracks 100, 101 and so on, of one name; the caller's. */
json_t *pages_summary(int n_tracks, const char *name);
json_t *pages_track(int id, const char *name);
/* What a summary says of all tracks together; again after some were added. */
void pages_add_whole(json_t *summary);

extern const struct table_request PAGES_NO_ROWS;

/* The page of a picture as it is drawn, with its style; days after the upload. */
void pages_put_workspace_after(struct buf *b, const struct record *r, const json_t *summary,
                               const char *track, const char *options, int days);
void pages_put_workspace(struct buf *b, const struct record *r, const json_t *summary, const char *track,
                         const char *options);
