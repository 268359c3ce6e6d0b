#include "server/store/sweep_pass.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/store/kept.h"
#include "server/store/record.h"

enum {
    DAY_S = 86400,
    CLASS_S = 600, /* Views are counted by age in classes of this many seconds. */
    CLASSES = SWEEP_VIEW_DAYS * DAY_S / CLASS_S,
    BLOCK_BYTES = 4096, /* of the disk: a file takes whole blocks */
    LOGGED_MOST = 20    /* lines for single objects of one kind; the line of the sweep has their number */
};

struct pass {
    struct store *store;
    const struct log *log;
    const struct sweep_plan *plan;
    struct sweep_done done;

    /* The views. */
    char content[RECORD_SHA256_CHARS + 1]; /* of the view before: most come one after another */
    bool content_is_there;
    uint64_t bytes[CLASSES]; /* of each class of age, the youngest first */
    unsigned cut;    /* the class of which a part goes; older classes go as a whole, younger ones stay */
    uint64_t excess; /* bytes of the class `cut` that are still to go */
};

/* The pass of one content has no plan, and is never cut off. */
static bool go_on(struct pass *p)
{
    p->done.cut_off = p->done.cut_off || (p->plan != NULL && !p->plan->go_on(p->plan->context));
    return !p->done.cut_off;
}

/* Counts and logs a failure. The sweep goes on with the other objects. */
static bool worked(struct pass *p, enum store_result result, const char *key)
{
    if (result == STORE_OK)
        return true;
    if (p->done.failed++ < LOGGED_MOST)
        LOG(p->log, LOG_WARN, "sweep-failed", LOG_STR("key", str_of(key)),
            LOG_STR("why", str_of(strerror(errno))));
    return false;
}

/* An object whose time of use is in the future, from when the clock was wrong, would be kept for ever. It
 * counts as used now. True if it was such a one. */
static bool begin_anew(const struct pass *p, const struct store_object *object)
{
    uint64_t bytes;
    int fd;

    if (object->used_s <= p->plan->clock_s + DAY_S)
        return false;
    if (store_get(p->store, object->key, &fd, &bytes) == STORE_OK)
        close(fd);
    return true;
}

struct walk {
    struct pass *pass;
    void (*each)(struct pass *p, const struct store_object *object);
};

static bool visit(void *walk, const struct store_object *object)
{
    const struct walk *w = walk;

    if (!go_on(w->pass))
        return false;
    w->each(w->pass, object);
    return true;
}

static void walk(struct pass *p, const char *folder,
                 void (*each)(struct pass *p, const struct store_object *object))
{
    struct walk w = {p, each};

    if (!p->done.cut_off)
        (void)worked(p, store_list(p->store, folder, visit, &w), folder);
}

/* ---- uploads ---- */

/* The id in a key "<folder><id><suffix>"; the suffix begins with a dot. */
static struct str id_in(const char *key, struct str folder)
{
    struct str name = {key + folder.n, strlen(key) - folder.n};

    name.n = str_find(name, '.');
    return name;
}

/* `sha256` is one of what the record needs. */
static void check_blob(struct pass *p, const struct record *r, const char *sha256)
{
    char key[RECORD_BLOB_KEY_CHARS + 1];

    record_blob_key(sha256, key);
    /* A disk that fails does not say that the blob is missing. */
    if (store_exists(p->store, key) != STORE_NOT_FOUND)
        return;
    if (p->done.broken++ < LOGGED_MOST)
        LOG(p->log, LOG_ERROR, "blob-missing", LOG_STR("id", str_of(r->id)),
            LOG_STR("sha256", str_of(sha256)));
}

/* The id of an upload, once for all its revisions: those behind the first one stand for it only where that is missing,
 * which a power cut may have brought about while the upload ended. */
static struct str upload_in(struct pass *p, const struct store_object *object)
{
    char first[STORE_KEY_BYTES];
    struct str id = id_in(object->key, STR("uploads/"));
    size_t slash = str_find(id, '/');

    if (slash == id.n)
        return id;
    snprintf(first, sizeof(first), "uploads/%.*s.json", (int)slash, id.p);
    return (struct str){id.p, store_exists(p->store, first) == STORE_NOT_FOUND ? slash : 0};
}

static void sweep_upload(struct pass *p, const struct store_object *object)
{
    struct str id = upload_in(p, object);
    struct record r;
    bool expired;

    if (!record_id_valid(id))
        return;
    enum record_state state = record_read(p->store, id, p->plan->now_s, &r);
    if (state == RECORD_FOUND) {
        kept_count(p->plan->kept, &r);
        if (r.expires_s < p->done.next_expires_s)
            p->done.next_expires_s = r.expires_s;
        check_blob(p, &r, r.sha256);
        for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
            if (r.names.of[i][0] != '\0')
                check_blob(p, &r, r.names.of[i]);
    } else if (state == RECORD_BROKEN) {
        if (p->done.broken++ < LOGGED_MOST)
            LOG(p->log, LOG_ERROR, "record-broken", LOG_STR("id", id));
    } else if (state == RECORD_GONE &&
               worked(p, record_expire(p->store, id, p->plan->now_s, p->plan->clock_s, &expired),
                      object->key)) {
        p->done.expired += expired;
        if (expired) {
            kept_give(p->plan->kept, &r);
            p->plan->ended(p->plan->context, r.sha256);
        }
        for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
            if (expired && r.names.of[i][0] != '\0')
                p->plan->ended(p->plan->context, r.names.of[i]);
    }
}

static void sweep_tombstone(struct pass *p, const struct store_object *object)
{
    struct str id = id_in(object->key, STR("gone/"));
    bool forgotten;

    if (worked(p, record_forget(p->store, id, p->plan->now_s, &forgotten), object->key))
        p->done.forgotten += forgotten;
}

/* Whether the object was removed, since nothing has used it for so long. */
static bool remove_unneeded(struct pass *p, const struct store_object *object,
                            enum store_result (*remove)(struct store *s, const char *key, int64_t before_s,
                                                        bool *removed))
{
    int64_t before_s = p->plan->unneeded_before_s;
    bool removed;

    return !begin_anew(p, object) && object->used_s < before_s &&
           worked(p, remove(p->store, object->key, before_s, &removed), object->key) && removed;
}

static void sweep_ref(struct pass *p, const struct store_object *object)
{
    p->done.refs += remove_unneeded(p, object, record_remove_ref);
}

static void sweep_blob(struct pass *p, const struct store_object *object)
{
    uint64_t bytes = sweep_on_disk(object->bytes);

    if (remove_unneeded(p, object, record_remove_blob)) {
        p->done.blobs++;
        p->done.blob_bytes += bytes;
    }
}

/* ---- views ---- */

uint64_t sweep_on_disk(uint64_t bytes)
{
    return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

/* The class of its age. CLASSES: it was not used for SWEEP_VIEW_DAYS. */
static unsigned age_of(const struct pass *p, const struct store_object *object)
{
    int64_t age_s = p->plan->now_s - object->used_s;

    if (age_s < 0)
        return 0;
    return age_s / CLASS_S < CLASSES ? (unsigned)(age_s / CLASS_S) : CLASSES;
}

/* Whether the blob of this view is gone. A view of an older version does not say of which blob it is. */
static bool is_of_gone(struct pass *p, const struct store_object *object)
{
    enum { FOLDER_CHARS = sizeof("views/ab/") - 1 };
    struct str sha256 = {object->key + FOLDER_CHARS, RECORD_SHA256_CHARS};
    char key[RECORD_BLOB_KEY_CHARS + 1];

    if (strlen(object->key) <= RECORD_VIEWS_PREFIX_CHARS || !record_sha256_valid(sha256))
        return false;
    if (strncmp(p->content, sha256.p, sha256.n) != 0) {
        memcpy(p->content, sha256.p, sha256.n);
        record_blob_key(p->content, key);
        p->content_is_there = store_exists(p->store, key) != STORE_NOT_FOUND;
    }
    return !p->content_is_there;
}

static void evict(struct pass *p, const struct store_object *object)
{
    uint64_t bytes = sweep_on_disk(object->bytes);
    enum store_result result = store_evict(p->store, object->key);

    if (result == STORE_NOT_FOUND || !worked(p, result, object->key))
        return;
    p->done.views++;
    p->done.view_bytes += bytes;
}

static void count_view(struct pass *p, const struct store_object *object)
{
    unsigned age = begin_anew(p, object) ? 0 : age_of(p, object);
    if (age == CLASSES || (object->used_s < p->plan->unneeded_before_s && is_of_gone(p, object)))
        evict(p, object);
    else
        p->bytes[age] += sweep_on_disk(object->bytes);
}

static void evict_view(struct pass *p, const struct store_object *object)
{
    uint64_t bytes = sweep_on_disk(object->bytes);

    unsigned age = age_of(p, object);
    if (age < p->cut || (age == p->cut && p->excess == 0))
        return;
    if (age == p->cut)
        p->excess -= bytes < p->excess ? bytes : p->excess;
    evict(p, object);
}

/* How many of `total` bytes of views may stay. */
static uint64_t target_of(const struct sweep_plan *plan, uint64_t total)
{
    uint64_t target =
        total > plan->view_bytes_most ? plan->view_bytes_most - plan->view_bytes_most / 10 : total;

    return plan->full && target > total / 2 ? total / 2 : target;
}

static void sweep_views(struct pass *p)
{
    uint64_t total = 0, kept = 0;
    unsigned age = 0;

    walk(p, "views/", count_view);
    for (unsigned i = 0; i < CLASSES; i++)
        total += p->bytes[i];
    uint64_t target = target_of(p->plan, total);
    p->done.kept_bytes = total;
    if (target == total)
        return;
    /* It ends within the classes: together they have `total` bytes, which is more than the target. */
    for (; kept + p->bytes[age] <= target; age++)
        kept += p->bytes[age];
    p->cut = age;
    p->excess = p->bytes[age] - (target - kept);
    uint64_t evicted_before = p->done.view_bytes;
    walk(p, "views/", evict_view);
    p->done.kept_bytes -= p->done.view_bytes - evicted_before;
}

struct sweep_done sweep_pass(struct store *s, const struct log *log, const struct sweep_plan *plan)
{
    struct pass p = {.store = s, .log = log, .plan = plan, .done = {.next_expires_s = INT64_MAX}};

    if (plan->full || plan->what == SWEEP_VIEWS)
        sweep_views(&p);
    if (plan->what == SWEEP_ALL)
        kept_count_begin(plan->kept);
    if (plan->what != SWEEP_VIEWS)
        walk(&p, "uploads/", sweep_upload);
    if (plan->what != SWEEP_ALL)
        return p.done;
    kept_count_end(plan->kept, !p.done.cut_off);
    walk(&p, "gone/", sweep_tombstone);
    walk(&p, "refs/", sweep_ref);
    walk(&p, "blobs/", sweep_blob);
    if (!plan->full)
        sweep_views(&p);
    return p.done;
}

/* ---- one content ---- */

/* The views go after the blob: who puts one looks then whether the blob is there, and tells if it is not.
 * So no view is left behind by a walk that was too early. */
bool sweep_content(struct store *s, const struct log *log, const char *sha256, int64_t before_s,
                   struct sweep_done *done)
{
    struct pass p = {.store = s, .log = log, .done = *done};
    char blob[RECORD_BLOB_KEY_CHARS + 1], views[RECORD_VIEWS_PREFIX_CHARS + 1];
    struct store_object o = {.bytes = 0};
    bool removed, needed = false;

    record_blob_key(sha256, blob);
    record_views_prefix(sha256, views);
    enum store_result found = store_look(s, blob, &o);
    bool ok = worked(&p, record_remove_blob(s, blob, before_s, &removed), blob);
    if (ok && removed) {
        p.done.blobs++;
        p.done.blob_bytes += sweep_on_disk(o.bytes);
    }
    if (ok && !removed && found != STORE_NOT_FOUND)
        ok = worked(&p, record_content_needed(s, sha256, &needed), blob);
    bool is_gone = ok && (removed || found == STORE_NOT_FOUND);
    if (is_gone)
        walk(&p, views, evict);
    *done = p.done;
    return !ok || needed || is_gone; /* what failed is left to the next sweep of all */
}
