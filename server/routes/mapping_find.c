/* The names are a view of the profile, which is made and kept as any other. Then the files are read, in turns with others; the search
 * ends if the client has left. */
#include "server/routes/mapping_find.h"

#include <stdatomic.h>

#include "server/http/exchange.h"
#include "server/http/problem.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/upload/mapping_search.h"

struct finding {
    const struct record *record;
    struct str token;
    struct service *service; /* whose searches this one is counted with; NULL: it is not, or no more */
    struct view_result result;
    struct buf names;
    struct mapping_search *search; /* NULL: not begun, or x->reply is made */
};

/* When x->reply is made, so that who has the answer can search again; at the latest when the exchange ends. */
static void end(void *state)
{
    struct finding *f = state;

    mapping_search_free(f->search);
    f->search = NULL;
    buf_free(&f->names);
    if (f->service != NULL)
        atomic_fetch_sub(&f->service->mapping_searches, 1);
    f->service = NULL;
}

/* ---- the answer ---- */

static void put_text(struct exchange *x, struct buf *b, const struct finding *f, struct str file,
                     struct str words)
{
    buf_str(b, file);
    buf_char(b, ' ');
    buf_str(b, words);
    buf_z(b, "\nIt is not applied yet. To apply it:\n  curl -F token=TOKEN --form-string 'known_file=");
    buf_str(b, file);
    buf_z(b, "' ");
    exchange_base_url(x, b);
    buf_printf(b, "/p/%s/mapping\n", f->record->id);
}

static void answer(struct exchange *x, struct finding *f)
{
    struct mapping_offer offer = mapping_search_offer(f->search);
    struct buf words = {0};

    mapping_offer_words(&offer, &words);
    if (words.failed) {
        exchange_no_memory(x, "the answer");
    } else if (x->accepts == AS_HTML) {
        const struct page_mapping page = {page_root(x->path), f->record, offer.file, buf_view(&words),
                                          f->token};
        page_mapping(page_reply(&x->reply, 200), &page);
    } else {
        put_text(x, reply_text(&x->reply, 200, "text/plain; charset=utf-8"), f, offer.file, buf_view(&words));
        reply_header(&x->reply, "Cache-Control", "no-store");
        reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    }
    buf_free(&words);
}

/* ---- the search ---- */

static void search(struct exchange *x, void *context)
{
    struct finding *f = context;
    struct diag diag = {0};

    /* It is no short work any more. */
    turn_set_class(x->turn, TURN_INPUT);
    if (view_take(x, &f->result, &f->names)) {
        f->search = mapping_search_new(x->service, buf_view(&f->names), &diag);
        if (f->search != NULL && mapping_search_run(f->search, x->turn, &diag))
            answer(x, f);
        else
            exchange_diag(x, &diag);
    }
    end(f);
}

static enum exchange_step names_ready(struct exchange *x, const struct view_request *r,
                                      struct view_result *result, void *context)
{
    struct finding *f = context;

    (void)r;
    f->result = *result;
    return exchange_work(x, WORK_ALWAYS, search, NULL, f);
}

/* The names are those that the profile was recorded with, whatever mapping it has by now. */
enum exchange_step mapping_find(struct exchange *x, const struct record *record, struct str token)
{
    struct view_request r = {.report = report_by_name(STR("java-names"), STR(""))};
    struct service *s = x->service;
    struct diag diag = {0};

    if (s->config->mappings_dir[0] == '\0')
        return exchange_problem(x, 404, "no mappings here", "Send the mapping.txt itself.",
                                "This service has no mappings of its own (mappings_dir).");
    struct finding *f = exchange_state(x, sizeof(*f), end);
    if (f == NULL)
        return exchange_no_memory(x, "the search");
    if (atomic_fetch_add(&s->mapping_searches, 1) >= s->config->folds) {
        atomic_fetch_sub(&s->mapping_searches, 1);
        diag_set(&diag, DIAG_BUSY, "too many searches", "Try again when another one has ended.",
                 "Each reads many mappings, and so many are done at a time, and no more.");
        return exchange_diag(x, &diag);
    }
    f->record = record;
    f->token = token;
    f->service = s;
    view_of(&r, record);
    r.upload.names.of[RECORD_MAPPING][0] = '\0';
    report_defaults(s->config, &r.asked);
    report_settle(r.report, s->config, &r.asked);
    return views_get(x, &r, names_ready, f);
}
