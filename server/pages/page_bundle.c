/* The page that is one file: what the workspace shows, without the service. Style, scripts and data stand in it, and its
 * policy lets it load nothing: whoever opens it from a disk asks nobody. What only the service can do is not in it.
 *
 * static/bundle.js brings it to life. The parts are those of convert_bundle in server/convert/report_table.c. */
#include "core/system/json_memory.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/pages/static_assets.h"
#include "server/views/policies.h"

struct bundle {
    struct buf *b;
    const struct page_bundle *of;
    const json_t *tracks;
    json_t *words;
};

/* ---- parts ---- */

/* Takes the next part off the front of *rest. False: there is none, or it is cut. */
static bool take_part(struct str *rest, struct str *name, struct str *bytes)
{
    size_t end = str_find(*rest, '\n'), blank = str_find(*rest, ' ');
    uint64_t n;

    if (end == rest->n || blank > end ||
        !str_to_u64((struct str){rest->p + blank + 1, end - blank - 1}, 10, &n) || n > rest->n - end - 1)
        return false;
    *name = (struct str){rest->p, blank};
    *bytes = (struct str){rest->p + end + 1, (size_t)n};
    *rest = (struct str){bytes->p + n, rest->n - end - 1 - (size_t)n};
    return true;
}

static struct str find_part(const struct bundle *p, struct str wanted)
{
    struct str rest = p->of->parts, name, bytes;

    while (take_part(&rest, &name, &bytes))
        if (str_eq(name, wanted))
            return bytes;
    return STR("");
}

static bool has_picture(const struct bundle *p, const json_t *track)
{
    struct buf name = {0};

    buf_z(&name, "picture-");
    buf_u64(&name, page_data_number(track, "id"));
    bool has = !name.failed && find_part(p, buf_view(&name)).n > 0;
    p->b->failed = p->b->failed || name.failed;
    buf_free(&name);
    return has;
}

/* Nothing in base64 is markup. */
static void put_parts(const struct bundle *p)
{
    struct str rest = p->of->parts, name, bytes;

    while (take_part(&rest, &name, &bytes)) {
        if (str_eq(name, STR("words")))
            continue;
        page_put(p->b, "<script type=\"application/octet-stream\" id=\"part-{}\">", name);
        buf_str(p->b, bytes);
        buf_z(p->b, "</script>\n");
    }
}

/* ---- code ---- */

static struct str file(const char *name)
{
    struct static_file found;

    return static_by_name(str_of(name), &found) ? found.bytes : STR("");
}

/* Only these two scripts run, and nothing is loaded. */
static void put_policy(struct buf *b, struct str viewer, struct str script)
{
    buf_z(b, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
             "form-action 'none'; style-src 'unsafe-inline'; script-src ");
    b->failed = b->failed || !policy_put_digest(b, viewer);
    buf_char(b, ' ');
    b->failed = b->failed || !policy_put_digest(b, script);
    buf_z(b, "\">\n");
}

static void put_head(const struct bundle *p)
{
    struct buf *b = p->b;

    buf_z(b, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put_policy(b, file("flame.js"), file("bundle.js"));
    buf_z(b, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n");
    page_put(b, "<title>{} - aflamed</title>\n<style>\n", page_data_name(p->of->record->name));
    buf_str(b, file("app.css"));
    buf_str(b, file("flame.css"));
    buf_z(b, "</style>\n</head>\n");
}

/* ---- what is seen ---- */

static void put_words(const struct bundle *p)
{
    const json_t *sentences = json_object_get(p->words, "sentences"), *sentence;
    size_t i;

    if (json_array_size(sentences) == 0)
        return;
    buf_z(
        p->b,
        "<details id=\"verdict\" open>\n<summary>In words</summary>\n<div id=\"sentences\" class=\"sentences\"><ol>\n");
    json_array_foreach (sentences, i, sentence)
        page_put(p->b, "<li>{}</li>\n", page_data_text(sentence, "text"));
    buf_z(p->b, "</ol></div>\n</details>\n");
}

static void put_timeline(const struct bundle *p)
{
    if (find_part(p, STR("lanes")).n == 0)
        return;
    buf_z(p->b, "<details id=\"lanes\" open>\n<summary>Timeline <span class=\"quiet\"><span "
                "class=\"lane-window\"></span>, no finer than it was saved</span></summary>\n</details>\n");
}

static void put_thread(const struct bundle *p, const json_t *track, const json_t *weight)
{
    bool has = has_picture(p, track);

    page_put(p->b, "<option value=\"{}\"", PAGE_ID(json_object_get(track, "id")));
    buf_z(p->b, has ? ">" : " disabled>");
    page_data_put_track_name(p->b, track);
    page_put(p->b, " ({})", PAGE_ID(json_object_get(track, "id")));
    if (weight != NULL)
        page_put(p->b, ", {}", PAGE_AMOUNT(weight, page_data_total(weight, track)));
    buf_z(p->b, has ? "</option>\n" : ": not in this file</option>\n");
}

static void put_threads(const struct bundle *p)
{
    const json_t *track, *weight = page_data_weight(p->of->summary);
    const json_t *first = json_array_get(p->tracks, page_data_main_track(p->tracks));
    size_t i;

    page_put(p->b,
             "<label class=\"quiet\" for=\"thread\" data-of=\"flame\">Flame graph of</label> "
             "<select id=\"thread\" data-of=\"flame\" data-first=\"{}\">\n",
             first != NULL ? PAGE_ID(json_object_get(first, "id")) : STR(""));
    json_array_foreach (p->tracks, i, track)
        put_thread(p, track, weight);
    buf_z(p->b, "</select>\n");
}

static void put_tools(const struct bundle *p)
{
    buf_z(p->b, "<div class=\"tools\">\n<nav class=\"tabs\" aria-label=\"Tabs\">\n"
                "<button type=\"button\" data-tab=\"flame\">Flame graph</button>\n"
                "<button type=\"button\" data-tab=\"methods\">Methods</button>\n</nav>\n");
    put_threads(p);
    buf_z(p->b, "<label class=\"out-of-sight\" for=\"grep\">Filter the methods</label>\n"
                "<input id=\"grep\" type=\"search\" placeholder=\"Filter\" data-of=\"methods\" hidden>\n"
                "<span id=\"cut\" class=\"quiet\" data-of=\"methods\" hidden></span>\n</div>\n");
}

static void put_body(const struct bundle *p)
{
    struct buf *b = p->b;

    buf_z(b, "<body class=\"workspace bundle\">\n<article>\n<header class=\"top\">\n");
    page_put(b, "<span class=\"brand\">aflamed</span>\n<h1>{}</h1>\n", page_data_name(p->of->record->name));
    page_facts(b, p->of->record, p->of->summary);
    buf_z(b, "</header>\n<main>\n<noscript><p class=\"problem\">The graphs and the table of this file need "
             "scripts.</p></noscript>\n");
    put_words(p);
    put_timeline(p);
    put_tools(p);
    buf_z(
        b,
        "<div id=\"content\">\n<div id=\"picture\" class=\"saved\" role=\"region\" aria-label=\"Flame "
        "graph\" data-of=\"flame\"></div>\n"
        "<div id=\"methods\" class=\"methods\" role=\"region\" aria-label=\"Methods\" tabindex=\"0\" "
        "data-of=\"methods\" hidden></div>\n</div>\n"
        "<p class=\"bundle-words quiet\">Saved from aflamed. Ranges of time, calls one by one, other groupings of the table and comparisons need the service.</p>\n<p id=\"said\" role=\"status\"></p>\n"
        "</main>\n</article>\n");
}

void page_bundle(struct buf *b, const struct page_bundle *of)
{
    struct bundle p = {.b = b, .of = of, .tracks = json_object_get(of->summary, "tracks")};

    p.words = json_memory_load(find_part(&p, STR("words")), 0, NULL);
    b->failed = b->failed || p.words == NULL;
    put_head(&p);
    put_body(&p);
    put_parts(&p);
    buf_z(b, "<script>");
    buf_str(b, file("flame.js"));
    buf_z(b, "</script>\n<script type=\"module\">");
    buf_str(b, file("bundle.js"));
    buf_z(b, "</script>\n</body>\n</html>\n");
    json_decref(p.words);
}
