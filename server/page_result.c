/* The page of one profile. Everything on it comes from the upload's record and from the summary (see
 * summary.c). */
#include "core/clean.h"
#include "render/number.h"
#include "render/output.h"
#include "server/page_frame.h"
#include "server/pages.h"
#include "server/utc.h"

enum {
    PICTURES_MAX = 12, /* of the heaviest tracks; the others are links */
    ROWS_MAX = 1000,   /* links; the JSON names all */
    DIGITS = 3,
    NS_PER_US = 1000
};

/* ---- the summary's fields: of another type or missing, they are empty or 0 ---- */

static struct str field_text(const json_t *object, const char *key)
{
    const json_t *s = json_object_get(object, key);

    return json_is_string(s) ? (struct str){json_string_value(s), json_string_length(s)} : STR("");
}

static uint64_t field_number(const json_t *object, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(object, key));

    return n > 0 ? (uint64_t)n : 0;
}

/* ---- numbers ---- */

static void put_number(struct buf *b, enum profile_unit unit, uint64_t value)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(b, text, (size_t)(number_value(text, unit, value, DIGITS) - text));
}

static void put_duration_us(struct buf *b, uint64_t us)
{
    put_number(b, UNIT_NS, us > UINT64_MAX / NS_PER_US ? UINT64_MAX : us * NS_PER_US);
}

static void put_total(struct buf *b, const json_t *value, const json_t *track)
{
    const char *name = json_string_value(json_object_get(value, "name"));
    uint64_t total = name == NULL ? 0 : field_number(json_object_get(track, "totals"), name);

    if (str_eq(field_text(value, "unit"), STR("ns")))
        put_duration_us(b, total);
    else
        put_number(b, str_eq(field_text(value, "unit"), STR("bytes")) ? UNIT_BYTES : UNIT_COUNT, total);
}

/* The values that the tracks have totals of. */
static bool has_total(const json_t *value, const json_t *track)
{
    const char *name = json_string_value(json_object_get(value, "name"));

    return name != NULL && json_object_get(json_object_get(track, "totals"), name) != NULL;
}

/* ---- links ---- */

/* `<a href="/p/ID/t/TRACK.SUFFIX">` for each output, with commas between them. */
static void put_outputs(struct buf *b, const struct record *r, struct str track)
{
    for (size_t i = 0; i < OUTPUTS_COUNT; i++) {
        page_frame_text(b, i == 0 ? "<a href=\"/p/" : ", <a href=\"/p/", str_of(r->id), "/t/");
        buf_str(b, track);
        page_frame_text(b, ".", str_of(OUTPUTS[i]->suffix), "\">");
        page_frame_text(b, "", str_of(OUTPUTS[i]->label), "</a>");
    }
}

static struct str track_id(const json_t *track, char text[NUMBER_BYTES_MAX])
{
    return (struct str){text, (size_t)(number_u64(text, field_number(track, "id")) - text)};
}

static void put_picture_url(struct buf *b, const struct record *r, struct str track)
{
    page_frame_text(b, "/p/", str_of(r->id), "/t/");
    buf_str(b, track);
    buf_z(b, ".");
    buf_z(b, OUTPUTS[0]->suffix);
}

static void put_links(struct buf *b, const struct record *r, size_t n_tracks)
{
    buf_z(b, "<ul class=\"links\">\n");
    if (n_tracks > 1) {
        buf_z(b, "<li>All side by side: ");
        put_outputs(b, r, STR("all"));
        buf_z(b, "</li>\n<li>Equal stacks of all summed: ");
        put_outputs(b, r, STR("merged"));
        buf_z(b, "</li>\n");
    }
    page_frame_text(b, "<li>The numbers of this page: <a href=\"/p/", str_of(r->id),
                    ".json\">JSON</a></li>\n");
    page_frame_text(b, "<li>The file as it was uploaded: <a href=\"/p/", str_of(r->id),
                    "/raw\">download</a></li>\n</ul>\n");
}

/* ---- warnings, facts ---- */

static void put_warnings(struct buf *b, const json_t *warnings)
{
    const json_t *w;
    size_t i;

    if (json_array_size(warnings) == 0)
        return;
    buf_z(b, "<section class=\"warnings\">\n<h2>What to know first</h2>\n<ul>\n");
    json_array_foreach(warnings, i, w)
    {
        page_frame_text(b, "<li>", field_text(w, "text"), "");
        if (json_object_get(w, "offset") != NULL) {
            buf_z(b, " <span class=\"quiet\">First at byte ");
            put_number(b, UNIT_COUNT, field_number(w, "offset"));
            buf_z(b, ".</span>");
        }
        buf_z(b, "</li>\n");
    }
    buf_z(b, "</ul>\n</section>\n");
}

enum fact_kind { FACT_TEXT, FACT_COUNT, FACT_BYTES, FACT_NS, FACT_US, FACT_TIME_US };

/* In the order to show; a fact that is not here comes behind them, under its own name. */
static const struct {
    const char *name, *label;
    enum fact_kind kind;
} FACTS[] = {
    {"version", "Format version", FACT_TEXT},
    {"vm", "Virtual machine", FACT_TEXT},
    {"clock", "Clock", FACT_TEXT},
    {"pid", "Process id", FACT_TEXT},
    {"start_us", "Started", FACT_TIME_US},
    {"elapsed_us", "Elapsed", FACT_US},
    {"elapsed_ns", "Elapsed", FACT_NS},
    {"declared_records", "Records announced", FACT_COUNT},
    {"record_bytes", "Bytes of a record", FACT_COUNT},
    {"overflow", "Buffer overflow", FACT_TEXT},
    {"listed_methods", "Methods listed", FACT_COUNT},
    {"listed_threads", "Threads listed", FACT_COUNT},
    {"clock_overhead_ns", "Cost of reading the clock", FACT_NS},
    {"alloc_count", "Allocations", FACT_COUNT},
    {"alloc_bytes", "Allocated", FACT_BYTES},
    {"gc_count", "Garbage collections", FACT_COUNT},
};
enum { N_FACTS = sizeof(FACTS) / sizeof(FACTS[0]) };

static void put_time(struct buf *b, int64_t unix_s)
{
    char text[UTC_CHARS + 1];

    utc_format(unix_s, text);
    buf_printf(b, "<time datetime=\"%s\">%.10s %.5s UTC</time>", text, text, text + 11);
}

/* Some recorders count from the start of the machine, which is no date. */
static void put_start(struct buf *b, uint64_t us)
{
    enum { US_PER_S = 1000000, PLAUSIBLE_S = 1000000000 };

    if (us / US_PER_S < PLAUSIBLE_S || us / US_PER_S > (uint64_t)UTC_LAST_S) {
        put_duration_us(b, us);
        buf_z(b, " on the device's clock");
        return;
    }
    put_time(b, (int64_t)(us / US_PER_S));
}

/* A number that is none is shown as it was written. */
static void put_fact(struct buf *b, struct str label, enum fact_kind kind, struct str value)
{
    uint64_t number;

    if (kind == FACT_TIME_US && str_eq(value, STR("0"))) /* the recorder did not say */
        return;
    page_frame_text(b, "<div><dt>", label, "</dt><dd>");
    if (kind == FACT_TEXT || !str_to_u64(value, 10, &number))
        clean_xml(b, value);
    else if (kind == FACT_TIME_US)
        put_start(b, number);
    else if (kind == FACT_US)
        put_duration_us(b, number);
    else
        put_number(b, kind == FACT_NS ? UNIT_NS : kind == FACT_BYTES ? UNIT_BYTES : UNIT_COUNT, number);
    buf_z(b, "</dd></div>\n");
}

static bool fact_is_known(const char *name)
{
    for (size_t i = 0; i < N_FACTS; i++)
        if (str_eq(str_of(FACTS[i].name), str_of(name)))
            return true;
    return false;
}

static void put_date(struct buf *b, const char *label, int64_t unix_s)
{
    buf_printf(b, "<div><dt>%s</dt><dd>", label);
    put_time(b, unix_s);
    buf_z(b, "</dd></div>\n");
}

static void put_facts(struct buf *b, const struct record *r, const json_t *summary)
{
    json_t *facts = json_object_get(summary, "facts"), *value;
    const json_t *tracks = json_object_get(summary, "tracks"), *track;
    uint64_t records = 0;
    const char *name;
    size_t at;

    json_array_foreach(tracks, at, track) records = number_add(records, field_number(track, "records"));
    buf_z(b, "<dl class=\"facts\">\n");
    put_fact(b, STR("Format"), FACT_TEXT, field_text(summary, "format_label"));
    for (size_t i = 0; i < N_FACTS; i++)
        if (json_is_string(json_object_get(facts, FACTS[i].name)))
            put_fact(b, str_of(FACTS[i].label), FACTS[i].kind, field_text(facts, FACTS[i].name));
    json_object_foreach(facts, name, value) if (!fact_is_known(name) && json_is_string(value))
        put_fact(b, str_of(name), FACT_TEXT, field_text(facts, name));
    buf_z(b, "<div><dt>Records</dt><dd>");
    put_number(b, UNIT_COUNT, records);
    buf_z(b, "</dd></div>\n<div><dt>Size</dt><dd>");
    put_number(b, UNIT_BYTES, r->size);
    buf_z(b, "</dd></div>\n");
    put_date(b, "Uploaded", r->created_s);
    put_date(b, "Kept until", r->expires_s);
    buf_z(b, "</dl>\n");
}

/* ---- tracks ---- */

/* A track may have no name. */
static void put_track_name(struct buf *b, const json_t *track)
{
    struct str name = field_text(track, "name");

    if (name.n > 0)
        clean_xml(b, name);
    else
        buf_z(b, "(no name)");
}

static void put_track(struct buf *b, const struct record *r, const json_t *summary, const json_t *track)
{
    char text[NUMBER_BYTES_MAX];
    struct str id = track_id(track, text);
    const json_t *value;
    size_t i;

    buf_z(b, "<section class=\"track\">\n<h3>");
    put_track_name(b, track);
    page_frame_text(b, "</h3>\n<p><span class=\"total\">id <b>", id, "</b></span> ");
    json_array_foreach(json_object_get(summary, "values"), i, value)
    {
        if (!has_total(value, track))
            continue;
        page_frame_text(b, "<span class=\"total\">", field_text(value, "label"), " <b>");
        put_total(b, value, track);
        buf_z(b, "</b></span> ");
    }
    buf_z(b, "<span class=\"total\">calls <b>");
    put_number(b, UNIT_COUNT, field_number(track, "calls"));
    buf_z(b, "</b></span> <span class=\"total\">distinct stacks <b>");
    put_number(b, UNIT_COUNT, field_number(track, "nodes"));
    buf_z(b, "</b></span></p>\n<a class=\"picture\" href=\"");
    put_picture_url(b, r, id);
    buf_z(b, "\"><img loading=\"lazy\" width=\"1200\" src=\"");
    put_picture_url(b, r, id);
    buf_z(b, "\" alt=\"Flame graph of ");
    put_track_name(b, track);
    buf_z(b, "\"></a>\n<p class=\"downloads\">");
    put_outputs(b, r, id);
    buf_z(b, "</p>\n</section>\n");
}

static void put_row(struct buf *b, const struct record *r, const json_t *values, const json_t *track)
{
    char text[NUMBER_BYTES_MAX];
    struct str id = track_id(track, text);
    const json_t *value;
    size_t i;

    buf_z(b, "<tr><td><a href=\"");
    put_picture_url(b, r, id);
    buf_z(b, "\">");
    put_track_name(b, track);
    page_frame_text(b, "</a></td><td>", id, "</td>");
    json_array_foreach(values, i, value)
    {
        if (!has_total(value, track))
            continue;
        buf_z(b, "<td>");
        put_total(b, value, track);
        buf_z(b, "</td>");
    }
    buf_z(b, "<td>");
    put_number(b, UNIT_COUNT, field_number(track, "calls"));
    buf_z(b, "</td></tr>\n");
}

/* The tracks behind those that are shown as pictures. */
static void put_table(struct buf *b, const struct record *r, const json_t *summary, size_t n_tracks)
{
    const json_t *values = json_object_get(summary, "values"), *value;
    const json_t *tracks = json_object_get(summary, "tracks");
    size_t end = n_tracks > PICTURES_MAX + ROWS_MAX ? PICTURES_MAX + ROWS_MAX : n_tracks, i;

    buf_z(b, "<h2>The others</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"The "
             "others\">\n<table>\n"
             "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Id</th>");
    json_array_foreach(values, i, value) if (has_total(value, json_array_get(tracks, PICTURES_MAX)))
        page_frame_text(b, "<th scope=\"col\">", field_text(value, "label"), "</th>");
    buf_z(b, "<th scope=\"col\">Calls</th></tr></thead>\n<tbody>\n");
    for (i = PICTURES_MAX; i < end; i++)
        put_row(b, r, values, json_array_get(tracks, i));
    buf_z(b, "</tbody>\n</table>\n</div>\n");
    if (end < n_tracks) {
        buf_z(b, "<p>And ");
        put_number(b, UNIT_COUNT, n_tracks - end);
        page_frame_text(b, " more, which <a href=\"/p/", str_of(r->id),
                        ".json\">the JSON form of this page</a> names.</p>\n");
    }
}

void page_result(struct buf *b, const struct record *r, const json_t *summary)
{
    const json_t *tracks = json_object_get(summary, "tracks");
    size_t n = json_array_size(tracks);
    struct str name = r->name[0] != '\0' ? str_of(r->name) : STR("Profile without a name");

    page_frame_begin(b, name);
    page_frame_text(b, "<h1 class=\"name\">", name, "</h1>\n");
    put_warnings(b, json_object_get(summary, "warnings"));
    put_facts(b, r, summary);
    put_links(b, r, n);
    buf_z(b, "<h2>Flame graphs, busiest first</h2>\n");
    for (size_t i = 0; i < n && i < PICTURES_MAX; i++)
        put_track(b, r, summary, json_array_get(tracks, i));
    if (n > PICTURES_MAX)
        put_table(b, r, summary, n);
    page_frame_end(b);
}
