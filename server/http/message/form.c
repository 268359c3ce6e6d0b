#include "server/http/message/form.h"

#include "core/buf.h"
#include "core/diag.h"
#include "core/str.h"
#include "server/http/message/multipart.h"

/* ---- percent signs ---- */

/* A path may have a :// in it. */
static size_t origin_bytes(struct str url)
{
    size_t scheme = str_find_str(url, STR("://"));

    if (scheme == url.n || str_find(url, '/') < scheme || str_find(url, '?') < scheme)
        return 0;
    size_t begin = scheme + 3;
    struct str rest = str_from(url, begin);
    size_t path = str_find(rest, '/'), query = str_find(rest, '?');
    return begin + (path < query ? path : query);
}

struct str url_origin(struct str url)
{
    return (struct str){url.p, origin_bytes(url)};
}

struct str url_authority(struct str url)
{
    struct str origin = url_origin(url);
    size_t scheme = str_find_str(origin, STR("://"));

    if (scheme == origin.n)
        return (struct str){NULL, 0};
    return str_from(origin, scheme + 3);
}

struct str url_rest(struct str url)
{
    size_t n = origin_bytes(url);

    return str_from(url, n);
}

/* ---- fields ---- */

static bool hex_digit(char c, unsigned *value)
{
    static const char DIGITS[] = "0123456789abcdef0123456789ABCDEF";
    size_t at = str_find(STR(DIGITS), c);

    *value = (unsigned)at & 15;
    return at < sizeof(DIGITS) - 1;
}

static void decode(struct buf *b, struct str s)
{
    unsigned high, low;

    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '%' && s.n - i > 2 && hex_digit(s.p[i + 1], &high) && hex_digit(s.p[i + 2], &low)) {
            buf_char(b, (char)(high << 4 | low));
            i += 2;
        } else {
            buf_char(b, s.p[i] == '+' ? ' ' : s.p[i]);
        }
    }
}

static bool no_memory(struct diag *diag)
{
    return diag_no_memory(diag, "No memory to take the form.");
}

/* The next field: its name is in f->text from `name` on, and what is appended next is its value. */
static bool begin_field(struct form *f, size_t name, struct diag *diag)
{
    if (f->n == FORM_FIELDS_MAX)
        return diag_set(diag, DIAG_USAGE, "too many fields", "Send those that are to be changed.",
                        "The form has more than %d fields.", (int)FORM_FIELDS_MAX);
    f->fields[f->n++] = (struct form_field){name, f->text.n - name, f->text.n, 0};
    return true;
}

static void end_field(struct form *f)
{
    f->fields[f->n - 1].value_bytes = f->text.n - f->fields[f->n - 1].value;
}

static bool parse_pairs(struct form *f, struct str body, struct diag *diag)
{
    struct str pair;

    while (str_split(&body, '&', &pair)) {
        size_t equals = str_find(pair, '='), name = f->text.n;
        if (pair.n == 0)
            continue;
        decode(&f->text, (struct str){pair.p, equals});
        if (!begin_field(f, name, diag))
            return false;
        equals += equals < pair.n;
        decode(&f->text, str_from(pair, equals));
        end_field(f);
    }
    return !f->text.failed || no_memory(diag);
}

/* ---- multipart ---- */

struct parts {
    struct form *form;
    struct diag *diag;
};

static bool begin_part(void *context, const struct multipart_part *part)
{
    struct parts *p = context;
    size_t name = p->form->text.n;

    buf_str(&p->form->text, part->name);
    return begin_field(p->form, name, p->diag);
}

static bool part_data(void *context, const char *bytes, size_t n)
{
    const struct parts *p = context;

    buf_bytes(&p->form->text, bytes, n);
    return true;
}

static bool end_part(void *context)
{
    const struct parts *p = context;

    end_field(p->form);
    return true;
}

static bool parse_parts(struct form *f, struct str body, const char *boundary, struct diag *diag)
{
    struct parts parts = {f, diag};
    struct multipart *m =
        multipart_new(boundary, (struct multipart_handler){begin_part, part_data, end_part, &parts});

    if (m == NULL)
        return no_memory(diag);
    bool ok = multipart_feed(m, body.p, body.n, diag) && multipart_finish(m, diag);
    multipart_free(m);
    return ok && (!f->text.failed || no_memory(diag));
}

bool form_parse(struct form *f, struct str body, const char *boundary, struct diag *diag)
{
    return boundary[0] != '\0' ? parse_parts(f, body, boundary, diag) : parse_pairs(f, body, diag);
}

/* ---- what was read ---- */

/* Where all names and values are empty there is no text to point into. */
static struct str within(const struct form *f, size_t at, size_t n)
{
    return n == 0 ? STR("") : (struct str){f->text.p + at, n};
}

struct str form_name(const struct form *f, size_t i)
{
    return within(f, f->fields[i].name, f->fields[i].name_bytes);
}

struct str form_value(const struct form *f, struct str name)
{
    for (size_t i = 0; i < f->n; i++)
        if (str_eq(form_name(f, i), name))
            return within(f, f->fields[i].value, f->fields[i].value_bytes);
    return (struct str){NULL, 0};
}

void form_free(struct form *f)
{
    buf_free(&f->text);
    f->n = 0;
}
