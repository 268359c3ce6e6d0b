/* Turns: who may compute. Any number of threads have work to do, and most of the time wait for something:
 * for input, for the disk, for a client. So that those who compute are no more than there are cores, and
 * so that each has its share, a job computes only while it holds one of a number of turns:
 *
 *     turn_init(&turn, turns, TURN_ANSWER, client, stop);
 *     turn_take(&turn);
 *         compute; turn_next(&turn) after each piece of input and each picture
 *         turn_give(&turn) before what blocks: a sync of the disk; turn_take(&turn) behind it
 *     turn_end(&turn);
 *
 * To wait for something that a mutex guards:
 *
 *     lock;
 *     while (!there && stop_asked(turn.stop) == STOP_NONE)
 *         turn_wait(&turn, &condition, &mutex);
 *     unlock;
 *     turn_take(&turn);
 *
 * Turns are given in the order of struct fair_queue. Short work (turn_class_is_short) has a turn beyond
 * the workers': long work may then use all workers, and a small upload or a view still goes on.
 *
 * A turn carries the stop of its job. Nobody waits for long once the stop was asked: turn_take comes back
 * without a turn, so that the job can end, and turn_wait comes back within TURN_LOOK_MS. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/stop.h"

struct turns;

/* In the order in which they are served. */
enum turn_class {
    TURN_SMALL,  /* an upload that has been small so far */
    TURN_ANSWER, /* somebody waits for what is made */
    TURN_INPUT,  /* a large upload, or another long reading */
    TURN_AHEAD,  /* nobody waits for it yet */
    TURN_HOUSE,  /* deletion and the like: soon enough is good enough */
    TURN_CLASSES
};

/* ---- the order in which those who wait are served ---- */

enum { FAIR_LOWEST = 8 };

/* One who waits. Its memory is the waiter's. Class and owner must not change while it is in a queue. */
struct fair_place {
    enum turn_class turn_class;
    const void *owner; /* Whose work it is, as a key that is only compared: a client, or an upload. */
    /* of the queue */
    struct fair_place *next;   /* the first place of the next owner */
    struct fair_place *behind; /* the next place of the same owner */
    struct fair_place *last;   /* the last place of this owner; valid in its first */
};

/* Zero: empty. */
struct fair_queue {
    struct {
        struct fair_place *first, *last; /* the first places of the owners, in the order of their turns */
    } rings[TURN_CLASSES];
    size_t n;       /* places */
    unsigned taken; /* by fair_take without short_only */
};
void fair_add(struct fair_queue *q, struct fair_place *place);

/* Takes the place that is to be served next; with `short_only` of the short classes alone. NULL: there is none. */
struct fair_place *fair_take(struct fair_queue *q, bool short_only);

/* Takes a place out that no longer waits. It is in the queue. */
void fair_remove(struct fair_queue *q, struct fair_place *place);

/* ---- turns ---- */

enum { TURN_LOOK_MS = 50 };

/* Cores that the process may run on, as far as the system tells: at least 1. */
unsigned turns_cores(void);

/* 0 workers: one per core that the process may run on. `short_turn`: with the turn for short work. NULL:
 * no memory. */
struct turns *turns_new(unsigned workers, bool short_turn);
void turns_free(struct turns *t);              /* when nobody has or wants a turn; NULL is fine */
unsigned turns_workers(const struct turns *t); /* without the turn for short work */
unsigned turns_busy(struct turns *t);  /* Turns that are taken, with that for short work. Any thread. */
size_t turns_waiting(struct turns *t); /* Jobs that wait for a turn at this moment. Any thread. */

enum turn_held { TURN_NONE, TURN_WAITS, TURN_OF_WORKER, TURN_OF_SHORT };

/* One job's. It is used by the thread of the job alone. */
struct turn {
    struct turns *turns;
    const struct stop *stop; /* of the job; may be NULL */
    /* protected by the lock of the turns while the job waits, and the job's own else */
    struct fair_place place;
    pthread_cond_t granted;
    enum turn_held held;
};

/* Without a turn at first. `owner` as in struct fair_place. */
void turn_init(struct turn *t, struct turns *turns, enum turn_class turn_class, const void *owner,
               const struct stop *stop);
void turn_end(struct turn *t); /* gives the turn, if it has one */

/* Waits for a turn, unless it has one. It comes back without one if the stop is asked. */
void turn_take(struct turn *t);

/* Takes a worker's turn, if one is free; it has none. False: none is. */
bool turn_try(struct turn *t) MUST_CHECK;

/* Gives the turn, if it has one. Never blocks for long: may be called under any lock. */
void turn_give(struct turn *t);

/* If anybody else waits for a turn, it is their turn first. Takes a turn if it has none. */
void turn_next(struct turn *t);

/* The work is of this class from now on. Waits for a turn if it had one, and that was for short work only. */
void turn_set_class(struct turn *t, enum turn_class turn_class);

/* Gives the turn, and waits on the condition for TURN_LOOK_MS at most, with the mutex, which guards it.
 * Comes back with the mutex, and without a turn. The condition is one of clock_condition_init. */
void turn_wait(struct turn *t, pthread_cond_t *condition, pthread_mutex_t *mutex);
