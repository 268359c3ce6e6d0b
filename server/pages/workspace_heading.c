#include <stdio.h>

#include "core/clean.h"
#include "core/number.h"
#include "core/system/utc.h"
#include "profile/track.h"
#include "render/calls/call_format.h"
#include "render/output.h"
#include "server/convert/summary.h"
#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"
#include "server/pages/pages.h"
#include "server/pages/workspace.h"
#include "server/upload/names_upload.h"
#include "server/views/policies.h"

/* What unfolds at the top of a profile's page: warnings in words, and the facts. */

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

/* Warnings about this file, and behind them those about how to record better. */
static void put_all_warnings(struct buf *b, const json_t *warnings)
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

/* Libraries with frames that have no names; nothing if there are none. */
static void put_all_unnamed(struct buf *b, const json_t *unnamed)
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
    return json_memory_text(value);
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

/* Who is not known is not told names of others. */
static void put_people(struct buf *b, const struct record *r, const struct page_rights *rights)
{
    if (!rights->knows_team)
        return;
    if (r->owner[0] != '\0')
        page_put(b, "<div><dt>Uploaded by</dt><dd><bdi>{}</bdi></dd></div>\n", str_of(r->owner));
    buf_printf(b, "<div><dt>Read by</dt><dd>%s</dd></div>\n", r->team ? "the team" : "anyone with the link");
}

/* `up` is where the front page is; p == NULL: the page is a file of its own, which does not tell of spaces. */
static void put_listing(struct buf *b, const struct record *r, struct str up)
{
    struct str rest = labels_all(&r->labels), key, value;
    struct buf list = {0};

    if (up.p == NULL || (r->space[0] == '\0' && rest.n == 0))
        return;
    if (r->space[0] != '\0') {
        buf_str(&list, up);
        buf_printf(&list, "s/%s", r->space);
        page_put(b, "<div><dt>Space</dt><dd><a href=\"{}\">{}</a></dd></div>\n", buf_view(&list),
                 str_of(r->space));
    }
    if (rest.n > 0) {
        buf_z(b, "<div><dt>Labels</dt><dd><ul class=\"labels\">\n");
        while (labels_next(&rest, &key, &value))
            page_label(b, list.n > 0 ? buf_view(&list) : (struct str){NULL, 0}, "", key, value);
        buf_z(b, "</ul></dd></div>\n");
    }
    buf_part_end(b, &list);
}

static void put_all_facts(struct buf *b, const struct record *r, const json_t *summary,
                          const struct page_rights *rights, struct str up)
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
    if (rights->waits)
        buf_z(b, "<div><dt>Kept</dt><dd>on this machine only, not yet in the object store</dd></div>\n");
    put_people(b, r, rights);
    put_listing(b, r, up);
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

/* The facts in one line. */
static void put_facts_line(struct buf *b, const struct record *r, const json_t *summary)
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
    page_put(b, "<article id=\"profile\" data-id=\"{}\" data-name=\"{}\" data-format=\"{}\"", str_of(r->id),
             str_of(r->name), format.n > 0 ? format : str_of(r->format));
    if (r->names.of[RECORD_MAPPING][0] != '\0')
        buf_printf(b, " data-mapping=\"%.*s\"", MAPPING_DIGITS, r->names.of[RECORD_MAPPING]);
    buf_printf(b, " data-size=\"%llu\" data-created=\"%s\" data-expires=\"%s\" %s>\n",
               (unsigned long long)r->size, UTC_TEXT(r->created_s), UTC_TEXT(r->expires_s), more);
}

/* The line above all. What does not fit into it unfolds. */

enum { DAY_S = 86400 };

static void put_token_field(const struct workspace *w, const char *id, bool may)
{
    if (may)
        return;
    buf_printf(
        w->b,
        "<p><label for=\"%s\">Delete token <span class=\"quiet\">(from the answer to the upload)</span></label>\n"
        "<input id=\"%s\" name=\"token\" class=\"token\" autocomplete=\"off\" spellcheck=\"false\" required></p>\n",
        id, id);
}

/* An upload with an owner has no delete token. */
static bool is_owners_only(const struct workspace *w, bool may)
{
    return !may && w->of.record->owner[0] != '\0';
}

/* For who has the token: the browser that uploaded fills it in by itself. */
static void put_token_words(const struct workspace *w, bool may)
{
    if (may) {
        buf_z(w->b, w->of.rights.own
                        ? "<p class=\"quiet\">You uploaded it.</p>\n"
                        : "<p class=\"quiet\">Somebody else uploaded it; you may change it.</p>\n");
        return;
    }
    buf_z(w->b,
          "<p class=\"token-words\">This needs the upload's delete token. The browser that uploaded the "
          "file fills it in by itself.</p>\n"
          "<noscript><p>Without scripts: right after an upload the address of this page ends in "
          "<code>#token=</code> and the token. Note it; it is shown nowhere else.</p></noscript>\n");
}

/* A form of a file that tells names; `word`: "mapping", "symbols". The id of its token is token-`token`.
 * `attributes` has a blank at its end, or is empty. */
static void begin_names_form(const struct workspace *w, const char *word, const char *token,
                             const char *attributes)
{
    char id[32];

    buf_printf(w->b, "<form %s", attributes);
    workspace_link(w, "method=\"post\" enctype=\"multipart/form-data\" action=\"", word, NULL, "\">\n");
    snprintf(id, sizeof(id), "token-%s", token);
    put_token_field(w, id, w->of.rights.change);
}

static void put_names_file(const struct workspace *w, const char *word, const char *label)
{
    begin_names_form(w, word, word, "");
    buf_printf(w->b,
               "<p><label for=\"%s\">%s</label>\n<input id=\"%s\" name=\"%s\" type=\"file\" "
               "required></p>\n<p><button>Apply %s</button></p>\n</form>\n",
               word, label, word, word, word);
}

static void put_names_away(const struct workspace *w, const char *word)
{
    char token[32];

    snprintf(token, sizeof(token), "un%s", word);
    begin_names_form(w, word, token, "");
    buf_printf(w->b,
               "<input type=\"hidden\" name=\"%s\" value=\"\">\n"
               "<p><button>Take the %s away</button></p>\n</form>\n",
               word, word);
}

/* In the sheet of what may be changed. Mappings of other uploads are those that the browser knows:
 * static/result.js shows them where there are some. */
static void put_mapping(const struct workspace *w)
{
    bool mapped = w->of.record->names.of[RECORD_MAPPING][0] != '\0';

    put_names_file(w, "mapping",
                   mapped ? "Deobfuscate with another mapping.txt" : "Deobfuscate with mapping.txt");
    if (w->of.known_mapping.n > 0) {
        begin_names_form(w, "mapping", "known", "");
        page_put(w->b,
                 "<p>The mapping of this build is known here.</p>\n<input type=\"hidden\" name=\"known\" "
                 "value=\"{}\">\n<p><button>Apply the build\'s mapping</button></p>\n</form>\n",
                 w->of.known_mapping);
    } else if (!mapped && w->of.config->mappings_dir[0] != '\0') {
        begin_names_form(w, "mapping", "find", "");
        buf_z(w->b,
              "<p>Mappings are known here. Each is read to see how many names of this profile it knows; the "
              "one that knows most is shown, and not applied yet.</p>\n"
              "<input type=\"hidden\" name=\"known\" value=\"" NAMES_UPLOAD_FIND "\">\n"
              "<p><button>Find its mapping by names</button></p>\n</form>\n");
    }
    begin_names_form(w, "mapping", "earlier", "hidden id=\"earlier-mappings\" ");
    buf_z(
        w->b,
        "<p><label for=\"from\">A mapping that this browser has applied before</label>\n<select id=\"from\" "
        "name=\"from\"></select><input type=\"hidden\" name=\"from_token\"></p>\n"
        "<p><button>Apply that mapping</button></p>\n</form>\n");
    if (mapped)
        put_names_away(w, "mapping");
}

/* Where the profile has frames without names, or had some. */
static void put_symbols(const struct workspace *w)
{
    bool attached = w->of.record->names.of[RECORD_SYMBOLS][0] != '\0';

    if (json_array_size(json_object_get(w->of.summary, "unnamed")) == 0 && !attached)
        return;
    put_names_file(w, "symbols",
                   attached ? "Other symbols of its native code"
                            : "Names of its native code: an unstripped library, or a zip of several");
    if (attached)
        put_names_away(w, "symbols");
}

/* The first line end behind the tag is no part of the text. */
static void put_label_lines(struct buf *b, const struct labels *labels)
{
    struct str rest = labels_all(labels), key, value;

    while (labels_next(&rest, &key, &value))
        page_put(b, "{}={}\n", key, value);
}

static void put_changes(const struct workspace *w)
{
    const struct record *r = w->of.record;
    int64_t last_s = r->created_s + (int64_t)w->of.max_days * DAY_S;
    int64_t most = (last_s - w->of.now_s + DAY_S - 1) / DAY_S;
    int64_t left = (r->expires_s - w->of.now_s + DAY_S - 1) / DAY_S;

    put_token_words(w, w->of.rights.change);
    workspace_link(w, "<form method=\"post\" action=\"", "rename", NULL, "\">\n");
    put_token_field(w, "token-rename", w->of.rights.change);
    page_put(w->b,
             "<p><label for=\"name\">Name</label>\n<input id=\"name\" name=\"name\" maxlength=\"255\" "
             "autocomplete=\"off\" value=\"{}\"></p>\n"
             "<p><label for=\"own-code\">Your packages, for everyone who looks: com.foo,com.bar</label>\n"
             "<input id=\"own-code\" name=\"app\" maxlength=\"200\" autocomplete=\"off\" "
             "spellcheck=\"false\" value=\"{}\"></p>\n",
             str_of(r->name), str_of(r->app));
    page_put(
        w->b,
        "<p><label for=\"space\">Listed in the space</label>\n<input id=\"space\" name=\"space\" maxlength=\"64\" "
        "autocomplete=\"off\" spellcheck=\"false\" placeholder=\"nowhere\" value=\"{}\"></p>\n"
        "<p><label for=\"labels\">Labels, each on a line: branch=main</label>\n<textarea id=\"labels\" name=\"labels\" "
        "rows=\"3\" spellcheck=\"false\">\n",
        str_of(r->space));
    put_label_lines(w->b, &r->labels);
    buf_z(w->b, "</textarea></p>\n");
    if (most >= 1)
        buf_printf(w->b,
                   "<p><label for=\"expires\">Keep it for how many more days</label>\n<input id=\"expires\" "
                   "name=\"expires\" type=\"number\" min=\"1\" max=\"%lld\" placeholder=\"%lld\"></p>\n",
                   (long long)most, (long long)(left > 0 ? left : 1));
    if (w->of.rights.knows_team && w->of.rights.change)
        page_readers(w->b, r->team);
    buf_z(w->b, "<p><button>Change</button></p>\n</form>\n");
    put_mapping(w);
    put_symbols(w);
}

static void put_rename(const struct workspace *w)
{
    page_put(w->b,
             "<details name=\"menus\" class=\"menu rename\">\n<summary title=\"Rename, or keep for "
             "another time\"><h1 class=\"name\">{}</h1></summary>\n<div class=\"sheet\">\n",
             page_data_name(w->of.record->name));
    if (is_owners_only(w, w->of.rights.change))
        buf_z(
            w->b,
            "<p class=\"quiet\">Only the person who uploaded it, or somebody with the scope for it, can change its "
            "name, how long it is kept, and its names files.</p>\n");
    else
        put_changes(w);
    workspace_menu_end(w->b);
}

static void put_facts(struct buf *b, const struct record *r, const json_t *summary,
                      const struct page_rights *rights, struct str up)
{
    buf_z(
        b,
        "<details name=\"menus\" class=\"menu about\">\n<summary title=\"All facts\"><span class=\"line\">");
    put_facts_line(b, r, summary);
    buf_z(b, "</span></summary>\n<div class=\"sheet\">\n");
    put_all_facts(b, r, summary, rights, up);
    put_all_unnamed(b, json_object_get(summary, "unnamed"));
    workspace_menu_end(b);
}

void page_facts(struct buf *b, const struct record *r, const json_t *summary)
{
    static const struct page_rights NOBODYS = {0};
    const json_t *warnings = json_object_get(summary, "warnings");

    put_facts(b, r, summary, &NOBODYS, (struct str){NULL, 0});
    if (json_array_size(warnings) == 0)
        return;
    workspace_menu(b, "class=\"menu warned\"", "Warnings");
    put_all_warnings(b, warnings);
    workspace_menu_end(b);
}

void workspace_warnings(const struct workspace *w)
{
    const json_t *warnings = json_object_get(w->of.summary, "warnings");
    size_t n = json_array_size(warnings);
    char words[40];

    if (n == 0)
        return;
    snprintf(words, sizeof(words), "%zu warning%s", n, n == 1 ? "" : "s");
    workspace_menu(w->b, "class=\"menu warned\"", words);
    put_all_warnings(w->b, warnings);
    workspace_menu_end(w->b);
}

/* Beside the link of an export, if a page is configured that opens it; by script only. */
static void put_viewer(const struct workspace *w, const char *name)
{
    const struct viewer *v = viewer_of(w->of.config, name);

    /* A page of another site fetches without a session. */
    if (v == NULL || (v->fetches && w->of.record->team))
        return;
    page_put(w->b,
             " <button type=\"button\" class=\"button\" data-open-in=\"{}\" data-at=\"{}\" hidden>Open in {}"
             "</button><span role=\"status\"></span>",
             str_of(v->name), viewer_url(v, w->of.config), str_of(v->label));
}

/* What a person should know who clicks there. */
static void put_viewer_words(const struct workspace *w)
{
    bool any = false;

    for (size_t i = 0; i < VIEWERS_COUNT; i++) {
        struct str url = viewer_url(&VIEWERS[i], w->of.config);
        if (url.n == 0)
            continue;
        buf_z(w->b,
              any ? ", "
                  : "<p class=\"quiet\" data-open-in-words hidden>\u201cOpen in\u201d hands the profile "
                    "over to a page of another site: ");
        page_put(w->b, "{}", url);
        any = true;
    }
    buf_z(w->b, any ? ". Only by that click, and by your browser, does it leave this service.</p>\n" : "");
}

/* one by one, with their times */
static bool workspace_has_calls(const struct workspace *w)
{
    return workspace_has_value(w, STR("calls")) && workspace_is_timed(w);
}

/* Of all threads, as far as range and filters leave them: what other tools show in the order of time. */
static void put_calls(const struct workspace *w)
{
    struct view_options view = *w->of.options;

    if (!workspace_has_calls(w))
        return;
    view.view = VIEW_FLAME;
    view.method[0] = '\0';
    for (size_t i = 0; i < CALL_FORMATS_COUNT; i++) {
        if (!CALL_FORMATS[i]->exported)
            continue;
        page_put(w->b, "<li><a class=\"follows\" data-plain=\"\" href=\"{}calls.{}", w->self,
                 str_of(CALL_FORMATS[i]->text.name));
        view_link(w->b, &view, "&amp;");
        buf_printf(w->b, "\">All calls: %s</a>", CALL_FORMATS[i]->text.help);
        put_viewer(w, CALL_FORMATS[i]->text.name);
        buf_z(w->b, "</li>\n");
    }
}

/* A picture that is passed on as a file says of what it is. */
static void put_download_query(const struct workspace *w, const struct output *output,
                               const struct view_options *view)
{
    struct buf query = {0};

    view_link(&query, view, "&amp;");
    if (output == &OUTPUT_SVG && view->view != VIEW_CHART)
        buf_z(&query, query.n > 0 ? "&amp;about=link" : "?about=link");
    buf_str(w->b, buf_view(&query));
    buf_part_end(w->b, &query);
}

/* The picture of this state by each output that has one, then what is of the whole profile. */
static void put_downloads(const struct workspace *w)
{
    workspace_inner_menu(w->b, "downloads", "download", "Download");
    buf_z(w->b, "<ul>\n");
    for (size_t i = 0; i < OUTPUTS_COUNT; i++) {
        struct view_options view = *w->of.options;
        bool shows = (OUTPUTS[i]->views >> view.view & 1) != 0;
        if (OUTPUTS[i]->preview || (view.view == VIEW_CHART && !shows))
            continue;
        if (!shows) {
            view.view = VIEW_FLAME;
            view.method[0] = '\0';
        }
        page_put(w->b, "<li><a class=\"follows\" href=\"{}t/{}.{}", w->self, w->of.track,
                 str_of(OUTPUTS[i]->suffix));
        put_download_query(w, OUTPUTS[i], &view);
        if (OUTPUTS[i] == &OUTPUT_SVG && w->of.pass.n > 0) {
            page_put(w->b, "#pass={}\" data-pass=\"{}", w->of.pass, w->of.pass);
        }
        if (OUTPUTS[i]->views == OUTPUT_PLAIN_VIEWS)
            buf_z(w->b, "\" data-plain=\"");
        page_put(w->b, "\">This view: {}</a>", str_of(OUTPUTS[i]->label));
        if (OUTPUTS[i]->calls == NULL || !workspace_has_calls(w))
            put_viewer(w, OUTPUTS[i]->name);
        buf_z(w->b, "</li>\n");
    }
    put_calls(w);
    page_put(w->b,
             "<li id=\"png\" hidden><button type=\"button\" class=\"button\" data-do=\"png\">Save as "
             "PNG</button></li>\n<li><a href=\"{}p/{}.json\">The profile: JSON</a></li>\n",
             w->up, str_of(w->of.record->id));
    workspace_link(w, "<li><a href=\"", "bundle.html", NULL, "\">The whole page as one file</a></li>\n");
    workspace_link(w, "<li><a href=\"", "raw", NULL, "\">The uploaded file</a></li>\n</ul>\n");
    put_viewer_words(w);
    workspace_menu_end(w->b);
}

/* The link of another upload, or one that the browser knows, or a file: the last two by the script. */
static void put_compare(const struct workspace *w)
{
    workspace_inner_menu(w->b, "compare", "compare", "Compare");
    page_put(w->b,
             "<form action=\"{}d\">\n<input type=\"hidden\" name=\"a\" value=\"{}\">\n"
             "<p><label for=\"compare-with\">Compare with a later profile: its link</label>\n"
             "<input id=\"compare-with\" name=\"b\" list=\"compare-known\" autocomplete=\"off\" "
             "spellcheck=\"false\" required><datalist id=\"compare-known\"></datalist></p>\n"
             "<p><button>Compare</button></p>\n"
             "<p class=\"of-file\" hidden><label for=\"compare-file\">or a file, which is uploaded: choose "
             "it, or drop it here</label>\n<input id=\"compare-file\" type=\"file\"></p>\n"
             "<p role=\"status\"></p>\n</form>\n",
             w->up, str_of(w->of.record->id));
    workspace_menu_end(w->b);
}

static void put_delete(const struct workspace *w)
{
    if (is_owners_only(w, w->of.rights.remove))
        return;
    workspace_inner_menu(w->b, "remove", "remove", "Delete");
    buf_z(w->b, "<p>The link stops working for everyone, at once. This cannot be undone.</p>\n");
    put_token_words(w, w->of.rights.remove);
    workspace_link(w, "<form method=\"post\" action=\"", "delete", NULL, "\">\n");
    put_token_field(w, "token-delete", w->of.rights.remove);
    buf_z(w->b, "<p><button class=\"danger\">Delete this profile</button></p>\n</form>\n");
    workspace_menu_end(w->b);
}

static void put_login(const struct workspace *w)
{
    if (w->of.rights.way_back.n == 0)
        return;
    struct buf link = {0};
    buf_str(&link, w->up);
    buf_z(&link, "login?next=");
    buf_percent(&link, w->of.rights.way_back);
    workspace_menu_item(w->b, "login", buf_view(&link), "Log in");
    buf_part_end(w->b, &link);
}

/* Of an upload for the team: whoever gets this link sees name and picture, and has to log in for more. */
static void put_preview_link(const struct workspace *w)
{
    if (w->of.card_pass.n == 0)
        return;
    page_put(w->b,
             "<a class=\"item\" id=\"preview-link\" href=\"{}/p/{}/k/{}\" title=\"For a chat: whoever has it "
             "sees the name and the picture, for {} days\">",
             w->of.base, str_of(w->of.record->id), w->of.card_pass, PAGE_COUNT(CARD_PASS_DAYS));
    page_icon(w->b, "share");
    buf_z(w->b, "<span>Copy link with preview</span></a>\n");
}

void workspace_heading(const struct workspace *w)
{
    buf_z(w->b, "<header class=\"top\">\n");
    page_brand(w->b, w->up);
    put_rename(w);
    put_facts(w->b, w->of.record, w->of.summary, &w->of.rights, w->up);
    workspace_warnings(w);
    buf_z(w->b, "<nav aria-label=\"This profile\">\n");
    buf_z(w->b, "<a class=\"share follows\" href=\"");
    workspace_picture(w, w->of.track, w->of.options);
    buf_z(w->b, "\">");
    page_icon(w->b, "share");
    buf_z(w->b, "<span>Share</span></a>\n");
    workspace_menu(w->b, "class=\"menu\" id=\"main-menu\"", "Menu");
    put_preview_link(w);
    put_compare(w);
    put_downloads(w);
    put_login(w);
    workspace_menu_site(w);
    put_delete(w);
    workspace_menu_end(w->b);
    buf_z(w->b, "</nav>\n</header>\n");
}
