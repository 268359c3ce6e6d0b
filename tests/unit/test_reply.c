/* Answers before they are sent: headers, kinds of bodies, who owns what. */
#include "tests/support/unit.h"

#include "server/http/exchange.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

TEST(headers)
{
    struct reply r;

    reply_init(&r);
    assert_int_equal(r.status, 0);
    assert_null(reply_header_value(&r, "ETag"));
    reply_header(&r, "ETag", "\"%s-%d\"", "abc", 7);
    reply_header(&r, "Vary", "Accept");
    for (int i = 0; i < 10; i++)
        reply_header(&r, "X-Filler", "%0*d", 300, i); /* moves the text's memory */
    assert_string_equal(reply_header_value(&r, "etag"), "\"abc-7\"");
    assert_string_equal(reply_header_value(&r, "Vary"), "Accept");
    assert_int_equal(r.headers[0].n, strlen("\"abc-7\""));
    assert_false(r.text.failed);
    reply_free(&r);
    assert_int_equal(r.n_headers, 0);
}

TEST(too_many_headers_fail)
{
    struct reply r;

    reply_init(&r);
    for (int i = 0; i < REPLY_HEADERS_MAX; i++)
        reply_header(&r, "X-Filler", "%d", i);
    assert_false(r.text.failed);
    reply_header(&r, "X-More", "1");
    assert_true(r.text.failed);
    assert_null(reply_header_value(&r, "X-More"));
    reply_free(&r);
    assert_false(r.text.failed);
}

TEST(too_long_a_header_fails)
{
    struct reply r;

    reply_init(&r);
    reply_header(&r, "X-Long", "%*d", 5000, 1);
    assert_true(r.text.failed);
    assert_int_equal(r.n_headers, 0);
    reply_free(&r);
}

TEST(text_body)
{
    struct reply r;

    reply_init(&r);
    buf_z(reply_text(&r, 201, "text/plain; charset=utf-8"), "hello\n");
    assert_int_equal(r.status, 201);
    assert_int_equal(r.kind, REPLY_BUFFER);
    assert_int_equal(reply_bytes(&r), 6);
    assert_string_equal(reply_header_value(&r, "content-type"), "text/plain; charset=utf-8");
    reply_free(&r);
    assert_int_equal(reply_bytes(&r), 0);
    reply_free(&r); /* a second time does nothing */
}

TEST(static_body)
{
    struct reply r;

    reply_init(&r);
    reply_static(&r, 200, "text/css", STR("a{}"));
    assert_int_equal(r.kind, REPLY_STATIC);
    assert_int_equal(reply_bytes(&r), 3);
    reply_free(&r);
}

TEST(file_is_closed)
{
    struct reply r;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    reply_init(&r);
    reply_file(&r, 206, "application/octet-stream", fd, 100, 50);
    assert_int_equal(reply_bytes(&r), 50);
    assert_int_equal(r.file_offset, 100);
    reply_free(&r);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* An answer may be thought better of: what the first one held is let go. */
TEST(another_body_replaces)
{
    struct buf b = {0};
    struct reply r;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    reply_init(&r);
    reply_file(&r, 200, "image/svg+xml", fd, 0, 9);
    buf_z(&b, "shared");
    reply_shared(&r, 200, "text/plain", shared_bytes_new(&b));
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_int_equal(reply_bytes(&r), 6);
    buf_z(reply_text(&r, 500, "text/plain"), "x");
    assert_null(r.shared);
    assert_int_equal(reply_bytes(&r), 1);
    reply_free(&r);
}

/* A zeroed reply owns no descriptor, so freeing it must not close 0. */
TEST(zeroed_owns_nothing)
{
    struct reply r = {0};
    int before = fcntl(STDIN_FILENO, F_GETFD);

    reply_free(&r);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), before);
}

TEST(shared_takes_the_buffer)
{
    struct buf b = {0};
    struct shared_bytes *s, *second;

    for (int i = 0; i < 1000; i++)
        buf_z(&b, "0123456789");
    s = shared_bytes_new(&b);
    assert_non_null(s);
    assert_null(b.p);
    assert_int_equal(b.n, 0);
    second = shared_bytes_ref(s);
    assert_ptr_equal(second, s);
    shared_bytes_unref(s);
    assert_int_equal(shared_bytes_view(second).n, 10000);
    assert_memory_equal(shared_bytes_view(second).p + 9990, "0123456789", 10);
    shared_bytes_unref(second);
    shared_bytes_unref(NULL);
}

TEST(shared_of_nothing_and_of_a_failed_buffer)
{
    struct buf b = {0};
    struct shared_bytes *s = shared_bytes_new(&b);

    assert_non_null(s);
    assert_int_equal(shared_bytes_view(s).n, 0);
    shared_bytes_unref(s);
    buf_init(&b, 4);
    buf_z(&b, "ok");
    buf_z(&b, "too long");
    assert_null(shared_bytes_new(&b));
    assert_null(b.p);
}

static void *take_and_give(void *shared)
{
    for (int i = 0; i < 20000; i++)
        shared_bytes_unref(shared_bytes_ref(shared));
    shared_bytes_unref(shared);
    return NULL;
}

/* Under a sanitizer a lost count is a leak, or a use after free. */
TEST(shared_by_threads)
{
    struct buf b = {0};
    pthread_t threads[4];

    buf_z(&b, "x");
    struct shared_bytes *s = shared_bytes_new(&b);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, shared_bytes_ref(s)), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(shared_bytes_view(s).n, 1);
    shared_bytes_unref(s);
}

static void reply_of(struct reply *r, size_t bytes, const char *vary)
{
    reply_init(r);
    struct buf *b = reply_text(r, 200, "text/html; charset=utf-8");
    for (size_t i = 0; i < bytes; i++)
        buf_char(b, 'x');
    if (vary != NULL)
        reply_header(r, "Vary", "%s", vary);
}

TEST(large_texts_are_encoded)
{
    static const struct {
        size_t bytes;
        const char *vary, *accepts;
        const char *encoding; /* NULL: none */
    } CASES[] = {
        {REPLY_ENCODE_BYTES + 1, "Accept, Accept-Encoding", "gzip", "gzip"},
        {REPLY_ENCODE_BYTES + 1, "Accept-Encoding", "gzip, zstd", "zstd"},
        {REPLY_ENCODE_BYTES, "Accept-Encoding", "gzip", NULL},
        {REPLY_ENCODE_BYTES + 1, "Accept", "gzip", NULL},
        {REPLY_ENCODE_BYTES + 1, NULL, "gzip", NULL},
        {REPLY_ENCODE_BYTES + 1, "Accept-Encoding", "br", NULL},
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(*CASES); i++) {
        struct reply r;
        reply_of(&r, CASES[i].bytes, CASES[i].vary);
        reply_encode(&r, str_of(CASES[i].accepts));
        const char *encoding = reply_header_value(&r, "Content-Encoding");
        if (CASES[i].encoding == NULL) {
            assert_null(encoding);
            assert_int_equal(reply_bytes(&r), CASES[i].bytes);
        } else {
            assert_string_equal(encoding, CASES[i].encoding);
            assert_in_range(reply_bytes(&r), 1, 200);
        }
        reply_free(&r);
    }
}

TEST(only_successes_are_encoded)
{
    struct reply r;

    reply_of(&r, 2 * REPLY_ENCODE_BYTES, "Accept-Encoding");
    r.status = 404;
    reply_encode(&r, STR("gzip"));
    assert_null(reply_header_value(&r, "Content-Encoding"));
    r.status = 200;
    r.body.failed = true;
    reply_encode(&r, STR("gzip"));
    assert_null(reply_header_value(&r, "Content-Encoding"));
    reply_free(&r);
}

static void count_end(void *answer)
{
    ++*(int *)answer;
}

TEST(an_answer_ends_with_its_bytes)
{
    struct buf b = {0};
    struct reply r;
    int ended = 0, other = 0;

    buf_z(&b, "bytes");
    struct shared_bytes *s = shared_bytes_new(&b);
    assert_null(shared_bytes_answer(s));
    assert_true(shared_bytes_set_answer(s, &ended, count_end));
    assert_false(shared_bytes_set_answer(s, &other, count_end));
    assert_ptr_equal(shared_bytes_answer(s), &ended);
    reply_init(&r);
    reply_again(&r, s);
    assert_int_equal(r.status, 200);
    assert_int_equal(reply_bytes(&r), 5);
    assert_int_equal(r.n_headers, 0);
    assert_int_equal(ended, 0);
    reply_free(&r);
    assert_int_equal(ended, 1);
    assert_int_equal(other, 0);
}
