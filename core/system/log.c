#include "core/system/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/clean.h"
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

static char digit(unsigned n)
{
    return (char)('0' + n % 10);
}

static void put_time(struct buf *line)
{
    char text[UTC_CHARS + 1];
    struct timespec now = {0};

    clock_gettime(CLOCK_REALTIME, &now);
    utc_format(now.tv_sec, text);
    buf_bytes(line, text, UTC_CHARS - 1); /* the Z goes behind the milliseconds */
    unsigned ms = (unsigned)(now.tv_nsec / 1000000);
    const char fraction[] = {'.', digit(ms / 100), digit(ms / 10), digit(ms), 'Z'};
    buf_bytes(line, fraction, sizeof(fraction));
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
        size_t n = take_char((struct str){text.p + *bytes, text.n - *bytes}, &c);
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
                shown += take_char((struct str){text.p + shown, text.n - shown}, &c);
                buf_char(b, c);
            }
            buf_z(b, "\xe2\x80\xa6");
        }
        text.p += bytes, text.n -= bytes;
    }
}

static void put_text(struct buf *line, struct str text)
{
    struct buf shown = {0};

    put_without_secrets(&shown, text);
    clean_log(line, clean_cut(buf_view(&shown), LOG_VALUE_BYTES_MAX));
    buf_part_end(line, &shown);
}

static void put_field(struct buf *line, const struct log_field *field)
{
    buf_char(line, ' ');
    buf_z(line, field->key);
    buf_char(line, '=');
    if (field->kind == LOG_FIELD_U64)
        buf_u64(line, field->number);
    else
        put_text(line, field->text);
}

static bool put_line(struct buf *line, enum log_level level, const char *event,
                     const struct log_field *fields, size_t n_fields)
{
    static const struct str CUT = STR_INIT(" cut=1");

    if (!buf_reserve(line, LINE_BYTES_MAX))
        return false;
    put_time(line);
    buf_char(line, ' ');
    buf_str(line, LEVELS[level]);
    buf_char(line, ' ');
    buf_z(line, event);
    for (size_t i = 0; i < n_fields; i++) {
        size_t before = line->n;
        put_field(line, &fields[i]);
        if (line->n + CUT.n + 1 > LINE_BYTES_MAX) {
            line->n = before;
            buf_str(line, CUT);
            break;
        }
    }
    buf_char(line, '\n');
    return !line->failed;
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
    if (put_line(&line, LOG_WARN, "log-lines-lost", &n, 1) && buf_reserve(&p->lines, line.n)) {
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

struct log *log_new(enum log_level level, int fd)
{
    struct log *l = malloc(sizeof(*l));
    struct pending *pending = calloc(1, sizeof(*pending));

    if (l == NULL || pending == NULL) {
        free(l);
        free(pending);
        return NULL;
    }
    pthread_mutex_init(&pending->lock, NULL);
    *l = (struct log){level, fd, pending};
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
    if (put_line(&line, level, event, fields, n_fields)) {
        pthread_mutex_lock(&l->pending->lock);
        write_pending(l);
        say_lost(l);
        keep(l->pending, buf_view(&line));
        write_pending(l);
        pthread_mutex_unlock(&l->pending->lock);
    }
    buf_free(&line);
}
