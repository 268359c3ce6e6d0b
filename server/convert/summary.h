/* A profile's summary, as it is kept, and as others get it. See summary.c for its shape. */
#pragma once

#include "core/buf.h"
#include "core/json.h"
#include "server/convert/convert.h"

enum fact_kind {
    FACT_TEXT,
    FACT_NUMBER, /* a name made of digits: shown as it is written */
    FACT_YES_NO,
    FACT_COUNT,
    FACT_BYTES,
    FACT_NS,
    FACT_US,
    FACT_TIME_NS, /* a point in time; 0: the recorder did not say */
    FACT_TIME_US,
    FACT_UNIT /* of time */
};

struct fact {
    const char *name, *label;
    enum fact_kind kind;
    bool curious; /* few people look for it */
};

/* THE TABLE, in the order to show. */
extern const struct fact FACTS[];
extern const size_t FACTS_COUNT;

/* NULL: none has this name; it is shown under it, behind the others. */
const struct fact *fact_by_name(struct str name);

/* Whether the value says nothing. */
bool fact_is_void(enum fact_kind kind, struct str value);

/* Of a point in time that is a date: seconds of Unix time. False: it is none, or not of that kind; some
 * recorders count from the start of the machine. */
bool fact_date(enum fact_kind kind, struct str value, int64_t *unix_s);

/* Appends the value as people read it, raw: it may hold anything. What is not of its kind is as it was written. */
void fact_text(struct buf *b, enum fact_kind kind, struct str value);

/* Appends the summary as it is kept, in lines: an object with what stands before "app", the array of
 * "app", an object with what stands behind it, then a line for each track, by weight: its id, a blank, an
 * object. So whoever needs another "app", or few of many threads, looks into none of them. False: diag. */
bool summary_write(const struct shared_profile *f, struct buf *out, struct diag *diag);

/* Raised when the bytes change for equal input. */
enum { SUMMARY_REVISION = 17 };

struct summary_part {
    size_t tracks;         /* the heaviest, at most so many */
    const uint32_t *track; /* behind them the one with this id and those beside it by weight; or NULL */
    struct str app; /* packages with commas between them, in place of those that were guessed; empty: these */
    struct str links; /* what stands before a track's id in the URL of its picture; empty: no links */
    struct str query; /* what stands behind the picture's name in it: with a question mark, or empty */
};

/* Appends one JSON object: the members of the first three lines, then "tracks", of which each has "svg" if
 * there are links. Of what is no summary it is an empty one. */
void summary_put(struct buf *out, struct str summary, const struct summary_part *part);

/* The same as members of the object that is open. */
void summary_put_members(struct json *j, struct str summary, const struct summary_part *part);
