/* Things that are made once for all who need them at a time, and kept in memory while there is room:
 * profiles, views.
 *
 * A thing has a key. Who needs it enters:
 *
 *     thing = once_enter(once, key, NULL, &begins);
 *     if (begins)
 *         do make it, asking thing->stop, while (!once_end(once, thing, value, bytes));
 *     else if (!once_wait(once, thing, turn))
 *         the caller's own stop was asked
 *     thing->value is what is needed; or NULL, and thing->diag says why
 *     once_release(once, thing);
 *
 * The making does not end because its maker's client has left, as long as others have entered: thing->stop
 * sees to that. A failure is told to all who waited for it. It is not kept: who comes later makes the
 * thing anew.
 *
 * What stays: a thing that somebody uses; beside these the most recently used ones, as far as all that is
 * kept, with what is in use, fits in the limit. What is larger than the limit alone, or is not to be kept,
 * goes with its last use, unless `stays` says otherwise. */
#pragma once

#include "core/diag.h"
#include "core/str.h"
#include "core/system/turns.h"

struct once;

/* One who waits without a thread. Its memory is the waiter's, until once_unwatch. */
struct once_watch {
    /* Called under the lock: it should do no more than wake somebody. When the watch begins to wait, and
     * when the thing is decided. */
    void (*waits)(struct once_watch *w);
    void (*decided)(struct once_watch *w);
    /* of the once */
    struct once_watch *next;
    bool is_waiting;
};

enum once_state { ONCE_MAKING, ONCE_MADE, ONCE_FAILED };

/* The first member of what the caller has of each thing. */
struct once_thing {
    /* Set by once_end, constant behind it. */
    void *value; /* NULL: it could not be made */
    struct diag diag;
    /* How many bytes count against the limit. Set by once_end and once_resize, under the lock; any thread
     * may read it. */
    _Atomic uint64_t bytes;

    /* For the maker: `above` is its own, set before the making. */
    struct stop stop;

    /* Protected by the lock; of the once. */
    _Atomic unsigned waiting; /* while it is made: uses beside the maker's */
    enum once_state state;
    unsigned users; /* with the maker, and with those who wait */
    bool keeps;     /* It may stay when nobody uses it. */
    bool counted;   /* Its bytes are among those that are kept. */
    struct once_watch *watches;
    struct once_thing *in_bucket, *newer, *older, *next_forgotten;
    uint64_t hash;
    struct str key; /* memory of its own */
};

struct once_kind {
    size_t thing_bytes; /* of a thing, whose first member is a struct once_thing; zeroed at first */
    /* Nobody has the thing any more. It ends all but the memory of the thing itself. Called without lock. */
    void (*end)(void *context, struct once_thing *thing);
    /* Whether a thing that nobody uses and that is larger than the limit stays for now. Called under the
     * lock. NULL: never. */
    bool (*stays)(void *context, struct once_thing *thing);
    void *context;
};

/* NULL: no memory, or no randomness for the table. `limit_bytes` is read at each use. */
struct once *once_new(const struct once_kind *kind, const uint64_t *limit_bytes);
void once_free(struct once *o); /* when nobody uses a thing; NULL is fine */

/* A use of the thing with this key. *begins: the caller makes it. `watch`: waits from here on, if the
 * thing is not decided; NULL: nobody does. NULL: no memory. */
struct once_thing *once_enter(struct once *o, struct str key, struct once_watch *watch,
                              bool *begins) MUST_CHECK;
/* A use of the thing, if it was made; else NULL. */
struct once_thing *once_look(struct once *o, struct str key) MUST_CHECK;

/* Waits without a turn. True: the thing is decided. False: the turn's stop was asked. */
bool once_wait(struct once *o, struct once_thing *thing, struct turn *turn) MUST_CHECK;
bool once_decided(struct once *o, struct once_thing *thing);

/* The making has ended: `value` is the thing's from now on; if it is NULL, thing->diag was set (by
 * stop_say, where thing->stop was asked). If the thing is decided already, since somebody else had it,
 * nothing is taken: thing->value is another one then. False: the making was ended because nobody waited,
 * and by now somebody does: the thing has to be made anew. */
bool once_end(struct once *o, struct once_thing *thing, void *value, uint64_t bytes) MUST_CHECK;
/* The same with once_release, unless it is false, in one step: who is told finds no use of the maker's any more. */
bool once_end_and_release(struct once *o, struct once_thing *thing, void *value, uint64_t bytes) MUST_CHECK;
/* The thing may stay when nobody uses it. At first it may not. */
void once_keep(struct once *o, struct once_thing *thing);

/* The value, which the caller uses, has so many bytes from now on. What is too much then goes with the
 * next release. */
void once_resize(struct once *o, struct once_thing *thing, uint64_t bytes);

/* Ends the waiting, if it waits. Before once_release. */
void once_unwatch(struct once *o, struct once_thing *thing, struct once_watch *watch);
void once_release(struct once *o, struct once_thing *thing);
/* The same, but it does not count as a use just now. */
void once_let_go(struct once *o, struct once_thing *thing);
/* How much is kept, and how many things were given up for lack of room since the beginning. */
struct once_counts {
    uint64_t bytes, evicted;
};
struct once_counts once_counts(struct once *o);
/* Frees what may not stay any more: after `stays` has changed its mind. */
void once_trim(struct once *o);
