/* Sockets that are listened on: addresses of the network, and names in the file system. */
#include "tests/support/unit.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/http/http.h"
#include "tests/support/scratch.h"

static int open_text(const char *text, struct address *a, char bound[300], struct diag *diag)
{
    assert_true(address_parse(str_of(text), a));
    return listen_open(a, bound, 300, diag);
}

/* Connects to a Unix socket. */
static bool reachable(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    assert_true(fd >= 0 && strlen(path) < sizeof(to.sun_path));
    memcpy(to.sun_path, path, strlen(path) + 1);
    bool ok = connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
    close(fd);
    return ok;
}

/* A name for a Unix socket in a folder of its own. */
struct socket_name {
    struct scratch scratch;
    char path[200], text[220];
};

static struct socket_name socket_name(void)
{
    struct socket_name n = {.scratch = scratch_make()};

    scratch_path(&n.scratch, "socket", n.path, sizeof(n.path));
    snprintf(n.text, sizeof(n.text), "unix:%s", n.path);
    return n;
}

TEST(port_zero_becomes_a_port)
{
    struct diag diag = {0};
    struct address a;
    char bound[300];
    unsigned port = 0;
    int fd = open_text("127.0.0.1:0", &a, bound, &diag);

    assert_true(fd >= 0);
    assert_int_equal(sscanf(bound, "127.0.0.1:%u", &port), 1);
    assert_true(port > 0 && port < 65536);
    listen_close(&a, fd);
}

TEST(taken_port_is_said_so)
{
    struct diag diag = {0};
    struct address a, b;
    char bound[300], again[300];
    int fd = open_text("127.0.0.1:0", &a, bound, &diag);

    assert_true(fd >= 0);
    assert_int_equal(diag.kind, DIAG_NONE);
    assert_int_equal(open_text(bound, &b, again, &diag), -1);
    assert_int_equal(diag.kind, DIAG_IO);
    assert_non_null(strstr(diag.hint, "another"));
    listen_close(&a, fd);
    diag = (struct diag){0};
    fd = open_text(bound, &b, again, &diag);
    assert_true(fd >= 0);
    assert_string_equal(again, bound);
    listen_close(&b, fd);
}

TEST(unknown_name_is_an_error)
{
    struct diag diag = {0};
    struct address a;
    char bound[300];

    assert_int_equal(open_text("no-such-host.invalid:0", &a, bound, &diag), -1);
    assert_int_equal(diag.kind, DIAG_IO);
    assert_non_null(strstr(diag.detail, "no-such-host.invalid"));
}

TEST(unix_socket_of_a_dead_service_is_replaced)
{
    const struct socket_name n = socket_name();
    struct diag diag = {0};
    struct address a;
    char bound[300];

    int dead = open_text(n.text, &a, bound, &diag);
    assert_true(dead >= 0);
    close(dead); /* the name stays, as after a crash */
    assert_false(reachable(n.path));
    int fd = open_text(n.text, &a, bound, &diag);
    assert_true(fd >= 0);
    assert_int_equal(diag.kind, DIAG_NONE);
    assert_true(reachable(n.path));
    listen_close(&a, fd);
    assert_int_equal(scratch_count(&n.scratch, "."), 0);
    scratch_remove(&n.scratch);
}

TEST(unix_socket_in_use_is_left_alone)
{
    const struct socket_name n = socket_name();
    struct diag diag = {0};
    struct address a;
    char bound[300];

    int fd = open_text(n.text, &a, bound, &diag);
    assert_true(fd >= 0);
    assert_int_equal(open_text(n.text, &a, bound, &diag), -1);
    assert_int_equal(diag.kind, DIAG_IO);
    assert_true(reachable(n.path));
    listen_close(&a, fd);
    scratch_remove(&n.scratch);
}

TEST(other_files_are_left_alone)
{
    const struct socket_name n = socket_name();
    struct diag diag = {0};
    struct address a;
    char bound[300];

    scratch_write(&n.scratch, "socket", "precious", 8);
    assert_int_equal(open_text(n.text, &a, bound, &diag), -1);
    assert_int_equal(diag.kind, DIAG_IO);
    assert_int_equal(access(n.path, F_OK), 0);
    scratch_remove(&n.scratch);
}
