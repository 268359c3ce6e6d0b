#include "server/routes/looked_up.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/system/threads.h"
#include "server/http/exchange.h"
#include "server/service.h"
#include "server/store/record_cache.h"

enum {
    IDS_MAX = 2,         /* of a comparison */
    RENEWALS_RESERVE = 3 /* threads that are left for who waits */
};

/* A state of the exchange. */
struct looked_up {
    size_t n;
    struct {
        char id[RECORD_ID_CHARS + 1];
        bool known;
        enum record_state state;
        struct record record;
    } of[IDS_MAX];
};

/* What may be an id. */
static void add(struct looked_up *l, struct str id)
{
    if (l->n < IDS_MAX && record_id_valid(id))
        memcpy(l->of[l->n++].id, id.p, RECORD_ID_CHARS);
}

/* The ids that the address names: one, or the two of a comparison, ID..ID; a suffix may stand behind them. */
static void add_ids(struct looked_up *l, const struct exchange *x)
{
    static const struct str BETWEEN = STR_INIT("..");

    for (size_t i = 0; i < EXCHANGE_PARAMETERS_MAX; i++) {
        struct str rest = x->parameters[i];
        for (bool more = true; more && rest.n >= RECORD_ID_CHARS;) {
            add(l, (struct str){rest.p, RECORD_ID_CHARS});
            rest = str_from(rest, RECORD_ID_CHARS);
            more = str_starts(rest, BETWEEN);
            if (more)
                rest = str_from(rest, BETWEEN.n);
        }
    }
}

static bool may_name_ids(const struct exchange *x)
{
    for (size_t i = 0; i < EXCHANGE_PARAMETERS_MAX; i++)
        if (x->parameters[i].n >= RECORD_ID_CHARS)
            return true;
    return false;
}

/* ---- records that are soon too old ---- */

struct renewal {
    struct thread_job job;
    struct service *service;
    char id[RECORD_ID_CHARS + 1];
};

static void renew(struct thread_job *job)
{
    struct renewal *r = (struct renewal *)job; /* its first member */

    record_cache_renew(r->service->record_cache, str_of(r->id), (int64_t)time(NULL), true);
    free(r);
}

/* Where there is no thread or no memory for it, the next request waits for the store. */
static void renew_ahead(struct exchange *x, struct str id)
{
    const int64_t now_s = (int64_t)time(NULL);
    struct record_cache *records = x->service->record_cache;

    if (!record_cache_ages(records, id, now_s))
        return;
    struct renewal *r = calloc(1, sizeof(*r));
    if (r != NULL) {
        r->job = (struct thread_job){.run = renew, .place = {TURN_AHEAD, .owner = r}};
        r->service = x->service;
        memcpy(r->id, id.p, RECORD_ID_CHARS);
    }
    if (r == NULL || !threads_try(x->service->threads, THREADS_SHORT, &r->job, RENEWALS_RESERVE)) {
        free(r);
        record_cache_renew(records, id, now_s, false);
    }
}

/* ---- before a request ---- */

static bool find_all(struct exchange *x, struct looked_up *l)
{
    bool all = true;

    for (size_t i = 0; i < l->n; i++) {
        l->of[i].known = record_cache_find(x->service->record_cache, str_of(l->of[i].id), (int64_t)time(NULL),
                                           &l->of[i].state, &l->of[i].record);
        if (l->of[i].known)
            renew_ahead(x, str_of(l->of[i].id));
        all = all && l->of[i].known;
    }
    return all;
}

/* The context is that of what goes on. */
static void read_all(struct exchange *x, void *context)
{
    struct looked_up *l = x->looked_up;

    (void)context;
    turn_give(x->turn);
    for (size_t i = 0; i < l->n; i++) {
        if (!l->of[i].known)
            l->of[i].state = record_cache_read(x->service->record_cache, str_of(l->of[i].id),
                                               (int64_t)time(NULL), &l->of[i].record);
        l->of[i].known = true;
    }
    turn_take(x->turn);
}

enum exchange_step looked_up_before(struct exchange *x,
                                    enum exchange_step (*then)(struct exchange *x, void *context),
                                    void *context)
{
    if (!store_is_remote(x->service->store) || !may_name_ids(x))
        return then(x, context);
    struct looked_up *l = exchange_state(x, sizeof(*l), NULL);
    if (l == NULL)
        return exchange_no_memory(x, "the record");
    add_ids(l, x);
    x->looked_up = l;
    return find_all(x, l) ? then(x, context) : exchange_work(x, WORK_ALWAYS, read_all, then, context);
}

enum record_state looked_up_read(struct exchange *x, struct str id, struct record *r)
{
    const struct looked_up *l = x->looked_up;

    for (size_t i = 0; l != NULL && i < l->n; i++)
        if (l->of[i].known && str_eq(str_of(l->of[i].id), id)) {
            *r = l->of[i].record;
            return l->of[i].state;
        }
    return record_cache_read(x->service->record_cache, id, (int64_t)time(NULL), r);
}
