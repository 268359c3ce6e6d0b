/* The order in which those who wait are served: by class, within a class from owner to owner, and of one owner first come,
 * first served. So nobody waits for all the work of somebody else, only for one item of each owner.
 *
 * Classes go before owners. So that nothing starves, every FAIR_LOWEST-th is taken from the lowest class that has one.
 *
 * No lock: whoever has a queue guards it. */
#ifndef CORE_SYSTEM_FAIR_H
#define CORE_SYSTEM_FAIR_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which they are served. */
enum turn_class {
    TURN_SMALL,  /* an upload that has been small so far */
    TURN_ANSWER, /* somebody waits for what is made */
    TURN_INPUT,  /* a large upload, or another long reading */
    TURN_AHEAD,  /* nobody waits for it yet */
    TURN_HOUSE,  /* deletion and the like: soon enough is good enough */
    TURN_CLASSES
};

enum { FAIR_LOWEST = 8 };

/* Short work: it may use what is kept for it beyond the workers. */
static inline bool turn_class_is_short(enum turn_class turn_class)
{
    return turn_class == TURN_SMALL || turn_class == TURN_ANSWER;
}

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

#endif
