#include "server/views/view_request.h"

#include <stdio.h>
#include <string.h>

#include "core/system/digest.h"
#include "server/convert/summary.h"
#include "static/static_files.h"

enum { LIGHT_UPLOAD_BYTES = 64 << 10 };

bool view_is_light(const struct record *record)
{
    bool has_names = false;

    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        has_names = has_names || record->names.of[i][0] != '\0';
    return !has_names && record->size <= LIGHT_UPLOAD_BYTES;
}

void view_of(struct view_request *r, const struct record *record)
{
    r->upload = profile_id_of(record);
    r->is_light = view_is_light(record);
}

void view_compare_with(struct view_request *r, const struct record *record)
{
    r->other = profile_id_of(record);
    r->is_light = r->is_light && view_is_light(record);
}

/* A range that ends before it begins is no range; who took the options has refused it. */
static struct profile_id asked_of(const struct profile_id *upload, const struct view_options *options)
{
    struct profile_id id = *upload;
    struct diag ignored = {0};

    memcpy(id.split, options->split, sizeof(id.split));
    if (!view_window(options, &id.window, &ignored))
        id.window = (struct window){0};
    return id;
}

struct profile_id view_profile(const struct view_request *r)
{
    struct view_options options = r->options;

    if (r->output == NULL)
        options.view = VIEW_FLAME; /* it is no picture */
    struct profile_id id = asked_of(&r->upload, &options);
    /* Lanes show their window of the whole, as a chart does. */
    return r->report != NULL && (r->report->keys & KEYS_LANES) != 0 ? profile_id_whole(&id) : id;
}

struct profile_id view_other_profile(const struct view_request *r)
{
    struct view_options options = r->options;

    diff_view_of_b(&r->asked.diff, &options);
    return asked_of(&r->other, &options);
}

void view_of_owner(struct view_options *options, const struct record *record)
{
    struct diag ignored = {0}; /* a record that was changed by hand */

    (void)view_set(options, KEYS_VIEW, STR("app"), str_of(record->app), &ignored);
}

void view_describe(const char *run, const struct view_request *r, struct buf *text)
{
    struct profile_id of = view_profile(r);

    profile_id_canonical(&of, text);
    if (view_compares(r)) {
        of = view_other_profile(r);
        buf_z(text, "..");
        profile_id_canonical(&of, text);
    }
    buf_char(text, '|');
    buf_z(text, run);
    if (r->output == NULL && r->report == NULL) {
        buf_printf(text, "|summary|%d", SUMMARY_REVISION);
        if (view_compares(r))
            asked_canonical(&r->asked, KEYS_OF_VIEWS | KEYS_COMPARED, text);
    } else if (r->output == NULL) {
        buf_printf(text, "|report %s.%s|%u|", r->report->name, r->report->format->name,
                   r->report->format->revision);
        report_canonical(&r->asked, text);
        buf_char(text, '|');
        if (r->report->as != NULL)
            buf_str(text, STATIC_FILES_DIGEST); /* as below */
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

    view_describe(service->boot, r, &text);
    digest[0] = '\0';
    if (!text.failed)
        digest_hex_of(text.p, text.n, digest);
    buf_free(&text);
    record_views_prefix(r->upload.sha256, folder);
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

bool view_is_long(const struct view_request *r)
{
    return (r->output != NULL && r->options.view == VIEW_CHART) ||
           (r->report != NULL && report_reads_again(r->report, &r->asked));
}
