#include "server/serve.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/sanitizer.h"
#include "core/system/crypto_library.h"
#include "core/system/memory_limit.h"
#include "core/system/threads.h"
#include "core/system/timer.h"
#include "core/system/turns.h"
#include "server/config/config_keys.h"
#include "server/config/config_load.h"
#include "server/doors/doors.h"
#include "server/doors/shares.h"
#include "server/figures/figures.h"
#include "server/http/clients.h"
#include "server/http/http.h"
#include "server/http/tls.h"
#include "server/pages/pages.h"
#include "server/pages/static_assets.h"
#include "server/routes/admit.h"
#include "server/routes/routes.h"
#include "server/s3/s3.h"
#include "server/service.h"
#include "server/spaces/spaces.h"
#include "server/store/migrate.h"
#include "server/store/readiness.h"
#include "server/store/record_cache.h"
#include "server/store/sweep.h"
#include "server/upload/job.h"
#include "server/upload/progress.h"
#include "server/upload/work_limit.h"
#include "server/views/policies.h"
#include "server/views/profiles.h"
#include "server/views/views.h"
#include "server/webhook/webhook.h"

/* Of a socket beside the service's own: who asks there is gone at once. */
enum { FURTHER_CONNECTIONS = 64 };

/* Requests that are under way when the service is told to stop have this long. */
enum { STOP_GRACE_S = 10 };

const char SERVICE_VERSION[] = "0.2.0";

static bool report(const struct diag *diag)
{
    fprintf(stderr, "error: %s: %s\n", diag->title, diag->detail);
    if (diag->hint[0] != '\0')
        fprintf(stderr, "hint: %s\n", diag->hint);
    return false;
}

/* The configuration was checked by the same function. */
static enum log_level level_of(const char *name)
{
    enum log_level level = LOG_INFO;
    bool known = log_level_parse(str_of(name), &level);

    (void)known;
    return level;
}

static enum log_format format_of(const char *name)
{
    enum log_format format = LOG_TEXT;
    bool known = log_format_parse(str_of(name), &format);

    (void)known;
    return format;
}

/* Many systems start a program with fewer descriptors than it may have, for the sake of those that use select(2). Where
 * it may not have enough, fewer connections are taken: the library tries again without a pause when none is left. */
static void raise_descriptors(const struct service *s, struct config *config)
{
    enum {
        OF_A_CONNECTION = 3, /* itself, what is stored of its upload, and of another file of the form */
        OF_A_WORKER = 4,
        OF_THE_SERVICE = 256 + JOB_FILES_MAX +
                         2 * (FURTHER_CONNECTIONS + 16) /* with its threads, and sockets beside its own */
    };
    rlim_t others = OF_THE_SERVICE + OF_A_WORKER * config->workers;
    rlim_t wanted = others + OF_A_CONNECTION * config->max_connections;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    rlim_t had = limit.rlim_cur;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    /* It may be refused, as where the hard limit is above what the system has come to allow (fs.nr_open). */
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit.rlim_cur = had;
    if (limit.rlim_cur >= wanted)
        return;
    config_lower_connections(config,
                             limit.rlim_cur > others ? (limit.rlim_cur - others) / OF_A_CONNECTION : 0);
    LOG(s->log, LOG_WARN, "few-descriptors", LOG_U64("wanted", wanted), LOG_U64("limit", limit.rlim_cur),
        LOG_U64("max_connections", config->max_connections));
}

/* Each thread takes addresses for its stack and for malloc's arena, 8 and 64 MiB by default, most of which
 * are never used. A limit of addresses counts them. A stack of a quarter of this is enough for every
 * input: tests/unit/test_small_stack.c. */
static void bound_threads(const struct memory_limit *limit)
{
    enum { STACK_BYTES = 1 << 20, ARENAS = 2, ENOUGH_BYTES = 1 << 30 };
    pthread_attr_t attributes;

    if (limit->bytes >= ENOUGH_BYTES)
        return;
    if (pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
            (void)pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
    (void)mallopt(M_ARENA_MAX, ARENAS);
}

static void log_memory(const struct service *s, const struct memory_limit *limit)
{
    const struct config *c = s->config;

    LOG(s->log, LOG_INFO, "memory", LOG_STR("by", str_of(limit->source)), LOG_U64("limit", limit->bytes),
        LOG_U64("ceiling", config_ceiling(c)), LOG_U64("job_memory_bytes", c->job_memory_bytes),
        LOG_U64("view_memory_bytes", c->view_memory_bytes), LOG_U64("open_jobs", c->open_jobs),
        LOG_U64("folds", c->folds), LOG_U64("max_connections", c->max_connections));
}

/* Keys that are read so that older configurations stay good. */
static void log_keys_without_effect(const struct service *s)
{
    enum { QUEUE_BYTES = 4 << 20 }; /* the default */

    if (s->config->queue_bytes != QUEUE_BYTES)
        LOG(s->log, LOG_WARN, "key-without-effect", LOG_STR("key", STR("queue_bytes")),
            LOG_STR("why", STR("what arrives is written to the store at once")));
}

static void log_old_names(const struct service *s)
{
    for (unsigned i = 0; i < CONFIG_OLD_NAMES_COUNT; i++)
        if ((s->config->old_names >> i & 1) != 0)
            LOG(s->log, LOG_WARN, "key-renamed", LOG_STR("key", CONFIG_OLD_NAMES[i].name),
                LOG_STR("now", CONFIG_OLD_NAMES[i].now),
                LOG_STR("why", STR("the next release does not know the old name")));
}

static bool no_means(struct diag *diag)
{
    return diag_set(diag, DIAG_NO_MEMORY, "cannot start",
                    "Look at the limits of threads and memory (ulimit -a).",
                    "There is not enough memory, or no thread could be started.");
}

static bool has_digests(struct diag *diag)
{
    return crypto_library_open() ||
           diag_set(diag, DIAG_IO, "no libcrypto", "Install it: apt-get install libssl3.",
                    "libcrypto (libcrypto.so.3), whose digests name what is stored, is not there.");
}

/* A job takes a part of its stack: tests/unit/test_small_stack.c reads and draws every input on half of
 * this. Sanitizers take more. */
static struct threads *threads_of(const struct config *config)
{
    enum { STACK_BYTES = 512 << 10, VIEWS_MOST = 64 };
    enum { SYNCS = 24 }; /* small uploads that are read, and wait for the store: it takes many at a time */
    unsigned most[THREADS_KINDS] = {
        [THREADS_SHORT] = (unsigned)config->workers + 4,
        [THREADS_VIEWS] = VIEWS_MOST,
        [THREADS_LISTS] = (unsigned)config->folds,
        [THREADS_UPLOADS] = (unsigned)config->open_jobs,
        [THREADS_AHEAD] = (unsigned)config->workers,
        [THREADS_LONG] = (unsigned)config->workers + 1,
        [THREADS_KEEPERS] = (unsigned)config->open_jobs + SYNCS,
    };

#if SANITIZED
    return threads_new(most, THREADS_KINDS, 0);
#else
    return threads_new(most, THREADS_KINDS, STACK_BYTES);
#endif
}

static const char SHARES_KEY[] = "keys/shares";
enum { SHARES_TEXT_BYTES = 1 << 20 };

/* A new start goes on where the last one ended. False: no memory. */
static bool open_shares(struct service *s)
{
    struct buf text = {0};

    if (!shares_wanted(s->config))
        return true;
    s->shares = shares_new(s->config);
    if (s->shares != NULL &&
        local_read(store_local(s->store), SHARES_KEY, SHARES_TEXT_BYTES, &text) == STORE_OK)
        shares_take(s->shares, buf_view(&text));
    buf_free(&text);
    return s->shares != NULL;
}

static void close_shares(struct service *s)
{
    struct buf text = {0};

    if (s->shares == NULL)
        return;
    shares_put(s->shares, &text);
    if (text.failed || local_replace(store_local(s->store), SHARES_KEY, buf_view(&text)) != STORE_OK)
        LOG(s->log, LOG_WARN, "shares-lost",
            LOG_STR("why", STR("they could not be written: all begin anew")));
    buf_free(&text);
    shares_free(s->shares);
}

/* When a key is put twice, the second put must be told that it is there: changes of records rely on this, and not every
 * object store does it. A store that does not answer yet is no reason not to start: it is asked when it is needed. */
static bool is_fit(struct service *s, struct diag *diag)
{
    static const char KEY[] = "keys/once";
    enum store_result result = store_put(s->store, KEY, STR(""));

    if (result == STORE_OK)
        result = store_put(s->store, KEY, STR(""));
    if (result == STORE_OK)
        return diag_set(diag, DIAG_USAGE, "the object store is not fit",
                        "Use one that knows If-None-Match, as Ceph and Amazon S3 do.",
                        "It put an object of which it was told to put it only if it is not there.");
    if (result == STORE_DENIED)
        return diag_set(diag, DIAG_USAGE, "the object store refuses this service",
                        "Try `aflamed store check` with the same keys and bucket.",
                        "Its keys, its bucket or its address are wrong; the log says which.");
    return true;
}

static bool open_bucket(struct service *s, struct diag *diag)
{
    const struct config *c = s->config;
    const struct s3_settings settings = {
        c->s3_endpoints, c->s3_region, c->s3_keys_file, (unsigned)c->s3_stalled_s, 0, &s->stop};
    struct s3 *bucket = s3_open(c->store, &settings, diag);

    if (bucket == NULL)
        return false;
    s->store = store_open_bucket(bucket, c->cache, s->log, diag);
    return s->store != NULL &&
           store_keep_waiting(s->store, strcmp(c->durability, "local") == 0, c->waiting_bytes, diag) &&
           is_fit(s, diag);
}

static bool open_store(struct service *s, struct diag *diag)
{
    if (s3_is_named(s->config->store))
        return open_bucket(s, diag);
    s->store = store_open(s->config->store, diag);
    return s->store != NULL && migrate_store(s->store, s->log, diag);
}

/* ---- before anything is opened ---- */

static bool needs_bucket(const struct config *c, struct diag *diag)
{
    if (c->share_views)
        return diag_set(
            diag, DIAG_USAGE, "nobody to share views with",
            "Leave share_views out, or name an object store (s3://BUCKET/PREFIX).",
            "share_views: the store is a directory of this machine, which has its views beside it.");
    return strcmp(c->durability, "local") != 0 ||
           diag_set(diag, DIAG_USAGE, "nothing to send uploads to",
                    "Leave durability out, or name an object store (s3://BUCKET/PREFIX).",
                    "durability=local: the store is a directory of this machine, where uploads are durable.");
}

/* Keys that only make sense together. */
static bool keys_agree(const struct config *c, struct diag *diag)
{
    bool has_certificate = c->tls_certificate[0] != '\0', has_key = c->tls_key[0] != '\0';

    if (has_certificate != has_key)
        return diag_set(diag, DIAG_USAGE, "the certificate cannot be used", "Set both, or neither.",
                        "There is %s, but no %s.", has_key ? "tls_key" : "tls_certificate",
                        has_key ? "tls_certificate" : "tls_key");
    if (!doors_wanted(c) && strcmp(c->readers, "team") == 0)
        return diag_set(diag, DIAG_USAGE, "no team here",
                        "Set tokens_file or user_header, or leave readers out.",
                        "readers=team: the service knows nobody, so that nobody could read an upload.");
    if (c->redirect_listen[0] != '\0' && !str_starts(str_of(c->external_url), STR("https://")))
        return diag_set(diag, DIAG_USAGE, "nowhere to lead to", "Set external_url to https://HOST.",
                        "redirect_listen leads on to external_url, which is none of HTTPS.");
    return s3_is_named(c->store) || needs_bucket(c, diag);
}

static bool tokens_fit(const struct config *c, struct diag *diag)
{
    struct token_list list = {NULL, NULL, 0};
    struct buf text = {0};
    bool ok = token_file_read(c->tokens_file, &text, diag) && token_list_parse(buf_view(&text), &list, diag);

    token_list_free(&list);
    buf_free(&text);
    return ok;
}

bool serve_check(const struct config *c, struct diag *diag)
{
    bool has_tls = c->tls_certificate[0] != '\0', has_tokens = c->tokens_file[0] != '\0';

    if (!keys_agree(c, diag) || (has_tokens && !tokens_fit(c, diag)))
        return false;
    struct tls *tls = has_tls ? tls_new(c, diag) : NULL;
    bool ok = tls != NULL || !has_tls;
    tls_free(tls);
    return ok;
}

static bool open_service(struct service *s, struct config *config, struct diag *diag)
{
    s->config = config;
    s->log = log_new(level_of(config->log_level), format_of(config->log_format), STDERR_FILENO);
    raise_descriptors(s, config);
    s->figures = figures_new(ROUTES_COUNT);
    if (!keys_agree(config, diag) || !open_store(s, diag))
        return false;
    if (config->tls_certificate[0] != '\0') {
        s->tls = tls_new(config, diag);
        if (s->tls == NULL)
            return false;
    }
    if (doors_wanted(config)) {
        s->doors = doors_new(config, s->store, s->log, diag);
        if (s->doors == NULL)
            return false;
    }
    bool failed = !open_shares(s);
    bool booted = boot_id("/proc/sys/kernel/random/boot_id", s->boot);
    s->turns = turns_new((unsigned)config->workers, true);
    s->threads = threads_of(config);
    const struct client_shares shares = {config->max_connections_per_address,
                                         config->max_waiting_per_address};
    s->clients = clients_new(&shares);
    s->timers = timers_new();
    s->jobs = jobs_new(s);
    s->work = work_limits_new(config);
    s->profiles = s->turns == NULL ? NULL : profiles_new(s);
    s->views = views_new(s);
    s->policies = policies_new();
    uint8_t key[DIGEST_KEY_BYTES];
    bool has_key = s->doors != NULL && doors_key(s->doors, "passes", key);
    s->passes = s->doors != NULL && !has_key ? NULL : passes_new(has_key ? key : NULL);
    s->progresses = progresses_new();
    s->record_cache = record_cache_new(s->store);
    s->static_assets = static_assets_new();
    s->spaces = spaces_new(s->store, s->log);
    s->readiness = readiness_new(s->store, s->log);
    if (failed || !booted || s->log == NULL || s->turns == NULL || s->threads == NULL || s->clients == NULL ||
        s->timers == NULL || s->jobs == NULL || s->work == NULL || s->profiles == NULL || s->views == NULL ||
        s->progresses == NULL || s->record_cache == NULL || s->static_assets == NULL || s->policies == NULL ||
        s->passes == NULL || s->spaces == NULL || s->readiness == NULL || s->figures == NULL)
        return no_means(diag);
    if (config->webhook_url[0] != '\0')
        s->webhook = webhook_open(s, diag);
    return s->webhook != NULL || config->webhook_url[0] == '\0';
}

static void close_service(struct service *s)
{
    threads_free(s->threads); /* behind the last job */
    sweep_stop(s->sweep);
    webhook_free(s->webhook);
    views_free(s->views);
    policies_free(s->policies);
    passes_free(s->passes);
    profiles_free(s->profiles);
    record_cache_free(s->record_cache);
    spaces_free(s->spaces);
    static_assets_free(s->static_assets);
    readiness_free(s->readiness);
    figures_free(s->figures);
    progresses_free(s->progresses);
    jobs_free(s->jobs);
    work_limits_free(s->work);
    doors_free(s->doors);
    close_shares(s);
    tls_free(s->tls);
    timers_free(s->timers);
    clients_free(s->clients);
    turns_free(s->turns);
    store_close(s->store);
    log_free(s->log);
    notify_close(&s->notify);
}

static void reload(struct service *s)
{
    struct diag diag = {0};

    doors_reload(s->doors);
    if (s->tls == NULL)
        return;
    if (tls_reload(s->tls, &diag))
        LOG(s->log, LOG_INFO, "certificate-read", LOG_STR("file", str_of(s->config->tls_certificate)));
    else
        LOG(s->log, LOG_ERROR, "certificate-kept", LOG_STR("why", str_of(diag.detail)));
}

/* SIGTERM, SIGINT and SIGHUP are blocked in every thread, and taken here: the last one means that files have
 * changed. */
static void wait_for_signal(const sigset_t *set, struct service *s)
{
    int got = 0;

    while (sigwait(set, &got) != 0 || got == SIGHUP)
        if (got == SIGHUP)
            reload(s);
}

/* One that the service manager has handed over obeys the same rule as a configured address. */
static bool inherited_fits(const struct service *s, uint64_t handed_over, struct diag *diag)
{
    struct address bound;

    if (handed_over > 1)
        return diag_set(
            diag, DIAG_USAGE, "several sockets",
            "Let the socket unit name one: ListenStream= with nothing behind it takes away those before.",
            "%llu sockets were handed over, of which one would be served.", (unsigned long long)handed_over);
    return s->config->open || s->doors != NULL || strcmp(s->address, "localhost") == 0 ||
           (address_parse(str_of(s->address), &bound) && address_is_loopback(&bound)) ||
           diag_set(
               diag, DIAG_USAGE, "not only for this machine",
               "Give it tokens (tokens_file), let the socket unit listen on 127.0.0.1 behind a proxy that authenticates, or say --open.",
               "The socket handed over listens on %s, which can be reached from other machines.", s->address);
}

/* Of who is believed, behind the socket: a Unix socket is "localhost" here. */
static bool believes_a_proxy(const struct service *s, struct diag *diag)
{
    return s->config->user_header[0] == '\0' || s->config->trusted_proxies[0] != '\0' ||
           strcmp(s->address, "localhost") == 0 ||
           diag_set(diag, DIAG_USAGE, "no proxy is believed",
                    "Set trusted_proxies to the proxy's address, or listen on unix:/PATH.",
                    "user_header: everybody who comes to %s would be taken for nobody.", s->address);
}

/* A socket handed over by the service manager comes before the configured address. Its name, if it has one, is not ours
 * to remove. -1: diag. */
static int open_socket(struct service *s, struct address *address, bool *inherited, struct diag *diag)
{
    uint64_t handed_over = 0;
    int fd = listen_inherited(s->address, sizeof(s->address), &handed_over);

    *inherited = fd >= 0;
    if (*inherited)
        *address = (struct address){.kind = ADDRESS_ANY};
    else
        fd = listen_open(address, s->address, sizeof(s->address), diag);
    if (fd < 0 || ((!*inherited || inherited_fits(s, handed_over, diag)) && believes_a_proxy(s, diag)))
        return fd;
    listen_close(address, fd);
    return -1;
}

static void tick(struct service *s, bool alive)
{
    if (alive && s->notify.watched)
        notify_send(&s->notify, NOTIFY_ALIVE);
    log_flush(s->log);
    doors_tick(s->doors);
    work_limits_tick(s->work);
    progresses_tick(s->progresses);
    profiles_tick(s->profiles);
}

/* ---- further sockets ---- */

/* One beside that of the service, of plain HTTP, with a site of its own. */
struct further {
    struct address address;
    char bound[300];
    struct http_site site;
    struct http *http; /* NULL: it is not wanted */
    int fd;
};

static bool admits_anybody(struct exchange *x, const struct route *route)
{
    (void)x;
    (void)route;
    return true;
}

static void no_tick(struct service *s, bool alive)
{
    (void)s;
    (void)alive;
}

static enum exchange_step handle_plainly(struct exchange *x, const struct route *route)
{
    return route->handle(x);
}

/* `listen`, the value of the key, empty: it is not wanted. */
static bool start_further(struct service *s, struct further *f, const char *key, const char *listen,
                          const struct route *(*find)(struct exchange *x), struct diag *diag)
{
    *f = (struct further){.site = {.routes = ROUTES,
                                   .n_routes = ROUTES_COUNT,
                                   .any_host = true,
                                   .connections = FURTHER_CONNECTIONS,
                                   .plain = true,
                                   .find = find,
                                   .admits = admits_anybody,
                                   .handle = handle_plainly,
                                   .problem_page = page_problem,
                                   .tick = no_tick}};
    if (listen[0] == '\0')
        return true;
    f->fd = address_parse(str_of(listen), &f->address)
                ? listen_open(&f->address, f->bound, sizeof(f->bound), diag)
                : -1;
    if (f->fd < 0)
        return false;
    f->http = http_start(s, &f->site, f->fd, diag);
    if (f->http == NULL)
        listen_close(&f->address, f->fd);
    else
        LOG(s->log, LOG_INFO, "also-listening", LOG_STR("key", str_of(key)),
            LOG_STR("address", str_of(f->bound)));
    return f->http != NULL;
}

/* Behind the service itself, of which figures are told until the end. False: see http_stop. */
static bool stop_further(struct further *f)
{
    if (f->http == NULL)
        return true;
    bool stopped = http_stop(f->http, 0);
    if (stopped)
        listen_close(&f->address, f->fd);
    return stopped;
}

/* Figures name nobody, so that any address will do. What leads on does so to a name that is configured. */
static bool start_all_further(struct service *s, struct further *metrics, struct further *redirect,
                              struct diag *diag)
{
    const struct config *c = s->config;

    *redirect = (struct further){.http = NULL};
    return start_further(s, metrics, "metrics_listen", c->metrics_listen, route_find_figures, diag) &&
           start_further(s, redirect, "redirect_listen", c->redirect_listen, route_lead_on, diag);
}

/* ---- serving ---- */

static void serve_until_signal(struct service *s, const sigset_t *signals)
{
    LOG(s->log, LOG_INFO, "listening", LOG_STR("address", str_of(s->address)),
        LOG_STR("store", str_of(s->config->store)), LOG_U64("workers", s->config->workers));
    printf("aflamed listens on %s://%s/\n", s->tls == NULL ? "http" : "https", s->address);
    fflush(stdout);
    notify_send(&s->notify, NOTIFY_READY);
    wait_for_signal(signals, s);
    readiness_end(s->readiness);
    notify_send(&s->notify, NOTIFY_STOPPING);
    LOG(s->log, LOG_INFO, "stopping", LOG_U64("grace_s", STOP_GRACE_S));
}

static bool serve(struct service *s, struct address *address, const sigset_t *signals, struct diag *diag)
{
    bool inherited;
    int fd = open_socket(s, address, &inherited, diag);

    if (fd < 0)
        return false;
    const struct http_site site = {.routes = ROUTES,
                                   .n_routes = ROUTES_COUNT,
                                   .connections = s->config->max_connections,
                                   .handed_over = inherited,
                                   .find = route_find,
                                   .admits = admits,
                                   .prepare = route_prepare,
                                   .handle = route_handle,
                                   .problem_page = page_problem,
                                   .tick = tick};
    struct further metrics, redirect;
    bool started = start_all_further(s, &metrics, &redirect, diag);
    struct http *http = started ? http_start(s, &site, fd, diag) : NULL;
    if (http != NULL)
        serve_until_signal(s, signals);
    bool stopped = http == NULL || http_stop(http, STOP_GRACE_S);
    /* Its thread has to end before those of the jobs, which it may wait for. */
    bool quiet = webhook_stop(s->webhook);
    if (!stop_further(&redirect) || !stop_further(&metrics) || !stopped || !quiet) {
        LOG(s->log, LOG_WARN, "stopped-hard",
            LOG_STR("why", quiet ? STR("a request did not end") : STR("the webhook did not end")));
        _exit(0); /* What was acknowledged is durable; nothing else is worth waiting for. */
    }
    listen_close(address, fd);
    return http != NULL;
}

int serve_run(const struct config *config)
{
    struct memory_limit limit = memory_limit_here();
    struct config settled = config_settle(config, &limit, memory_mapped(), turns_cores());
    struct service s = {.notify = notify_open()};
    struct diag diag = {0};
    struct address address;
    sigset_t signals;

    bound_threads(&limit);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    bool ok = has_digests(&diag) && address_parse(str_of(config->listen), &address) &&
              open_service(&s, &settled, &diag);
    if (ok) {
        log_memory(&s, &limit);
        log_keys_without_effect(&s);
        log_old_names(&s);
        s.sweep = sweep_start(&settled, s.store, s.log);
        ok = s.sweep != NULL ? serve(&s, &address, &signals, &diag) : no_means(&diag);
    }
    close_service(&s);
    if (!ok && diag.kind != DIAG_NONE)
        report(&diag);
    return ok ? 0 : 1;
}
