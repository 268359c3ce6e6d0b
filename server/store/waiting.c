/* Uploads that this machine has acknowledged alone, because the object store did not answer (durability=local). They lie in
 * this machine's directory until the bucket has them:
 *
 *     waiting/<id>/bytes     the object bytes/<id>
 *     waiting/<id>/entry     its entry in a space, if it is in one
 *     waiting/<id>/words     the entry with words
 *     waiting/<id>/record    the object uploads/<id>.json
 *
 * The record is put last: with it the upload is acknowledged, and waits. While it waits, this machine answers for all of
 * its objects, and does not ask the bucket for them. Nobody can change or delete it (STORE_WAITS), so that it never differs
 * between here and the bucket. It is sent in the order bytes, entry, record, words. Then the files go, the record first: a
 * reader finds the upload here or there at any moment.
 *
 * A crash behind the sending, or a power cut that brings removed files back, leaves an upload here that the bucket has, or
 * that was deleted there. So the bucket is asked for its record and its tombstone before it is sent. (A machine that was
 * off for more than RECORD_GONE_DAYS at that point would bring back what was deleted.)
 *
 * Mappings and symbols do not wait: such files are shared, and belong to a period that may end meanwhile. An upload that
 * brings one is refused while the object store does not answer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/store/record_entry.h"
#include "server/store/record_keys.h"
#include "server/store/store_impl.h"

enum {
    WORDS_BYTES_MAX = 1 << 20,
    SEND_MOST_S =
        12 * 3600 /* from the bytes to the record: a sweep removes bytes without a record after a day */
};

struct waiting {
    bool accepts;
    uint64_t most_bytes;
    atomic_uint_fast64_t uploads;       /* that have bytes here, with those that are being accepted */
    pthread_mutex_t lock;               /* of changes of `uploads` and `bytes` */
    uint64_t bytes;                     /* how large these uploads are together */
    char ended_at[RECORD_ID_CHARS + 1]; /* the upload that was tried last; of who sends */
};

/* ---- keys ---- */

/* Where an object waits. `name` is NULL for an object that never does. */
struct place {
    char id[RECORD_ID_CHARS + 1];
    const char *name;
};

/* The id that the last part of a path begins with, and what is behind it. */
static bool take_id(struct str path, char id[RECORD_ID_CHARS + 1], struct str *rest)
{
    if (path.n < RECORD_ID_CHARS || !record_id_valid((struct str){path.p, RECORD_ID_CHARS}))
        return false;
    snprintf(id, RECORD_ID_CHARS + 1, "%.*s", RECORD_ID_CHARS, path.p);
    *rest = (struct str){path.p + RECORD_ID_CHARS, path.n - RECORD_ID_CHARS};
    return true;
}

/* False: the key is of no upload. */
static bool place_of(const char *key, struct place *p)
{
    struct str path = str_of(key), folder, rest;
    struct record_entry e;

    p->name = NULL;
    if (record_entry_read(key, &e)) {
        snprintf(p->id, sizeof(p->id), "%s", e.id);
        if (str_ends(path, STR("-words")))
            p->name = "words";
        else if (!record_entry_is_digest(&e))
            p->name = "entry";
        return true;
    }
    if (!str_split(&path, '/', &folder) || !take_id(path, p->id, &rest))
        return false;
    if (str_eq(folder, STR("bytes")) && rest.n == 0)
        p->name = "bytes";
    else if (str_eq(folder, STR("uploads")) && str_eq(rest, STR(".json")))
        p->name = "record";
    return true;
}

static void file_key(const char *id, const char *name, char key[STORE_KEY_BYTES])
{
    snprintf(key, STORE_KEY_BYTES, "waiting/%s/%s", id, name);
}

/* A file that cannot be looked at is here: who uses it finds out what fails. */
static bool is_here(struct store *s, const char *id, const char *name, struct store_object *o)
{
    char key[STORE_KEY_BYTES];

    *o = (struct store_object){0};
    file_key(id, name, key);
    return local_look(s->local, key, o) != STORE_NOT_FOUND;
}

static bool is_waiting(struct store *s, const char *id)
{
    struct store_object o;

    return is_here(s, id, "record", &o);
}

bool store_waits(struct store *s, const char *id)
{
    return s->waiting != NULL && s->waiting->uploads > 0 && is_waiting(s, id);
}

/* Whether the key is of an upload that has bytes here: it waits, or is being accepted. */
static bool has_bytes(struct store *s, const char *key, struct place *p, struct store_object *bytes)
{
    return s->waiting->uploads > 0 && place_of(key, p) && is_here(s, p->id, "bytes", bytes);
}

/* ---- reading: here, then in the bucket ---- */

/* Where to read the object. The bucket is asked for what is not here, unless the upload waits. */
enum where { HERE, NOWHERE, BUCKET };

static enum where find(struct store *s, const char *key, char file[STORE_KEY_BYTES])
{
    struct place p;
    struct store_object o;

    if (s->waiting->uploads == 0 || !place_of(key, &p))
        return BUCKET;
    if (p.name != NULL && is_here(s, p.id, p.name, &o)) {
        file_key(p.id, p.name, file);
        return HERE;
    }
    return is_waiting(s, p.id) ? NOWHERE : BUCKET;
}

/* A file that was here a moment ago was sent meanwhile. */
static enum store_result get(struct store *s, const char *key, const char *sha256, int *fd, uint64_t *bytes)
{
    char file[STORE_KEY_BYTES];
    enum where where = find(s, key, file);
    enum store_result result = where == HERE ? local_get(s->local, file, fd, bytes) : STORE_NOT_FOUND;

    if (where == NOWHERE || result != STORE_NOT_FOUND)
        return result;
    return STORE_BUCKET.get(s, key, sha256, fd, bytes);
}

static enum store_result read_text(struct store *s, const char *key, size_t limit, struct buf *out)
{
    char file[STORE_KEY_BYTES];
    enum where where = find(s, key, file);
    enum store_result result = where == HERE ? local_read(s->local, file, limit, out) : STORE_NOT_FOUND;

    if (where == NOWHERE || result != STORE_NOT_FOUND)
        return result;
    return STORE_BUCKET.read(s, key, limit, out);
}

static enum store_result look(struct store *s, const char *key, struct store_object *o)
{
    char file[STORE_KEY_BYTES];
    enum where where = find(s, key, file);
    enum store_result result = where == HERE ? local_look(s->local, file, o) : STORE_NOT_FOUND;

    o->key = key;
    if (where == NOWHERE || result != STORE_NOT_FOUND)
        return result;
    return STORE_BUCKET.look(s, key, o);
}

/* A list of many uploads is that of the bucket. */
static enum store_result list(struct store *s, const char *prefix,
                              bool (*each)(void *context, const struct store_object *object), void *context)
{
    char file[STORE_KEY_BYTES];

    return find(s, prefix, file) == BUCKET ? STORE_BUCKET.list(s, prefix, each, context) : STORE_OK;
}

/* ---- accepting ---- */

static bool take_room(struct waiting *w, uint64_t bytes)
{
    pthread_mutex_lock(&w->lock);
    bool fits = w->bytes <= w->most_bytes && bytes <= w->most_bytes - w->bytes;
    w->bytes += fits ? bytes : 0;
    w->uploads += fits;
    pthread_mutex_unlock(&w->lock);
    return fits;
}

static void give_room(struct waiting *w, uint64_t bytes)
{
    pthread_mutex_lock(&w->lock);
    w->bytes -= bytes;
    w->uploads--;
    pthread_mutex_unlock(&w->lock);
}

static enum store_result put_file(struct store *s, struct local_temp *t, const char *key, const char *sha256)
{
    struct waiting *w = s->waiting;
    char file[STORE_KEY_BYTES];
    struct place p;
    const uint64_t bytes = (uint64_t)t->written;
    enum store_result result = STORE_BUCKET.put_file(s, t, key, sha256);

    if (result != STORE_UNAVAILABLE || !w->accepts || !place_of(key, &p) || p.name == NULL ||
        !take_room(w, bytes))
        return result;
    file_key(p.id, p.name, file);
    result = local_temp_commit(s->local, t, file, LOCAL_DURABLE);
    if (result != STORE_OK)
        give_room(w, bytes);
    return result;
}

static void put_parts(struct store *s, struct local_temp *t, const char *key, uint64_t bytes)
{
    STORE_BUCKET.put_parts(s, t, key, bytes);
}

static void drop_parts(struct store *s, struct local_temp *t)
{
    STORE_BUCKET.drop_parts(s, t);
}

/* The members of an archive have the same bytes. Each copy counts as waiting, because each is sent. */
static enum store_result copy(struct store *s, const char *from, const char *key)
{
    struct waiting *w = s->waiting;
    char from_file[STORE_KEY_BYTES], file[STORE_KEY_BYTES];
    struct store_object o;
    struct place p, to;

    if (!has_bytes(s, from, &p, &o) || !place_of(key, &to))
        return STORE_BUCKET.copy(s, from, key);
    if (!take_room(w, o.bytes))
        return STORE_UNAVAILABLE;
    file_key(p.id, "bytes", from_file);
    file_key(to.id, "bytes", file);
    enum store_result result = local_link(s->local, from_file, file, LOCAL_DURABLE);
    if (result != STORE_OK)
        give_room(w, o.bytes);
    return result;
}

static enum store_result put(struct store *s, const char *key, struct str bytes)
{
    char file[STORE_KEY_BYTES];
    struct store_object o;
    struct place p;

    if (!has_bytes(s, key, &p, &o))
        return STORE_BUCKET.put(s, key, bytes);
    if (p.name == NULL)
        return STORE_WAITS;
    /* Words come behind the record: without one here, the upload has been sent a moment ago. */
    if (strcmp(p.name, "words") == 0 && !is_waiting(s, p.id))
        return STORE_BUCKET.put(s, key, bytes);
    file_key(p.id, p.name, file);
    return local_put(s->local, file, bytes, LOCAL_DURABLE);
}

/* Removes one of the files of an upload. */
static enum store_result remove_file(struct store *s, const char *id, const char *name)
{
    char file[STORE_KEY_BYTES];
    struct store_object o;

    if (!is_here(s, id, name, &o))
        return STORE_NOT_FOUND;
    file_key(id, name, file);
    enum store_result result = local_delete(s->local, file);
    if (result == STORE_OK && strcmp(name, "bytes") == 0)
        give_room(s->waiting, o.bytes);
    return result;
}

/* An upload that waits has no tombstone, without which nothing of it is deleted: this one could not be accepted. */
static enum store_result take_away(struct store *s, const char *key)
{
    struct store_object o;
    struct place p;

    if (!has_bytes(s, key, &p, &o))
        return STORE_BUCKET.remove(s, key);
    return p.name != NULL ? remove_file(s, p.id, p.name) : STORE_NOT_FOUND;
}

static bool has_room(struct waiting *w)
{
    pthread_mutex_lock(&w->lock);
    bool fits = w->accepts && w->bytes < w->most_bytes;
    pthread_mutex_unlock(&w->lock);
    return fits;
}

static enum store_result probe(struct store *s)
{
    enum store_result result = STORE_BUCKET.probe(s);

    return result == STORE_UNAVAILABLE && has_room(s->waiting) ? local_probe(s->local) : result;
}

bool store_accepts_alone(const struct store *s)
{
    return s->waiting != NULL && has_room(s->waiting);
}

static const struct store_backend STORE_WAITING = {.put = put,
                                                   .put_file = put_file,
                                                   .put_parts = put_parts,
                                                   .drop_parts = drop_parts,
                                                   .copy = copy,
                                                   .get = get,
                                                   .read = read_text,
                                                   .look = look,
                                                   .remove = take_away,
                                                   .list = list,
                                                   .probe = probe};

/* ---- sending ---- */

static bool is_there(enum store_result result)
{
    return result == STORE_OK || result == STORE_EXISTS;
}

static const char *const NAMES[] = {"record", "words", "entry", "bytes"}; /* as they are removed */
enum { N_NAMES = sizeof(NAMES) / sizeof(NAMES[0]) };

/* The bucket has the upload, or its end. */
static enum store_result leave(struct store *s, const char *id)
{
    enum store_result result = STORE_OK;

    for (size_t i = 0; i < N_NAMES && (result == STORE_OK || result == STORE_NOT_FOUND); i++)
        result = remove_file(s, id, NAMES[i]);
    atomic_fetch_add(&s->changes, 1);
    return result == STORE_NOT_FOUND ? STORE_OK : result;
}

static enum store_result look_in_bucket(struct store *s,
                                        void (*key_of)(const char *id, char key[STORE_KEY_BYTES]),
                                        const char *id)
{
    char key[STORE_KEY_BYTES];
    struct store_object o;

    key_of(id, key);
    return STORE_BUCKET.look(s, key, &o);
}

/* Bytes that an earlier try has left in the bucket may be so old that a sweep of another machine is about to remove them.
 * They are removed here, and put again when that sweep must have ended: STORE_WAITS. */
static enum store_result check_age(struct store *s, const char *key)
{
    struct store_object o;
    enum store_result result = STORE_BUCKET.look(s, key, &o);

    if (result != STORE_OK || (int64_t)time(NULL) - o.time_s < SEND_MOST_S)
        return result;
    result = STORE_BUCKET.remove(s, key);
    return result == STORE_OK ? STORE_WAITS : result;
}

static enum store_result send_bytes(struct store *s, const struct record *r)
{
    struct local_temp t = {.local = s->local, .open = true};
    char key[STORE_KEY_BYTES];
    uint64_t bytes;

    file_key(r->id, "bytes", key);
    enum store_result result = local_get(s->local, key, &t.fd, &bytes);
    if (result != STORE_OK)
        return result;
    t.written = (off_t)bytes;
    record_bytes_key(r->id, key);
    result = STORE_BUCKET.put_file(s, &t, key, r->sha256);
    if (t.sent != NULL)
        STORE_BUCKET.drop_parts(s, &t);
    local_temp_discard(s->local, &t);
    return result == STORE_EXISTS ? check_age(s, key) : result;
}

/* One of the small files, if it is here. */
static enum store_result send_text(struct store *s, const char *id, const char *name, const char *key)
{
    char file[STORE_KEY_BYTES];
    struct buf text = {0};

    file_key(id, name, file);
    enum store_result result = local_read(s->local, file, WORDS_BYTES_MAX, &text);
    if (result == STORE_OK)
        result = STORE_BUCKET.put(s, key, buf_view(&text));
    buf_free(&text);
    return result == STORE_NOT_FOUND ? STORE_OK : result;
}

static enum store_result send_entry(struct store *s, const struct record *r, enum record_entry_kind kind,
                                    const char *name)
{
    char key[STORE_KEY_BYTES];

    if (r->space[0] == '\0')
        return STORE_OK;
    record_entry_key(r, kind, key);
    return send_text(s, r->id, name, key);
}

/* The entry goes once more behind the record: of an upload that has waited for more than a day it is so old that a sweep may
 * have taken it, without a record, for left behind. */
static enum store_result send_objects(struct store *s, const struct record *r)
{
    const int64_t begun_s = (int64_t)time(NULL);
    char key[STORE_KEY_BYTES];
    enum store_result result = send_bytes(s, r);

    if (is_there(result))
        result = send_entry(s, r, ENTRY_FIRST, "entry");
    int64_t took_s = (int64_t)time(NULL) - begun_s;
    if (is_there(result) && (took_s < 0 || took_s > SEND_MOST_S))
        return STORE_WAITS;
    record_first_key(r->id, key);
    if (is_there(result))
        result = send_text(s, r->id, "record", key);
    return is_there(result) ? send_entry(s, r, ENTRY_FIRST, "entry") : result;
}

static enum store_result send_upload(struct store *s, const char *id)
{
    char file[STORE_KEY_BYTES];
    struct record r = {0};
    struct buf text = {0};

    file_key(id, "record", file);
    enum store_result result = local_read(s->local, file, RECORD_BYTES_MAX, &text);
    if (result == STORE_OK && !record_text_read(buf_view(&text), str_of(id), &r))
        result = STORE_CORRUPT;
    buf_free(&text);
    if (result != STORE_OK)
        return result;
    result = look_in_bucket(s, record_first_key, id);
    if (result == STORE_NOT_FOUND) {
        result = look_in_bucket(s, record_gone_key, id);
        if (result == STORE_OK)
            return leave(s, id);
    }
    if (result == STORE_NOT_FOUND)
        result = send_objects(s, &r);
    /* The words last, as they are put last: they may have come while the rest was sent. */
    if (is_there(result))
        result = send_entry(s, &r, ENTRY_WORDS, "words");
    return is_there(result) ? leave(s, id) : result;
}

/* Appends the id of each upload that waits. */
static bool note_id(void *ids, const struct store_object *object)
{
    struct str rest = str_of(object->key), part;

    if (str_ends(rest, STR("/record")) && str_split(&rest, '/', &part) && str_split(&rest, '/', &part) &&
        record_id_valid(part)) {
        buf_str(ids, part);
        buf_char(ids, '\0');
    }
    return true;
}

/* Behind the one at which the last try ended: one that always fails holds up no others. */
static size_t first_of(const struct waiting *w, const struct buf *ids)
{
    for (size_t at = 0; at < ids->n; at += RECORD_ID_CHARS + 1)
        if (strcmp(ids->p + at, w->ended_at) == 0)
            return at + RECORD_ID_CHARS + 1;
    return 0;
}

enum store_result store_send_waiting(struct store *s, const struct log *log, bool (*go_on)(void *context),
                                     void *context)
{
    struct buf ids = {0};
    enum store_result failed = local_list(s->local, "waiting/", note_id, &ids);
    const size_t first = ids.failed ? 0 : first_of(s->waiting, &ids), all = ids.failed ? 0 : ids.n;

    for (size_t sent = 0; sent < all && failed != STORE_UNAVAILABLE && go_on(context);
         sent += RECORD_ID_CHARS + 1) {
        const char *id = ids.p + (first + sent) % all;
        enum store_result result = send_upload(s, id);
        memcpy(s->waiting->ended_at, id, RECORD_ID_CHARS + 1);
        if (result == STORE_OK)
            LOG(log, LOG_INFO, "sent", LOG_STR("id", str_of(id)));
        else if (result != STORE_UNAVAILABLE)
            LOG(log, LOG_WARN, "not-sent", LOG_STR("id", str_of(id)),
                LOG_STR("why", str_of(store_reason(result))));
        failed = result == STORE_OK ? failed : result;
    }
    buf_free(&ids);
    return failed;
}

/* ---- opening ---- */

/* What has no record was never acknowledged. */
static bool count(void *store, const struct store_object *object)
{
    struct store *s = store;
    struct str rest = str_of(object->key), part;
    char id[RECORD_ID_CHARS + 1];

    if (!str_split(&rest, '/', &part) || !take_id(rest, id, &part))
        return true;
    if (!is_waiting(s, id)) {
        (void)local_delete(s->local, object->key); /* one that stays takes room, and is nobody's */
        return true;
    }
    s->waiting->uploads += str_eq(part, STR("/bytes"));
    s->waiting->bytes += str_eq(part, STR("/bytes")) ? object->bytes : 0;
    return true;
}

struct store_waiting store_waiting(const struct store *s)
{
    if (s->waiting == NULL)
        return (struct store_waiting){0};
    pthread_mutex_lock(&s->waiting->lock);
    const struct store_waiting counts = {s->waiting->uploads, s->waiting->bytes};
    pthread_mutex_unlock(&s->waiting->lock);
    return counts;
}

void store_waiting_free(struct waiting *w)
{
    if (w == NULL)
        return;
    pthread_mutex_destroy(&w->lock);
    free(w);
}

bool store_keep_waiting(struct store *s, bool accepts, uint64_t most_bytes, struct diag *diag)
{
    s->waiting = calloc(1, sizeof(*s->waiting));
    if (s->waiting == NULL)
        return diag_no_memory(diag, "The store cannot be opened.");
    s->waiting->accepts = accepts;
    s->waiting->most_bytes = most_bytes;
    pthread_mutex_init(&s->waiting->lock, NULL);
    if (local_list(s->local, "waiting/", count, s) != STORE_OK)
        return diag_set(diag, DIAG_IO, "the store cannot be opened",
                        "Look at its disk, owner and permissions.",
                        "Uploads that wait for the object store cannot be listed: %m.");
    if (accepts || s->waiting->uploads > 0)
        s->backend = &STORE_WAITING;
    return true;
}
