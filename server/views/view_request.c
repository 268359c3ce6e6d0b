#include "server/views/view_request.h"

#include <stdio.h>
#include <string.h>

#include "server/convert/summary.h"
#include "static/static_files.h"

void view_of(struct view_request *r, const struct record *record)
{
    memcpy(r->sha256, record->sha256, sizeof(r->sha256));
    memcpy(r->member, record->member, sizeof(r->member));
    r->names = record->names;
}

void view_compare_with(struct view_request *r, const struct record *record)
{
    memcpy(r->other_sha256, record->sha256, sizeof(r->other_sha256));
    memcpy(r->other_member, record->member, sizeof(r->other_member));
    r->other_names = record->names;
}

bool view_request_window(const struct view_request *r, struct window *window)
{
    struct view_options options = r->options;
    struct diag ignored = {0}; /* who took the options has refused what is no window */

    if (r->report != NULL && r->report->takes_lanes)
        return false; /* they show their window of the whole, as a chart does */
    if (r->output == NULL)
        options.view = VIEW_FLAME; /* it is no picture */
    return view_window(&options, window, &ignored);
}

bool view_other_window(const struct view_request *r, struct window *window)
{
    struct view_options options = r->options;
    struct diag ignored = {0}; /* as above; a range that ends before it begins is no range */

    diff_view_of_b(&r->asked.diff, &options);
    return view_window(&options, window, &ignored);
}

void view_of_owner(struct view_options *options, const struct record *record)
{
    struct diag ignored = {0}; /* a record that was changed by hand */

    (void)view_set(options, SCOPE_VIEW, STR("app"), str_of(record->app), &ignored);
}

/* Of a summary: which profile it is of. */
static void describe_profile(const struct view_request *r, struct buf *text)
{
    struct window window;

    if (view_request_window(r, &window))
        buf_printf(text, "|%llu|%llu", (unsigned long long)window.from_ns, (unsigned long long)window.to_ns);
    if (r->options.split[0] != '\0')
        buf_printf(text, "|split=%s", r->options.split);
}

void view_describe(const struct service *service, const struct view_request *r, struct buf *text)
{
    char source[RECORD_SHA256_CHARS + 1];

    record_source(r->sha256, r->member, &r->names, source);
    text->failed = text->failed || source[0] == '\0';
    buf_z(text, source);
    if (view_compares(r)) {
        record_source(r->other_sha256, r->other_member, &r->other_names, source);
        text->failed = text->failed || source[0] == '\0';
        buf_printf(text, "..%s", source);
    }
    buf_char(text, '|');
    buf_z(text, service->boot);
    if (r->output == NULL && r->report == NULL) {
        buf_printf(text, "|summary|%d", SUMMARY_REVISION);
        describe_profile(r, text);
        if (view_compares(r)) {
            diff_canonical(&r->asked.diff, text);
            view_canonical(&r->options, text);
        }
    } else if (r->output == NULL) {
        buf_printf(text, "|report %s.%s|%u|", r->report->name, r->report->format->name,
                   r->report->format->revision);
        report_canonical(&r->asked, text);
        buf_char(text, '|');
        if (r->report->as != NULL)
            buf_str(text, STATIC_FILES_DIGEST); /* as below */
        view_canonical(&r->options, text);
    } else {
        buf_char(text, '|');
        buf_z(text, r->output->name);
        buf_char(text, '|');
        buf_u64(text, r->output->revision);
        buf_char(text, '|');
        buf_str(text, STATIC_FILES_DIGEST); /* pictures hold a script and a style of another version else */
        buf_char(text, '|');
        view_canonical(&r->options, text);
    }
}

bool view_key(const struct service *service, const struct view_request *r, enum encoding e,
              char key[VIEW_KEY_CHARS + 1])
{
    char digest[RECORD_SHA256_CHARS + 1], folder[RECORD_VIEWS_PREFIX_CHARS + 1];
    struct buf text = {0};

    view_describe(service, r, &text);
    digest[0] = '\0';
    if (!text.failed)
        record_sha256_hex(text.p, text.n, digest);
    buf_free(&text);
    record_views_prefix(r->sha256, folder);
    snprintf(key, VIEW_KEY_CHARS + 1, "%s%s%s", folder, digest, encoding_suffix(e));
    return digest[0] != '\0';
}

const char *view_media_type(const struct view_request *r)
{
    return r->output != NULL ? r->output->media_type : r->report->format->media_type;
}

struct str view_etag(const char *key)
{
    return str_of(key + RECORD_VIEWS_PREFIX_CHARS);
}
