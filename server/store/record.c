#include "server/store/record.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/system/json_memory.h"
#include "core/system/utc.h"

enum {
    RECORD_BYTES_MAX = 8192, /* of the object; ours are below 1 KiB */
    DAY_S = 86400
};

/* ---- ids, digests ---- */

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

static bool sha256_valid(struct str hex)
{
    return hex.n == RECORD_SHA256_CHARS && made_of(hex, "0123456789abcdef");
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

void record_sha256_hex(const void *p, size_t n, char out[RECORD_SHA256_CHARS + 1])
{
    static const char DIGITS[] = "0123456789abcdef";
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_n = 0;

    out[0] = '\0';
    if (EVP_Digest(p, n, digest, &digest_n, EVP_sha256(), NULL) != 1)
        return;
    for (unsigned i = 0; i < digest_n && i < RECORD_SHA256_CHARS / 2; i++) {
        out[2 * i] = DIGITS[digest[i] >> 4];
        out[2 * i + 1] = DIGITS[digest[i] & 15];
    }
    out[RECORD_SHA256_CHARS] = '\0';
}

void record_source(const char *sha256, const char *member, char out[RECORD_SHA256_CHARS + 1])
{
    char text[RECORD_SHA256_CHARS + 1 + RECORD_MEMBER_BYTES + 1];

    if (member[0] == '\0') {
        memcpy(out, sha256, RECORD_SHA256_CHARS + 1);
        return;
    }
    int n = snprintf(text, sizeof(text), "%s/%s", sha256, member);
    record_sha256_hex(text, (size_t)n, out);
}

enum record_match record_token_matches(const struct record *r, struct str token)
{
    char hex[RECORD_SHA256_CHARS + 1];

    record_sha256_hex(token.p, token.n, hex);
    if (hex[0] == '\0')
        return RECORD_NO_MEMORY;
    bool equal = sha256_valid(str_of(r->token_sha256)) &&
                 CRYPTO_memcmp(hex, r->token_sha256, RECORD_SHA256_CHARS) == 0;
    return equal ? RECORD_MATCHES : RECORD_OTHER;
}

/* ---- keys ---- */

struct record_keys {
    char upload[STORE_KEY_BYTES];
    char ref[STORE_KEY_BYTES];
    char gone[STORE_KEY_BYTES];
    char blob[RECORD_BLOB_KEY_CHARS + 1];
};

void record_blob_key(const char *sha256, char key[RECORD_BLOB_KEY_CHARS + 1])
{
    snprintf(key, RECORD_BLOB_KEY_CHARS + 1, "blobs/%.2s/%.*s", sha256, RECORD_SHA256_CHARS, sha256);
}

static void upload_key(char out[STORE_KEY_BYTES], const char *id)
{
    snprintf(out, STORE_KEY_BYTES, "uploads/%.*s.json", RECORD_ID_CHARS, id);
}

static void gone_key(char out[STORE_KEY_BYTES], const char *id)
{
    snprintf(out, STORE_KEY_BYTES, "gone/%.*s", RECORD_ID_CHARS, id);
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
    return k;
}

/* ---- the object ---- */

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

static bool valid(const struct record *r)
{
    return record_id_valid(str_of(r->id)) && sha256_valid(str_of(r->sha256)) &&
           sha256_valid(str_of(r->token_sha256)) && format_valid(str_of(r->format)) && r->size <= INT64_MAX &&
           r->warnings <= INT64_MAX && time_valid(r->created_s) && time_valid(r->expires_s);
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
    json_t *object =
        name.failed ? NULL
                    : json_pack("{s:s, s:s%, s:s, s:s, s:s, s:I, s:s, s:s, s:I}", "id", r->id, "name",
                                shown.n == 0 ? "" : shown.p, shown.n, "created", created, "expires", expires,
                                "sha256", r->sha256, "size", (json_int_t)r->size, "format", r->format,
                                "token_sha256", r->token_sha256, "warnings", (json_int_t)r->warnings);
    buf_free(&name);
    if (object != NULL && r->member[0] != '\0' &&
        json_object_set_new(object, "member", json_string(r->member)) != 0) {
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

static bool from_json(const json_t *object, struct str id, struct record *r)
{
    return get_text(object, "id", r->id, sizeof(r->id)) && str_eq(str_of(r->id), id) &&
           get_text(object, "name", r->name, sizeof(r->name)) &&
           get_text(object, "sha256", r->sha256, sizeof(r->sha256)) &&
           get_text(object, "token_sha256", r->token_sha256, sizeof(r->token_sha256)) &&
           (json_object_get(object, "member") == NULL ||
            get_text(object, "member", r->member, sizeof(r->member))) &&
           get_text(object, "format", r->format, sizeof(r->format)) && get_number(object, "size", &r->size) &&
           get_number(object, "warnings", &r->warnings) && get_time(object, "created", &r->created_s) &&
           get_time(object, "expires", &r->expires_s) && valid(r);
}

/* ---- the store ---- */

static enum store_result put_json(struct store *s, const char *key, const struct record *r, bool replace)
{
    json_t *object = to_json(r);
    char *text = object == NULL ? NULL : json_dumps(object, JSON_INDENT(2));
    enum store_result result = STORE_FAILED;

    if (text != NULL && replace)
        result = store_replace(s, key, str_of(text));
    else if (text != NULL)
        result = store_put(s, key, str_of(text), STORE_DURABLE);
    free(text);
    json_decref(object);
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

/* What was written stays: see the header. STORE_NOT_FOUND: it does not, for something of it was removed. */
static enum store_result confirm(struct store *s, const struct record_keys *keys)
{
    store_lock(s);
    enum store_result result = store_exists(s, keys->blob);
    if (result == STORE_OK)
        result = store_exists(s, keys->ref);
    store_unlock(s);
    return result;
}

enum store_result record_write(struct store *s, const struct record *r)
{
    if (!valid(r)) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    struct record_keys keys = keys_of(r);
    enum store_result result = store_put(s, keys.ref, STR(""), STORE_DURABLE);
    enum store_result confirmed = result;
    if (is_there(result))
        confirmed = result = put_json(s, keys.upload, r, false);
    if (is_there(result))
        confirmed = confirm(s, &keys);
    if (is_there(confirmed))
        return result;
    int why = errno;
    store_delete(s, keys.upload); /* a durable put that failed may be there all the same */
    store_delete(s, keys.ref);    /* would keep the blob for long */
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
    json_t *object =
        result == STORE_OK ? json_memory_load(buf_view(&text), JSON_REJECT_DUPLICATES, NULL) : NULL;
    enum record_state state = RECORD_FOUND;
    if (result == STORE_NOT_FOUND)
        state = RECORD_NONE;
    else if (!from_json(object, id, r))
        state = RECORD_BROKEN;
    json_decref(object);
    buf_free(&text);
    if (state != RECORD_FOUND)
        *r = (struct record){0};
    return state;
}

enum tombstone { TOMBSTONE_NONE, TOMBSTONE_FRESH, TOMBSTONE_OLD, TOMBSTONE_UNKNOWN };

/* When it was put, where its words do not say: see bury. */
static int64_t time_of(struct store *s, const char *key, int64_t now_s)
{
    struct store_object o;

    return store_look(s, key, &o) == STORE_OK ? o.used_s : now_s;
}

/* One with other words in it still says that the upload was deleted; a failing disk says nothing. */
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
    enum tombstone tombstone = read_tombstone(s, id, now_s);
    enum record_state state = read_object(s, id, r);
    if (tombstone == TOMBSTONE_FRESH || (tombstone == TOMBSTONE_OLD && state != RECORD_NONE))
        return RECORD_GONE;
    if (tombstone == TOMBSTONE_UNKNOWN)
        return RECORD_BROKEN;
    return state == RECORD_FOUND && r->expires_s <= now_s ? RECORD_GONE : state;
}

enum store_result record_change(struct store *s, const struct record *r, int64_t now_s)
{
    struct str id = str_of(r->id);
    struct record stored;

    if (!valid(r)) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    enum record_state state = record_read(s, id, now_s, &stored);
    if (state != RECORD_FOUND)
        return state == RECORD_BROKEN ? STORE_FAILED : STORE_NOT_FOUND;
    struct record_keys keys = keys_of(r);
    enum store_result result = put_json(s, keys.upload, r, true);
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

/* A disk that has no room for a word may still have it for a name, whose own time says when. */
static enum store_result bury(struct store *s, const char *key, int64_t now_s)
{
    char now[UTC_CHARS + 1];

    utc_format(now_s, now);
    enum store_result result = store_put(s, key, str_of(now), STORE_DURABLE);
    return result == STORE_FULL ? store_put(s, key, STR(""), STORE_DURABLE) : result;
}

enum store_result record_delete(struct store *s, const struct record *r, int64_t now_s)
{
    if (!record_id_valid(str_of(r->id)) || !sha256_valid(str_of(r->sha256))) {
        errno = EINVAL;
        return STORE_FAILED;
    }
    struct record_keys keys = keys_of(r);
    enum store_result result = bury(s, keys.gone, now_s);
    if (settled(result))
        result = store_delete(s, keys.upload);
    if (settled(result))
        result = store_delete(s, keys.ref);
    return settled(result) ? STORE_OK : result;
}

enum store_result record_expire(struct store *s, struct str id, int64_t now_s, bool *expired)
{
    char key[STORE_KEY_BYTES];
    enum store_result result = STORE_OK;
    struct record r;

    store_lock(s);
    *expired = record_read(s, id, now_s, &r) == RECORD_GONE && r.id[0] != '\0';
    if (*expired) {
        ref_key(key, r.sha256, r.id);
        result = store_delete(s, key);
    }
    store_unlock(s);
    return *expired && settled(result) ? record_delete(s, &r, now_s) : result;
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
    if (str_ends(str_of(needer), STR("/")))
        return store_list(s, needer, note_any, needed);
    enum store_result result = store_exists(s, needer);
    *needed = result == STORE_OK;
    return settled(result) ? STORE_OK : result;
}

/* Looks twice: the first time without the lock, since most are needed. */
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
    if (!sha256_valid((struct str){sha256, RECORD_SHA256_CHARS}) || strcmp(itself, key) != 0)
        return STORE_OK;
    upload_key(upload, id);
    return remove_unneeded(s, key, upload, before_s, removed);
}

enum store_result record_remove_blob(struct store *s, const char *key, int64_t before_s, bool *removed)
{
    char itself[RECORD_BLOB_KEY_CHARS + 1], refs[STORE_KEY_BYTES];
    const char *sha256 = name_of(key);

    *removed = false;
    if (!sha256_valid(str_of(sha256)))
        return STORE_OK;
    record_blob_key(sha256, itself);
    if (strcmp(itself, key) != 0)
        return STORE_OK;
    snprintf(refs, sizeof(refs), "refs/%s/", sha256);
    return remove_unneeded(s, key, refs, before_s, removed);
}
