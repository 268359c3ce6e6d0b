/* Connections: who is on the other side, its share of them, how long it may take, and requests that the library drops. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/system/log.h"
#include "server/http/http_impl.h"

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
static void send_raw(int fd, const char *answer)
{
    ssize_t sent = send(fd, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)sent;
}

static struct client *client_of_peer(struct http *h, struct MHD_Connection *connection, bool *trusted)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    struct network_address address;

    if (info == NULL || info->client_addr == NULL || !network_of_peer(info->client_addr, &address))
        return client_ref(h->service->clients, NULL);
    *trusted = network_list_holds(str_of(h->service->config->trusted_proxies), address);
    if (*trusted)
        return client_ref(h->service->clients, NULL);
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
    c->fd = info->connect_fd;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    deadline_add(h->deadlines, &c->deadline, c->fd, h->service->config->header_timeout_s);
    c->watched = true;
    c->client = client_of_peer(h, connection, &c->trusted);
    c->counted = c->client != NULL && client_connect(c->client);
    c->of_reserve = atomic_fetch_add(&h->connections, 1) >= h->service->config->max_connections;
    if (c->counted)
        return;
    /* The library gives no way to refuse a connection here: it finds this one ended. */
    LOG(h->service->log, LOG_WARN, "too-many-connections",
        LOG_STR("client", str_of(c->client == NULL ? "-" : client_text(c->client))));
    send_raw(c->fd, TOO_MANY);
    shutdown(c->fd, SHUT_RDWR);
}

/* Where the header of a request does not fit, the library (0.9.75) marks the connection as closed, and neither answers nor
 * tells that the request has ended. Its descriptor is still open here, and nothing was written to it. */
static void end_dropped(struct http *h, struct MHD_Connection *connection, struct connection *c)
{
    void *request = c->request;

    if (!c->request->replied) {
        send_raw(c->fd, DROPPED);
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
    }
    if (c->counted)
        client_disconnect(c->client);
    client_unref(c->client);
    free(c);
}

void connection_changed(void *http, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        begin(http, connection, context);
    } else if (*context != NULL) {
        end(http, connection, *context);
        *context = NULL;
    }
}

/* One that has only closed its side is among them: the library closes the connection when it is resumed, and gives such a
 * client no answer. */
bool connection_is_left(const struct connection *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLRDHUP};

    return poll(&p, 1, 0) > 0;
}

void connection_look(struct deadline *deadline)
{
    struct connection *c = (struct connection *)deadline; /* its first member */

    if (c->request != NULL && connection_is_left(c))
        request_leave(c->request);
}

struct connection *connection_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info == NULL ? NULL : info->socket_context;
}

void connection_time(struct http *h, struct MHD_Connection *connection, uint64_t seconds)
{
    struct connection *c = connection_of(connection);

    if (c != NULL && c->watched)
        deadline_set(h->deadlines, &c->deadline, seconds);
}
