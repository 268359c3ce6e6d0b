/* How a table is written: tsv, csv, txt and json. */
#include "core/clean.h"
#include "profile/calls/calls.h"
#include "profile/track.h"
#include "profile/warning.h"
#include "render/names/names.h"
#include "render/table/diff.h"
#include "render/table/diff_words.h"
#include "render/table/table.h"
#include "render/table/table_format.h"
#include "render/table/text_line.h"
#include "render/view/view.h"

/* ---- tsv and csv ---- */

/* Formats "tsv" and "csv": a line of column names, then a line for each row. Numbers are integers: times
 * in µs, rounded down once in each cell. A cell is empty where nothing is known. Lines end with LF. Names:
 * see names.h. */

static void text_put_cell(const struct table_output *o, const struct cell_style *style, uint32_t row,
                          struct column c, struct buf *out, struct buf *scratch)
{
    struct cell cell = column_cell(o->table, c, row);

    if (cell.empty)
        return;
    if (cell.number)
        net_put(out, column_shown(o->table, c, cell.value));
    else
        style->put(out, cell.text, scratch);
}

static void text_put_titles(const struct table_output *o, const struct cell_style *style, struct buf *out,
                            struct buf *scratch)
{
    struct buf name = {0};

    for (uint32_t i = 0; i < o->n_columns; i++) {
        buf_clear(&name);
        column_name(&name, o->table, o->columns[i]);
        out->failed = out->failed || name.failed;
        if (i > 0)
            buf_char(out, style->separator);
        style->put(out, buf_view(&name), scratch);
    }
    buf_char(out, '\n');
    buf_free(&name);
}

static bool write_lines(const struct table_output *o, const struct cell_style *style, struct buf *out)
{
    struct buf scratch = {0};

    text_put_titles(o, style, out, &scratch);
    for (uint32_t r = 0; r < o->selection.n && !out->failed; r++) {
        for (uint32_t i = 0; i < o->n_columns; i++) {
            if (i > 0)
                buf_char(out, style->separator);
            text_put_cell(o, style, o->selection.rows[r], o->columns[i], out, &scratch);
        }
        buf_char(out, '\n');
    }
    buf_free(&scratch);
    return true;
}

static bool write_tsv(const struct table_output *o, struct buf *out)
{
    return write_lines(o, &CELL_TSV, out);
}

static bool write_csv(const struct table_output *o, struct buf *out)
{
    return write_lines(o, &CELL_CSV, out);
}

const struct table_format TABLE_TSV = {
    .text = {"tsv", "text/tab-separated-values; charset=utf-8", "tab-separated, for scripts", 3},
    .write = write_tsv,
};

const struct table_format TABLE_CSV = {
    .text = {"csv", "text/csv; charset=utf-8", "for spreadsheets", 3},
    .write = write_csv,
};

/* ---- txt ---- */

/* Format "txt": one value of the table for people, aligned, with shares and means.
 *
 *     wall time, 120 µs in 2 tracks; 3 of 3 methods by wall_incl
 *
 *       incl %    incl  excl %   excl  calls+recur   mean  method
 *        100 %  120 µs     0 %    0 s               -      (toplevel)
 *      83.33 %  100 µs   ...
 *
 * Of sizes that are estimated from samples `~samples` is about how many these were.
 *
 * As in Traceview, calls are parted into those while the method was not open, and recursive ones: `14+6`.
 * The mean is the inclusive value by the former, which is what it is the sum of. (toplevel) is the row of
 * all tracks: its exclusive value is what they spent in no method. It stands first, unless rows are
 * filtered, left out in front, or tracks. */

enum { DIGITS = 4 };

struct writer {
    const struct table_output *o;
    bool samples; /* it has a column of them */
    struct text_line line;
};

static void add_percent(struct text_line *l, struct net part, uint64_t whole)
{
    net_put_percent(&l->text, part, whole);
    text_line_end_cell(l);
}

static void add_value(struct text_line *l, enum unit unit, struct net value)
{
    net_put_value(&l->text, unit, value, DIGITS);
    text_line_end_cell(l);
}

static void add_calls(struct text_line *l, const struct table_sums *sums)
{
    buf_u64_grouped(&l->text, sums->calls - sums->recursive);
    if (sums->recursive > 0) {
        buf_char(&l->text, '+');
        buf_u64_grouped(&l->text, sums->recursive);
    }
    text_line_end_cell(l);
}

/* Nobody calls a thread. */
static bool has_mean(const struct table_output *o)
{
    return o->table->has_calls && o->measure < o->table->n_measures && o->table->group != GROUP_THREAD;
}

static bool has_samples(const struct table_output *o)
{
    struct measure counts;

    return o->measure < o->table->n_measures &&
           measure_counts(o->table->profile, &o->table->measures[o->measure], &counts);
}

static void txt_put_titles(struct writer *w)
{
    const struct table *t = w->o->table;

    text_line_begin(&w->line);
    if (w->o->measure < t->n_measures) {
        text_line_add(&w->line, "incl %");
        text_line_add(&w->line, "incl");
        text_line_add(&w->line, "excl %");
        text_line_add(&w->line, "excl");
    }
    if (w->samples)
        text_line_add(&w->line, "~samples");
    if (t->has_calls)
        text_line_add(&w->line, "calls+recur");
    if (has_mean(w->o))
        text_line_add(&w->line, "mean");
}

/* About how many samples stand behind the inclusive numbers of the row; UINT64_MAX where that is not
 * known, or nothing was sampled. */
static uint64_t table_samples(const struct table *t, uint32_t row, uint32_t measure)
{
    struct measure counts;
    const uint64_t *sums = table_sums(t, row).inclusive;

    if (measure >= t->n_measures || !measure_counts(t->profile, &t->measures[measure], &counts))
        return UINT64_MAX;
    return measure_samples(sums[measure], sums[table_measure(t, counts.name)], t->profile->sampled_bytes);
}

/* TABLE_NO_ROW: the (toplevel) row. */
static void put_numbers(struct writer *w, uint32_t row)
{
    const struct table *t = w->o->table;
    uint32_t m = w->o->measure;
    bool measured = m < t->n_measures;
    struct table_sums of_row = {0}, *sums = row != TABLE_NO_ROW ? &of_row : NULL;
    struct net inclusive = {0};

    if (sums != NULL)
        of_row = table_sums(t, row);
    text_line_begin(&w->line);
    if (measured) {
        struct net exclusive = table_net(t, sums != NULL ? sums->exclusive : t->top, m);
        inclusive = table_net(t, sums != NULL ? sums->inclusive : t->total, m);
        add_percent(&w->line, inclusive, table_whole(t, m));
        add_value(&w->line, t->measures[m].unit, inclusive);
        add_percent(&w->line, exclusive, table_whole(t, m));
        add_value(&w->line, t->measures[m].unit, exclusive);
    }
    if (w->samples && sums != NULL)
        add_value(&w->line, UNIT_COUNT, net_of(table_samples(t, row, m), 0));
    else if (w->samples)
        text_line_add(&w->line, "");
    if (t->has_calls && sums != NULL)
        add_calls(&w->line, sums);
    else if (t->has_calls)
        text_line_add(&w->line, "");
    if (!has_mean(w->o))
        return;
    if (sums != NULL && sums->calls > sums->recursive)
        add_value(&w->line, t->measures[m].unit, net_divided(inclusive, sums->calls - sums->recursive));
    else
        text_line_add(&w->line, "");
}

/* A signature tells overloads apart; without it the name is easier to read. */
void table_txt_name(struct buf *out, const struct table *t, uint32_t row)
{
    struct str name = table_name(t, row);

    if (name.n == 0)
        buf_printf(out, "(no %s)", t->group == GROUP_THREAD ? "name" : table_group_word(t->group));
    clean_text(out, name);
    if (t->group == GROUP_METHOD && names_of(t->names, t->frame[row])->overloaded)
        clean_text(out, profile_string(t->profile, t->profile->frames[t->frame[row]].signature));
    if (t->group == GROUP_METHOD && t->profile->frames[t->frame[row]].kind == FRAME_KIND_ERROR)
        buf_z(out, " (no function)");
    if (t->group == GROUP_THREAD)
        buf_printf(out, " (%u)", t->profile->tracks[t->tracks[row]].id);
}

static void txt_put_head(const struct table_output *o, struct buf *out)
{
    const struct table *t = o->table;

    if (o->measure < t->n_measures) {
        const struct measure *m = &t->measures[o->measure];
        clean_text(out, m->label);
        buf_z(out, ", ");
        net_put_value(out, m->unit, table_net(t, t->total, o->measure), DIGITS);
        if (t->minus[o->measure] > 0) {
            buf_z(out, " (");
            buf_value(out, m->unit, t->total[o->measure], DIGITS);
            buf_z(out, " more, which is 100 %, and ");
            buf_value(out, m->unit, t->total[t->minus[o->measure]], DIGITS);
            buf_z(out, " less)");
        }
        buf_z(out, " in ");
    }
    buf_printf(out, "%u track%s; ", t->n_tracks, t->n_tracks == 1 ? "" : "s");
    buf_u64_grouped(out, o->selection.n);
    buf_z(out, " of ");
    buf_u64_grouped(out, o->selection.n_present);
    buf_z(out, " rows by ");
    column_name(out, t, o->selection.sorted);
    buf_char(out, '\n');
    if (warning_of(t->profile, WARN_WINDOW_EMPTY) != NULL) {
        buf_str(out, warning_of(t->profile, WARN_WINDOW_EMPTY)->text);
        buf_char(out, '\n');
    }
    buf_char(out, '\n');
}

static void put_rows_are(const struct table *t, struct buf *out)
{
    buf_z(out, t->group == GROUP_THREAD ? track_word(t->profile, 1) : table_group_word(t->group));
}

static bool has_top(const struct table_output *o)
{
    return o->table->group != GROUP_THREAD && o->request->grep[0] == '\0' && o->request->offset == 0 &&
           o->measure < o->table->n_measures;
}

static void put_rows(struct writer *w, struct buf *out)
{
    const struct table *t = w->o->table;

    for (uint32_t i = 0; i < w->o->selection.n && !out->failed; i++) {
        put_numbers(w, w->o->selection.rows[i]);
        text_line_put(&w->line, out);
        table_txt_name(out, t, w->o->selection.rows[i]);
        buf_char(out, '\n');
    }
}

static bool txt_write(const struct table_output *o, struct buf *out)
{
    struct writer w = {.o = o, .samples = has_samples(o)};

    for (uint32_t i = 0; i < o->selection.n; i++) {
        put_numbers(&w, o->selection.rows[i]);
        text_line_widen(&w.line);
    }
    put_numbers(&w, TABLE_NO_ROW);
    text_line_widen(&w.line);
    txt_put_titles(&w);
    text_line_widen(&w.line);
    txt_put_head(o, out);
    text_line_put(&w.line, out);
    put_rows_are(o->table, out);
    buf_char(out, '\n');
    if (has_top(o)) {
        put_numbers(&w, TABLE_NO_ROW);
        text_line_put(&w.line, out);
        buf_z(out, "(toplevel)\n");
    }
    put_rows(&w, out);
    text_line_free(&w.line);
    return true;
}

const struct table_format TABLE_TXT = {
    .text = {"txt", "text/plain; charset=utf-8", "aligned, one value, for people", 3},
    .write = txt_write,
};

/* ---- json ---- */

/* Format "json": the table for programs and for the page.
 *
 * {"format":"aflamed-methods", "version":1,
 *  "group":    "method",      or class, package, origin, thread
 *  "tracks":   [21491, ...],  ids of the counted tracks
 *  "values":   [{"name":"wall", "label":"wall time", "unit":"us", "total":120, "toplevel":20}, ...],   unit: us, bytes, count
 *                             and, of a filtered profile, "before":500: the total without the filters;
 *                             of one with values below 0 "grown" and "shrunk": of what the total is the difference
 *  "sampled_bytes": 4096,     of sizes that are estimated from samples: one stands for so many bytes, or for a larger allocation
 *  "sort":     "wall_incl", "reversed":false,
 *  "emptied_by": 1,           number of the filter, from 0, behind which no method was left; missing where some are
 *  "present":  412,           rows of the table; "matching": those that the text filter left; "offset": left out in front
 *  "columns":  ["id", "class", ..., "origin", "calls", "recursive", "wall_incl", ...],
 *  "rows":     [["0f3a...", "com.example.Foo", ...], ...]}
 *
 * Of a comparison the format is "aflamed-diff", "verdict" has its sentences (diff_words.h), each with
 * "text", with "parts" as those of render/verdict/verdict.c, and with "table" where a query of this table
 * shows its methods, "value" is the value that was asked for, a value has "total_a", "total_b",
 * "toplevel_a" and "toplevel_b", and each row "paired" behind its origin: 1 if its two names were paired
 * by a rule, else 0.
 *
 * A row has its cells in the order of "columns", which are those of the tsv format with, for methods, "id"
 * (see table.h) in front and "origin" behind the module. Numbers are integers in the unit of their value,
 * rounded down once; what is not known is null. "toplevel": what the tracks spent in no method; "total":
 * all of it. Numbers are exact up to 2^64 - 1: more than a double holds. */

enum { NS_PER_US = 1000 };

static const char *const UNITS[] = {[UNIT_NS] = "us", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "count"};

static void put_text(struct buf *out, struct str s)
{
    buf_char(out, '"');
    clean_json(out, s);
    buf_char(out, '"');
}

static void put_number(struct buf *out, const char *key, uint64_t value)
{
    buf_printf(out, ",\"%s\":", key);
    buf_u64(out, value);
}

static void put_net(struct buf *out, const char *key, struct net value)
{
    buf_printf(out, ",\"%s\":", key);
    net_put(out, value);
}

static void put_value_head(struct buf *out, bool first, struct str name, struct str label, enum unit unit)
{
    buf_z(out, first ? "{\"name\":" : ",{\"name\":");
    put_text(out, name);
    buf_z(out, ",\"label\":");
    put_text(out, label);
    buf_printf(out, ",\"unit\":\"%s\"", UNITS[unit]);
}

static void put_compared(struct buf *out, const struct table_diff *d)
{
    for (uint32_t v = 0; v < d->n_values; v++) {
        uint64_t unit = d->values[v].unit == UNIT_NS ? NS_PER_US : 1;
        put_value_head(out, v == 0, d->values[v].name, d->values[v].label, d->values[v].unit);
        put_number(out, "total_a", d->total[v].a / unit);
        put_number(out, "total_b", d->total[v].b / unit);
        put_number(out, "toplevel_a", d->top[v].a / unit);
        put_number(out, "toplevel_b", d->top[v].b / unit);
        buf_char(out, '}');
    }
}

/* Nothing for an empty part. */
static void put_part(struct buf *out, bool *is_first, struct str text, bool is_method)
{
    if (text.n == 0)
        return;
    buf_z(out, *is_first ? "{\"text\":" : ",{\"text\":");
    put_text(out, text);
    buf_z(out, is_method ? ",\"method\":true}" : "}");
    *is_first = false;
}

static void put_sentence(struct buf *out, const struct diff_sentence *s, const char *words)
{
    size_t from = s->at;
    bool is_first = true;

    buf_z(out, "{\"text\":");
    put_text(out, (struct str){words + s->at, s->n});
    if (s->only != ONLY_DIFFERENT)
        buf_printf(out, ",\"table\":\"only=%s\"", key_word("only", s->only));
    buf_z(out, ",\"parts\":[");
    for (uint32_t i = 0; i < s->n_methods; i++) {
        const struct diff_mention *m = &s->methods[i];
        put_part(out, &is_first, (struct str){words + from, m->at - from}, false);
        put_part(out, &is_first, (struct str){words + m->at, m->n}, true);
        from = m->at + m->n;
    }
    put_part(out, &is_first, (struct str){words + from, s->at + s->n - from}, false);
    buf_z(out, "]}");
}

static bool put_verdict(struct buf *out, const struct table *t, struct arena *arena)
{
    struct buf words = {0};
    struct diff_words says;

    bool ok = diff_words(t, &says, &words, arena);
    buf_z(out, "],\n\"value\":");
    put_text(out, t->diff->values[t->diff->value].name);
    buf_z(out, ",\n\"verdict\":[");
    for (uint32_t i = 0; ok && i < says.n && !words.failed; i++) {
        buf_z(out, i == 0 ? "" : ",\n");
        put_sentence(out, &says.list[i], words.p);
    }
    buf_part_end(out, &words);
    return ok;
}

static void put_values(struct buf *out, const struct table *t)
{
    buf_z(out, "],\n\"values\":[");
    if (t->diff != NULL) {
        put_compared(out, t->diff);
        return;
    }
    for (uint32_t i = 0; i < t->n_measures; i++) {
        const struct measure *m = &t->measures[i];
        uint64_t unit = m->unit == UNIT_NS ? NS_PER_US : 1;
        put_value_head(out, i == 0, m->name, m->label, m->unit);
        put_net(out, "total", net_divided(table_net(t, t->total, i), unit));
        put_net(out, "toplevel", net_divided(table_net(t, t->top, i), unit));
        if (t->filtered)
            put_net(out, "before", net_divided(table_net(t, t->before, i), unit));
        if (t->minus[i] > 0) {
            put_number(out, "grown", t->total[i] / unit);
            put_number(out, "shrunk", t->total[t->minus[i]] / unit);
        }
        buf_char(out, '}');
    }
}

static bool json_put_head(const struct table_output *o, struct buf *out)
{
    const struct table *t = o->table;
    bool ok = true;

    buf_printf(out, "{\"format\":\"aflamed-%s\",\"version\":1,\n\"group\":\"%s\",\n\"tracks\":[",
               t->diff != NULL ? "diff" : "methods", table_group_word(t->group));
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        buf_z(out, i == 0 ? "" : ",");
        buf_u64(out, t->profile->tracks[t->tracks[i]].id);
    }
    put_values(out, t);
    if (t->diff != NULL)
        ok = put_verdict(out, t, o->arena);
    buf_char(out, ']');
    if (profile_sample_bytes(t->profile) > 0)
        put_number(out, "sampled_bytes", profile_sample_bytes(t->profile));
    buf_z(out, ",\n\"sort\":\"");
    column_name(out, t, o->selection.sorted);
    buf_printf(out, "\",\"reversed\":%s", o->selection.reversed ? "true" : "false");
    if (t->emptied_by != UINT32_MAX)
        put_number(out, "emptied_by", t->emptied_by);
    put_number(out, "present", o->selection.n_present);
    put_number(out, "matching", o->selection.n_matching);
    put_number(out, "offset", o->request->offset);
    return ok;
}

/* Where the origin of a method stands: it is no column of the other formats. */
static bool has_origin_behind(const struct table *t, struct column c)
{
    return t->group == GROUP_METHOD && c.field == COLUMN_MODULE;
}

static void put_columns(const struct table_output *o, struct buf *out)
{
    buf_z(out, ",\n\"columns\":[");
    if (o->table->group == GROUP_METHOD)
        buf_z(out, "\"id\",");
    for (uint32_t i = 0; i < o->n_columns; i++) {
        buf_z(out, i == 0 ? "\"" : ",\"");
        column_name(out, o->table, o->columns[i]);
        buf_z(out, has_origin_behind(o->table, o->columns[i]) ? "\",\"origin\"" : "\"");
        if (o->table->diff != NULL && has_origin_behind(o->table, o->columns[i]))
            buf_z(out, ",\"paired\"");
    }
}

static void json_put_cell(const struct table *t, uint32_t row, struct column c, struct buf *out)
{
    struct cell cell = column_cell(t, c, row);

    if (!cell.number)
        put_text(out, cell.text);
    else if (cell.empty)
        buf_z(out, "null");
    else
        net_put(out, column_shown(t, c, cell.value));
}

static bool put_id(const struct table *t, uint32_t row, struct sha256 *h, struct buf *out)
{
    char id[TABLE_ID_DIGITS + 1];

    if (!table_id(t, row, h, id))
        return false;
    put_text(out, str_of(id));
    buf_char(out, ',');
    return true;
}

static bool put_row(const struct table_output *o, uint32_t row, struct sha256 *h, struct buf *out)
{
    static const struct column ORIGIN = {COLUMN_ORIGIN, 0};

    if (o->table->group == GROUP_METHOD && !put_id(o->table, row, h, out))
        return false;
    for (uint32_t i = 0; i < o->n_columns; i++) {
        if (i > 0)
            buf_char(out, ',');
        json_put_cell(o->table, row, o->columns[i], out);
        if (has_origin_behind(o->table, o->columns[i])) {
            buf_char(out, ',');
            json_put_cell(o->table, row, ORIGIN, out);
            if (o->table->diff != NULL)
                buf_printf(out, ",%u", o->table->profile->compared->paired[o->table->frame[row]]);
        }
    }
    return true;
}

static bool json_write(const struct table_output *o, struct buf *out)
{
    struct sha256 *h = sha256_new();
    bool ok = json_put_head(o, out) && h != NULL;

    put_columns(o, out);
    buf_z(out, "],\n\"rows\":[");
    for (uint32_t r = 0; ok && r < o->selection.n && !out->failed; r++) {
        buf_z(out, r == 0 ? "\n[" : ",\n[");
        ok = put_row(o, o->selection.rows[r], h, out);
        buf_char(out, ']');
    }
    buf_z(out, "]}\n");
    sha256_free(h);
    return ok;
}

const struct table_format TABLE_JSON = {
    .text = {"json", "application/json", "for programs", 5},
    .write = json_write,
};

/* ---- the formats ---- */

const struct table_format *const TABLE_FORMATS[] = {&TABLE_TSV, &TABLE_CSV, &TABLE_JSON, &TABLE_TXT};

const size_t TABLE_FORMATS_COUNT = sizeof(TABLE_FORMATS) / sizeof(TABLE_FORMATS[0]);

const struct table_format *table_format_by_name(struct str name)
{
    for (size_t i = 0; i < TABLE_FORMATS_COUNT; i++)
        if (str_eq(name, str_of(TABLE_FORMATS[i]->text.name)))
            return TABLE_FORMATS[i];
    return NULL;
}

bool table_write(const struct render_input *in, const struct table_request *request,
                 const struct table_format *format, struct buf *out, struct diag *diag)
{
    struct table_output o = {.request = request, .arena = in->scratch};
    struct table with_longest;
    struct str value = str_of(in->view->value);

    o.table = methods_of_value(in->profile, in->names, in->view, request->group, in->scratch);
    if (o.table == NULL)
        return fail_arena(in->scratch, diag);
    if (in->calls != NULL && request->group != GROUP_THREAD) {
        with_longest = *o.table;
        with_longest.longest = in->calls->longest;
        with_longest.n_clocks = in->calls->n_clocks;
        o.table = &with_longest;
    }
    if (!table_select(o.table, request, value, &o.selection, in->scratch, diag))
        return false;
    o.n_columns = columns_of(o.table, o.columns);
    o.measure = table_measure(o.table, value);
    if (o.measure == o.table->n_measures && o.table->n_measures > 0)
        o.measure = 0;
    if (!format->write(&o, out))
        return diag_no_memory(diag, "No memory is left to write the table.");
    return !out->failed || fail_buf(out, diag);
}
