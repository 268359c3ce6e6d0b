/* /s/<space>/series: one value of the uploads of a space over time, as a page, JSON, or lines of text. */
#include "server/routes/handle_series.h"

#include <string.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/system/utc.h"
#include "server/http/exchange.h"
#include "server/pages/page_series.h"
#include "server/routes/admit.h"
#include "server/routes/routes_table.h"
#include "server/routes/view_answer.h"
#include "server/service.h"
#include "server/spaces/series_value.h"

/* A state of the exchange. */
struct series_answer {
    struct series_list list;
    struct series_told told;
    struct query query;
    struct series_wish wish;
    char space[SPACE_NAME_BYTES + 1];
    enum representation as;
};

static void end_answer(void *series_answer)
{
    struct series_answer *a = series_answer;

    series_free(&a->list);
    series_told_free(&a->told);
}

/* ---- as JSON ---- */

static void put_point(struct json *j, const struct series_list *l, const struct series_point *p)
{
    json_line(j);
    json_open_object(j, NULL);
    json_put_string(j, "at", p->at);
    json_put_string(j, "created", str_of(UTC_TEXT(p->created_s)));
    if (p->n_values > 0) {
        json_put_i64(j, "median", p->median);
        json_put_i64(j, "least", p->least);
        json_put_i64(j, "most", p->most);
    }
    json_open_array(j, "runs");
    for (uint32_t i = 0; i < p->n; i++) {
        const struct series_run *run = &l->runs[p->first + i];
        json_open_object(j, NULL);
        json_put_string(j, "id", str_of(run->id));
        if (run->has_value)
            json_put_i64(j, "value", run->value);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

static void put_change(struct json *j, const struct series_list *l, const struct series *s,
                       const struct series_change *c)
{
    const struct series_point *p = &l->points[s->first + c->point];

    json_line(j);
    json_open_object(j, NULL);
    json_put_u64(j, "point", c->point);
    json_put_string(j, "at", p->at);
    json_put_string(j, "created", str_of(UTC_TEXT(p->created_s)));
    json_put_i64(j, "before", c->before);
    json_put_i64(j, "after", c->after);
    json_close(j);
}

static void put_series(struct json *j, const struct series_list *l, const struct series *s)
{
    json_line(j);
    json_open_object(j, NULL);
    labels_put_lines(j, "labels", s->labels);
    if (s->has_noise)
        json_put_fixed(j, "noise_percent", s->noise_permille, 1);
    json_open_array(j, "points");
    for (uint32_t i = 0; i < s->n; i++)
        put_point(j, l, &l->points[s->first + i]);
    json_close(j);
    json_open_array(j, "changes");
    for (uint32_t i = 0; i < s->n_changes; i++)
        put_change(j, l, s, &l->changes[s->first_change + i]);
    json_close(j);
    json_close(j);
}

static void answer_json(const struct series_answer *a, struct buf *b)
{
    struct json j = json_into(b);

    json_open_object(&j, NULL);
    json_put_string(&j, "space", str_of(a->space));
    json_put_string(&j, "over", a->list.over);
    json_put_string(&j, "of", a->told.of);
    json_put_string(&j, "value", a->told.value);
    json_put_string(&j, "unit", str_of(unit_word(a->told.unit)));
    json_put_u64(&j, "uploads", a->list.n_runs);
    json_put_u64(&j, "not_read", a->told.not_read);
    json_put_u64(&j, "later", a->told.later);
    json_put_bool(&j, "more", a->list.more);
    json_open_array(&j, "series");
    for (size_t i = 0; i < a->list.n; i++)
        put_series(&j, &a->list, &a->list.of[i]);
    json_close(&j);
    json_close(&j);
    buf_char(b, '\n');
}

/* ---- as text ---- */

static void put_text_point(struct buf *b, const struct series_answer *a, const struct series_point *p)
{
    buf_z(b, UTC_TEXT(p->created_s));
    buf_z(b, "  ");
    clean_text(b, p->at.n > 0 ? p->at : STR("-"));
    buf_z(b, "  ");
    if (p->n_values > 0)
        series_put_amount(b, &a->told, p->median);
    else
        buf_char(b, '-');
    buf_printf(b, "  %u run%s\n", p->n, p->n == 1 ? "" : "s");
}

static void put_text_change(struct buf *b, const struct series_answer *a, const struct series *s,
                            const struct series_change *c)
{
    buf_z(b, "# ");
    series_change_words(b, &a->list, &a->told, s, c);
    buf_char(b, '\n');
}

static void put_text_unchanged(struct buf *b, const struct series_answer *a, const struct series *s)
{
    struct series_change step;

    buf_z(b, "# ");
    bool has_step = series_unchanged_words(b, &a->list, s, &step);
    buf_char(b, '\n');
    if (has_step)
        put_text_change(b, a, s, &step);
}

void series_put_text(const struct series_answer *a, struct buf *b)
{
    for (size_t i = 0; i < a->list.n; i++) {
        const struct series *s = &a->list.of[i];
        struct str lines = s->labels, line;
        buf_z(b, i > 0 ? "\n#" : "#");
        while (lines.n > 0 && str_split(&lines, '\n', &line)) {
            buf_char(b, ' ');
            clean_text(b, line);
        }
        buf_char(b, '\n');
        for (uint32_t k = 0; k < s->n; k++)
            put_text_point(b, a, &a->list.points[s->first + k]);
        for (uint32_t k = 0; k < s->n_changes; k++)
            put_text_change(b, a, s, &a->list.changes[s->first_change + k]);
        if (s->n_changes == 0)
            put_text_unchanged(b, a, s);
    }
    if (a->list.n == 0)
        buf_z(b, "# nothing is listed that fits\n");
    if (a->told.later > 0)
        buf_printf(b, "# %zu uploads are still to be read: ask again\n", a->told.later);
}

/* ---- the route ---- */

static void answer_page(struct exchange *x, const struct series_answer *a)
{
    struct page_visitor visitor;
    const struct page_series page = {.space = str_of(a->space),
                                     .query = x->query(x, "q"),
                                     .list = &a->list,
                                     .told = &a->told,
                                     .visitor = view_visitor(x, &visitor)};

    page_series(page_reply(&x->reply, 200), &page);
}

bool series_make(struct exchange *x, struct series_answer *a, struct diag *diag)
{
    turn_give(x->turn); /* the list may have to be read first */
    bool collected =
        series_collect(x->service->spaces, str_of(a->space), &a->query, a->wish.over, &a->list, diag);
    turn_take(x->turn);
    return collected && series_tell(x->service, x->turn, &a->wish, &a->list, &a->told, diag);
}

static void answer(struct exchange *x, void *context)
{
    struct series_answer *a = context;
    struct diag diag = {0};

    if (!series_make(x, a, &diag)) {
        exchange_diag(x, &diag);
        return;
    }
    if (a->as == AS_HTML) {
        answer_page(x, a);
        return;
    }
    if (a->as == AS_JSON)
        answer_json(a, reply_text(&x->reply, 200, "application/json"));
    else
        series_put_text(a, reply_text(&x->reply, 200, "text/plain; charset=utf-8"));
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    reply_header(&x->reply, "Cache-Control", "private, no-cache");
    reply_header(&x->reply, "X-Content-Type-Options", "nosniff");
}

struct series_answer *series_ask(struct exchange *x, struct str space)
{
    struct series_answer *a;
    struct diag diag = {0};

    if (!admits_space(x, space))
        return NULL;
    a = exchange_state(x, sizeof(*a), end_answer);
    if (a == NULL) {
        exchange_no_memory(x, "the series");
        return NULL;
    }
    a->wish =
        (struct series_wish){x->query(x, "over"), x->query(x, "of"), x->query(x, "value"), SERIES_INCLUSIVE};
    if (!space_name_is_one(space, &diag) || !series_part(x->query(x, "part"), &a->wish.part, &diag) ||
        !query_parse(&a->query, x->query(x, "q"), &diag)) {
        exchange_diag(x, &diag);
        return NULL;
    }
    memcpy(a->space, space.p, space.n);
    return a;
}

enum exchange_step handle_series(struct exchange *x)
{
    enum representation as = view_suffix(x, &x->parameters[1]);
    struct series_answer *a = series_ask(x, x->parameters[0]);

    if (a == NULL)
        return X_DONE;
    if (x->parameters[1].n > 0)
        return exchange_problem(x, 404, "not found", "Say .txt or .json, or nothing.",
                                "A series is not told in that format.");
    a->as = as;
    return exchange_work(x, WORK_LONG, answer, NULL, a);
}
