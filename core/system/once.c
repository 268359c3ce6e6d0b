#include "core/system/once.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/system/clock.h"
#include "core/system/random_bytes.h"

enum { BUCKETS = 4096 };

struct once {
    struct once_kind kind; /* constant, as are the limit's place and the seed */
    const uint64_t *limit_bytes;
    struct hash_seed seed;
    pthread_mutex_t lock;   /* of what follows */
    pthread_cond_t decided; /* some thing is */
    uint64_t bytes;         /* of all things that are counted */
    uint64_t evicted;       /* things that were counted, and had to go */
    struct once_list {
        struct once_thing *newest, *oldest; /* by last use */
    } made[2];                              /* things that are made; [1]: those that are counted */
    struct once_thing *forgotten;           /* to be ended when the lock is free */
    struct once_thing *buckets[BUCKETS];
};

struct once *once_new(const struct once_kind *kind, const uint64_t *limit_bytes)
{
    struct once *o = calloc(1, sizeof(*o));

    if (o == NULL || !random_bytes(&o->seed, sizeof(o->seed))) {
        free(o);
        return NULL;
    }
    o->kind = *kind;
    o->limit_bytes = limit_bytes;
    pthread_mutex_init(&o->lock, NULL);
    clock_condition_init(&o->decided);
    return o;
}

/* ---- the list and the table: all of it under the lock ---- */

static void link_newest(struct once *o, struct once_thing *t)
{
    struct once_list *list = &o->made[t->counted];

    t->newer = NULL;
    t->older = list->newest;
    if (list->newest == NULL)
        list->oldest = t;
    else
        list->newest->newer = t;
    list->newest = t;
}

static void unlink_thing(struct once *o, struct once_thing *t)
{
    struct once_list *list = &o->made[t->counted];

    if (t->newer == NULL)
        list->newest = t->older;
    else
        t->newer->older = t->older;
    if (t->older == NULL)
        list->oldest = t->newer;
    else
        t->older->newer = t->newer;
}

/* Puts a made thing, with the bytes that it has now, among the counted or the uncounted ones, as the last one used. */
static void count(struct once *o, struct once_thing *t, bool counted)
{
    unlink_thing(o, t);
    o->bytes -= t->counted ? t->bytes : 0;
    t->counted = counted;
    o->bytes += t->counted ? t->bytes : 0;
    link_newest(o, t);
}

static void mark_used(struct once *o, struct once_thing *t)
{
    if (t->state != ONCE_MADE)
        return;
    unlink_thing(o, t);
    link_newest(o, t);
}

static struct once_thing *find(const struct once *o, struct str key, uint64_t hash)
{
    struct once_thing *t = o->buckets[hash % BUCKETS];

    while (t != NULL && (t->hash != hash || !str_eq(t->key, key)))
        t = t->in_bucket;
    return t;
}

static void leave_table(struct once *o, const struct once_thing *t)
{
    struct once_thing **at = &o->buckets[t->hash % BUCKETS];

    while (*at != t)
        at = &(*at)->in_bucket;
    *at = t->in_bucket;
}

/* False: no memory. */
static bool copy_key(struct str key, struct str *copy)
{
    char *p = malloc(key.n + 1);

    if (p != NULL)
        memcpy(p, key.p, key.n);
    copy->p = p;
    copy->n = key.n;
    return p != NULL;
}

static struct once_thing *add(struct once *o, struct str key, uint64_t hash)
{
    struct once_thing *t = calloc(1, o->kind.thing_bytes);

    if (t == NULL || !copy_key(key, &t->key)) {
        free(t);
        return NULL;
    }
    t->hash = hash;
    t->stop.others = &t->waiting;
    t->in_bucket = o->buckets[hash % BUCKETS];
    o->buckets[hash % BUCKETS] = t;
    return t;
}

/* ---- what goes: under the lock ---- */

static void forget(struct once *o, struct once_thing *t)
{
    if (t->state == ONCE_MADE) { /* what has failed is in neither of them */
        unlink_thing(o, t);
        leave_table(o, t);
    }
    if (t->counted)
        o->bytes -= t->bytes;
    t->next_forgotten = o->forgotten;
    o->forgotten = t;
}

static bool stays_uncounted(struct once *o, struct once_thing *t)
{
    return t->keeps && o->kind.stays != NULL && o->kind.stays(o->kind.context, t);
}

/* Drops what nobody uses: of the uncounted things all but those that stay, of the counted ones the least recently used, until
 * the rest has room. There may be many counted ones: those that stay are hardly looked at. */
static void trim(struct once *o)
{
    struct once_thing *newer;

    for (struct once_thing *t = o->made[false].oldest; t != NULL; t = newer) {
        newer = t->newer;
        if (t->users == 0 && !stays_uncounted(o, t))
            forget(o, t);
    }
    for (struct once_thing *t = o->made[true].oldest; t != NULL && o->bytes > *o->limit_bytes; t = newer) {
        newer = t->newer;
        if (t->users == 0) {
            forget(o, t);
            o->evicted++;
        }
    }
}

/* To end a large thing takes a while: that is done without the lock. It may let go of another thing. */
static void unlock(struct once *o)
{
    struct once_thing *t = o->forgotten;

    o->forgotten = NULL;
    pthread_mutex_unlock(&o->lock);
    while (t != NULL) {
        struct once_thing *next = t->next_forgotten;
        o->kind.end(o->kind.context, t);
        free((char *)(uintptr_t)t->key.p);
        free(t);
        t = next;
    }
}

void once_free(struct once *o)
{
    if (o == NULL)
        return;
    /* To end one thing may let go of another, which comes in a later round. */
    for (bool some = true; some;) {
        pthread_mutex_lock(&o->lock);
        some = false;
        for (int counted = 0; counted <= 1; counted++)
            for (struct once_thing *t = o->made[counted].oldest, *newer; t != NULL; t = newer) {
                newer = t->newer;
                if (t->users > 0)
                    continue;
                some = true;
                forget(o, t);
            }
        unlock(o);
    }
    pthread_cond_destroy(&o->decided);
    pthread_mutex_destroy(&o->lock);
    free(o);
}

/* ---- entering ---- */

struct once_thing *once_enter(struct once *o, struct str key, struct once_watch *watch, bool *begins)
{
    uint64_t hash = hash_bytes(o->seed, key.p, key.n);

    pthread_mutex_lock(&o->lock);
    struct once_thing *t = find(o, key, hash);
    *begins = t == NULL;
    if (t == NULL)
        t = add(o, key, hash);
    if (t != NULL) {
        t->users += *begins && watch != NULL ? 2 : 1; /* the maker, and the watch */
        atomic_store(&t->waiting, t->state == ONCE_MAKING ? t->users - 1 : 0);
        mark_used(o, t);
    }
    if (t != NULL && t->state == ONCE_MAKING && watch != NULL) {
        watch->next = t->watches;
        watch->is_waiting = true;
        t->watches = watch;
        watch->waits(watch);
    }
    pthread_mutex_unlock(&o->lock);
    return t;
}

struct once_thing *once_look(struct once *o, struct str key)
{
    uint64_t hash = hash_bytes(o->seed, key.p, key.n);

    pthread_mutex_lock(&o->lock);
    struct once_thing *t = find(o, key, hash);
    if (t != NULL && t->state != ONCE_MADE)
        t = NULL;
    if (t != NULL) {
        t->users++;
        mark_used(o, t);
    }
    pthread_mutex_unlock(&o->lock);
    return t;
}

bool once_wait(struct once *o, struct once_thing *t, struct turn *turn)
{
    pthread_mutex_lock(&o->lock);
    while (t->state == ONCE_MAKING && stop_asked(turn->stop) == STOP_NONE)
        turn_wait(turn, &o->decided, &o->lock);
    bool decided = t->state != ONCE_MAKING;
    pthread_mutex_unlock(&o->lock);
    turn_take(turn);
    return decided;
}

bool once_decided(struct once *o, struct once_thing *t)
{
    pthread_mutex_lock(&o->lock);
    bool decided = t->state != ONCE_MAKING;
    pthread_mutex_unlock(&o->lock);
    return decided;
}

/* ---- deciding: under the lock ---- */

static void tell(struct once *o, struct once_thing *t)
{
    struct once_watch *w = t->watches, *next;

    t->watches = NULL;
    for (; w != NULL; w = next) {
        next = w->next; /* who is woken may be gone as soon as the lock is free */
        w->is_waiting = false;
        w->decided(w);
    }
    pthread_cond_broadcast(&o->decided);
}

static void decide(struct once *o, struct once_thing *t, void *value, uint64_t bytes)
{
    t->value = value;
    t->bytes = bytes;
    t->state = value != NULL ? ONCE_MADE : ONCE_FAILED;
    atomic_store(&t->waiting, 0);
    if (value != NULL) {
        link_newest(o, t);
        count(o, t, t->keeps && bytes <= *o->limit_bytes);
    } else {
        leave_table(o, t);
    }
    tell(o, t);
    trim(o);
}

/* The use of the maker ends before the others are told, if it ends: they may be through with the thing at once. */
static bool end(struct once *o, struct once_thing *t, void *value, uint64_t bytes, bool release)
{
    pthread_mutex_lock(&o->lock);
    bool anew = t->state == ONCE_MAKING && value == NULL && stop_said_left(&t->diag) &&
                atomic_load(&t->waiting) > 0 && stop_asked(&t->stop) == STOP_NONE;
    if (anew)
        t->diag = (struct diag){0};
    t->users -= release && !anew;
    if (!anew && t->state == ONCE_MAKING)
        decide(o, t, value, bytes);
    if (t->users == 0 && t->state == ONCE_FAILED)
        forget(o, t);
    unlock(o);
    return !anew;
}

bool once_end(struct once *o, struct once_thing *t, void *value, uint64_t bytes)
{
    return end(o, t, value, bytes, false);
}

bool once_end_and_release(struct once *o, struct once_thing *t, void *value, uint64_t bytes)
{
    return end(o, t, value, bytes, true);
}

void once_keep(struct once *o, struct once_thing *t)
{
    pthread_mutex_lock(&o->lock);
    t->keeps = true;
    if (t->state == ONCE_MADE && !t->counted && t->bytes <= *o->limit_bytes) {
        count(o, t, true);
        trim(o);
    }
    unlock(o);
}

void once_resize(struct once *o, struct once_thing *t, uint64_t bytes)
{
    pthread_mutex_lock(&o->lock);
    if (t->counted)
        o->bytes += bytes - t->bytes;
    t->bytes = bytes;
    if (t->counted && bytes > *o->limit_bytes)
        count(o, t, false);
    pthread_mutex_unlock(&o->lock);
}

/* ---- leaving ---- */

void once_unwatch(struct once *o, struct once_thing *t, struct once_watch *watch)
{
    pthread_mutex_lock(&o->lock);
    if (watch->is_waiting) {
        struct once_watch **at = &t->watches;
        while (*at != watch)
            at = &(*at)->next;
        *at = watch->next;
        watch->is_waiting = false;
    }
    pthread_mutex_unlock(&o->lock);
}

static void leave(struct once *o, struct once_thing *t, bool used)
{
    pthread_mutex_lock(&o->lock);
    t->users--;
    if (t->state == ONCE_MAKING) /* the maker releases what is decided only */
        atomic_fetch_sub(&t->waiting, 1);
    if (used)
        mark_used(o, t);
    if (t->users == 0 && t->state == ONCE_FAILED)
        forget(o, t);
    trim(o);
    unlock(o);
}

void once_release(struct once *o, struct once_thing *t)
{
    leave(o, t, true);
}

void once_let_go(struct once *o, struct once_thing *t)
{
    leave(o, t, false);
}

struct once_counts once_counts(struct once *o)
{
    pthread_mutex_lock(&o->lock);
    const struct once_counts counts = {o->bytes, o->evicted};
    pthread_mutex_unlock(&o->lock);
    return counts;
}

void once_trim(struct once *o)
{
    pthread_mutex_lock(&o->lock);
    trim(o);
    unlock(o);
}
