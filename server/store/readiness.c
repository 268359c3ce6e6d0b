#include "server/store/readiness.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"

struct readiness {
    struct store *store;
    const struct log *log;
    pthread_mutex_t lock; /* of what follows */
    bool known;           /* a check has ended */
    enum store_result found;
    int64_t ended_ms; /* the last check that has ended */
    bool ending;
    unsigned checking;
    int64_t begun_ms; /* while somebody checks: when the first of them began */
};

struct readiness *readiness_new(struct store *store, const struct log *log)
{
    struct readiness *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    r->store = store;
    r->log = log;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void readiness_free(struct readiness *r)
{
    if (r == NULL)
        return;
    pthread_mutex_destroy(&r->lock);
    free(r);
}

bool readiness_is_due(struct readiness *r, int64_t now_ms)
{
    pthread_mutex_lock(&r->lock);
    /* Before the first answer everybody has to find out. */
    bool due = !r->known || (r->checking == 0 && now_ms - r->ended_ms >= READINESS_GOOD_MS);
    if (due && r->checking++ == 0)
        r->begun_ms = now_ms;
    pthread_mutex_unlock(&r->lock);
    return due;
}

static void log_change(const struct readiness *r, enum store_result found, const char *why)
{
    if (found == STORE_OK)
        LOG(r->log, LOG_INFO, "ready-again", LOG_STR("what", STR("the store takes bytes")));
    else
        LOG(r->log, LOG_ERROR, "not-ready", LOG_STR("why", str_of(why)));
}

void readiness_check(struct readiness *r)
{
    enum store_result found = store_probe(r->store);
    const char *why = store_reason(found);

    pthread_mutex_lock(&r->lock);
    bool changed = r->known ? (found == STORE_OK) != (r->found == STORE_OK) : found != STORE_OK;
    r->known = true;
    r->found = found;
    r->ended_ms = clock_ms();
    r->checking--;
    pthread_mutex_unlock(&r->lock);
    if (changed)
        log_change(r, found, why);
}

void readiness_end(struct readiness *r)
{
    pthread_mutex_lock(&r->lock);
    r->ending = true;
    pthread_mutex_unlock(&r->lock);
}

const char *readiness_reason(struct readiness *r, int64_t now_ms)
{
    pthread_mutex_lock(&r->lock);
    bool slow = r->checking > 0 && now_ms - r->begun_ms >= READINESS_SLOW_MS;
    bool ending = r->ending;
    enum store_result found = r->found;
    pthread_mutex_unlock(&r->lock);
    if (ending)
        return "The service is stopping.";
    if (slow)
        return store_is_remote(r->store) ? "The object store does not answer."
                                         : "The disk of the store does not answer.";
    if (found == STORE_UNAVAILABLE)
        return "The object store does not answer.";
    if (found == STORE_FULL)
        return "The disk of the store is full.";
    return found == STORE_OK ? NULL : "The store cannot be written to; the service's log says why.";
}
