/* Format "json": the table for programs and for the page.
 *
 * {"format":"aflamed-methods", "version":1,
 *  "group":    "method",      or class, package, origin, thread
 *  "tracks":   [21491, ...],  ids of the counted tracks
 *  "values":   [{"name":"wall", "label":"wall time", "unit":"us", "total":120, "toplevel":20}, ...],   unit: us, bytes, count
 *                             and, of a filtered profile, "before":500: the total without the filters
 *  "sort":     "wall_incl", "reversed":false,
 *  "emptied_by": 1,           number of the filter, from 0, behind which no method was left; missing where some are
 *  "present":  412,           rows of the table; "matching": those that the text filter left; "offset": left out in front
 *  "columns":  ["id", "class", ..., "origin", "calls", "recursive", "wall_incl", ...],
 *  "rows":     [["0f3a...", "com.example.Foo", ...], ...]}
 *
 * A row has its cells in the order of "columns", which are those of the tsv format with, for methods, "id" (see
 * table_id.h) in front and "origin" behind the module. Numbers are integers in the unit of their value, rounded down once;
 * what is not known is null. "toplevel": what the tracks spent in no method; "total": all of it. Numbers are exact up to
 * 2^64 - 1: more than a double holds. */
#include "core/clean.h"
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

static void put_values(struct buf *out, const struct table *t)
{
    buf_z(out, "],\n\"values\":[");
    for (uint32_t i = 0; i < t->n_measures; i++) {
        const struct measure *m = &t->measures[i];
        uint64_t unit = m->unit == UNIT_NS ? NS_PER_US : 1;
        buf_z(out, i == 0 ? "{\"name\":" : ",{\"name\":");
        put_text(out, m->name);
        buf_z(out, ",\"label\":");
        put_text(out, m->label);
        buf_printf(out, ",\"unit\":\"%s\"", UNITS[m->unit]);
        put_number(out, "total", t->total[i] / unit);
        put_number(out, "toplevel", t->top[i] / unit);
        if (t->filtered)
            put_number(out, "before", t->before[i] / unit);
        buf_char(out, '}');
    }
}

static void put_head(const struct table_output *o, struct buf *out)
{
    const struct table *t = o->table;

    buf_printf(out, "{\"format\":\"aflamed-methods\",\"version\":1,\n\"group\":\"%s\",\n\"tracks\":[",
               table_group_word(t->group));
    for (uint32_t i = 0; i < t->n_tracks; i++) {
        buf_z(out, i == 0 ? "" : ",");
        buf_u64(out, t->profile->tracks[t->tracks[i]].id);
    }
    put_values(out, t);
    buf_z(out, "],\n\"sort\":\"");
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
        buf_u64(out, column_shown(t, c, cell.value));
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
    .text = {"json", "application/json", "for programs", 2},
    .write = write,
};
