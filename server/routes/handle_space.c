/* /s/<space>: the uploads of a space, as a page, JSON, or a line of text each. */
#include <string.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/system/json_memory.h"
#include "server/http/exchange.h"
#include "server/pages/page_data.h"
#include "server/pages/pages.h"
#include "server/routes/admit.h"
#include "server/routes/handle_space.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"

enum { ROWS_USUAL = 50, ROWS_MOST = 500 };

/* ---- what is asked ---- */

/* "1764150000-<id>": the last upload of an answer. */
static bool read_cursor(struct str text, struct record_entry *before)
{
    struct str created;
    uint64_t created_s;

    *before = (struct record_entry){0};
    if (text.n == 0)
        return true;
    if (!str_split(&text, '-', &created) || !str_to_u64(created, 10, &created_s) || created_s > INT64_MAX ||
        text.p == NULL || !record_id_valid(text))
        return false;
    before->created_s = (int64_t)created_s;
    memcpy(before->id, text.p, text.n);
    return true;
}

static void put_cursor(struct buf *b, const struct record_entry *last)
{
    buf_printf(b, "%lld-%s", (long long)last->created_s, last->id);
}

bool space_asked(struct space_list *l, struct str space, struct str query, struct str next, struct str rows,
                 struct diag *diag)
{
    uint64_t most = ROWS_USUAL;

    l->asked = (struct spaces_asked){.query = &l->query};
    memcpy(l->space, space.p, space.n);
    l->space[space.n] = '\0';
    l->asked.space = str_of(l->space);
    if (rows.p != NULL && (!str_to_u64(rows, 10, &most) || most == 0 || most > ROWS_MOST))
        return diag_set(diag, DIAG_USAGE, "not so many", "Leave rows out, or say rows=50.",
                        "rows is a number from 1 to %d.", ROWS_MOST);
    if (!read_cursor(next, &l->asked.before))
        return diag_set(diag, DIAG_USAGE, "not a continuation", "Take `next` of the answer before.",
                        "next is none that an answer said.");
    l->asked.most = (size_t)most;
    return query_parse(&l->query, query, diag);
}

static void take_entry(void *context, const struct entry *e)
{
    struct space_list *l = context;

    buf_str(&l->rows, entry_text(e));
    buf_char(&l->rows, '\n');
    buf_bytes(&l->ids, e->name.id, RECORD_ID_CHARS);
    l->last = e->name;
    l->n++;
}

bool space_rows(const struct service *service, struct space_list *l, struct diag *diag)
{
    return spaces_list(service->spaces, &l->asked, take_entry, l, &l->more, diag) &&
           ((!l->rows.failed && !l->ids.failed) || diag_no_memory(diag, "No memory for the list."));
}

void space_list_end(void *space_list)
{
    struct space_list *l = space_list;

    buf_free(&l->rows);
    buf_free(&l->ids);
}

/* ---- answers ---- */

static void put_row(struct exchange *x, struct json *j, struct str row, struct str id)
{
    struct buf with_url = {0};

    buf_z(&with_url, "{\"url\":\"");
    exchange_base_url(x, &with_url);
    buf_printf(&with_url, "/p/%.*s\",", (int)id.n, id.p);
    buf_str(&with_url, str_from(row, 1));
    json_line(j);
    json_put_raw(j, NULL, buf_view(&with_url));
    buf_part_end(j->b, &with_url);
}

static void answer_json(struct exchange *x, const struct space_list *l)
{
    struct buf *b = reply_text(&x->reply, 200, "application/json"), next = {0};
    struct json j = json_into(b);
    struct str rest = buf_view(&l->rows), id = {buf_view(&l->ids).p, RECORD_ID_CHARS}, row;

    json_open_object(&j, NULL);
    json_put_string(&j, "space", str_of(l->space));
    json_open_array(&j, "profiles");
    for (; rest.n > 0 && str_split(&rest, '\n', &row); id.p += RECORD_ID_CHARS)
        put_row(x, &j, row, id);
    json_close(&j);
    if (l->more) {
        put_cursor(&next, &l->last);
        json_put_string(&j, "next", buf_view(&next));
    }
    json_close(&j);
    buf_char(b, '\n');
    buf_part_end(b, &next);
}

static void put_labels(struct buf *b, const json_t *labels)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)(uintptr_t)labels, key, value) {
        struct buf query = {0};
        query_put_label(&query, str_of(key), page_data_text(labels, key));
        buf_char(b, ' ');
        clean_text(b, buf_view(&query));
        buf_part_end(b, &query);
    }
}

void space_put_text(struct exchange *x, const struct space_list *l, struct buf *b)
{
    struct str rest = buf_view(&l->rows), row;

    while (rest.n > 0 && str_split(&rest, '\n', &row)) {
        json_t *entry = json_memory_load(row, 0, NULL);
        b->failed = b->failed || entry == NULL;
        exchange_base_url(x, b);
        buf_z(b, "/p/");
        buf_str(b, page_data_text(entry, "id"));
        buf_char(b, ' ');
        buf_str(b, page_data_text(entry, "created"));
        buf_char(b, ' ');
        clean_text(b, page_data_text(entry, "name"));
        put_labels(b, json_object_get(entry, "label"));
        buf_z(b, page_data_text(entry, "headline").n > 0 ? " | " : "");
        clean_text(b, page_data_text(entry, "headline"));
        buf_char(b, '\n');
        json_decref(entry);
    }
    if (l->n == 0)
        buf_z(b, "# nothing is listed that fits\n");
    if (l->more) {
        buf_z(b, "# more: next=");
        put_cursor(b, &l->last);
        buf_char(b, '\n');
    }
}

static void answer_page(struct exchange *x, const struct space_list *l)
{
    struct buf next = {0};
    struct page_visitor visitor;

    if (l->more)
        put_cursor(&next, &l->last);
    const struct page_space page = {.space = str_of(l->space),
                                    .query = x->query(x, "q"),
                                    .rows = buf_view(&l->rows),
                                    .next = buf_view(&next),
                                    .goes_on = l->asked.before.id[0] != '\0',
                                    .visitor = view_visitor(x, &visitor)};
    page_space(page_reply(&x->reply, 200), &page);
    x->reply.text.failed = x->reply.text.failed || next.failed;
    buf_free(&next);
}

/* ---- the route ---- */

/* A state of the exchange. */
struct space_answer {
    struct space_list list; /* first: see space_list_end */
    enum representation as;
};

static void answer(struct exchange *x, void *context)
{
    struct space_answer *a = context;
    struct diag diag = {0};

    turn_give(x->turn); /* the list may have to be read first */
    bool listed = space_rows(x->service, &a->list, &diag);
    turn_take(x->turn);
    if (!listed) {
        exchange_diag(x, &diag);
        return;
    }
    if (a->as == AS_HTML) {
        answer_page(x, &a->list);
        return;
    }
    if (a->as == AS_JSON)
        answer_json(x, &a->list);
    else
        space_put_text(x, &a->list, reply_text(&x->reply, 200, "text/plain; charset=utf-8"));
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
}

enum exchange_step handle_space(struct exchange *x)
{
    struct str space = x->parameters[0];
    struct space_answer *a = exchange_state(x, sizeof(*a), space_list_end);
    struct diag diag = {0};

    if (a == NULL)
        return exchange_no_memory(x, "the list");
    a->as = view_suffix(x, &space);
    if (!admits_space(x, space))
        return X_DONE;
    if (!space_name_is_one(space, &diag) ||
        !space_asked(&a->list, space, x->query(x, "q"), x->query(x, "next"), x->query(x, "rows"), &diag))
        return exchange_diag(x, &diag);
    return exchange_work(x, WORK_ALWAYS, answer, NULL, a);
}
