#include "server/http/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "core/system/clock.h"
#include "core/system/log.h"
#include "server/http/http_impl.h"

enum {
    CONNECTION_BYTES = 32 << 10, /* of the library's, per connection: headers, and reads of a body; it clears
                                    them for each request, at 128 KiB for 40 % of all time */
    THREADS = 2,                 /* for connections; the work is done by jobs */
    RESERVE = 16,                /* connections beyond max_connections, for /healthz */
    TELL_S = 2,                  /* for answers that say that the service stops */
    DROP_S = 2                   /* for requests to end that were dropped */
};

static void log_library(void *cls, const char *format, va_list arguments)
{
    struct http *h = cls;
    char line[512];

    vsnprintf(line, sizeof(line), format, arguments);
    LOG(h->service->log, LOG_DEBUG, "http", LOG_STR("text", str_of(line)));
}

/* The library's own timeout sees idle connections only: see deadline.h. Requests are vetted by vet.c: where the library
 * refuses one itself, it sends a second header behind the first. */
static struct MHD_Daemon *start_daemon(struct http *h, int listen_fd)
{
    const struct config *c = h->service->config;

    return MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG | MHD_USE_ITC, 0, NULL,
        NULL, request_step, h, MHD_OPTION_EXTERNAL_LOGGER, log_library, h, MHD_OPTION_LISTEN_SOCKET,
        listen_fd, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(c->max_connections + RESERVE), MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)c->idle_timeout_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_COMPLETED,
        request_close, h, MHD_OPTION_NOTIFY_CONNECTION, connection_changed, h, MHD_OPTION_URI_LOG_CALLBACK,
        request_open, h, MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_END);
}

static void tick(void *context)
{
    const struct http *h = context;

    h->site->tick(h->service);
}

static void http_free(struct http *h)
{
    deadlines_free(h->deadlines);
    pthread_cond_destroy(&h->idle);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

static bool name_start(uint32_t *start)
{
    return TEMP_FAILURE_RETRY(getrandom(start, sizeof(*start), 0)) == (ssize_t)sizeof(*start);
}

struct http *http_start(struct service *service, const struct http_site *site, int listen_fd,
                        struct diag *diag)
{
    struct http *h = calloc(1, sizeof(*h));

    if (h != NULL && !name_start(&h->start)) {
        free(h);
        h = NULL;
    }
    if (h != NULL) {
        h->service = service;
        h->site = site;
        atomic_init(&h->next_id, 1);
        pthread_mutex_init(&h->lock, NULL);
        clock_condition_init(&h->idle);
        h->deadlines = deadlines_new(&(struct deadlines_handler){tick, connection_look, h});
        if (h->deadlines != NULL)
            h->daemon = start_daemon(h, listen_fd);
        if (h->daemon != NULL)
            return h;
        http_free(h);
    }
    diag_set(diag, DIAG_IO, "cannot start",
             "Look at the limits of threads, memory and open files (ulimit -a).",
             "The HTTP side could not be started.");
    return NULL;
}

/* Waits until no request is under way. False: that took too long. */
static bool wait_idle(struct http *h, unsigned seconds)
{
    struct timespec until;
    int waited = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&h->lock);
    while (h->active > 0 && waited == 0)
        waited = pthread_cond_timedwait(&h->idle, &h->lock, &until);
    bool idle = h->active == 0;
    pthread_mutex_unlock(&h->lock);
    return idle;
}

bool http_stop(struct http *h, unsigned grace_s)
{
    /* Connections are still taken, and their requests refused: one that nobody takes would wait for an answer until the end. */
    atomic_store(&h->ending, true);
    wait_idle(h, grace_s > TELL_S + DROP_S ? grace_s - TELL_S - DROP_S : 0);
    /* What takes long ends unfinished, and its clients are told. */
    stop_ask(&h->service->stop, STOP_SERVICE);
    wait_idle(h, TELL_S);
    MHD_quiesce_daemon(h->daemon);
    /* Those that wait for jobs are resumed by them, and then refused: the library aborts when it is stopped
     * with a suspended connection. */
    atomic_store(&h->stopping, true);
    deadlines_expire_all(h->deadlines);
    for (unsigned i = 0; i < DROP_S && !wait_idle(h, 1); i++)
        deadlines_expire_all(h->deadlines);
    /* Nothing is freed then: the requests that do not end still use it. */
    if (!wait_idle(h, 0))
        return false;
    MHD_stop_daemon(h->daemon);
    http_free(h);
    return true;
}
