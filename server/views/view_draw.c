#include "server/views/view_draw.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/folder.h"
#include "server/convert/summary.h"
#include "server/store/record.h"
#include "server/store/sweep.h"
#include "server/views/profiles.h"

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
    int fd = store_access_blob(s->store, s->log, r->upload.sha256, &bytes, diag);

    if (fd >= 0)
        profiles_source(s->profiles, d->use, fd, d->turn, d->turn->stop, source);
    return fd >= 0;
}

static bool render_chart(struct service *s, const struct view_request *r, const struct drawn *d,
                         struct buf *out, struct diag *diag)
{
    struct profile_source source;

    if (!open_source(s, r, d, &source, diag))
        return false;
    bool ok = convert_chart(&source.source, r->output, &r->options, out, diag);
    close(source.source.fd);
    return ok;
}

static bool make_report(struct service *s, const struct view_request *r, const struct drawn *d,
                        struct buf *out, struct diag *diag)
{
    struct profile_source source = {
        .source = {.profile = d->profile, .config = s->config, .fd = -1, .stop = d->turn->stop}};

    if (d->use != NULL && report_reads_again(r->report, &r->asked) && !open_source(s, r, d, &source, diag))
        return false;
    const struct report_input in = {source.source, &r->options, &r->asked};
    bool ok = r->report->make(r->report, &in, out, diag);
    if (source.source.fd >= 0)
        close(source.source.fd);
    return ok;
}

static bool render(struct service *s, const struct view_request *r, const struct drawn *d, struct buf *out,
                   struct diag *diag)
{
    if (r->report != NULL)
        return make_report(s, r, d, out, diag);
    if (r->output == NULL)
        return summary_write(d->profile, out, diag);
    if (r->options.view == VIEW_CHART)
        return render_chart(s, r, d, out, diag);
    return convert_view(d->profile, s->config, r->output, &r->options, d->turn->stop, out, diag);
}

/* Puts bytes into the store, if it takes them: if not, the view is made again next time.
 *
 * The upload may be deleted at any time, and this may then write a view behind the removal of its others. So the uploaded bytes
 * are looked for after the write: if they are gone, the sweep is told, and removes what it finds. They may also not be there
 * yet, where an upload is just being made durable: the sweep looks a moment later, finds them in use, and leaves them. */
static void keep(struct service *s, const struct view_request *r, const char *key, struct str bytes)
{
    char blob[RECORD_BLOB_KEY_CHARS + 1];

    if (view_compares(r) || !sweep_take_view_room(s->sweep, bytes.n))
        return;
    /* Room was taken before: views that are written side by side must not pass the limit together. */
    enum store_result result = store_put(s->store, key, bytes, STORE_EVICTABLE);
    sweep_view_put(s->sweep, bytes.n, result == STORE_OK);
    if (result != STORE_OK && result != STORE_EXISTS)
        LOG(s->log, LOG_WARN, "view-not-kept", LOG_STR("key", str_of(key)),
            LOG_STR("why", str_of(strerror(errno))));
    record_blob_key(r->upload.sha256, blob);
    if (result == STORE_OK && store_exists(s->store, blob) == STORE_NOT_FOUND)
        sweep_content_ended(s->sweep, r->upload.sha256);
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
