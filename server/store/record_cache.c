#include "server/store/record_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

#include "core/hash.h"

enum { SLOTS = 256 };

/* A slot holds the last record whose id fell to it. */
struct slot {
    struct record record; /* without id: none */
    uint64_t changes;     /* of the store, before it was read */
    int64_t read_s;
};

struct record_cache {
    struct store *store;
    struct hash_seed seed;
    pthread_mutex_t lock; /* of slots */
    struct slot slots[SLOTS];
};

struct record_cache *record_cache_new(struct store *s)
{
    struct record_cache *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    if (getrandom(&c->seed, sizeof(c->seed), 0) != (ssize_t)sizeof(c->seed)) {
        free(c);
        return NULL;
    }
    c->store = s;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void record_cache_free(struct record_cache *c)
{
    if (c == NULL)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static bool find(struct record_cache *c, const struct slot *slot, struct str id, uint64_t changes,
                 int64_t now_s, struct record *r)
{
    pthread_mutex_lock(&c->lock);
    bool fresh = slot->read_s == now_s && slot->changes == changes && str_eq(str_of(slot->record.id), id) &&
                 slot->record.expires_s > now_s;
    if (fresh)
        *r = slot->record;
    pthread_mutex_unlock(&c->lock);
    return fresh;
}

enum record_state record_cache_read(struct record_cache *c, struct str id, int64_t now_s, struct record *r)
{
    struct slot *slot = &c->slots[hash_bytes(c->seed, id.p, id.n) % SLOTS];
    /* Before reading: what changes meanwhile makes the slot stale and not wrong. */
    uint64_t changes = store_changes(c->store);
    if (find(c, slot, id, changes, now_s, r))
        return RECORD_FOUND;
    enum record_state state = record_read(c->store, id, now_s, r);
    if (state == RECORD_FOUND) {
        pthread_mutex_lock(&c->lock);
        *slot = (struct slot){*r, changes, now_s};
        pthread_mutex_unlock(&c->lock);
    }
    return state;
}
