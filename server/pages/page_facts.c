/* What the page of a profile says before its threads: warnings in words, then the facts. */
#include "core/clean.h"
#include "core/number.h"
#include "server/convert/recording_facts.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"

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

static void put_fact(struct buf *b, struct str label, enum fact_kind kind, struct str value)
{
    struct buf text = {0};
    int64_t unix_s;

    if (fact_is_void(kind, value))
        return;
    page_frame_text(b, "<div><dt>", label, "</dt><dd>");
    if (fact_date(kind, value, &unix_s)) {
        page_data_put_time(b, unix_s);
    } else {
        fact_text(&text, kind, value);
        clean_xml(b, buf_view(&text));
    }
    buf_z(b, "</dd></div>\n");
    b->failed = b->failed || text.failed;
    buf_free(&text);
}

/* A fact as its format wrote it: numbers and booleans have their own types in the summary. */
static struct str written(const json_t *value, char number[NUMBER_BYTES_MAX])
{
    if (json_is_integer(value))
        return (struct str){number,
                            (size_t)(number_u64(number, (uint64_t)json_integer_value(value)) - number)};
    if (json_is_boolean(value))
        return json_is_true(value) ? STR("true") : STR("false");
    return json_is_string(value) ? (struct str){json_string_value(value), json_string_length(value)}
                                 : STR("");
}

static void put_known(struct buf *b, const json_t *facts, bool curious)
{
    char number[NUMBER_BYTES_MAX];

    for (size_t i = 0; i < FACTS_COUNT; i++) {
        const json_t *value = json_object_get(facts, FACTS[i].name);
        if (FACTS[i].curious == curious && value != NULL)
            put_fact(b, str_of(FACTS[i].label), FACTS[i].kind, written(value, number));
    }
}

static void put_count(struct buf *b, const char *label, uint64_t count)
{
    buf_printf(b, "<div><dt>%s</dt><dd>", label);
    page_data_put_number(b, UNIT_COUNT, count);
    buf_z(b, "</dd></div>\n");
}

/* Behind a summary line, so that the page begins with what most people look for. */
static void put_curious(struct buf *b, json_t *facts)
{
    struct buf rest = {0};
    const char *name;
    json_t *value;

    put_known(&rest, facts, true);
    json_object_foreach(facts, name, value) if (fact_by_name(str_of(name)) == NULL && json_is_string(value))
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
    const json_t *whole = json_object_get(summary, "whole");

    buf_z(b, "<dl class=\"facts\">\n");
    put_fact(b, STR("Format"), FACT_TEXT, page_data_text(summary, "format_label"));
    put_known(b, facts, false);
    put_count(b, "Records", page_data_number(whole, "records"));
    put_count(b, "Calls", page_data_number(whole, "calls"));
    buf_z(b, "<div><dt>Size</dt><dd>");
    page_data_put_number(b, UNIT_BYTES, r->size);
    buf_z(b, "</dd></div>\n");
    put_date(b, "Uploaded", r->created_s);
    put_date(b, "Kept until", r->expires_s);
    buf_z(b, "</dl>\n");
    put_curious(b, facts);
}
