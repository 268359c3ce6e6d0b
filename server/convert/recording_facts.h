/* The facts that input formats say about a recording, for people: what each is called, and its value in words. */
#ifndef SERVER_CONVERT_RECORDING_FACTS_H
#define SERVER_CONVERT_RECORDING_FACTS_H

#include "core/buf.h"

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
/* Of a point in time that is a date: seconds of Unix time. False: it is none, or not of that kind; some recorders count
 * from the start of the machine. */
bool fact_date(enum fact_kind kind, struct str value, int64_t *unix_s);
/* Appends the value as people read it, raw: it may hold anything. What is not of its kind is as it was written. */
void fact_text(struct buf *b, enum fact_kind kind, struct str value);

#endif
