/* The lists of spaces: entries in the store, and an index of them in memory for each space that was asked for lately.
 *
 * The index is made from a list of the store; of very many uploads the newest are in it. What this process puts and
 * removes is in it at once; what others do to the same store is seen by the next list, which is made when somebody asks and
 * the last one is old: after two seconds, or later where a list takes long. Any thread that may block. */
#pragma once

#include "core/system/log.h"
#include "server/spaces/entry.h"

struct spaces;

enum {
    SPACES_ENTRIES_MOST = 200000, /* of one space, the newest: older ones are not listed */
    SPACES_BYTES_MOST = 256 << 20 /* of all in memory; above it those go that nobody has asked for longest */
};

struct spaces *spaces_new(struct store *store, const struct log *log); /* NULL: no memory */
void spaces_free(struct spaces *s);                                    /* NULL is fine */

/* Puts the entry of the record, before the record or its revision is written. */
enum store_result spaces_put(struct spaces *s, const struct record *r, struct str text) MUST_CHECK;
/* Puts that with words, when they are made. */
enum store_result spaces_put_words(struct spaces *s, const struct record *r, struct str text) MUST_CHECK;
/* Removes the entries of a record that was not written, or do not count any more. What is gone already is fine; what fails
 * is left to the sweep. */
void spaces_remove(struct spaces *s, const struct record *r);
/* The same in memory alone, of an upload whose entries are no longer in the store (record_delete). */
void spaces_forget(struct spaces *s, const struct record *r);

/* Which of its uploads. */
struct spaces_asked {
    struct str space;
    const struct query *query;
    struct record_entry before; /* only those that stand before it in the order of entries; without id: all */
    size_t most;
};

/* Calls each(context, e) for the uploads of the space that fit, the newest first. *more says whether there are others
 * behind them. Within `each` the space is locked. False: diag. */
bool spaces_list(struct spaces *s, const struct spaces_asked *asked,
                 void (*each)(void *context, const struct entry *e), void *context, bool *more,
                 struct diag *diag) MUST_CHECK;
