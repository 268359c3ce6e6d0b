#include "server/store/sweep_pass.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/hash.h"
#include "core/idmap.h"
#include "core/system/random_bytes.h"
#include "server/store/kept.h"
#include "server/store/record.h"
#include "server/store/record_entry.h"

/* ---- the index ---- */

struct swept_upload {
    char id[RECORD_ID_CHARS + 1];
    bool has_first, has_bytes; /* its first revision, and its bytes, were listed by this sweep */
    uint32_t revision;         /* the highest that was listed by this sweep */
    uint32_t read;             /* the revision that what follows is from; 0: it was never read */
    int64_t expires_s;
    uint64_t content;  /* sweep_index_content of its bytes */
    int64_t checked_s; /* when what says that it needs files, and what lists it, was looked at last */
};

struct table {
    struct arena arena;
    struct idmap places; /* from the hash of an id to its place in `of` */
    struct swept_upload *of;
    size_t n, capacity;
    bool failed; /* without memory for one of them */
};

struct sweep_index {
    struct hash_seed seed;
    struct table now, last;
    bool is_whole; /* `now` is of a sweep that has ended and has seen all */
};

static void table_begin(struct table *t, struct hash_seed seed)
{
    *t = (struct table){.n = 0};
    arena_init(&t->arena, SIZE_MAX);
    idmap_init(&t->places, &t->arena, seed);
}

/* Only the arena of a moved table is at another place now. */
static void table_move(struct table *to, struct table *from, struct hash_seed seed)
{
    arena_free(&to->arena);
    *to = *from;
    to->places.arena = &to->arena;
    table_begin(from, seed);
}

static uint64_t hash_of(const struct sweep_index *x, const char *id)
{
    return hash_bytes(x->seed, id, RECORD_ID_CHARS);
}

static struct swept_upload *table_find(struct table *t, uint64_t hash, const char *id)
{
    uint32_t at = idmap_get(&t->places, hash);

    return at != IDMAP_NONE && memcmp(t->of[at].id, id, RECORD_ID_CHARS) == 0 ? &t->of[at] : NULL;
}

struct sweep_index *sweep_index_new(void)
{
    struct sweep_index *x = calloc(1, sizeof(*x));

    if (x == NULL || !random_bytes(&x->seed, sizeof(x->seed))) {
        free(x);
        return NULL;
    }
    table_begin(&x->now, x->seed);
    table_begin(&x->last, x->seed);
    return x;
}

void sweep_index_free(struct sweep_index *x)
{
    if (x == NULL)
        return;
    arena_free(&x->now.arena);
    arena_free(&x->last.arena);
    free(x);
}

/* A sweep begins: no upload was listed yet, and those of the last one are remembered. */
static void sweep_index_begin(struct sweep_index *x)
{
    table_move(&x->last, &x->now, x->seed);
    x->is_whole = false;
}

/* One that finds no memory is as one that was not listed: the caller has to ask sweep_index_is_whole. */
static struct swept_upload *add(struct sweep_index *x, const char *id)
{
    struct table *t = &x->now;
    uint64_t hash = hash_of(x, id);
    const struct swept_upload *before = table_find(&x->last, hash, id);

    if (t->n >= IDMAP_NONE || !ARENA_ROOM(&t->arena, t->of, t->capacity, t->n + 1) ||
        !idmap_set(&t->places, hash, (uint32_t)t->n)) {
        t->failed = true;
        return NULL;
    }
    struct swept_upload *u = &t->of[t->n++];
    *u = before != NULL ? *before : (struct swept_upload){.read = 0};
    memcpy(u->id, id, RECORD_ID_CHARS);
    u->id[RECORD_ID_CHARS] = '\0';
    u->has_first = u->has_bytes = false;
    u->revision = 0;
    return u;
}

/* NULL: it was not listed. */
static struct swept_upload *sweep_index_find(struct sweep_index *x, const char *id)
{
    return table_find(&x->now, hash_of(x, id), id);
}

/* A revision of this upload was listed. */
static void sweep_index_note(struct sweep_index *x, const char *id, uint32_t revision)
{
    struct swept_upload *u = sweep_index_find(x, id);

    if (u == NULL)
        u = add(x, id);
    if (u == NULL)
        return;
    u->has_first = u->has_first || revision == 1;
    u->revision = revision > u->revision ? revision : u->revision;
}

size_t sweep_index_count(const struct sweep_index *x)
{
    return x->now.n;
}

static struct swept_upload *sweep_index_at(struct sweep_index *x, size_t i)
{
    return &x->now.of[i];
}

/* The sweep ends. Unless it has seen the `whole` store, the next one remembers what this one did at its beginning. */
static void sweep_index_end(struct sweep_index *x, bool whole)
{
    x->is_whole = whole && !x->now.failed;
    if (!x->is_whole)
        table_move(&x->now, &x->last, x->seed);
    arena_free(&x->last.arena);
    table_begin(&x->last, x->seed);
}

bool sweep_index_is_whole(const struct sweep_index *x)
{
    return x->is_whole;
}

/* For maps of such numbers. */
static struct hash_seed sweep_index_seed(const struct sweep_index *x)
{
    return x->seed;
}

/* A number for a digest, or another text: of two texts it differs. */
static uint64_t sweep_index_content(const struct sweep_index *x, struct str text)
{
    return hash_bytes(x->seed, text.p, text.n);
}

enum {
    DAY_S = 86400,
    SOON_S = 60,
    CLASS_S = 600, /* Views are counted by age in classes of this many seconds. */
    CLASSES = SWEEP_VIEW_DAYS * DAY_S / CLASS_S,
    BLOCK_BYTES = 4096, /* of the disk: a file takes whole blocks */
    LOGGED_MOST = 20    /* lines for single objects of one kind; the line of the sweep has their number */
};

static const char VIEWS[] = "views/";

struct pass {
    struct store *store;
    struct local *local; /* where the views are */
    const struct log *log;
    const struct sweep_plan *plan;
    struct sweep_done done;

    struct sweep_index *index;
    struct arena arena;      /* of the three sets */
    struct idmap tombstones; /* ids, as numbers (sweep_index_content) */
    struct idmap needed;     /* keys of files of names that some upload needs, likewise */
    struct idmap contents;   /* the digests of all bytes of which there is a record, likewise */
    bool contents_known;     /* all of them are noted */
    bool owners_known;       /* all records were read: the counts of kept are right */

    /* The views. */
    uint64_t bytes[CLASSES]; /* of each class of age, the youngest first */
    unsigned cut;    /* the class of which a part goes; older classes go as a whole, younger ones stay */
    uint64_t excess; /* bytes of the class `cut` that are still to go */
};

static bool go_on(struct pass *p)
{
    p->done.cut_off = p->done.cut_off || !p->plan->go_on(p->plan->context);
    return !p->done.cut_off;
}

/* Counts and logs a failure. The sweep goes on with the other objects. */
static bool worked(struct pass *p, enum store_result result, const char *key)
{
    if (result == STORE_OK)
        return true;
    if (p->done.failed++ < LOGGED_MOST)
        LOG(p->log, LOG_WARN, "sweep-failed", LOG_STR("key", str_of(key)),
            LOG_STR("why", str_of(store_reason(result))));
    return false;
}

/* An object of this machine whose time is in the future, from when the clock was wrong, would be kept for ever. It
 * counts as used now. True if it was such a one. */
static bool begin_anew(const struct pass *p, const struct store_object *object)
{
    uint64_t bytes;
    int fd;

    if (object->time_s <= p->plan->clock_s + DAY_S)
        return false;
    if (local_use(p->local, object->key, &fd, &bytes) == STORE_OK)
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

/* Whether all were seen. */
static bool walk(struct pass *p, const char *folder,
                 void (*each)(struct pass *p, const struct store_object *object))
{
    struct walk w = {p, each};

    return !p->done.cut_off && worked(p, store_list(p->store, folder, visit, &w), folder) && !p->done.cut_off;
}

static void walk_views(struct pass *p, void (*each)(struct pass *p, const struct store_object *object))
{
    struct walk w = {p, each};

    if (!p->done.cut_off)
        (void)worked(p, local_list(p->local, VIEWS, visit, &w), VIEWS);
}

/* ---- uploads ---- */

/* The id in a key "<folder><id><suffix>"; the suffix begins with a dot. */
static struct str id_in(const char *key, struct str folder)
{
    struct str name = {key + folder.n, strlen(key) - folder.n};

    name.n = str_find(name, '.');
    return name;
}

/* A disk that fails does not say that an object is missing. */
static void check_is_there(struct pass *p, const struct record *r, const char *key)
{
    if (store_exists(p->store, key) != STORE_NOT_FOUND)
        return;
    if (p->done.broken++ < LOGGED_MOST)
        LOG(p->log, LOG_ERROR, "bytes-missing", LOG_STR("id", str_of(r->id)), LOG_STR("key", str_of(key)));
}

static void check_names(struct pass *p, const struct record *r)
{
    char key[STORE_KEY_BYTES];

    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if (r->names.of[i][0] != '\0') {
            record_names_key(r->names.of[i], r->names.period[i], key);
            check_is_there(p, r, key);
        }
}

static uint64_t number_of(const struct pass *p, struct str text)
{
    return sweep_index_content(p->index, text);
}

/* What is in no set is looked at, so that one without memory costs time alone. */
static void note_in(const struct pass *p, struct idmap *set, struct str text)
{
    bool noted = idmap_set(set, number_of(p, text), 1);

    (void)noted;
}

static bool is_in(const struct pass *p, const struct idmap *set, struct str text)
{
    return idmap_get(set, number_of(p, text)) != IDMAP_NONE;
}

/* False: it did not work. */
static bool expire(struct pass *p, const char *key, struct str id, const struct record *r)
{
    uint64_t bytes = sweep_on_disk(record_bytes_alone(p->store, r->id));
    bool expired;

    if (!worked(p, record_expire(p->store, id, p->plan->now_s, p->plan->clock_s, &expired), key))
        return false;
    if (!expired)
        return true;
    p->done.expired++;
    p->done.blobs++;
    p->done.blob_bytes += bytes;
    kept_give(p->plan->kept, r);
    return true;
}

/* Notes the revision. */
static void list_upload(struct pass *p, const struct store_object *object)
{
    struct str id = id_in(object->key, STR("uploads/"));
    size_t slash = str_find(id, '/');
    uint64_t revision = 1;

    if (slash < id.n && !str_to_u64(str_from(id, slash + 1), 10, &revision))
        return;
    id.n = slash;
    if (record_id_valid(id) && revision < UINT32_MAX)
        sweep_index_note(p->index, id.p, (uint32_t)revision);
}

/* What stays of an upload. */
static void keep_upload(struct pass *p, const struct swept_upload *u)
{
    if (u->expires_s < p->done.next_expires_s)
        p->done.next_expires_s = u->expires_s;
    p->contents_known = p->contents_known && idmap_set(&p->contents, u->content, 1);
}

static void soon(struct pass *p)
{
    int64_t soon_s = p->plan->now_s + SOON_S;

    if (soon_s < p->done.next_expires_s)
        p->done.next_expires_s = soon_s;
}

static void read_upload(struct pass *p, struct swept_upload *u)
{
    char key[STORE_KEY_BYTES];
    struct record r;
    struct str id = str_of(u->id);

    enum record_state state = record_read(p->store, id, p->plan->now_s, &r);
    if (state == RECORD_AWAY || state == RECORD_BROKEN)
        p->contents_known = p->owners_known = false;
    if (state == RECORD_AWAY) { /* what an earlier sweep has read may still be so: soon again */
        p->done.failed++;
        soon(p);
        return;
    }
    u->read = 0;
    if (state == RECORD_FOUND) {
        kept_count(p->plan->kept, &r);
        check_names(p, &r);
        u->read = u->revision;
        u->expires_s = r.expires_s;
        u->content = number_of(p, str_of(r.sha256));
        keep_upload(p, u);
    } else if (state == RECORD_BROKEN) {
        if (p->done.broken++ < LOGGED_MOST)
            LOG(p->log, LOG_ERROR, "record-broken", LOG_STR("id", id));
    } else if (state == RECORD_GONE && r.id[0] != '\0') {
        snprintf(key, sizeof(key), "uploads/%s", u->id);
        if (!expire(p, key, id, &r)) {
            u->read = u->revision;
            u->expires_s = p->plan->now_s;
            soon(p);
        }
    }
}

/* A record that was read by an earlier sweep, and has not changed, is believed to be as it was. Its owner is not known from then. */
static void sweep_upload(struct pass *p, struct swept_upload *u)
{
    bool is_known = p->plan->believes_index && u->has_first && u->read == u->revision &&
                    u->expires_s > p->plan->now_s && p->plan->kept == NULL &&
                    !is_in(p, &p->tombstones, str_of(u->id));

    if (is_known)
        keep_upload(p, u);
    else
        read_upload(p, u);
}

/* Whether all were seen. */
static bool sweep_uploads(struct pass *p)
{
    bool whole = walk(p, "uploads/", list_upload);

    for (size_t i = 0; i < sweep_index_count(p->index) && go_on(p); i++)
        sweep_upload(p, sweep_index_at(p->index, i));
    return whole && !p->done.cut_off;
}

/* Those that the last sweep of all has seen. An upload is kept for a day at least, and all are swept more often. */
static void expire_known(struct pass *p)
{
    for (size_t i = 0; i < sweep_index_count(p->index) && go_on(p); i++) {
        struct swept_upload *u = sweep_index_at(p->index, i);
        if (u->read == 0)
            continue;
        if (u->expires_s <= p->plan->now_s)
            read_upload(p, u);
        else if (u->expires_s < p->done.next_expires_s)
            p->done.next_expires_s = u->expires_s;
    }
}

/* The tombstone's own text is read when it may be old enough. */
static void sweep_tombstone(struct pass *p, const struct store_object *object)
{
    struct str id = id_in(object->key, STR("gone/"));
    bool forgotten;

    note_in(p, &p->tombstones, id);
    if (p->plan->believes_index && p->plan->now_s - object->time_s < (int64_t)(RECORD_GONE_DAYS - 1) * DAY_S)
        return;
    if (worked(p, record_forget(p->store, id, p->plan->now_s, &forgotten), object->key))
        p->done.forgotten += forgotten;
}

static void sweep_bytes(struct pass *p, const struct store_object *object)
{
    uint64_t bytes = object->shares == 1 ? sweep_on_disk(object->bytes) : 0;
    struct str id = id_in(object->key, STR("bytes/"));
    struct swept_upload *u = record_id_valid(id) ? sweep_index_find(p->index, id.p) : NULL;
    bool removed;

    if (u != NULL)
        u->has_bytes = true;
    p->done.upload_bytes += sweep_on_disk(object->bytes) / object->shares;
    /* An object store has a clock of its own. */
    if (!store_is_remote(p->store) && begin_anew(p, object))
        return;
    if ((u != NULL && u->read != 0) ||
        !worked(p, record_remove_bytes(p->store, object, p->plan->unneeded_before_s, &removed),
                object->key) ||
        !removed)
        return;
    p->done.blobs++;
    p->done.blob_bytes += bytes;
    p->done.upload_bytes -= bytes;
}

/* All bytes were listed. Those of an upload that has ended meanwhile are not missing. */
static void check_bytes(struct pass *p)
{
    char key[STORE_KEY_BYTES];
    struct record r;

    for (size_t i = 0; i < sweep_index_count(p->index) && go_on(p); i++) {
        const struct swept_upload *u = sweep_index_at(p->index, i);
        record_bytes_key(u->id, key);
        if (u->read != 0 && !u->has_bytes &&
            record_read(p->store, str_of(u->id), p->plan->now_s, &r) == RECORD_FOUND)
            check_is_there(p, &r, key);
    }
}

/* Whether what belongs to the upload was looked at within the last day, when its record was the same. */
static bool is_checked(const struct pass *p, const char *id)
{
    const struct swept_upload *u = sweep_index_find(p->index, id);

    return p->plan->believes_index && u != NULL && u->read != 0 && p->plan->now_s - u->checked_s < DAY_S &&
           p->plan->now_s >= u->checked_s;
}

static bool remove_names(struct pass *p, const struct store_object *object)
{
    bool removed = false;

    return worked(p, record_remove_names(p->store, object->key, p->plan->now_s, &removed), object->key) &&
           removed;
}

static const struct str FOR = STR_INIT(".for/");

/* First what says that a file is needed, and then the files. */
static void sweep_need(struct pass *p, const struct store_object *object)
{
    struct str key = str_of(object->key);
    size_t at = str_find_str(key, FOR);

    if (at == key.n)
        return;
    if (record_id_valid(str_from(key, at + FOR.n)) && !is_checked(p, key.p + at + FOR.n) &&
        remove_names(p, object))
        p->done.refs++;
    else
        note_in(p, &p->needed, (struct str){key.p, at});
}

static void sweep_names(struct pass *p, const struct store_object *object)
{
    uint64_t bytes = sweep_on_disk(object->bytes);
    struct str key = str_of(object->key);

    if (str_find_str(key, FOR) < key.n)
        return;
    p->done.upload_bytes += bytes;
    if (is_in(p, &p->needed, key) || !remove_names(p, object))
        return;
    p->done.blobs++;
    p->done.blob_bytes += bytes;
    p->done.upload_bytes -= bytes;
}

static void sweep_entry(struct pass *p, const struct store_object *object)
{
    struct record_entry e;
    bool removed;

    if (record_entry_read(object->key, &e) && is_checked(p, e.id))
        return;
    if (worked(p, record_remove_entry(p->store, object->key, p->plan->now_s, &removed), object->key))
        p->done.refs += removed;
}

/* ---- views ---- */

uint64_t sweep_on_disk(uint64_t bytes)
{
    return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

/* The class of its age. CLASSES: it was not used for SWEEP_VIEW_DAYS. */
static unsigned age_of(const struct pass *p, const struct store_object *object)
{
    int64_t age_s = p->plan->now_s - object->time_s;

    if (age_s < 0)
        return 0;
    return age_s / CLASS_S < CLASSES ? (unsigned)(age_s / CLASS_S) : CLASSES;
}

/* Whether no upload has the bytes of this view. A view of an older version does not say of which bytes it is. */
static bool is_of_gone(const struct pass *p, const struct store_object *object)
{
    enum { FOLDER_CHARS = sizeof("views/ab/") - 1 };
    struct str sha256 = {object->key + FOLDER_CHARS, RECORD_SHA256_CHARS};

    return p->contents_known && strlen(object->key) > RECORD_VIEWS_PREFIX_CHARS &&
           record_sha256_valid(sha256) && !is_in(p, &p->contents, sha256);
}

static void evict(struct pass *p, const struct store_object *object)
{
    uint64_t bytes = sweep_on_disk(object->bytes);
    enum store_result result = local_delete(p->local, object->key);

    if (result == STORE_NOT_FOUND || !worked(p, result, object->key))
        return;
    p->done.views++;
    p->done.view_bytes += bytes;
}

static void count_view(struct pass *p, const struct store_object *object)
{
    unsigned age = begin_anew(p, object) ? 0 : age_of(p, object);
    if (age == CLASSES || (object->time_s < p->plan->unneeded_before_s && is_of_gone(p, object)))
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

    walk_views(p, count_view);
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
    walk_views(p, evict_view);
    p->done.kept_bytes -= p->done.view_bytes - evicted_before;
}

/* What belongs to the uploads was looked at. */
static void note_checked(struct pass *p)
{
    for (size_t i = 0; i < sweep_index_count(p->index); i++) {
        struct swept_upload *u = sweep_index_at(p->index, i);
        if (!is_checked(p, u->id))
            u->checked_s = p->plan->now_s;
    }
}

static void sweep_all(struct pass *p)
{
    const struct sweep_plan *plan = p->plan;

    p->contents_known = p->owners_known = true;
    walk(p, "gone/", sweep_tombstone);
    kept_count_begin(plan->kept);
    bool whole = sweep_uploads(p);
    kept_count_end(plan->kept, whole && p->owners_known);
    bool counted = walk(p, "bytes/", sweep_bytes);
    if (counted)
        check_bytes(p);
    walk(p, "names/", sweep_need);
    p->done.counted = walk(p, "names/", sweep_names) && counted;
    walk(p, RECORD_ENTRIES, sweep_entry);
    if (!p->done.cut_off)
        note_checked(p);
    sweep_index_end(p->index, whole && !p->done.cut_off);
    p->contents_known = p->contents_known && sweep_index_is_whole(p->index);
    if (!plan->full)
        sweep_views(p);
}

static void sweep_expired(struct pass *p)
{
    if (p->plan->believes_index && sweep_index_is_whole(p->index)) {
        expire_known(p);
        return;
    }
    sweep_index_begin(p->index);
    sweep_index_end(p->index, sweep_uploads(p));
}

static void begin_sets(struct pass *p)
{
    struct hash_seed seed = sweep_index_seed(p->index);

    arena_init(&p->arena, SIZE_MAX);
    idmap_init(&p->tombstones, &p->arena, seed);
    idmap_init(&p->needed, &p->arena, seed);
    idmap_init(&p->contents, &p->arena, seed);
}

struct sweep_done sweep_pass(struct store *s, struct sweep_index *index, const struct log *log,
                             const struct sweep_plan *plan)
{
    struct pass p = {.store = s,
                     .local = store_local(s),
                     .index = index,
                     .log = log,
                     .plan = plan,
                     .done = {.next_expires_s = INT64_MAX}};

    begin_sets(&p);
    if (plan->full || plan->what == SWEEP_VIEWS)
        sweep_views(&p);
    if (plan->what == SWEEP_UPLOADS)
        sweep_expired(&p);
    if (plan->what == SWEEP_ALL) {
        sweep_index_begin(index);
        sweep_all(&p);
    }
    arena_free(&p.arena);
    return p.done;
}
