#include "server/store/record.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/hash.h"
#include "core/str.h"
#include "core/system/json_memory.h"
#include "core/system/utc.h"
#include "server/store/store.h"

/* ---- ids ---- */

static const char BASE32[] = "abcdefghijklmnopqrstuvwxyz234567";

static bool made_of(struct str s, const char *allowed)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\0' || strchr(allowed, s.p[i]) == NULL)
            return false;
    return true;
}

bool record_id_valid(struct str id)
{
    return id.n == RECORD_ID_CHARS && made_of(id, BASE32);
}

bool record_sha256_valid(struct str hex)
{
    return hex.n == RECORD_SHA256_CHARS && made_of(hex, "0123456789abcdef");
}

bool record_new_secret(char out[RECORD_ID_CHARS + 1])
{
    uint8_t bits[16];
    unsigned pending = 0, n_pending = 0;
    size_t n = 0;

    if (TEMP_FAILURE_RETRY(getrandom(bits, sizeof(bits), 0)) != (ssize_t)sizeof(bits))
        return false;
    for (size_t i = 0; i < sizeof(bits); i++) {
        pending = (pending << 8 | bits[i]) & 0xfff;
        for (n_pending += 8; n_pending >= 5; n_pending -= 5)
            out[n++] = BASE32[pending >> (n_pending - 5) & 31];
    }
    out[n++] = BASE32[pending << (5 - n_pending) & 31];
    out[n] = '\0';
    return true;
}

/* Looked up once: the library's own way from EVP_sha256() to it is longer than what it does with a token, and every
 * request of who is known has one. */
static EVP_MD *looked_up;
static pthread_once_t look_up_once = PTHREAD_ONCE_INIT;

static void look_up(void)
{
    looked_up = EVP_MD_fetch(NULL, "SHA256", NULL);
}

static const EVP_MD *algorithm(void)
{
    pthread_once(&look_up_once, look_up);
    return looked_up != NULL ? looked_up : EVP_sha256();
}

bool record_sha256(const void *p, size_t n, uint8_t digest[RECORD_SHA256_BYTES])
{
    unsigned digest_n = RECORD_SHA256_BYTES;

    return EVP_Digest(p, n, digest, &digest_n, algorithm(), NULL) == 1;
}

void record_hex(const uint8_t digest[RECORD_SHA256_BYTES], char out[RECORD_SHA256_CHARS + 1])
{
    static const char DIGITS[] = "0123456789abcdef";

    for (unsigned i = 0; i < RECORD_SHA256_BYTES; i++) {
        out[2 * i] = DIGITS[digest[i] >> 4];
        out[2 * i + 1] = DIGITS[digest[i] & 15];
    }
    out[RECORD_SHA256_CHARS] = '\0';
}

void record_sha256_hex(const void *p, size_t n, char out[RECORD_SHA256_CHARS + 1])
{
    uint8_t digest[RECORD_SHA256_BYTES];

    out[0] = '\0';
    if (record_sha256(p, n, digest))
        record_hex(digest, out);
}

const char *const RECORD_NAMES_WORDS[RECORD_NAMES_FILES] = {"mapping", "symbols"};

/* ---- the text of a record ---- */

static bool format_valid(struct str format)
{
    for (size_t i = 0; i < format.n; i++)
        if (format.p[i] <= ' ' || format.p[i] > '~')
            return false;
    return format.n > 0;
}

static bool time_valid(int64_t unix_s)
{
    return unix_s >= 0 && unix_s <= UTC_LAST_S;
}

bool record_set_name(struct record *r, struct str name)
{
    struct buf cleaned = {0};

    clean_text(&cleaned, clean_cut(name, RECORD_NAME_BYTES));
    struct str shown = clean_cut(buf_view(&cleaned), cleaned.failed ? 0 : RECORD_NAME_BYTES);
    memset(r->name, 0, sizeof(r->name));
    if (shown.n > 0)
        memcpy(r->name, shown.p, shown.n);
    bool ok = !cleaned.failed;
    buf_free(&cleaned);
    return ok;
}

static bool names_valid(const struct record_names *names)
{
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if (names->of[i][0] != '\0' && !record_sha256_valid(str_of(names->of[i])))
            return false;
    return true;
}

/* Whether every field can be read back as it would be written. */
static bool record_object_valid(const struct record *r)
{
    return record_id_valid(str_of(r->id)) && record_sha256_valid(str_of(r->sha256)) &&
           (record_sha256_valid(str_of(r->token_sha256)) ||
            (r->token_sha256[0] == '\0' && r->owner[0] != '\0')) &&
           clean_is_text(str_of(r->owner)) && names_valid(&r->names) && format_valid(str_of(r->format)) &&
           clean_is_text(str_of(r->app)) && clean_is_text(str_of(r->member)) && r->size <= INT64_MAX &&
           r->warnings <= INT64_MAX && time_valid(r->created_s) && time_valid(r->expires_s);
}

/* Nothing for an empty text. False: no memory. */
static bool put_optional(json_t *object, const char *key, const char *text)
{
    return text[0] == '\0' || json_object_set_new(object, key, json_string(text)) == 0;
}

static bool put_names(json_t *object, const struct record_names *names)
{
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if (!put_optional(object, RECORD_NAMES_WORDS[i], names->of[i]))
            return false;
    return true;
}

/* NULL when memory is short. */
static json_t *to_json(const struct record *r)
{
    char created[UTC_CHARS + 1], expires[UTC_CHARS + 1];
    struct buf name = {0};

    utc_format(r->created_s, created);
    utc_format(r->expires_s, expires);
    clean_text(&name, str_of(r->name));
    struct str shown = clean_cut(buf_view(&name), RECORD_NAME_BYTES);
    json_t *object = name.failed
                         ? NULL
                         : json_pack("{s:s, s:s%, s:s, s:s, s:s, s:I, s:s, s:I}", "id", r->id, "name",
                                     shown.n == 0 ? "" : shown.p, shown.n, "created", created, "expires",
                                     expires, "sha256", r->sha256, "size", (json_int_t)r->size, "format",
                                     r->format, "warnings", (json_int_t)r->warnings);
    buf_free(&name);
    if (object != NULL &&
        !(put_optional(object, "token_sha256", r->token_sha256) && put_optional(object, "owner", r->owner) &&
          put_optional(object, "readers", r->team ? "team" : "") &&
          put_optional(object, "member", r->member) && put_optional(object, "app", r->app) &&
          put_names(object, &r->names))) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Text of at most out_bytes - 1 bytes that is its own cleaned form. */
static bool get_text(const json_t *object, const char *key, char *out, size_t out_bytes)
{
    const json_t *value = json_object_get(object, key);
    struct buf cleaned = {0};

    if (!json_is_string(value) || json_string_length(value) >= out_bytes)
        return false;
    struct str text = {json_string_value(value), json_string_length(value)};
    clean_text(&cleaned, text);
    bool ok = !cleaned.failed && str_eq(text, buf_view(&cleaned));
    buf_free(&cleaned);
    if (ok)
        memcpy(out, text.p, text.n + 1);
    return ok;
}

static bool get_time(const json_t *object, const char *key, int64_t *unix_s)
{
    char text[UTC_CHARS + 1];

    return get_text(object, key, text, sizeof(text)) && utc_parse(str_of(text), unix_s);
}

static bool get_number(const json_t *object, const char *key, uint64_t *number)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *number = (uint64_t)json_integer_value(value);
    return true;
}

static bool get_names(const json_t *object, struct record_names *names)
{
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++)
        if (json_object_get(object, RECORD_NAMES_WORDS[i]) != NULL &&
            !get_text(object, RECORD_NAMES_WORDS[i], names->of[i], sizeof(names->of[i])))
            return false;
    return true;
}

/* What may be missing: the text is empty then. */
static bool get_optional(const json_t *object, const char *key, char *out, size_t out_bytes)
{
    return json_object_get(object, key) == NULL || get_text(object, key, out, out_bytes);
}

static bool get_readers(const json_t *object, bool *team)
{
    char readers[8] = "";

    *team = json_object_get(object, "readers") != NULL;
    return get_optional(object, "readers", readers, sizeof(readers)) &&
           (!*team || strcmp(readers, "team") == 0);
}

static bool from_json(const json_t *object, struct str id, struct record *r)
{
    return get_text(object, "id", r->id, sizeof(r->id)) && str_eq(str_of(r->id), id) &&
           get_text(object, "name", r->name, sizeof(r->name)) &&
           get_text(object, "sha256", r->sha256, sizeof(r->sha256)) &&
           get_optional(object, "token_sha256", r->token_sha256, sizeof(r->token_sha256)) &&
           get_optional(object, "owner", r->owner, sizeof(r->owner)) && get_readers(object, &r->team) &&
           get_optional(object, "member", r->member, sizeof(r->member)) &&
           get_optional(object, "app", r->app, sizeof(r->app)) && get_names(object, &r->names) &&
           get_text(object, "format", r->format, sizeof(r->format)) && get_number(object, "size", &r->size) &&
           get_number(object, "warnings", &r->warnings) && get_time(object, "created", &r->created_s) &&
           get_time(object, "expires", &r->expires_s) && record_object_valid(r);
}

/* The text, the caller's to free. NULL: no memory. */
static char *record_object_write(const struct record *r)
{
    json_t *object = to_json(r);
    char *text = object == NULL ? NULL : json_memory_dumps(object, JSON_INDENT(2));

    json_decref(object);
    return text;
}

/* False: not the record of this id; *r may have been filled in part then. */
static bool record_object_read(struct str text, struct str id, struct record *r)
{
    json_t *object = json_memory_load(text, JSON_REJECT_DUPLICATES, NULL);
    bool ok = from_json(object, id, r);

    json_decref(object);
    return ok;
}

/* ---- the record in the store ---- */

enum {
    RECORD_BYTES_MAX = 8192, /* of the object; ours are below 1 KiB */
    DAY_S = 86400
};

enum record_match record_token_matches(const struct record *r, struct str token)
{
    char hex[RECORD_SHA256_CHARS + 1];

    record_sha256_hex(token.p, token.n, hex);
    if (hex[0] == '\0')
        return RECORD_NO_MEMORY;
    bool equal = record_sha256_valid(str_of(r->token_sha256)) &&
                 CRYPTO_memcmp(hex, r->token_sha256, RECORD_SHA256_CHARS) == 0;
    return equal ? RECORD_MATCHES : RECORD_OTHER;
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

static enum store_result put_object(struct store *s, const char *key, const struct record *r, bool replace)
{
    char *text = record_object_write(r);
    enum store_result result = STORE_FAILED;

    if (text != NULL && replace)
        result = store_replace(s, key, str_of(text));
    else if (text != NULL)
        result = store_put(s, key, str_of(text), STORE_DURABLE);
    free(text);
    return result;
}

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

enum store_result record_write(struct store *s, const struct record *r)
{
    if (!record_object_valid(r)) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    struct record_keys keys = keys_of(r);
    enum store_result result = put_refs(s, &keys);
    enum store_result confirmed = result;
    if (is_there(result))
        confirmed = result = put_object(s, keys.upload, r, false);
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

static enum record_state read_object(struct store *s, struct str id, struct record *r)
{
    char key[STORE_KEY_BYTES];
    struct buf text = {0};

    *r = (struct record){0};
    upload_key(key, id.p);
    enum store_result result = store_read(s, key, RECORD_BYTES_MAX, &text);
    enum record_state state = RECORD_FOUND;
    if (result == STORE_NOT_FOUND)
        state = RECORD_NONE;
    else if (result != STORE_OK || !record_object_read(buf_view(&text), id, r))
        state = RECORD_BROKEN;
    buf_free(&text);
    if (state != RECORD_FOUND)
        *r = (struct record){0};
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

enum record_state record_read(struct store *s, struct str id, int64_t now_s, struct record *r)
{
    *r = (struct record){0};
    if (!record_id_valid(id))
        return RECORD_NONE;
    /* A delete puts the tombstone first. In this order one that comes in between is seen. */
    enum record_state state = read_object(s, id, r);
    enum tombstone tombstone = read_tombstone(s, id, now_s);
    if (tombstone == TOMBSTONE_FRESH || (tombstone == TOMBSTONE_OLD && state != RECORD_NONE))
        return RECORD_GONE;
    if (tombstone == TOMBSTONE_UNKNOWN)
        return RECORD_BROKEN;
    return state == RECORD_FOUND && r->expires_s <= now_s ? RECORD_GONE : state;
}

/* The stored record as it is now. */
static enum store_result read_current(struct store *s, struct str id, int64_t now_s, struct record *stored)
{
    enum record_state state = record_read(s, id, now_s, stored);

    return state == RECORD_FOUND ? STORE_OK : state == RECORD_BROKEN ? STORE_FAILED : STORE_NOT_FOUND;
}

/* Under the lock of changes. */
static enum store_result replace_record(struct store *s, const struct record *r, int64_t now_s)
{
    struct str id = str_of(r->id);
    struct record_keys keys = keys_of(r);
    enum store_result result = put_object(s, keys.upload, r, true);
    int why = errno; /* of a failure, which the next calls do not know of */
    enum tombstone tombstone = read_tombstone(s, id, now_s);
    bool gone = tombstone == TOMBSTONE_FRESH || tombstone == TOMBSTONE_OLD;
    enum store_result confirmed = !gone && is_there(result) ? confirm(s, &keys) : result;
    if (!gone && confirmed != STORE_NOT_FOUND) {
        if (!is_there(result))
            errno = why;
        return is_there(confirmed) ? result : confirmed;
    }
    enum store_result removed = store_delete(s, keys.upload);
    return settled(removed) ? STORE_NOT_FOUND : removed;
}

enum store_result record_change(struct store *s, const struct record *r, unsigned fields, int64_t now_s)
{
    struct record stored;

    if (!record_object_valid(r)) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    store_begin_change(s);
    enum store_result result = read_current(s, str_of(r->id), now_s, &stored);
    if (result == STORE_OK && (fields & RECORD_NAME) != 0)
        memcpy(stored.name, r->name, sizeof(stored.name));
    if (result == STORE_OK && (fields & RECORD_EXPIRY) != 0)
        stored.expires_s = r->expires_s;
    if (result == STORE_OK && (fields & RECORD_APP) != 0)
        memcpy(stored.app, r->app, sizeof(stored.app));
    if (result == STORE_OK && (fields & RECORD_READERS) != 0)
        stored.team = r->team;
    if (result == STORE_OK)
        result = replace_record(s, &stored, now_s);
    store_end_change(s);
    return result;
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

enum store_result record_change_names(struct store *s, struct record *r, enum record_names_file which,
                                      const char *sha256, int64_t now_s, char before[RECORD_SHA256_CHARS + 1])
{
    struct record stored;

    before[0] = '\0';
    store_begin_change(s);
    enum store_result result = read_current(s, str_of(r->id), now_s, &stored);
    if (result == STORE_OK) {
        *r = stored;
        snprintf(r->names.of[which], sizeof(r->names.of[which]), "%s", sha256);
        struct record_keys keys = keys_of(r);
        /* The new ref comes before the record that needs it, and the old one goes after: a stored record
         * never names a blob without a ref. */
        result = sha256[0] != '\0' ? store_put(s, keys.names[which].ref, STR(""), STORE_DURABLE) : STORE_OK;
        if (is_there(result))
            result = replace_record(s, r, now_s);
        if (is_there(result))
            drop_ref(s, stored.names.of[which], r, before);
        else
            drop_ref(s, sha256, &stored, before);
    }
    store_end_change(s);
    return result;
}

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
        result = store_delete(s, keys.upload);
    if (settled(result))
        result = delete_refs(s, &keys);
    return settled(result) ? STORE_OK : result;
}

enum store_result record_expire(struct store *s, struct str id, int64_t now_s, int64_t gone_s, bool *expired)
{
    enum store_result result = STORE_OK;
    struct record r;

    store_lock(s);
    *expired = record_read(s, id, now_s, &r) == RECORD_GONE && r.id[0] != '\0';
    if (*expired) {
        struct record_keys keys = keys_of(&r);
        result = delete_refs(s, &keys);
    }
    store_unlock(s);
    /* Behind the lock: a change that comes now finds the ref gone when it confirms, and fails. */
    return *expired && settled(result) ? record_delete(s, &r, gone_s) : result;
}

enum store_result record_forget(struct store *s, struct str id, int64_t now_s, bool *forgotten)
{
    char key[STORE_KEY_BYTES];
    struct record r;

    *forgotten = false;
    if (!record_id_valid(id) || read_tombstone(s, id, now_s) != TOMBSTONE_OLD ||
        read_object(s, id, &r) != RECORD_NONE)
        return STORE_OK;
    gone_key(key, id.p);
    enum store_result result = store_delete(s, key);
    *forgotten = result == STORE_OK;
    return settled(result) ? STORE_OK : result;
}

/* ---- what nobody needs ---- */

/* The last part of a key. */
static const char *name_of(const char *key)
{
    const char *slash = strrchr(key, '/');

    return slash == NULL ? key : slash + 1;
}

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
