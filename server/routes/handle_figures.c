/* GET /metrics: what is counted, and what the rooms of the service know of themselves at this moment. */
#include "core/system/once.h"
#include "core/system/threads.h"
#include "core/system/turns.h"
#include "server/figures/figures_table.h"
#include "server/http/exchange.h"
#include "server/http/message/accept.h"
#include "server/routes/routes.h"
#include "server/routes/routes_table.h"
#include "server/service.h"
#include "server/store/sweep.h"
#include "server/views/profiles.h"
#include "server/views/views.h"

static void take_jobs(struct service *s, struct figures_now *now)
{
    static const char *const KINDS[THREADS_KINDS] = {
        [THREADS_SHORT] = "short",     [THREADS_VIEWS] = "views", [THREADS_LISTS] = "lists",
        [THREADS_UPLOADS] = "uploads", [THREADS_AHEAD] = "ahead", [THREADS_LONG] = "long",
        [THREADS_KEEPERS] = "keepers"};

    _Static_assert((int)THREADS_KINDS <= (int)FIGURES_JOBS_MAX, "each kind has a place");
    for (unsigned i = 0; i < THREADS_KINDS; i++) {
        struct threads_counts counts = threads_counts(s->threads, i);
        now->jobs[now->n_jobs++] = (struct figures_jobs){KINDS[i], counts.running, counts.waiting};
    }
    now->workers = turns_workers(s->turns);
    now->workers_busy = turns_busy(s->turns);
    now->turns_waiting = turns_waiting(s->turns);
}

static void take_sizes(struct service *s, struct figures_now *now)
{
    struct once_counts profiles = profiles_counts(s->profiles), views = views_counts(s->views);
    struct sweep_counts store = sweep_counts(s->sweep);
    struct store_waiting waiting = store_waiting(s->store);
    bool asks;

    now->profiles_bytes = profiles.bytes;
    now->views_in_memory_bytes = views.bytes;
    now->answers_bytes = reply_memory();
    now->waiting_uploads = waiting.uploads;
    now->waiting_bytes = waiting.bytes;
    now->store_away = store_is_away(s->store, &asks);
    now->store_bytes = store.upload_bytes;
    now->views_on_disk_bytes = store.view_bytes;
    now->evicted[CACHE_PROFILES] = profiles.evicted;
    now->evicted[CACHE_VIEWS_IN_MEMORY] = views.evicted;
    now->evicted[CACHE_VIEWS_ON_DISK] = store.removed_views;
}

/* It is asked for by its name: nobody gets it for a wildcard. */
static bool wants_open_metrics(struct str accept)
{
    unsigned quality;
    struct str type;

    while (accept_next(&accept, &type, &quality))
        if (quality > ACCEPT_NEVER && str_eq_nocase(type, STR("application/openmetrics-text")))
            return true;
    return false;
}

static void name_route(size_t i, const char **method, const char **path)
{
    *method = ROUTES[i].method;
    *path = ROUTES[i].path;
}

enum exchange_step handle_metrics(struct exchange *x)
{
    struct figures_now now = {.version = SERVICE_VERSION, .route = name_route};
    bool open_metrics = wants_open_metrics(x->header(x, "Accept"));

    take_jobs(x->service, &now);
    take_sizes(x->service, &now);
    figures_now_process(&now);
    figures_put(reply_text(&x->reply, 200, exposition_media_type(open_metrics)), x->service->figures, &now,
                open_metrics);
    reply_header(&x->reply, "Cache-Control", "no-store");
    reply_header(&x->reply, "Vary", "Accept, Accept-Encoding");
    return X_DONE;
}
