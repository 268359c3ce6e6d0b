/* The table of reports, and what is asked of any of its rows. */
#include <string.h>

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
