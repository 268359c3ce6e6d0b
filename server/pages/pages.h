/* The HTML pages: functions from data to text. No inline script or style; every text from outside is escaped.
 * `root` is where the front page is, seen from the page (page_frame.h). */
#pragma once

#include <jansson.h>

#include "core/buf.h"
#include "core/diag.h"
#include "render/table/diff.h"
#include "render/view/asked.h"
#include "render/view/view.h"
#include "server/config/config.h"
#include "server/http/exchange.h"
#include "server/pages/page_frame.h"
#include "server/store/record.h"

/* The upload form, or the way to the login for who may not upload. `base` is the service's own URL, for the curl line;
 * `visitor` is NULL where there are no doors. */
void page_upload(struct buf *b, struct str base, const struct config *config,
                 const struct page_visitor *visitor);
/* The same as a manual for the terminal. */
void page_manual(struct buf *b, struct str base, const struct config *config);

/* /uploads: the uploads that a browser knows. The list is the browser's own (static/upload-list.js); the service
 * has none, and its page is the same for everyone. */
void page_uploads(struct buf *b, const struct page_visitor *visitor);
/* The input formats in words, from their table, each with the separator between it and the next. Nothing
 * in it needs to be escaped. */
void page_formats(struct buf *b, const char *separator);

/* ---- one profile ---- */

/* The threads that a page names; the JSON names all. */
enum { PAGE_TRACKS_MAX = 5000 };

enum workspace_tab {
    TAB_FLAME,
    TAB_METHODS,
    TAB_METHOD, /* one of them */
    TAB_VERDICT,
    TAB_FRAMES /* that were late */
};

/* The rows of the table of methods that a page has; a script loads all. */
enum { METHODS_PAGE_ROWS = 200 };

/* What a comparison has beside the workspace of A, the record. */
struct page_compared {
    const struct record *b;
    struct str pair; /* both ids, as in the URL */
    const struct diff_request *asked;
    /* The table of changes as JSON (render/table/table_formats.c), of which the rows are not needed. */
    const json_t *table;
};

/* The workspace: /p/<id> and the pages below it, of which each is the same page in another state. */
/* What who looks may do with an upload. */
struct page_rights {
    bool change, remove; /* without its delete token */
    bool own;            /* it is theirs */
    bool waits;          /* It is not in the object store yet: nobody can change it. */
    bool knows_team;     /* the service has doors, and who looks is known */
    /* Who looks could log in: the path of this page, without its first slash; else empty. */
    struct str way_back;
};

struct page_workspace {
    struct page_rights rights;
    const struct record *record;
    const json_t *summary; /* with PAGE_TRACKS_MAX tracks, and the one that is shown */
    struct str root;       /* where the front page is, seen from this page */
    enum workspace_tab tab;
    const struct view_options *options; /* as asked for, with the tracks that are shown */
    struct str track;                   /* these as a URL has them: digits and commas, "all" or "merged" */
    /* What the tab shows: the output "svg" of these options, or the text of /methods.txt or /m/<method>.txt. */
    struct str content;
    /* In place of that, TAB_VERDICT and TAB_FRAMES: what /verdict.json or /frames.json answers. */
    const json_t *told;
    const struct table_request *rows; /* of the table, as asked for */
    struct str method;                /* TAB_METHOD: its id or name, as asked for */
    const struct diag *trouble;       /* why there is nothing to show; else NULL */
    struct str base; /* the service's own URL, for chat programs; empty: they are told nothing */
    const struct view_options
        *card;            /* what their picture shows: options, and tracks if they were asked for */
    struct str pass;      /* for pictures that stand alone (views/policies.h); may be empty */
    struct str card_pass; /* of the link with a preview; empty: it is not offered */
    /* The id of a mapping of this build that the service has, and the upload not; or empty. */
    struct str known_mapping;
    uint64_t max_days; /* how long after its upload a profile can be kept */
    int64_t now_s;
    const struct config *config;          /* what is offered beside the profile */
    const struct page_compared *compared; /* NULL: it is of one profile */
};
void page_workspace(struct buf *b, const struct page_workspace *p);
/* Opens <article>, whose attributes tell the scripts what the browser's list of uploads keeps; `more` is markup. */
void page_profile_element(struct buf *b, const struct record *r, struct str format, const char *more);
/* The facts in one line, behind which all of them unfold, for who is not known to the service. */
void page_facts(struct buf *b, const struct record *r, const json_t *summary);

/* For chat programs, by the owner's link: a name and a card, whose address is markup. */
void page_preview(struct buf *b, const struct record *r, struct str image);

/* The page that is one file. */
struct page_bundle {
    const struct record *record;
    const json_t *summary; /* with PAGE_TRACKS_MAX tracks */
    struct str parts;      /* as convert_bundle made them */
};
void page_bundle(struct buf *b, const struct page_bundle *p);

/* What was found for /p/<id>/mapping with known=by-names: nothing is applied before its button is pressed. */
struct page_mapping {
    struct str root;
    const struct record *record;
    struct str file;  /* of the mapping, below its folder */
    struct str words; /* behind its name: what speaks for it */
    struct str token; /* of the upload, as it was sent; p == NULL: to be typed */
    bool may_change;  /* without a token */
};
void page_mapping(struct buf *b, const struct page_mapping *p);

/* The form behind /p/<id>/delete, into which the token is typed by who may not remove it without. */
void page_delete(struct buf *b, const struct record *r, bool may_remove);
void page_deleted(struct buf *b, struct str root, const struct record *r);

/* The page of an archive that was uploaded with all that is in it: a link for each result, and what could
 * not be read. The links hold the token, as the address of a single upload's result does behind a form. */
struct job_result;
void page_members(struct buf *b, struct str root, const struct job_result *result);

/* The list of a space. */
struct page_space {
    struct str space, query;
    struct str rows; /* entries (server/spaces/entry.h), one a line */
    struct str next; /* where to go on behind them; empty: that is all */
    bool goes_on;    /* it is not the beginning of the list */
    const struct page_visitor *visitor;
};
void page_space(struct buf *b, const struct page_space *p);
/* A label as an item of a list, which leads to what has it in the list of the space at this URL; p == NULL: to nothing. `kind`
 * is "" or " known". */
void page_label(struct buf *b, struct str list, const char *kind, struct str key, struct str value);

/* /login. `to`: where to go on, as a field of the form keeps it; `refused`: the token before was none. */
void page_login(const struct exchange *x, struct buf *b, struct str to, bool refused);

/* Fills x->reply: the whole answer, headers included. */
void page_problem(struct exchange *x, const struct problem *p);
