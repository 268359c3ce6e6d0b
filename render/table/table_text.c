/* Formats "tsv" and "csv": a line of column names, then a line for each row. Numbers are integers: times in µs, rounded
 * down once in each cell. A cell is empty where nothing is known. Lines end with LF.
 *
 * Names come from the file and are hostile. Both formats show control characters, tabs and line ends among them, as
 * visible replacements (core/clean.h), so that a cell is one cell and a row one line. Beyond that, tsv has names as they
 * are: it is for scripts. csv is for spreadsheets: a cell with a comma or a quote is put in quotes, with inner quotes
 * doubled (RFC 4180), and a name that begins with = + - or @ gets an apostrophe in front, since a spreadsheet would
 * otherwise take it for a formula and run it. */
#include <string.h>

#include "core/clean.h"
#include "render/table/table_format.h"

struct style {
    char separator;
    void (*put_text)(struct buf *out, struct str text, struct buf *scratch);
};

static void put_tsv(struct buf *out, struct str text, struct buf *scratch)
{
    (void)scratch;
    clean_text(out, text);
}

static void put_quoted(struct buf *out, struct str text)
{
    struct str rest = text, part;

    buf_char(out, '"');
    for (bool first = true; str_split(&rest, '"', &part); first = false) {
        buf_z(out, first ? "" : "\"\"");
        buf_str(out, part);
    }
    buf_char(out, '"');
}

static void put_csv(struct buf *out, struct str text, struct buf *scratch)
{
    buf_clear(scratch);
    if (text.n > 0 && memchr("=+-@", text.p[0], 4) != NULL)
        buf_char(scratch, '\'');
    clean_text(scratch, text);
    out->failed = out->failed || scratch->failed;
    struct str cleaned = buf_view(scratch);
    if (str_find(cleaned, ',') < cleaned.n || str_find(cleaned, '"') < cleaned.n)
        put_quoted(out, cleaned);
    else
        buf_str(out, cleaned);
}

static void put_cell(const struct table_output *o, const struct style *style, uint32_t row, struct column c,
                     struct buf *out, struct buf *scratch)
{
    struct cell cell = column_cell(o->table, c, row);

    if (cell.empty)
        return;
    if (cell.number)
        buf_u64(out, column_shown(o->table, c, cell.value));
    else
        style->put_text(out, cell.text, scratch);
}

static void put_titles(const struct table_output *o, const struct style *style, struct buf *out,
                       struct buf *scratch)
{
    struct buf name = {0};

    for (uint32_t i = 0; i < o->n_columns; i++) {
        buf_clear(&name);
        column_name(&name, o->table, o->columns[i]);
        out->failed = out->failed || name.failed;
        if (i > 0)
            buf_char(out, style->separator);
        style->put_text(out, buf_view(&name), scratch);
    }
    buf_char(out, '\n');
    buf_free(&name);
}

static bool write_lines(const struct table_output *o, const struct style *style, struct buf *out)
{
    struct buf scratch = {0};

    put_titles(o, style, out, &scratch);
    for (uint32_t r = 0; r < o->selection.n && !out->failed; r++) {
        for (uint32_t i = 0; i < o->n_columns; i++) {
            if (i > 0)
                buf_char(out, style->separator);
            put_cell(o, style, o->selection.rows[r], o->columns[i], out, &scratch);
        }
        buf_char(out, '\n');
    }
    buf_free(&scratch);
    return true;
}

static bool write_tsv(const struct table_output *o, struct buf *out)
{
    static const struct style TSV = {'\t', put_tsv};

    return write_lines(o, &TSV, out);
}

static bool write_csv(const struct table_output *o, struct buf *out)
{
    static const struct style CSV = {',', put_csv};

    return write_lines(o, &CSV, out);
}

const struct table_format TABLE_TSV = {
    .text = {"tsv", "text/tab-separated-values; charset=utf-8", "tab-separated, for scripts", 1},
    .write = write_tsv,
};

const struct table_format TABLE_CSV = {
    .text = {"csv", "text/csv; charset=utf-8", "for spreadsheets", 1},
    .write = write_csv,
};
