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
 * Of a comparison the format is "aflamed-diff", "verdict" has its sentences (diff_words.h), each with "text", with "parts" as
 * those of render/verdict/verdict.c, and with "table" where a query of this table shows its methods, "value" is the value that was asked
 * for, a value has "total_a", "total_b", "toplevel_a" and "toplevel_b", and each row "paired" behind its origin: 1 if its two names were
 * paired by a rule, else 0.
 *
 * A row has its cells in the order of "columns", which are those of the tsv format with, for methods, "id" (see
 * table_id.h) in front and "origin" behind the module. Numbers are integers in the unit of their value, rounded down once;
 * what is not known is null. "toplevel": what the tracks spent in no method; "total": all of it. Numbers are exact up to
 * 2^64 - 1: more than a double holds. */
#include "core/clean.h"
#include "profile/compare/compare.h"
#include "render/table/diff.h"
#include "render/table/diff_words.h"
#include "render/table/table_format.h"
#include "render/table/table_id.h"

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

static void put_verdict(struct buf *out, const struct table *t)
{
    struct buf words = {0};
    struct diff_words says;

    diff_words(t, &says, &words);
    buf_z(out, "],\n\"value\":");
    put_text(out, t->diff->values[t->diff->value].name);
    buf_z(out, ",\n\"verdict\":[");
    for (uint32_t i = 0; i < says.n && !words.failed; i++) {
        buf_z(out, i == 0 ? "" : ",\n");
        put_sentence(out, &says.list[i], words.p);
    }
    buf_part_end(out, &words);
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

static void put_head(const struct table_output *o, struct buf *out)
{
    const struct table *t = o->table;

    buf_printf(out, "{\"format\":\"aflamed-%s\",\"version\":1,\n\"group\":\"%s\",\n\"tracks\":[",
               t->diff != NULL ? "diff" : "methods", table_group_word(t->group));
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        buf_z(out, i == 0 ? "" : ",");
        buf_u64(out, t->profile->tracks[t->tracks[i]].id);
    }
    put_values(out, t);
    if (t->diff != NULL)
        put_verdict(out, t);
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

static void put_cell(const struct table *t, uint32_t row, struct column c, struct buf *out)
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
        put_cell(o->table, row, o->columns[i], out);
        if (has_origin_behind(o->table, o->columns[i])) {
            buf_char(out, ',');
            put_cell(o->table, row, ORIGIN, out);
            if (o->table->diff != NULL)
                buf_printf(out, ",%u", o->table->profile->compared->paired[o->table->frame[row]]);
        }
    }
    return true;
}

static bool write(const struct table_output *o, struct buf *out)
{
    struct sha256 *h = sha256_new();
    bool ok = h != NULL;

    put_head(o, out);
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
    .text = {"json", "application/json", "for programs", 4},
    .write = write,
};
