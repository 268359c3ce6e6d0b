/* Formats "tsv" and "csv": a line of column names, then a line for each row. Numbers are integers: times in µs, rounded
 * down once in each cell. A cell is empty where nothing is known. Lines end with LF. Names: see cell_text.h. */
#include "render/names/cell_text.h"
#include "render/table/table_format.h"

static void put_cell(const struct table_output *o, const struct cell_style *style, uint32_t row,
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

static void put_titles(const struct table_output *o, const struct cell_style *style, struct buf *out,
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
    return write_lines(o, &CELL_TSV, out);
}

static bool write_csv(const struct table_output *o, struct buf *out)
{
    return write_lines(o, &CELL_CSV, out);
}

const struct table_format TABLE_TSV = {
    .text = {"tsv", "text/tab-separated-values; charset=utf-8", "tab-separated, for scripts", 2},
    .write = write_tsv,
};

const struct table_format TABLE_CSV = {
    .text = {"csv", "text/csv; charset=utf-8", "for spreadsheets", 2},
    .write = write_csv,
};
