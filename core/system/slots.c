#include "core/system/slots.h"

#include <stddef.h>

void slots_init(struct slots *s, uint64_t n, uint64_t reserved)
{
    *s = (struct slots){.free = n, .reserved = reserved};
    pthread_mutex_init(&s->lock, NULL);
}

void slots_free(struct slots *s)
{
    pthread_mutex_destroy(&s->lock);
}

bool slots_try(struct slots *s)
{
    pthread_mutex_lock(&s->lock);
    bool got = s->free > s->reserved;
    s->free -= got;
    pthread_mutex_unlock(&s->lock);
    return got;
}

bool slots_wait(struct slots *s, struct slot_wait *wait)
{
    pthread_mutex_lock(&s->lock);
    bool got = s->free > 0;
    if (got) {
        s->free--;
    } else {
        wait->next = NULL;
        if (s->first == NULL)
            s->first = wait;
        else
            s->last->next = wait;
        s->last = wait;
    }
    pthread_mutex_unlock(&s->lock);
    return got;
}

/* A slot that somebody waits for is handed over and never counted as free, so that nobody who comes in between takes it. */
void slots_leave(struct slots *s)
{
    pthread_mutex_lock(&s->lock);
    struct slot_wait *next = s->first;
    if (next != NULL)
        s->first = next->next;
    else
        s->free++;
    pthread_mutex_unlock(&s->lock);
    if (next != NULL)
        next->granted(next);
}

bool slots_wanted(struct slots *s)
{
    pthread_mutex_lock(&s->lock);
    bool wanted = s->first != NULL;
    pthread_mutex_unlock(&s->lock);
    return wanted;
}
