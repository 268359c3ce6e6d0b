#include "server/upload/stage.h"

#include <stdlib.h>

/* Chunks one stage works on before others of the pool have their turn. */
enum { CHUNKS_PER_TURN = 8 };

void chunk_pool_init(struct chunk_pool *p, size_t keep)
{
    *p = (struct chunk_pool){.keep = keep};
    pthread_mutex_init(&p->lock, NULL);
}

void chunk_pool_free(struct chunk_pool *p)
{
    while (p->spare != NULL) {
        struct chunk *c = p->spare;
        p->spare = c->next;
        free(c);
    }
    pthread_mutex_destroy(&p->lock);
}

struct chunk *chunk_take(struct chunk_pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct chunk *c = p->spare;
    if (c != NULL) {
        p->spare = c->next;
        p->n_spare--;
    }
    pthread_mutex_unlock(&p->lock);
    if (c == NULL)
        c = malloc(sizeof(*c) + CHUNK_BYTES);
    if (c != NULL)
        *c = (struct chunk){.n = 0};
    return c;
}

void chunk_give(struct chunk_pool *p, struct chunk *c)
{
    pthread_mutex_lock(&p->lock);
    bool kept = p->n_spare < p->keep;
    if (kept) {
        c->next = p->spare;
        p->spare = c;
        p->n_spare++;
    }
    pthread_mutex_unlock(&p->lock);
    if (!kept)
        free(c);
}

/* The stage has seen its next chunk. Returns it if it was the last stage to do so. */
static struct chunk *step(struct stages *l, struct stage *stage)
{
    struct chunk *c = stage->next;

    stage->next = c->next;
    if (--c->readers > 0)
        return NULL;
    if (l->last == c)
        l->last = NULL;
    l->queued_bytes -= c->n;
    if (l->full && l->queued_bytes <= l->limit_bytes / 2) {
        l->full = false;
        l->room(l->context);
    }
    return c;
}

/* Whether this is the moment to say that all is done. Under the lock. */
static bool now_drained(struct stages *l)
{
    if (l->told || !(l->ended || l->aborted))
        return false;
    for (unsigned i = 0; i < l->n_lanes; i++)
        if (l->stage[i].scheduled || l->stage[i].next != NULL)
            return false;
    l->told = true;
    return true;
}

/* Works on one chunk. False when there is none: then the stage is no longer scheduled, and must not be touched
 * again. */
static bool work_one(struct stages *l, struct stage *stage)
{
    pthread_mutex_lock(&l->lock);
    struct chunk *c = stage->next;
    bool skip = l->aborted;
    if (c == NULL) {
        stage->scheduled = false;
        bool drained = now_drained(l);
        pthread_mutex_unlock(&l->lock);
        if (drained)
            l->drained(l->context);
        return false;
    }
    pthread_mutex_unlock(&l->lock);
    if (!skip)
        stage->work(l->context, c->bytes, c->n);
    pthread_mutex_lock(&l->lock);
    struct chunk *done = step(l, stage);
    struct chunk_pool *chunks = l->chunks;
    pthread_mutex_unlock(&l->lock);
    if (done != NULL)
        chunk_give(chunks, done);
    return true;
}

static void run(struct task *task)
{
    struct stage *stage = (struct stage *)task; /* its first member */
    struct stages *l = stage->stages;

    for (unsigned i = 0; i < CHUNKS_PER_TURN; i++)
        if (!work_one(l, stage))
            return;
    pool_submit(l->pool, task);
}

void stages_init(struct stages *l, struct pool *pool, struct chunk_pool *chunks, unsigned n_lanes,
                 size_t limit_bytes)
{
    *l = (struct stages){.pool = pool, .chunks = chunks, .n_lanes = n_lanes, .limit_bytes = limit_bytes};
    pthread_mutex_init(&l->lock, NULL);
    for (unsigned i = 0; i < n_lanes; i++)
        l->stage[i] = (struct stage){.task = {.run = run}, .stages = l};
}

void stages_free(struct stages *l)
{
    pthread_mutex_destroy(&l->lock);
}

void stages_limit(struct stages *l, size_t limit_bytes)
{
    pthread_mutex_lock(&l->lock);
    l->limit_bytes = limit_bytes;
    pthread_mutex_unlock(&l->lock);
}

void stages_push(struct stages *l, struct chunk *c)
{
    pthread_mutex_lock(&l->lock);
    c->readers = l->n_lanes;
    c->next = NULL;
    if (l->last != NULL)
        l->last->next = c;
    l->last = c;
    l->queued_bytes += c->n;
    for (unsigned i = 0; i < l->n_lanes; i++) {
        struct stage *stage = &l->stage[i];
        if (stage->next == NULL)
            stage->next = c;
        if (!stage->scheduled) {
            stage->scheduled = true;
            pool_submit(l->pool, &stage->task);
        }
    }
    pthread_mutex_unlock(&l->lock);
}

static void end(struct stages *l, bool abort)
{
    pthread_mutex_lock(&l->lock);
    if (abort)
        l->aborted = true;
    else
        l->ended = true;
    bool drained = now_drained(l);
    pthread_mutex_unlock(&l->lock);
    if (drained)
        l->drained(l->context);
}

void stages_end(struct stages *l)
{
    end(l, false);
}

void stages_abort(struct stages *l)
{
    end(l, true);
}
