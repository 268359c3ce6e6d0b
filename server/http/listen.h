/* The socket that the service listens on. */
#ifndef SERVER_HTTP_LISTEN_H
#define SERVER_HTTP_LISTEN_H

#include "core/diag.h"
#include "server/config/network.h"

/* Binds and listens. The descriptor, or -1 (diag). Writes the address as it became, "127.0.0.1:8192", into
 * `bound`. A Unix socket that nobody listens on any more is replaced. */
int listen_open(const struct address *a, char *bound, size_t bound_bytes, struct diag *diag);
/* The socket that a service manager opened and handed over (systemd.socket: LISTEN_PID, LISTEN_FDS, descriptor 3), or -1:
 * none. Writes its address as above, or "unknown" if the system does not tell. */
int listen_inherited(char *bound, size_t bound_bytes);
/* Closes it, and removes a Unix socket's name. */
void listen_close(const struct address *a, int fd);

#endif
