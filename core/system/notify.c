#include "core/system/notify.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/str.h"

enum { SEND_WAIT_S = 1 };

/* A path, or a name of Linux' own that is written with @ for its first byte, which is zero. */
static int connect_to(const char *address)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const struct timeval wait = {.tv_sec = SEND_WAIT_S};
    size_t n = strlen(address);

    if ((address[0] != '/' && address[0] != '@') || n < 2 || n >= sizeof(to.sun_path))
        return -1;
    memcpy(to.sun_path, address, n);
    if (address[0] == '@')
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) == 0 &&
        connect(fd, (const struct sockaddr *)&to, length) == 0)
        return fd;
    close(fd);
    return -1;
}

/* sd_watchdog_enabled(3): the variables are meant for the process with this id only, if one is named. */
static bool is_watched(void)
{
    const char *interval = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    uint64_t us, wanted_pid;

    if (interval == NULL || !str_to_u64(str_of(interval), 10, &us) || us == 0)
        return false;
    return pid == NULL || (str_to_u64(str_of(pid), 10, &wanted_pid) && wanted_pid == (uint64_t)getpid());
}

struct notify notify_open(void)
{
    const char *address = getenv("NOTIFY_SOCKET");
    int fd = address == NULL ? -1 : connect_to(address);

    return (struct notify){fd, fd >= 0 && is_watched()};
}

void notify_close(struct notify *n)
{
    if (n->fd >= 0)
        close(n->fd);
    n->fd = -1;
}

void notify_send(const struct notify *n, const char *state)
{
    if (n->fd < 0)
        return;
    ssize_t sent = send(n->fd, state, strlen(state), MSG_NOSIGNAL);
    (void)sent;
}
