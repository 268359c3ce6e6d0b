/* The HTTP side: requests of libmicrohttpd into exchanges, replies into its answers. This file's .c, and no
 * other, knows the library. Rules found by trial are said where they are kept. */
#ifndef SERVER_HTTP_HTTP_H
#define SERVER_HTTP_HTTP_H

#include "server/service.h"

struct http;

/* Serves on the listening socket, which stays the caller's. NULL: diag. */
struct http *http_start(struct service *service, int listen_fd, struct diag *diag);

/* Takes no new connection, waits up to grace_s for requests under way, then ends the rest. The pool must
 * still run. */
void http_stop(struct http *h, unsigned grace_s);

#endif
