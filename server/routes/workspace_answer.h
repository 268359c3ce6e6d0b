/* The workspace as an answer: waits for the summary and for what the tab shows, then makes the page. */
#ifndef SERVER_ROUTES_WORKSPACE_ANSWER_H
#define SERVER_ROUTES_WORKSPACE_ANSWER_H

#include "server/pages/pages.h"
#include "server/views/views.h"

/* A state of the exchange; zeroed. */
struct workspace_answer {
    struct record record;
    struct view_request
        content; /* what the tab shows. TRACKS_LISTED without any: the main thread, else the heaviest */
    enum workspace_tab tab;
    struct buf summary;        /* the part of it that the page needs */
    struct buf track;          /* the tracks as text */
    bool has_summary;          /* or x->reply says why not */
    struct view_result result; /* that is worked on */
};

/* NULL: x->reply says that there is no memory. */
struct workspace_answer *workspace_new(struct exchange *x);

/* The caller has set record, tab and of the content the options; of a tab of methods also its report, as
 * JSON, and what is asked of it. */
enum exchange_step workspace_answer(struct exchange *x, struct workspace_answer *a);

#endif
