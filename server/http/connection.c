/* Connections: their options, and how long they may last. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "server/http/http_impl.h"

/* With a request's line, so that the time before it is not its own, and with its end: a line has as long to come as a
 * request has behind it. */
void connection_restart_deadline(struct http *h, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    if (info != NULL && info->socket_context != NULL)
        deadline_reset(h->deadlines, info->socket_context);
}

/* The library gives no way to refuse a connection here; one without memory for its deadline has none. */
void connection_changed(void *http, struct MHD_Connection *connection, void **context,
                        enum MHD_ConnectionNotificationCode what)
{
    struct http *h = http;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    int on = 1;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        *context = calloc(1, sizeof(struct deadline));
        if (info == NULL || *context == NULL)
            return;
        setsockopt(info->connect_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        deadline_add(h->deadlines, *context, info->connect_fd);
    } else if (*context != NULL) {
        deadline_remove(h->deadlines, *context);
        free(*context);
        *context = NULL;
    }
}
