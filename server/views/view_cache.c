#include "server/views/view_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/hash.h"

enum {
    BUCKETS = 4096, /* of 16 KiB each on average, with the default limit */
    MISSES = 4096,
    ANSWER_BYTES = 2048, /* that a sender makes of the bytes and leaves with them, about */
    SHARE = 8            /* the part of the limit that one object may take */
};

struct entry {
    struct entry *in_bucket;
    struct entry *newer, *older;
    uint64_t hash;
    int64_t told_ms; /* when the store last knew of a use */
    struct shared_bytes *bytes;
    struct str key; /* behind the entry */
};

struct view_cache {
    pthread_mutex_t lock;
    struct hash_seed seed;
    uint64_t bytes, limit_bytes; /* with all that is kept beside them */
    struct entry *newest, *oldest;
    struct entry *buckets[BUCKETS];
    uint64_t missed[MISSES]; /* hashes, each at the place that its lower bits say */
};

struct view_cache *view_cache_new(uint64_t limit_bytes)
{
    struct view_cache *h = calloc(1, sizeof(*h));

    if (h == NULL)
        return NULL;
    if (getrandom(&h->seed, sizeof(h->seed), 0) != (ssize_t)sizeof(h->seed)) {
        free(h);
        return NULL;
    }
    pthread_mutex_init(&h->lock, NULL);
    h->limit_bytes = limit_bytes;
    return h;
}

static uint64_t cost_of(const struct entry *e)
{
    return sizeof(*e) + ANSWER_BYTES + e->key.n + shared_bytes_view(e->bytes).n;
}

/* ---- the order of use ---- */

static void link_newest(struct view_cache *h, struct entry *e)
{
    e->newer = NULL;
    e->older = h->newest;
    if (h->newest == NULL)
        h->oldest = e;
    else
        h->newest->newer = e;
    h->newest = e;
}

static void unlink_entry(struct view_cache *h, struct entry *e)
{
    if (e->newer == NULL)
        h->newest = e->older;
    else
        e->newer->older = e->older;
    if (e->older == NULL)
        h->oldest = e->newer;
    else
        e->older->newer = e->newer;
}

/* ---- the table ---- */

static struct entry *find(struct view_cache *h, struct str key, uint64_t hash)
{
    struct entry *e = h->buckets[hash % BUCKETS];

    while (e != NULL && (e->hash != hash || !str_eq(e->key, key)))
        e = e->in_bucket;
    return e;
}

static void drop_oldest(struct view_cache *h)
{
    struct entry *e = h->oldest;
    struct entry **at = &h->buckets[e->hash % BUCKETS];

    while (*at != e)
        at = &(*at)->in_bucket;
    *at = e->in_bucket;
    /* As unlink_entry does, but so that the analyser sees that the oldest is another one then. */
    h->oldest = e->newer;
    if (h->oldest == NULL)
        h->newest = NULL;
    else
        h->oldest->older = NULL;
    h->bytes -= cost_of(e);
    shared_bytes_unref(e->bytes);
    free(e);
}

void view_cache_free(struct view_cache *h)
{
    if (h == NULL)
        return;
    while (h->oldest != NULL)
        drop_oldest(h);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

struct shared_bytes *view_cache_get(struct view_cache *h, struct str key, int64_t now_ms, bool *tell_store)
{
    uint64_t hash = hash_bytes(h->seed, key.p, key.n);
    struct shared_bytes *bytes = NULL;

    pthread_mutex_lock(&h->lock);
    struct entry *e = find(h, key, hash);
    *tell_store = e != NULL && now_ms - e->told_ms >= VIEW_CACHE_USE_MS;
    if (e != NULL) {
        if (*tell_store)
            e->told_ms = now_ms;
        unlink_entry(h, e);
        link_newest(h, e);
        bytes = shared_bytes_ref(e->bytes); /* under the lock, under which alone an entry is dropped */
    }
    pthread_mutex_unlock(&h->lock);
    return bytes;
}

bool view_cache_worth(struct view_cache *h, struct str key, uint64_t bytes)
{
    uint64_t hash = hash_bytes(h->seed, key.p, key.n);

    if (bytes > h->limit_bytes / SHARE)
        return false;
    pthread_mutex_lock(&h->lock);
    uint64_t *missed = &h->missed[hash % MISSES];
    bool again = *missed == hash;
    *missed = hash;
    pthread_mutex_unlock(&h->lock);
    return again;
}

static struct entry *make(struct str key, uint64_t hash, struct shared_bytes *bytes)
{
    struct entry *e = malloc(sizeof(*e) + key.n);

    if (e == NULL)
        return NULL;
    memcpy(e + 1, key.p, key.n);
    *e = (struct entry){.hash = hash, .bytes = bytes, .key = {(const char *)(e + 1), key.n}};
    return e;
}

/* For so many bytes, at most the limit. What is kept is never more than the limit: the difference cannot wrap. */
static void make_room(struct view_cache *h, uint64_t bytes)
{
    while (h->oldest != NULL && h->limit_bytes - h->bytes < bytes)
        drop_oldest(h);
}

void view_cache_put(struct view_cache *h, struct str key, struct shared_bytes *bytes, int64_t now_ms)
{
    uint64_t hash = hash_bytes(h->seed, key.p, key.n);
    struct entry *e = make(key, hash, bytes);

    if (e == NULL)
        return;
    pthread_mutex_lock(&h->lock);
    if (find(h, key, hash) != NULL || cost_of(e) > h->limit_bytes) {
        free(e);
    } else {
        make_room(h, cost_of(e));
        h->bytes += cost_of(e);
        e->told_ms = now_ms;
        shared_bytes_ref(bytes);
        e->in_bucket = h->buckets[hash % BUCKETS];
        h->buckets[hash % BUCKETS] = e;
        link_newest(h, e);
    }
    pthread_mutex_unlock(&h->lock);
}
