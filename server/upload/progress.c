#include "server/upload/progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"

struct progresses {
    pthread_mutex_t lock;
    struct progress *first;
    struct progress_watch *watches;
};

struct progress {
    struct progress *next;
    struct progresses *all;
    struct progress_facts facts;
    uint32_t n_made;
    uint32_t made[]; /* facts.n_views tracks, in the order in which they were made */
};

struct progress_watch {
    struct progress_watch *next;
    struct exchange *exchange;
    char id[RECORD_ID_CHARS + 1];
    int64_t until_s;
    bool suspended;
};

struct progresses *progresses_new(void)
{
    struct progresses *all = calloc(1, sizeof(*all));

    if (all != NULL)
        pthread_mutex_init(&all->lock, NULL);
    return all;
}

void progresses_free(struct progresses *all)
{
    if (all == NULL)
        return;
    pthread_mutex_destroy(&all->lock);
    free(all);
}

/* ---- the job's side ---- */

struct progress *progress_begin(struct progresses *all, const struct progress_facts *facts)
{
    struct progress *p = calloc(1, sizeof(*p) + facts->n_views * sizeof(*p->made));

    if (p == NULL)
        return NULL;
    p->all = all;
    p->facts = *facts;
    p->facts.id[0] = '\0';
    pthread_mutex_lock(&all->lock);
    p->next = all->first;
    all->first = p;
    pthread_mutex_unlock(&all->lock);
    return p;
}

/* Resumes those who watch the upload; under the lock. */
static void wake(struct progresses *all, const char *id)
{
    for (struct progress_watch *w = all->watches; w != NULL; w = w->next)
        if (w->suspended && strcmp(w->id, id) == 0) {
            w->suspended = false;
            w->exchange->resume(w->exchange);
        }
}

void progress_publish(struct progress *p, const char *id)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->all->lock);
    memcpy(p->facts.id, id, sizeof(p->facts.id));
    pthread_mutex_unlock(&p->all->lock);
}

void progress_view(struct progress *p, uint32_t track)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->all->lock);
    if (p->n_made < p->facts.n_views)
        p->made[p->n_made++] = track;
    wake(p->all, p->facts.id);
    pthread_mutex_unlock(&p->all->lock);
}

void progress_end(struct progress *p)
{
    if (p == NULL)
        return;
    struct progresses *all = p->all;
    pthread_mutex_lock(&all->lock);
    struct progress **at = &all->first;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    wake(all, p->facts.id);
    pthread_mutex_unlock(&all->lock);
    free(p);
}

/* ---- the watcher's side ---- */

static struct progress *find(struct progresses *all, struct str id)
{
    for (struct progress *p = all->first; p != NULL; p = p->next)
        if (str_eq(str_of(p->facts.id), id))
            return p;
    return NULL;
}

bool progress_look(struct progresses *all, struct str id, struct progress_facts *facts, uint32_t *n_made)
{
    pthread_mutex_lock(&all->lock);
    const struct progress *p = find(all, id);
    if (p != NULL) {
        *facts = p->facts;
        *n_made = p->n_made;
    }
    pthread_mutex_unlock(&all->lock);
    return p != NULL;
}

/* Suspends the exchange until the next news; under the lock. False: no memory. */
static bool watch(struct progresses *all, struct exchange *x, struct str id, int64_t until_s)
{
    struct progress_watch *w = x->watch;

    if (w == NULL) {
        w = calloc(1, sizeof(*w));
        if (w == NULL)
            return false;
        w->exchange = x;
        w->next = all->watches;
        all->watches = w;
        x->watch = w;
    }
    memcpy(w->id, id.p, id.n < RECORD_ID_CHARS ? id.n : RECORD_ID_CHARS);
    w->until_s = until_s;
    w->suspended = true;
    x->suspend(x);
    return true;
}

void progresses_tick(struct progresses *all)
{
    int64_t now_s = clock_s();

    pthread_mutex_lock(&all->lock);
    for (struct progress_watch *w = all->watches; w != NULL; w = w->next)
        if (w->suspended && w->until_s <= now_s) {
            w->suspended = false;
            w->exchange->resume(w->exchange);
        }
    pthread_mutex_unlock(&all->lock);
}

enum exchange_step progress_wait(struct exchange *x, struct str id, uint32_t seen, int64_t until_s)
{
    struct progresses *all = x->service->progresses;
    enum exchange_step step = X_DONE;

    pthread_mutex_lock(&all->lock);
    const struct progress *p = find(all, id);
    if (p != NULL && p->n_made <= seen && clock_s() < until_s && watch(all, x, id, until_s))
        step = X_WAIT;
    pthread_mutex_unlock(&all->lock);
    return step;
}

/* Events 0 and 1 are what is known from the start; then one for each view. */
enum { EVENTS_BEFORE_VIEWS = 2 };

static void put_event(const struct progress *p, uint32_t n, struct buf *out)
{
    const struct progress_facts *f = &p->facts;

    if (n == 0)
        buf_printf(out, "event: received\ndata: {\"bytes\":%llu}\n\n", (unsigned long long)f->bytes);
    else if (n == 1)
        buf_printf(out, "event: recognised\ndata: {\"format\":\"%s\",\"records\":%llu,\"views\":%u}\n\n",
                   f->format, (unsigned long long)f->records, f->n_views);
    else
        buf_printf(out, "event: rendered\ndata: {\"track\":%u,\"made\":%u,\"of\":%u}\n\n",
                   p->made[n - EVENTS_BEFORE_VIEWS], n - EVENTS_BEFORE_VIEWS + 1, f->n_views);
}

enum exchange_step progress_events(struct exchange *x, struct str id, uint32_t *seen, struct buf *out,
                                   bool *ended)
{
    struct progresses *all = x->service->progresses;
    enum exchange_step step = X_DONE;

    *ended = false;
    pthread_mutex_lock(&all->lock);
    const struct progress *p = find(all, id);
    if (p != NULL && *seen < p->n_made + EVENTS_BEFORE_VIEWS) {
        while (*seen < p->n_made + EVENTS_BEFORE_VIEWS)
            put_event(p, (*seen)++, out);
    } else if (p != NULL && watch(all, x, id, INT64_MAX)) {
        step = X_WAIT;
    } else {
        buf_z(out, "event: done\ndata: {}\n\n");
        *ended = true;
    }
    pthread_mutex_unlock(&all->lock);
    return step;
}

void progress_abandon(struct exchange *x)
{
    struct progresses *all = x->service->progresses;

    if (x->watch == NULL)
        return;
    pthread_mutex_lock(&all->lock);
    struct progress_watch **at = &all->watches;
    while (*at != x->watch)
        at = &(*at)->next;
    *at = x->watch->next;
    pthread_mutex_unlock(&all->lock);
    free(x->watch);
    x->watch = NULL;
}
