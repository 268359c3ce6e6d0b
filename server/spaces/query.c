#include "server/spaces/query.h"

#include <stdio.h>
#include <string.h>

#include "core/system/utc.h"

void query_small(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] >= 'A' && text[i] <= 'Z')
            text[i] = (char)(text[i] - 'A' + 'a');
}

/* ---- reading ---- */

struct reading {
    struct query *q;
    size_t used; /* bytes of q->text */
    struct diag *diag;
    char value[QUERY_BYTES_MAX]; /* of the term that is read */
};

static void put(struct reading *r, struct str text)
{
    memcpy(r->q->text + r->used, text.p, text.n);
    r->used += text.n;
}

/* Begins a term, whose text is put behind that, up to end_term. False: diag. */
static bool begin_term(struct reading *r, enum query_where where)
{
    if (r->q->n == QUERY_TERMS_MAX)
        return diag_set(r->diag, DIAG_USAGE, "too many terms", "Leave some out.",
                        "A query has at most %d terms.", QUERY_TERMS_MAX);
    r->q->terms[r->q->n] = (struct query_term){where, (uint16_t)r->used, 0};
    return true;
}

static void end_term(struct reading *r)
{
    struct query_term *t = &r->q->terms[r->q->n++];

    t->bytes = (uint16_t)(r->used - t->at);
}

/* What stands somewhere. Nothing stands everywhere. */
static bool take_text(struct reading *r, enum query_where where, struct str word)
{
    if (word.n == 0)
        return true;
    if (!begin_term(r, where))
        return false;
    size_t at = r->used;
    put(r, word);
    query_small(r->q->text + at, word.n);
    end_term(r);
    return true;
}

static bool take_label(struct reading *r, struct str key, struct str value)
{
    if (!begin_term(r, QUERY_LABELS))
        return false;
    put(r, STR("\n"));
    put(r, key);
    put(r, STR("="));
    if (value.n > 0) {
        put(r, value);
        put(r, STR("\n"));
    }
    end_term(r);
    return true;
}

bool query_date(struct str text, int64_t *unix_s)
{
    enum { DATE_CHARS = sizeof("2026-11-01") - 1 };
    char whole[UTC_CHARS + 1];

    if (text.n != DATE_CHARS)
        return utc_parse(text, unix_s);
    snprintf(whole, sizeof(whole), "%.*sT00:00:00Z", DATE_CHARS, text.p);
    return utc_parse(str_of(whole), unix_s);
}

static bool take_time(struct reading *r, const char *what, struct str value, int64_t *unix_s)
{
    if (query_date(value, unix_s))
        return true;
    return diag_set(r->diag, DIAG_USAGE, "not a date", "Write it as after:2026-11-01.",
                    "Behind %s: stands a date, or a time as 2026-11-01T10:00:00Z.", what);
}

static const struct str LABEL = STR_INIT("label.");

/* Whether a key before a colon means something else than the label of that key, which is then found by `label.KEY:`. */
static bool is_taken(struct str key)
{
    static const char *const TAKEN[] = {"after", "before", "verdict", "method"};

    while (str_starts(key, LABEL))
        key = (struct str){key.p + LABEL.n, key.n - LABEL.n};
    for (size_t i = 0; i < sizeof(TAKEN) / sizeof(*TAKEN); i++)
        if (str_eq(key, str_of(TAKEN[i])))
            return true;
    return false;
}

static bool take_pair(struct reading *r, struct str key, struct str value)
{
    if (str_starts(key, LABEL) && is_taken(key))
        return take_label(r, (struct str){key.p + LABEL.n, key.n - LABEL.n}, value);
    if (str_eq(key, STR("after")))
        return take_time(r, "after", value, &r->q->after_s);
    if (str_eq(key, STR("before")))
        return take_time(r, "before", value, &r->q->before_s);
    if (str_eq(key, STR("verdict")))
        return take_text(r, QUERY_RULES, value);
    if (str_eq(key, STR("method")))
        return take_text(r, QUERY_METHODS, value);
    return take_label(r, key, value);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes what stands between quotes, or before the next blank, off the front of *rest; two quotes within quotes are one. A
 * quote without another one holds all that follows. It is there until the next value is taken. */
static struct str next_value(struct reading *r, struct str *rest)
{
    bool quoted = rest->n > 0 && rest->p[0] == '"';
    size_t at = quoted ? 1 : 0, n = 0;

    for (; at < rest->n && (quoted || !is_blank(rest->p[at])); at++) {
        if (quoted && rest->p[at] == '"' && (++at == rest->n || rest->p[at] != '"'))
            break; /* behind the closing one */
        r->value[n++] = rest->p[at];
    }
    *rest = (struct str){rest->p + at, rest->n - at};
    return (struct str){r->value, n};
}

/* The key before a colon, taken off the front of *rest with it. False: the term is a word. */
static bool next_key(struct str *rest, struct str *key)
{
    size_t end = 0;

    while (end < rest->n && rest->p[end] != ':' && !is_blank(rest->p[end]))
        end++;
    *key = (struct str){rest->p, end};
    if (end == rest->n || rest->p[end] != ':' || !label_key_valid(*key))
        return false;
    *rest = (struct str){rest->p + end + 1, rest->n - end - 1};
    return true;
}

static bool take_term(struct reading *r, struct str *rest)
{
    struct str key;

    if (next_key(rest, &key))
        return take_pair(r, key, next_value(r, rest));
    return take_text(r, QUERY_WORDS, next_value(r, rest));
}

bool query_parse(struct query *q, struct str text, struct diag *diag)
{
    struct reading r = {.q = q, .diag = diag};

    q->n = 0;
    q->after_s = INT64_MIN;
    q->before_s = INT64_MAX;
    if (text.n > QUERY_BYTES_MAX)
        return diag_set(diag, DIAG_USAGE, "query too long", "Leave some terms out.",
                        "A query has at most %d bytes.", QUERY_BYTES_MAX);
    while (text.n > 0) {
        if (is_blank(text.p[0]))
            text.p++, text.n--;
        else if (!take_term(&r, &text))
            return false;
    }
    return true;
}

/* ---- writing ---- */

void query_put_label(struct buf *b, struct str key, struct str value)
{
    bool quoted = str_find(value, ' ') < value.n || str_starts(value, STR("\""));

    buf_str(b, is_taken(key) ? LABEL : STR(""));
    buf_str(b, key);
    buf_z(b, quoted ? ":\"" : ":");
    for (size_t i = 0; i < value.n; i++) {
        if (quoted && value.p[i] == '"')
            buf_char(b, '"');
        buf_char(b, value.p[i]);
    }
    buf_z(b, quoted ? "\"" : "");
}

bool query_has_label(const struct query *q, struct str key)
{
    for (size_t i = 0; i < q->n; i++) {
        const struct query_term *t = &q->terms[i];
        struct str text = {q->text + t->at + 1, t->bytes - 1u};
        if (t->where == QUERY_LABELS && str_starts(text, key) && text.n > key.n && text.p[key.n] == '=')
            return true;
    }
    return false;
}

/* ---- looking ---- */

bool query_fits(const struct query *q, const struct query_subject *s)
{
    if (s->created_s < q->after_s || s->created_s >= q->before_s)
        return false;
    for (size_t i = 0; i < q->n; i++) {
        const struct query_term *t = &q->terms[i];
        struct str where = s->of[t->where];
        if (where.n < t->bytes || memmem(where.p, where.n, q->text + t->at, t->bytes) == NULL)
            return false;
    }
    return true;
}
