/* The workspace as an answer: waits for what stands around the content (the summary), then for the content of the tab, then
 * makes the page. */
#ifndef SERVER_ROUTES_HANDLE_COMPARE_H
#define SERVER_ROUTES_HANDLE_COMPARE_H

#include "server/pages/pages.h"
#include "server/views/views.h"

/* A state of the exchange; zeroed. */
struct workspace_answer {
    struct record record;
    struct record other; /* of a comparison, side B */
    struct str pair;     /* of a comparison, both ids as in the URL; empty: the page is of one profile */
    struct view_request
        content; /* what the tab shows. TRACKS_LISTED without any: the main thread, else the heaviest */
    enum workspace_tab tab;

    /* The rest is of this file. */
    json_t *head;              /* the summary; of a comparison an object with it and the table */
    const json_t *summary;     /* within the head */
    struct buf track;          /* the tracks as text */
    bool has_head;             /* or x->reply says why not */
    struct view_result result; /* that is worked on */
};

/* NULL: x->reply says that there is no memory. */
struct workspace_answer *workspace_new(struct exchange *x);

/* What the tab shows: sets content.output or content.report of the tab. */
void workspace_content(struct workspace_answer *a);

/* The caller has set record, tab, workspace_content, and of the content the options and what is asked of the report; of a
 * comparison also the other record and the pair. */
enum exchange_step workspace_answer(struct exchange *x, struct workspace_answer *a);

#endif
