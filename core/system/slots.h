/* A number of slots, each of which one user may hold at a time, and a queue of those who wait for one: first come, first
 * served. It bounds how much of something is under way at once. Nobody blocks: who has to wait is called later. Any
 * thread. */
#ifndef CORE_SYSTEM_SLOTS_H
#define CORE_SYSTEM_SLOTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Who waits for a slot. Its memory is the waiter's, and must stay until granted() has been called. */
struct slot_wait {
    void (*granted)(struct slot_wait *wait); /* The slot is yours. Called by the thread that gave it back. */
    struct slot_wait *next;                  /* of the slots */
};

struct slots {
    pthread_mutex_t lock; /* of all that follows */
    uint64_t free;
    uint64_t reserved; /* slots_try leaves so many free, for those who call slots_wait */
    struct slot_wait *first, *last;
};

void slots_init(struct slots *s, uint64_t n, uint64_t reserved);
void slots_free(struct slots *s); /* nobody waits any more */

/* Takes a slot if one is free that is not reserved. */
bool slots_try(struct slots *s) __attribute__((warn_unused_result));
/* Takes any free slot: true. Else queues, and wait->granted is called later: false. */
bool slots_wait(struct slots *s, struct slot_wait *wait) __attribute__((warn_unused_result));
/* Gives a slot back: to who has waited longest, if anybody waits. */
void slots_leave(struct slots *s);
/* Whether anybody waits. */
bool slots_wanted(struct slots *s);

#endif
