/* Figures: what is counted, and the text that others read. */
#include "tests/support/unit.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "server/figures/exposition.h"
#include "server/figures/figures.h"
#include "server/figures/figures_table.h"

/* ---- the text ---- */

static const char *text_of(struct buf *b)
{
    buf_char(b, '\0');
    assert_false(b->failed);
    return b->p;
}

TEST(labels_are_escaped)
{
    struct buf b = {0};
    struct exposition e = {&b, false};
    const struct figure_label labels[] = {{"a", STR_INIT("x\"y\\z\nw")}, {"b", STR_INIT("")}};

    exposition_value(&e, "n", FIGURE_GAUGE, labels, 2, 7, 0);
    assert_string_equal(text_of(&b), "n{a=\"x\\\"y\\\\z\\nw\",b=\"\"} 7\n");
    buf_free(&b);
}

TEST(both_formats_name_counters_in_their_way)
{
    struct buf b = {0};
    struct exposition e = {&b, false};

    exposition_begin(&e, "n", FIGURE_COUNTER, "Some help.");
    exposition_value(&e, "n", FIGURE_COUNTER, NULL, 0, 1250, 3);
    exposition_end(&e);
    assert_string_equal(text_of(&b), "# HELP n_total Some help.\n# TYPE n_total counter\nn_total 1.25\n");
    buf_clear(&b);
    e.open_metrics = true;
    exposition_begin(&e, "n", FIGURE_COUNTER, "Some help.");
    exposition_value(&e, "n", FIGURE_COUNTER, NULL, 0, UINT64_MAX, 0);
    exposition_end(&e);
    assert_string_equal(text_of(&b),
                        "# HELP n Some help.\n# TYPE n counter\nn_total 18446744073709551615\n# EOF\n");
    buf_free(&b);
}

TEST(buckets_hold_all_before_them)
{
    struct buf b = {0};
    struct exposition e = {&b, false};
    const struct figure_label label = {"route", STR_INIT("/")};
    uint64_t counts[EXPOSITION_BUCKETS + 1] = {[0] = 2, [1] = 1, [10] = 4, [EXPOSITION_BUCKETS] = 5};

    exposition_histogram(&e, "d", &label, 1, counts, 1500001);
    const char *text = text_of(&b);
    assert_non_null(
        strstr(text, "d_bucket{route=\"/\",le=\"0.0005\"} 2\nd_bucket{route=\"/\",le=\"0.001\"} 3\n"));
    assert_non_null(strstr(text, "d_bucket{route=\"/\",le=\"0.5\"} 3\nd_bucket{route=\"/\",le=\"1.0\"} 7\n"));
    assert_non_null(strstr(text, "d_bucket{route=\"/\",le=\"60.0\"} 7\nd_bucket{route=\"/\",le=\"+Inf\"} 12\n"
                                 "d_sum{route=\"/\"} 1.500001\nd_count{route=\"/\"} 12\n"));
    buf_free(&b);
}

TEST(bounds_grow)
{
    for (size_t i = 1; i < EXPOSITION_BUCKETS; i++)
        assert_true(EXPOSITION_BOUNDS_US[i] > EXPOSITION_BOUNDS_US[i - 1]);
}

/* ---- what is counted ---- */

static void name_route(size_t i, const char **method, const char **path)
{
    *method = i == 0 ? "GET" : "POST";
    *path = "/p/{id}";
}

static void put(struct buf *b, const struct figures *f)
{
    const struct figures_now now = {.version = "1.2", .route = name_route, .workers = 3};

    buf_clear(b);
    figures_put(b, f, &now, false);
    text_of(b);
}

TEST(requests_are_counted_by_route_and_status)
{
    struct figures *f = figures_new(2);
    struct buf b = {0};
    const struct figures_request found = {.route = 0,
                                          .status = 200,
                                          .us = 600,
                                          .bytes_in = 3,
                                          .bytes_out = 5},
                                 lost = {.route = 2, .status = 404, .us = 70000000},
                                 strange = {.route = 1, .status = 299, .refusal = REFUSED_MEMORY};

    figures_request(f, &found);
    figures_request(f, &found);
    figures_request(f, &lost);
    figures_request(f, &strange);
    put(&b, f);
    assert_non_null(
        strstr(b.p, "\naflamed_requests_total{method=\"GET\",route=\"/p/{id}\",code=\"200\"} 2\n"));
    assert_non_null(
        strstr(b.p, "\naflamed_requests_total{method=\"other\",route=\"none\",code=\"404\"} 1\n"));
    assert_non_null(
        strstr(b.p, "\naflamed_requests_total{method=\"POST\",route=\"/p/{id}\",code=\"0\"} 1\n"));
    assert_non_null(strstr(b.p, "{method=\"GET\",route=\"/p/{id}\",le=\"0.0005\"} 0\n"));
    assert_non_null(strstr(b.p, "{method=\"GET\",route=\"/p/{id}\",le=\"0.001\"} 2\n"));
    assert_non_null(strstr(b.p, "{method=\"other\",route=\"none\",le=\"60.0\"} 0\n"));
    assert_non_null(strstr(b.p, "{method=\"other\",route=\"none\",le=\"+Inf\"} 1\n"));
    assert_non_null(strstr(b.p, "\naflamed_received_bytes_total 6\n"));
    assert_non_null(strstr(b.p, "\naflamed_sent_bytes_total 10\n"));
    assert_non_null(strstr(b.p, "\naflamed_refused_total{reason=\"memory\"} 1\n"));
    assert_non_null(strstr(b.p, "\naflamed_workers 3\n"));
    assert_non_null(strstr(b.p, "\naflamed_build_info{version=\"1.2\"} 1\n"));
    buf_free(&b);
    figures_free(f);
}

/* The number of series is bounded, whatever names there are. */
TEST(formats_are_named_as_they_come)
{
    enum { KNOWN = 32 };
    struct figures *f = figures_new(1);
    struct buf b = {0};
    char name[20];

    for (unsigned i = 0; i < KNOWN + 5; i++) {
        snprintf(name, sizeof(name), "format-%u", i);
        figures_upload(f, str_of(name));
        figures_upload(f, str_of(name));
    }
    figures_reading(f, STR("format-3"), 2000000);
    put(&b, f);
    assert_non_null(strstr(b.p, "\naflamed_uploads_total{format=\"format-0\"} 2\n"));
    assert_non_null(strstr(b.p, "\naflamed_uploads_total{format=\"format-31\"} 2\n"));
    assert_null(strstr(b.p, "format-32"));
    assert_non_null(strstr(b.p, "\naflamed_uploads_total{format=\"other\"} 10\n"));
    assert_non_null(strstr(b.p, "\naflamed_reading_cpu_seconds_sum{format=\"format-3\"} 2\n"));
    buf_free(&b);
    figures_free(f);
}

TEST(gauges_go_down_again)
{
    struct figures *f = figures_new(1);
    struct buf b = {0};

    figures_connection(f, true);
    figures_connection(f, true);
    figures_connection(f, false);
    figures_look(f, CACHE_PROFILES, true);
    put(&b, f);
    assert_non_null(strstr(b.p, "\naflamed_connections 1\n"));
    assert_non_null(strstr(b.p, "\naflamed_cache_looks_total{cache=\"profiles\",result=\"hit\"} 1\n"));
    assert_non_null(strstr(b.p, "\naflamed_cache_looks_total{cache=\"profiles\",result=\"miss\"} 0\n"));
    buf_free(&b);
    figures_free(f);
}

TEST(nothing_is_counted_without_figures)
{
    figures_connection(NULL, true);
    figures_request(NULL, &(struct figures_request){.status = 200});
    figures_refused(NULL, REFUSED_BUSY);
    figures_look(NULL, CACHE_PROFILES, false);
    figures_upload(NULL, STR("x"));
    figures_reading(NULL, STR("x"), 1);
    figures_free(NULL);
}

static void *count_many(void *figures)
{
    char name[] = "format-a";

    for (unsigned i = 0; i < 1000; i++) {
        name[sizeof(name) - 2] = (char)('a' + i % 26);
        figures_upload(figures, str_of(name));
        figures_request(figures, &(struct figures_request){.status = 200});
    }
    return NULL;
}

TEST(no_count_is_lost_between_threads)
{
    enum { THREADS = 4 };
    struct figures *f = figures_new(1);
    pthread_t threads[THREADS];
    struct buf b = {0};

    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_many, f), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    put(&b, f);
    assert_non_null(strstr(b.p, "code=\"200\"} 4000\n"));
    assert_non_null(strstr(b.p, "{format=\"format-a\"} 156\n"));
    assert_non_null(strstr(b.p, "{format=\"other\"} 0\n"));
    buf_free(&b);
    figures_free(f);
}

/* Names that tools for figures take, and units as they want them. */
TEST(rows_are_whole)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz_";

    for (size_t i = 0; i < FIGURES_COUNT; i++) {
        const struct figure *f = &FIGURES[i];
        assert_int_equal(strspn(f->name, LETTERS), strlen(f->name));
        assert_true(strlen(f->help) > 0 && f->help[strlen(f->help) - 1] != '.');
        assert_null(strpbrk(f->help, "\\\n"));
        assert_false(str_ends(str_of(f->name), STR("_total")));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(f->name, FIGURES[j].name);
    }
}

TEST(the_process_is_there)
{
    struct figures_now now = {0};

    figures_now_process(&now);
    assert_in_range(now.resident_bytes, 1 << 16, UINT64_C(1) << 40);
    assert_in_range(now.open_descriptors, 3, now.most_descriptors);
    assert_true(now.cpu_us > 0);
}
