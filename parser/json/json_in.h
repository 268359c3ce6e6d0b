/* JSON (RFC 8259), pulled value by value from a source:
 *
 *     if (json_in_enter(in, JSON_OBJECT))
 *         while (json_in_key(in, &key))
 *             if (str_eq(key, STR("name")))
 *                 json_in_string(in, &name);
 *             else
 *                 json_in_skip(in);
 *
 * Each function takes one whole value, or goes into it. After each key, and after json_in_item, exactly one value has
 * to be taken. Where the text is damaged or ends, `state` says so; from then on there are no keys, no items and no
 * values, so that loops end by themselves.
 *
 * Memory does not grow with the file: a string is kept up to a limit, and the rest of it is passed over. Nesting
 * has a bound, too. Beside what the standard allows these are taken: a byte order mark; NaN and Infinity, which are
 * null; a comma behind the last item; control characters and ill-formed UTF-8 in strings; lone surrogates, which
 * become U+FFFD. */
#pragma once

#include "core/arena.h"
#include "core/str.h"
#include "parser/source.h"

enum json_kind {
    JSON_NONE, /* damage, or the end */
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

enum json_state {
    JSON_GOOD,
    JSON_CUT,     /* the text ends within a value */
    JSON_DAMAGED, /* what stands there is no JSON */
    JSON_TOO_DEEP /* arrays and objects are nested deeper than JSON_DEPTH_MAX */
};

enum { JSON_DEPTH_MAX = 4096 };

/* mantissa * 10^exponent. Digits that have no room in 63 bits are dropped. */
struct json_number {
    int64_t mantissa;
    int32_t exponent; /* within +-2000 */
};

/* Fields but `state` and `bad_at` are the reader's own. */
struct json_in {
    enum json_state state;
    bool comma;      /* a value was taken: a comma, or the end, comes next */
    uint32_t depth;  /* arrays and objects that are open */
    uint64_t bad_at; /* the byte where the state was found */
    struct source *source;
    struct arena *arena;
    const uint8_t *p, *end; /* what is not taken of the source's window */
    size_t keep_bytes;      /* of a string's text in the file */
    char *room;             /* for what does not stand in the file as it is meant */
    size_t capacity;
    uint64_t steps;                        /* for the stop */
    uint64_t objects[JSON_DEPTH_MAX / 64]; /* one bit for each that is open: it is an object */
};

/* At the first byte. Strings are kept up to name_bytes bytes at least; longer ones are cut behind that. */
void json_in_begin(struct json_in *in, struct source *source, struct arena *arena, size_t name_bytes);
/* The place of the next byte in the file. */
uint64_t json_in_offset(const struct json_in *in);

/* What kind of value comes next, which stays. */
enum json_kind json_in_peek(struct json_in *in);
/* Goes into the next value if it is an array or object, as `kind` says. Else takes it whole. */
bool json_in_enter(struct json_in *in, enum json_kind kind);
/* In an object: the next key, valid until the next call. False: the object has ended, and was left. */
bool json_in_key(struct json_in *in, struct str *key);
/* In an array: whether there is one more value. False: the array has ended, and was left. */
bool json_in_item(struct json_in *in);
/* Takes the next value, of any kind. */
void json_in_skip(struct json_in *in);
/* Takes the next value. True: it is a string, valid until the next call. */
bool json_in_string(struct json_in *in, struct str *text);
/* Takes the next value. True: it is a number, or a string that holds one. */
bool json_in_number(struct json_in *in, struct json_number *number);
/* The same of a string or a number, as its text. */
bool json_in_text(struct json_in *in, struct str *text);
/* The same of a whole number. */
bool json_in_integer(struct json_in *in, int64_t *value);

/* number * 10^decimals as a whole number, half away from zero; what has no room becomes INT64_MAX or -INT64_MAX. */
int64_t json_in_scaled(struct json_number number, int decimals);
/* False, if it has decimals or no room. */
bool json_in_whole(struct json_number number, int64_t *value);
/* Whether all of the text, less blanks at its ends, is a number. */
bool json_in_parse_number(struct str text, struct json_number *number);
