#include "core/system/turns.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/stop.h"
#include "core/system/clock.h"

/* ---- fairness ---- */

/* Short work: it may use what is kept for it beyond the workers. */
static inline bool turn_class_is_short(enum turn_class turn_class)
{
    return turn_class == TURN_SMALL || turn_class == TURN_ANSWER;
}

/* There are as many owners as clients with work: a walk is short. */
static struct fair_place *first_of(const struct fair_queue *q, const struct fair_place *place)
{
    struct fair_place *at = q->rings[place->turn_class].first;

    while (at != NULL && at->owner != place->owner)
        at = at->next;
    return at;
}

static void hang_in(struct fair_queue *q, struct fair_place *first)
{
    enum turn_class c = first->turn_class;

    first->next = NULL;
    if (q->rings[c].first == NULL)
        q->rings[c].first = first;
    else
        q->rings[c].last->next = first;
    q->rings[c].last = first;
}

void fair_add(struct fair_queue *q, struct fair_place *place)
{
    struct fair_place *first = first_of(q, place);

    q->n++;
    place->behind = NULL;
    place->last = place;
    if (first == NULL) {
        hang_in(q, place);
        return;
    }
    first->last->behind = place;
    first->last = place;
}

/* The owner whose turn it is goes behind the others. */
static struct fair_place *take_from(struct fair_queue *q, enum turn_class c)
{
    struct fair_place *place = q->rings[c].first, *behind = place->behind;

    q->n--;
    q->rings[c].first = place->next;
    if (behind != NULL) {
        behind->last = place->last;
        hang_in(q, behind);
    }
    return place;
}

struct fair_place *fair_take(struct fair_queue *q, bool short_only)
{
    if (q->n == 0)
        return NULL;
    bool lowest_first = !short_only && ++q->taken % FAIR_LOWEST == 0;

    for (unsigned i = 0; i < TURN_CLASSES; i++) {
        enum turn_class c = (enum turn_class)(lowest_first ? TURN_CLASSES - 1 - i : i);
        if (q->rings[c].first != NULL && (!short_only || turn_class_is_short(c)))
            return take_from(q, c);
    }
    return NULL;
}

/* Puts `with`, or nothing, in the place of the first one of an owner. */
static void replace_first(struct fair_queue *q, const struct fair_place *first, struct fair_place *with)
{
    enum turn_class c = first->turn_class;
    struct fair_place *before = NULL;

    for (struct fair_place *at = q->rings[c].first; at != first; at = at->next)
        before = at;
    struct fair_place *next = with != NULL ? with : first->next;
    if (with != NULL) {
        with->next = first->next;
        with->last = first->last;
    }
    if (before == NULL)
        q->rings[c].first = next;
    else
        before->next = next;
    if (q->rings[c].last == first)
        q->rings[c].last = with != NULL ? with : before;
}

void fair_remove(struct fair_queue *q, struct fair_place *place)
{
    struct fair_place *first = first_of(q, place), *before = first;

    q->n--;
    if (first == place) {
        replace_first(q, place, place->behind);
        return;
    }
    while (before->behind != place)
        before = before->behind;
    before->behind = place->behind;
    if (first->last == place)
        first->last = before;
}

/* ---- turns ---- */

struct turns {
    unsigned workers, most;   /* constant; most: with the turn for short work */
    _Atomic size_t n_waiting; /* waiting.n, for a look without the lock */
    pthread_mutex_t lock;     /* of what follows */
    unsigned free, free_short;
    struct fair_queue waiting;
};

unsigned turns_cores(void)
{
    cpu_set_t set;

    /* Fails on machines with more cores than the set has bits: one is then too few, but never wrong. */
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}

struct turns *turns_new(unsigned workers, bool short_turn)
{
    struct turns *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return NULL;
    t->workers = t->free = workers > 0 ? workers : turns_cores();
    t->free_short = short_turn ? 1 : 0;
    t->most = t->free + t->free_short;
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void turns_free(struct turns *t)
{
    if (t == NULL)
        return;
    pthread_mutex_destroy(&t->lock);
    free(t);
}

unsigned turns_workers(const struct turns *t)
{
    return t->workers;
}

unsigned turns_busy(struct turns *t)
{
    pthread_mutex_lock(&t->lock);
    unsigned busy = t->most - t->free - t->free_short;
    pthread_mutex_unlock(&t->lock);
    return busy;
}

size_t turns_waiting(struct turns *t)
{
    return atomic_load(&t->n_waiting);
}

/* ---- giving: all of it under the lock ---- */

static struct turn *turn_of(struct fair_place *place)
{
    return place == NULL ? NULL : (struct turn *)((char *)place - offsetof(struct turn, place));
}

static void grant(struct turn *t, enum turn_held held)
{
    t->held = held;
    pthread_cond_signal(&t->granted);
}

/* Gives what is free to those who wait. What is for short work goes first, so that the workers' turns are
 * left for long work. */
static void deal(struct turns *all)
{
    struct turn *t;

    while (all->free_short > 0 && (t = turn_of(fair_take(&all->waiting, true))) != NULL) {
        all->free_short--;
        grant(t, TURN_OF_SHORT);
    }
    while (all->free > 0 && (t = turn_of(fair_take(&all->waiting, false))) != NULL) {
        all->free--;
        grant(t, TURN_OF_WORKER);
    }
    atomic_store(&all->n_waiting, all->waiting.n);
}

static void put_back(struct turn *t)
{
    t->turns->free += t->held == TURN_OF_WORKER;
    t->turns->free_short += t->held == TURN_OF_SHORT;
    t->held = TURN_NONE;
}

static void queue_and_wait(struct turn *t)
{
    struct turns *all = t->turns;

    t->held = TURN_WAITS;
    fair_add(&all->waiting, &t->place);
    deal(all);
    while (t->held == TURN_WAITS && stop_asked(t->stop) == STOP_NONE)
        clock_wait_until(&t->granted, &all->lock, clock_ms() + TURN_LOOK_MS);
    if (t->held != TURN_WAITS)
        return;
    fair_remove(&all->waiting, &t->place);
    atomic_store(&all->n_waiting, all->waiting.n);
    t->held = TURN_NONE;
}

/* ---- the job's side ---- */

void turn_init(struct turn *t, struct turns *turns, enum turn_class turn_class, const void *owner,
               const struct stop *stop)
{
    *t = (struct turn){
        .turns = turns, .stop = stop, .place = {.turn_class = turn_class, .owner = owner}, .held = TURN_NONE};
    clock_condition_init(&t->granted);
}

void turn_end(struct turn *t)
{
    turn_give(t);
    pthread_cond_destroy(&t->granted);
}

void turn_take(struct turn *t)
{
    if (t->held != TURN_NONE)
        return;
    pthread_mutex_lock(&t->turns->lock);
    queue_and_wait(t);
    pthread_mutex_unlock(&t->turns->lock);
}

bool turn_try(struct turn *t)
{
    pthread_mutex_lock(&t->turns->lock);
    bool is_free = t->turns->free > 0; /* then nobody waits */
    if (is_free) {
        t->turns->free--;
        t->held = TURN_OF_WORKER;
    }
    pthread_mutex_unlock(&t->turns->lock);
    return is_free;
}

void turn_give(struct turn *t)
{
    if (t->held == TURN_NONE)
        return;
    pthread_mutex_lock(&t->turns->lock);
    put_back(t);
    deal(t->turns);
    pthread_mutex_unlock(&t->turns->lock);
}

/* A job that queues behind the others may well be the next one: its class decides. */
void turn_next(struct turn *t)
{
    if (t->held != TURN_NONE && atomic_load(&t->turns->n_waiting) == 0)
        return;
    pthread_mutex_lock(&t->turns->lock);
    put_back(t);
    queue_and_wait(t);
    pthread_mutex_unlock(&t->turns->lock);
}

void turn_set_class(struct turn *t, enum turn_class turn_class)
{
    bool had = t->held != TURN_NONE;

    if (t->held == TURN_OF_SHORT && !turn_class_is_short(turn_class))
        turn_give(t);
    t->place.turn_class = turn_class;
    if (had)
        turn_take(t);
}

void turn_wait(struct turn *t, pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    turn_give(t);
    clock_wait_until(condition, mutex, clock_ms() + TURN_LOOK_MS);
}
