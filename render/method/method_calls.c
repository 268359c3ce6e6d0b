#include "render/method/method_calls.h"

#include "core/clean.h"
#include "core/number.h"

enum { DIGITS = 4, VALUE_CELLS = 12, BAR_CELLS = 40 };

static const struct {
    const char *name;
    unsigned permille;
} PERCENTILES[] = {{"median", 500}, {"p95", 950}, {"p99", 990}};

enum { PERCENTILES_COUNT = sizeof(PERCENTILES) / sizeof(PERCENTILES[0]) };

static uint64_t mean_of(const struct call_durations *d)
{
    return d->n > 0 ? d->sum_ns / d->n : 0;
}

/* Under the name and "_ns". */
static void put_ns_of(struct json *j, struct str name, uint64_t ns)
{
    struct buf key = {0};

    buf_str(&key, name);
    buf_z(&key, "_ns");
    json_put_key(j, buf_view(&key));
    json_put_u64(j, NULL, ns);
    buf_part_end(j->b, &key);
}

/* From the first bar with calls to behind the last one. */
static void find_bars(const struct call_durations *d, uint32_t *first, uint32_t *end)
{
    *first = 0;
    *end = CALLS_BARS;
    while (*end > 0 && d->bars[*end - 1] == 0)
        --*end;
    while (*first < *end && d->bars[*first] == 0)
        ++*first;
}

/* ---- json ---- */

static void put_bars(struct json *j, const struct call_durations *d)
{
    uint32_t first, end;

    find_bars(d, &first, &end);
    json_open_array(j, "bars");
    for (uint32_t i = first; i < end; i++) {
        json_open_object(j, NULL);
        json_put_u64(j, "from_ns", calls_bar_from_ns(i));
        json_put_u64(j, "to_ns", calls_bar_from_ns(i + 1));
        json_put_u64(j, "calls", d->bars[i]);
        json_close(j);
    }
    json_close(j);
}

static void put_longest(struct json *j, const struct profile *p, const struct calls *calls,
                        const struct call_durations *d)
{
    json_open_array(j, "longest");
    for (uint32_t i = 0; i < d->n_longest; i++) {
        const struct profile_track *track = &p->tracks[d->longest[i].track];
        json_open_object(j, NULL);
        json_put_u64(j, "track", track->id);
        json_put_string(j, "thread", profile_string(p, track->name));
        json_put_u64(j, "begin_ns", d->longest[i].begin_ns);
        for (uint32_t c = 0; c < calls->n_clocks; c++)
            put_ns_of(j, p->values[c].name, d->longest[i].duration_ns[c]);
        json_close(j);
    }
    json_close(j);
}

void method_calls_json(struct json *j, const struct table *t, const struct calls *calls)
{
    const struct profile *p = t->profile;

    json_open_object(j, "durations");
    json_put_u64(j, "calls", calls->looked_at[0].n);
    json_open_array(j, "clocks");
    for (uint32_t c = 0; c < calls->n_clocks; c++) {
        const struct call_durations *d = &calls->looked_at[c];
        json_open_object(j, NULL);
        json_put_string(j, "name", p->values[c].name);
        json_put_u64(j, "min_ns", d->min_ns);
        for (size_t i = 0; i < PERCENTILES_COUNT; i++)
            put_ns_of(j, str_of(PERCENTILES[i].name), calls_percentile_ns(d, PERCENTILES[i].permille));
        json_put_u64(j, "max_ns", d->max_ns);
        json_put_u64(j, "mean_ns", mean_of(d));
        put_bars(j, d);
        put_longest(j, p, calls, d);
        json_close(j);
    }
    json_close(j);
    json_close(j);
}

/* ---- txt ---- */

/* Right-aligned; µ is two bytes in one cell. */
static void put_ns(struct buf *out, uint64_t ns)
{
    char text[NUMBER_BYTES_MAX];
    struct str s = {text, (size_t)(number_value(text, UNIT_NS, ns, DIGITS) - text)};
    size_t cells = s.n - (str_find(s, '\xc2') < s.n);

    for (; cells < VALUE_CELLS; cells++)
        buf_char(out, ' ');
    buf_str(out, s);
}

static void put_line(struct buf *out, const char *title, uint64_t ns)
{
    buf_printf(out, "%-10s", title);
    put_ns(out, ns);
    buf_char(out, '\n');
}

static void put_histogram(struct buf *out, const struct call_durations *d)
{
    uint32_t first, end;
    uint64_t most = 1;

    find_bars(d, &first, &end);
    for (uint32_t i = first; i < end; i++)
        most = d->bars[i] > most ? d->bars[i] : most;
    for (uint32_t i = first; i < end; i++) {
        put_ns(out, calls_bar_from_ns(i));
        buf_z(out, " and more  ");
        for (uint64_t cell = 0; cell < number_ratio(d->bars[i], most, BAR_CELLS); cell++)
            buf_char(out, '#');
        buf_z(out, d->bars[i] > 0 ? " " : "");
        buf_u64_grouped(out, d->bars[i]);
        buf_char(out, '\n');
    }
}

static void put_calls(struct buf *out, const struct profile *p, const struct calls *calls,
                      const struct call_durations *d)
{
    buf_z(out, "longest:   begins at");
    for (uint32_t c = 0; c < calls->n_clocks; c++) {
        for (size_t cells = p->values[c].name.n; cells < VALUE_CELLS; cells++)
            buf_char(out, ' ');
        clean_text(out, p->values[c].name);
    }
    buf_char(out, '\n');
    for (uint32_t i = 0; i < d->n_longest; i++) {
        buf_z(out, "        ");
        put_ns(out, d->longest[i].begin_ns);
        for (uint32_t c = 0; c < calls->n_clocks; c++)
            put_ns(out, d->longest[i].duration_ns[c]);
        buf_z(out, "  ");
        clean_text(out, profile_string(p, p->tracks[d->longest[i].track].name));
        buf_printf(out, " (%u)\n", p->tracks[d->longest[i].track].id);
    }
}

void method_calls_txt(struct buf *out, const struct table *t, const struct calls *calls)
{
    for (uint32_t c = 0; c < calls->n_clocks; c++) {
        const struct call_durations *d = &calls->looked_at[c];
        buf_z(out, "\ncalls, without those within others, by ");
        clean_text(out, t->profile->values[c].label);
        buf_char(out, '\n');
        put_line(out, "shortest", d->min_ns);
        for (size_t i = 0; i < PERCENTILES_COUNT; i++)
            put_line(out, PERCENTILES[i].name, calls_percentile_ns(d, PERCENTILES[i].permille));
        put_line(out, "longest", d->max_ns);
        put_line(out, "mean", mean_of(d));
        put_histogram(out, d);
        put_calls(out, t->profile, calls, d);
    }
}
