/* What the webhook tells: a check that fails; and the changes of a series, which are looked for here.
 *
 * Of an upload no state is kept: the change points of its series with all uploads are compared with those without it and all
 * later ones. What is found in the first alone is told. Two changes lie at least CHANGE_POINTS_SIDE_MIN points apart, so a
 * change of the second that is nearer is the same one, placed anew. A change near the bounds of what noise explains may be
 * found, lost and found again while runs of a commit come; changes that were told lately are remembered for that. */
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "runs/change_points.h"
#include "runs/check_words.h"
#include "server/figures/figures.h"
#include "server/service.h"
#include "server/spaces/series_value.h"
#include "server/webhook/webhook_impl.h"

enum { SENTENCE_BYTES = 1000, URL_BYTES = 4000 };

/* ---- the object ---- */

struct event {
    const char *name;
    struct str space, labels, commit;
    struct str uploads; /* ids */
    struct buf url, sentence;
    /* of a change: */
    const struct series_change *change;
    struct str value;
    enum unit unit;
};

/* "https://host/". No client of the service says what it is. */
static void put_base(struct buf *b, const struct service *service)
{
    service_base_url(service, STR(""), b);
    buf_char(b, '/');
}

static void put_uploads(struct json *j, const struct service *service, struct str ids)
{
    json_open_array(j, "uploads");
    for (size_t at = 0; at + RECORD_ID_CHARS <= ids.n; at += RECORD_ID_CHARS) {
        struct buf url = {0};
        put_base(&url, service);
        buf_printf(&url, "p/%.*s", RECORD_ID_CHARS, ids.p + at);
        json_put_string(j, NULL, buf_view(&url));
        buf_part_end(j->b, &url);
    }
    json_close(j);
}

static void put_change(struct json *j, const struct event *e)
{
    json_put_string(j, "value", e->value);
    json_put_string(j, "unit", str_of(unit_word(e->unit)));
    json_put_i64(j, "before", e->change->before);
    json_put_i64(j, "after", e->change->after);
}

/* In brief: without what a client made so long that there is no room for it. */
static void put_event(struct buf *b, const struct service *service, const struct event *e, bool is_brief)
{
    struct json j = json_into(b);

    json_open_object(&j, NULL);
    json_put_string(&j, "event", str_of(e->name));
    json_put_string(&j, "space", e->space);
    labels_put_lines(&j, "labels", is_brief ? STR("") : e->labels);
    json_put_string(&j, "commit", e->commit);
    json_put_string(&j, "url", buf_view(&e->url));
    json_put_string(&j, "sentence", clean_cut(buf_view(&e->sentence), SENTENCE_BYTES));
    if (e->change != NULL)
        put_change(&j, e);
    put_uploads(&j, service, is_brief ? STR("") : e->uploads);
    json_close(&j);
}

/* Frees the event's texts. The body has failed if there is no memory. */
static void end_event(struct buf *body, const struct service *service, struct event *e)
{
    buf_init(body, WEBHOOK_BODY_BYTES);
    if (e->url.n > URL_BYTES || e->url.failed) {
        buf_clear(&e->url);
        put_base(&e->url, service);
        buf_printf(&e->url, "s/%.*s", (int)e->space.n, e->space.p);
    }
    put_event(body, service, e, false);
    if (body->full) {
        buf_clear(body);
        put_event(body, service, e, true);
    }
    body->failed = body->failed || e->url.failed || e->sentence.failed;
    buf_free(&e->url);
    buf_free(&e->sentence);
}

/* ---- a check that fails ---- */

/* Where the same check can be seen; of uploads without a commit there is no such page, but that of a typical pair. */
static void put_check_url(struct buf *b, const struct service *service, const struct webhook_check *c,
                          const struct space_check_group *g)
{
    struct buf query = {0};

    put_base(b, service);
    if (c->commit.n == 0) {
        buf_printf(b, "d/%s..%s", g->typical_baseline, g->typical_run);
        return;
    }
    query_put_label(&query, STR("commit"), c->commit);
    buf_printf(b, "s/%.*s/check?q=", (int)c->space.n, c->space.p);
    buf_percent(b, buf_view(&query));
    buf_z(b, "&baseline=");
    buf_percent(b, c->baseline);
    for (uint32_t i = 0; i < c->n_rules; i++) {
        buf_z(b, "&fail-if=");
        buf_percent(b, c->rules[i].text);
    }
    buf_part_end(b, &query);
}

static void put_check_sentence(struct buf *b, const struct check *c)
{
    const struct check_rule *r = check_decisive(c);

    buf_str(b, r->rule.text);
    buf_z(b, " fails: ");
    buf_str(b, r->subject);
    buf_char(b, ' ');
    check_put_change(b, r, r->measure.change);
    buf_z(b, ", from ");
    buf_value(b, r->unit, r->measure.median_a, CHECK_DIGITS);
    buf_z(b, " to ");
    buf_value(b, r->unit, r->measure.median_b, CHECK_DIGITS);
    buf_z(b, "; ");
    check_put_runs(b, c);
}

/* Of several sets of labels the first that fails is told, and how many others do. */
void webhook_check_failed(struct webhook *w, const struct webhook_check *c)
{
    const struct space_check_group *failing = NULL;
    struct event e = {.name = "check-failed", .space = c->space, .commit = c->commit, .uploads = c->uploads};
    struct buf body;
    uint32_t n = 0;

    for (uint32_t i = 0; w != NULL && i < c->check->n_groups; i++) {
        const struct space_check_group *g = &c->check->groups[i];
        if (!g->is_judged || g->check.state != CHECK_FAIL)
            continue;
        failing = n++ == 0 ? g : failing;
    }
    if (failing == NULL)
        return;
    e.labels = failing->labels;
    put_check_url(&e.url, w->service, c, failing);
    put_check_sentence(&e.sentence, &failing->check);
    if (n > 1)
        buf_printf(&e.sentence, "; and for %u more sets of labels", n - 1);
    end_event(&body, w->service, &e);
    webhook_add_body(w, &body);
}

/* ---- changes of a series ---- */

/* Finds labels; a search has not room for all that there may be, which then finds others, too. */
static void put_query(struct buf *b, struct str labels)
{
    struct str key, value;

    while (labels_next(&labels, &key, &value)) {
        size_t before = b->n;
        buf_z(b, before > 0 ? " " : "");
        query_put_label(b, key, value);
        if (b->n > QUERY_BYTES_MAX)
            b->n = before;
    }
}

/* Whether it was told lately, there or at a point so near that it is the same change. Else it is remembered. */
static bool was_told(struct webhook *w, const struct webhook_item *item, const struct series_list *l,
                     const struct series *s, const struct series_change *c)
{
    uint32_t from = c->point < CHANGE_POINTS_SIDE_MIN ? 0 : c->point - CHANGE_POINTS_SIDE_MIN + 1;
    bool told = false;

    for (uint32_t i = from; i < s->n && i < c->point + CHANGE_POINTS_SIDE_MIN; i++) {
        const struct series_point *p = &l->points[s->first + i];
        struct buf text = {0};
        char digest[DIGEST_CHARS + 1] = "";
        buf_printf(&text, "%s\n", item->space);
        buf_str(&text, buf_view(&item->text));
        buf_str(&text, p->at.n > 0 ? p->at : str_of(l->runs[p->first].id));
        if (!text.failed)
            digest_hex_of(text.p, text.n, digest);
        buf_free(&text);
        for (size_t k = 0; k < WEBHOOK_REMEMBERED; k++)
            told = told || (digest[0] != '\0' && strcmp(w->remembered[k], digest) == 0);
        if (i == c->point)
            memcpy(w->remembered[w->n_remembered++ % WEBHOOK_REMEMBERED], digest, sizeof(digest));
    }
    return told;
}

static void tell_change(struct webhook *w, const struct webhook_item *item, const struct series_list *l,
                        const struct series_told *told, const struct series *s, const struct series_change *c)
{
    const struct series_point *p = &l->points[s->first + c->point];
    struct event e = {.name = "change-point",
                      .space = str_of(item->space),
                      .labels = s->labels,
                      .commit = p->at,
                      .change = c,
                      .value = told->value,
                      .unit = told->unit};
    struct str typical = str_of(series_typical(l, p)->id);
    struct buf body, query = {0};

    put_query(&query, s->labels);
    put_base(&e.url, w->service);
    buf_printf(&e.url, "s/%s/series?q=", item->space);
    buf_percent(&e.url, buf_view(&query));
    buf_part_end(&e.url, &query);
    e.uploads = typical;
    series_change_words(&e.sentence, l, told, s, c);
    end_event(&body, w->service, &e);
    if (body.failed)
        figures_webhook(w->service->figures, WEBHOOK_DROPPED);
    else
        webhook_send(w, buf_view(&body));
    buf_free(&body);
}

static bool is_near(const struct series_list *l, const struct series *s, uint32_t point)
{
    for (uint32_t i = 0; i < s->n_changes; i++) {
        uint32_t other = l->changes[s->first_change + i].point;
        if ((other > point ? other - point : point - other) < CHANGE_POINTS_SIDE_MIN)
            return true;
    }
    return false;
}

/* The list is evaluated; it is so once more, without the new uploads. */
static void tell_new_changes(struct webhook *w, const struct webhook_item *item, struct series_list *l,
                             const struct series_told *told, const struct series *s)
{
    uint32_t n = s->n_changes;
    struct series_change *found = malloc(((size_t)n + 1) * sizeof(*found));

    if (found == NULL)
        return;
    if (n > 0)
        memcpy(found, l->changes + s->first_change, n * sizeof(*found));
    for (size_t i = 0; i < l->n_runs; i++)
        l->runs[i].has_value =
            l->runs[i].has_value && record_entry_order(&l->runs[i].digest.entry, &item->upload) < 0;
    l->n_changes = 0;
    if (n > 0 && series_evaluate(l))
        for (uint32_t i = 0; i < n; i++)
            if (!is_near(l, s, found[i].point) && !was_told(w, item, l, s, &found[i]))
                tell_change(w, item, l, told, s, &found[i]);
    free(found);
}

static void look_at_series(struct webhook *w, const struct webhook_item *item, const struct query *query,
                           struct turn *turn)
{
    struct series_list l = {.n = 0};
    struct series_told told = {.later = 0};
    const struct series_wish total = {.part = SERIES_INCLUSIVE};
    struct diag ignored = {0}; /* who asks for the series is told it */
    bool ok = series_collect(w->service->spaces, str_of(item->space), query, STR(""), &l, &ignored);

    turn_take(turn);
    ok = ok && series_tell(w->service, turn, &total, &l, &told, &ignored);
    turn_give(turn);
    for (size_t i = 0; ok && i < l.n; i++)
        if (str_eq(l.of[i].labels, buf_view(&item->text)))
            tell_new_changes(w, item, &l, &told, &l.of[i]);
    series_free(&l);
    series_told_free(&told);
}

void webhook_tell_changes(struct webhook *w, const struct webhook_item *item, struct turn *turn)
{
    struct diag ignored = {0};
    struct buf text = {0};
    struct query query;

    put_query(&text, buf_view(&item->text));
    if (!text.failed && query_parse(&query, buf_view(&text), &ignored))
        look_at_series(w, item, &query, turn);
    buf_free(&text);
}
