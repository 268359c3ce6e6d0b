/* Formats "txt" and "md" of a comparison: one value for people, aligned or as a table of GitHub's Markdown.
 *
 *     wall time: 120 ms in A, 150 ms in B: +30 ms (+25 %) in 3 tracks; 12 of 340 rows differ, by wall_excl
 *
 *        change        %   excl A   excl B   incl change        %   calls A   calls B  method
 *          0 ns      0 %     1 ms     1 ms        +30 ms    +25 %                      (toplevel)
 *        +30 ms    +50 %    60 ms    90 ms        +30 ms    +50 %        10        10  com.example.Foo.bar
 *
 * and in front of it the comparison in words (diff_words.h).
 *
 * A change that does not count, being within the spread of several runs, has `~` behind it. A method whose two names were
 * paired by a rule has `(by rule)` behind its name. */
#include <string.h>

#include "core/clean.h"
#include "profile/compare/compare.h"
#include "render/table/diff.h"
#include "render/table/diff_words.h"
#include "render/table/text_line.h"

enum { DIGITS = 4 };

static const char *const TITLES[TEXT_LINE_CELLS_MAX] = {"change",      "%", "excl A",  "excl B",
                                                        "incl change", "%", "calls A", "calls B"};

struct writer {
    const struct table_output *o;
    struct text_line line;
};

static void add_change(struct text_line *l, enum unit unit, struct diff_pair pair)
{
    diff_put_change(&l->text, unit, pair);
    buf_z(&l->text, pair.a != pair.b && !diff_counts(pair) ? "~" : "");
    text_line_end_cell(l);
    diff_put_percent(&l->text, pair);
    text_line_end_cell(l);
}

static void add_both(struct text_line *l, enum unit unit, struct diff_pair pair)
{
    buf_value(&l->text, unit, pair.a, DIGITS);
    text_line_end_cell(l);
    buf_value(&l->text, unit, pair.b, DIGITS);
    text_line_end_cell(l);
}

static unsigned columns(const struct table *t)
{
    return t->diff->has_calls ? TEXT_LINE_CELLS_MAX : TEXT_LINE_CELLS_MAX - 2;
}

static void set_titles(struct writer *w)
{
    text_line_begin(&w->line);
    for (unsigned i = 0; i < columns(w->o->table); i++)
        text_line_add(&w->line, TITLES[i]);
}

/* TABLE_NO_ROW: the (toplevel) row, which nobody calls. */
static void set_row(struct writer *w, uint32_t row)
{
    const struct table *t = w->o->table;
    uint32_t value = w->o->measure;
    enum unit unit = t->diff->values[value].unit;
    bool top = row == TABLE_NO_ROW;
    struct diff_pair exclusive = top ? t->diff->top[value] : diff_exclusive(t, row, value);

    text_line_begin(&w->line);
    add_change(&w->line, unit, exclusive);
    add_both(&w->line, unit, exclusive);
    add_change(&w->line, unit, top ? t->diff->total[value] : diff_inclusive(t, row, value));
    if (!t->diff->has_calls)
        return;
    if (!top) {
        add_both(&w->line, UNIT_COUNT, diff_calls(t, row));
    } else {
        text_line_end_cell(&w->line);
        text_line_end_cell(&w->line);
    }
}

static void put_name(const struct table *t, uint32_t row, struct buf *out)
{
    table_txt_name(out, t, row);
    if (t->group == GROUP_METHOD && t->profile->compared->paired[t->frame[row]] != 0)
        buf_z(out, " (by rule)");
}

static bool has_top(const struct table_output *o)
{
    return o->table->group != GROUP_THREAD && o->request->grep[0] == '\0' && o->request->offset == 0;
}

/* Names are hostile: what means something to Markdown has a stroke in front. */
static void put_escaped(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (memchr("\\`*_{}[]<>#|~", text.p[i], 14) != NULL)
            buf_char(out, '\\');
        buf_char(out, text.p[i]);
    }
}

/* In md each sentence is an item of a list. */
static void put_words(const struct table *t, bool md, struct buf *out)
{
    struct buf words = {0};
    struct diff_words says;

    diff_words(t, &says, &words);
    for (uint32_t i = 0; i < says.n && !words.failed; i++) {
        struct str sentence = {words.p + says.list[i].at, says.list[i].n};
        buf_z(out, md ? "- " : "");
        if (md)
            put_escaped(out, sentence);
        else
            buf_str(out, sentence);
        buf_char(out, '\n');
    }
    buf_char(out, '\n');
    buf_part_end(out, &words);
}

static void put_head(const struct table_output *o, struct buf *out)
{
    const struct table *t = o->table;
    const struct diff_value *v = &t->diff->values[o->measure];
    struct diff_pair total = t->diff->total[o->measure];

    clean_text(out, v->label);
    buf_z(out, ": ");
    buf_value(out, v->unit, total.a, DIGITS);
    buf_z(out, " in A, ");
    buf_value(out, v->unit, total.b, DIGITS);
    buf_z(out, " in B: ");
    diff_put_change(out, v->unit, total);
    buf_z(out, " (");
    diff_put_percent(out, total);
    buf_printf(out, ") in %u track%s; %u of %u rows %s, by ", t->n_tracks, t->n_tracks == 1 ? "" : "s",
               o->selection.n_matching, o->selection.n_present, t->diff->all ? "match" : "differ");
    column_name(out, t, o->selection.sorted);
    buf_z(out, "\n\n");
}

/* Calls put for (toplevel), where it is shown, and for each row. */
static void each_row(struct writer *w, void (*put)(struct writer *w, uint32_t row, struct buf *out),
                     struct buf *out)
{
    if (has_top(w->o)) {
        set_row(w, TABLE_NO_ROW);
        out->failed = out->failed || w->line.text.failed;
        put(w, TABLE_NO_ROW, out);
    }
    for (uint32_t i = 0; i < w->o->selection.n && !out->failed; i++) {
        set_row(w, w->o->selection.rows[i]);
        out->failed = out->failed || w->line.text.failed;
        put(w, w->o->selection.rows[i], out);
    }
}

/* ---- txt ---- */

static void widen(struct writer *w, uint32_t row, struct buf *out)
{
    (void)row, (void)out;
    text_line_widen(&w->line);
}

static void put_txt_row(struct writer *w, uint32_t row, struct buf *out)
{
    text_line_put(&w->line, out);
    if (row == TABLE_NO_ROW)
        buf_z(out, "(toplevel)");
    else
        put_name(w->o->table, row, out);
    buf_char(out, '\n');
}

static bool write_txt(const struct table_output *o, struct buf *out)
{
    struct writer w = {.o = o};

    each_row(&w, widen, out);
    set_titles(&w);
    out->failed = out->failed || w.line.text.failed;
    widen(&w, TABLE_NO_ROW, out);
    put_words(o->table, false, out);
    put_head(o, out);
    text_line_put(&w.line, out);
    buf_z(out, table_group_word(o->table->group));
    buf_char(out, '\n');
    each_row(&w, put_txt_row, out);
    text_line_free(&w.line);
    return true;
}

/* ---- md ---- */

/* Names are hostile: within a span of code only its own mark and the border of a cell mean something. */
static void put_code(struct buf *out, struct str text)
{
    buf_char(out, '`');
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '|')
            buf_z(out, "\\|");
        else
            buf_char(out, text.p[i] == '`' ? '\'' : text.p[i]);
    buf_char(out, '`');
}

static void put_md_cells(const struct writer *w, struct buf *out)
{
    for (unsigned i = 0; i < w->line.cells; i++) {
        buf_z(out, "| ");
        buf_str(out, text_line_cell(&w->line, i));
        buf_char(out, ' ');
    }
    buf_z(out, "| ");
}

static void put_md_row(struct writer *w, uint32_t row, struct buf *out)
{
    struct buf name = {0};

    put_md_cells(w, out);
    if (row == TABLE_NO_ROW)
        buf_z(&name, "(toplevel)");
    else
        put_name(w->o->table, row, &name);
    out->failed = out->failed || name.failed;
    put_code(out, buf_view(&name));
    buf_z(out, " |\n");
    buf_free(&name);
}

static bool write_md(const struct table_output *o, struct buf *out)
{
    struct writer w = {.o = o};

    put_words(o->table, true, out);
    put_head(o, out);
    set_titles(&w);
    out->failed = out->failed || w.line.text.failed;
    put_md_cells(&w, out);
    buf_printf(out, "%s |\n", table_group_word(o->table->group));
    for (unsigned i = 0; i < w.line.cells; i++)
        buf_z(out, "| ---: ");
    buf_z(out, "| :--- |\n");
    each_row(&w, put_md_row, out);
    text_line_free(&w.line);
    return true;
}

const struct table_format DIFF_TXT = {
    .text = {"txt", "text/plain; charset=utf-8", "aligned, one value, for people", 1},
    .write = write_txt,
};

const struct table_format DIFF_MD = {
    .text = {"md", "text/markdown; charset=utf-8", "one value, for comments on GitHub and the like", 1},
    .write = write_md,
};
