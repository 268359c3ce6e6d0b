#include "server/store/record.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/str.h"
#include "core/system/utc.h"
#include "server/store/record_text.h"
#include "server/store/store.h"

/* ---- the record in the store ---- */

enum {
    RECORD_BYTES_MAX = 8192, /* of the object; ours are below 1 KiB */
    DAY_S = 86400,
    REVISION_DIGITS = 9,
    REVISION_TRIES = 1000, /* of a change that others come before each time */
    CHANGE_MOST_S = 600,
    FULL_AFTER_S = 3600
};

static unsigned names_field(size_t which)
{
    return (unsigned)RECORD_READERS << (1 + which);
}

/* ---- keys ---- */

struct record_keys {
    char upload[STORE_KEY_BYTES];
    char ref[STORE_KEY_BYTES];
    struct {
        char ref[STORE_KEY_BYTES]; /* "": none */
        char blob[RECORD_BLOB_KEY_CHARS + 1];
    } names[RECORD_NAMES_FILES];
    char gone[STORE_KEY_BYTES];
    char blob[RECORD_BLOB_KEY_CHARS + 1];
};

void record_blob_key(const char *sha256, char key[RECORD_BLOB_KEY_CHARS + 1])
{
    snprintf(key, RECORD_BLOB_KEY_CHARS + 1, "blobs/%.2s/%.*s", sha256, RECORD_SHA256_CHARS, sha256);
}

void record_views_prefix(const char *sha256, char prefix[RECORD_VIEWS_PREFIX_CHARS + 1])
{
    snprintf(prefix, RECORD_VIEWS_PREFIX_CHARS + 1, "views/%.2s/%.*s/", sha256, RECORD_SHA256_CHARS, sha256);
}

static void upload_key(char out[STORE_KEY_BYTES], const char *id)
{
    snprintf(out, STORE_KEY_BYTES, "uploads/%.*s.json", RECORD_ID_CHARS, id);
}

/* The first revision of the record, and those of its changes. */
static void revision_key(char out[STORE_KEY_BYTES], const char *id, uint32_t n)
{
    if (n == 1)
        upload_key(out, id);
    else
        snprintf(out, STORE_KEY_BYTES, "uploads/%.*s/%u", RECORD_ID_CHARS, id, (unsigned)n);
}

static void gone_key(char out[STORE_KEY_BYTES], const char *id)
{
    snprintf(out, STORE_KEY_BYTES, "gone/%.*s", RECORD_ID_CHARS, id);
}

/* The folder of all refs of a blob. */
static void refs_prefix(char out[STORE_KEY_BYTES], const char *sha256)
{
    snprintf(out, STORE_KEY_BYTES, "refs/%.*s/", RECORD_SHA256_CHARS, sha256);
}

static void ref_key(char out[STORE_KEY_BYTES], const char *sha256, const char *id)
{
    snprintf(out, STORE_KEY_BYTES, "refs/%.*s/%.*s", RECORD_SHA256_CHARS, sha256, RECORD_ID_CHARS, id);
}

static struct record_keys keys_of(const struct record *r)
{
    struct record_keys k = {.upload = ""};

    upload_key(k.upload, r->id);
    gone_key(k.gone, r->id);
    ref_key(k.ref, r->sha256, r->id);
    record_blob_key(r->sha256, k.blob);
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if (r->names.of[i][0] != '\0') {
            ref_key(k.names[i].ref, r->names.of[i], r->id);
            record_blob_key(r->names.of[i], k.names[i].blob);
        }
    return k;
}

/* ---- the store ---- */

static bool settled(enum store_result result)
{
    return result == STORE_OK || result == STORE_EXISTS || result == STORE_NOT_FOUND;
}

static bool is_there(enum store_result result)
{
    return result == STORE_OK || result == STORE_EXISTS;
}

/* What was written stays: the header argues why. STORE_NOT_FOUND: it does not, since blob or ref was
 * removed meanwhile. */
static enum store_result confirm(struct store *s, const struct record_keys *keys)
{
    store_lock(s);
    enum store_result result = store_exists(s, keys->blob);
    if (result == STORE_OK)
        result = store_exists(s, keys->ref);
    for (size_t i = 0; result == STORE_OK && i < RECORD_NAMES_FILES; i++) {
        if (keys->names[i].ref[0] == '\0')
            continue;
        result = store_exists(s, keys->names[i].blob);
        if (result == STORE_OK)
            result = store_exists(s, keys->names[i].ref);
    }
    store_unlock(s);
    return result;
}

static enum store_result put_refs(struct store *s, const struct record_keys *keys)
{
    enum store_result result = store_put(s, keys->ref, STR(""), STORE_DURABLE);

    for (size_t i = 0; is_there(result) && i < RECORD_NAMES_FILES; i++)
        if (keys->names[i].ref[0] != '\0')
            result = store_put(s, keys->names[i].ref, STR(""), STORE_DURABLE);
    return result;
}

/* What is gone already is success. */
static enum store_result delete_refs(struct store *s, const struct record_keys *keys)
{
    enum store_result result = store_delete(s, keys->ref);

    for (size_t i = 0; i < RECORD_NAMES_FILES; i++) {
        enum store_result one =
            keys->names[i].ref[0] != '\0' ? store_delete(s, keys->names[i].ref) : STORE_OK;
        result = settled(result) ? one : result;
    }
    return result;
}

static enum store_result put_first(struct store *s, const struct record *r)
{
    char *text = record_text_write(r), key[STORE_KEY_BYTES];

    upload_key(key, r->id);
    enum store_result result = text == NULL ? STORE_FAILED : store_put(s, key, str_of(text), STORE_DURABLE);
    free(text);
    return result;
}

enum store_result record_write(struct store *s, const struct record *r)
{
    if (!record_text_valid(r)) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    struct record_keys keys = keys_of(r);
    enum store_result result = put_refs(s, &keys);
    enum store_result confirmed = result;
    if (is_there(result))
        confirmed = result = put_first(s, r);
    if (is_there(result))
        confirmed = confirm(s, &keys);
    if (is_there(confirmed))
        return result;
    int why = errno;
    store_delete(s, keys.upload); /* A durable put that failed may have put the object all the same. */
    delete_refs(s, &keys); /* They would keep the blobs until a sweep finds that no record needs them. */
    errno = why;
    return confirmed == STORE_NOT_FOUND ? STORE_FAILED : confirmed;
}

/* ---- revisions ---- */

/* The last part of a key. */
static const char *name_of(const char *key)
{
    const char *slash = strrchr(key, '/');

    return slash == NULL ? key : slash + 1;
}

/* The number of a revision behind the first one; 0: the object is none. */
static uint32_t revision_of(const struct store_object *object)
{
    struct str digits = str_of(name_of(object->key));
    uint32_t n = 0;

    if (digits.n == 0 || digits.n > REVISION_DIGITS || digits.p[0] == '0')
        return 0;
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return 0;
        n = n * 10 + (uint32_t)(digits.p[i] - '0');
    }
    return n;
}

static bool note_highest(void *context, const struct store_object *object)
{
    uint32_t *highest = context, n = revision_of(object);

    *highest = n > *highest ? n : *highest;
    return true;
}

static enum store_result list_revisions(struct store *s, const char *id,
                                        bool (*each)(void *context, const struct store_object *object),
                                        void *context)
{
    char folder[STORE_KEY_BYTES];

    snprintf(folder, sizeof(folder), "uploads/%.*s/", RECORD_ID_CHARS, id);
    return store_list(s, folder, each, context);
}

/* The highest revision, which is 1 if there is no other: that one may be missing. */
static enum store_result find_highest(struct store *s, const char *id, uint32_t *highest)
{
    *highest = 1;
    return list_revisions(s, id, note_highest, highest);
}

struct removal {
    struct store *store;
    uint32_t below;
    enum store_result result;
};

static bool remove_revision(void *context, const struct store_object *object)
{
    struct removal *removal = context;

    if (revision_of(object) < removal->below) {
        enum store_result result = store_delete(removal->store, object->key);
        removal->result = settled(result) ? removal->result : result;
    }
    return true;
}

/* Those behind the first one. */
static enum store_result remove_revisions(struct store *s, const char *id, uint32_t below)
{
    struct removal removal = {s, below, STORE_OK};
    enum store_result result = list_revisions(s, id, remove_revision, &removal);

    return result == STORE_OK ? removal.result : result;
}

/* Puts revision n, made of the one before it. STORE_EXISTS: another change came first, and this one is to be made
 * again of what is there now. That is also so if a higher revision is found behind the put: this one had been there
 * and was removed, because whoever put it has gone on. */
static enum store_result put_revision(struct store *s, const char *id, uint32_t n, struct str text)
{
    char key[STORE_KEY_BYTES];
    uint32_t highest;

    revision_key(key, id, n);
    enum store_result result = store_put(s, key, text, STORE_DURABLE);
    if (result != STORE_OK)
        return result;
    result = find_highest(s, id, &highest);
    return result == STORE_OK && highest > n ? STORE_EXISTS : result;
}

/* RECORD_NONE: it is not there, or not any more. *empty: neither is it one that holds a record, then. */
static enum record_state read_text(struct store *s, struct str id, uint32_t n, struct record *r, bool *empty)
{
    char key[STORE_KEY_BYTES];
    struct buf text = {0};

    *r = (struct record){0};
    revision_key(key, id.p, n);
    enum store_result result = store_read(s, key, RECORD_BYTES_MAX, &text);
    enum record_state state = RECORD_FOUND;
    *empty = result == STORE_OK && text.n == 0;
    if (result == STORE_NOT_FOUND)
        state = RECORD_NONE;
    else if (result != STORE_OK || !record_text_read(buf_view(&text), id, r))
        state = RECORD_BROKEN;
    buf_free(&text);
    if (state != RECORD_FOUND)
        *r = (struct record){0};
    return state;
}

/* An empty revision is the last one: it says that the record below it has expired. */
static enum record_state read_revision(struct store *s, struct str id, uint32_t n, struct record *r)
{
    bool ended;
    enum record_state state = read_text(s, id, n, r, &ended);

    if (n == 1 || !ended)
        return state;
    state = read_text(s, id, n - 1, r, &ended);
    r->ended = true;
    return state;
}

/* The highest revision, and its number. */
static enum record_state read_object(struct store *s, struct str id, struct record *r, uint32_t *n)
{
    enum record_state state = RECORD_NONE;

    for (unsigned i = 0; i < REVISION_TRIES; i++) {
        if (find_highest(s, id.p, n) != STORE_OK) {
            *r = (struct record){0};
            return RECORD_BROKEN;
        }
        state = read_revision(s, id, *n, r);
        /* A revision is removed behind the put of a higher one, or with the upload. */
        if (state != RECORD_NONE || *n == 1)
            break;
    }
    return state;
}

enum tombstone { TOMBSTONE_NONE, TOMBSTONE_FRESH, TOMBSTONE_OLD, TOMBSTONE_UNKNOWN };

/* When the tombstone was put, for one whose text does not say it (see bury). */
static int64_t time_of(struct store *s, const char *key, int64_t now_s)
{
    struct store_object o;

    return store_look(s, key, &o) == STORE_OK ? o.used_s : now_s;
}

/* A tombstone with any other text in it still says that the upload was deleted. A disk that fails says nothing. */
static enum tombstone read_tombstone(struct store *s, struct str id, int64_t now_s)
{
    char key[STORE_KEY_BYTES];
    struct buf text = {0};
    int64_t gone_s;

    gone_key(key, id.p);
    enum store_result result = store_read(s, key, UTC_CHARS, &text);
    bool readable = result == STORE_OK && utc_parse(buf_view(&text), &gone_s);
    buf_free(&text);
    if (result == STORE_NOT_FOUND)
        return TOMBSTONE_NONE;
    if (result != STORE_OK && errno != EFBIG)
        return TOMBSTONE_UNKNOWN;
    if (!readable)
        gone_s = time_of(s, key, now_s);
    return now_s - gone_s > (int64_t)RECORD_GONE_DAYS * DAY_S ? TOMBSTONE_OLD : TOMBSTONE_FRESH;
}

static enum record_state read_state(struct store *s, struct str id, int64_t now_s, struct record *r,
                                    uint32_t *n)
{
    *r = (struct record){0};
    *n = 1;
    if (!record_id_valid(id))
        return RECORD_NONE;
    /* A delete puts the tombstone first. In this order one that comes in between is seen. */
    enum record_state state = read_object(s, id, r, n);
    enum tombstone tombstone = read_tombstone(s, id, now_s);
    if (tombstone == TOMBSTONE_FRESH || (tombstone == TOMBSTONE_OLD && state != RECORD_NONE))
        return RECORD_GONE;
    if (tombstone == TOMBSTONE_UNKNOWN)
        return RECORD_BROKEN;
    if (state == RECORD_FOUND && r->ended && r->expires_s > now_s + DAY_S)
        return RECORD_BROKEN; /* No clock is so far ahead: the empty revision is damage. */
    return state == RECORD_FOUND && (r->ended || r->expires_s <= now_s) ? RECORD_GONE : state;
}

enum record_state record_read(struct store *s, struct str id, int64_t now_s, struct record *r)
{
    uint32_t n;

    return read_state(s, id, now_s, r, &n);
}

/* ---- changes ---- */

static void take_fields(struct record *stored, const struct record *r, unsigned fields)
{
    if ((fields & RECORD_NAME) != 0)
        memcpy(stored->name, r->name, sizeof(stored->name));
    if ((fields & RECORD_EXPIRY) != 0)
        stored->expires_s = r->expires_s;
    if ((fields & RECORD_APP) != 0)
        memcpy(stored->app, r->app, sizeof(stored->app));
    if ((fields & RECORD_READERS) != 0)
        stored->team = r->team;
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if ((fields & names_field(i)) != 0)
            memcpy(stored->names.of[i], r->names.of[i], sizeof(stored->names.of[i]));
}

/* The revision is there. If a delete has put its tombstone by now, it may have looked for revisions before. */
static enum store_result stay_gone(struct store *s, struct str id, int64_t now_s)
{
    enum tombstone tombstone = read_tombstone(s, id, now_s);

    if (tombstone == TOMBSTONE_NONE)
        return STORE_OK;
    if (tombstone == TOMBSTONE_UNKNOWN)
        return STORE_FAILED;
    enum store_result removed = remove_revisions(s, id.p, UINT32_MAX);
    return settled(removed) ? STORE_NOT_FOUND : removed;
}

/* *before is the record that was changed, if one was there. */
static enum store_result change(struct store *s, const struct record *r, unsigned fields, int64_t now_s,
                                struct record *before)
{
    const struct str id = str_of(r->id);
    const int64_t begun_s = (int64_t)time(NULL);
    enum store_result result = STORE_EXISTS;
    uint32_t n = 1;

    for (unsigned i = 0; i < REVISION_TRIES && result == STORE_EXISTS; i++) {
        enum record_state state = read_state(s, id, now_s, before, &n);
        if (state != RECORD_FOUND)
            return state == RECORD_BROKEN ? STORE_FAILED : STORE_NOT_FOUND;
        struct record next = *before;
        take_fields(&next, r, fields);
        char *text = record_text_write(&next);
        result = text == NULL ? STORE_FAILED : put_revision(s, r->id, ++n, str_of(text));
        free(text);
    }
    if (result == STORE_OK)
        result = stay_gone(s, id, now_s);
    if (result != STORE_OK)
        return result == STORE_EXISTS ? STORE_FAILED : result;
    (void)remove_revisions(s, r->id, n); /* what is left goes with the next change, or with the upload */
    if ((int64_t)time(NULL) - begun_s <= CHANGE_MOST_S)
        return STORE_OK;
    errno = ETIMEDOUT; /* record_expire relies on this */
    return STORE_FAILED;
}

enum store_result record_change(struct store *s, const struct record *r, unsigned fields, int64_t now_s)
{
    struct record before;

    if (!record_text_valid(r)) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    return change(s, r, fields, now_s, &before);
}

/* Whether the record needs the blob. */
static bool needs(const struct record *r, const char *sha256)
{
    bool needed = strcmp(r->sha256, sha256) == 0;

    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        needed = needed || strcmp(r->names.of[i], sha256) == 0;
    return needed;
}

/* The ref goes unless the record, as it is now, needs it for something else. */
static void drop_ref(struct store *s, const char *sha256, const struct record *now,
                     char before[RECORD_SHA256_CHARS + 1])
{
    char key[STORE_KEY_BYTES];

    if (sha256[0] == '\0' || needs(now, sha256))
        return;
    ref_key(key, sha256, now->id);
    if (settled(store_delete(s, key)))
        memcpy(before, sha256, RECORD_SHA256_CHARS + 1);
}

/* Whether the blob is there, and stays: a ref of an upload that has a record is not removed by a sweep, and neither is a
 * blob that has a ref. */
static enum store_result keep_for(struct store *s, const char *ref, const char *blob)
{
    enum store_result result = store_put(s, ref, STR(""), STORE_DURABLE);

    if (!is_there(result))
        return result;
    store_lock(s);
    result = store_exists(s, blob);
    store_unlock(s);
    return result == STORE_NOT_FOUND ? STORE_FAILED : result;
}

enum store_result record_change_names(struct store *s, struct record *r, enum record_names_file which,
                                      const char *sha256, int64_t now_s, char before[RECORD_SHA256_CHARS + 1])
{
    struct record stored;
    enum store_result result = STORE_OK;

    before[0] = '\0';
    snprintf(r->names.of[which], sizeof(r->names.of[which]), "%s", sha256);
    struct record_keys keys = keys_of(r);
    store_begin_change(s);
    /* Else a ref would be left of an upload that has ended. */
    if (record_read(s, str_of(r->id), now_s, &stored) != RECORD_FOUND)
        result = STORE_NOT_FOUND;
    /* The new ref comes before the record that needs it, and the old one goes after: a stored record never names a
     * blob without a ref. */
    if (result == STORE_OK && sha256[0] != '\0')
        result = keep_for(s, keys.names[which].ref, keys.names[which].blob);
    if (result == STORE_OK) {
        result = change(s, r, names_field(which), now_s, &stored);
        struct record now = stored;
        if (result == STORE_OK) {
            take_fields(&now, r, names_field(which));
            drop_ref(s, stored.names.of[which], &now, before);
            *r = now;
        } else {
            drop_ref(s, sha256, &now, before);
        }
    }
    store_end_change(s);
    return result;
}

/* ---- the end ---- */

/* Puts the tombstone. A disk without room for its text may have room for an empty file, whose time of
 * change then says when the upload was deleted. */
static enum store_result bury(struct store *s, const char *key, int64_t now_s)
{
    char now[UTC_CHARS + 1];

    utc_format(now_s, now);
    enum store_result result = store_put(s, key, str_of(now), STORE_DURABLE);
    return result == STORE_FULL ? store_put(s, key, STR(""), STORE_DURABLE) : result;
}

enum store_result record_delete(struct store *s, const struct record *r, int64_t now_s)
{
    if (!record_id_valid(str_of(r->id)) || !record_sha256_valid(str_of(r->sha256))) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    struct record_keys keys = keys_of(r);
    enum store_result result = bury(s, keys.gone, now_s);
    if (settled(result))
        result = remove_revisions(s, r->id, UINT32_MAX);
    if (settled(result))
        result = store_delete(s, keys.upload);
    if (settled(result))
        result = delete_refs(s, &keys);
    return settled(result) ? STORE_OK : result;
}

/* Puts the last revision, if the upload has expired: then no change is made of it any more. */
static enum store_result put_end(struct store *s, struct str id, int64_t now_s, struct record *r,
                                 bool *expired)
{
    enum store_result result = STORE_EXISTS;
    uint32_t n;

    for (unsigned i = 0; i < REVISION_TRIES && result == STORE_EXISTS; i++) {
        *expired = read_state(s, id, now_s, r, &n) == RECORD_GONE && r->id[0] != '\0';
        if (!*expired || r->ended || r->expires_s > now_s) /* it was deleted, if it is gone before its time */
            return STORE_OK;
        result = put_revision(s, r->id, n + 1, STR(""));
    }
    return result == STORE_EXISTS ? STORE_FAILED : result;
}

enum store_result record_expire(struct store *s, struct str id, int64_t now_s, int64_t gone_s, bool *expired)
{
    struct record r;
    enum store_result result = put_end(s, id, now_s, &r, expired);

    if (result == STORE_FULL && now_s - r.expires_s > FULL_AFTER_S) {
        struct record_keys keys = keys_of(&r);
        result = delete_refs(s, &keys);
    }
    return *expired && settled(result) ? record_delete(s, &r, gone_s) : result;
}

enum store_result record_forget(struct store *s, struct str id, int64_t now_s, bool *forgotten)
{
    char key[STORE_KEY_BYTES];
    struct record r;
    uint32_t n;

    *forgotten = false;
    if (!record_id_valid(id) || read_tombstone(s, id, now_s) != TOMBSTONE_OLD ||
        read_object(s, id, &r, &n) != RECORD_NONE)
        return STORE_OK;
    gone_key(key, id.p);
    enum store_result result = store_delete(s, key);
    *forgotten = result == STORE_OK;
    return settled(result) ? STORE_OK : result;
}

/* ---- what nobody needs ---- */

static bool note_any(void *found, const struct store_object *object)
{
    (void)object;
    *(bool *)found = true;
    return false;
}

/* Whether a blob has a ref, or a ref has a record. */
static enum store_result look_for_need(struct store *s, const char *needer, bool *needed)
{
    *needed = false;
    /* Where the disk fails this does as well: what cannot be looked for is not taken for unneeded. */
    if (str_ends(str_of(needer), STR("/")))
        return store_list(s, needer, note_any, needed);
    enum store_result result = store_exists(s, needer);
    *needed = result == STORE_OK;
    return settled(result) ? STORE_OK : result;
}

/* Looks twice: first without the lock, since most objects are needed, and then again under it. */
static enum store_result remove_unneeded(struct store *s, const char *key, const char *needer,
                                         int64_t before_s, bool *removed)
{
    struct store_object o;
    bool needed;
    enum store_result result = look_for_need(s, needer, &needed);

    if (result != STORE_OK || needed)
        return result;
    store_lock(s);
    result = look_for_need(s, needer, &needed);
    if (result == STORE_OK && !needed)
        result = store_look(s, key, &o);
    if (result == STORE_OK && !needed && o.used_s < before_s) {
        result = store_delete(s, key);
        *removed = result == STORE_OK;
    }
    store_unlock(s);
    return settled(result) ? STORE_OK : result;
}

enum store_result record_remove_ref(struct store *s, const char *key, int64_t before_s, bool *removed)
{
    char itself[STORE_KEY_BYTES], upload[STORE_KEY_BYTES];
    const char *id = name_of(key), *sha256 = key + strlen("refs/");

    *removed = false;
    if (!record_id_valid(str_of(id)) || strlen(key) < strlen("refs/") + RECORD_SHA256_CHARS)
        return STORE_OK;
    ref_key(itself, sha256, id);
    if (!record_sha256_valid((struct str){sha256, RECORD_SHA256_CHARS}) || strcmp(itself, key) != 0)
        return STORE_OK;
    upload_key(upload, id);
    return remove_unneeded(s, key, upload, before_s, removed);
}

enum store_result record_remove_blob(struct store *s, const char *key, int64_t before_s, bool *removed)
{
    char itself[RECORD_BLOB_KEY_CHARS + 1], refs[STORE_KEY_BYTES];
    const char *sha256 = name_of(key);

    *removed = false;
    if (!record_sha256_valid(str_of(sha256)))
        return STORE_OK;
    record_blob_key(sha256, itself);
    if (strcmp(itself, key) != 0)
        return STORE_OK;
    refs_prefix(refs, sha256);
    return remove_unneeded(s, key, refs, before_s, removed);
}

enum store_result record_content_needed(struct store *s, const char *sha256, bool *needed)
{
    char refs[STORE_KEY_BYTES];

    refs_prefix(refs, sha256);
    return look_for_need(s, refs, needed);
}

/* ---- as requests meet it ---- */

static const char HINT[] = "Tell the operator: the service's log has the details.";

void store_access_failed(const struct log *log, enum store_result result, const char *what, struct diag *diag)
{
    bool full = result == STORE_FULL;

    LOG(log, full ? LOG_WARN : LOG_ERROR, "store-failed", LOG_STR("what", str_of(what)),
        LOG_STR("why", str_of(strerror(errno))));
    if (full)
        diag_set(diag, DIAG_FULL, "disk full",
                 "Tell the operator; nothing of other uploads is lost. Try again later.",
                 "The service has no room left: the upload could not be %s.", what);
    else
        diag_set(diag, DIAG_IO, "store not writable", HINT, "The upload could not be %s.", what);
}

int store_access_blob(struct store *store, const struct log *log, const char *sha256, uint64_t *bytes,
                      struct diag *diag)
{
    char key[RECORD_BLOB_KEY_CHARS + 1];
    int fd;

    record_blob_key(sha256, key);
    if (store_get(store, key, &fd, bytes) == STORE_OK)
        return fd;
    LOG(log, LOG_ERROR, "blob-not-opened", LOG_STR("sha256", str_of(sha256)),
        LOG_STR("why", str_of(strerror(errno))));
    diag_set(diag, DIAG_IO, "upload not readable", HINT, "The stored upload could not be opened.");
    return -1;
}

/* ---- records that were read lately ---- */

/* Records that were read a moment ago. Looking at an upload's record and its tombstone takes two files, which is
 * more than all the rest of sending a view that is in memory. A record is given from memory within the second in
 * which it was read, and only as long as the store has not changed: who is told that an upload is deleted finds it
 * deleted. Any thread. */

enum { SLOTS = 256 };

/* A slot holds the last record whose id fell to it. */
struct slot {
    struct record record; /* without id: none */
    uint64_t changes;     /* of the store, before it was read */
    int64_t read_s;
};

struct record_cache {
    struct store *store;
    struct hash_seed seed;
    pthread_mutex_t lock; /* of slots */
    struct slot slots[SLOTS];
};

struct record_cache *record_cache_new(struct store *s)
{
    struct record_cache *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return NULL;
    if (getrandom(&c->seed, sizeof(c->seed), 0) != (ssize_t)sizeof(c->seed)) {
        free(c);
        return NULL;
    }
    c->store = s;
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void record_cache_free(struct record_cache *c)
{
    if (c == NULL)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static bool find(struct record_cache *c, const struct slot *slot, struct str id, uint64_t changes,
                 int64_t now_s, struct record *r)
{
    pthread_mutex_lock(&c->lock);
    bool fresh = slot->read_s == now_s && slot->changes == changes && str_eq(str_of(slot->record.id), id) &&
                 slot->record.expires_s > now_s;
    if (fresh)
        *r = slot->record;
    pthread_mutex_unlock(&c->lock);
    return fresh;
}

enum record_state record_cache_read(struct record_cache *c, struct str id, int64_t now_s, struct record *r)
{
    struct slot *slot = &c->slots[hash_bytes(c->seed, id.p, id.n) % SLOTS];
    /* Before reading: what changes meanwhile makes the slot stale and not wrong. */
    uint64_t changes = store_changes(c->store);
    if (find(c, slot, id, changes, now_s, r))
        return RECORD_FOUND;
    enum record_state state = record_read(c->store, id, now_s, r);
    if (state == RECORD_FOUND) {
        pthread_mutex_lock(&c->lock);
        *slot = (struct slot){*r, changes, now_s};
        pthread_mutex_unlock(&c->lock);
    }
    return state;
}
