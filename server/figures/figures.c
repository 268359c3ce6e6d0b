#include "server/figures/figures.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/figures/figures_impl.h"

const char *const FIGURES_REFUSAL[REFUSALS] = {
    [REFUSED_ADDRESS_CONNECTIONS] = "address-connections",
    [REFUSED_CONNECTIONS] = "connections",
    [REFUSED_STOPPING] = "stopping",
    [REFUSED_BUSY] = "busy",
    [REFUSED_MEMORY] = "memory",
    [REFUSED_DISK_FULL] = "disk-full",
    [REFUSED_TOO_LARGE] = "too-large",
    [REFUSED_FORMAT] = "unknown-format",
    [REFUSED_UNUSABLE] = "unusable",
    [REFUSED_MALFORMED] = "malformed",
    [REFUSED_OTHER_HOST] = "other-host",
    [REFUSED_OTHER_SITE] = "other-site",
    [REFUSED_UNKNOWN] = "unknown-client",
    [REFUSED_FORBIDDEN] = "forbidden",
    [REFUSED_TOO_MANY] = "too-many",
};

const char *const FIGURES_CACHE[CACHES] = {
    [CACHE_VIEWS_IN_MEMORY] = "views-in-memory",
    [CACHE_VIEWS_ON_DISK] = "views-on-disk",
    [CACHE_PROFILES] = "profiles",
};

const char *const FIGURES_WEBHOOK[WEBHOOK_RESULTS] = {
    [WEBHOOK_SENT] = "sent",
    [WEBHOOK_FAILED] = "failed",
    [WEBHOOK_DROPPED] = "dropped",
};

const unsigned FIGURES_CODE[FIGURES_CODES] = {0,   200, 304, 206, 201, 202, 204, 300, 301, 302, 303, 308,
                                              400, 401, 403, 404, 405, 406, 408, 410, 411, 412, 413, 415,
                                              416, 421, 422, 429, 431, 500, 501, 502, 503, 507};

enum figures_refusal refusal_of_status(unsigned status)
{
    switch (status) {
    case 400:
    case 411:
    case 431:
    case 501:
        return REFUSED_MALFORMED;
    case 401:
        return REFUSED_UNKNOWN;
    case 403:
        return REFUSED_FORBIDDEN;
    case 413:
        return REFUSED_TOO_LARGE;
    case 415:
        return REFUSED_FORMAT;
    case 421:
        return REFUSED_OTHER_HOST;
    case 422:
        return REFUSED_UNUSABLE;
    case 429:
        return REFUSED_TOO_MANY;
    case 503:
        return REFUSED_BUSY;
    case 507:
        return REFUSED_DISK_FULL;
    default:
        return REFUSED_NOT;
    }
}

struct figures *figures_new(size_t n_routes)
{
    struct figures *f = calloc(1, sizeof(*f) + (n_routes + 1) * sizeof(f->routes[0]));
    struct timespec now = {0};

    if (f == NULL)
        return NULL;
    clock_gettime(CLOCK_REALTIME, &now);
    f->started_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    f->n_routes = n_routes;
    f->formats[FIGURES_FORMATS_MAX].name = STR("other");
    pthread_mutex_init(&f->naming, NULL);
    return f;
}

void figures_free(struct figures *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < atomic_load(&f->n_formats); i++)
        free((char *)(uintptr_t)f->formats[i].name.p);
    pthread_mutex_destroy(&f->naming);
    free(f);
}

/* ---- counting ---- */

/* Nothing is told by the order in which others see two counts. */
static void add(counter *c, uint64_t n)
{
    atomic_fetch_add_explicit(c, n, memory_order_relaxed);
}

static void observe(struct histogram *h, uint64_t us)
{
    size_t i = 0;

    while (i < EXPOSITION_BUCKETS && us > EXPOSITION_BOUNDS_US[i])
        i++;
    add(&h->counts[i], 1);
    add(&h->sum_us, us);
}

/* The place of a status; 0: it is not listed. */
static size_t place_of(unsigned status)
{
    size_t i = 1;

    while (i < FIGURES_CODES && FIGURES_CODE[i] != status)
        i++;
    return i < FIGURES_CODES ? i : 0;
}

void figures_connection(struct figures *f, bool begun)
{
    if (f != NULL)
        add(&f->connections, begun ? 1 : UINT64_MAX);
}

void figures_request(struct figures *f, const struct figures_request *r)
{
    if (f == NULL)
        return;
    struct route_figures *route = &f->routes[r->route < f->n_routes ? r->route : f->n_routes];
    add(&route->requests[place_of(r->status)], 1);
    observe(&route->durations, r->us);
    if (r->bytes_in > 0)
        add(&f->bytes_in, r->bytes_in);
    add(&f->bytes_out, r->bytes_out);
    figures_refused(f, r->refusal);
}

void figures_refused(struct figures *f, enum figures_refusal why)
{
    if (f != NULL && why != REFUSED_NOT)
        add(&f->refused[why], 1);
}

void figures_look(struct figures *f, enum figures_cache cache, bool hit)
{
    if (f != NULL)
        add(&f->looks[cache][hit], 1);
}

void figures_webhook(struct figures *f, enum figures_webhook result)
{
    if (f != NULL)
        add(&f->webhook[result], 1);
}

static struct format_figures *find_format(struct figures *f, struct str name)
{
    size_t n = atomic_load(&f->n_formats);

    for (size_t i = 0; i < n; i++)
        if (str_eq(f->formats[i].name, name))
            return &f->formats[i];
    return NULL;
}

/* A copy of its own: the caller's name may be a profile's. NULL: no room or no memory. */
static struct format_figures *name_format(struct figures *f, struct str name)
{
    size_t n = atomic_load(&f->n_formats);
    char *copy = n < FIGURES_FORMATS_MAX ? malloc(name.n + 1) : NULL;

    if (copy == NULL)
        return NULL;
    memcpy(copy, name.p, name.n);
    f->formats[n].name = (struct str){copy, name.n};
    atomic_store(&f->n_formats, n + 1);
    return &f->formats[n];
}

static struct format_figures *format_of(struct figures *f, struct str name)
{
    struct format_figures *found = find_format(f, name);

    if (found != NULL)
        return found;
    pthread_mutex_lock(&f->naming);
    found = find_format(f, name);
    if (found == NULL)
        found = name_format(f, name);
    pthread_mutex_unlock(&f->naming);
    return found != NULL ? found : &f->formats[FIGURES_FORMATS_MAX];
}

void figures_upload(struct figures *f, struct str format)
{
    if (f != NULL)
        add(&format_of(f, format)->uploads, 1);
}

void figures_reading(struct figures *f, struct str format, uint64_t cpu_us)
{
    if (f != NULL)
        observe(&format_of(f, format)->readings, cpu_us);
}
