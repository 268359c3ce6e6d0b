#include "server/upload/progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
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
    struct progresses *all;
    struct exchange *exchange;
    struct exchange_wait wait;
    char id[RECORD_ID_CHARS + 1];
    int64_t until_s; /* when a wait ends by itself; monotonic */
    uint32_t seen;   /* views, or events of a stream */
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

/* Resumes those who watch the upload; under the lock, under which a request that ends takes its watch out. */
static void wake(struct progresses *all, const char *id)
{
    for (struct progress_watch *w = all->watches; w != NULL; w = w->next)
        if (strcmp(w->id, id) == 0)
            exchange_resume(&w->wait);
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

void progresses_tick(struct progresses *all)
{
    int64_t now_s = clock_s();

    pthread_mutex_lock(&all->lock);
    for (struct progress_watch *w = all->watches; w != NULL; w = w->next)
        if (w->until_s <= now_s)
            exchange_resume(&w->wait);
    pthread_mutex_unlock(&all->lock);
}

/* The request has ended. */
static void forget(void *state)
{
    struct progress_watch *w = state;
    struct progress_watch **at = &w->all->watches;

    pthread_mutex_lock(&w->all->lock);
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    pthread_mutex_unlock(&w->all->lock);
}

struct progress_watch *progress_watch(struct exchange *x, struct str id, uint32_t seen, int64_t until_s)
{
    struct progresses *all = x->service->progresses;
    struct progress_watch *w = exchange_state(x, sizeof(*w), forget);

    if (w == NULL)
        return NULL;
    w->all = all;
    w->exchange = x;
    w->until_s = until_s;
    w->seen = seen;
    memcpy(w->id, id.p, id.n < RECORD_ID_CHARS ? id.n : RECORD_ID_CHARS);
    pthread_mutex_lock(&all->lock);
    w->next = all->watches;
    all->watches = w;
    pthread_mutex_unlock(&all->lock);
    return w;
}

bool progress_waits(struct progress_watch *w)
{
    pthread_mutex_lock(&w->all->lock);
    const struct progress *p = find(w->all, str_of(w->id));
    bool waits = p != NULL && p->n_made <= w->seen && clock_s() < w->until_s;
    if (waits)
        exchange_wait(w->exchange, &w->wait);
    pthread_mutex_unlock(&w->all->lock);
    return waits;
}

/* Events 0 and 1 are what is known from the start; then one for each view. */
enum { EVENTS_BEFORE_VIEWS = 2 };

static void put_event(const struct progress *p, uint32_t n, struct buf *out)
{
    const struct progress_facts *f = &p->facts;
    struct json j = json_into(out);

    buf_printf(out, "event: %s\ndata: ", n == 0 ? "received" : n == 1 ? "recognised" : "rendered");
    json_open_object(&j, NULL);
    if (n == 0) {
        json_put_u64(&j, "bytes", f->bytes);
    } else if (n == 1) {
        json_put_string(&j, "format", str_of(f->format));
        json_put_u64(&j, "records", f->records);
        json_put_u64(&j, "views", f->n_views);
    } else {
        json_put_u64(&j, "track", p->made[n - EVENTS_BEFORE_VIEWS]);
        json_put_u64(&j, "made", n - EVENTS_BEFORE_VIEWS + 1);
        json_put_u64(&j, "of", f->n_views);
    }
    json_close(&j);
    buf_z(out, "\n\n");
}

bool progress_events(void *watch, struct buf *out, bool *ended)
{
    struct progress_watch *w = watch;
    bool waits = false;

    pthread_mutex_lock(&w->all->lock);
    const struct progress *p = find(w->all, str_of(w->id));
    *ended = p == NULL;
    if (p == NULL) {
        buf_z(out, "event: done\ndata: {}\n\n");
    } else if (w->seen < p->n_made + EVENTS_BEFORE_VIEWS) {
        while (w->seen < p->n_made + EVENTS_BEFORE_VIEWS)
            put_event(p, w->seen++, out);
    } else {
        waits = true;
        exchange_wait(w->exchange, &w->wait);
    }
    pthread_mutex_unlock(&w->all->lock);
    return !waits;
}
