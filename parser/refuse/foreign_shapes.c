#include "parser/refuse/foreign_shapes.h"

#include <string.h>

#include "core/cursor.h"

/* ---- protocol buffers ---- */

enum { WIRE_VARINT = 0, WIRE_8_BYTES = 1, WIRE_BYTES = 2, WIRE_4_BYTES = 5 };

struct field {
    uint64_t number;
    unsigned wire;
    struct str bytes; /* of WIRE_BYTES; as far as they are there */
    bool whole;
};

static uint64_t varint(struct cursor *c)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = cursor_u8(c);
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80)
            return value;
    }
    c->failed = true;
    return 0;
}

/* The next field. False at the end, and where none can be: then *sound is false. What is cut at the end of the
 * bytes is sound. */
static bool next_field(struct cursor *c, struct field *f, bool *sound)
{
    if (cursor_left(c) == 0)
        return false;
    bool long_enough = cursor_left(c) >= 20; /* for a tag and a number */
    uint64_t tag = varint(c), n = 0;
    *f = (struct field){.number = tag >> 3, .wire = tag & 7, .whole = true};
    *sound = f->number > 0 && f->number < 1u << 29;
    switch (f->wire) {
    case WIRE_VARINT:
        varint(c);
        break;
    case WIRE_BYTES:
        n = varint(c);
        break;
    case WIRE_8_BYTES:
    case WIRE_4_BYTES:
        cursor_take(c, f->wire == WIRE_8_BYTES ? 8 : 4);
        break;
    default:
        *sound = false;
    }
    if (c->failed)
        *sound = *sound && !long_enough;
    if (!*sound || c->failed)
        return false;
    f->whole = n <= cursor_left(c);
    f->bytes = (struct str){(const char *)c->p, f->whole ? (size_t)n : cursor_left(c)};
    c->p += f->bytes.n;
    return true;
}

/* Whether the bytes are fields, and none but those that `known` says yes to; at least `least` of them. */
static bool is_message(struct str bytes, size_t least, bool (*known)(const struct field *f))
{
    struct cursor c = cursor_of(bytes.p, bytes.n);
    struct field f;
    bool sound = true;
    size_t n = 0;

    while (next_field(&c, &f, &sound)) {
        if (!known(&f))
            return false;
        n++;
    }
    return sound && n >= least;
}

static bool any_field(const struct field *f)
{
    return f->number < 10000;
}

static bool is_packet(const struct field *f)
{
    return f->number == 1 && f->wire == WIRE_BYTES && f->bytes.n > 0 && is_message(f->bytes, 1, any_field);
}

/* A text that begins with an empty line is a message as well, if it is short. */
static bool is_text(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < '\t')
            return false;
    return true;
}

bool foreign_is_perfetto(struct str head)
{
    return !is_text(head) && is_message(head, 1, is_packet);
}

static bool is_varint_field(const struct field *f)
{
    return f->wire == WIRE_VARINT;
}

/* perftools.profiles.Profile: numbers of fields, as messages, strings or numbers. */
static bool is_profile_field(const struct field *f)
{
    switch (f->number) {
    case 1:  /* sample_type */
    case 11: /* period_type */
        return f->wire == WIRE_BYTES && is_message(f->bytes, 1, is_varint_field);
    case 2: /* sample, mapping, location, function */
    case 3:
    case 4:
    case 5:
        return f->wire == WIRE_BYTES && is_message(f->bytes, 1, any_field);
    case 6: /* string_table */
        return f->wire == WIRE_BYTES;
    case 13: /* comment, packed or not */
        return f->wire == WIRE_BYTES || f->wire == WIRE_VARINT;
    case 7: /* drop_frames, keep_frames, time_nanos, duration_nanos, period, default_sample_type */
    case 8:
    case 9:
    case 10:
    case 12:
    case 14:
        return f->wire == WIRE_VARINT;
    default:
        return false;
    }
}

bool foreign_is_pprof(struct str head)
{
    return is_message(head, 3, is_profile_field);
}

/* ---- text ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           c == '.' || c == '-';
}

/* A line off the front, without its line end. */
static bool next_line(struct str *rest, struct str *line)
{
    if (!str_split(rest, '\n', line))
        return false;
    if (line->n > 0 && line->p[line->n - 1] == '\r')
        line->n--;
    return true;
}

/* Lines for which the test says yes are the most, and two at least. */
static bool most_lines(struct str head, bool (*test)(struct str line))
{
    struct str line;
    size_t yes = 0, all = 0;

    while (next_line(&head, &line)) {
        if (line.n == 0 || line.p[0] == '#')
            continue;
        all++;
        yes += test(line);
    }
    return yes >= 2 && 2 * yes > all;
}

static bool is_mapping_line(struct str line)
{
    size_t arrow = str_find_str(line, STR(" -> "));

    if (arrow == line.n)
        return false;
    for (size_t i = arrow + 4; i < line.n; i++)
        if (!is_word_char(line.p[i]) && (line.p[i] != ':' || i + 1 < line.n) && line.p[i] != '<' &&
            line.p[i] != '>')
            return false;
    return true;
}

bool foreign_is_mapping(struct str head)
{
    return most_lines(head, is_mapping_line);
}

/* `  7f1234 name (file)` */
static bool is_frame_line(struct str line)
{
    struct str rest = str_trim(line);
    size_t n = 0;

    if (line.n == 0 || (line.p[0] != ' ' && line.p[0] != '\t'))
        return false;
    while (n < rest.n && (is_digit(rest.p[n]) || (rest.p[n] >= 'a' && rest.p[n] <= 'f')))
        n++;
    return n > 0 && n < rest.n && rest.p[n] == ' ' && rest.p[rest.n - 1] == ')';
}

bool foreign_is_perf_script(struct str head)
{
    struct str line, next;

    while (next_line(&head, &line)) {
        bool event = line.n > 0 && line.p[0] != ' ' && line.p[0] != '\t' &&
                     str_ends(str_trim(line), STR(":")) && str_find(line, ' ') < line.n;
        if (line.n == 0 || line.p[0] == '#')
            continue;
        return event && next_line(&head, &next) && is_frame_line(next);
    }
    return false;
}

bool foreign_is_complaint(struct str head)
{
    enum { COMPLAINT_BYTES = 1024 };
    static const struct str WORDS[] = {STR_INIT("ermission denied"), STR_INIT("No such file or directory"),
                                       STR_INIT("does not exist"),   STR_INIT("failed to stat"),
                                       STR_INIT(": not found"),      STR_INIT(": inaccessible or not found"),
                                       STR_INIT(" file pulled"),     STR_INIT("adb server version"),
                                       STR_INIT("adb.exe: "),        STR_INIT("evice unauthorized")};
    struct str line;

    if (head.n > COMPLAINT_BYTES || !is_text(head) || !next_line(&head, &line))
        return false;
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(*WORDS); i++)
        if (str_find_str(line, WORDS[i]) < line.n)
            return true;
    return false;
}

bool foreign_is_base64_trace(struct str head)
{
    static const struct str BEGINNINGS[] = {STR_INIT("KnZlcnNpb24"), STR_INIT("U0xPV")};
    size_t comma = str_starts(head, STR("data:")) ? str_find(head, ',') + 1 : 0;
    size_t n = 0;
    bool known = false;

    if (comma > head.n)
        return false;
    head.p += comma, head.n -= comma;
    for (size_t i = 0; i < sizeof(BEGINNINGS) / sizeof(*BEGINNINGS); i++)
        known = known || str_starts(head, BEGINNINGS[i]);
    while (n < head.n && ((is_word_char(head.p[n]) && head.p[n] != '.' && head.p[n] != '$') ||
                          (head.p[n] != '\0' && strchr("+/=\r\n", head.p[n]) != NULL)))
        n++;
    return known && n == head.n;
}

/* A line that begins a trace: of its key section, or of a binary header. */
static bool begins_trace(struct str s)
{
    static const struct str LINES[] = {STR_INIT("*version\n"), STR_INIT("*version\r\n")};
    struct str known = STR("SLOW");

    for (size_t i = 0; i < sizeof(LINES) / sizeof(*LINES); i++)
        if (s.n > LINES[i].n && str_starts(s, LINES[i]) && is_digit(s.p[LINES[i].n]))
            return true;
    if (s.n < 32 || !str_starts(s, known) || s.p[5] != '\0')
        return false;
    unsigned version = (unsigned char)s.p[4];
    return (version >= 1 && version <= 6) || (version >= 0xf1 && version <= 0xf6);
}

/* Where a trace begins behind a line end; head.n: nowhere. */
static size_t trace_behind(struct str head)
{
    for (size_t i = 1; i < head.n; i++)
        if (head.p[i - 1] == '\n' && begins_trace((struct str){head.p + i, head.n - i}))
            return i;
    return head.n;
}

bool foreign_is_trace_behind_blanks(struct str head)
{
    size_t at = 0;

    while (at < head.n && memchr(" \t\r\n", head.p[at], 4) != NULL)
        at++;
    return at > 0 && begins_trace((struct str){head.p + at, head.n - at});
}

bool foreign_is_trace_behind_http(struct str head)
{
    return str_starts(head, STR("HTTP/")) && trace_behind(head) < head.n;
}

bool foreign_is_trace_behind_text(struct str head)
{
    size_t at = trace_behind(head);

    return at < head.n && is_text((struct str){head.p, at});
}

bool foreign_is_zeros(struct str head)
{
    enum { LEAST = 16 };

    for (size_t i = 0; i < head.n; i++)
        if (head.p[i] != '\0')
            return false;
    return head.n >= LEAST;
}
