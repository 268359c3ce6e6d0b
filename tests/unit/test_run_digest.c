/* The reader of digests: what is read, what is found, and what is refused. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "runs/run_digest.h"

#define HEAD                          \
    "aflamed-digest\t1\n"             \
    "value\twall\tns\t1000\n"         \
    "value\tretained\tbytes\t-7\n"    \
    "thread\tmain\t-\t10\t1\n"        \
    "thread\tcom.app\tmain\t900\t2\n" \
    "thread\tBinder\t-\t90\t-10\n"

#define METHODS                                                                      \
    "methods\t6\t12\n"                                                               \
    "a.B.c(I)V\t3\t10\t5\t-1\t-2\n"                                                  \
    "a.B.c(J)V\t0\t20\t6\t0\t0\n"                                                    \
    "a.B.c2\t1\t30\t7\t0\t0\n"                                                       \
    "native [lib.so]\t0\t40\t8\t0\t0\n"                                              \
    "plain\t18446744073709551615\t9223372036854775807\t-9223372036854775808\t0\t0\n" \
    "plain (x)\t1\t2\t3\t4\t5\n"

static void open_it(struct run_digest *d, const char *text)
{
    struct diag diag = {0};

    if (!run_digest_open(d, str_of(text), &diag) || !run_digest_check(d, &diag))
        fail_msg("%s", diag.detail);
}

static void assert_str(struct str s, const char *expected)
{
    assert_int_equal(s.n, strlen(expected));
    assert_memory_equal(s.p, expected, s.n);
}

TEST(head)
{
    struct run_digest d;

    open_it(&d, HEAD METHODS);
    assert_int_equal(d.n_values, 2);
    assert_str(d.values[1].name, "retained");
    assert_int_equal(d.values[0].unit, UNIT_NS);
    assert_int_equal(d.values[1].unit, UNIT_BYTES);
    assert_int_equal(d.values[1].total, -7);
    assert_int_equal(d.n_threads, 3);
    assert_int_equal(d.n_methods, 6);
    assert_int_equal(d.left_out, 12);
    assert_int_equal(run_digest_value(&d, STR("retained")), 1);
    assert_int_equal(run_digest_value(&d, STR("cpu")), -1);
}

TEST(steps)
{
    static const char *const BAD[] = {"step\tstart\tns\n", "step\tstart\tyears\t1\n", "step\t\tns\t1\n",
                                      "step\tstart\tns\t1\t2\n", "step\tstart\tns\tx\n"};
    struct run_digest d;
    struct diag diag = {0};
    struct buf many = {0};

    open_it(&d, HEAD "step\tstart\tns\t134\n"
                     "step\tlate-frames\tcount\t0\n" METHODS);
    assert_int_equal(d.n_steps, 2);
    assert_int_equal(run_digest_find_step(&d, STR("start"))->total, 134);
    assert_int_equal(run_digest_find_step(&d, STR("late-frames"))->unit, UNIT_COUNT);
    assert_null(run_digest_find_step(&d, STR("star")));
    for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
        struct buf text = {0};
        buf_z(&text, HEAD);
        buf_z(&text, BAD[i]);
        buf_z(&text, METHODS);
        assert_false(run_digest_open(&d, buf_view(&text), &diag));
        buf_free(&text);
    }
    buf_z(&many, HEAD);
    for (int i = 0; i <= RUN_DIGEST_STEPS_MAX; i++)
        buf_printf(&many, "step\ts%d\tns\t1\n", i);
    buf_z(&many, METHODS);
    assert_false(run_digest_open(&d, buf_view(&many), &diag));
    buf_free(&many);
}

TEST(rows)
{
    struct run_digest d;
    struct run_digest_row row;
    unsigned n = 0;

    open_it(&d, HEAD METHODS);
    struct str rest = d.threads;
    while (run_digest_next_thread(&d, &rest, &row))
        n++;
    assert_int_equal(n, 3);
    assert_int_equal(rest.n, 0);
    rest = d.methods;
    for (n = 0; run_digest_next_method(&d, &rest, &row); n++)
        if (n == 4) {
            assert_str(row.name, "plain");
            assert_true(row.calls == UINT64_MAX);
            assert_true(row.inclusive[0] == INT64_MAX && row.exclusive[0] == INT64_MIN);
        }
    assert_int_equal(n, 6);
    assert_int_equal(rest.n, 0);
}

TEST(found)
{
    static const struct {
        const char *name, *found; /* NULL: nothing */
    } CASES[] = {
        {"a.B.c", "a.B.c(I)V"},
        {"a.B.c(I)V", "a.B.c(I)V"},
        {"a.B.c(J)V", "a.B.c(J)V"},
        {"a.B.c2", "a.B.c2"},
        {"a.B", NULL},
        {"native", "native [lib.so]"},
        {"plain", "plain"},
        {"plain (x)", "plain (x)"},
        {"zzz", NULL},
        {"native [lib.so]", "native [lib.so]"},
        {"a.B.c(", NULL},
        {"", NULL},
        {"plai", NULL},
        {"a", NULL},
    };
    struct run_digest d;
    struct run_digest_row row;

    open_it(&d, HEAD METHODS);
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        bool is_there = run_digest_find(&d, str_of(CASES[i].name), &row);
        assert_int_equal(is_there, CASES[i].found != NULL);
        if (is_there)
            assert_str(row.name, CASES[i].found);
    }
    assert_true(run_digest_find(&d, STR("a.B.c(J)V"), &row));
    assert_int_equal(row.inclusive[0], 20);
    assert_int_equal(row.exclusive[0], 6);
}

TEST(threads_are_found)
{
    struct run_digest d;
    struct run_digest_row row;

    open_it(&d, HEAD METHODS);
    assert_true(run_digest_find_thread(&d, STR("main"), &row));
    assert_str(row.name, "com.app");
    assert_int_equal(row.inclusive[0], 900);
    assert_true(run_digest_find_thread(&d, STR("Binder"), &row));
    assert_int_equal(row.inclusive[1], -10);
    assert_false(run_digest_find_thread(&d, STR("binder"), &row));
    open_it(&d, "aflamed-digest\t1\nvalue\tw\tns\t1\nthread\tmain\t-\t10\nmethods\t0\t0\n");
    assert_true(run_digest_find_thread(&d, STR("main"), &row));
    assert_int_equal(row.inclusive[0], 10);
}

/* Among many, each is found, and nothing beside them. */
TEST(every_row_is_found)
{
    enum { N = 3000 };
    struct buf b = {0};
    struct run_digest d;
    struct run_digest_row row;

    buf_z(&b, "aflamed-digest\t1\nvalue\tw\tns\t1\n");
    buf_printf(&b, "methods\t%d\t0\n", N);
    for (int i = 0; i < N; i++)
        buf_printf(&b, "m%05d%.*s\t0\t%d\t0\n", 2 * i, i % 40, "........................................", i);
    buf_char(&b, '\0');
    open_it(&d, b.p);
    for (int i = 0; i < N; i++) {
        char name[64];
        snprintf(name, sizeof(name), "m%05d%.*s", 2 * i, i % 40, "........................................");
        assert_true(run_digest_find(&d, str_of(name), &row));
        assert_int_equal(row.inclusive[0], i);
        snprintf(name, sizeof(name), "m%05d", 2 * i + 1);
        assert_false(run_digest_find(&d, str_of(name), &row));
    }
    buf_free(&b);
}

/* ---- damage ---- */

static bool is_good(const char *p, size_t n, struct diag *diag)
{
    /* Of exactly its size, so that a read past its end is seen. */
    char *copy = malloc(n + (n == 0));
    struct run_digest d;
    struct run_digest_row row;
    assert_non_null(copy);
    memcpy(copy, p, n);

    bool good = run_digest_open(&d, (struct str){copy, n}, diag);
    if (good) {
        (void)run_digest_find(&d, STR("plain"), &row);
        (void)run_digest_find_thread(&d, STR("main"), &row);
        good = run_digest_check(&d, diag);
    }
    free(copy);
    return good;
}

TEST(every_cut_is_refused)
{
    static const char TEXT[] = HEAD METHODS;

    for (size_t n = 0; n < sizeof(TEXT) - 1; n++) {
        struct diag diag = {0};
        assert_false(is_good(TEXT, n, &diag));
        assert_int_equal(diag.kind, DIAG_UNUSABLE);
    }
}

TEST(damage_is_refused)
{
#define BEGIN "aflamed-digest\t1\nvalue\tw\tns\t1\n"
    static const char *const CASES[] = {
        "aflamed-digest\t2\nvalue\tw\tns\t1\nmethods\t0\t0\n",
        "aflamed-digest\t1\nmethods\t0\t0\n",
        "aflamed-digest\t1\nvalue\tthread\t-\t1\n",
        "aflamed-digest\t1\nvalue\tw\tm\t1\nmethods\t0\t0\n",
        "aflamed-digest\t1\nvalue\tw\tns\t1\t\nmethods\t0\t0\n",
        "aflamed-digest\t1\nvalue\tw\tns\t9223372036854775808\nmethods\t0\t0\n",
        "aflamed-digest\t1\nvalue\tw\tns\t-9223372036854775809\nmethods\t0\t0\n",
        "aflamed-digest\t1\nvalue\tw\tns\t--1\nmethods\t0\t0\n",
        "aflamed-digest\t1\nvalue\tw\tns\t-\nmethods\t0\t0\n",
        "aflamed-digest\t1\nvalue\t\tns\t1\nmethods\t0\t0\n",
        BEGIN "value\tw\tns\t1\nvalue\tw\tns\t1\nvalue\tw\tns\t1\nvalue\tw\tns\t1\nvalue\tw\tns\t1\n"
              "value\tw\tns\t1\nvalue\tw\tns\t1\nvalue\tw\tns\t1\nmethods\t0\t0\n",
        BEGIN "thread\tmain\tmajor\t1\nmethods\t0\t0\n",
        BEGIN "thread\tmain\tmain\t1\t2\nmethods\t0\t0\n",
        BEGIN "thread\tmain\tmain\nmethods\t0\t0\n",
        BEGIN "methods\t5001\t0\n",
        BEGIN "methods\t0\n",
        BEGIN "methods\t0\t0\t0\n",
        BEGIN "methods\t1\t0\n",
        BEGIN "methods\t0\t0\na\t1\t1\t1\n",
        BEGIN "methods\t2\t0\nb\t1\t1\t1\na\t1\t1\t1\n",
        BEGIN "methods\t2\t0\na\t1\t1\t1\na\t1\t1\t1\n",
        BEGIN "methods\t1\t0\na\t-1\t1\t1\n",
        BEGIN "methods\t1\t0\na\t1\t1\n",
        BEGIN "methods\t1\t0\na\t1\t1\t1\t\n",
        BEGIN "methods\t1\t0\na\t1\t1\t1.5\n",
        BEGIN "methods\t1\t0\n\t1\t1\t1\n",
        BEGIN "methods\t1\t0\na\t18446744073709551616\t1\t1\n",
        BEGIN "methods\t1\t0\n\n",
    };

    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        struct diag diag = {0};
        if (is_good(CASES[i], strlen(CASES[i]), &diag))
            fail_msg("taken: %s", CASES[i]);
        assert_int_equal(diag.kind, DIAG_UNUSABLE);
    }
    struct diag diag = {0};
    assert_true(is_good(BEGIN "methods\t0\t0\n", strlen(BEGIN "methods\t0\t0\n"), &diag));
}

TEST(too_many_threads_are_refused)
{
    for (int n = RUN_DIGEST_THREADS_MAX; n <= RUN_DIGEST_THREADS_MAX + 1; n++) {
        struct buf b = {0};
        struct diag diag = {0};
        (void)state;
        buf_z(&b, BEGIN);
        for (int i = 0; i < n; i++)
            buf_printf(&b, "thread\tt%d\t-\t1\n", i);
        buf_z(&b, "methods\t0\t0\n");
        assert_int_equal(is_good(b.p, b.n, &diag), n == RUN_DIGEST_THREADS_MAX);
        buf_free(&b);
    }
}
