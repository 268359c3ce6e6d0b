#include "server/http/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 512 };

static int fail(struct diag *diag, const char *what, const char *where)
{
    diag_set(diag, DIAG_IO, "cannot listen",
             errno == EADDRINUSE
                 ? "Another program, perhaps another aflamed, listens there; stop it or choose --listen."
                 : "Choose another --listen.",
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
    char port[8];
    int fd = -1, on = 1;

    snprintf(port, sizeof(port), "%u", (unsigned)a->port);
    if (getaddrinfo(a->host[0] == '\0' ? NULL : a->host, port, &hints, &found) != 0) {
        errno = EADDRNOTAVAIL;
        return fail(diag, "address", a->host);
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
    return fd >= 0 ? fd : fail(diag, "bind", a->host);
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
int listen_inherited(char *bound, size_t bound_bytes)
{
    enum { FIRST_FD = 3 };
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    uint64_t wanted_pid, n;
    int listening = 0;
    socklen_t size = sizeof(listening);

    if (pid == NULL || count == NULL || !str_to_u64(str_of(pid), 10, &wanted_pid) ||
        !str_to_u64(str_of(count), 10, &n) || wanted_pid != (uint64_t)getpid() || n < 1)
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
