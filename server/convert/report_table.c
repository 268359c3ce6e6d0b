/* The table of reports, and what is asked of any of its rows. */
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "core/gzip.h"
#include "render/card/card.h"
#include "render/lanes/lanes_formats.h"
#include "render/method/method.h"
#include "render/svg/svg_header.h"
#include "render/table/late_frames.h"
#include "render/table/table_format.h"
#include "render/verdict/verdict.h"
#include "render/view/text_format.h"
#include "server/convert/convert.h"
#include "server/convert/mapping_fit.h"
#include "server/convert/report.h"
#include "server/convert/summary.h"

/* ---- the page as one file: the words, the timeline, the table of methods, and the picture of each thread ---- */

enum {
    ROWS_MAX = 20000,          /* of the table */
    LANES_WIDTH_PX = 4000,     /* so fine is the timeline */
    PICTURES_MAX = 500,        /* of the heaviest threads */
    PICTURES_BYTES = 24 << 20, /* of their texts in the file; those behind are left out */
    LEVEL = 7                  /* of gzip: what is better costs twice the time for 1 % */
};

/* "NAME BYTES\n", then so many bytes, which hold the text packed, in base64. False: diag. */
static bool put_packed(const char *name, const struct buf *text, struct buf *out, struct diag *diag)
{
    struct buf packed = {0};
    bool ok = !text->failed && gzip_put(&packed, buf_view(text), LEVEL) && packed.n < INT32_MAX / 2;

    if (ok) {
        size_t n = (packed.n + 2) / 3 * 4;
        buf_printf(out, "%s %zu\n", name, n);
        ok = buf_reserve(out, n + 1); /* with the end that the library writes */
        if (ok)
            out->n += (size_t)EVP_EncodeBlock((unsigned char *)out->p + out->n,
                                              (const unsigned char *)packed.p, (int)packed.n);
    }
    buf_free(&packed);
    return (ok && !out->failed) || fail_buf(out, diag);
}

static bool put_words(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct report_input verdict = *in;
    struct buf words = {0};

    verdict.format = &VERDICT_JSON.text;
    bool ok = convert_verdict(&verdict, &words, diag);
    if (ok) {
        buf_printf(out, "words %zu\n", words.n);
        buf_str(out, buf_view(&words));
    }
    buf_part_end(out, &words);
    return ok && (!out->failed || fail_buf(out, diag));
}

static bool put_lanes(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct view_options wide = *in->view;
    struct report_input timeline = *in;
    struct buf lanes = {0};

    if (!shared_profile_get(in->source.profile)->timed)
        return true;
    wide.view = VIEW_CHART;
    wide.width_px = LANES_WIDTH_PX;
    timeline.view = &wide;
    timeline.format = &LANES_JSON.text;
    bool ok = convert_lanes(&timeline, &lanes, diag) && put_packed("lanes", &lanes, out, diag);
    buf_free(&lanes);
    return ok;
}

static bool put_methods(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct asked asked = *in->request;
    struct report_input methods = *in;
    struct buf table = {0};

    asked.table = (struct table_request){.limit = ROWS_MAX};
    methods.request = &asked;
    methods.format = &TABLE_JSON.text;
    bool ok = convert_methods(&methods, &table, diag) && put_packed("methods", &table, out, diag);

    buf_free(&table);
    return ok;
}

/* Without style and script, of which the page has one for all, and without the drawing, which the script makes. A thread of which there is no picture is left out. */
static bool put_picture(const struct report_input *in, uint32_t track, struct buf *out, struct diag *diag)
{
    struct view_options one = *in->view;
    struct buf svg = {0}, text = {0};
    struct diag trouble = {0};
    char name[32];

    one.tracks = TRACKS_LISTED;
    one.n_track_ids = 1;
    one.track_ids[0] = track;
    bool ok = convert_view(&in->source, &OUTPUT_SVG, &one, &svg, &trouble);
    if (!ok && (trouble.kind == DIAG_EMPTY || trouble.kind == DIAG_LIMIT)) {
        buf_free(&svg);
        return true;
    }
    if (!ok)
        *diag = trouble;
    struct svg_parts parts = svg_without_code(buf_view(&svg));
    for (size_t i = 0; i < SVG_PIECES; i++)
        if (i != SVG_DRAWING)
            buf_str(&text, parts.pieces[i]);
    snprintf(name, sizeof(name), "picture-%u", track);
    ok = ok && put_packed(name, &text, out, diag);
    buf_free(&text);
    buf_free(&svg);
    return ok;
}

static bool put_pictures(const struct report_input *in, struct buf *out, struct diag *diag)
{
    const struct profile *p = shared_profile_get(in->source.profile);
    uint32_t *order = calloc(p->n_tracks + 1, sizeof(*order));
    size_t start = out->n;
    bool ok = true;

    if (order == NULL)
        return diag_no_memory(diag, "No memory for the order of the threads.");
    profile_tracks_by_weight(p, order);
    for (uint32_t i = 0; ok && i < p->n_tracks && i < PICTURES_MAX && out->n - start < PICTURES_BYTES; i++)
        ok = put_picture(in, p->tracks[order[i]].id, out, diag);
    free(order);
    return ok;
}

/* For who writes the file (server/pages/page_bundle.c). Each part is a line, "NAME BYTES",
 * and so many bytes: "words", what VERDICT_JSON has; "lanes", where the profile has times, "methods" and "picture-ID" of
 * each thread that there is room for, the heaviest first, in base64 of gzip. */
static bool convert_bundle(const struct report_input *in, struct buf *out, struct diag *diag)
{
    return put_words(in, out, diag) && put_lanes(in, out, diag) && put_methods(in, out, diag) &&
           put_pictures(in, out, diag);
}

/* ---- pictures that say of what they are, as they leave the service: the card below a link, and the flame graph alone ---- */

/* Of a profile that has no words there is no headline; what may be otherwise at the next try fails. */
static bool has_no_words(const struct diag *d)
{
    return d->kind == DIAG_EMPTY || d->kind == DIAG_UNUSABLE || d->kind == DIAG_LIMIT ||
           d->kind == DIAG_USAGE;
}

/* The words are of the whole recording, or of the range, as those beside the picture on its page. False: diag. */
static bool write_headline(const struct report_input *in, struct buf *headline, struct diag *diag)
{
    struct view_options view;
    struct report_input words = *in;
    struct diag trouble = {0};
    struct buf said = {0};

    words.view = &view;
    words.format = &VERDICT_JSON.text;
    convert_defaults(in->source.config, &view);
    view.tracks = TRACKS_ALL;
    memcpy(view.app, in->view->app, sizeof(view.app));
    view.from_ns = in->view->from_ns;
    view.to_ns = in->view->to_ns;
    if (convert_verdict(&words, &said, &trouble))
        return report_take_headline(&said, "sentences", HEADLINE, headline, diag);
    buf_free(&said);
    if (!has_no_words(&trouble))
        *diag = trouble;
    return has_no_words(&trouble);
}

static bool draw_card(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    return card_render(what, in, out, diag);
}

/* The card of an upload (render/card/card.h): of the thread that is asked for, else of the main one. */
static bool convert_card(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct view_options view = *in->view;
    struct buf headline = {0};

    const struct profile *p = shared_profile_get(in->source.profile);
    bool ok = write_headline(in, &headline, diag);
    if (view.tracks == TRACKS_LISTED && view.n_track_ids == 0 && p->n_tracks > 0)
        view.track_ids[view.n_track_ids++] = p->tracks[profile_first_shown(p)].id;
    const struct card_words words = {str_of(in->request->title), buf_view(&headline)};
    ok = ok && convert_drawn(&in->source, &(struct convert_drawing){draw_card, &words}, &view, out, diag);
    buf_part_end(out, &headline);
    return ok;
}

static bool draw_alone(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct render_input with_letter = *in;

    with_letter.letter = what;
    return OUTPUT_SVG.render(&with_letter, out, diag);
}

/* The picture OUTPUT_SVG, which also says of what it is. Of no chart. */
static bool convert_alone(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct buf headline = {0};

    bool ok = write_headline(in, &headline, diag);
    const struct letterhead letter = {str_of(in->request->title), str_of(in->request->date),
                                      buf_view(&headline), str_of(in->request->link)};
    ok =
        ok && convert_drawn(&in->source, &(struct convert_drawing){draw_alone, &letter}, in->view, out, diag);
    buf_part_end(out, &headline);
    return ok;
}

/* ---- the table ---- */

enum { DIFF_TRACKS_MAX = 5000 }; /* of which a page names so many */

/* What the page of a comparison says around its picture or table: {"summary": .., "table": ..}, the table
 * without rows. */
static bool make_diff_head(const struct report_input *in, struct buf *out, struct diag *diag)
{
    struct asked asked = *in->request;
    struct report_input head = *in;
    struct buf summary = {0}, table = {0};
    struct json j = json_into(out);

    asked.table.limit = 0;
    head.request = &asked;
    head.format = &TABLE_JSON.text;
    bool ok = summary_write(in->source.profile, &summary, diag) && convert_diff(&head, &table, diag);
    json_open_object(&j, NULL);
    json_open_object(&j, "summary");
    summary_put_members(&j, buf_view(&summary), &(struct summary_part){.tracks = DIFF_TRACKS_MAX});
    json_close(&j);
    json_put_raw(&j, "table", buf_view(&table));
    json_close(&j);
    buf_part_end(out, &summary);
    buf_part_end(out, &table);
    return ok;
}

/* ---- the table ---- */

static const struct text_format JAVA_NAMES = {"names", "application/octet-stream",
                                              "for who looks for a mapping", 1};

static const struct text_format DIGEST = {"tsv", "text/tab-separated-values; charset=utf-8",
                                          "for who compares many profiles", 2};

static const struct text_format BUNDLE = {"parts", "application/octet-stream", "for its page", 1};

static const struct text_format ALONE = {"svg", "image/svg+xml", "a picture that says of what it is", 1};

static const struct text_format CARD = {"png", "image/png", "what chat programs show below a link", 1};

static const struct text_format DIFF_HEAD = {"head", "application/octet-stream", "for its page", 1};

const struct report REPORTS[] = {
    {"methods", &TABLE_TXT.text, KEYS_TABLE | KEYS_LONGEST | KEYS_OUTLINE, false, NULL, convert_methods},
    {"methods", &TABLE_JSON.text, KEYS_TABLE | KEYS_LONGEST, false, NULL, convert_methods},
    {"methods", &TABLE_TSV.text, KEYS_TABLE | KEYS_LONGEST, false, NULL, convert_methods},
    {"methods", &TABLE_CSV.text, KEYS_TABLE | KEYS_LONGEST, false, NULL, convert_methods},
    {"m", &METHOD_TXT.text, KEYS_METHOD | KEYS_LONGEST | KEYS_OUTLINE, false, NULL, convert_method},
    {"m", &METHOD_JSON.text, KEYS_METHOD | KEYS_LONGEST, false, NULL, convert_method},
    {"verdict", &VERDICT_TXT.text, KEYS_OUTLINE, true, NULL, convert_verdict},
    {"verdict", &VERDICT_JSON.text, 0, true, NULL, convert_verdict},
    {"frames", &LATE_FRAMES_TXT.text, KEYS_OUTLINE, true, NULL, convert_frames},
    {"frames", &LATE_FRAMES_JSON.text, 0, true, NULL, convert_frames},
    {"lanes", &LANES_JSON.text, KEYS_LANES, true, NULL, convert_lanes},
    {"lanes", &LANES_SVG.text, KEYS_LANES, true, NULL, convert_lanes},
    {"diff", &DIFF_TXT.text, KEYS_TABLE | KEYS_COMPARED | KEYS_OUTLINE, false, NULL, convert_diff},
    {"diff", &TABLE_JSON.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, convert_diff},
    {"diff", &TABLE_TSV.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, convert_diff},
    {"diff", &TABLE_CSV.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, convert_diff},
    {"diff", &DIFF_MD.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, convert_diff},
    {"diff", &DIFF_SVG.text, KEYS_TABLE | KEYS_COMPARED, false, &OUTPUT_SVG, convert_diff},
    {"diff", &DIFF_FOLDED.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, convert_diff},
    {"diff", &DIFF_TREE.text, KEYS_TABLE | KEYS_COMPARED, false, &OUTPUT_TREE, convert_diff},
    {"diff-method", &METHOD_TXT.text, KEYS_METHOD | KEYS_COMPARED | KEYS_OUTLINE, false, NULL,
     convert_diff_method},
    {"diff-method", &METHOD_JSON.text, KEYS_METHOD | KEYS_COMPARED, false, NULL, convert_diff_method},
    {"diff-head", &DIFF_HEAD, KEYS_TABLE | KEYS_COMPARED, false, NULL, make_diff_head},
    {"card", &CARD, 0, true, NULL, convert_card},
    {"alone", &ALONE, 0, true, &OUTPUT_SVG, convert_alone},
    {"diff-card", &CARD, KEYS_TABLE | KEYS_COMPARED, false, NULL, convert_diff_card},
    {"bundle", &BUNDLE, 0, true, NULL, convert_bundle},
    {"digest", &DIGEST, 0, true, NULL, convert_digest},
    {"java-names", &JAVA_NAMES, 0, false, NULL, convert_java_names},
};

const size_t REPORTS_COUNT = sizeof(REPORTS) / sizeof(REPORTS[0]);

const struct report *report_by_name(struct str name, struct str suffix)
{
    for (size_t i = 0; i < REPORTS_COUNT; i++)
        if (str_eq(name, str_of(REPORTS[i].name)) &&
            (suffix.n == 0 || str_eq(suffix, str_of(REPORTS[i].format->name))))
            return &REPORTS[i];
    return NULL;
}

void report_defaults(const struct config *config, struct asked *request)
{
    asked_defaults(request);
    convert_defaults(config, &request->view);
    request->view.tracks = TRACKS_ALL;
}

bool report_reads_again(const struct report *r, const struct asked *request)
{
    return r->reads_again || request->table.longest;
}

/* The options that lanes depend on, all others as they are by default: what else a client asks for does not make another
 * answer. */
static void settle_lanes(const struct config *config, const struct lanes_asked *what,
                         struct view_options *view)
{
    const struct view_options asked = *view;

    convert_defaults(config, view);
    view->view = VIEW_CHART; /* The window counts in views of time only, also in keys. */
    view->tracks = asked.tracks;
    view->n_track_ids = asked.n_track_ids;
    memcpy(view->track_ids, asked.track_ids, sizeof(view->track_ids));
    memcpy(view->app, asked.app, sizeof(view->app));
    memcpy(view->split, asked.split, sizeof(view->split));
    view->open = asked.open;
    view->width_px = asked.width_px;
    view->from_ns = asked.from_ns;
    view->to_ns = asked.to_ns;
    if (what->n_stacks > 0)
        view->filters = asked.filters;
}

void report_settle(const struct report *r, const struct config *config, struct asked *request)
{
    if ((r->keys & KEYS_LANES) != 0)
        settle_lanes(config, &request->lanes, &request->view);
}

static size_t count_lines(struct str text)
{
    size_t n = 0;

    for (struct str line; text.n > 0 && str_split(&text, '\n', &line);)
        n++;
    return n;
}

void report_cut(const struct report *r, const struct asked *request, struct buf *out)
{
    enum { NOTICE_BYTES = 200 };
    uint64_t most = (uint64_t)request->view.budget * VIEW_TOKEN_BYTES;

    if ((r->keys & KEYS_OUTLINE) == 0 || request->view.budget == UINT32_MAX || out->n <= most)
        return;
    size_t room = most > NOTICE_BYTES ? (size_t)most - NOTICE_BYTES : 0, all = count_lines(buf_view(out));
    size_t kept = str_find_last((struct str){out->p, room}, '\n');
    kept = kept < room ? kept + 1 : 0;
    size_t shown = count_lines((struct str){out->p, kept});
    out->n = kept;
    buf_printf(
        out,
        "[%zu of %zu lines are shown. For more: a larger budget, or ask for less, as by limit, track, focus.]\n",
        shown, all);
}

static void put_counted(struct buf *b, const char *text)
{
    buf_printf(b, "%zu:%s|", strlen(text), text);
}

/* Texts have their length in front, so that no two requests are written alike. */
void report_canonical(const struct asked *request, struct buf *b)
{
    put_counted(b, request->method);
    put_counted(b, request->title);
    put_counted(b, request->date);
    put_counted(b, request->link);
    asked_canonical(request, ~0u, b);
}
