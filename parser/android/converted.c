#include "parser/android/converted.h"

#include <string.h>

#include "core/clean.h"
#include "core/cursor.h"

enum { LINE_ENDS_STEP = 256 << 10 }; /* bytes, after which line ends may be known to be usual */

/* As many as chance does not bring. */
enum {
    DAMAGE_MARKS = 4,
    WIDENED_PAIRS = 16,
    CRLF_MARKS = 2,
    ACTION_MARKS = 2,    /* of question marks in the place of an action */
    TIME_MARKS = 4,      /* the same at the lowest byte of a time */
    STEPS = 16,          /* of 256 µs and more, none to a lowest byte above 7F */
    STEPS_BACK = 4,      /* as many of them as a step back of a thread's clock counts for */
    LOW_BYTES = 16,      /* different ones */
    UNLISTED_MARKS = 2,  /* methods that are listed under what they were converted from */
    EXPECTED_MARKS = 16, /* of line ends, and none there */
    LOST_MARKS = 64      /* threads and methods that are not listed */
};

static bool refuse(struct diag *diag, uint64_t offset, const char *what)
{
    diag_at(diag, DIAG_UNUSABLE, offset, "damaged by a text conversion", ANDROID_PULL_AGAIN,
            "The file was passed through a text conversion, which cannot be undone: %s.", what);
    return true;
}

/* ---- lines ---- */

/* No recorder writes another line end than LF. CR LF alone may be of a key section that somebody edited. */
bool android_lines_converted(const uint8_t *p, size_t n, struct diag *diag)
{
    struct str s = {(const char *)p, n < ANDROID_LINES_BYTES ? n : ANDROID_LINES_BYTES};
    size_t first = str_find(s, '\r'), second;

    if (str_find(s, '\n') < first)
        return false;
    if (s.n - first > 2 && s.p[first + 1] == '\r' && s.p[first + 2] == '\n')
        return refuse(diag, first, "its lines end in CR CR LF");
    struct str rest = {s.p + first, s.n - first};
    if (rest.n > 0)
        rest.p++, rest.n--;
    second = str_find(rest, '\r');
    return second > 0 && second + 1 < rest.n && str_find(rest, '\n') == rest.n &&
           refuse(diag, first, "its lines end in CR, where there was LF");
}

/* ---- characters ---- */

/* Whether n bytes of text stand at p, of `left`: no control characters but tabs and a LF at the end, which cuts no
 * UTF-8 sequence. */
static bool is_name(const uint8_t *p, size_t n, size_t left)
{
    size_t plain = 0;

    while (plain < n && (p[plain] >= ' ' || p[plain] == '\t'))
        plain++;
    if (plain + 1 == n && p[plain] == '\n')
        plain = n;
    return plain == n && (n == left || (p[n] & 0xc0) != 0x80);
}

/* What a conversion leaves may stand in the names of a good file as well. These are told by their length, a u16 before
 * them, which a conversion would not have changed with them. */
static void blank_names(uint8_t *p, size_t n)
{
    for (size_t at = 2; at < n; at++) {
        size_t left = n - at, length = (size_t)p[at - 2] | (size_t)p[at - 1] << 8;
        if (length > left)
            length = left;
        if (length == 0 || p[at - 1] >= ' ' || !is_name(p + at, length, left))
            continue;
        memset(p + at, 0, length);
        at += length - 1;
    }
}

/* Each byte that is no UTF-8 became EF BF BD. */
static bool has_replacements(const uint8_t *p, size_t n)
{
    unsigned marks = 0;

    for (size_t i = 0; i + 3 <= n && marks < DAMAGE_MARKS; i++)
        if (p[i] == 0xef && p[i + 1] == 0xbf && p[i + 2] == 0xbd)
            marks++;
    return marks >= DAMAGE_MARKS;
}

/* Each byte above 7F became two, C2 or C3 and another one: taken for Latin-1, and written as UTF-8. */
static bool is_widened(const uint8_t *p, size_t n)
{
    unsigned pairs = 0;

    for (size_t i = 0; i < n; i++) {
        if (p[i] < 0x80)
            continue;
        if (p[i] != 0xc2 && p[i] != 0xc3)
            return false;
        if (i + 1 < n && (p[i + 1] & 0xc0) != 0x80)
            return false;
        pairs++;
        i++;
    }
    return pairs >= WIDENED_PAIRS;
}

/* Each LF became CR LF, or CR CR LF, also those at the ends of lines. */
static bool has_crlf_only(const uint8_t *p, size_t n)
{
    unsigned lines = 0;

    for (size_t i = 0; i < n; i++) {
        size_t before = i;
        if (p[i] != '\n')
            continue;
        while (before > 0 && p[before - 1] == '\r')
            before--;
        if (before == i)
            return false;
        lines += before > 0 && p[before - 1] >= ' ' && p[before - 1] <= '~';
    }
    return lines >= CRLF_MARKS;
}

/* As a method's line has, between its parts. */
static bool has_tabs(const uint8_t *p, size_t n)
{
    const uint8_t *first = memchr(p, '\t', n);

    return first != NULL && memchr(first + 1, '\t', n - (size_t)(first + 1 - p)) != NULL;
}

/* Each LF became CR: then the lines of methods, which have their length before them, end in CR. */
static bool has_cr_only(const uint8_t *p, size_t n)
{
    unsigned lines = 0;

    if (memchr(p, '\n', n) != NULL)
        return false;
    for (size_t at = 2; at < n; at++) {
        size_t length = (size_t)p[at - 2] | (size_t)p[at - 1] << 8;
        if (length < 2 || p[at - 1] >= ' ' || length >= n - at || p[at + length - 1] != '\r' ||
            !is_name(p + at, length - 1, n - at) || !has_tabs(p + at, length))
            continue;
        lines++;
        at += length - 1;
    }
    return lines > 0;
}

bool android_text_damaged(struct android *a, const uint8_t *p, size_t n, uint64_t offset)
{
    uint8_t nameless[ANDROID_WINDOW_BYTES];
    const char *what = NULL;

    if (n > ANDROID_WINDOW_BYTES)
        n = ANDROID_WINDOW_BYTES;
    bool utf8 = clean_is_utf8((struct str){(const char *)p, n}); /* as all that was converted */
    memcpy(nameless, p, n);
    blank_names(nameless, n);
    if (utf8 && has_replacements(nameless, n))
        what = "the binary part is full of replacement characters (EF BF BD)";
    else if (utf8 && is_widened(nameless, n))
        what = "the binary part has two bytes (C2 or C3 and another one) in the place of each one above 7F";
    else if (offset > 0)
        return false; /* behind text: its own line ends tell, and those of all records */
    else if (has_crlf_only(p, n))
        what = "the binary part has a CR before every LF";
    else if (has_cr_only(p, n))
        what = "the binary part has a CR in the place of every LF";
    return what != NULL && refuse(a->diag, offset, what);
}

bool android_version_converted(uint32_t version, struct diag *diag)
{
    uint32_t low = version & 0xff;

    if (version == 0xbfef)
        return refuse(diag, 4, "the binary header has replacement characters (EF BF BD)");
    if (low == 0xc3 && version >> 8 >= 0xb1 && version >> 8 <= 0xb6)
        return refuse(
            diag, 4,
            "the binary header has two bytes (C3 and another one) in the place of each one above 7F");
    if (version == '?')
        return refuse(diag, 4, "the binary header has a question mark in the place of each byte above 7F");
    if (version >= 0x71 && version <= 0x76)
        return refuse(diag, 4, "the binary header has lost the highest bit of each byte");
    return false;
}

/* ---- records ---- */

/* What a byte above 7F becomes. */
static uint8_t to_question_mark(uint8_t byte)
{
    return byte < 0x80 ? byte : '?';
}

static uint8_t to_seven_bits(uint8_t byte)
{
    return byte & 0x7f;
}

struct record {
    uint32_t thread, word, times[2]; /* as they stand there; of one time, the second one is 0 */
};

static struct record record_at(const uint8_t *p, const struct android_records *r)
{
    const uint8_t *rest = p + (r->one_byte_thread ? 1 : 2);

    return (struct record){r->one_byte_thread ? p[0] : (uint32_t)p[0] | (uint32_t)p[1] << 8,
                           cursor_le32(rest),
                           {cursor_le32(rest + 4), r->two_times ? cursor_le32(rest + 8) : 0}};
}

static bool becomes(uint32_t id, uint32_t word, uint8_t (*convert)(uint8_t))
{
    for (uint32_t action = 0; action < 3; action++) {
        uint32_t from = id | action, to = 0;
        for (unsigned shift = 0; shift < 32; shift += 8)
            to |= (uint32_t)convert((uint8_t)(from >> shift)) << shift;
        if (to == word && to != from)
            return true;
    }
    return false;
}

/* Whether a method is listed whose records would have this word now. */
static bool is_converted(const struct method_table *t, uint32_t word, uint8_t (*convert)(uint8_t))
{
    for (size_t i = 0; i < t->n_dense; i++)
        if (t->dense[i] != FRAME_NONE && becomes((uint32_t)i << 2, word, convert))
            return true;
    for (size_t i = 0; i < t->map.capacity; i++)
        if (t->map.slots[i].value != IDMAP_NONE && becomes((uint32_t)t->map.slots[i].key, word, convert))
            return true;
    return false;
}

/* What the records at the beginning say. */
struct signs {
    unsigned actions, question_actions; /* that nobody writes, and those of a question mark */
    unsigned times, question_times;     /* above 255 µs, and not that of the record before */
    unsigned steps, low_bytes;          /* from one 256 µs into others, and different lowest bytes */
    bool seen[256];                     /* those */
    uint32_t unlisted[UNLISTED_MARKS];  /* words of methods that are not listed */
    unsigned n_unlisted;
};

static void note_unlisted(struct signs *s, uint32_t word)
{
    bool known = s->n_unlisted == UNLISTED_MARKS;

    for (unsigned i = 0; i < s->n_unlisted; i++)
        known = known || ((s->unlisted[i] ^ word) & ~3u) == 0;
    if (!known)
        s->unlisted[s->n_unlisted++] = word;
}

/* `one_clock`: it is the one that the time before was read from. */
static void note_time(struct signs *s, uint32_t now, uint32_t before, bool one_clock)
{
    uint8_t low = (uint8_t)now;

    if (now <= UINT8_MAX || now == before)
        return;
    s->times++;
    s->question_times += low == '?';
    s->steps += one_clock && now >> 8 != before >> 8;
    s->steps += one_clock && now < before ? STEPS_BACK : 0;
    s->low_bytes += !s->seen[low];
    s->seen[low] = true;
}

static void read_signs(const struct android *a, const uint8_t *p, size_t n, const struct android_records *r,
                       struct signs *s)
{
    struct record before = {0};

    for (size_t at = (size_t)r->at; at <= n && n - at >= r->bytes; at += r->bytes) {
        struct record now = record_at(p + at, r);
        if (now.thread == 0)
            continue;
        s->actions += (now.word & 3) == 3;
        s->question_actions += (uint8_t)now.word == '?';
        if (method_table_get(&a->keys.methods, now.word & ~3u) == FRAME_NONE)
            note_unlisted(s, now.word);
        /* CPU time is the thread's own; of two, the second one is wall time. */
        for (unsigned i = 0; i < 2; i++)
            note_time(s, now.times[i], before.times[i], i == 1 || now.thread == before.thread);
        before = now;
    }
}

static bool all_converted(const struct android *a, const struct signs *s, uint8_t (*convert)(uint8_t))
{
    for (unsigned i = 0; i < s->n_unlisted; i++)
        if (!is_converted(&a->keys.methods, s->unlisted[i], convert))
            return false;
    return s->n_unlisted == UNLISTED_MARKS;
}

/* Half of the lowest bytes of times are above 7F, and of the methods' ids at least those of long lists or pointers. */
bool android_records_converted(struct android *a, const uint8_t *p, size_t n, uint64_t offset,
                               const struct android_records *r)
{
    if (n > ANDROID_WINDOW_BYTES)
        n = ANDROID_WINDOW_BYTES;
    for (size_t i = 0; i < n; i++)
        if (p[i] >= 0x80)
            return false;
    struct signs s = {0};
    read_signs(a, p, n, r, &s);
    if ((s.question_actions >= ACTION_MARKS && s.question_actions == s.actions) ||
        (s.question_times >= TIME_MARKS && 4 * s.question_times >= s.times) ||
        all_converted(a, &s, to_question_mark))
        return refuse(a->diag, offset,
                      "the binary part has a question mark in the place of each byte above 7F");
    return ((s.steps >= STEPS && s.low_bytes >= LOW_BYTES) || all_converted(a, &s, to_seven_bits)) &&
           refuse(a->diag, offset, "the binary part has lost the highest bit of each byte");
}

/* ---- line ends ---- */

static void count_piece(struct android_line_ends *e, const uint8_t *p, size_t n)
{
    const uint8_t *end = p + n;

    for (const uint8_t *at = p; at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
        e->lf++;
        e->crlf += (at == p ? e->last : at[-1]) == '\r';
    }
    for (const uint8_t *at = p; at < end && (at = memchr(at, '\r', (size_t)(end - at))) != NULL; at++)
        e->cr++;
    e->bytes += n;
    e->last = p[n - 1];
}

/* Looked at in steps that are the same however the bytes come. */
void android_count_line_ends(struct android_line_ends *e, const uint8_t *p, size_t n)
{
    while (n > 0 && !e->usual) {
        size_t left = LINE_ENDS_STEP - (size_t)(e->bytes % LINE_ENDS_STEP), part = n < left ? n : left;
        count_piece(e, p, part);
        e->usual = part == left && e->crlf > 0 && e->crlf < e->lf;
        p += part;
        n -= part;
    }
}

/* Among bytes of all values a LF follows a CR once in 65,536, and two CRs are before it so seldom that few CR LF are left
 * when one was taken away from each: then all records behind the first one stand too early, and name what no list has. */
static bool lacks_cr(const struct android_line_ends *e, bool lost)
{
    uint64_t fewer = e->cr < e->lf ? e->cr : e->lf;

    return lost && fewer > 0 && fewer > EXPECTED_MARKS * (1 + e->crlf) * (e->bytes / fewer);
}

bool android_line_ends_converted(struct android *a, size_t n_unlisted, uint64_t offset)
{
    const struct android_line_ends *e = &a->line_ends;
    bool fits = n_unlisted == 0 && !a->damaged, lost = a->damaged || n_unlisted >= LOST_MARKS;
    uint64_t methods = a->keys.n_methods; /* whose lines end with LF */

    if (e->usual)
        return false;
    if (e->lf > 0 && e->crlf == e->lf && !e->lf_before && (e->lf >= CRLF_MARKS || !fits))
        return refuse(a->diag, offset, "the binary part has a CR before every LF");
    if (e->lf == 0 && !e->lf_before && methods > 0 && e->cr >= methods && !a->keys.has_crlf)
        return refuse(a->diag, offset, "the binary part has a CR in the place of every LF");
    return lacks_cr(e, lost) && refuse(a->diag, offset, "the binary part lacks CR before LF");
}
