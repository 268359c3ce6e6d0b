#include "server/figures/figures_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/system/folder.h"
#include "server/figures/figures_impl.h"

enum { MICRO = 6 };

static void put_value(struct figures_text *t, const struct figure *row, const struct figure_label *labels,
                      size_t n_labels, uint64_t value)
{
    exposition_value(&t->to, row->name, row->type, labels, n_labels, value, row->decimals);
}

static void put_by(struct figures_text *t, const struct figure *row, const char *label, const char *name,
                   uint64_t value)
{
    put_value(t, row, &(struct figure_label){label, str_of(name)}, 1, value);
}

static void put_histogram(struct figures_text *t, const struct figure *row, const struct figure_label *labels,
                          size_t n_labels, const struct histogram *h)
{
    uint64_t counts[EXPOSITION_BUCKETS + 1], all = 0;

    for (size_t i = 0; i <= EXPOSITION_BUCKETS; i++)
        all += counts[i] = counter_get(&h->counts[i]);
    if (all > 0)
        exposition_histogram(&t->to, row->name, labels, n_labels, counts, counter_get(&h->sum_us));
}

/* ---- requests ---- */

enum { ROUTE_LABELS = 2 };

/* Of requests that found no route neither method nor path is one of ours. */
static void set_route(const struct figures_text *t, size_t i, struct figure_label labels[ROUTE_LABELS])
{
    const char *method = "other", *path = "none";

    if (i < t->counted->n_routes)
        t->now->route(i, &method, &path);
    labels[0] = (struct figure_label){"method", str_of(method)};
    labels[1] = (struct figure_label){"route", str_of(path)};
}

static void put_requests(struct figures_text *t, const struct figure *row)
{
    struct figure_label labels[ROUTE_LABELS + 1];
    char code[8];

    for (size_t i = 0; i <= t->counted->n_routes; i++)
        for (size_t j = 0; j < FIGURES_CODES; j++) {
            uint64_t n = counter_get(&t->counted->routes[i].requests[j]);
            if (n == 0)
                continue;
            snprintf(code, sizeof(code), "%u", FIGURES_CODE[j]);
            set_route(t, i, labels);
            labels[ROUTE_LABELS] = (struct figure_label){"code", str_of(code)};
            put_value(t, row, labels, ROUTE_LABELS + 1, n);
        }
}

static void put_durations(struct figures_text *t, const struct figure *row)
{
    struct figure_label labels[ROUTE_LABELS];

    for (size_t i = 0; i <= t->counted->n_routes; i++) {
        set_route(t, i, labels);
        put_histogram(t, row, labels, ROUTE_LABELS, &t->counted->routes[i].durations);
    }
}

static void put_bytes_in(struct figures_text *t, const struct figure *row)
{
    put_value(t, row, NULL, 0, counter_get(&t->counted->bytes_in));
}

static void put_bytes_out(struct figures_text *t, const struct figure *row)
{
    put_value(t, row, NULL, 0, counter_get(&t->counted->bytes_out));
}

static void put_connections(struct figures_text *t, const struct figure *row)
{
    put_value(t, row, NULL, 0, counter_get(&t->counted->connections));
}

static void put_refused(struct figures_text *t, const struct figure *row)
{
    for (size_t i = REFUSED_NOT + 1; i < REFUSALS; i++)
        put_by(t, row, "reason", FIGURES_REFUSAL[i], counter_get(&t->counted->refused[i]));
}

/* ---- uploads ---- */

/* The formats that there were, and the last place, where it was needed. */
static const struct format_figures *next_format(const struct figures_text *t, size_t *i)
{
    size_t n = atomic_load(&t->counted->n_formats);

    if (*i > FIGURES_FORMATS_MAX)
        return NULL;
    size_t at = *i < n ? *i : FIGURES_FORMATS_MAX;
    *i = at + 1;
    return &t->counted->formats[at];
}

static void put_uploads(struct figures_text *t, const struct figure *row)
{
    const struct format_figures *f;

    for (size_t i = 0; (f = next_format(t, &i)) != NULL;) {
        const struct figure_label label = {"format", f->name};
        put_value(t, row, &label, 1, counter_get(&f->uploads));
    }
}

static void put_readings(struct figures_text *t, const struct figure *row)
{
    const struct format_figures *f;

    for (size_t i = 0; (f = next_format(t, &i)) != NULL;) {
        const struct figure_label label = {"format", f->name};
        put_histogram(t, row, &label, 1, &f->readings);
    }
}

/* ---- work and memory ---- */

static void put_jobs_running(struct figures_text *t, const struct figure *row)
{
    for (size_t i = 0; i < t->now->n_jobs; i++)
        put_by(t, row, "kind", t->now->jobs[i].kind, t->now->jobs[i].running);
}

static void put_jobs_waiting(struct figures_text *t, const struct figure *row)
{
    for (size_t i = 0; i < t->now->n_jobs; i++)
        put_by(t, row, "kind", t->now->jobs[i].kind, t->now->jobs[i].waiting);
}

static void put_memory(struct figures_text *t, const struct figure *row)
{
    put_by(t, row, "kind", "profiles", t->now->profiles_bytes);
    put_by(t, row, "kind", "views", t->now->views_in_memory_bytes);
    put_by(t, row, "kind", "answers", t->now->answers_bytes);
}

static void put_looks(struct figures_text *t, const struct figure *row)
{
    for (size_t i = 0; i < CACHES; i++)
        for (size_t hit = 0; hit <= 1; hit++) {
            const struct figure_label labels[] = {{"cache", str_of(FIGURES_CACHE[i])},
                                                  {"result", str_of(hit ? "hit" : "miss")}};
            put_value(t, row, labels, 2, counter_get(&t->counted->looks[i][hit]));
        }
}

static void put_evicted(struct figures_text *t, const struct figure *row)
{
    for (size_t i = 0; i < CACHES; i++)
        put_by(t, row, "cache", FIGURES_CACHE[i], t->now->evicted[i]);
}

static void put_webhook(struct figures_text *t, const struct figure *row)
{
    for (size_t i = 0; i < WEBHOOK_RESULTS; i++)
        put_by(t, row, "result", FIGURES_WEBHOOK[i], counter_get(&t->counted->webhook[i]));
}

static void put_build(struct figures_text *t, const struct figure *row)
{
    put_by(t, row, "version", t->now->version, 1);
}

static void put_start(struct figures_text *t, const struct figure *row)
{
    put_value(t, row, NULL, 0, t->counted->started_us);
}

/* ---- the table ---- */

#define NOW(field) NULL, offsetof(struct figures_now, field)

const struct figure FIGURES[] = {
    {"aflamed_requests", FIGURE_COUNTER, 0, "method, route, code",
     "Requests that have ended, by the pattern of their path and by status; 0 where the client got no answer",
     put_requests, 0},
    {"aflamed_request_duration_seconds", FIGURE_HISTOGRAM, 0, "method, route",
     "From the first byte of a request to the last one of its answer", put_durations, 0},
    {"aflamed_received_bytes", FIGURE_COUNTER, 0, NULL, "Bodies of requests", put_bytes_in, 0},
    {"aflamed_sent_bytes", FIGURE_COUNTER, 0, NULL, "Bodies of answers", put_bytes_out, 0},
    {"aflamed_connections", FIGURE_GAUGE, 0, NULL, "Connections that are open", put_connections, 0},
    {"aflamed_refused", FIGURE_COUNTER, 0, "reason", "Requests and connections that were refused",
     put_refused, 0},
    {"aflamed_uploads", FIGURE_COUNTER, 0, "format", "Uploads that are durable", put_uploads, 0},
    {"aflamed_reading_cpu_seconds", FIGURE_HISTOGRAM, 0, "format",
     "Time of the processor that one reading of a profile took; also when a stored upload is read again",
     put_readings, 0},
    {"aflamed_workers", FIGURE_GAUGE, 0, NULL, "Jobs that may compute at a time", NOW(workers)},
    {"aflamed_workers_busy", FIGURE_GAUGE, 0, NULL,
     "Jobs that compute; one more than there are workers where one is short", NOW(workers_busy)},
    {"aflamed_turns_waiting", FIGURE_GAUGE, 0, NULL,
     "Jobs that have a thread and wait until they may compute", NOW(turns_waiting)},
    {"aflamed_jobs_running", FIGURE_GAUGE, 0, "kind", "Jobs that have a thread", put_jobs_running, 0},
    {"aflamed_jobs_waiting", FIGURE_GAUGE, 0, "kind", "The queue: jobs that wait for a thread",
     put_jobs_waiting, 0},
    {"aflamed_store_away", FIGURE_GAUGE, 0, NULL, "1 while the object store does not answer, else 0",
     NOW(store_away)},
    {"aflamed_waiting_uploads", FIGURE_GAUGE, 0, NULL,
     "Uploads on this machine alone, which wait for the object store", NOW(waiting_uploads)},
    {"aflamed_waiting_bytes", FIGURE_GAUGE, 0, NULL, "Bytes of these", NOW(waiting_bytes)},
    {"aflamed_store_uploads_bytes", FIGURE_GAUGE, 0, NULL,
     "Uploaded files in the store, in blocks of the disk", NOW(store_bytes)},
    {"aflamed_store_views_bytes", FIGURE_GAUGE, 0, NULL, "Views in the store, in blocks of the disk",
     NOW(views_on_disk_bytes)},
    {"aflamed_memory_bytes", FIGURE_GAUGE, 0, "kind",
     "Memory that is kept for who comes next: profiles, views; and that of all answers, with the views that they share",
     put_memory, 0},
    {"aflamed_cache_looks", FIGURE_COUNTER, 0, "cache, result",
     "Looks for a view or a profile; a view in another coding is another view", put_looks, 0},
    {"aflamed_cache_evicted", FIGURE_COUNTER, 0, "cache", "What had to go before somebody asked for it again",
     put_evicted, 0},
    {"aflamed_webhook", FIGURE_COUNTER, 0, "result",
     "What webhook_url was to be told of: sent; failed, for all attempts did; dropped, for too much waited",
     put_webhook, 0},
    {"aflamed_build_info", FIGURE_GAUGE, 0, "version", "Always 1", put_build, 0},
    {"process_start_time_seconds", FIGURE_GAUGE, MICRO, NULL, "When the service was started, Unix time",
     put_start, 0},
    {"process_cpu_seconds", FIGURE_COUNTER, MICRO, NULL, "Time of the processor", NOW(cpu_us)},
    {"process_resident_memory_bytes", FIGURE_GAUGE, 0, NULL, "Memory that the process has",
     NOW(resident_bytes)},
    {"process_open_fds", FIGURE_GAUGE, 0, NULL, "Open descriptors", NOW(open_descriptors)},
    {"process_max_fds", FIGURE_GAUGE, 0, NULL, "Descriptors that it may open", NOW(most_descriptors)},
};
const size_t FIGURES_COUNT = sizeof(FIGURES) / sizeof(*FIGURES);

#undef NOW

void figures_put(struct buf *b, const struct figures *f, const struct figures_now *now, bool open_metrics)
{
    struct figures_text t = {{b, open_metrics}, f, now};

    for (size_t i = 0; i < FIGURES_COUNT; i++) {
        const struct figure *row = &FIGURES[i];
        exposition_begin(&t.to, row->name, row->type, row->help);
        if (row->put != NULL)
            row->put(&t, row);
        else
            put_value(&t, row, NULL, 0, *(const uint64_t *)(const void *)((const char *)now + row->offset));
    }
    exposition_end(&t.to);
}

/* ---- the process ---- */

/* The descriptor that the folder itself is read with is counted, too. */
static uint64_t count_descriptors(void)
{
    int fd = file_open(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    uint64_t n = 0;

    if (folder == NULL) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

/* The second number of the file, in pages. */
static uint64_t resident_bytes(void)
{
    enum { FILE_BYTES_MAX = 200 };
    struct buf text = {0};
    struct str all, rest, resident;
    uint64_t pages = 0;
    int fd = file_open(AT_FDCWD, "/proc/self/statm", O_RDONLY);

    if (fd >= 0 && file_read_all(fd, FILE_BYTES_MAX, &text)) {
        rest = buf_view(&text);
        bool found = str_split(&rest, ' ', &all) && str_split(&rest, ' ', &resident) &&
                     str_to_u64(resident, 10, &pages);
        pages = found ? pages : 0;
    }
    if (fd >= 0)
        close(fd);
    buf_free(&text);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void figures_now_process(struct figures_now *now)
{
    struct timespec cpu = {0};
    struct rlimit limit = {0};

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    getrlimit(RLIMIT_NOFILE, &limit);
    now->cpu_us = (uint64_t)cpu.tv_sec * 1000000 + (uint64_t)cpu.tv_nsec / 1000;
    now->resident_bytes = resident_bytes();
    now->open_descriptors = count_descriptors();
    now->most_descriptors = (uint64_t)limit.rlim_cur;
}
