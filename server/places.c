#include "server/places.h"

#include <stddef.h>

void places_init(struct places *p, uint64_t n, uint64_t kept)
{
    *p = (struct places){.free = n, .kept = kept};
    pthread_mutex_init(&p->lock, NULL);
}

void places_free(struct places *p)
{
    pthread_mutex_destroy(&p->lock);
}

bool places_try(struct places *p)
{
    pthread_mutex_lock(&p->lock);
    bool got = p->free > p->kept;
    p->free -= got;
    pthread_mutex_unlock(&p->lock);
    return got;
}

bool places_wait(struct places *p, struct place_wait *wait)
{
    pthread_mutex_lock(&p->lock);
    bool got = p->free > 0;
    if (got) {
        p->free--;
    } else {
        wait->next = NULL;
        if (p->first == NULL)
            p->first = wait;
        else
            p->last->next = wait;
        p->last = wait;
    }
    pthread_mutex_unlock(&p->lock);
    return got;
}

void places_leave(struct places *p)
{
    pthread_mutex_lock(&p->lock);
    struct place_wait *next = p->first;
    if (next != NULL)
        p->first = next->next;
    else
        p->free++;
    pthread_mutex_unlock(&p->lock);
    if (next != NULL)
        next->granted(next);
}
