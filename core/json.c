#include "core/json.h"

#include "core/clean.h"

static void put_key_end(struct json *j)
{
    buf_z(j->b, j->indent > 0 ? "\": " : "\":");
}

static void put_line(struct json *j)
{
    buf_char(j->b, '\n');
    for (unsigned i = 0; i < j->depth * j->indent; i++)
        buf_char(j->b, ' ');
}

/* What stands before a value: the comma, if it is not the first one of its object or array, and the key. */
static void begin(struct json *j, const char *key)
{
    uint32_t bit = UINT32_C(1) << j->depth;

    if (j->keyed) {
        j->keyed = false;
        return;
    }
    if (j->is_begun & bit)
        buf_char(j->b, ',');
    j->is_begun |= bit;
    if (j->line || (j->indent > 0 && j->depth > 0))
        put_line(j);
    j->line = false;
    if (key != NULL) {
        buf_char(j->b, '"');
        buf_z(j->b, key);
        put_key_end(j);
    }
}

static void open_level(struct json *j, const char *key, bool is_array)
{
    begin(j, key);
    buf_char(j->b, is_array ? '[' : '{');
    if (j->depth == JSON_DEPTH_MAX) {
        j->b->failed = true;
        return;
    }
    uint32_t bit = UINT32_C(1) << ++j->depth;
    j->is_begun &= ~bit;
    j->is_array = is_array ? j->is_array | bit : j->is_array & ~bit;
}

void json_open_object(struct json *j, const char *key)
{
    open_level(j, key, false);
}

void json_open_array(struct json *j, const char *key)
{
    open_level(j, key, true);
}

void json_close(struct json *j)
{
    if (j->depth == 0) {
        j->b->failed = true;
        return;
    }
    char bracket = j->is_array >> j->depth & 1 ? ']' : '}';
    bool is_begun = j->is_begun >> j->depth & 1;
    j->depth--;
    if (is_begun && j->indent > 0)
        put_line(j);
    buf_char(j->b, bracket);
}

void json_put_key(struct json *j, struct str key)
{
    begin(j, NULL);
    buf_char(j->b, '"');
    clean_json(j->b, key);
    put_key_end(j);
    j->keyed = true;
}

void json_line(struct json *j)
{
    j->line = true;
}

void json_put_string(struct json *j, const char *key, struct str value)
{
    begin(j, key);
    buf_char(j->b, '"');
    clean_json(j->b, value);
    buf_char(j->b, '"');
}

void json_put_u64(struct json *j, const char *key, uint64_t value)
{
    begin(j, key);
    buf_u64(j->b, value);
}

void json_put_i64(struct json *j, const char *key, int64_t value)
{
    begin(j, key);
    buf_z(j->b, value < 0 ? "-" : "");
    buf_u64(j->b, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void json_put_fixed(struct json *j, const char *key, uint64_t value, unsigned decimals)
{
    begin(j, key);
    buf_fixed(j->b, value, decimals);
}

void json_put_bool(struct json *j, const char *key, bool value)
{
    begin(j, key);
    buf_z(j->b, value ? "true" : "false");
}

void json_put_null(struct json *j, const char *key)
{
    begin(j, key);
    buf_z(j->b, "null");
}

void json_put_raw(struct json *j, const char *key, struct str json)
{
    begin(j, key);
    buf_str(j->b, json);
}
