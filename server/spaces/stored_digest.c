#include "server/spaces/stored_digest.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "server/convert/report.h"
#include "server/store/record_cache.h"

void stored_digest_view(const struct service *service, const struct record *record, struct view_request *view)
{
    *view = (struct view_request){.report = report_by_name(STR("digest"), STR(""))};
    view_of(view, record);
    report_defaults(service->config, &view->asked);
}

/* Takes over what the result holds. Files are mapped: of a large one a few pages are looked at. */
static bool take(struct view_result *result, struct stored_digest *d)
{
    struct diag ignored = {0};
    struct str text = STR("");

    if (result->bytes != NULL) {
        d->bytes = shared_bytes_ref(result->bytes);
        text = shared_bytes_view(d->bytes);
    } else if (result->fd >= 0 && result->file_bytes > 0) {
        void *mapped = mmap(NULL, (size_t)result->file_bytes, PROT_READ, MAP_PRIVATE, result->fd, 0);
        if (mapped != MAP_FAILED) {
            d->mapped = mapped;
            d->n = (size_t)result->file_bytes;
            text = (struct str){mapped, d->n};
        }
    }
    view_result_free(result);
    return run_digest_open(&d->of, text, &ignored);
}

enum stored_digest_state stored_digest_open(struct service *service, const char *id, struct turn *turn,
                                            struct stored_digest *d)
{
    struct record record;
    struct view_request view;
    struct view_result result;

    *d = (struct stored_digest){.mapped = NULL};
    enum record_state state = record_cache_read(service->record_cache, str_of(id), time(NULL), &record);
    if (state == RECORD_AWAY)
        return DIGEST_NOT_MADE;
    if (state != RECORD_FOUND && state != RECORD_STALE)
        return DIGEST_NONE;
    stored_digest_view(service, &record, &view);
    if (turn == NULL) {
        if (!views_find(service->views, &view, &result))
            return DIGEST_NOT_MADE;
    } else {
        struct view_ahead ahead;
        views_begin(service->views, &view, NULL, &ahead);
        views_await(service->views, &ahead, turn, &result);
    }
    if (take(&result, d))
        return DIGEST_FOUND;
    stored_digest_close(d);
    return DIGEST_NONE;
}

void stored_digest_close(struct stored_digest *d)
{
    if (d->mapped != NULL)
        munmap(d->mapped, d->n);
    shared_bytes_unref(d->bytes);
}
