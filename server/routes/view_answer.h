/* Views as answers: which one a URL asks for, and its headers. */
#pragma once

#include "server/http/exchange.h"
#include "server/pages/pages.h"
#include "server/views/views.h"

/* A field of the form of filters that was left empty: no filter is meant. */
bool view_is_no_step(struct str key, struct str value);

/* As what a list or a profile is answered: as the suffix of *name (.html, .txt, .json) says, which is taken off, or else as
 * the client likes it. */
enum representation view_suffix(const struct exchange *x, struct str *name);

/* What the query asks for, by the keys of the route and those that the output adds. False: diag. */
bool view_query(struct exchange *x, struct view_request *r, struct diag *diag);

/* The record of /p/{id}, and in *r, whose output is set, the view of `tracks` (p == NULL: of those that the query says, or
 * the busiest) that the query asks for. False: x->reply says why not. */
bool view_of_url(struct exchange *x, struct str tracks, struct record *record, struct view_request *r);

/* The same for a report, which is set: of the tracks that the query names, or all. */
bool report_of_url(struct exchange *x, struct record *record, struct view_request *r);

/* Answers with a view, or 304. Waits if it has to be made first. */
enum exchange_step view_answer(struct exchange *x, const struct view_request *r);

/* The same with a view that is there (views_get): takes over what the result holds. */
void view_answer_result(struct exchange *x, unsigned status, const struct view_request *r,
                        struct view_result *result);

/* Who looks at a page, in *v; NULL: the service has no doors. */
const struct page_visitor *view_visitor(const struct exchange *x, struct page_visitor *v);

/* Whether there are cards (render/card/card.h). False: x->reply says that there are none. */
bool card_wanted(struct exchange *x);
/* What a card says of the upload, or of two that are compared, beside its words; b is NULL for one. Behind the options
 * of the request. */
void card_name(struct view_request *r, const struct record *a, const struct record *b);

/* What is done with a view, once it is there: *result is set, then work(x, context) and then(x, context) are called as
 * exchange_work does, with the bytes of the view, or with `bytes` if these are more. */
struct view_work {
    struct view_result *result;
    size_t bytes;
    void (*work)(struct exchange *x, void *context);
    enum exchange_step (*then)(struct exchange *x, void *context);
    void *context;
};
/* For a handler, which returns what this returns. */
enum exchange_step view_work(struct exchange *x, const struct view_request *r, const struct view_work *work);

/* Appends a view's bytes, wherever they are, and frees the result. False: x->reply says why not. */
bool view_take(struct exchange *x, struct view_result *result, struct buf *bytes);

/* Behind the last byte of a page: its tag; 304 in the place of the page where the client has it. */
void page_tag(struct exchange *x, struct buf *page);

/* The summary that is stored, with as many tracks as pages name, and this one. NULL: no memory, or what is stored is no
 * summary. */
json_t *page_summary(struct str stored, const struct view_options *o) MUST_CHECK;

/* The workspace as an answer: waits for what stands around the content (the summary), then for the content
 * of the tab, then makes the page. */

/* A state of the exchange; zeroed. */
struct workspace_answer {
    struct record record;
    struct record other; /* of a comparison, side B */
    struct str pair;     /* of a comparison, both ids as in the URL; empty: the page is of one profile */
    /* What the tab shows. TRACKS_LISTED without any: the main thread, else the heaviest. */
    struct view_request content;
    enum workspace_tab tab;

    /* The rest is of this file. */
    json_t *head;              /* the summary; of a comparison an object with it and the table */
    const json_t *summary;     /* within the head */
    struct buf track;          /* the tracks as text */
    struct view_options card;  /* as asked for: what the picture for chat programs shows */
    bool has_head;             /* or x->reply says why not */
    struct view_result result; /* that is worked on */
};

/* NULL: x->reply says that there is no memory. */
struct workspace_answer *workspace_new(struct exchange *x);

/* What the tab shows: sets content.output or content.report of the tab. */
void workspace_content(struct workspace_answer *a);

/* The caller has set record, tab, workspace_content, and of the content the options and what is asked of
 * the report; of a comparison also the other record and the pair. */
enum exchange_step workspace_answer(struct exchange *x, struct workspace_answer *a);
