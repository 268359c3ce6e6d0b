#include "server/upload/fold_slots.h"

#include <stddef.h>

void fold_slots_init(struct fold_slots *p, uint64_t n, uint64_t kept)
{
    *p = (struct fold_slots){.free = n, .kept = kept};
    pthread_mutex_init(&p->lock, NULL);
}

void fold_slots_free(struct fold_slots *p)
{
    pthread_mutex_destroy(&p->lock);
}

bool fold_slots_try(struct fold_slots *p)
{
    pthread_mutex_lock(&p->lock);
    bool got = p->free > p->kept;
    p->free -= got;
    pthread_mutex_unlock(&p->lock);
    return got;
}

bool fold_slots_wait(struct fold_slots *p, struct fold_slot_wait *wait)
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

void fold_slots_leave(struct fold_slots *p)
{
    pthread_mutex_lock(&p->lock);
    struct fold_slot_wait *next = p->first;
    if (next != NULL)
        p->first = next->next;
    else
        p->free++;
    pthread_mutex_unlock(&p->lock);
    if (next != NULL)
        next->granted(next);
}
