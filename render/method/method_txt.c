/* Format "txt" of one method, for people: what it cost, then its parents and children with their share of it. */
#include "core/clean.h"
#include "profile/track.h"
#include "render/method/method.h"
#include "render/method/method_calls.h"
#include "render/method/method_report.h"

enum { DIGITS = 4, EDGES_USUALLY = 30, VALUE_CELLS = 12 };

struct writer {
    const struct method_report *r;
    const struct table_request *request;
    struct buf *out;
};

static void put_cell(const struct writer *w, struct str text)
{
    for (size_t cells = text.n; cells < VALUE_CELLS; cells++)
        buf_char(w->out, ' ');
    buf_str(w->out, text);
}

static void put_buf(const struct writer *w, struct buf *b)
{
    /* µ is two bytes in one cell */
    if (str_find(buf_view(b), '\xc2') < b->n)
        buf_char(w->out, ' ');
    put_cell(w, buf_view(b));
    w->out->failed = w->out->failed || b->failed;
    buf_free(b);
}

static void put_value(const struct writer *w, uint32_t m, struct net value)
{
    struct buf b = {0};

    net_put_value(&b, w->r->table->measures[m].unit, value, DIGITS);
    put_buf(w, &b);
}

static void put_share(const struct writer *w, struct net part, uint64_t whole)
{
    struct buf b = {0};

    net_put_percent(&b, part, whole);
    put_buf(w, &b);
}

static void put_method(const struct writer *w, uint32_t row)
{
    const struct table *t = w->r->table;

    if (row == TABLE_NO_ROW) {
        buf_printf(w->out, "(the %s)", track_word(t->profile, 1));
        return;
    }
    clean_text(w->out, table_name(t, row));
    clean_text(w->out, names_parts(t->names, t->frame[row]).signature);
}

static void put_note(const struct writer *w)
{
    struct str note = method_note(w->r);

    buf_str(w->out, note);
    buf_z(w->out, note.n > 0 ? "\n" : "");
}

static void put_titles(const struct writer *w)
{
    const struct table *t = w->r->table;

    buf_z(w->out, "\n          ");
    for (uint32_t m = 0; m < t->n_measures; m++)
        put_cell(w, t->measures[m].name);
    buf_char(w->out, '\n');
}

/* `by`: what each is divided by. */
static void put_line(const struct writer *w, const char *title, const uint64_t *values, uint64_t by)
{
    buf_printf(w->out, "%-10s", title);
    for (uint32_t m = 0; m < w->r->table->n_measures; m++)
        put_value(w, m, net_divided(table_net(w->r->table, values, m), by));
    buf_char(w->out, '\n');
}

static void put_sums(const struct writer *w)
{
    const struct method_report *r = w->r;
    const struct table *t = r->table;
    uint64_t outermost = r->sums.calls - r->sums.recursive;

    put_titles(w);
    put_line(w, "inclusive", r->sums.inclusive, 1);
    put_line(w, "exclusive", r->sums.exclusive, 1);
    if (outermost > 0)
        put_line(w, "mean", r->sums.inclusive, outermost);
    buf_z(w->out, "of all    ");
    for (uint32_t m = 0; m < t->n_measures; m++)
        put_share(w, table_net(t, r->sums.inclusive, m), table_whole(t, m));
    buf_char(w->out, '\n');
    if (t->has_calls) {
        buf_z(w->out, "calls     ");
        buf_u64_grouped(w->out, outermost);
        buf_z(w->out, ", and ");
        buf_u64_grouped(w->out, r->sums.recursive);
        buf_z(w->out, " recursive\n");
    }
}

/* Its share and its amount by the first value. Of a comparison, whose first values are those of A, B and the larger of both, the
 * share by the larger, and the amounts of A and B. */
static void put_edge(const struct writer *w, const struct detail_edge *e, bool own)
{
    const struct table *t = w->r->table;
    uint32_t by = t->heaviest;

    if (t->n_measures > 0) {
        put_share(w, table_net(t, e->value, by), w->r->sums.inclusive[by]);
        for (uint32_t m = 0; m < (by > 0 ? by : 1); m++)
            put_value(w, m, table_net(t, e->value, m));
    }
    if (t->has_calls) {
        struct buf calls = {0};
        buf_u64_grouped(&calls, e->calls);
        buf_char(&calls, '/');
        buf_u64_grouped(&calls, own ? w->r->sums.calls : table_sums(t, e->row).calls);
        put_cell(w, buf_view(&calls));
        buf_part_end(w->out, &calls);
    }
    buf_z(w->out, "  ");
    put_method(w, e->row);
    buf_char(w->out, '\n');
}

static void put_edges(const struct writer *w, const char *title, const struct detail_edges *all, bool own)
{
    uint32_t limit = w->request->limit == UINT32_MAX ? EDGES_USUALLY : w->request->limit;
    struct detail_edges edges = method_edges_asked(all, w->request->offset, limit);

    if (all->n == 0)
        return;
    buf_printf(w->out, "\n%s\n", title);
    for (uint32_t i = 0; i < edges.n; i++)
        put_edge(w, &edges.edges[i], own);
    uint32_t behind = (uint32_t)(&all->edges[all->n] - &edges.edges[edges.n]);
    if (behind > 0)
        buf_printf(w->out, "  and %u more\n", behind);
}

static bool write(const struct table *t, uint32_t row, const struct calls *calls,
                  const struct table_request *request, struct arena *arena, struct buf *out)
{
    struct method_report r;
    struct writer w = {&r, request, out};

    if (!method_report_new(&r, t, row, arena))
        return false;
    put_method(&w, row);
    buf_char(out, '\n');
    put_note(&w);
    put_sums(&w);
    if (calls != NULL)
        method_calls_txt(out, t, calls);
    put_edges(&w, "called by", &r.detail.outermost.parents, true);
    put_edges(&w, "calls", &r.detail.outermost.children, false);
    put_edges(&w, "called by, while it was running already", &r.detail.recursive.parents, true);
    put_edges(&w, "calls, while it was running already", &r.detail.recursive.children, false);
    return true;
}

const struct method_format METHOD_TXT = {{"txt", "text/plain; charset=utf-8", "for people", 4}, write};
