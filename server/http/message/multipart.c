#include "server/http/message/multipart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/diag.h"
#include "core/str.h"

/* ---- header fields of a part ---- */

struct str mime_word(struct str *value)
{
    size_t n = str_find(*value, ';');
    struct str word = str_trim((struct str){value->p, n});

    value->p += n;
    value->n -= n;
    return word;
}

static void skip(struct str *s, size_t n)
{
    s->p += n;
    s->n -= n;
}

/* *s begins behind the opening quote. */
static bool take_quoted(struct str *s, struct str *value)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->p[i] == '"') {
            *value = (struct str){s->p, i};
            skip(s, i + 1);
            return true;
        }
        if (s->p[i] == '\\' && i + 1 < s->n && (s->p[i + 1] == '"' || s->p[i + 1] == '\\'))
            i++;
    }
    return false;
}

static bool take_unquoted(struct str *s, struct str *value)
{
    size_t n = str_find(*s, ';');

    *value = str_trim((struct str){s->p, n});
    skip(s, n);
    return value->n > 0 && str_find(*value, '"') == value->n;
}

enum mime_next mime_parameter(struct str *rest, struct mime_parameter *parameter)
{
    *rest = str_trim(*rest);
    while (rest->n > 0 && rest->p[0] == ';') {
        skip(rest, 1);
        *rest = str_trim(*rest);
    }
    if (rest->n == 0)
        return MIME_END;
    size_t n = str_find(*rest, '=');
    parameter->name = str_trim((struct str){rest->p, n});
    if (n == rest->n || parameter->name.n == 0 || str_find(parameter->name, ';') != parameter->name.n)
        return MIME_MALFORMED;
    skip(rest, n + 1);
    *rest = str_trim(*rest);
    parameter->quoted = rest->n > 0 && rest->p[0] == '"';
    if (!parameter->quoted)
        return take_unquoted(rest, &parameter->value) ? MIME_PARAMETER : MIME_MALFORMED;
    skip(rest, 1);
    if (!take_quoted(rest, &parameter->value))
        return MIME_MALFORMED;
    *rest = str_trim(*rest);
    return rest->n == 0 || rest->p[0] == ';' ? MIME_PARAMETER : MIME_MALFORMED;
}

size_t mime_unescape(char *p, size_t n)
{
    size_t out = 0;

    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\\' && i + 1 < n && (p[i + 1] == '"' || p[i + 1] == '\\'))
            i++;
        p[out++] = p[i];
    }
    return out;
}

bool mime_decode_extended(char *p, size_t n, struct str *text)
{
    struct str rest = {p, n}, charset, language;
    size_t out = 0;

    if (!str_split(&rest, '\'', &charset) || !str_eq_nocase(charset, STR("UTF-8")) ||
        !str_split(&rest, '\'', &language) || rest.p == NULL)
        return false;
    for (size_t i = 0; i < rest.n; i++) {
        uint64_t byte = (unsigned char)rest.p[i];
        if (byte == '%') {
            if (rest.n - i < 3 || !str_to_u64((struct str){rest.p + i + 1, 2}, 16, &byte))
                return false;
            i += 2;
        }
        p[out++] = (char)byte; /* never ahead of the reading */
    }
    *text = (struct str){p, out};
    return true;
}

/* ---- the body ---- */

/* The body, with its states:
 *
 *     PREAMBLE   anything, skipped
 *                CR LF -- boundary                       (without CR LF at the very beginning)
 *     DELIMITER  blanks, then CR LF: a part; or --: the end
 *     HEADERS    lines, then an empty one
 *     DATA       up to the next CR LF -- boundary, to DELIMITER again
 *     EPILOGUE   anything, skipped
 *
 * A boundary holds no CR, so the delimiter has one at its beginning only: no proper end of what was matched
 * of it can be another beginning of it. Therefore what a piece leaves matched is a number, not bytes; and
 * when the next piece does not go on with it, all of it was data, taken from the delimiter itself. */
enum state { STATE_PREAMBLE, STATE_DELIMITER, STATE_HEADERS, STATE_DATA, STATE_EPILOGUE, STATE_FAILED };

static const char TITLE[] = "malformed multipart body";

static const char HINT[] = "Let a form or curl build it: curl -F trace=@file.trace URL";

struct multipart {
    struct multipart_handler handler;
    enum state state;
    uint64_t at;  /* bytes of the body that are done with */
    size_t parts; /* begun */
    char delimiter[4 + MULTIPART_BOUNDARY_MAX + 1];
    size_t delimiter_n;
    size_t matched; /* of the delimiter, by the end of what was fed */
    /* Of these, how many belong to what stands before the data: the CR LF of the line before. */
    size_t borrowed;
    size_t preamble_n, epilogue_n;
    char before; /* in STATE_DELIMITER: the byte before, 0 right behind the boundary */
    size_t line; /* where the current line begins in header */
    size_t header_n;
    char header[MULTIPART_HEADER_BYTES_MAX];
};

/* ---- the boundary ---- */

static bool boundary_valid(struct str b)
{
    static const char ALLOWED[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'()+_,-./:=? ";

    if (b.n == 0 || b.n > MULTIPART_BOUNDARY_MAX || b.p[b.n - 1] == ' ')
        return false;
    for (size_t i = 0; i < b.n; i++)
        if (memchr(ALLOWED, b.p[i], sizeof(ALLOWED) - 1) == NULL)
            return false;
    return true;
}

bool multipart_boundary(struct str content_type, char boundary[MULTIPART_BOUNDARY_MAX + 1], struct diag *diag)
{
    static const char TYPE_TITLE[] = "unusable Content-Type";
    struct mime_parameter parameter;
    struct str found = {NULL, 0};
    enum mime_next next;

    if (!str_eq_nocase(mime_word(&content_type), STR("multipart/form-data")))
        return diag_set(diag, DIAG_USAGE, TYPE_TITLE, HINT, "It is not multipart/form-data.");
    while ((next = mime_parameter(&content_type, &parameter)) == MIME_PARAMETER) {
        if (!str_eq_nocase(parameter.name, STR("boundary")))
            continue;
        if (found.p != NULL)
            return diag_set(diag, DIAG_USAGE, TYPE_TITLE, HINT, "It has two boundaries.");
        found = parameter.value;
    }
    if (next == MIME_MALFORMED)
        return diag_set(diag, DIAG_USAGE, TYPE_TITLE, HINT, "Its parameters are not of the form name=value.");
    if (found.p == NULL)
        return diag_set(diag, DIAG_USAGE, TYPE_TITLE, HINT, "It has no boundary.");
    if (!boundary_valid(found))
        return diag_set(diag, DIAG_USAGE, TYPE_TITLE, HINT,
                        "Its boundary is not from 1 to %d of the characters that RFC 2046 allows.",
                        MULTIPART_BOUNDARY_MAX);
    memcpy(boundary, found.p, found.n);
    boundary[found.n] = '\0';
    return true;
}

/* ---- begin and end of all ---- */

struct multipart *multipart_new(const char *boundary, struct multipart_handler handler)
{
    struct multipart *m = calloc(1, sizeof(*m));

    if (m == NULL)
        return NULL;
    m->handler = handler;
    int n = snprintf(m->delimiter, sizeof(m->delimiter), "\r\n--%.*s", MULTIPART_BOUNDARY_MAX, boundary);
    m->delimiter_n = (size_t)n;
    m->matched = m->borrowed = 2; /* the body begins at the beginning of a line */
    return m;
}

void multipart_free(struct multipart *m)
{
    free(m);
}

static bool malformed(const struct multipart *m, struct diag *diag, const char *what)
{
    return diag_set(diag, DIAG_USAGE, TITLE, HINT, "%s, at byte %llu of the body.", what,
                    (unsigned long long)m->at);
}

static bool malformed_header(const struct multipart *m, struct diag *diag, const char *what)
{
    return diag_set(diag, DIAG_USAGE, TITLE, HINT,
                    "%s, in the headers of part %zu, which end at byte %llu of the body.", what, m->parts,
                    (unsigned long long)m->at);
}

/* ---- headers of a part ---- */

static struct str *header_slot(struct str name, struct str *disposition, struct str *type,
                               struct str *encoding)
{
    if (str_eq_nocase(name, STR("Content-Disposition")))
        return disposition;
    if (str_eq_nocase(name, STR("Content-Type")))
        return type;
    return str_eq_nocase(name, STR("Content-Transfer-Encoding")) ? encoding : NULL;
}

struct headers {
    struct str disposition, type, encoding; /* p is NULL if it is not there */
};

static bool take_header(const struct multipart *m, struct str line, struct headers *h, struct diag *diag)
{
    size_t colon = str_find(line, ':');
    struct str name = {line.p, colon};

    if (line.p[0] == ' ' || line.p[0] == '\t')
        return malformed_header(m, diag, "Expected a header, found a folded line");
    if (colon == 0 || colon == line.n || str_trim(name).n != colon)
        return malformed_header(m, diag, "Expected \"Name: value\"");
    if (str_find(line, '\r') != line.n || str_find(line, '\0') != line.n)
        return malformed_header(m, diag, "Expected text, found a control character");
    struct str *slot = header_slot(name, &h->disposition, &h->type, &h->encoding);
    if (slot == NULL)
        return true;
    if (slot->p != NULL)
        return malformed_header(m, diag, "Expected each header once, found one twice");
    *slot = str_trim(str_from(line, colon + 1));
    return true;
}

/* What is behind the last separator of either system. */
static struct str base_name(struct str path)
{
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/' || path.p[i - 1] == '\\')
            return str_from(path, i);
    return path;
}

struct disposition {
    struct str name, filename, extended; /* p is NULL if it is not there */
};

/* The values point into m->header, where they may be decoded in place. */
static bool take_parameter(struct multipart *m, const struct mime_parameter *parameter, struct disposition *d,
                           struct diag *diag)
{
    char *p = m->header + (parameter->value.p - m->header);
    struct str *slot = NULL;

    if (str_eq_nocase(parameter->name, STR("name")))
        slot = &d->name;
    else if (str_eq_nocase(parameter->name, STR("filename")))
        slot = &d->filename;
    else if (str_eq_nocase(parameter->name, STR("filename*")))
        slot = &d->extended;
    if (slot == NULL)
        return true;
    if (slot->p != NULL)
        return malformed_header(m, diag, "Expected each parameter once, found one twice");
    *slot = (struct str){p, parameter->value.n};
    if (slot == &d->extended) {
        if (!mime_decode_extended(p, parameter->value.n, slot))
            return malformed_header(m, diag, "Expected filename*=UTF-8''text with %XX for other bytes");
    } else if (parameter->quoted) {
        slot->n = mime_unescape(p, parameter->value.n);
    }
    return true;
}

static bool take_disposition(struct multipart *m, struct str value, struct multipart_part *part,
                             struct diag *diag)
{
    struct disposition d = {0};
    struct mime_parameter parameter;
    enum mime_next next;

    if (!str_eq_nocase(mime_word(&value), STR("form-data")))
        return malformed_header(m, diag, "Expected \"Content-Disposition: form-data\"");
    while ((next = mime_parameter(&value, &parameter)) == MIME_PARAMETER)
        if (!take_parameter(m, &parameter, &d, diag))
            return false;
    if (next == MIME_MALFORMED)
        return malformed_header(m, diag,
                                "Expected parameters of the form name=\"value\" in Content-Disposition");
    if (d.name.p == NULL)
        return malformed_header(m, diag, "Expected the name of the field in Content-Disposition");
    part->name = d.name;
    part->has_filename = d.filename.p != NULL || d.extended.p != NULL;
    part->filename = base_name(d.extended.p != NULL ? d.extended : d.filename);
    return true;
}

static bool encoding_plain(struct str encoding)
{
    return encoding.p == NULL || str_eq_nocase(encoding, STR("binary")) ||
           str_eq_nocase(encoding, STR("8bit")) || str_eq_nocase(encoding, STR("7bit"));
}

static bool begin_part(struct multipart *m, struct diag *diag)
{
    struct headers h = {0};
    struct multipart_part part = {0};
    struct str rest = {m->header, m->header_n - 2}; /* without the empty line */

    while (rest.n > 0) {
        size_t n = str_find(rest, '\n');
        if (!take_header(m, (struct str){rest.p, n - 1}, &h, diag))
            return false;
        rest = str_from(rest, n + 1);
    }
    if (h.disposition.p == NULL)
        return malformed_header(m, diag, "Expected Content-Disposition");
    if (!encoding_plain(h.encoding))
        return malformed_header(m, diag, "Expected bytes as they are, found a Content-Transfer-Encoding");
    part.content_type = h.type;
    if (!take_disposition(m, h.disposition, &part, diag))
        return false;
    m->state = STATE_DATA;
    m->matched = m->borrowed = 2; /* an empty part may end with the very line end that ends its headers */
    return m->handler.begin(m->handler.context, &part);
}

/* Each takes what it can from the front of *p, *n > 0, and may leave the rest to another state. */

static void advance(struct multipart *m, const char **p, size_t *n, size_t by)
{
    *p += by;
    *n -= by;
    m->at += by;
}

static bool feed_headers(struct multipart *m, const char **p, size_t *n, struct diag *diag)
{
    const char *end = memchr(*p, '\n', *n);
    size_t take = end == NULL ? *n : (size_t)(end - *p) + 1;

    if (take > sizeof(m->header) - m->header_n)
        return malformed_header(m, diag, "Expected at most 8 KiB of headers");
    memcpy(m->header + m->header_n, *p, take);
    m->header_n += take;
    advance(m, p, n, take);
    if (end == NULL)
        return true;
    if (m->header_n - m->line < 2 || m->header[m->header_n - 2] != '\r')
        return malformed(m, diag, "Expected CR LF at the end of a line, found LF alone");
    if (m->header_n - m->line == 2)
        return begin_part(m, diag);
    m->line = m->header_n;
    return true;
}

/* ---- delimiters and data ---- */

static bool next_part(struct multipart *m, struct diag *diag)
{
    if (m->parts == MULTIPART_PARTS_MAX)
        return diag_set(diag, DIAG_USAGE, TITLE, "Send fewer fields.", "It has more than %d parts.",
                        MULTIPART_PARTS_MAX);
    m->parts++;
    m->state = STATE_HEADERS;
    m->header_n = m->line = 0;
    return true;
}

static bool feed_delimiter(struct multipart *m, const char **p, size_t *n, struct diag *diag)
{
    char c = **p;
    bool expected = false;

    switch (m->before) {
    case '-':
        expected = c == '-';
        m->state = STATE_EPILOGUE;
        break;
    case '\r':
        expected = c == '\n';
        if (expected && !next_part(m, diag))
            return false;
        break;
    default:
        expected = c == '\r' || c == ' ' || c == '\t' || (c == '-' && m->before == 0);
    }
    if (!expected)
        return malformed(m, diag,
                         c == '\n' ? "Expected CR LF behind the delimiter, found LF alone"
                                   : "Expected CR LF or \"--\" behind the delimiter");
    m->before = c;
    advance(m, p, n, 1);
    return true;
}

static bool pass(struct multipart *m, const char *p, size_t n, struct diag *diag)
{
    if (n == 0)
        return true;
    if (m->state == STATE_DATA)
        return m->handler.data(m->handler.context, p, n);
    m->preamble_n += n;
    if (m->preamble_n > MULTIPART_PREAMBLE_BYTES_MAX)
        return diag_set(diag, DIAG_USAGE, TITLE, HINT,
                        "Expected \"--\" and the boundary in its first %d bytes.",
                        MULTIPART_PREAMBLE_BYTES_MAX);
    return true;
}

static bool delimiter_found(struct multipart *m)
{
    bool in_part = m->state == STATE_DATA;

    m->state = STATE_DELIMITER;
    m->matched = m->borrowed = 0;
    m->before = 0;
    return !in_part || m->handler.end(m->handler.context);
}

/* Goes on with a delimiter that began in an earlier piece. */
static bool feed_matched(struct multipart *m, const char **p, size_t *n, struct diag *diag)
{
    size_t same = 0, want = m->delimiter_n - m->matched;

    while (same < want && same < *n && (*p)[same] == m->delimiter[m->matched + same])
        same++;
    advance(m, p, n, same);
    m->matched += same;
    if (same == want)
        return delimiter_found(m);
    if (*n == 0)
        return true;
    size_t borrowed = m->borrowed, was_data = m->matched - borrowed;
    m->matched = m->borrowed = 0;
    return pass(m, m->delimiter + borrowed, was_data, diag);
}

/* How many bytes at the end of p[0..n) begin a delimiter. */
static size_t begun(const struct multipart *m, const char *p, size_t n)
{
    size_t most = n < m->delimiter_n - 1 ? n : m->delimiter_n - 1;
    const char *cr = memrchr(p + n - most, '\r', most);
    size_t tail = cr == NULL ? 0 : (size_t)(p + n - cr);

    return memcmp(m->delimiter, p + n - tail, tail) == 0 ? tail : 0;
}

static bool feed_data(struct multipart *m, const char **p, size_t *n, struct diag *diag)
{
    if (m->matched > 0)
        return feed_matched(m, p, n, diag);
    const char *data = *p, *found = memmem(data, *n, m->delimiter, m->delimiter_n);
    if (found != NULL) {
        size_t before = (size_t)(found - data);
        advance(m, p, n, before + m->delimiter_n);
        return pass(m, data, before, diag) && delimiter_found(m);
    }
    m->matched = begun(m, data, *n);
    size_t before = *n - m->matched;
    advance(m, p, n, *n);
    return pass(m, data, before, diag);
}

static bool feed_epilogue(struct multipart *m, const char **p, size_t *n, struct diag *diag)
{
    m->epilogue_n += *n;
    advance(m, p, n, *n);
    return m->epilogue_n <= MULTIPART_EPILOGUE_BYTES_MAX ||
           diag_set(diag, DIAG_USAGE, TITLE, HINT, "It goes on for more than %d bytes behind its end.",
                    MULTIPART_EPILOGUE_BYTES_MAX);
}

static bool feed_some(struct multipart *m, const char **p, size_t *n, struct diag *diag)
{
    switch (m->state) {
    case STATE_PREAMBLE:
    case STATE_DATA:
        return feed_data(m, p, n, diag);
    case STATE_DELIMITER:
        return feed_delimiter(m, p, n, diag);
    case STATE_HEADERS:
        return feed_headers(m, p, n, diag);
    case STATE_EPILOGUE:
        return feed_epilogue(m, p, n, diag);
    case STATE_FAILED:
        break;
    }
    return malformed(m, diag, "Nothing is read behind the first error");
}

bool multipart_feed(struct multipart *m, const char *p, size_t n, struct diag *diag)
{
    bool ok = m->state != STATE_FAILED;

    if (!ok)
        malformed(m, diag, "Nothing is read behind the first error");
    while (ok && n > 0)
        ok = feed_some(m, &p, &n, diag);
    if (!ok)
        m->state = STATE_FAILED;
    return ok;
}

bool multipart_finish(struct multipart *m, struct diag *diag)
{
    switch (m->state) {
    case STATE_EPILOGUE:
        if (m->parts > 0)
            return true;
        return malformed(m, diag, "Expected a part, found none");
    case STATE_PREAMBLE:
        return malformed(m, diag, "Expected \"--\" and the boundary, found the end");
    case STATE_FAILED:
        return malformed(m, diag, "Nothing is read behind the first error");
    default:
        return malformed(m, diag, "Expected the closing delimiter, found the end: the body is cut");
    }
}
