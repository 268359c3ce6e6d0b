#include "core/system/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/clean.h"
#include "core/json.h"
#include "core/system/utc.h"

enum {
    LINE_BYTES_MAX = 4096, /* PIPE_BUF of Linux */
    LAST_WAIT_MS = 1000
};

static const struct str LEVELS[] = {
    [LOG_ERROR] = STR_INIT("error"),
    [LOG_WARN] = STR_INIT("warn"),
    [LOG_INFO] = STR_INIT("info"),
    [LOG_DEBUG] = STR_INIT("debug"),
};

struct pending {
    pthread_mutex_t lock;
    struct buf lines; /* that were not taken yet; the first may have lost its beginning */
    uint64_t lost;    /* lines behind these */
};

struct log {
    enum log_level level;
    enum log_format format;
    int fd;
    struct pending *pending;
};

bool log_level_parse(struct str word, enum log_level *level)
{
    for (size_t i = 0; i < sizeof(LEVELS) / sizeof(LEVELS[0]); i++) {
        if (str_eq(word, LEVELS[i])) {
            *level = (enum log_level)i;
            return true;
        }
    }
    return false;
}

bool log_format_parse(struct str word, enum log_format *format)
{
    *format = str_eq(word, STR("json")) ? LOG_JSON : LOG_TEXT;
    return *format == LOG_JSON || str_eq(word, STR("text"));
}

static char digit(unsigned n)
{
    return (char)('0' + n % 10);
}

enum { TIME_CHARS = UTC_CHARS + 4 }; /* with milliseconds */

static void format_now(char text[static TIME_CHARS + 1])
{
    struct timespec now = {0};

    clock_gettime(CLOCK_REALTIME, &now);
    utc_format(now.tv_sec, text);
    unsigned ms = (unsigned)(now.tv_nsec / 1000000);
    const char fraction[] = {'.', digit(ms / 100), digit(ms / 10), digit(ms), 'Z', '\0'};
    memcpy(text + UTC_CHARS - 1, fraction, sizeof(fraction)); /* the Z goes behind the milliseconds */
}

/* The character that the text begins with, as a URL means it, and how long it is written. */
static size_t take_char(struct str text, char *c)
{
    uint64_t code;

    *c = text.p[0];
    if (text.n < 3 || *c != '%' || !str_to_u64((struct str){text.p + 1, 2}, 16, &code))
        return 1;
    *c = (char)code;
    return 3;
}

/* How many characters of a secret's alphabet the text begins with, and where they end. Hexadecimal digits
 * alone are none. */
static size_t secret_chars(struct str text, size_t *bytes)
{
    size_t chars = 0;
    bool is_hex = true;

    for (*bytes = 0; *bytes < text.n; chars++) {
        char c;
        size_t n = take_char(str_from(text, *bytes), &c);
        if ((c < 'a' || c > 'z') && (c < '2' || c > '7'))
            break;
        is_hex = is_hex && c <= 'f';
        *bytes += n;
    }
    return is_hex ? 0 : chars;
}

/* As far as LOG_VALUE_BYTES_MAX needs it. */
static void put_without_secrets(struct buf *b, struct str text)
{
    while (text.n > 0 && b->n <= LOG_VALUE_BYTES_MAX && !b->failed) {
        size_t bytes, shown = 0;
        if (secret_chars(text, &bytes) < LOG_SECRET_CHARS) {
            bytes += bytes == 0;
            buf_bytes(b, text.p, bytes);
        } else {
            for (unsigned i = 0; i < LOG_SECRET_SHOWN; i++) {
                char c;
                shown += take_char(str_from(text, shown), &c);
                buf_char(b, c);
            }
            buf_z(b, "\xe2\x80\xa6");
        }
        text.p += bytes, text.n -= bytes;
    }
}

/* ---- one line ---- */

static void put_text_field(struct buf *line, const struct log_field *field, struct str text)
{
    buf_char(line, ' ');
    buf_z(line, field->key);
    buf_char(line, '=');
    if (field->kind == LOG_FIELD_U64)
        buf_u64(line, field->number);
    else
        clean_log(line, text);
}

static void put_json_field(struct json *object, const struct log_field *field, struct str text)
{
    if (field->kind == LOG_FIELD_U64)
        json_put_u64(object, field->key, field->number);
    else
        json_put_string(object, field->key, text);
}

struct line {
    struct buf *b;
    enum log_format format;
    struct json object; /* of LOG_JSON */
};

static void begin_line(struct line *line, enum log_level level, const char *event)
{
    char now[TIME_CHARS + 1];

    format_now(now);
    if (line->format == LOG_JSON) {
        json_open_object(&line->object, NULL);
        json_put_string(&line->object, "ts", str_of(now));
        json_put_string(&line->object, "level", LEVELS[level]);
        json_put_string(&line->object, "event", str_of(event));
    } else {
        buf_z(line->b, now);
        buf_char(line->b, ' ');
        buf_str(line->b, LEVELS[level]);
        buf_char(line->b, ' ');
        buf_z(line->b, event);
    }
}

static void put_field(struct line *line, const struct log_field *field)
{
    struct buf shown = {0};

    if (field->kind == LOG_FIELD_STR && field->text.p == NULL)
        return;
    if (field->kind == LOG_FIELD_STR)
        put_without_secrets(&shown, field->text);
    struct str text = clean_cut(buf_view(&shown), LOG_VALUE_BYTES_MAX);
    if (line->format == LOG_JSON)
        put_json_field(&line->object, field, text);
    else
        put_text_field(line->b, field, text);
    buf_part_end(line->b, &shown);
}

static bool put_line(struct buf *b, enum log_format format, enum log_level level, const char *event,
                     const struct log_field *fields, size_t n_fields)
{
    enum { END_BYTES = sizeof(",\"cut\":1}\n") - 1 };
    const struct log_field was_cut = LOG_U64("cut", 1);
    struct line line = {b, format, json_into(b)};
    bool cut = false;

    if (!buf_reserve(b, LINE_BYTES_MAX))
        return false;
    begin_line(&line, level, event);
    for (size_t i = 0; i < n_fields; i++) {
        size_t before = b->n;
        put_field(&line, &fields[i]);
        if (b->n + END_BYTES > LINE_BYTES_MAX) {
            b->n = before;
            cut = true;
        }
    }
    if (cut)
        put_field(&line, &was_cut);
    if (format == LOG_JSON)
        json_close(&line.object);
    buf_char(b, '\n');
    return !b->failed;
}

/* ---- to the reader; under the lock ---- */

/* A pipe that can be written to takes LINE_BYTES_MAX without blocking: so line by line. */
static bool can_write(int fd, int wait_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    return poll(&p, 1, wait_ms) > 0;
}

/* Nobody is left to tell when the log itself cannot be written. */
static void write_pending(const struct log *l)
{
    struct buf *lines = &l->pending->lines;
    size_t at = 0;

    while (at < lines->n && can_write(l->fd, 0)) {
        struct str rest = {lines->p + at, lines->n - at};
        size_t end = str_find(rest, '\n');
        ssize_t n = write(l->fd, rest.p, end < rest.n ? end + 1 : end);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        at = n < 0 ? lines->n : at + (size_t)n;
    }
    if (at > 0 && at < lines->n)
        memmove(lines->p, lines->p + at, lines->n - at);
    lines->n -= at;
}

/* Where lines were lost this is said before the next one, once there is room for some more. */
static void say_lost(const struct log *l)
{
    struct pending *p = l->pending;
    const struct log_field n = LOG_U64("n", p->lost);
    struct buf line = {0};

    if (p->lost == 0 || p->lines.n > LOG_PENDING_BYTES / 2)
        return;
    if (put_line(&line, l->format, LOG_WARN, "log-lines-lost", &n, 1) && buf_reserve(&p->lines, line.n)) {
        buf_str(&p->lines, buf_view(&line));
        p->lost = 0;
    }
    p->lines.failed = false; /* what was kept is still there */
    buf_free(&line);
}

static void keep(struct pending *p, struct str line)
{
    if (p->lost > 0 || p->lines.n + line.n > LOG_PENDING_BYTES || !buf_reserve(&p->lines, line.n)) {
        p->lines.failed = false; /* what was kept is still there */
        p->lost++;
    } else {
        buf_str(&p->lines, line);
    }
}

/* ---- life and use ---- */

struct log *log_new(enum log_level level, enum log_format format, int fd)
{
    struct log *l = malloc(sizeof(*l));
    struct pending *pending = calloc(1, sizeof(*pending));

    if (l == NULL || pending == NULL) {
        free(l);
        free(pending);
        return NULL;
    }
    pthread_mutex_init(&pending->lock, NULL);
    *l = (struct log){level, format, fd, pending};
    return l;
}

void log_flush(const struct log *l)
{
    if (l == NULL)
        return;
    pthread_mutex_lock(&l->pending->lock);
    write_pending(l);
    say_lost(l);
    write_pending(l);
    pthread_mutex_unlock(&l->pending->lock);
}

void log_free(struct log *l)
{
    if (l == NULL)
        return;
    log_flush(l);
    if (l->pending->lines.n > 0 && l->fd >= 0 && can_write(l->fd, LAST_WAIT_MS))
        log_flush(l);
    buf_free(&l->pending->lines);
    pthread_mutex_destroy(&l->pending->lock);
    free(l->pending);
    free(l);
}

void log_event(const struct log *l, enum log_level level, const char *event, const struct log_field *fields,
               size_t n_fields)
{
    struct buf line = {0};

    if (l == NULL || level > l->level)
        return;
    if (put_line(&line, l->format, level, event, fields, n_fields)) {
        pthread_mutex_lock(&l->pending->lock);
        write_pending(l);
        say_lost(l);
        keep(l->pending, buf_view(&line));
        write_pending(l);
        pthread_mutex_unlock(&l->pending->lock);
    }
    buf_free(&line);
}
