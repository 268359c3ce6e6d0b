#include "server/convert/report.h"

#include <string.h>

#include "render/method/method.h"
#include "render/table/table_format.h"
#include "server/convert/diff.h"
#include "server/convert/lanes.h"
#include "server/convert/mapping_fit.h"
#include "server/convert/methods.h"
#include "server/convert/summary.h"
#include "server/convert/verdict.h"

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

/* What the page of a comparison says around its picture or table: {"summary": .., "table": ..}, the table without rows. */
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
static const struct text_format DIFF_HEAD = {"head", "application/octet-stream", "for its page", 1};

const struct report REPORTS[] = {
    {"methods", &TABLE_TXT.text, true, false, false, false, false, NULL, make_methods},
    {"methods", &TABLE_JSON.text, true, false, false, false, false, NULL, make_methods},
    {"methods", &TABLE_TSV.text, true, false, false, false, false, NULL, make_methods},
    {"methods", &TABLE_CSV.text, true, false, false, false, false, NULL, make_methods},
    {"m", &METHOD_TXT.text, false, true, false, false, false, NULL, make_method},
    {"m", &METHOD_JSON.text, false, true, false, false, false, NULL, make_method},
    {"verdict", &VERDICT_TXT.text, false, false, true, false, false, NULL, make_verdict},
    {"verdict", &VERDICT_JSON.text, false, false, true, false, false, NULL, make_verdict},
    {"lanes", &LANES_JSON.text, false, false, true, false, true, NULL, make_lanes},
    {"lanes", &LANES_SVG.text, false, false, true, false, true, NULL, make_lanes},
    {"diff", &DIFF_TXT.text, true, false, false, true, false, NULL, make_diff},
    {"diff", &TABLE_JSON.text, true, false, false, true, false, NULL, make_diff},
    {"diff", &TABLE_TSV.text, true, false, false, true, false, NULL, make_diff},
    {"diff", &TABLE_CSV.text, true, false, false, true, false, NULL, make_diff},
    {"diff", &DIFF_MD.text, true, false, false, true, false, NULL, make_diff},
    {"diff", &DIFF_SVG.text, true, false, false, true, false, &OUTPUT_SVG, make_diff},
    {"diff", &DIFF_FOLDED.text, true, false, false, true, false, NULL, make_diff},
    {"diff", &DIFF_TREE.text, true, false, false, true, false, &OUTPUT_TREE, make_diff},
    {"diff-method", &METHOD_TXT.text, false, true, false, true, false, NULL, make_diff_method},
    {"diff-method", &METHOD_JSON.text, false, true, false, true, false, NULL, make_diff_method},
    {"diff-head", &DIFF_HEAD, true, false, false, true, false, NULL, make_diff_head},
    {"java-names", &JAVA_NAMES, false, false, false, false, false, NULL, make_java_names},
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

void report_defaults(const struct config *config, struct view_options *view, struct report_request *request)
{
    *request = (struct report_request){.method = ""};
    table_defaults(&request->table);
    convert_defaults(config, view);
    view->tracks = TRACKS_ALL;
}

bool report_reads_again(const struct report *r, const struct report_request *request)
{
    return r->reads_again || request->table.longest;
}

static const struct table_option *option_of(const struct report *r, struct str key)
{
    const struct table_option *option = table_option_by_key(key);
    bool takes = option != NULL && (r->takes_table || (r->of_method && option->of_method));

    return !takes || (r->takes_diff && option->reads_again) ? NULL : option;
}

bool report_takes(const struct report *r, struct str key)
{
    return option_of(r, key) != NULL || (r->takes_lanes && lanes_takes(key)) ||
           (r->takes_diff && diff_takes(key));
}

bool report_set(const struct report *r, struct report_request *request, struct str key, struct str value,
                struct diag *diag)
{
    const struct table_option *option = option_of(r, key);

    if (option != NULL)
        return table_set(&request->table, option, value, diag);
    return r->takes_diff ? diff_set(&request->diff, key, value, diag)
                         : lanes_set(&request->lanes, key, value, diag);
}

void report_settle(const struct report *r, const struct config *config, const struct report_request *request,
                   struct view_options *view)
{
    if (r->takes_lanes)
        lanes_options(config, &request->lanes, view);
}

/* Texts have their length in front, so that no two requests are written alike. */
void report_canonical(const struct report_request *request, struct buf *b)
{
    const struct table_request *t = &request->table;

    buf_z(b, t->longest ? "longest&" : "");
    buf_printf(b, "group=%s&sort=%zu:%s&grep=%zu:%s&limit=%u&offset=%u&name=%zu:%s",
               table_group_word(t->group), strlen(t->sort), t->sort, strlen(t->grep), t->grep, t->limit,
               t->offset, strlen(request->method), request->method);
    buf_char(b, '&');
    lanes_canonical(&request->lanes, b);
    buf_char(b, '&');
    diff_canonical(&request->diff, b);
}
