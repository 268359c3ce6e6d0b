/* What unfolds at the top of a profile's page: warnings in words, and the facts. */
#include "core/clean.h"
#include "core/number.h"
#include "core/system/utc.h"
#include "profile/track.h"
#include "server/convert/recording_facts.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

enum { MAPPING_DIGITS = 12 }; /* of its digest: to tell it from others */

/* ---- warnings ---- */

static bool is_about_recording(const json_t *warning)
{
    return str_eq(page_data_text(warning, "about"), STR("recording"));
}

static void put_warnings_about(struct buf *b, const json_t *warnings, bool recording, const char *heading)
{
    const json_t *w;
    size_t i, n = 0;

    json_array_foreach (warnings, i, w) {
        if (is_about_recording(w) != recording)
            continue;
        if (n++ == 0)
            buf_printf(b, "<section class=\"warnings\">\n<h2>%s</h2>\n<ul>\n", heading);
        page_put(b, "<li>{}", page_data_text(w, "text"));
        if (json_object_get(w, "offset") != NULL)
            page_put(b, " <span class=\"quiet\">First at byte {}.</span>",
                     PAGE_COUNT(page_data_number(w, "offset")));
        buf_z(b, "</li>\n");
    }
    buf_z(b, n > 0 ? "</ul>\n</section>\n" : "");
}

void page_warnings(struct buf *b, const json_t *warnings)
{
    put_warnings_about(b, warnings, false, "About this file");
    put_warnings_about(b, warnings, true, "About how it was recorded");
}

/* ---- libraries without names ---- */

static void put_unnamed(struct buf *b, const json_t *module)
{
    struct str state = page_data_text(module, "symbols"), build_id = page_data_text(module, "build_id");

    buf_printf(b, "<li>%.1f %% ", json_number_value(json_object_get(module, "percent")));
    page_put(b, "{}", page_data_text(module, "module"));
    if (build_id.n > 0)
        page_put(b, ", build id <code>{}</code>", build_id);
    buf_printf(b, ": %s</li>\n",
               str_eq(state, STR("missing"))       ? "no symbols"
               : str_eq(state, STR("other-build")) ? "symbols of another build"
                                                   : "not all addresses are in its symbols");
}

void page_unnamed(struct buf *b, const json_t *unnamed)
{
    const json_t *module;
    size_t i;

    if (json_array_size(unnamed) == 0)
        return;
    buf_z(b, "<section class=\"unnamed\">\n<h2>Libraries without names, and their share</h2>\n<ul>\n");
    json_array_foreach (unnamed, i, module)
        put_unnamed(b, module);
    buf_z(b, "</ul>\n</section>\n");
}

/* ---- facts ---- */

static void put_fact(struct buf *b, struct str label, enum fact_kind kind, struct str value)
{
    struct buf text = {0};
    int64_t unix_s;

    if (fact_is_void(kind, value))
        return;
    page_put(b, "<div><dt>{}</dt><dd>", label);
    if (fact_date(kind, value, &unix_s)) {
        page_data_put_time(b, unix_s);
    } else {
        fact_text(&text, kind, value);
        clean_xml(b, buf_view(&text));
    }
    buf_z(b, "</dd></div>\n");
    buf_part_end(b, &text);
}

/* A fact as its format wrote it: numbers and booleans have their own types in the summary. */
static struct str written(const json_t *value, char number[PAGE_TEXT_BYTES])
{
    if (json_is_integer(value))
        return page_data_digits(number, (uint64_t)json_integer_value(value));
    if (json_is_boolean(value))
        return json_is_true(value) ? STR("true") : STR("false");
    return page_data_string(value);
}

static void put_known(struct buf *b, const json_t *facts, bool curious)
{
    char number[PAGE_TEXT_BYTES];

    for (size_t i = 0; i < FACTS_COUNT; i++) {
        const json_t *value = json_object_get(facts, FACTS[i].name);
        if (FACTS[i].curious == curious && value != NULL)
            put_fact(b, str_of(FACTS[i].label), FACTS[i].kind, written(value, number));
    }
}

static void put_count(struct buf *b, const char *label, uint64_t count)
{
    page_put(b, "<div><dt>{}</dt><dd>{}</dd></div>\n", str_of(label), PAGE_COUNT(count));
}

/* Behind a summary line, so that the page begins with what most people look for. */
static void put_curious(struct buf *b, json_t *facts)
{
    struct buf rest = {0};
    const char *name;
    json_t *value;

    put_known(&rest, facts, true);
    json_object_foreach (facts, name, value)
        if (fact_by_name(str_of(name)) == NULL && json_is_string(value))
            put_fact(&rest, str_of(name), FACT_TEXT, page_data_text(facts, name));
    if (rest.n > 0) {
        buf_z(b, "<details class=\"more\"><summary>More facts</summary>\n<dl class=\"facts\">\n");
        buf_str(b, buf_view(&rest));
        buf_z(b, "</dl>\n</details>\n");
    }
    buf_part_end(b, &rest);
}

static void put_date(struct buf *b, const char *label, int64_t unix_s)
{
    buf_printf(b, "<div><dt>%s</dt><dd>", label);
    page_data_put_time(b, unix_s);
    buf_z(b, "</dd></div>\n");
}

/* What each value means. */
static void put_meanings(struct buf *b, const json_t *values)
{
    const json_t *value;
    size_t i;

    json_array_foreach (values, i, value) {
        if (page_data_text(value, "meaning").n > 0)
            put_fact(b, page_data_text(value, "label"), FACT_TEXT, page_data_text(value, "meaning"));
    }
}

void page_facts(struct buf *b, const struct record *r, const json_t *summary)
{
    json_t *facts = json_object_get(summary, "facts");
    const json_t *whole = json_object_get(summary, "whole");

    buf_z(b, "<dl class=\"facts\">\n");
    put_fact(b, STR("Format"), FACT_TEXT, page_data_text(summary, "format_label"));
    put_known(b, facts, false);
    put_count(b, "Records", page_data_number(whole, "records"));
    if (page_data_number(whole, "calls") > 0)
        put_count(b, "Calls", page_data_number(whole, "calls"));
    page_put(b, "<div><dt>Size</dt><dd>{}</dd></div>\n", PAGE_NUMBER(UNIT_BYTES, r->size));
    put_date(b, "Uploaded", r->created_s);
    put_date(b, "Kept until", r->expires_s);
    buf_z(b, "</dl>\n<h2>What is measured</h2>\n<dl class=\"facts\">\n");
    put_meanings(b, json_object_get(summary, "values"));
    put_meanings(b, json_object_get(summary, "derived"));
    buf_z(b, "</dl>\n");
    put_curious(b, facts);
}

/* How long, and how often the recorder looked: what is most asked of a recording. */
static void put_fact_words(struct buf *b, const json_t *facts, const char *name, const char *before)
{
    char number[PAGE_TEXT_BYTES];
    const json_t *value = json_object_get(facts, name);
    const struct fact *fact = fact_by_name(str_of(name));
    struct buf text = {0};

    if (value == NULL || fact == NULL)
        return;
    fact_text(&text, fact->kind, written(value, number));
    page_put(b, "{}{} \u00b7 ", str_of(before), buf_view(&text));
    buf_part_end(b, &text);
}

/* How many there are: "3 threads". A file without any such parts is one whole, of which nothing is said. */
static void put_tracks(struct buf *b, struct str word, uint64_t tracks)
{
    if (str_eq(word, STR("whole")))
        return;
    const struct track_noun *noun = track_noun_by_word(word);
    page_data_put_number(b, UNIT_COUNT, tracks);
    buf_printf(b, " %s \u00b7 ", tracks == 1 ? noun->one : noun->many);
}

void page_facts_line(struct buf *b, const struct record *r, const json_t *summary)
{
    json_t *facts = json_object_get(summary, "facts");
    uint64_t tracks = page_data_number(json_object_get(summary, "whole"), "tracks");

    page_put(b, "{} \u00b7 ", page_data_text(summary, "format_label"));
    put_fact_words(b, facts, "elapsed_us", "");
    put_fact_words(b, facts, "elapsed_ns", "");
    put_fact_words(b, facts, "sampling_interval_us", "sampled about every ");
    put_tracks(b, page_data_text(summary, "tracks_are"), tracks);
    page_data_put_number(b, UNIT_BYTES, r->size);
}

void page_profile_element(struct buf *b, const struct record *r, struct str format, const char *more)
{
    char created[UTC_CHARS + 1], expires[UTC_CHARS + 1];

    utc_format(r->created_s, created);
    utc_format(r->expires_s, expires);
    page_put(b, "<article id=\"profile\" data-id=\"{}\" data-name=\"{}\" data-format=\"{}\"", str_of(r->id),
             str_of(r->name), format.n > 0 ? format : str_of(r->format));
    if (r->names.of[RECORD_MAPPING][0] != '\0')
        buf_printf(b, " data-mapping=\"%.*s\"", MAPPING_DIGITS, r->names.of[RECORD_MAPPING]);
    buf_printf(b, " data-size=\"%llu\" data-created=\"%s\" data-expires=\"%s\" %s>\n",
               (unsigned long long)r->size, created, expires, more);
}
