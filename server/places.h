/* A number of places, and a queue of those who wait for one: first come, first served. Nobody blocks. Any
 * thread. */
#ifndef SERVER_PLACES_H
#define SERVER_PLACES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct place_wait {
    struct place_wait *next;
    void (*granted)(struct place_wait *wait); /* the place is yours; called by the thread that left it */
};

struct places {
    pthread_mutex_t lock;
    uint64_t free, kept;
    struct place_wait *first, *last;
};

/* Of the n places, `kept` are for those who wait. */
void places_init(struct places *p, uint64_t n, uint64_t kept);
void places_free(struct places *p);

/* Takes a place if there is one beside those that are kept. */
bool places_try(struct places *p);
/* Takes any place, or queues: then wait->granted is called later. */
bool places_wait(struct places *p, struct place_wait *wait);
/* Gives a place back, to who has waited longest. */
void places_leave(struct places *p);

#endif
