#include "parser/benchmarks.h"

#include <string.h>

#include "core/clean.h"
#include "parser/json/json_in.h"

enum {
    MEMORY_BYTES = 160 << 20, /* most of it is charged for what a library may take to unpack */
    LIST_BYTES_MAX = 16 << 20,
    RECORDINGS_MAX = 1000,
    METRICS_MAX = 16,      /* of a benchmark */
    RUNS_MAX = 1000,       /* of a metric */
    TEXT_BYTES_MAX = 120,  /* of a name */
    NUMBER_BYTES_MAX = 24, /* as text */
    FILE_BYTES_MAX = 4096
};

struct metric {
    struct str name;
    struct str value; /* over all iterations */
    struct str *runs; /* of each iteration */
    size_t n, capacity;
};

/* The list while it is read, and of it the benchmark at hand. */
struct reading_list {
    struct benchmarks *list;
    struct json_in in;
    struct unpack *unpack;
    uint64_t bytes; /* that came */
    struct str folder;
    size_t first; /* of its recordings */
    struct str name, class_name;
    struct metric metrics[METRICS_MAX];
    size_t n_metrics;
};

/* ---- texts ---- */

/* Empty where there is no memory, of which the arena says so. */
static struct str keep(struct reading_list *r, struct str text, size_t bytes)
{
    struct buf b = {0};

    clean_text(&b, clean_cut(text, bytes));
    struct str kept = b.failed ? STR("") : buf_view(&b);
    char *copy = kept.n > 0 ? arena_copy(&r->list->arena, kept.p, kept.n) : NULL;
    buf_free(&b);
    return copy != NULL ? (struct str){copy, kept.n} : STR("");
}

static struct str take_text(struct reading_list *r, size_t bytes)
{
    struct str text;

    return json_in_text(&r->in, &text) ? keep(r, text, bytes) : STR("");
}

/* ---- metrics ---- */

static void take_runs(struct reading_list *r, struct metric *m)
{
    if (json_in_enter(&r->in, JSON_ARRAY))
        while (json_in_item(&r->in)) {
            struct str number = take_text(r, NUMBER_BYTES_MAX);
            if (m->n < RUNS_MAX && ARENA_ROOM(&r->list->arena, m->runs, m->capacity, m->n + 1))
                m->runs[m->n++] = number;
        }
}

static bool is_percentile(struct str key)
{
    return str_eq(key, STR("P50")) || str_eq(key, STR("P90")) || str_eq(key, STR("P95")) ||
           str_eq(key, STR("P99"));
}

/* What was sampled has no one value for an iteration. */
static void take_metric(struct reading_list *r, struct str name, bool is_sampled)
{
    struct metric *m = r->n_metrics < METRICS_MAX ? &r->metrics[r->n_metrics++] : NULL;
    struct buf percentiles = {0};
    struct str key;

    if (m != NULL)
        *m = (struct metric){.name = keep(r, name, TEXT_BYTES_MAX), .value = STR("")};
    if (!json_in_enter(&r->in, JSON_OBJECT))
        return;
    while (json_in_key(&r->in, &key)) {
        if (m != NULL && !is_sampled && str_eq(key, STR("median"))) {
            m->value = take_text(r, NUMBER_BYTES_MAX);
        } else if (m != NULL && !is_sampled && str_eq(key, STR("runs"))) {
            take_runs(r, m);
        } else if (m != NULL && is_sampled && is_percentile(key)) {
            buf_z(&percentiles, percentiles.n > 0 ? " " : "");
            buf_str(&percentiles, key);
            buf_char(&percentiles, ' ');
            buf_str(&percentiles, take_text(r, NUMBER_BYTES_MAX));
        } else {
            json_in_skip(&r->in);
        }
    }
    if (percentiles.n > 0 && !percentiles.failed)
        m->value = keep(r, buf_view(&percentiles), TEXT_BYTES_MAX);
    buf_free(&percentiles);
}

static void take_metrics(struct reading_list *r, bool are_sampled)
{
    char name[TEXT_BYTES_MAX];
    struct str key;

    if (json_in_enter(&r->in, JSON_OBJECT))
        while (json_in_key(&r->in, &key)) {
            key = clean_cut(key, sizeof(name));
            if (key.n > 0)
                memcpy(name, key.p, key.n);
            take_metric(r, (struct str){name, key.n}, are_sampled);
        }
}

static struct str metrics_of(struct reading_list *r, struct str iteration)
{
    struct buf b = {0};
    uint64_t at = UINT64_MAX;

    (void)str_to_u64(iteration, 10, &at);
    for (size_t i = 0; i < r->n_metrics; i++) {
        const struct metric *m = &r->metrics[i];
        struct str value = at < m->n ? m->runs[at] : m->value;
        if (m->name.n == 0 || value.n == 0)
            continue;
        buf_z(&b, b.n > 0 ? ", " : "");
        buf_str(&b, m->name);
        buf_char(&b, ' ');
        buf_str(&b, value);
    }
    struct str text = b.failed ? STR("") : buf_view(&b);
    text = keep(r, text, text.n);
    buf_free(&b);
    return text;
}

/* ---- recordings ---- */

/* The digits behind the last such word, without zeros in front; empty: there are none. */
static struct str number_behind(struct str text, struct str word)
{
    struct str digits = STR("");

    for (size_t at; (at = str_find_str(text, word)) < text.n;) {
        text = (struct str){text.p + at + word.n, text.n - at - word.n};
        for (digits = (struct str){text.p, 0};
             digits.n < text.n && text.p[digits.n] >= '0' && text.p[digits.n] <= '9';)
            digits.n++;
    }
    while (digits.n > 1 && digits.p[0] == '0')
        digits.p++, digits.n--;
    return digits;
}

static struct str member_of(struct reading_list *r, struct str file)
{
    char member[UNPACK_MEMBER_BYTES + 1];
    struct buf whole = {0};

    buf_str(&whole, r->folder);
    buf_str(&whole, file);
    unpack_member_name(whole.failed ? STR("") : buf_view(&whole), member);
    buf_free(&whole);
    return keep(r, str_of(member), sizeof(member));
}

static void take_recording(struct reading_list *r)
{
    struct benchmarks *l = r->list;
    struct benchmark_run run = {.member = STR(""), .label = STR(""), .iteration = STR("")};
    struct str key, file;

    if (!json_in_enter(&r->in, JSON_OBJECT))
        return;
    while (json_in_key(&r->in, &key)) {
        if (str_eq(key, STR("label"))) {
            run.label = take_text(r, TEXT_BYTES_MAX);
        } else if (!str_eq(key, STR("filename"))) {
            json_in_skip(&r->in);
        } else if (json_in_string(&r->in, &file)) {
            file = clean_cut(file, FILE_BYTES_MAX);
            run.member = member_of(r, file);
            run.iteration = keep(r, number_behind(file, STR("_iter")), NUMBER_BYTES_MAX);
        }
    }
    if (run.iteration.n == 0)
        run.iteration = number_behind(run.label, STR("Iteration "));
    if (run.iteration.n > 0)
        run.label = STR("");
    if (run.member.n > 0 && l->n < RECORDINGS_MAX && ARENA_ROOM(&l->arena, l->runs, l->capacity, l->n + 1))
        l->runs[l->n++] = run;
}

/* ---- benchmarks ---- */

/* "SampleStartupBenchmark.startup" */
static struct str title_of(struct reading_list *r)
{
    struct str class_name = str_behind_last(r->class_name, '.');
    struct buf b = {0};

    buf_str(&b, class_name);
    buf_z(&b, class_name.n > 0 && r->name.n > 0 ? "." : "");
    buf_str(&b, r->name);
    struct str title = b.failed ? STR("") : keep(r, buf_view(&b), b.n);
    buf_free(&b);
    return title;
}

/* Its members come in any order, so the recordings are named when it is over. */
static void end_benchmark(struct reading_list *r)
{
    struct str title = title_of(r);

    for (size_t i = r->first; i < r->list->n; i++) {
        struct benchmark_run *run = &r->list->runs[i];
        run->benchmark = title;
        run->metrics = metrics_of(r, run->iteration);
    }
}

static void take_benchmark(struct reading_list *r)
{
    struct str key;

    r->first = r->list->n;
    r->name = r->class_name = STR("");
    r->n_metrics = 0;
    if (!json_in_enter(&r->in, JSON_OBJECT))
        return;
    while (json_in_key(&r->in, &key)) {
        if (str_eq(key, STR("name"))) {
            r->name = take_text(r, TEXT_BYTES_MAX);
        } else if (str_eq(key, STR("className"))) {
            r->class_name = take_text(r, TEXT_BYTES_MAX);
        } else if (str_eq(key, STR("metrics")) || str_eq(key, STR("sampledMetrics"))) {
            take_metrics(r, key.p[0] == 's');
        } else if (str_eq(key, STR("profilerOutputs"))) {
            if (json_in_enter(&r->in, JSON_ARRAY))
                while (json_in_item(&r->in))
                    take_recording(r);
        } else {
            json_in_skip(&r->in);
        }
    }
    end_benchmark(r);
}

static void take_list(struct reading_list *r)
{
    struct str key;

    if (json_in_enter(&r->in, JSON_OBJECT))
        while (json_in_key(&r->in, &key)) {
            if (!str_eq(key, STR("benchmarks")))
                json_in_skip(&r->in);
            else if (json_in_enter(&r->in, JSON_ARRAY))
                while (json_in_item(&r->in))
                    take_benchmark(r);
        }
}

/* ---- the file ---- */

static ptrdiff_t pull(void *reading_list, void *to, size_t n)
{
    struct reading_list *r = reading_list;
    ptrdiff_t came = r->bytes < LIST_BYTES_MAX ? unpack_pull(r->unpack, to, n) : 0;

    r->bytes += came > 0 ? (uint64_t)came : 0;
    return came;
}

void benchmarks_read(struct benchmarks *list, const struct packer *archive, const struct source_input *file,
                     struct str index, const struct unpack_limits *limits, struct arena *job)
{
    const struct unpack_options options = {.limits = *limits, .member = index};
    struct reading_list r = {.list = list, .folder = {index.p, index.n - str_behind_last(index, '/').n}};
    struct diag diag = {0};
    struct source s;
    const size_t left = job->limit_bytes - job->used_bytes;
    uint64_t bytes;

    arena_init(&list->arena, left < MEMORY_BYTES ? left : MEMORY_BYTES);
    list->arena.stop = job->stop;
    r.unpack = unpack_new(archive, &list->arena, &options, &diag);
    if (r.unpack != NULL && file->size(file->context, &bytes) && unpack_open(r.unpack, file, bytes)) {
        source_of_pull(&s, &list->arena, pull, &r);
        json_in_begin(&r.in, &s, &list->arena, FILE_BYTES_MAX);
        take_list(&r);
        source_free(&s);
    }
    unpack_free(r.unpack);
    if (arena_charge(job, list->arena.used_bytes))
        list->job = job;
    else
        benchmarks_free(list);
}

void benchmarks_free(struct benchmarks *list)
{
    if (list->job != NULL)
        arena_discharge(list->job, list->arena.used_bytes);
    arena_free(&list->arena);
    *list = (struct benchmarks){.n = 0};
}

const struct benchmark_run *benchmarks_find(const struct benchmarks *list, struct str member)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->runs[i].member, member))
            return &list->runs[i];
    return NULL;
}

void benchmarks_put_title(const struct benchmark_run *run, struct buf *b)
{
    buf_str(b, run->benchmark);
    buf_z(b, run->iteration.n > 0 ? " iteration " : run->label.n > 0 ? " " : "");
    buf_str(b, run->iteration.n > 0 ? run->iteration : run->label);
}
