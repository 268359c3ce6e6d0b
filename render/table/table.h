/* The profile table, as Traceview's profile panel had it: what each method cost by itself and with all that it called,
 * and how often it was called. This room knows a profile and its names, and writes text; it knows no HTTP, no files and
 * no threads.
 *
 * The way from a profile to a page or a file:
 *
 *     methods_new    counts: one pass over the nodes (methods.h)
 *     table_select   filters by text, sorts, cuts out a range of rows (select.h)
 *     format->write  writes the chosen rows as tsv, csv, json or txt (table_format.h)
 *     detail_new     who calls one row, and what it calls: one more pass (method.h)
 *
 * table_write (table_format.h) does the first three. What changes a profile, such as filters or a window of time, makes
 * another profile with names of its own; the table is made of that one and need not know.
 *
 * The rules. A *row* is a method, or a group of methods. An occurrence of a row on a stack is *outermost* if the row does
 * not occur nearer the root of that stack. *Inclusive* is the total of the outermost occurrences, so that recursion,
 * direct or mutual, counts once. *Exclusive* is the self of all occurrences. *Calls* are all enters, *recursive* the
 * enters while the row was open already: what Traceview and dmtracedump print first is calls minus recursive.
 * What a thread spent in no method is the row (toplevel): the sum of all exclusive values and of `top` is the total of the
 * flame graph of the same tracks. Sums that would pass 64 bits stay at UINT64_MAX.
 *
 * A value that is signed (see profile.h) is counted in two columns, what went up and what went down: whoever shows it shows the
 * difference, table_net, and its share of what went up, table_whole.
 *
 * Grouped by thread, a row is a track with all its time, also that in no method: inclusive and exclusive are equal,
 * nothing is recursive, and `top` is zero. */
#ifndef RENDER_TABLE_TABLE_H
#define RENDER_TABLE_TABLE_H

#include "render/table/groups.h"
#include "render/table/net.h"
#include "render/view/measure.h"

struct table_diff; /* see diff.h */

#define TABLE_NO_ROW UINT32_MAX /* the (toplevel) row: a thread that is in no method */

enum { TABLE_COUNTED_MAX = MEASURES_MAX + PROFILE_VALUES_MAX };

/* What one row counts. Arrays are by measure, in the order of table.measures: table.n_counted numbers each. */
struct table_sums {
    const uint64_t *inclusive, *exclusive;
    uint64_t calls, recursive; /* 0 where the profile counts no calls */
};

/* Lives in the arena that it was made with; the profile and the names must outlive it. Immutable. */
struct table {
    const struct profile *profile;
    const struct names *names;
    enum table_group group;

    struct measure measures
        [TABLE_COUNTED_MAX]; /* of the profile, and waiting; not its calls, but of a comparison these too */
    uint32_t n_measures;
    uint32_t n_counted; /* measures that are counted: behind the others what goes down of signed ones */
    uint32_t minus[MEASURES_MAX]; /* by measure: which of these; 0: it is not signed */
    uint32_t heaviest;            /* the measure by which callers and callees are sorted */
    uint32_t
        first_calls; /* measures from here on are calls, of which a caller has none but those that it made */
    bool has_calls;  /* not of a comparison, whose calls are measures */
    uint32_t calls_value; /* index of the profile's value, if has_calls */

    /* Rows are numbered in the bytewise order of their names. */
    uint32_t n;
    const uint32_t *row_of_frame; /* NULL: a row is a track */
    const frame_id *frame;        /* by row: one of its frames; NULL: a row is a track */
    const bool *present;          /* by row: it occurs in the counted tracks. Others count nothing. */
    const uint64_t *sums;         /* by row: inclusive and exclusive by measure, calls, recursive */

    uint64_t top[TABLE_COUNTED_MAX];   /* time of the counted tracks in no method */
    uint64_t total[TABLE_COUNTED_MAX]; /* of the counted tracks */

    /* The longest outermost call in ns, by row and clock, of which the first n_clocks measures are the times; NULL: not asked
     * for, or not known. */
    const uint64_t *longest;
    uint32_t n_clocks;

    const struct table_diff *diff; /* of a comparison, made by diff_new; else NULL */

    /* Of a filtered profile: */
    bool filtered;
    uint64_t before[TABLE_COUNTED_MAX]; /* the same as total, without the filters */
    uint32_t
        emptied_by; /* number of the step behind which no method was left, from 0; UINT32_MAX: some are */

    const uint32_t *tracks; /* that are counted: indexes of profile->tracks, ascending */
    uint32_t n_tracks;
};

/* How many numbers of table.sums belong to one row. They stand together, since rows are visited in no order. */
static inline size_t table_stride(const struct table *t)
{
    return 2u * t->n_counted + 2u;
}

/* Of numbers by measure, that of `measure`, with its sign. */
static inline struct net table_net(const struct table *t, const uint64_t *numbers, uint32_t measure)
{
    return net_of(numbers[measure], t->minus[measure] > 0 ? numbers[t->minus[measure]] : 0);
}

/* What 100 % is: the total, and of a signed measure all that went up. */
static inline uint64_t table_whole(const struct table *t, uint32_t measure)
{
    return t->total[measure];
}

struct table_sums table_sums(const struct table *t, uint32_t row);

/* The row's name, raw (not cleaned): `package.Class.method`, a class, a package, an origin's word, a track's name. Empty
 * for the row of what has no class or no package. */
struct str table_name(const struct table *t, uint32_t row);

/* About how many samples stand behind the inclusive numbers of the row; UINT64_MAX where that is not known, or nothing was sampled. */
uint64_t table_samples(const struct table *t, uint32_t row, uint32_t measure);

/* The measure of this name, as view_options.value holds it; or n_measures. */
uint32_t table_measure(const struct table *t, struct str name);

#endif
