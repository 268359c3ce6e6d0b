/* A number of places, and a queue of those who wait for one: first come, first served. Nobody blocks. Any
 * thread. */
#ifndef SERVER_UPLOAD_FOLD_SLOTS_H
#define SERVER_UPLOAD_FOLD_SLOTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct fold_slot_wait {
    struct fold_slot_wait *next;
    void (*granted)(struct fold_slot_wait *wait); /* the place is yours; called by the thread that left it */
};

struct fold_slots {
    pthread_mutex_t lock;
    uint64_t free, kept;
    struct fold_slot_wait *first, *last;
};

/* Of the n places, `kept` are for those who wait. */
void fold_slots_init(struct fold_slots *p, uint64_t n, uint64_t kept);
void fold_slots_free(struct fold_slots *p);

/* Takes a place if there is one beside those that are kept. */
bool fold_slots_try(struct fold_slots *p);
/* Takes any place, or queues: then wait->granted is called later. */
bool fold_slots_wait(struct fold_slots *p, struct fold_slot_wait *wait);
/* Gives a place back, to who has waited longest. */
void fold_slots_leave(struct fold_slots *p);

#endif
