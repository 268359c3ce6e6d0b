/* Series: the uploads of a space to which people gave the same labels, but for those that differ from run to run, in the
 * order of time. What the file knows by itself makes no series: it is known later than the upload.
 *
 * Time is that of the upload, or what its label `date` says: Unix time, or a date in UTC (query_date).
 *
 * A point of a series is all uploads with one value of the label `over`, commit if nothing is said; an upload without
 * that label is a point of its own. Which value of the uploads is looked at, the caller sets for each run: then medians,
 * noise and change points are found.
 *
 *     series_collect(..)     runs, points, series
 *     run->value = ..        of each run that has one
 *     series_evaluate(..)    the rest */
#pragma once

#include "server/spaces/spaces.h"
#include "server/spaces/stored_digest.h"

enum {
    SERIES_RUNS_MOST = 2000, /* the newest that fit */
    SERIES_PERMILLE = 1000
};

struct series_run {
    char id[RECORD_ID_CHARS + 1];
    struct stored_digest_of digest;
    int64_t created_s;
    struct str labels; /* lines KEY=VALUE of the series, sorted */
    struct str at;     /* the label `over`; empty: it has none */
    bool has_value;
    int64_t value;
};

struct series_point {
    struct str at;
    int64_t created_s; /* of the first of its runs */
    uint32_t first, n; /* its runs, in the order of time */
    /* These are of the runs that have a value. */
    uint32_t n_values;
    int64_t median, least, most; /* 0 without any */
};

struct series_change {
    uint32_t point;        /* index of the first point behind the change */
    uint32_t before_point; /* and of the last one before it that has a value */
    int64_t before, after; /* medians of the points between this change and those beside it */
};

struct series {
    struct str labels;
    uint32_t first, n; /* its points */
    int64_t newest_s;  /* the time of the last of them */
    uint32_t first_change, n_changes;
    int64_t median; /* of its points; 0 where none has a value */
    bool has_noise;
    uint64_t noise_permille; /* by how much runs of one point differ: about one standard deviation */
};

struct series_list {
    struct str space, over;
    struct series_run *runs;
    size_t n_runs;
    struct series_point *points;
    size_t n_points;
    struct series *of; /* that with the newest run first */
    size_t n;
    struct series_change *changes;
    size_t n_changes;
    bool more; /* There are older uploads that fit. */
    /* of series.c */
    size_t capacity;
    struct buf text;
    bool failed;
};

/* The digest of an upload that is listed. */
struct stored_digest_of series_digest_of(const struct entry *e);

/* Fills a zeroed list, whose slices last until series_free. `over`: a key, or empty. Blocks. False: diag. */
bool series_collect(struct spaces *spaces, struct str space, const struct query *query, struct str over,
                    struct series_list *l, struct diag *diag) MUST_CHECK;

/* The run of the point whose value is next to its median: the one to look at. */
const struct series_run *series_typical(const struct series_list *l, const struct series_point *p);

/* False: no memory. */
bool series_evaluate(struct series_list *l) MUST_CHECK;

void series_free(struct series_list *l);

/* Appends the lines KEY=VALUE of the labels that make a series, sorted: those that do not differ from run to run, and of
 * which is_left_out(context, key) is false. */
void series_labels(struct buf *b, struct str labels, bool (*is_left_out)(const void *context, struct str key),
                   const void *context);
