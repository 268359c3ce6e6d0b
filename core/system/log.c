#include "core/system/log.h"

#include <stdlib.h>
#include <time.h>

#include "core/clean.h"
#include "core/system/file.h"
#include "core/system/utc.h"

enum { LINE_BYTES_MAX = 4096 /* PIPE_BUF of Linux */ };

static const struct str LEVELS[] = {
    [LOG_ERROR] = STR_INIT("error"),
    [LOG_WARN] = STR_INIT("warn"),
    [LOG_INFO] = STR_INIT("info"),
    [LOG_DEBUG] = STR_INIT("debug"),
};

struct log {
    enum log_level level;
    int fd;
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

struct log *log_new(enum log_level level, int fd)
{
    struct log *l = malloc(sizeof(*l));

    if (l != NULL)
        *l = (struct log){level, fd};
    return l;
}

void log_free(struct log *l)
{
    free(l);
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

/* How many characters of a secret's alphabet the text begins with, and where they end. Hexadecimal digits alone are none. */
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
    line->failed = line->failed || shown.failed;
    buf_free(&shown);
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

void log_event(const struct log *l, enum log_level level, const char *event, const struct log_field *fields,
               size_t n_fields)
{
    static const struct str CUT = STR_INIT(" cut=1");
    struct buf line;

    if (l == NULL || level > l->level)
        return;
    buf_init(&line, 0);
    if (!buf_reserve(&line, LINE_BYTES_MAX))
        return;
    put_time(&line);
    buf_char(&line, ' ');
    buf_str(&line, LEVELS[level]);
    buf_char(&line, ' ');
    buf_z(&line, event);
    for (size_t i = 0; i < n_fields; i++) {
        size_t before = line.n;
        put_field(&line, &fields[i]);
        if (line.n + CUT.n + 1 > LINE_BYTES_MAX) {
            line.n = before;
            buf_str(&line, CUT);
            break;
        }
    }
    buf_char(&line, '\n');
    /* Nobody is left to tell when the log itself cannot be written. */
    bool written = !line.failed && file_write_all(l->fd, line.p, line.n);
    (void)written;
    buf_free(&line);
}
