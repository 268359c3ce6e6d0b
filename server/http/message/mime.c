#include "server/http/message/mime.h"

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
