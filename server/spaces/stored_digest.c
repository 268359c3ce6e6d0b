#include "server/spaces/stored_digest.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/system/log.h"
#include "server/convert/report.h"
#include "server/store/record_cache.h"
#include "server/store/record_entry.h"
#include "server/store/sweep.h"

enum {
    DIGEST_REVISION = 2,        /* raised when the bytes change for an equal upload */
    DIGEST_BYTES_MAX = 16 << 20 /* names may be long */
};

void stored_digest_view(const struct service *service, const struct record *record, struct view_request *view)
{
    *view = (struct view_request){.report = report_by_name(STR("digest"), STR(""))};
    view_of(view, record);
    report_defaults(service->config, &view->asked);
}

static struct stored_digest_of of_record(const struct record *record)
{
    struct stored_digest_of of = {.entry = record_entry_of(record, ENTRY_DIGEST)};

    memcpy(of.sha256, record->sha256, sizeof(of.sha256));
    return of;
}

/* ---- on this machine ---- */

/* Beside the views of the bytes, with which it goes. */
static void local_key(const struct stored_digest_of *of, char key[STORE_KEY_BYTES])
{
    char prefix[RECORD_VIEWS_PREFIX_CHARS + 1];

    record_views_prefix(of->sha256, prefix);
    snprintf(key, STORE_KEY_BYTES, "%sdigest%d-%s-%s", prefix, DIGEST_REVISION, of->entry.id, of->entry.mark);
}

/* A file is mapped: of a large one a few pages are looked at. */
static bool open_mapped(int fd, uint64_t bytes, struct stored_digest *d)
{
    struct diag ignored = {0};
    void *mapped = bytes == 0 || bytes > DIGEST_BYTES_MAX
                       ? MAP_FAILED
                       : mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, fd, 0);

    close(fd);
    if (mapped == MAP_FAILED)
        return false;
    d->mapped = mapped;
    d->n = (size_t)bytes;
    if (run_digest_open(&d->of, (struct str){mapped, d->n}, &ignored))
        return true;
    stored_digest_close(d);
    return false;
}

static bool find(struct service *service, const char *key, struct stored_digest *d)
{
    uint64_t bytes;
    int fd;

    return local_use(store_local(service->store), key, &fd, &bytes) == STORE_OK && open_mapped(fd, bytes, d);
}

static void keep(struct service *service, const char *key, struct str text)
{
    if (!sweep_take_view_room(service->sweep, text.n))
        return;
    enum store_result put = local_put(store_local(service->store), key, text, LOCAL_DURABLE);
    sweep_view_put(service->sweep, text.n, put == STORE_OK);
}

/* ---- in the object store ---- */

/* It is kept here, so that it is fetched once. */
static bool fetch(struct service *service, struct str space, const struct stored_digest_of *of,
                  const char *key, struct turn *turn, struct stored_digest *d)
{
    char shared[STORE_KEY_BYTES];
    struct buf text = {0};
    struct diag ignored = {0};

    if (!store_is_remote(service->store))
        return false;
    turn_give(turn);
    record_entry_put_key(space, &of->entry, shared);
    bool found = store_read(service->store, shared, DIGEST_BYTES_MAX, &text) == STORE_OK;
    if (found)
        keep(service, key, buf_view(&text));
    turn_take(turn);
    d->bytes = found ? shared_bytes_new(&text) : NULL;
    buf_free(&text);
    if (d->bytes != NULL && run_digest_open(&d->of, shared_bytes_view(d->bytes), &ignored))
        return true;
    stored_digest_close(d);
    return false;
}

static void share(struct service *service, const struct record *record, struct str text)
{
    char key[STORE_KEY_BYTES];

    if (!store_is_remote(service->store))
        return;
    record_entry_key(record, ENTRY_DIGEST, key);
    enum store_result put = store_put(service->store, key, text);
    if (put != STORE_OK && put != STORE_EXISTS)
        LOG(service->log, LOG_WARN, "digest-not-shared", LOG_STR("id", str_of(record->id)),
            LOG_STR("why", str_of(store_reason(put))));
}

/* ---- made of the upload ---- */

static void keep_text(struct service *service, const struct record *record, struct str text)
{
    const struct stored_digest_of of = of_record(record);
    char key[STORE_KEY_BYTES];

    if (record->space[0] == '\0')
        return;
    local_key(&of, key);
    keep(service, key, text);
    share(service, record, text);
}

void stored_digest_keep(struct service *service, const struct record *record, struct view_result *view)
{
    if (view->bytes == NULL && view->fd >= 0)
        view->bytes = view_read_object(view->fd, view->file_bytes);
    if (view->bytes != NULL)
        keep_text(service, record, shared_bytes_view(view->bytes));
}

void stored_digest_keep_on(struct service *service, const struct record *before, const struct record *record)
{
    const struct stored_digest_of of = of_record(before);
    struct stored_digest d = {.mapped = NULL};
    char key[STORE_KEY_BYTES];

    local_key(&of, key);
    if (find(service, key, &d))
        keep_text(service, record, d.of.text);
    stored_digest_close(&d);
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

static enum stored_digest_state make(struct service *service, const char *id, struct turn *turn,
                                     struct stored_digest *d)
{
    struct record record;
    struct view_request view;
    struct view_ahead ahead;
    struct view_result result;
    struct diag ignored = {0};

    enum record_state state = read_record(service, id, turn, &record);
    if (state == RECORD_AWAY)
        return DIGEST_NOT_MADE;
    if (state != RECORD_FOUND && state != RECORD_STALE)
        return DIGEST_NONE;
    stored_digest_view(service, &record, &view);
    views_begin(service->views, &view, NULL, &ahead);
    views_await(service->views, &ahead, turn, &result);
    turn_give(turn);
    stored_digest_keep(service, &record, &result);
    turn_take(turn);
    d->bytes = result.bytes == NULL ? NULL : shared_bytes_ref(result.bytes);
    view_result_free(&result);
    if (d->bytes != NULL && run_digest_open(&d->of, shared_bytes_view(d->bytes), &ignored))
        return DIGEST_FOUND;
    stored_digest_close(d);
    return DIGEST_NONE;
}

enum stored_digest_state stored_digest_open(struct service *service, struct str space,
                                            const struct stored_digest_of *of, struct turn *turn, bool makes,
                                            struct stored_digest *d)
{
    char key[STORE_KEY_BYTES];

    *d = (struct stored_digest){.mapped = NULL};
    if (of->sha256[0] == '\0')
        return DIGEST_NONE;
    local_key(of, key);
    if (find(service, key, d))
        return DIGEST_FOUND;
    if (!makes)
        return DIGEST_NOT_MADE;
    return fetch(service, space, of, key, turn, d) ? DIGEST_FOUND : make(service, of->entry.id, turn, d);
}

void stored_digest_close(struct stored_digest *d)
{
    if (d->mapped != NULL)
        munmap(d->mapped, d->n);
    shared_bytes_unref(d->bytes);
    *d = (struct stored_digest){.mapped = NULL};
}
