/* JSON, written piece by piece into a buffer: brackets, commas, quotes and escapes are made here and
 * nowhere else.
 *
 *     struct json j = json_into(&buf);
 *     json_open_object(&j, NULL);
 *     json_put_string(&j, "name", str);
 *     json_open_array(&j, "sizes");
 *     json_put_u64(&j, NULL, 7);
 *     json_close(&j);
 *     json_close(&j);                              {"name":"..","sizes":[7]}
 *
 * Within an object each call names its key, within an array the key is NULL. A key is a literal, written
 * as it is; one that comes from outside is given by json_put_key, and the call behind it has the key NULL.
 * There is no failure of its own: the buffer's counts. Reading JSON is a library's work. */
#pragma once

#include "core/buf.h"
#include "core/number.h"

enum { JSON_DEPTH_MAX = 31 }; /* objects and arrays within each other; more make the buffer fail */

struct json {
    struct buf *b;
    unsigned depth;
    uint32_t is_array; /* a bit for each depth */
    uint32_t is_begun; /* a bit for each depth: something is in there already */
    bool keyed;        /* the key of the next value is written */
    bool line;         /* the next member stands on a line of its own */
    /* Blanks by which each level is indented, one member a line; 0: no lines and no blanks. */
    unsigned indent;
};

static inline struct json json_into(struct buf *b)
{
    return (struct json){.b = b};
}

/* For people to read and edit. */
static inline struct json json_into_indented(struct buf *b, unsigned indent)
{
    return (struct json){.b = b, .indent = indent};
}

void json_open_object(struct json *j, const char *key);
void json_open_array(struct json *j, const char *key);
/* Closes the innermost of them. */
void json_close(struct json *j);

void json_put_key(struct json *j, struct str key);
/* The member that comes next begins a new line, behind its comma. */
void json_line(struct json *j);

/* Cleaned and escaped (clean.h). */
void json_put_string(struct json *j, const char *key, struct str value);
void json_put_u64(struct json *j, const char *key, uint64_t value);
void json_put_i64(struct json *j, const char *key, int64_t value);
/* One more number of the innermost array, on the same line: for arrays that have millions of them. */
static inline void json_put_element(struct json *j, uint64_t value)
{
    uint32_t bit = UINT32_C(1) << j->depth;
    struct buf *b = j->b;

    if (!buf_reserve(b, NUMBER_BYTES_MAX + 1))
        return;
    char *to = b->p + b->n;
    if (j->is_begun & bit)
        *to++ = ',';
    j->is_begun |= bit;
    b->n = (size_t)(number_u64(to, value) - b->p);
}
/* value / 10^decimals, zeros at the end dropped */
void json_put_fixed(struct json *j, const char *key, uint64_t value, unsigned decimals);
void json_put_bool(struct json *j, const char *key, bool value);
void json_put_null(struct json *j, const char *key);
/* Text that is JSON already. */
void json_put_raw(struct json *j, const char *key, struct str json);
