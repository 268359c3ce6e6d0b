#include "server/convert/profile_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/store/record.h"

struct entry {
    struct entry *next; /* less recently used */
    char source[RECORD_SHA256_CHARS + 1];
    struct folded *folded;
};

struct profile_cache {
    pthread_mutex_t lock;
    struct entry *first;
    uint64_t bytes, limit_bytes;
};

struct profile_cache *profile_cache_new(uint64_t limit_bytes)
{
    struct profile_cache *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    pthread_mutex_init(&c->lock, NULL);
    c->limit_bytes = limit_bytes;
    return c;
}

static void drop(struct profile_cache *c, struct entry **at)
{
    struct entry *e = *at;

    *at = e->next;
    c->bytes -= folded_bytes(e->folded);
    folded_unref(e->folded);
    free(e);
}

void profile_cache_free(struct profile_cache *c)
{
    if (c == NULL)
        return;
    while (c->first != NULL)
        drop(c, &c->first);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* Moves the entry to the front. NULL if it is not there. */
static struct entry *touch(struct profile_cache *c, const char *source)
{
    for (struct entry **at = &c->first; *at != NULL; at = &(*at)->next)
        if (strcmp((*at)->source, source) == 0) {
            struct entry *e = *at;
            *at = e->next;
            e->next = c->first;
            c->first = e;
            return e;
        }
    return NULL;
}

struct folded *profile_cache_get(struct profile_cache *c, const char *source)
{
    if (source[0] == '\0')
        return NULL;
    pthread_mutex_lock(&c->lock);
    struct entry *e = touch(c, source);
    struct folded *f = e == NULL ? NULL : folded_ref(e->folded);
    pthread_mutex_unlock(&c->lock);
    return f;
}

/* Drops the least recently used entries until the limit holds. */
static void trim(struct profile_cache *c)
{
    while (c->first != NULL && c->bytes > c->limit_bytes) {
        struct entry **last = &c->first;
        while ((*last)->next != NULL)
            last = &(*last)->next;
        drop(c, last);
    }
}

void profile_cache_put(struct profile_cache *c, const char *source, struct folded *f)
{
    if (source[0] == '\0' || folded_bytes(f) > c->limit_bytes)
        return;
    struct entry *e = calloc(1, sizeof(*e));
    if (e == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    if (touch(c, source) != NULL) {
        free(e);
    } else {
        memcpy(e->source, source, sizeof(e->source));
        e->folded = folded_ref(f);
        e->next = c->first;
        c->first = e;
        c->bytes += folded_bytes(f);
        trim(c);
    }
    pthread_mutex_unlock(&c->lock);
}
