#include "server/store/record_text.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "core/clean.h"
#include "core/system/digest.h"
#include "core/system/json_memory.h"
#include "core/system/random_bytes.h"
#include "core/system/utc.h"

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

    if (!random_bytes(bits, sizeof(bits)))
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

const char *const RECORD_NAMES_WORDS[RECORD_NAMES_FILES] = {"mapping", "symbols"};
static const char *const PERIOD_WORDS[RECORD_NAMES_FILES] = {"mapping_period", "symbols_period"};

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

static bool mark_valid(struct str mark)
{
    return made_of(mark, "-abcdefghijklmnopqrstuvwxyz0123456789");
}

bool record_text_valid(const struct record *r)
{
    return (r->space[0] == '\0' || space_name_valid(str_of(r->space))) && mark_valid(str_of(r->mark)) &&
           record_id_valid(str_of(r->id)) && record_sha256_valid(str_of(r->sha256)) &&
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
        if (!put_optional(object, RECORD_NAMES_WORDS[i], names->of[i]) ||
            (names->of[i][0] != '\0' && names->period[i] != 0 &&
             json_object_set_new(object, PERIOD_WORDS[i], json_integer(names->period[i])) != 0))
            return false;
    return true;
}

/* False: no memory. */
static bool put_labels(json_t *object, const struct labels *labels)
{
    struct str rest = labels_all(labels), key, value;

    if (rest.n == 0)
        return true;
    json_t *all = json_object();
    bool ok = json_object_set_new(object, "labels", all) == 0;
    while (ok && labels_next(&rest, &key, &value)) {
        char name[LABEL_KEY_BYTES + 1];
        snprintf(name, sizeof(name), "%.*s", (int)key.n, key.p);
        ok = json_object_set_new(all, name, json_stringn(value.p, value.n)) == 0;
    }
    return ok;
}

/* NULL when memory is short. */
static json_t *to_json(const struct record *r)
{
    struct buf name = {0};

    clean_text(&name, str_of(r->name));
    struct str shown = clean_cut(buf_view(&name), RECORD_NAME_BYTES);
    json_t *object = name.failed ? NULL
                                 : json_pack("{s:s, s:s%, s:s, s:s, s:s, s:I, s:s, s:I}", "id", r->id, "name",
                                             shown.n == 0 ? "" : shown.p, shown.n, "created",
                                             UTC_TEXT(r->created_s), "expires", UTC_TEXT(r->expires_s),
                                             "sha256", r->sha256, "size", (json_int_t)r->size, "format",
                                             r->format, "warnings", (json_int_t)r->warnings);
    buf_free(&name);
    if (object != NULL &&
        !(put_optional(object, "token_sha256", r->token_sha256) && put_optional(object, "owner", r->owner) &&
          put_optional(object, "readers", r->team ? "team" : "") &&
          put_optional(object, "member", r->member) && put_optional(object, "app", r->app) &&
          put_optional(object, "space", r->space) && put_optional(object, "mark", r->mark) &&
          put_labels(object, &r->labels) && put_names(object, &r->names))) {
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
    for (size_t i = 0; i < RECORD_NAMES_FILES; i++) {
        uint64_t period = 0; /* that of files that an earlier version has put */
        if (json_object_get(object, RECORD_NAMES_WORDS[i]) != NULL &&
            !get_text(object, RECORD_NAMES_WORDS[i], names->of[i], sizeof(names->of[i])))
            return false;
        if (json_object_get(object, PERIOD_WORDS[i]) != NULL &&
            (!get_number(object, PERIOD_WORDS[i], &period) || period > UINT32_MAX))
            return false;
        names->period[i] = (uint32_t)period;
    }
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

static bool get_labels(const json_t *object, struct labels *labels)
{
    json_t *all = json_object_get(object, "labels"), *value;
    struct diag ignored = {0};
    const char *key;

    if (all == NULL)
        return true;
    json_object_foreach (all, key, value)
        if (!json_is_string(value) || json_string_length(value) == 0 ||
            !labels_set(labels, str_of(key),
                        (struct str){json_string_value(value), json_string_length(value)}, &ignored))
            return false;
    return json_is_object(all);
}

static bool from_json(const json_t *object, struct str id, struct record *r)
{
    return get_text(object, "id", r->id, sizeof(r->id)) && str_eq(str_of(r->id), id) &&
           get_text(object, "name", r->name, sizeof(r->name)) &&
           get_text(object, "sha256", r->sha256, sizeof(r->sha256)) &&
           get_optional(object, "token_sha256", r->token_sha256, sizeof(r->token_sha256)) &&
           get_optional(object, "owner", r->owner, sizeof(r->owner)) && get_readers(object, &r->team) &&
           get_optional(object, "member", r->member, sizeof(r->member)) &&
           get_optional(object, "app", r->app, sizeof(r->app)) &&
           get_optional(object, "space", r->space, sizeof(r->space)) &&
           get_optional(object, "mark", r->mark, sizeof(r->mark)) && get_labels(object, &r->labels) &&
           get_names(object, &r->names) && get_text(object, "format", r->format, sizeof(r->format)) &&
           get_number(object, "size", &r->size) && get_number(object, "warnings", &r->warnings) &&
           get_time(object, "created", &r->created_s) && get_time(object, "expires", &r->expires_s) &&
           record_text_valid(r);
}

char *record_text_write(const struct record *r)
{
    json_t *object = to_json(r);
    char *text = object == NULL ? NULL : json_memory_dumps(object, JSON_INDENT(2));

    json_decref(object);
    return text;
}

bool record_text_read(struct str text, struct str id, struct record *r)
{
    json_t *object = json_memory_load(text, JSON_REJECT_DUPLICATES, NULL);
    bool ok = from_json(object, id, r);

    json_decref(object);
    return ok;
}

enum record_match record_token_matches(const struct record *r, struct str token)
{
    char hex[RECORD_SHA256_CHARS + 1];

    digest_hex_of(token.p, token.n, hex);
    if (hex[0] == '\0')
        return RECORD_NO_MEMORY;
    bool equal = record_sha256_valid(str_of(r->token_sha256)) &&
                 CRYPTO_memcmp(hex, r->token_sha256, RECORD_SHA256_CHARS) == 0;
    return equal ? RECORD_MATCHES : RECORD_OTHER;
}
