/* Which value of its uploads a series shows, and where it comes from: their digests. */
#pragma once

#include "server/spaces/series.h"
#include "server/spaces/stored_digest.h"

enum series_part { SERIES_INCLUSIVE, SERIES_EXCLUSIVE, SERIES_CALLS };

/* What is asked for; slices of the request. */
struct series_wish {
    struct str over;
    struct str of; /* "total", or nothing; "thread:NAME"; "step:NAME" of a digest; or the name of a method */
    struct str value; /* "wall"; nothing: the first one that the uploads have */
    enum series_part part;
};

/* "incl", "excl", "calls"; nothing is the first. False: diag. */
bool series_part(struct str text, enum series_part *part, struct diag *diag) MUST_CHECK;

enum { SERIES_OFFERED = 30 };

/* What was found. */
struct series_told {
    struct str of, value; /* by their whole names */
    enum unit unit;
    enum series_part part;
    size_t not_read; /* uploads that are gone, or cannot be read, or do not have the value */
    size_t later;    /* those whose digest is still to be made, for which there was no time */
    /* For a form, of the newest upload: its values, and the names of its threads and heaviest methods. */
    struct str values[RUN_DIGEST_VALUES_MAX];
    uint32_t n_values;
    struct str offered[SERIES_OFFERED];
    uint32_t n_offered;
    struct stored_digest newest; /* of which all names are slices */
};

/* Sets the values of all runs, and evaluates the list. Digests that are not there are made, for some seconds. False: diag. */
bool series_tell(struct service *service, struct turn *turn, const struct series_wish *wish,
                 struct series_list *l, struct series_told *told, struct diag *diag) MUST_CHECK;
void series_told_free(struct series_told *told);

/* Appends an amount of the value for people: 12.34 ms. */
void series_put_amount(struct buf *b, const struct series_told *told, int64_t value);

/* Appends a sentence without its end, raw: "At commit 4f2a wall of total grew from 812 ms to 853 ms, by 5 %". */
void series_change_words(struct buf *b, const struct series_list *l, const struct series_told *told,
                         const struct series *s, const struct series_change *c);

/* Appends why no change of the series is told. True: it has too few points, and the words lead to *c, its largest step from one
 * point to the next. */
bool series_unchanged_words(struct buf *b, const struct series_list *l, const struct series *s,
                            struct series_change *c);
