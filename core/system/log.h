/* One line per event on standard error, in one of two forms:
 *
 *     2026-11-20T10:49:19.123Z level event key=value ...
 *     {"ts":"2026-11-20T10:49:19.123Z","level":"..","event":"..","key":"value",...}
 *
 * Values are cleaned and escaped, so that a line is always one line. Whole lines are written with one
 * write(2), and are short enough (4,096 bytes) for a pipe to keep them whole. Any thread.
 *
 * Nobody waits for who reads the log. Lines that a full pipe does not take are kept, up to
 * LOG_PENDING_BYTES, until it does; what comes beyond that is lost, and counted in a line `warn
 * log-lines-lost n=...` in its place.
 *
 * What opens or deletes an upload stands in no line: of LOG_SECRET_CHARS or more characters a-z and 2-7 in
 * a row, also written as %61, the first LOG_SECRET_SHOWN are shown, and an ellipsis. Digests in
 * hexadecimal are shown whole. */
#pragma once

#include "core/str.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };
enum log_format { LOG_TEXT, LOG_JSON };

enum {
    LOG_VALUE_BYTES_MAX = 1024
}; /* what is longer is cut; a field that the line has no room for is left out, and `cut=1` is added at the end */
enum { LOG_SECRET_CHARS = 26, LOG_SECRET_SHOWN = 6 };

/* `LOG_STR("name", s), LOG_U64("bytes", n), ...`: the fields of one line, at most 16. No key is "ts", "level",
 * "event" or "cut". A text whose p is NULL is left out. */
struct log_field {
    const char *key;
    enum { LOG_FIELD_STR, LOG_FIELD_U64 } kind;
    struct str text;
    uint64_t number;
};
#define LOG_STR(key, s) ((struct log_field){(key), LOG_FIELD_STR, (s), 0})
#define LOG_U64(key, n) ((struct log_field){(key), LOG_FIELD_U64, {NULL, 0}, (n)})

/* "error", "warn", "info", "debug". False on any other word. */
bool log_level_parse(struct str word, enum log_level *level) MUST_CHECK;
/* "text", "json". False on any other word. */
bool log_format_parse(struct str word, enum log_format *format) MUST_CHECK;

enum { LOG_PENDING_BYTES = 256 << 10 };

struct log;
/* The descriptor stays the caller's, and blocking if it is. NULL when the system gives no memory. */
struct log *log_new(enum log_level level, enum log_format format, int fd);
/* Waits a second at most for a reader that takes nothing. */
void log_free(struct log *l);
/* Writes what is kept, as far as it is taken; for when no line comes. l may be NULL. */
void log_flush(const struct log *l);
/* l may be NULL: nothing is written. A line that cannot be written is lost: logging never fails a request. */
void log_event(const struct log *l, enum log_level level, const char *event, const struct log_field *fields,
               size_t n_fields);
#define LOG(l, level, event, ...)                                             \
    log_event((l), (level), (event), (const struct log_field[]){__VA_ARGS__}, \
              sizeof((const struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field))
