/* The chunks of one upload and those who work on them: a bounded queue with several readers ("stages"). Each stage sees
 * every chunk, in order, on one thread of the pool at a time; the stages work side by side. Knows nothing of what they do.
 *
 * A chunk goes back to its pool when the slowest stage has seen it. So the queue is as long as that stage is behind, and its limit holds
 * back the producer. */
#ifndef SERVER_UPLOAD_STAGE_H
#define SERVER_UPLOAD_STAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/system/pool.h"

enum { CHUNK_BYTES = 256 << 10, STAGES_MAX = 3 };

struct chunk {
    struct chunk *next;
    size_t n;
    unsigned readers; /* stages that have not seen it yet */
    uint8_t bytes[];
};

/* Chunks that nobody uses at present, for all uploads: touched memory is worth keeping. Any thread. */
struct chunk_pool {
    pthread_mutex_t lock;
    struct chunk *spare;
    size_t n_spare, keep;
};
void chunk_pool_init(struct chunk_pool *p, size_t keep);
void chunk_pool_free(struct chunk_pool *p);
struct chunk *chunk_take(struct chunk_pool *p); /* NULL: no memory */
void chunk_give(struct chunk_pool *p, struct chunk *c);

struct stages;

struct stage {
    struct task task; /* first; submitted while `scheduled` */
    struct stages *stages;
    void (*work)(void *context, const uint8_t *p, size_t n);
    /* Protected by stages.lock. */
    struct chunk *next; /* the first one that it has not seen */
    bool scheduled;     /* Its task is queued or runs. */
};

struct stages {
    /* Constant after stages_init and before the first push. */
    struct pool *pool;
    struct task_queue *queue; /* of the upload */
    struct chunk_pool *chunks;
    unsigned n_stages;
    /* Called under the lock, once for each time that the user has set `full`: the queue is half empty again. */
    void (*room)(void *context);
    /* Called once, on a worker or in stages_end/stages_abort, when after one of these nothing is left to work on. */
    void (*drained)(void *context);
    void *context; /* of all callbacks */

    /* Protected by lock. */
    pthread_mutex_t lock;
    struct stage stage[STAGES_MAX];
    struct chunk *last; /* of the queue; NULL: every stage has seen all */
    size_t queued_bytes, limit_bytes;
    bool full; /* Somebody waits until room() is called. */
    bool ended, aborted;
    bool told; /* drained() was called, or is about to be. */
};

/* The caller fills work of stage[0 .. n_stages) afterwards, before the first push. */
void stages_init(struct stages *s, struct pool *pool, struct task_queue *queue, struct chunk_pool *chunks,
                 unsigned n_stages, size_t limit_bytes);
void stages_free(struct stages *s);

/* Another limit from now on; any thread. */
void stages_limit(struct stages *s, size_t limit_bytes);

/* Takes the chunk; c->n > 0. */
void stages_push(struct stages *s, struct chunk *c);
void stages_end(struct stages *s);
/* What is queued is dropped. */
void stages_abort(struct stages *s);

#endif
