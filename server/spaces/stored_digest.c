#include "server/spaces/stored_digest.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/system/log.h"
#include "server/convert/report.h"
#include "server/store/record_cache.h"
#include "server/store/record_entry.h"

enum { DIGEST_BYTES_MAX = 16 << 20 }; /* names may be long */

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

static bool is_shared(const struct service *service, const struct record *record)
{
    return record->space[0] != '\0' && store_is_remote(service->store);
}

/* From the object store. It is kept here, so that it is fetched once. */
static bool fetch(struct service *service, const struct record *record, const struct view_request *view,
                  struct turn *turn, struct view_result *result)
{
    char key[STORE_KEY_BYTES];
    struct buf text = {0};
    struct run_digest digest;
    struct diag ignored = {0};

    if (!is_shared(service, record))
        return false;
    turn_give(turn);
    record_entry_key(record, ENTRY_DIGEST, key);
    bool found = store_read(service->store, key, DIGEST_BYTES_MAX, &text) == STORE_OK &&
                 run_digest_open(&digest, buf_view(&text), &ignored);
    turn_take(turn);
    *result = (struct view_result){.fd = -1};
    if (found) {
        view_keep(service, view, buf_view(&text));
        result->bytes = shared_bytes_new(&text);
    }
    buf_free(&text);
    return result->bytes != NULL;
}

void stored_digest_share(struct service *service, const struct record *record)
{
    char key[STORE_KEY_BYTES];
    struct view_request view;
    struct view_result result;

    if (!is_shared(service, record))
        return;
    stored_digest_view(service, record, &view);
    if (!views_find(service->views, &view, &result))
        return;
    if (result.bytes == NULL)
        result.bytes = view_read_object(result.fd, result.file_bytes);
    record_entry_key(record, ENTRY_DIGEST, key);
    if (result.bytes != NULL) {
        enum store_result put = store_put(service->store, key, shared_bytes_view(result.bytes));
        if (put != STORE_OK && put != STORE_EXISTS)
            LOG(service->log, LOG_WARN, "digest-not-shared", LOG_STR("id", str_of(record->id)),
                LOG_STR("why", str_of(store_reason(put))));
    }
    view_result_free(&result);
}

static enum record_state read_record(struct service *service, const char *id, struct turn *turn,
                                     struct record *record)
{
    int64_t now_s = time(NULL);
    enum record_state state;

    if (record_cache_find(service->record_cache, str_of(id), now_s, &state, record))
        return state;
    if (store_is_remote(service->store))
        turn_give(turn);
    state = record_cache_read(service->record_cache, str_of(id), now_s, record);
    turn_take(turn);
    return state;
}

enum stored_digest_state stored_digest_open(struct service *service, const char *id, struct turn *turn,
                                            bool makes, struct stored_digest *d)
{
    struct record record;
    struct view_request view;
    struct view_result result;

    *d = (struct stored_digest){.mapped = NULL};
    enum record_state state = read_record(service, id, turn, &record);
    if (state == RECORD_AWAY)
        return DIGEST_NOT_MADE;
    if (state != RECORD_FOUND && state != RECORD_STALE)
        return DIGEST_NONE;
    stored_digest_view(service, &record, &view);
    if (!views_find(service->views, &view, &result) &&
        !(makes && fetch(service, &record, &view, turn, &result))) {
        struct view_ahead ahead;
        if (!makes)
            return DIGEST_NOT_MADE;
        views_begin(service->views, &view, NULL, &ahead);
        views_await(service->views, &ahead, turn, &result);
        stored_digest_share(service, &record);
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
