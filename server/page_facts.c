/* What the page of a profile says before its threads: warnings in words, then the facts. */
#include "core/clean.h"
#include "server/page_data.h"
#include "server/page_frame.h"
#include "server/pages.h"
#include "server/utc.h"

/* ---- warnings ---- */

void page_warnings(struct buf *b, const json_t *warnings)
{
    const json_t *w;
    size_t i;

    if (json_array_size(warnings) == 0)
        return;
    buf_z(b, "<section class=\"warnings\" aria-labelledby=\"warnings\">\n<h2 id=\"warnings\">What to know "
             "first</h2>\n<ul>\n");
    json_array_foreach(warnings, i, w)
    {
        page_frame_text(b, "<li>", page_data_text(w, "text"), "");
        if (json_object_get(w, "offset") != NULL) {
            buf_z(b, " <span class=\"quiet\">First at byte ");
            page_data_put_number(b, UNIT_COUNT, page_data_number(w, "offset"));
            buf_z(b, ".</span>");
        }
        buf_z(b, "</li>\n");
    }
    buf_z(b, "</ul>\n</section>\n");
}

/* ---- facts ---- */

enum fact_kind { FACT_TEXT, FACT_COUNT, FACT_BYTES, FACT_NS, FACT_US, FACT_TIME_US, FACT_YES_NO };

/* In the order to show. What is not here comes behind them, under its own name, with those that are for the
 * curious. */
static const struct fact {
    const char *name, *label;
    enum fact_kind kind;
    bool curious;
} FACTS[] = {
    {"version", "Format version", FACT_TEXT, false},
    {"vm", "Virtual machine", FACT_TEXT, false},
    {"clock", "Clock", FACT_TEXT, false},
    {"pid", "Process id", FACT_TEXT, false},
    {"elapsed_us", "Duration", FACT_US, false},
    {"elapsed_ns", "Duration", FACT_NS, false},
    {"overflow", "Buffer overflow", FACT_YES_NO, false},
    {"clock_overhead_ns", "Cost of reading the clock", FACT_NS, false},
    {"start_us", "Started", FACT_TIME_US, true},
    {"declared_records", "Records announced", FACT_COUNT, true},
    {"record_bytes", "Bytes of a record", FACT_COUNT, true},
    {"listed_methods", "Methods listed", FACT_COUNT, true},
    {"listed_threads", "Threads listed", FACT_COUNT, true},
    {"alloc_count", "Allocations", FACT_COUNT, true},
    {"alloc_bytes", "Allocated", FACT_BYTES, true},
    {"gc_count", "Garbage collections", FACT_COUNT, true},
};
enum { N_FACTS = sizeof(FACTS) / sizeof(FACTS[0]) };

/* Some recorders count from the start of the machine, which is no date. */
static void put_start(struct buf *b, uint64_t us)
{
    enum { US_PER_S = 1000000, PLAUSIBLE_S = 1000000000 };

    if (us / US_PER_S >= PLAUSIBLE_S && us / US_PER_S <= (uint64_t)UTC_LAST_S) {
        page_data_put_time(b, (int64_t)(us / US_PER_S));
        return;
    }
    page_data_put_us(b, us);
    buf_z(b, " on the device's clock");
}

/* What is not of its kind is shown as it was written. */
static void put_fact(struct buf *b, struct str label, enum fact_kind kind, struct str value)
{
    uint64_t number;

    if (kind == FACT_TIME_US && str_eq(value, STR("0"))) /* the recorder did not say */
        return;
    if (kind == FACT_YES_NO && str_eq(value, STR("true")))
        value = STR("yes");
    if (kind == FACT_YES_NO && str_eq(value, STR("false")))
        value = STR("no");
    page_frame_text(b, "<div><dt>", label, "</dt><dd>");
    if (kind == FACT_TEXT || kind == FACT_YES_NO || !str_to_u64(value, 10, &number))
        clean_xml(b, value);
    else if (kind == FACT_TIME_US)
        put_start(b, number);
    else if (kind == FACT_US)
        page_data_put_us(b, number);
    else
        page_data_put_number(b,
                             kind == FACT_NS      ? UNIT_NS
                             : kind == FACT_BYTES ? UNIT_BYTES
                                                  : UNIT_COUNT,
                             number);
    buf_z(b, "</dd></div>\n");
}

static void put_known(struct buf *b, const json_t *facts, bool curious)
{
    for (size_t i = 0; i < N_FACTS; i++)
        if (FACTS[i].curious == curious && json_is_string(json_object_get(facts, FACTS[i].name)))
            put_fact(b, str_of(FACTS[i].label), FACTS[i].kind, page_data_text(facts, FACTS[i].name));
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < N_FACTS; i++)
        if (str_eq(str_of(FACTS[i].name), str_of(name)))
            return true;
    return false;
}

static void put_sum(struct buf *b, const char *label, const json_t *tracks, const char *key)
{
    const json_t *track;
    uint64_t sum = 0;
    size_t i;

    json_array_foreach(tracks, i, track) sum = number_add(sum, page_data_number(track, key));
    buf_printf(b, "<div><dt>%s</dt><dd>", label);
    page_data_put_number(b, UNIT_COUNT, sum);
    buf_z(b, "</dd></div>\n");
}

/* Behind a summary line, so that the page begins with what most people look for. */
static void put_curious(struct buf *b, json_t *facts)
{
    struct buf rest = {0};
    const char *name;
    json_t *value;

    put_known(&rest, facts, true);
    json_object_foreach(facts, name, value) if (!is_known(name) && json_is_string(value))
        put_fact(&rest, str_of(name), FACT_TEXT, page_data_text(facts, name));
    if (rest.n > 0) {
        buf_z(b, "<details class=\"more\"><summary>More facts</summary>\n<dl class=\"facts\">\n");
        buf_str(b, buf_view(&rest));
        buf_z(b, "</dl>\n</details>\n");
    }
    b->failed = b->failed || rest.failed;
    buf_free(&rest);
}

static void put_date(struct buf *b, const char *label, int64_t unix_s)
{
    buf_printf(b, "<div><dt>%s</dt><dd>", label);
    page_data_put_time(b, unix_s);
    buf_z(b, "</dd></div>\n");
}

void page_facts(struct buf *b, const struct record *r, const json_t *summary)
{
    json_t *facts = json_object_get(summary, "facts");
    const json_t *tracks = json_object_get(summary, "tracks");

    buf_z(b, "<dl class=\"facts\">\n");
    put_fact(b, STR("Format"), FACT_TEXT, page_data_text(summary, "format_label"));
    put_known(b, facts, false);
    put_sum(b, "Records", tracks, "records");
    put_sum(b, "Calls", tracks, "calls");
    buf_z(b, "<div><dt>Size</dt><dd>");
    page_data_put_number(b, UNIT_BYTES, r->size);
    buf_z(b, "</dd></div>\n");
    put_date(b, "Uploaded", r->created_s);
    put_date(b, "Kept until", r->expires_s);
    buf_z(b, "</dl>\n");
    put_curious(b, facts);
}
