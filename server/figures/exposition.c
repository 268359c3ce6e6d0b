#include "server/figures/exposition.h"

enum { SECOND_DECIMALS = 6, SECOND_US = 1000000, LABELS_MAX = 8 };

const uint64_t EXPOSITION_BOUNDS_US[EXPOSITION_BUCKETS] = {500,     1000,    2500,    5000,     10000,
                                                           25000,   50000,   100000,  250000,   500000,
                                                           1000000, 2500000, 5000000, 10000000, 60000000};

const char *exposition_media_type(bool open_metrics)
{
    return open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                        : "text/plain; version=0.0.4; charset=utf-8";
}

const char *exposition_type(enum figure_type type)
{
    static const char *const NAMES[] = {
        [FIGURE_COUNTER] = "counter", [FIGURE_GAUGE] = "gauge", [FIGURE_HISTOGRAM] = "histogram"};

    return NAMES[type];
}

/* Within quotes, where both formats escape the same. */
static void put_escaped(struct buf *b, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\n') {
            buf_z(b, "\\n");
            continue;
        }
        if (text.p[i] == '"' || text.p[i] == '\\')
            buf_char(b, '\\');
        buf_char(b, text.p[i]);
    }
}

/* OpenMetrics names the family of a counter without its end, and the older format with it. */
static void put_family(struct exposition *e, const char *comment, const char *name, enum figure_type type)
{
    buf_z(e->b, comment);
    buf_z(e->b, name);
    if (type == FIGURE_COUNTER && !e->open_metrics)
        buf_z(e->b, "_total");
    buf_char(e->b, ' ');
}

void exposition_begin(struct exposition *e, const char *name, enum figure_type type, const char *help)
{
    put_family(e, "# HELP ", name, type);
    buf_z(e->b, help);
    buf_char(e->b, '\n');
    put_family(e, "# TYPE ", name, type);
    buf_z(e->b, exposition_type(type));
    buf_char(e->b, '\n');
}

static void put_sample(struct exposition *e, const char *name, const char *end,
                       const struct figure_label *labels, size_t n_labels)
{
    buf_z(e->b, name);
    buf_z(e->b, end);
    for (size_t i = 0; i < n_labels; i++) {
        buf_char(e->b, i == 0 ? '{' : ',');
        buf_z(e->b, labels[i].name);
        buf_z(e->b, "=\"");
        put_escaped(e->b, labels[i].value);
        buf_char(e->b, '"');
    }
    buf_z(e->b, n_labels > 0 ? "} " : " ");
}

void exposition_value(struct exposition *e, const char *name, enum figure_type type,
                      const struct figure_label *labels, size_t n_labels, uint64_t value, unsigned decimals)
{
    put_sample(e, name, type == FIGURE_COUNTER ? "_total" : "", labels, n_labels);
    buf_fixed(e->b, value, decimals);
    buf_char(e->b, '\n');
}

/* As OpenMetrics writes a number that may have a fraction: with one. */
static void put_bound(struct buf *b, uint64_t us)
{
    buf_fixed(b, us, SECOND_DECIMALS);
    if (us % SECOND_US == 0)
        buf_z(b, ".0");
}

static void put_bucket(struct exposition *e, const char *name, struct figure_label *labels, size_t n_labels,
                       struct str bound, uint64_t count)
{
    labels[n_labels] = (struct figure_label){"le", bound};
    put_sample(e, name, "_bucket", labels, n_labels + 1);
    buf_u64(e->b, count);
    buf_char(e->b, '\n');
}

void exposition_histogram(struct exposition *e, const char *name, const struct figure_label *labels,
                          size_t n_labels, const uint64_t counts[EXPOSITION_BUCKETS + 1], uint64_t sum_us)
{
    struct figure_label all[LABELS_MAX + 1];
    struct buf bound = {0};
    uint64_t count = 0;

    if (n_labels > LABELS_MAX)
        return;
    for (size_t i = 0; i < n_labels; i++)
        all[i] = labels[i];
    for (size_t i = 0; i < EXPOSITION_BUCKETS; i++) {
        count += counts[i];
        buf_clear(&bound);
        put_bound(&bound, EXPOSITION_BOUNDS_US[i]);
        put_bucket(e, name, all, n_labels, buf_view(&bound), count);
    }
    count += counts[EXPOSITION_BUCKETS];
    put_bucket(e, name, all, n_labels, STR("+Inf"), count);
    put_sample(e, name, "_sum", labels, n_labels);
    buf_fixed(e->b, sum_us, SECOND_DECIMALS);
    buf_char(e->b, '\n');
    put_sample(e, name, "_count", labels, n_labels);
    buf_u64(e->b, count);
    buf_char(e->b, '\n');
    buf_part_end(e->b, &bound);
}

void exposition_end(struct exposition *e)
{
    if (e->open_metrics)
        buf_z(e->b, "# EOF\n");
}
