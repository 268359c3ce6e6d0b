/* The profile table, as Traceview's profile panel had it: what each method cost by itself and with all
 * that it called, and how often it was called. This room knows a profile and its names, and writes text;
 * it knows no HTTP, no files and no threads.
 *
 * The way from a profile to a page or a file:
 *
 *     methods_new    counts: one pass over the nodes (walk_nodes)
 *     table_select   filters by text, sorts, cuts out a range of rows (columns.h)
 *     format->write  writes the chosen rows as tsv, csv, json or txt (table_format.h)
 *     detail_new     who calls one row, and what it calls: one more pass (method.h)
 *
 * table_write (table_format.h) does the first three. What changes a profile, such as filters or a window
 * of time, makes another profile with names of its own; the table is made of that one and need not know.
 *
 * The rules. A *row* is a method, or a group of methods. An occurrence of a row on a stack is *outermost*
 * if the row does not occur nearer the root of that stack. *Inclusive* is the total of the outermost
 * occurrences, so that recursion, direct or mutual, counts once. *Exclusive* is the self of all
 * occurrences. *Calls* are all enters, *recursive* the enters while the row was open already: what
 * Traceview and dmtracedump print first is calls minus recursive. What a thread spent in no method is the
 * row (toplevel): the sum of all exclusive values and of `top` is the total of the flame graph of the same
 * tracks. Sums that would pass 64 bits stay at UINT64_MAX.
 *
 * A value that is signed (see profile.h) is counted in two columns, what went up and what went down:
 * whoever shows it shows the difference, table_net, and its share of what went up, table_whole.
 *
 * Grouped by thread, a row is a track with all its time, also that in no method: inclusive and exclusive
 * are equal, nothing is recursive, and `top` is zero. */
#pragma once

#include "core/buf.h"
#include "core/json.h"
#include "core/sha256.h"
#include "render/names/names.h"
#include "render/view/asked.h"
#include "render/view/view.h"

struct table_diff; /* see diff.h */

struct net {
    uint64_t size;
    bool below; /* it is less than 0 by `size`, which is not 0 then */
};
static inline struct net net_of(uint64_t up, uint64_t down)
{
    return down > up ? (struct net){down - up, true} : (struct net){up - down, false};
}
static inline bool net_equal(struct net a, struct net b)
{
    return a.size == b.size && a.below == b.below;
}
static inline bool net_greater(struct net a, struct net b)
{
    if (a.below != b.below)
        return b.below;
    return a.below ? a.size < b.size : a.size > b.size;
}

/* Rounded towards 0. */
static inline struct net net_divided(struct net n, uint64_t by)
{
    return (struct net){n.size / by, n.below && n.size >= by};
}

/* For programs: -12. */
void net_put(struct buf *b, struct net n);
void net_put_json(struct json *j, const char *key, struct net n);

/* For people: -12.5 KiB; and a share of `whole`: -3.1 %. */
void net_put_value(struct buf *b, enum unit unit, struct net n, unsigned digits);
void net_put_percent(struct buf *b, struct net part, uint64_t whole);

/* ---- groups: which row of the table a frame belongs to ---- */

struct groups {
    uint32_t n;
    uint32_t *of_frame; /* the row of each frame */
    frame_id *frame;    /* by row: the first of its frames, in the order of names */
};

/* Any kind but GROUP_THREAD. Rows are numbered in the bytewise order of their names; methods of equal text by their
 * signature, then by what else they differ in. False: the arena gives no more. */
bool groups_new(struct groups *g, const struct profile *p, const struct names *names, enum table_group kind,
                struct arena *arena) MUST_CHECK;

/* ---- the table ---- */

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
    /* Measures from here on are calls, of which a caller has none but those that it made. */
    uint32_t first_calls;
    bool has_calls;       /* not of a comparison, whose calls are measures */
    uint32_t calls_value; /* index of the profile's value, if has_calls */

    /* Rows are numbered in the bytewise order of their names. */
    uint32_t n;
    const uint32_t *row_of_frame; /* NULL: a row is a track */
    const frame_id *frame;        /* by row: one of its frames; NULL: a row is a track */
    const bool *present;          /* by row: it occurs in the counted tracks. Others count nothing. */
    const uint64_t *sums;         /* by row: inclusive and exclusive by measure, calls, recursive */

    uint64_t top[TABLE_COUNTED_MAX];   /* time of the counted tracks in no method */
    uint64_t total[TABLE_COUNTED_MAX]; /* of the counted tracks */

    /* The longest outermost call in ns, by row and clock, of which the first n_clocks measures are the
     * times; NULL: not asked for, or not known. */
    const uint64_t *longest;
    uint32_t n_clocks;

    const struct table_diff *diff; /* of a comparison, made by diff_new; else NULL */

    /* Of a filtered profile: */
    bool filtered;
    uint64_t before[TABLE_COUNTED_MAX]; /* the same as total, without the filters */
    /* Number of the step behind which no method was left, from 0; UINT32_MAX: some are. */
    uint32_t emptied_by;

    const uint32_t *tracks; /* that are counted: indexes of profile->tracks, ascending */
    uint32_t n_tracks;
};

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

/* The row's name, raw (not cleaned): `package.Class.method`, a class, a package, an origin's word, a
 * track's name. Empty for the row of what has no class or no package. */
struct str table_name(const struct table *t, uint32_t row);

/* The measure of this name, as view_options.value holds it; or n_measures. */
uint32_t table_measure(const struct table *t, struct str name);

/* Makes the table of a profile: see table.h for what it is. */

/* Counts the tracks that `view` selects; `merged` is the same as `all`. Of a view that is resolved
 * (view_resolve). Takes memory for the rows, and for the deepest stack, which it gives back. NULL: the
 * arena gives no more. */
const struct table *methods_new(const struct profile *p, const struct names *names,
                                const struct view_options *view, enum table_group group,
                                struct arena *arena) MUST_CHECK;

/* The same of those tracks that can have the view's value: where a profile has sections, samples and heaps, a table is of one of
 * these, and its columns are the values of that one. */
const struct table *methods_of_value(const struct profile *p, const struct names *names,
                                     const struct view_options *view, enum table_group group,
                                     struct arena *arena) MUST_CHECK;

/* One pass over the nodes that a table counts, along their stacks: table and detail are both made by it. */

/* A node of the stack at hand. */
struct walk_node {
    node_id node;
    uint32_t row;     /* TABLE_NO_ROW: the root of a track, unless rows are tracks */
    bool outermost;   /* its row does not occur nearer the root */
    uint64_t waiting; /* total, if the table measures it; made on the way, since no profile holds it */
};

/* Called for each node when everything below it is done. `parent` is NULL for the root of a track. */
typedef void walk_leave(void *context, const struct table *t, const struct walk_node *node,
                        const struct walk_node *parent);

/* Children come before their parents, and the tracks in their order. Of the table, groups, measures and
 * tracks must be there. Memory: a count for each row, and the deepest stack. False: the arena gives no
 * more. */
bool walk_nodes(const struct table *t, walk_leave *leave, void *context, struct arena *arena) MUST_CHECK;
static inline uint64_t walk_total(const struct table *t, const struct walk_node *node, uint32_t measure)
{
    const struct measure *m = &t->measures[measure];

    return m->waiting ? node->waiting : profile_total(t->profile, node->node, m->value);
}

/* The id of a method in links: the same in every profile and every run. It is the first 12 hexadecimal
 * digits of SHA-256 over the frame's scope, name, signature, module and kind, raw, with a NUL between two
 * of them. No frame has a kind yet: it is empty. Two methods of a profile can have one id, if somebody
 * tries long enough. */

enum { TABLE_ID_DIGITS = 12 };

/* Of a row of a table of methods; terminated. False: the library failed. */
bool table_id(const struct table *t, uint32_t row, struct sha256 *h, char id[TABLE_ID_DIGITS + 1]) MUST_CHECK;

/* The same of a frame of a profile. */
bool table_frame_id(const struct profile *p, frame_id frame, struct sha256 *h,
                    char id[TABLE_ID_DIGITS + 1]) MUST_CHECK;

/* Fills rows[max] with the rows of that id which are present, and *n with how many there are, also if that
 * is more than max. False: the library failed. */
bool table_by_id(const struct table *t, struct str id, struct sha256 *h, uint32_t *rows, uint32_t max,
                 uint32_t *n) MUST_CHECK;
