#include "server/views/view_draw.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/digest.h"
#include "core/system/folder.h"
#include "core/system/turns.h"
#include "server/convert/profile_id.h"
#include "server/convert/report.h"
#include "server/convert/summary.h"
#include "server/http/message/accept.h"
#include "server/http/reply.h"
#include "server/service.h"
#include "server/store/record.h"
#include "server/store/sweep.h"
#include "server/views/profiles.h"
#include "static/static_files.h"

/* ---- requests ---- */

static inline bool view_compares(const struct view_request *r)
{
    return r->other.sha256[0] != '\0';
}

void view_of(struct view_request *r, const struct record *record)
{
    r->upload = profile_id_of(record);
}

void view_compare_with(struct view_request *r, const struct record *record)
{
    r->other = profile_id_of(record);
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

/* The profile that it is made of: of the upload, with the window and the split that are asked for. */
static struct profile_id view_profile(const struct view_request *r)
{
    struct view_options options = r->options;

    if (r->output == NULL)
        options.view = VIEW_FLAME; /* it is no picture */
    struct profile_id id = asked_of(&r->upload, &options);
    /* Lanes show their window of the whole, as a chart does. */
    return r->report != NULL && (r->report->keys & KEYS_LANES) != 0 ? profile_id_whole(&id) : id;
}

/* The profile that it is compared with. */
static struct profile_id view_other_profile(const struct view_request *r)
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

void view_describe(const struct service *service, const struct view_request *r, struct buf *text)
{
    struct profile_id of = view_profile(r);

    profile_id_canonical(&of, text);
    if (view_compares(r)) {
        of = view_other_profile(r);
        buf_z(text, "..");
        profile_id_canonical(&of, text);
    }
    buf_char(text, '|');
    buf_z(text, service->boot);
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

    view_describe(service, r, &text);
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

/* ---- drawing ---- */

struct shared_bytes *view_read_object(int fd, uint64_t bytes)
{
    struct buf text = {0};
    bool ok =
        bytes < SIZE_MAX && buf_reserve(&text, (size_t)bytes + 1) && file_read_all(fd, (size_t)bytes, &text);

    text.failed = text.failed || !ok;
    return shared_bytes_new(&text);
}

/* ---- drawing ---- */

/* What is drawn: a profile in use, or a comparison, which has no upload of its own. */
struct drawn {
    const struct shared_profile *profile;
    const struct profile_use *use; /* NULL: it is a comparison */
    struct turn *turn;
};

/* With the upload's bytes, for what is made from the log of calls. False: diag. */
static bool open_source(struct service *s, const struct view_request *r, const struct drawn *d,
                        struct profile_source *source, struct diag *diag)
{
    uint64_t bytes;
    int fd = store_access_bytes(s->store, s->log, r->upload.upload, r->upload.sha256, &bytes, diag);

    if (fd >= 0)
        profiles_source(s->profiles, d->use, fd, d->turn, d->turn->stop, source);
    return fd >= 0;
}

static bool make_report(const struct convert_source *source, const struct view_request *r, struct buf *out,
                        struct diag *diag)
{
    const struct report_input in = {.source = *source,
                                    .view = &r->options,
                                    .request = &r->asked,
                                    .method = str_of(r->asked.method),
                                    .format = r->report->format};
    bool ok = r->report->make(&in, out, diag);

    if (ok)
        report_cut(r->report, &r->asked, out);
    return ok;
}

static bool render(struct service *s, const struct view_request *r, const struct drawn *d, struct buf *out,
                   struct diag *diag)
{
    struct profile_source source = {
        .source = {.profile = d->profile, .config = s->config, .fd = -1, .stop = d->turn->stop}};

    if (r->report == NULL && r->output == NULL)
        return summary_write(d->profile, out, diag);
    if (d->use != NULL && view_is_long(r) && !open_source(s, r, d, &source, diag))
        return false;
    bool ok = r->report != NULL ? make_report(&source.source, r, out, diag)
                                : convert_view(&source.source, r->output, &r->options, out, diag);
    if (source.source.fd >= 0)
        close(source.source.fd);
    return ok;
}

/* Puts bytes into the store, if it takes them: if not, the view is made again next time.
 *
 * The upload may be deleted at any time, and this may then write a view behind the removal of its others. So its
 * tombstone is looked for after the write (record_is_gone). Where that takes the network, another machine may delete the
 * upload as well: what is left then is never shown, and goes as other views do that nobody uses. */
static void keep(struct service *s, const struct view_request *r, const char *key, struct str bytes)
{
    if (view_compares(r) || !sweep_take_view_room(s->sweep, bytes.n))
        return;
    /* Room was taken before: views that are written side by side must not pass the limit together. */
    struct local *local = store_local(s->store);
    enum store_result result = local_put(local, key, bytes, LOCAL_EVICTABLE);
    sweep_view_put(s->sweep, bytes.n, result == STORE_OK);
    if (result != STORE_OK && result != STORE_EXISTS)
        LOG(s->log, LOG_WARN, "view-not-kept", LOG_STR("key", str_of(key)),
            LOG_STR("why", str_of(store_reason(result))));
    if (result == STORE_OK && r->upload.upload[0] != '\0' && !store_is_remote(s->store) &&
        record_is_gone(s->store, r->upload.upload))
        local_delete(local, key);
}

static struct shared_bytes *draw(struct service *s, const struct view_request *r, const struct drawn *d,
                                 struct diag *diag)
{
    int64_t begun_ms = clock_ms();
    char key[VIEW_KEY_CHARS + 1];
    struct buf out = {0};

    if (!render(s, r, d, &out, diag)) {
        buf_free(&out);
        return NULL;
    }
    if (view_key(s, r, ENCODING_IDENTITY, key))
        keep(s, r, key, buf_view(&out));
    LOG(s->log, LOG_DEBUG, "drawn", LOG_STR("key", str_of(key)), LOG_U64("bytes", out.n),
        LOG_U64("ms", (uint64_t)(clock_ms() - begun_ms)));
    struct shared_bytes *bytes = shared_bytes_new(&out);
    if (bytes == NULL)
        diag_no_memory(diag, "No memory for the view.");
    return bytes;
}

/* The comparison is made for this view, and freed with it: making one takes a tenth of a reading. */
static struct shared_bytes *draw_comparison(struct service *s, const struct view_request *r,
                                            const struct shared_profile *const runs[2], struct turn *turn,
                                            struct diag *diag)
{
    struct view_request compared = *r;
    struct view_options of_b = r->options;

    diff_view_of_b(&r->asked.diff, &of_b);
    struct convert_runs both = {runs, 1, 1, r->options.open, view_moment(&r->options), view_moment(&of_b)};
    struct shared_profile *profile = convert_compare(s->config, &both, diag);
    if (profile == NULL)
        return NULL;
    convert_compared_options(&compared.options);
    compared.asked.diff.asked = &r->options;
    const struct drawn drawn = {profile, NULL, turn};
    struct shared_bytes *bytes = draw(s, &compared, &drawn, diag);
    shared_profile_free(profile);
    return bytes;
}

/* Of two profiles the first one is used while the other one is read, but waits for no reading: its slot is free. */
struct shared_bytes *view_draw(struct service *s, const struct view_request *r, struct turn *turn,
                               struct diag *diag)
{
    const struct profile_id id = view_profile(r), other_id = view_other_profile(r);
    struct profile_use use = {0}, other = {0};
    struct shared_bytes *bytes = NULL;

    if (profiles_get(s->profiles, &id, -1, turn, &use, diag) == NULL)
        return NULL;
    if (!view_compares(r)) {
        const struct drawn drawn = {use.profile, &use, turn};
        bytes = draw(s, r, &drawn, diag);
    } else {
        profiles_give_slot(s->profiles, &use);
        if (profiles_get(s->profiles, &other_id, -1, turn, &other, diag) != NULL)
            bytes = draw_comparison(s, r, (const struct shared_profile *const[]){use.profile, other.profile},
                                    turn, diag);
    }
    profiles_release(s->profiles, &other);
    profiles_release(s->profiles, &use);
    return bytes;
}

struct shared_bytes *view_encode(struct service *s, const struct view_request *r, enum encoding e,
                                 struct shared_bytes *plain)
{
    char key[VIEW_KEY_CHARS + 1];
    struct buf out = {0};

    if (encoding_apply(e, ENCODING_KEPT, shared_bytes_view(plain), &out) && view_key(s, r, e, key))
        keep(s, r, key, buf_view(&out));
    return shared_bytes_new(&out);
}

bool view_is_long(const struct view_request *r)
{
    return (r->output != NULL && r->options.view == VIEW_CHART) ||
           (r->report != NULL && report_reads_again(r->report, &r->asked));
}
