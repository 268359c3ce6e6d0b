/* The HTML pages: functions from data to text. No inline script or style; every text from outside is escaped.
 * `root` is where the front page is, seen from the page (page_frame.h). */
#ifndef SERVER_PAGES_PAGES_H
#define SERVER_PAGES_PAGES_H

#include <jansson.h>

#include "core/buf.h"
#include "render/view/view.h"
#include "server/config/config.h"
#include "server/http/problem.h"
#include "server/store/record.h"

/* The upload form. `base` is the service's own URL, for the curl line. */
void page_upload(struct buf *b, struct str base, const struct config *config);
/* The same as a manual for the terminal. */
void page_manual(struct buf *b, struct str base, const struct config *config);

/* ---- one profile ---- */

/* Views that are being made ahead. */
struct page_progress {
    uint64_t bytes, records;
    struct str format;
    uint32_t n_made, n_views; /* n_views 0: nothing is being made any more */
};

/* The threads that a page names; the JSON names all. */
enum { PAGE_TRACKS_MAX = 1000 };

/* /p/<id>: warnings, facts, threads by weight. `summary` is the part of it with PAGE_TRACKS_MAX tracks; NULL while it
 * is being made as well. `max_days` is how long after its upload a profile can be kept. */
struct page_result {
    const struct record *record;
    const json_t *summary;
    struct page_progress progress;
    uint64_t max_days;
    int64_t now_s;
};
void page_result(struct buf *b, const struct page_result *p);
/* Its parts that stand before the threads. */
void page_warnings(struct buf *b, const json_t *warnings);
void page_facts(struct buf *b, const struct record *r, const json_t *summary);

/* /p/<id>/t/<track>: one picture, with what leads to the others. */
struct page_flame {
    const struct record *record;
    const json_t *summary; /* with PAGE_TRACKS_MAX tracks, and the one it is of and those beside it */
    const struct view_options *options; /* as asked for */
    struct str track;                   /* as the URL has it: digits and commas, "all" or "merged" */
    struct str svg;                     /* output "svg" of these options */
};
void page_flame(struct buf *b, const struct page_flame *p);

/* The form behind /p/<id>/delete?token= */
void page_delete(struct buf *b, const struct record *r, struct str token);
void page_deleted(struct buf *b, struct str root, const struct record *r);

/* Fills x->reply: the whole answer, headers included. */
void page_problem(struct exchange *x, const struct problem *p);

#endif
