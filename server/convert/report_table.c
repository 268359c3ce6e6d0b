/* The table of reports, and what is asked of any of its rows. */
#include <string.h>

#include "render/card/card.h"
#include "render/lanes/lanes_formats.h"
#include "render/method/method.h"
#include "render/table/late_frames.h"
#include "render/table/table_format.h"
#include "render/verdict/verdict.h"
#include "render/view/text_format.h"
#include "server/convert/convert.h"
#include "server/convert/mapping_fit.h"
#include "server/convert/report.h"
#include "server/convert/summary.h"

enum { DIFF_TRACKS_MAX = 5000 }; /* of which a page names so many */

/* The format's own row begins with what all formats have. */

static bool make_methods(const struct report *r, const struct report_input *in, struct buf *out,
                         struct diag *diag)
{
    return convert_methods(&in->source, in->view, &in->request->table, (const struct table_format *)r->format,
                           out, diag);
}

static bool make_method(const struct report *r, const struct report_input *in, struct buf *out,
                        struct diag *diag)
{
    return convert_method(&in->source, in->view, str_of(in->request->method), &in->request->table,
                          (const struct method_format *)r->format, out, diag);
}

static bool make_verdict(const struct report *r, const struct report_input *in, struct buf *out,
                         struct diag *diag)
{
    return convert_verdict(&in->source, in->view, (const struct verdict_format *)r->format, out, diag);
}

static bool make_frames(const struct report *r, const struct report_input *in, struct buf *out,
                        struct diag *diag)
{
    return convert_frames(&in->source, in->view, (const struct late_frames_format *)r->format, out, diag);
}

static bool make_lanes(const struct report *r, const struct report_input *in, struct buf *out,
                       struct diag *diag)
{
    return convert_lanes(&in->source, in->view, &in->request->lanes, (const struct lanes_format *)r->format,
                         out, diag);
}

static bool make_diff(const struct report *r, const struct report_input *in, struct buf *out,
                      struct diag *diag)
{
    return convert_diff(in->source.profile, in->source.config, in->view, &in->request->table,
                        &in->request->diff, (const struct table_format *)r->format, NULL, out, diag);
}

static bool make_diff_method(const struct report *r, const struct report_input *in, struct buf *out,
                             struct diag *diag)
{
    return convert_diff_method(in->source.profile, in->source.config, in->view, str_of(in->request->method),
                               &in->request->table, &in->request->diff,
                               (const struct method_format *)r->format, out, diag);
}

/* What the page of a comparison says around its picture or table: {"summary": .., "table": ..}, the table
 * without rows. */
static bool make_diff_head(const struct report *r, const struct report_input *in, struct buf *out,
                           struct diag *diag)
{
    struct table_request rows = in->request->table;
    struct buf summary = {0}, table = {0};
    struct json j = json_into(out);

    (void)r;
    rows.limit = 0;
    bool ok = summary_write(in->source.profile, &summary, diag) &&
              convert_diff(in->source.profile, in->source.config, in->view, &rows, &in->request->diff,
                           &TABLE_JSON, NULL, &table, diag);
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

static bool make_java_names(const struct report *r, const struct report_input *in, struct buf *out,
                            struct diag *diag)
{
    (void)r;
    return convert_java_names(in->source.profile, in->source.config, out, diag);
}

static const struct text_format JAVA_NAMES = {"names", "application/octet-stream",
                                              "for who looks for a mapping", 1};

static bool make_digest(const struct report *r, const struct report_input *in, struct buf *out,
                        struct diag *diag)
{
    (void)r;
    return convert_digest(&in->source, in->view, out, diag);
}

static const struct text_format DIGEST = {"tsv", "text/tab-separated-values; charset=utf-8",
                                          "for who compares many profiles", 2};

/* ---- cards ---- */

static bool make_card(const struct report *r, const struct report_input *in, struct buf *out,
                      struct diag *diag)
{
    (void)r;
    return convert_card(in, out, diag);
}

static bool make_alone(const struct report *r, const struct report_input *in, struct buf *out,
                       struct diag *diag)
{
    (void)r;
    return convert_alone(in, out, diag);
}

static bool make_diff_card(const struct report *r, const struct report_input *in, struct buf *out,
                           struct diag *diag)
{
    struct table_request rows = in->request->table;
    struct buf headline = {0}, table = {0};

    (void)r;
    rows.limit = 0;
    bool ok = convert_diff(in->source.profile, in->source.config, in->view, &rows, &in->request->diff,
                           &TABLE_JSON, NULL, &table, diag);
    ok = ok && report_take_headline(&table, "verdict", &headline, diag);
    buf_free(&table);
    const struct card_words words = {str_of(in->request->title), buf_view(&headline)};
    ok = ok && convert_diff_card(in, &words, out, diag);
    buf_part_end(out, &headline);
    return ok;
}

/* ---- a page that is one file ---- */

static bool make_bundle(const struct report *r, const struct report_input *in, struct buf *out,
                        struct diag *diag)
{
    (void)r;
    return convert_bundle(&in->source, in->view, out, diag);
}

/* ---- the table ---- */

static const struct text_format BUNDLE = {"parts", "application/octet-stream", "for its page", 1};

static const struct text_format ALONE = {"svg", "image/svg+xml", "a picture that says of what it is", 1};

static const struct text_format CARD = {"png", "image/png", "what chat programs show below a link", 1};

static const struct text_format DIFF_HEAD = {"head", "application/octet-stream", "for its page", 1};

const struct report REPORTS[] = {
    {"methods", &TABLE_TXT.text, KEYS_TABLE | KEYS_LONGEST | KEYS_OUTLINE, false, NULL, make_methods},
    {"methods", &TABLE_JSON.text, KEYS_TABLE | KEYS_LONGEST, false, NULL, make_methods},
    {"methods", &TABLE_TSV.text, KEYS_TABLE | KEYS_LONGEST, false, NULL, make_methods},
    {"methods", &TABLE_CSV.text, KEYS_TABLE | KEYS_LONGEST, false, NULL, make_methods},
    {"m", &METHOD_TXT.text, KEYS_METHOD | KEYS_LONGEST | KEYS_OUTLINE, false, NULL, make_method},
    {"m", &METHOD_JSON.text, KEYS_METHOD | KEYS_LONGEST, false, NULL, make_method},
    {"verdict", &VERDICT_TXT.text, KEYS_OUTLINE, true, NULL, make_verdict},
    {"verdict", &VERDICT_JSON.text, 0, true, NULL, make_verdict},
    {"frames", &LATE_FRAMES_TXT.text, KEYS_OUTLINE, true, NULL, make_frames},
    {"frames", &LATE_FRAMES_JSON.text, 0, true, NULL, make_frames},
    {"lanes", &LANES_JSON.text, KEYS_LANES, true, NULL, make_lanes},
    {"lanes", &LANES_SVG.text, KEYS_LANES, true, NULL, make_lanes},
    {"diff", &DIFF_TXT.text, KEYS_TABLE | KEYS_COMPARED | KEYS_OUTLINE, false, NULL, make_diff},
    {"diff", &TABLE_JSON.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, make_diff},
    {"diff", &TABLE_TSV.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, make_diff},
    {"diff", &TABLE_CSV.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, make_diff},
    {"diff", &DIFF_MD.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, make_diff},
    {"diff", &DIFF_SVG.text, KEYS_TABLE | KEYS_COMPARED, false, &OUTPUT_SVG, make_diff},
    {"diff", &DIFF_FOLDED.text, KEYS_TABLE | KEYS_COMPARED, false, NULL, make_diff},
    {"diff", &DIFF_TREE.text, KEYS_TABLE | KEYS_COMPARED, false, &OUTPUT_TREE, make_diff},
    {"diff-method", &METHOD_TXT.text, KEYS_METHOD | KEYS_COMPARED | KEYS_OUTLINE, false, NULL,
     make_diff_method},
    {"diff-method", &METHOD_JSON.text, KEYS_METHOD | KEYS_COMPARED, false, NULL, make_diff_method},
    {"diff-head", &DIFF_HEAD, KEYS_TABLE | KEYS_COMPARED, false, NULL, make_diff_head},
    {"card", &CARD, 0, true, NULL, make_card},
    {"alone", &ALONE, 0, true, &OUTPUT_SVG, make_alone},
    {"diff-card", &CARD, KEYS_TABLE | KEYS_COMPARED, false, NULL, make_diff_card},
    {"bundle", &BUNDLE, 0, true, NULL, make_bundle},
    {"digest", &DIGEST, 0, true, NULL, make_digest},
    {"java-names", &JAVA_NAMES, 0, false, NULL, make_java_names},
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

void report_settle(const struct report *r, const struct config *config, struct asked *request)
{
    if ((r->keys & KEYS_LANES) != 0)
        convert_lanes_options(config, &request->lanes, &request->view);
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
