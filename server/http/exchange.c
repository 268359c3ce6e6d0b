#include "server/http/exchange.h"

#include <stdlib.h>

struct exchange_state {
    struct exchange_state *next;
    void (*end)(void *state);
    max_align_t memory[];
};

void exchange_wait(struct exchange *x, struct exchange_wait *w)
{
    w->exchange = x;
    x->suspend(x, false);
}

void exchange_wait_for_work(struct exchange *x, struct exchange_wait *w)
{
    w->exchange = x;
    x->suspend(x, true);
}

/* Once the request is resumed its thread may end it, and wait for the lock only to free w: so w comes first. */
void exchange_resume(struct exchange_wait *w)
{
    struct exchange *x = w->exchange;

    w->exchange = NULL;
    if (x != NULL)
        x->resume(x);
}

enum exchange_step exchange_then(struct exchange *x,
                                 enum exchange_step (*then)(struct exchange *x, void *context), void *context)
{
    x->then = then;
    x->then_context = context;
    return X_WAIT;
}

bool exchange_goes_on(const struct exchange *x)
{
    return x->then != NULL;
}

enum exchange_step exchange_go_on(struct exchange *x)
{
    enum exchange_step (*then)(struct exchange * x, void *context) = x->then;

    x->then = NULL;
    return then(x, x->then_context);
}

void *exchange_state(struct exchange *x, size_t bytes, void (*end)(void *state))
{
    struct exchange_state *s = calloc(1, sizeof(*s) + bytes);

    if (s == NULL)
        return NULL;
    s->end = end;
    s->next = x->states;
    x->states = s;
    return s->memory;
}

void exchange_end_states(struct exchange *x)
{
    for (struct exchange_state *s; (s = x->states) != NULL;) {
        x->states = s->next;
        if (s->end != NULL)
            s->end(s->memory);
        free(s);
    }
}
