/* Tells the service manager how the service is, in the way of sd_notify(3): a datagram to the socket that
 * NOTIFY_SOCKET names. Without that variable nobody is told, which is no error. Any thread. */
#pragma once

#include <stdbool.h>

struct notify {
    int fd; /* a connected socket; -1: there is nobody to tell */
    /* The manager ends a service that does not say NOTIFY_ALIVE (WATCHDOG_USEC, WATCHDOG_PID). */
    bool watched;
};

#define NOTIFY_READY    "READY=1"
#define NOTIFY_STOPPING "STOPPING=1"
#define NOTIFY_ALIVE    "WATCHDOG=1"

/* As the environment says it. A socket that cannot be reached is as none. */
struct notify notify_open(void);
void notify_close(struct notify *n);

/* Waits a second at most for a manager that does not read. What it does not take is lost. */
void notify_send(const struct notify *n, const char *state);
