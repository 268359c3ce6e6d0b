#include "server/http/http.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/abstract.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/diag.h"
#include "core/system/clock.h"
#include "core/system/log.h"
#include "core/system/random_bytes.h"
#include "server/config/network.h"
#include "server/http/http_impl.h"
#include "server/http/tls.h"
#include "server/service.h"

/* ---- listening ---- */

enum { BACKLOG = 512 };

static int fail(struct diag *diag, const char *what, const char *where)
{
    diag_set(
        diag, DIAG_IO, "cannot listen",
        errno == EADDRINUSE
            ? "Another program, perhaps another aflamed, listens there; stop it, or choose another address."
            : "Choose another address.",
        "%s %s: %s.", what, where, strerror(errno));
    return -1;
}

static int open_unix(const char *path, struct diag *diag)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct sockaddr *sa = (const struct sockaddr *)&address;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct stat st;

    if (fd < 0)
        return fail(diag, "socket for", path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (bind(fd, sa, sizeof(address)) == 0)
        return fd;
    /* Connecting to a file that is no socket is refused as well: that one is not ours to remove. */
    int why = errno;
    bool is_socket = why == EADDRINUSE && lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
    int probe = is_socket ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    bool dead = probe >= 0 && connect(probe, sa, sizeof(address)) != 0 && errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    if (dead && unlink(path) == 0 && bind(fd, sa, sizeof(address)) == 0)
        return fd;
    errno = why;
    fail(diag, "bind", path);
    close(fd);
    return -1;
}

static int open_inet(const struct address *a, struct diag *diag)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char port[8], where[300];
    int fd = -1, on = 1;

    snprintf(port, sizeof(port), "%u", (unsigned)a->port);
    snprintf(where, sizeof(where), "%s:%s", a->host, port);
    if (getaddrinfo(a->host[0] == '\0' ? NULL : a->host, port, &hints, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return fail(diag, "address", where);
    }
    for (const struct addrinfo *at = found; at != NULL && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        if (bind(fd, at->ai_addr, at->ai_addrlen) == 0)
            continue;
        int why = errno;
        close(fd);
        errno = why;
        fd = -1;
    }
    freeaddrinfo(found);
    return fd >= 0 ? fd : fail(diag, "bind", where);
}

/* False (errno) if the system does not tell; a Unix socket keeps the name that stands there. */
static bool name_bound(int fd, char *bound, size_t bound_bytes)
{
    struct sockaddr_storage address = {0};
    socklen_t n = sizeof(address);
    char host[256], port[16];

    if (getsockname(fd, (struct sockaddr *)&address, &n) != 0)
        return false;
    if (address.ss_family == AF_UNIX)
        return true;
    if (getnameinfo((struct sockaddr *)&address, n, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        errno = ENOMEM;
        return false;
    }
    snprintf(bound, bound_bytes, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return true;
}

int listen_open(const struct address *a, char *bound, size_t bound_bytes, struct diag *diag)
{
    int fd = a->kind == ADDRESS_UNIX ? open_unix(a->path, diag) : open_inet(a, diag);

    if (fd < 0)
        return -1;
    snprintf(bound, bound_bytes, "localhost");
    if (listen(fd, BACKLOG) == 0 && name_bound(fd, bound, bound_bytes))
        return fd;
    fail(diag, "listen on", a->kind == ADDRESS_UNIX ? a->path : a->host);
    listen_close(a, fd);
    return -1;
}

/* sd_listen_fds(3): the variables are meant for the process with this id only. */
int listen_inherited(char *bound, size_t bound_bytes, uint64_t *handed_over)
{
    enum { FIRST_FD = 3 };
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    uint64_t wanted_pid;
    int listening = 0;
    socklen_t size = sizeof(listening);

    if (pid == NULL || count == NULL || !str_to_u64(str_of(pid), 10, &wanted_pid) ||
        !str_to_u64(str_of(count), 10, handed_over) || wanted_pid != (uint64_t)getpid() || *handed_over < 1)
        return -1;
    if (getsockopt(FIRST_FD, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || !listening)
        return -1;
    fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
    snprintf(bound, bound_bytes, "localhost");
    if (!name_bound(FIRST_FD, bound, bound_bytes))
        snprintf(bound, bound_bytes, "unknown");
    return FIRST_FD;
}

void listen_close(const struct address *a, int fd)
{
    if (fd >= 0)
        close(fd);
    if (a->kind == ADDRESS_UNIX)
        unlink(a->path);
}

/* ---- connections ---- */

/* Connections: who is on the other side, its share of them, how long it may take, and requests that the
 * library drops. */

static const char TOO_MANY[] =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
    "Retry-After: 10\r\nConnection: close\r\nContent-Length: 75\r\n\r\n"
    "error: too many connections from this address\nhint: Close some, try again.\n";

static const char DROPPED[] =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain; "
    "charset=utf-8\r\nConnection: close\r\nContent-Length: 86\r\n\r\n"
    "error: the header of the request is too large\nhint: Send fewer parameters or cookies.\n";

enum { DROPPED_STATUS = 431 };

/* What fits into the socket's buffer at once: nobody waits for a client that is to be rid of. */
static void send_raw(const struct connection *c, const char *answer)
{
    if (c->http->service->tls != NULL && !c->http->site->plain) /* which it would not be a part of */
        return;
    ssize_t sent = send(c->fd, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)sent;
}

static struct client *client_of_peer(struct http *h, struct MHD_Connection *connection, struct connection *c)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct network_address address;

    memcpy(c->address, "-", sizeof("-"));
    c->local = info != NULL && info->client_addr != NULL && info->client_addr->sa_family == AF_UNIX;
    if (info == NULL || info->client_addr == NULL || !network_of_peer(info->client_addr, &address))
        return client_ref(h->service->clients, NULL);
    c->trusted = network_list_holds(str_of(h->service->config->trusted_proxies), address);
    if (c->trusted)
        return client_ref(h->service->clients, NULL);
    network_text(address, c->address);
    address = network_of_client(address);
    return client_ref(h->service->clients, &address);
}

static void begin(struct http *h, struct MHD_Connection *connection, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct connection *c = calloc(1, sizeof(*c));
    int on = 1;

    *context = c;
    if (c == NULL || info == NULL)
        return;
    c->http = h;
    c->fd = info->connect_fd;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    deadline_add(h->deadlines, &c->deadline, c->fd, h->service->config->header_timeout_s);
    c->watched = true;
    c->client = client_of_peer(h, connection, c);
    c->counted = c->client != NULL && client_connect(c->client);
    c->of_reserve = atomic_fetch_add(&h->connections, 1) >= h->site->connections;
    figures_connection(h->service->figures, true);
    if (c->counted)
        return;
    figures_refused(h->service->figures, REFUSED_ADDRESS_CONNECTIONS);
    /* The library gives no way to refuse a connection here: it finds this one ended. */
    LOG(h->service->log, LOG_WARN, "too-many-connections", LOG_STR("client", str_of(c->address)));
    send_raw(c, TOO_MANY);
    shutdown(c->fd, SHUT_RDWR);
}

/* Where the header of a request does not fit, the library (0.9.75) marks the connection as closed, and
 * neither answers nor tells that the request has ended. Its descriptor is still open here, and nothing was
 * written to it. */
static void end_dropped(struct http *h, struct MHD_Connection *connection, struct connection *c)
{
    void *request = c->request;

    if (!c->request->replied) {
        send_raw(c, DROPPED);
        c->request->status = DROPPED_STATUS;
        strcpy(c->request->x.why, "the header of the request is too large");
    }
    request_close(h, connection, &request, MHD_REQUEST_TERMINATED_WITH_ERROR);
}

static void end(struct http *h, struct MHD_Connection *connection, struct connection *c)
{
    if (c->request != NULL)
        end_dropped(h, connection, c);
    if (c->watched) {
        deadline_remove(h->deadlines, &c->deadline);
        atomic_fetch_sub(&h->connections, 1);
        figures_connection(h->service->figures, false);
    }
    if (c->counted)
        client_disconnect(c->client);
    client_unref(c->client);
    free(c);
}

static void connection_changed(void *http, struct MHD_Connection *connection, void **context,
                               enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        begin(http, connection, context);
    } else if (*context != NULL) {
        end(http, connection, *context);
        *context = NULL;
    }
}

static void connection_look(struct deadline *deadline)
{
    struct connection *c = (struct connection *)deadline; /* its first member */

    if (c->request != NULL)
        request_look(c->request);
}

/* ---- the daemon ---- */

enum {
    CONNECTION_BYTES = 32 << 10, /* of the library's, per connection: headers, and reads of a body; it clears
                                    them for each request, at 128 KiB for 40 % of all time */
    THREADS = 2,                 /* for connections; the work is done by jobs */
    RESERVE = 16,                /* connections beyond max_connections, for /healthz */
    TELL_S = 2,                  /* for answers that say that the service stops */
    DROP_S = 2,                  /* for requests to end that were dropped */
    LOOK_MS = 5                  /* from one look whether they have to the next */
};

static void log_library(void *cls, const char *format, va_list arguments)
{
    struct http *h = cls;
    char line[512];

    vsnprintf(line, sizeof(line), format, arguments);
    LOG(h->service->log, LOG_DEBUG, "http", LOG_STR("text", str_of(line)));
}

/* What the library calls, within a pulse. */

static void *on_open(void *http, const char *target, struct MHD_Connection *connection)
{
    struct http *h = http;

    pulse_begin(&h->pulses);
    void *request = request_open(h, target, connection);
    pulse_end(&h->pulses);
    return request;
}

static enum MHD_Result on_step(void *http, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version, const char *data, size_t *n,
                               void **context)
{
    struct http *h = http;

    pulse_begin(&h->pulses);
    enum MHD_Result result = request_step(h, connection, url, method, version, data, n, context);
    pulse_end(&h->pulses);
    return result;
}

static void on_close(void *http, struct MHD_Connection *connection, void **context,
                     enum MHD_RequestTerminationCode end)
{
    struct http *h = http;

    pulse_begin(&h->pulses);
    request_close(h, connection, context, end);
    pulse_end(&h->pulses);
}

static void on_change(void *http, struct MHD_Connection *connection, void **context,
                      enum MHD_ConnectionNotificationCode what)
{
    struct http *h = http;

    pulse_begin(&h->pulses);
    connection_changed(h, connection, context, what);
    pulse_end(&h->pulses);
}

/* GnuTLS knows the library's connection by the session's pointer (found by trial). */
static int show_certificate(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                            gnutls_pcert_st **chain, unsigned *chain_n, gnutls_ocsp_data_st **ocsp,
                            unsigned *ocsp_n, gnutls_privkey_t *key, unsigned *flags)
{
    const union MHD_ConnectionInfo *known =
        MHD_get_connection_info(gnutls_session_get_ptr(session), MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    const struct connection *c = known == NULL ? NULL : known->socket_context;

    (void)info;
    *ocsp = NULL;
    *ocsp_n = 0;
    *flags = 0;
    return c == NULL ? -1 : tls_show(c->http->service->tls, chain, chain_n, key);
}

/* The library's own timeout sees idle connections only: see deadline.h. Requests are vetted by vet.c:
 * where the library refuses one itself, it sends a second header behind the first. */
static struct MHD_Daemon *start_daemon(struct http *h, int listen_fd)
{
    const struct config *c = h->service->config;
    bool has_tls = h->service->tls != NULL && !h->site->plain;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)(uintptr_t)show_certificate},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_PRIORITIES},
        {MHD_OPTION_END, 0, NULL},
    };

    return MHD_start_daemon(
        (has_tls ? MHD_USE_TLS : MHD_NO_FLAG) | MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
            MHD_USE_ERROR_LOG | MHD_USE_ITC,
        0, NULL, NULL, on_step, h, MHD_OPTION_EXTERNAL_LOGGER, log_library, h, MHD_OPTION_LISTEN_SOCKET,
        listen_fd, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(h->site->connections + RESERVE), MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)c->idle_timeout_s, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_NOTIFY_COMPLETED, on_close, h, MHD_OPTION_NOTIFY_CONNECTION, on_change, h,
        MHD_OPTION_URI_LOG_CALLBACK, on_open, h, MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_ARRAY,
        has_tls ? tls : tls + 2, MHD_OPTION_END);
}

static void tick(void *context)
{
    struct http *h = context;

    h->site->tick(h->service, pulses_look(&h->pulses));
}

static void http_free(struct http *h)
{
    deadlines_free(h->deadlines);
    free(h);
}

struct http *http_start(struct service *service, const struct http_site *site, int listen_fd,
                        struct diag *diag)
{
    struct http *h = calloc(1, sizeof(*h));

    if (h != NULL && !random_bytes(&h->start, sizeof(h->start))) {
        free(h);
        h = NULL;
    }
    if (h != NULL) {
        h->service = service;
        h->site = site;
        atomic_init(&h->next_id, 1);
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
    int64_t until_ms = clock_ms() + (int64_t)seconds * 1000;

    while (atomic_load(&h->active) > 0 && clock_ms() < until_ms)
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000}, NULL);
    return atomic_load(&h->active) == 0;
}

bool http_stop(struct http *h, unsigned grace_s)
{
    /* Connections of a socket of our own are still taken, and their requests refused: one that nobody takes would wait for an
     * answer until the end. */
    if (h->site->handed_over)
        MHD_quiesce_daemon(h->daemon);
    atomic_store(&h->ending, true);
    wait_idle(h, grace_s > TELL_S + DROP_S ? grace_s - TELL_S - DROP_S : 0);
    /* What takes long ends unfinished, and its clients are told. */
    stop_ask(&h->service->stop, STOP_SERVICE);
    wait_idle(h, TELL_S);
    if (!h->site->handed_over)
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
