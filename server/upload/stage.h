/* The chunks of one upload and those who work on them: a bounded queue with several readers, each of which
 * sees every chunk, in order, on the pool. Knows nothing of what the readers do. */
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
    struct task task;
    struct stages *stages;
    struct chunk *next; /* to be worked on */
    bool scheduled;
    void (*work)(void *context, const uint8_t *p, size_t n);
};

struct stages {
    pthread_mutex_t lock;
    struct pool *pool;
    struct chunk_pool *chunks;
    struct stage stage[STAGES_MAX];
    unsigned n_lanes;
    struct chunk *last;
    size_t queued_bytes, limit_bytes;
    bool ended, aborted, told;
    /* Under the lock: when the queue has room again after it was found full; once per `full`. */
    void (*room)(void *context);
    bool full;
    /* Once, on a worker or in stages_end/stages_abort, when nothing is left to work on after stages_end or
     * stages_abort. */
    void (*drained)(void *context);
    void *context; /* of all callbacks */
};

/* The caller fills work of stage[0 .. n_lanes) afterwards, before the first push. */
void stages_init(struct stages *l, struct pool *pool, struct chunk_pool *chunks, unsigned n_lanes,
                 size_t limit_bytes);
void stages_free(struct stages *l);

/* Another limit from now on; any thread. */
void stages_limit(struct stages *l, size_t limit_bytes);

/* Takes the chunk; c->n > 0. */
void stages_push(struct stages *l, struct chunk *c);
void stages_end(struct stages *l);
/* What is queued is dropped. */
void stages_abort(struct stages *l);

#endif
