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
 * As in Traceview, calls are parted into those while the method was not open, and recursive ones: `14+6`. The mean is the
 * inclusive value by the former, which is what it is the sum of. (toplevel) is the row of all tracks: its exclusive value is what they
 * spent in no method. It stands first, unless rows are filtered, left out in front, or tracks. */
#include "core/clean.h"
#include "profile/track.h"
#include "profile/warning.h"
#include "render/table/table_format.h"
#include "render/table/text_line.h"

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

static void put_titles(struct writer *w)
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

static void put_head(const struct table_output *o, struct buf *out)
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
    buf_printf(out, "%u track%s; %u of %u rows by ", t->n_tracks, t->n_tracks == 1 ? "" : "s", o->selection.n,
               o->selection.n_present);
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

static bool write(const struct table_output *o, struct buf *out)
{
    struct writer w = {.o = o, .samples = has_samples(o)};

    for (uint32_t i = 0; i < o->selection.n; i++) {
        put_numbers(&w, o->selection.rows[i]);
        text_line_widen(&w.line);
    }
    put_numbers(&w, TABLE_NO_ROW);
    text_line_widen(&w.line);
    put_titles(&w);
    text_line_widen(&w.line);
    put_head(o, out);
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
    .text = {"txt", "text/plain; charset=utf-8", "aligned, one value, for people", 2},
    .write = write,
};
