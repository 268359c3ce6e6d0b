#include "server/convert/report.h"

#include <string.h>

#include "render/table/method.h"
#include "render/table/table_format.h"
#include "server/convert/methods.h"
#include "server/convert/verdict.h"

/* The format's own row begins with what all formats have. */

static bool make_methods(const struct report *r, const struct report_input *in, struct buf *out,
                         struct diag *diag)
{
    return convert_methods(in->profile, in->config, in->fd, in->stop, in->view, &in->request->table,
                           (const struct table_format *)r->format, out, diag);
}

static bool make_method(const struct report *r, const struct report_input *in, struct buf *out,
                        struct diag *diag)
{
    return convert_method(in->profile, in->config, in->fd, in->stop, in->view, str_of(in->request->method),
                          in->request->table.longest, (const struct method_format *)r->format, out, diag);
}

static bool make_verdict(const struct report *r, const struct report_input *in, struct buf *out,
                         struct diag *diag)
{
    return convert_verdict(in->profile, in->config, in->fd, in->stop, in->view,
                           (const struct verdict_format *)r->format, out, diag);
}

const struct report REPORTS[] = {
    {"methods", &TABLE_TXT.text, true, false, false, make_methods},
    {"methods", &TABLE_JSON.text, true, false, false, make_methods},
    {"methods", &TABLE_TSV.text, true, false, false, make_methods},
    {"methods", &TABLE_CSV.text, true, false, false, make_methods},
    {"m", &METHOD_TXT.text, false, true, false, make_method},
    {"m", &METHOD_JSON.text, false, true, false, make_method},
    {"verdict", &VERDICT_TXT.text, false, false, true, make_verdict},
    {"verdict", &VERDICT_JSON.text, false, false, true, make_verdict},
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

const struct table_option *report_option(const struct report *r, struct str key)
{
    bool takes = r->takes_table || (r->of_method && str_eq(key, STR("longest")));

    return takes ? table_option_by_key(key) : NULL;
}

/* Texts have their length in front, so that no two requests are written alike. */
void report_canonical(const struct report_request *request, struct buf *b)
{
    const struct table_request *t = &request->table;

    buf_z(b, t->longest ? "longest&" : "");
    buf_printf(b, "group=%s&sort=%zu:%s&grep=%zu:%s&limit=%u&offset=%u&name=%zu:%s",
               table_group_word(t->group), strlen(t->sort), t->sort, strlen(t->grep), t->grep, t->limit,
               t->offset, strlen(request->method), request->method);
}
