/* Format "txt" of one method, for people: what it cost, then its parents and children with their share of it. */
#include "core/clean.h"
#include "core/number.h"
#include "render/table/method.h"
#include "render/table/method_calls.h"
#include "render/table/method_report.h"

enum { DIGITS = 4, EDGES_MAX = 30, VALUE_CELLS = 12 };

struct writer {
    const struct method_report *r;
    struct buf *out;
};

static void put_cell(const struct writer *w, struct str text)
{
    for (size_t cells = text.n; cells < VALUE_CELLS; cells++)
        buf_char(w->out, ' ');
    buf_str(w->out, text);
}

static void put_value(const struct writer *w, uint32_t m, uint64_t value)
{
    char text[NUMBER_BYTES_MAX];
    char *end = number_value(text, w->r->table->measures[m].unit, value, DIGITS);

    /* µ is two bytes in one cell */
    if (str_find((struct str){text, (size_t)(end - text)}, '\xc2') < (size_t)(end - text))
        buf_char(w->out, ' ');
    put_cell(w, (struct str){text, (size_t)(end - text)});
}

static void put_share(const struct writer *w, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    put_cell(w, (struct str){text, (size_t)(number_percent(text, part, whole) - text)});
}

static void put_method(const struct writer *w, uint32_t row)
{
    const struct table *t = w->r->table;

    if (row == TABLE_NO_ROW) {
        buf_z(w->out, "(the thread)");
        return;
    }
    clean_text(w->out, table_name(t, row));
    clean_text(w->out, names_parts(t->names, t->frame[row]).signature);
}

static void put_titles(const struct writer *w)
{
    const struct table *t = w->r->table;

    buf_z(w->out, "\n          ");
    for (uint32_t m = 0; m < t->n_measures; m++)
        put_cell(w, t->measures[m].name);
    buf_char(w->out, '\n');
}

static void put_line(const struct writer *w, const char *title, const uint64_t *values)
{
    buf_printf(w->out, "%-10s", title);
    for (uint32_t m = 0; m < w->r->table->n_measures; m++)
        put_value(w, m, values[m]);
    buf_char(w->out, '\n');
}

static void put_sums(const struct writer *w)
{
    const struct method_report *r = w->r;
    const struct table *t = r->table;
    uint64_t outermost = r->sums.calls - r->sums.recursive, mean[MEASURES_MAX] = {0};

    put_titles(w);
    put_line(w, "inclusive", r->sums.inclusive);
    put_line(w, "exclusive", r->sums.exclusive);
    for (uint32_t m = 0; outermost > 0 && m < t->n_measures; m++)
        mean[m] = r->sums.inclusive[m] / outermost;
    if (outermost > 0)
        put_line(w, "mean", mean);
    buf_z(w->out, "of all    ");
    for (uint32_t m = 0; m < t->n_measures; m++)
        put_share(w, r->sums.inclusive[m], t->total[m]);
    buf_char(w->out, '\n');
    if (t->has_calls) {
        buf_z(w->out, "calls     ");
        buf_u64_grouped(w->out, outermost);
        buf_z(w->out, ", and ");
        buf_u64_grouped(w->out, r->sums.recursive);
        buf_z(w->out, " recursive\n");
    }
}

static void put_edge(const struct writer *w, const struct detail_edge *e, bool own)
{
    const struct table *t = w->r->table;

    if (t->n_measures > 0) {
        put_share(w, e->value[0], w->r->sums.inclusive[0]);
        put_value(w, 0, e->value[0]);
    }
    if (t->has_calls) {
        struct buf calls = {0};
        buf_u64_grouped(&calls, e->calls);
        buf_char(&calls, '/');
        buf_u64_grouped(&calls, own ? w->r->sums.calls : table_sums(t, e->row).calls);
        put_cell(w, buf_view(&calls));
        w->out->failed = w->out->failed || calls.failed;
        buf_free(&calls);
    }
    buf_z(w->out, "  ");
    put_method(w, e->row);
    buf_char(w->out, '\n');
}

static void put_edges(const struct writer *w, const char *title, const struct detail_edges *edges, bool own)
{
    if (edges->n == 0)
        return;
    buf_printf(w->out, "\n%s\n", title);
    for (uint32_t i = 0; i < edges->n && i < EDGES_MAX; i++)
        put_edge(w, &edges->edges[i], own);
    if (edges->n > EDGES_MAX)
        buf_printf(w->out, "  and %u more\n", edges->n - EDGES_MAX);
}

static bool write(const struct table *t, uint32_t row, const struct calls *calls, struct arena *arena,
                  struct buf *out)
{
    struct method_report r;
    struct writer w = {&r, out};

    if (!method_report_new(&r, t, row, arena))
        return false;
    put_method(&w, row);
    buf_char(out, '\n');
    put_sums(&w);
    if (calls != NULL)
        method_calls_txt(out, t, calls);
    put_edges(&w, "called by", &r.detail.outermost.parents, true);
    put_edges(&w, "calls", &r.detail.outermost.children, false);
    put_edges(&w, "called by, while it was running already", &r.detail.recursive.parents, true);
    put_edges(&w, "calls, while it was running already", &r.detail.recursive.children, false);
    return true;
}

const struct method_format METHOD_TXT = {{"txt", "text/plain; charset=utf-8", "for people", 2}, write};
