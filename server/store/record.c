#include "server/store/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/str.h"
#include "core/system/utc.h"
#include "server/store/record_entry.h"
#include "server/store/record_text.h"
#include "server/store/store.h"

/* ---- the record in the store ---- */

enum {
    DAY_S = 86400,
    REVISION_TRIES = 1000, /* of a change that others come before each time */
    /* A list that others change meanwhile may miss what comes and what goes, but not all of so many: see find_highest. */
    REVISIONS_KEPT = 8,
    READ_TRIES = 100,
    KEEP_MOST_S = 12 * 3600,
    CHANGE_MOST_S = 600,
    FULL_AFTER_S = 3600
};

static unsigned names_field(size_t which)
{
    return (unsigned)RECORD_SPACE << (1 + which);
}

/* ---- keys ---- */

/* The first revision of the record, and those of its changes. */
static void revision_key(char out[STORE_KEY_BYTES], const char *id, uint32_t n)
{
    if (n == 1)
        record_first_key(id, out);
    else
        snprintf(out, STORE_KEY_BYTES, "uploads/%.*s/%u", RECORD_ID_CHARS, id, (unsigned)n);
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

/* Says that the upload needs this file of its names. */
static enum store_result put_need(struct store *s, const struct record *r, size_t which)
{
    char key[STORE_KEY_BYTES];

    if (r->names.of[which][0] == '\0')
        return STORE_OK;
    record_need_key(r->names.of[which], r->names.period[which], r->id, key);
    return store_put(s, key, STR(""));
}

/* False with errno: a sweep may have taken for left behind what was put at that time. */
static bool in_time(int64_t begun_s, int64_t most_s)
{
    int64_t took_s = (int64_t)time(NULL) - begun_s;

    errno = ETIMEDOUT;
    return took_s >= -most_s && took_s <= most_s;
}

static enum store_result put_first(struct store *s, const struct record *r)
{
    char *text = record_text_write(r), key[STORE_KEY_BYTES];

    record_first_key(r->id, key);
    enum store_result result = text == NULL ? STORE_FAILED : store_put(s, key, str_of(text));
    free(text);
    return result;
}

enum store_result record_write(struct store *s, const struct record *r, int64_t begun_s)
{
    char key[STORE_KEY_BYTES];
    enum store_result result = STORE_OK;

    if (!record_text_valid(r)) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    for (size_t i = 0; is_there(result) && i < RECORD_NAMES_FILES; i++)
        result = put_need(s, r, i);
    if (is_there(result))
        result = put_first(s, r);
    if (is_there(result) && !in_time(begun_s, KEEP_MOST_S))
        result = STORE_FAILED;
    /* Nobody else has this id: what is there already was put by a try whose answer was lost. */
    if (is_there(result))
        return STORE_OK;
    int why = errno;
    record_first_key(r->id, key);
    store_delete(s, key); /* A durable put that failed may have put the object all the same. */
    errno = why;
    return result;
}

enum store_result record_discard(struct store *s, const char *id)
{
    char key[STORE_KEY_BYTES], bytes[RECORD_BYTES_KEY_CHARS + 1];

    record_first_key(id, key);
    record_bytes_key(id, bytes);
    enum store_result result = store_delete(s, key);
    if (settled(result))
        result = store_delete(s, bytes);
    return settled(result) ? STORE_OK : result;
}

uint64_t record_bytes_alone(struct store *s, const char *id)
{
    char key[RECORD_BYTES_KEY_CHARS + 1];
    struct store_object o;

    record_bytes_key(id, key);
    return store_look(s, key, &o) == STORE_OK && o.shares == 1 ? o.bytes : 0;
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
    uint64_t n;

    return str_to_u64(str_of(name_of(object->key)), 10, &n) && n < UINT32_MAX ? (uint32_t)n : 0;
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

/* The highest revision, which is 1 if there is no other: that one may be missing. A directory is listed again where so much was
 * changed meanwhile that the list may have missed all that are kept: else the first revision would be taken for the last one. */
static enum store_result find_highest(struct store *s, const char *id, uint32_t *highest)
{
    enum store_result result = STORE_OK;
    uint64_t before;

    for (unsigned i = 0; i < READ_TRIES; i++) {
        before = store_changes(s);
        *highest = 1;
        result = list_revisions(s, id, note_highest, highest);
        if (result != STORE_OK || store_is_remote(s) || store_changes(s) - before < REVISIONS_KEPT / 2)
            break; /* half: some may have changed it without having returned */
    }
    return result;
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

/* Removes the revisions behind the first one. */
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
    enum store_result result = store_put(s, key, text);
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
    else if (result == STORE_UNAVAILABLE)
        state = RECORD_AWAY;
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
    if (state == RECORD_NONE) /* it was removed, and the end of the upload was cut off then */
        state = read_text(s, id, 1, r, &ended);
    r->ended = true;
    return state;
}

/* The highest revision, and its number. */
static enum record_state read_object(struct store *s, struct str id, struct record *r, uint32_t *n)
{
    enum record_state state = RECORD_NONE;

    for (unsigned i = 0; i < READ_TRIES; i++) {
        enum store_result result = find_highest(s, id.p, n);
        if (result != STORE_OK) {
            *r = (struct record){0};
            return result == STORE_UNAVAILABLE ? RECORD_AWAY : RECORD_BROKEN;
        }
        state = read_revision(s, id, *n, r);
        /* A revision is removed behind the put of a higher one, or with the upload. */
        if (state != RECORD_NONE || *n == 1)
            return state;
    }
    return RECORD_BROKEN; /* listed, and not there */
}

enum tombstone { TOMBSTONE_NONE, TOMBSTONE_FRESH, TOMBSTONE_OLD, TOMBSTONE_UNKNOWN, TOMBSTONE_AWAY };

/* When the tombstone was put, for one whose text does not say it (see bury). */
static int64_t time_of(struct store *s, const char *key, int64_t now_s)
{
    struct store_object o;

    return store_look(s, key, &o) == STORE_OK && o.time_s != 0 ? o.time_s : now_s;
}

/* A tombstone with any other text in it still says that the upload was deleted. A disk that fails says nothing. */
static enum tombstone read_tombstone(struct store *s, struct str id, int64_t now_s)
{
    char key[STORE_KEY_BYTES];
    struct buf text = {0};
    int64_t gone_s;

    record_gone_key(id.p, key);
    enum store_result result = store_read(s, key, UTC_CHARS, &text);
    bool readable = result == STORE_OK && utc_parse(buf_view(&text), &gone_s);
    buf_free(&text);
    if (result == STORE_NOT_FOUND)
        return TOMBSTONE_NONE;
    if (result == STORE_UNAVAILABLE)
        return TOMBSTONE_AWAY;
    if (result != STORE_OK && (result != STORE_FAILED || errno != EFBIG))
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
    if (tombstone == TOMBSTONE_AWAY || state == RECORD_AWAY)
        return RECORD_AWAY;
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
    if ((fields & RECORD_SPACE) != 0) {
        memcpy(stored->space, r->space, sizeof(stored->space));
        memcpy(stored->mark, r->mark, sizeof(stored->mark));
        stored->labels = r->labels;
    }
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if ((fields & names_field(i)) != 0) {
            memcpy(stored->names.of[i], r->names.of[i], sizeof(stored->names.of[i]));
            stored->names.period[i] = r->names.period[i];
        }
}

/* What a change ends with where there is no record to change. */
static enum store_result without_record(enum record_state state)
{
    switch (state) {
    case RECORD_BROKEN:
        return STORE_FAILED;
    case RECORD_AWAY:
        return STORE_UNAVAILABLE;
    default:
        return STORE_NOT_FOUND;
    }
}

/* The revision is there. If a delete has put its tombstone by now, it may have looked for revisions before. */
static enum store_result stay_gone(struct store *s, struct str id, int64_t now_s)
{
    enum tombstone tombstone = read_tombstone(s, id, now_s);

    if (tombstone == TOMBSTONE_NONE)
        return STORE_OK;
    if (tombstone == TOMBSTONE_UNKNOWN || tombstone == TOMBSTONE_AWAY)
        return tombstone == TOMBSTONE_AWAY ? STORE_UNAVAILABLE : STORE_FAILED;
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
            return without_record(state);
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
    /* What is left goes with the next change, or with the upload. */
    (void)remove_revisions(s, r->id, n > REVISIONS_KEPT ? n - REVISIONS_KEPT : 0);
    return in_time(begun_s, CHANGE_MOST_S) ? STORE_OK : STORE_FAILED; /* record_expire relies on this */
}

enum store_result record_change_told(struct store *s, struct record *r, unsigned fields, int64_t now_s,
                                     struct record *before)
{
    struct record wanted = *r;

    if (!record_text_valid(r)) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    enum store_result result = change(s, &wanted, fields, now_s, before);
    if (result == STORE_OK) {
        *r = *before;
        take_fields(r, &wanted, fields);
    }
    return result;
}

enum store_result record_change(struct store *s, const struct record *r, unsigned fields, int64_t now_s)
{
    struct record after = *r, before;

    return record_change_told(s, &after, fields, now_s, &before);
}

enum store_result record_change_names(struct store *s, struct record *r, enum record_names_file which,
                                      int64_t begun_s, int64_t now_s)
{
    struct record stored;
    enum record_state state = record_read(s, str_of(r->id), now_s, &stored);

    if (state != RECORD_FOUND)
        return without_record(state);
    enum store_result result = put_need(s, r, which);
    if (is_there(result) && !in_time(begun_s, KEEP_MOST_S))
        result = STORE_FAILED;
    if (!is_there(result))
        return result;
    result = change(s, r, names_field(which), now_s, &stored);
    if (result == STORE_OK) {
        take_fields(&stored, r, names_field(which));
        *r = stored;
    }
    return result;
}

/* ---- the end ---- */

/* Puts the tombstone. A disk without room for its text may have room for an empty file, whose time of
 * change then says when the upload was deleted. */
static enum store_result bury(struct store *s, const char *key, int64_t now_s)
{
    enum store_result result = store_put(s, key, str_of(UTC_TEXT(now_s)));

    return result == STORE_FULL ? store_put(s, key, STR("")) : result;
}

struct eviction {
    struct local *local;
    enum store_result result;
};

static bool evict_view(void *context, const struct store_object *object)
{
    struct eviction *e = context;
    enum store_result result = local_delete(e->local, object->key);

    e->result = settled(result) ? e->result : result;
    return true;
}

/* All views of these bytes on this machine, also where another upload has equal ones: they are drawn again. Other machines
 * have their own sweeps. */
static enum store_result remove_views(struct store *s, const char *sha256)
{
    char prefix[RECORD_VIEWS_PREFIX_CHARS + 1];
    struct eviction e = {store_local(s), STORE_OK};

    record_views_prefix(sha256, prefix);
    enum store_result result = local_list(e.local, prefix, evict_view, &e);
    return result == STORE_OK ? e.result : result;
}

/* A machine puts them behind the record, and looks for the tombstone then; but it may crash before that. */
static enum store_result remove_shown(struct store *s, const char *id)
{
    enum store_result result = STORE_OK;
    char key[STORE_KEY_BYTES];

    for (int which = 0; store_is_remote(s) && which < RECORD_SHOWN && settled(result); which++) {
        record_shown_key(id, (enum record_shown)which, key);
        result = store_delete(s, key);
    }
    return result;
}

/* What is gone already is success. */
static enum store_result remove_bytes(struct store *s, const char *id)
{
    char key[RECORD_BYTES_KEY_CHARS + 1];

    record_bytes_key(id, key);
    enum store_result result = store_delete(s, key);
    return settled(result) ? STORE_OK : result;
}

/* A change may have come behind the reading of *r, and given the upload another entry: what is read behind the
 * tombstone is the last one, since a change that comes later removes its own. */
static enum store_result remove_entry(struct store *s, const struct record *r)
{
    char key[STORE_KEY_BYTES];
    struct record last;
    uint32_t n;

    if (read_object(s, str_of(r->id), &last, &n) != RECORD_FOUND)
        last = *r;
    if (last.space[0] == '\0')
        return STORE_OK;
    enum store_result result = STORE_OK;
    for (int kind = ENTRY_KINDS - 1; kind >= 0 && settled(result); kind--) {
        record_entry_key(&last, (enum record_entry_kind)kind, key);
        result = store_delete(s, key);
    }
    return settled(result) ? STORE_OK : result;
}

enum store_result record_delete(struct store *s, const struct record *r, int64_t now_s)
{
    char gone[STORE_KEY_BYTES], upload[STORE_KEY_BYTES];

    if (!record_id_valid(str_of(r->id)) || !record_sha256_valid(str_of(r->sha256))) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    record_gone_key(r->id, gone);
    record_first_key(r->id, upload);
    enum store_result result = bury(s, gone, now_s);
    if (settled(result))
        result = remove_entry(s, r);
    if (settled(result))
        result = remove_views(s, r->sha256);
    if (settled(result))
        result = remove_shown(s, r->id);
    if (settled(result))
        result = remove_bytes(s, r->id);
    if (settled(result))
        result = remove_revisions(s, r->id, UINT32_MAX);
    if (settled(result))
        result = store_delete(s, upload);
    return settled(result) ? STORE_OK : result;
}

bool record_is_gone(struct store *s, const char *id)
{
    char key[STORE_KEY_BYTES];

    record_gone_key(id, key);
    return store_exists(s, key) == STORE_OK;
}

/* Puts the last revision, if the upload has expired: then no change is made of it any more. */
static enum store_result put_end(struct store *s, struct str id, int64_t now_s, struct record *r,
                                 bool *expired)
{
    enum store_result result = STORE_EXISTS;
    uint32_t n;

    for (unsigned i = 0; i < REVISION_TRIES && result == STORE_EXISTS; i++) {
        enum record_state state = read_state(s, id, now_s, r, &n);
        *expired = state == RECORD_GONE && r->id[0] != '\0';
        if (state == RECORD_AWAY)
            return STORE_UNAVAILABLE;
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

    if (result == STORE_FULL && now_s - r.expires_s > FULL_AFTER_S)
        result = remove_bytes(s, r.id);
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
    record_gone_key(id.p, key);
    enum store_result result = remove_shown(s, id.p);
    if (settled(result))
        result = store_delete(s, key);
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

/* Whether a record of the upload is there, whatever it says. Where the disk fails this does as well: what cannot be
 * looked for is not taken for unneeded. */
static enum store_result has_record(struct store *s, const char *id, bool *has)
{
    char key[STORE_KEY_BYTES];

    record_first_key(id, key);
    enum store_result result = store_exists(s, key);
    *has = result == STORE_OK;
    if (result == STORE_NOT_FOUND)
        result = list_revisions(s, id, note_any, has);
    return result;
}

static enum store_result remove_object(struct store *s, const char *key, bool *removed)
{
    enum store_result result = store_delete(s, key);

    *removed = result == STORE_OK;
    return settled(result) ? STORE_OK : result;
}

enum store_result record_remove_bytes(struct store *s, const struct store_object *object, int64_t before_s,
                                      bool *removed)
{
    const char *id = name_of(object->key);
    char itself[RECORD_BYTES_KEY_CHARS + 1];
    bool has;

    *removed = false;
    record_bytes_key(id, itself);
    if (!record_id_valid(str_of(id)) || strcmp(itself, object->key) != 0)
        return STORE_OK;
    enum store_result result = has_record(s, id, &has);
    bool is_old = object->time_s != 0 && object->time_s < before_s;
    if (result != STORE_OK || has || (!is_old && !record_is_gone(s, id)))
        return result;
    return remove_object(s, object->key, removed);
}

/* The parts of a key names/<period>/<sha256>, or names/<period>/<sha256>.for/<id>; *id is NULL then. */
static bool read_names_key(const char *key, uint32_t *period, char sha256[RECORD_SHA256_CHARS + 1],
                           const char **id)
{
    char itself[STORE_KEY_BYTES];
    struct str rest = str_of(key), part;
    uint64_t number;

    if (!str_split(&rest, '/', &part) || !str_split(&rest, '/', &part) || !str_to_u64(part, 10, &number) ||
        number > UINT32_MAX || rest.n < RECORD_SHA256_CHARS)
        return false;
    *period = (uint32_t)number;
    memcpy(sha256, rest.p, RECORD_SHA256_CHARS);
    sha256[RECORD_SHA256_CHARS] = '\0';
    *id = rest.n == RECORD_SHA256_CHARS ? NULL : name_of(key);
    if (*id == NULL)
        record_names_key(sha256, *period, itself);
    else
        record_need_key(sha256, *period, *id, itself);
    return record_sha256_valid(str_of(sha256)) && (*id == NULL || record_id_valid(str_of(*id))) &&
           strcmp(itself, key) == 0;
}

/* Whether the upload, as it is now, needs this file of that period. */
static enum store_result names_needed(struct store *s, const char *id, const char *sha256, uint32_t period,
                                      bool *needed)
{
    struct record r;
    uint32_t n;
    enum record_state state = read_object(s, str_of(id), &r, &n);

    *needed = state == RECORD_BROKEN || state == RECORD_AWAY;
    for (size_t i = 0; state == RECORD_FOUND && i < RECORD_NAMES_FILES; i++)
        *needed = *needed || (r.names.period[i] == period && strcmp(r.names.of[i], sha256) == 0);
    return STORE_OK;
}

enum store_result record_remove_names(struct store *s, const char *key, int64_t now_s, bool *removed)
{
    char sha256[RECORD_SHA256_CHARS + 1], needs[STORE_KEY_BYTES];
    const char *id;
    uint32_t period;
    bool needed = false;
    enum store_result result;

    *removed = false;
    if (!read_names_key(key, &period, sha256, &id) || period + 1 >= record_period(now_s))
        return STORE_OK;
    if (id != NULL) {
        result = names_needed(s, id, sha256, period, &needed);
    } else {
        snprintf(needs, sizeof(needs), "%s.for/", key);
        result = store_list(s, needs, note_any, &needed);
    }
    return result != STORE_OK || needed ? result : remove_object(s, key, removed);
}

static bool is_entry_of(const struct record *r, const char *key)
{
    char own[STORE_KEY_BYTES];
    bool is_own = false;

    for (int kind = 0; kind < ENTRY_KINDS && !is_own; kind++) {
        record_entry_key(r, (enum record_entry_kind)kind, own);
        is_own = strcmp(own, key) == 0;
    }
    return is_own;
}

enum store_result record_remove_entry(struct store *s, const char *key, int64_t now_s, bool *removed)
{
    struct record_entry e;
    struct record r;
    uint32_t n;

    *removed = false;
    if (!record_entry_read(key, &e))
        return STORE_OK;
    enum record_state state = read_object(s, str_of(e.id), &r, &n);
    if (state == RECORD_BROKEN || state == RECORD_AWAY)
        return state == RECORD_AWAY ? STORE_UNAVAILABLE : STORE_OK;
    if (state == RECORD_FOUND && r.space[0] != '\0' && is_entry_of(&r, key))
        return STORE_OK;
    if (record_entry_put_s(&e) >= now_s - DAY_S && !record_is_gone(s, e.id))
        return STORE_OK;
    return remove_object(s, key, removed);
}

/* ---- as requests meet it ---- */

static const char HINT[] = "Tell the operator: the service's log has the details.";

/* The object store does not answer. */
static void say_away(const char *what, struct diag *diag)
{
    diag_set(
        diag, DIAG_BUSY, "the object store does not answer",
        "Try again soon; if that does not help, tell the operator.",
        "The service keeps uploads in an object store, which does not answer: the upload could not be %s.",
        what);
}

void store_access_failed(const struct log *log, enum store_result result, const char *what, struct diag *diag)
{
    bool full = result == STORE_FULL;

    LOG(log, full ? LOG_WARN : LOG_ERROR, "store-failed", LOG_STR("what", str_of(what)),
        LOG_STR("why", str_of(store_reason(result))));
    if (full)
        diag_set(diag, DIAG_FULL, "disk full",
                 "Tell the operator; nothing of other uploads is lost. Try again later.",
                 "The service has no room left: the upload could not be %s.", what);
    else if (result == STORE_UNAVAILABLE)
        say_away(what, diag);
    else if (result == STORE_WAITS)
        diag_set(
            diag, DIAG_BUSY, "not in the object store yet", "Try again when the object store answers.",
            "The upload is on the machine that took it, and is sent to the object store as soon as that answers: "
            "until then it cannot be %s.",
            what);
    else if (result == STORE_CORRUPT)
        diag_set(diag, DIAG_BUSY, "damaged on its way",
                 "Try again; if that does not help, tell the operator.",
                 "Other bytes arrived at the object store than were sent: the upload could not be %s.", what);
    else
        diag_set(diag, DIAG_IO, "store not writable", HINT, "The upload could not be %s.", what);
}

void record_say_damaged(struct diag *diag)
{
    diag_set(diag, DIAG_CORRUPT, "upload damaged", "Upload the profile again if you still have it.",
             "The stored bytes are not those that were uploaded.");
}

/* -1: diag. */
static int open_object(struct store *store, const struct log *log, const char *key, const char *sha256,
                       const char *id, uint64_t *bytes, struct diag *diag)
{
    int fd;
    enum store_result result = store_get(store, key, sha256, &fd, bytes);

    if (result == STORE_OK)
        return fd;
    const char *why = store_reason(result);
    if (result == STORE_NOT_FOUND && id[0] != '\0' && record_is_gone(store, id)) {
        diag_set(diag, DIAG_GONE, "gone", "Upload the profile again if you still have it.",
                 "The upload was deleted, or has expired.");
        return -1;
    }
    LOG(log, LOG_ERROR, "bytes-not-opened", LOG_STR("key", str_of(key)), LOG_STR("why", str_of(why)));
    if (result == STORE_UNAVAILABLE)
        say_away("read", diag);
    else if (result == STORE_CORRUPT)
        record_say_damaged(diag);
    else
        diag_set(diag, DIAG_IO, "upload not readable", HINT, "The stored upload could not be opened.");
    return -1;
}

int store_access_bytes(struct store *store, const struct log *log, const char *id, const char *sha256,
                       uint64_t *bytes, struct diag *diag)
{
    char key[RECORD_BYTES_KEY_CHARS + 1];

    record_bytes_key(id, key);
    return open_object(store, log, key, sha256, id, bytes, diag);
}

int store_access_names(struct store *store, const struct log *log, const struct record_names *names,
                       enum record_names_file which, uint64_t *bytes, struct diag *diag)
{
    char key[STORE_KEY_BYTES];

    record_names_key(names->of[which], names->period[which], key);
    return open_object(store, log, key, names->of[which], "", bytes, diag);
}

enum record_state record_load(struct store *s, struct str id, struct record *r)
{
    uint32_t n;

    return read_object(s, id, r, &n);
}
