#include "server/upload/stage.h"

#include <stdlib.h>

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
static struct chunk *step(struct stages *s, struct stage *stage)
{
    struct chunk *c = stage->next;

    stage->next = c->next;
    if (--c->readers > 0)
        return NULL;
    if (s->last == c)
        s->last = NULL;
    s->queued_bytes -= c->n;
    if (s->full && s->queued_bytes <= s->limit_bytes / 2) {
        s->full = false;
        s->room(s->context);
    }
    return c;
}

/* Whether this is the moment to say that all is done. Under the lock. */
static bool now_drained(struct stages *s)
{
    if (s->told || !(s->ended || s->aborted))
        return false;
    for (unsigned i = 0; i < s->n_stages; i++)
        if (s->stage[i].scheduled || s->stage[i].next != NULL)
            return false;
    s->told = true; /* the end and the last stage may both come here */
    return true;
}

/* Works on one chunk. False when there is none: then the stage is no longer scheduled, and must not be touched
 * again. */
static bool work_one(struct stages *s, struct stage *stage)
{
    pthread_mutex_lock(&s->lock);
    struct chunk *c = stage->next;
    bool skip = s->aborted;
    if (c == NULL) {
        stage->scheduled = false;
        bool drained = now_drained(s);
        pthread_mutex_unlock(&s->lock);
        if (drained)
            s->drained(s->context);
        return false;
    }
    pthread_mutex_unlock(&s->lock);
    /* Without the lock: the chunk stays until every stage has stepped past it. */
    if (!skip)
        stage->work(s->context, c->bytes, c->n);
    pthread_mutex_lock(&s->lock);
    struct chunk *done = step(s, stage);
    struct chunk_pool *chunks = s->chunks;
    pthread_mutex_unlock(&s->lock);
    if (done != NULL)
        chunk_give(chunks, done);
    return true;
}

static void run(struct task *task)
{
    struct stage *stage = (struct stage *)task; /* its first member */
    struct stages *s = stage->stages;

    /* One chunk for each turn, so that others work in between. */
    if (work_one(s, stage))
        pool_submit(s->pool, s->queue, task);
}

void stages_init(struct stages *s, struct pool *pool, struct task_queue *queue, struct chunk_pool *chunks,
                 unsigned n_stages, size_t limit_bytes)
{
    *s = (struct stages){
        .pool = pool, .queue = queue, .chunks = chunks, .n_stages = n_stages, .limit_bytes = limit_bytes};
    pthread_mutex_init(&s->lock, NULL);
    for (unsigned i = 0; i < n_stages; i++)
        s->stage[i] = (struct stage){.task = {.run = run}, .stages = s};
}

void stages_free(struct stages *s)
{
    pthread_mutex_destroy(&s->lock);
}

void stages_limit(struct stages *s, size_t limit_bytes)
{
    pthread_mutex_lock(&s->lock);
    s->limit_bytes = limit_bytes;
    pthread_mutex_unlock(&s->lock);
}

void stages_push(struct stages *s, struct chunk *c)
{
    pthread_mutex_lock(&s->lock);
    c->readers = s->n_stages;
    c->next = NULL;
    if (s->last != NULL)
        s->last->next = c;
    s->last = c;
    s->queued_bytes += c->n;
    for (unsigned i = 0; i < s->n_stages; i++) {
        struct stage *stage = &s->stage[i];
        if (stage->next == NULL)
            stage->next = c;
        if (!stage->scheduled) {
            stage->scheduled = true;
            pool_submit(s->pool, s->queue, &stage->task);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static void end(struct stages *s, bool abort)
{
    pthread_mutex_lock(&s->lock);
    if (abort)
        s->aborted = true;
    else
        s->ended = true;
    bool drained = now_drained(s);
    pthread_mutex_unlock(&s->lock);
    if (drained)
        s->drained(s->context);
}

void stages_end(struct stages *s)
{
    end(s, false);
}

void stages_abort(struct stages *s)
{
    end(s, true);
}
