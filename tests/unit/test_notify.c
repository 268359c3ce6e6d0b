/* What the service manager is told. */
#include "tests/support/unit.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/system/notify.h"

/* A manager's socket with a name of Linux' own, which NOTIFY_SOCKET names. */
static int manager(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[60];
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    assert_true(fd >= 0);
    snprintf(name, sizeof(name), "@aflamed-test-notify-%d", (int)getpid());
    memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
    socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, n), 0);
    setenv("NOTIFY_SOCKET", name, 1);
    return fd;
}

static int without_variables(void **state)
{
    (void)state;
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
    return 0;
}

TEST_WITH(nobody_is_told_without_a_socket, without_variables, NULL)
{
    static const char *const WRONG[] = {"", "/", "@", "relative", "/no/such/socket"};
    struct notify n = notify_open();

    assert_int_equal(n.fd, -1);
    notify_send(&n, NOTIFY_READY);
    notify_close(&n);
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(*WRONG); i++) {
        setenv("NOTIFY_SOCKET", WRONG[i], 1);
        setenv("WATCHDOG_USEC", "1000000", 1);
        n = notify_open();
        assert_int_equal(n.fd, -1);
        assert_false(n.watched);
    }
    char longer[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];
    memset(longer, '/', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    setenv("NOTIFY_SOCKET", longer, 1);
    assert_int_equal(notify_open().fd, -1);
}

TEST_WITH(the_manager_is_told, without_variables, NULL)
{
    int fd = manager();
    char said[100];
    struct notify n = notify_open();

    assert_true(n.fd >= 0);
    assert_false(n.watched);
    notify_send(&n, NOTIFY_READY);
    ssize_t bytes = recv(fd, said, sizeof(said) - 1, 0);
    assert_int_equal(bytes, strlen("READY=1"));
    assert_memory_equal(said, "READY=1", (size_t)bytes);
    close(fd);
    notify_send(&n, NOTIFY_STOPPING); /* to nobody */
    notify_close(&n);
}

TEST_WITH(the_watchdog_is_meant_for_one_process, without_variables, NULL)
{
    static const struct {
        const char *us;
        bool watched;
    } CASES[] = {{"30000000", true}, {"0", false}, {"", false}, {"-1", false}, {"x", false}};
    int fd = manager();
    char pid[20];

    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        setenv("WATCHDOG_USEC", CASES[i].us, 1);
        setenv("WATCHDOG_PID", pid, 1);
        struct notify n = notify_open();
        assert_int_equal(n.watched, CASES[i].watched);
        notify_close(&n);
        setenv("WATCHDOG_PID", "1", 1);
        n = notify_open();
        assert_false(n.watched);
        notify_close(&n);
    }
    close(fd);
}
