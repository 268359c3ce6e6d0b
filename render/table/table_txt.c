/* Format "txt": one value of the table for people, aligned, with shares and means.
 *
 *     wall time, 120 µs in 2 tracks; 3 of 3 methods by wall_incl
 *
 *       incl %    incl  excl %   excl  calls+recur   mean  method
 *        100 %  120 µs     0 %    0 s               -      (toplevel)
 *      83.33 %  100 µs   ...
 *
 * As in Traceview, calls are parted into those while the method was not open, and recursive ones: `14+6`. The mean is the
 * inclusive value by the former, which is what it is the sum of. (toplevel) is the row of all tracks: its exclusive value is what they
 * spent in no method. It stands first, unless rows are filtered, left out in front, or tracks. */
#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "render/names/fit.h"
#include "render/table/table_format.h"

enum { DIGITS = 4, CELLS_MAX = 6, GAP = 2 };

/* The cells of one row, but for the name, which stands last and may be long. */
struct line {
    char text[CELLS_MAX][2 * NUMBER_BYTES_MAX];
    size_t n[CELLS_MAX]; /* bytes */
    unsigned cells;
};

struct writer {
    const struct table_output *o;
    struct line line;
    size_t widths[CELLS_MAX]; /* in cells of a terminal */
};

static void add(struct line *l, struct str text)
{
    memcpy(l->text[l->cells], text.p, text.n);
    l->n[l->cells++] = text.n;
}

static void add_percent(struct line *l, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    add(l, (struct str){text, (size_t)(number_percent(text, part, whole) - text)});
}

static void add_value(struct line *l, enum unit unit, uint64_t value)
{
    char text[NUMBER_BYTES_MAX];

    add(l, (struct str){text, (size_t)(number_value(text, unit, value, DIGITS) - text)});
}

static void add_calls(struct line *l, const struct table_sums *sums)
{
    char text[2 * NUMBER_BYTES_MAX];
    char *end = number_grouped(text, sums->calls - sums->recursive);

    if (sums->recursive > 0) {
        *end++ = '+';
        end = number_grouped(end, sums->recursive);
    }
    add(l, (struct str){text, (size_t)(end - text)});
}

/* Nobody calls a thread. */
static bool has_mean(const struct table_output *o)
{
    return o->table->has_calls && o->measure < o->table->n_measures && o->table->group != GROUP_THREAD;
}

static void put_titles(struct writer *w)
{
    const struct table *t = w->o->table;

    w->line.cells = 0;
    if (w->o->measure < t->n_measures) {
        add(&w->line, STR("incl %"));
        add(&w->line, STR("incl"));
        add(&w->line, STR("excl %"));
        add(&w->line, STR("excl"));
    }
    if (t->has_calls)
        add(&w->line, STR("calls+recur"));
    if (has_mean(w->o))
        add(&w->line, STR("mean"));
}

/* `sums` NULL: the (toplevel) row. */
static void put_numbers(struct writer *w, const struct table_sums *sums)
{
    const struct table *t = w->o->table;
    uint32_t m = w->o->measure;
    bool measured = m < t->n_measures;
    uint64_t inclusive = 0;

    w->line.cells = 0;
    if (measured) {
        uint64_t exclusive = sums != NULL ? sums->exclusive[m] : t->top[m];
        inclusive = sums != NULL ? sums->inclusive[m] : t->total[m];
        add_percent(&w->line, inclusive, t->total[m]);
        add_value(&w->line, t->measures[m].unit, inclusive);
        add_percent(&w->line, exclusive, t->total[m]);
        add_value(&w->line, t->measures[m].unit, exclusive);
    }
    if (t->has_calls && sums != NULL)
        add_calls(&w->line, sums);
    else if (t->has_calls)
        add(&w->line, STR(""));
    if (!has_mean(w->o))
        return;
    if (sums != NULL && sums->calls > sums->recursive)
        add_value(&w->line, t->measures[m].unit, inclusive / (sums->calls - sums->recursive));
    else
        add(&w->line, STR(""));
}

static void widen(struct writer *w)
{
    for (unsigned i = 0; i < w->line.cells; i++) {
        size_t cells = fit_cells((struct str){w->line.text[i], w->line.n[i]});
        w->widths[i] = cells > w->widths[i] ? cells : w->widths[i];
    }
}

static void put_line(const struct writer *w, struct buf *out)
{
    for (unsigned i = 0; i < w->line.cells; i++) {
        struct str text = {w->line.text[i], w->line.n[i]};
        for (size_t blanks = GAP + w->widths[i] - fit_cells(text); blanks > 0; blanks--)
            buf_char(out, ' ');
        buf_str(out, text);
    }
    buf_z(out, "  ");
}

/* A signature tells overloads apart; without it the name is easier to read. */
static void put_name(const struct table *t, uint32_t row, struct buf *out)
{
    struct str name = table_name(t, row);

    if (name.n == 0)
        buf_printf(out, "(no %s)", t->group == GROUP_THREAD ? "name" : table_group_word(t->group));
    clean_text(out, name);
    if (t->group == GROUP_METHOD && names_of(t->names, t->frame[row])->overloaded)
        clean_text(out, profile_string(t->profile, t->profile->frames[t->frame[row]].signature));
    if (t->group == GROUP_THREAD)
        buf_printf(out, " (%u)", t->profile->tracks[t->tracks[row]].id);
}

static void put_head(const struct table_output *o, struct buf *out)
{
    const struct table *t = o->table;
    char total[NUMBER_BYTES_MAX];

    if (o->measure < t->n_measures) {
        const struct measure *m = &t->measures[o->measure];
        clean_text(out, m->label);
        buf_z(out, ", ");
        buf_bytes(out, total, (size_t)(number_value(total, m->unit, t->total[o->measure], DIGITS) - total));
        buf_z(out, " in ");
    }
    buf_printf(out, "%u track%s; %u of %u rows by ", t->n_tracks, t->n_tracks == 1 ? "" : "s", o->selection.n,
               o->selection.n_present);
    column_name(out, t, o->selection.sorted);
    buf_z(out, "\n\n");
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
        struct table_sums sums = table_sums(t, w->o->selection.rows[i]);
        put_numbers(w, &sums);
        put_line(w, out);
        put_name(t, w->o->selection.rows[i], out);
        buf_char(out, '\n');
    }
}

static bool write(const struct table_output *o, struct buf *out)
{
    struct writer w = {.o = o};

    for (uint32_t i = 0; i < o->selection.n; i++) {
        struct table_sums sums = table_sums(o->table, o->selection.rows[i]);
        put_numbers(&w, &sums);
        widen(&w);
    }
    put_numbers(&w, NULL);
    widen(&w);
    put_titles(&w);
    widen(&w);
    put_head(o, out);
    put_line(&w, out);
    buf_z(out, table_group_word(o->table->group));
    buf_char(out, '\n');
    if (has_top(o)) {
        put_numbers(&w, NULL);
        put_line(&w, out);
        buf_z(out, "(toplevel)\n");
    }
    put_rows(&w, out);
    return true;
}

const struct table_format TABLE_TXT = {
    .text = {"txt", "text/plain; charset=utf-8", "aligned, one value, for people", 1},
    .write = write,
};
