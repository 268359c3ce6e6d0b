#include "server/vet.h"

#include <string.h>

static void reject(struct vet *v, unsigned status, const char *detail)
{
    if (v->status != 0)
        return;
    v->status = status;
    v->detail = detail;
}

static int hex(char c)
{
    uint64_t value;

    return str_to_u64((struct str){&c, 1}, 16, &value) ? (int)value : -1;
}

/* One byte of the path, decoded. -1: a broken escape. */
static int next_byte(struct str *s)
{
    unsigned char c = (unsigned char)s->p[0];

    s->p++, s->n--;
    if (c != '%')
        return c;
    if (s->n < 2 || hex(s->p[0]) < 0 || hex(s->p[1]) < 0)
        return -1;
    int byte = hex(s->p[0]) * 16 + hex(s->p[1]);
    s->p += 2, s->n -= 2;
    return byte;
}

void vet_target(struct vet *v, struct str raw)
{
    struct str path = {raw.p, str_find(raw, '?')};
    struct str whole = raw;
    unsigned dots = 0, others = 0;

    while (whole.n > 0) {
        int c = next_byte(&whole);
        if (c <= 0x1f || c == 0x7f)
            reject(v, 400, "The URL has a control character or a broken % escape.");
    }
    /* A segment of one or two dots, however they are written. */
    for (;;) {
        int c = path.n == 0 ? '/' : next_byte(&path);
        if (c != '/') {
            dots += c == '.';
            others += c != '.';
            continue;
        }
        if (others == 0 && (dots == 1 || dots == 2))
            reject(v, 400, "The URL has a . or .. segment.");
        dots = others = 0;
        if (path.n == 0)
            break;
    }
}

static bool is_token(struct str s)
{
    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!alnum && (c == '\0' || strchr("!#$%&'*+-.^_`|~", c) == NULL))
            return false;
    }
    return true;
}

static bool is_host(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!alnum && (c == '\0' || strchr(".-_:[]", c) == NULL))
            return false;
    }
    return s.n > 0 && s.n <= 255;
}

void vet_header(struct vet *v, struct str name, struct str value)
{
    uint64_t number;

    if (!is_token(name))
        reject(v, 400, "A header's name has a character that none may have.");
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.p[i] < 0x20 && value.p[i] != '\t') || value.p[i] == 0x7f)
            reject(v, 400, "A header's value has a control character.");
    if (str_eq_nocase(name, STR("Host"))) {
        v->hosts++;
        if (!is_host(value))
            reject(v, 400, "The Host header is not a host.");
    } else if (str_eq_nocase(name, STR("Content-Length"))) {
        v->lengths++;
        if (!str_to_u64(value, 10, &number))
            reject(v, 400, "Content-Length is not a number.");
    } else if (str_eq_nocase(name, STR("Transfer-Encoding"))) {
        v->codings++;
        if (!str_eq_nocase(str_trim(value), STR("chunked")))
            reject(v, 501, "No transfer encoding but chunked is known.");
    }
}

void vet_finish(struct vet *v, struct str version)
{
    if (v->hosts > 1 || v->lengths > 1 || v->codings > 1)
        reject(v, 400, "Host, Content-Length or Transfer-Encoding is there twice.");
    if (v->lengths > 0 && v->codings > 0)
        reject(v, 400, "Content-Length and Transfer-Encoding contradict each other.");
    if (v->hosts == 0 && str_eq(version, STR("HTTP/1.1")))
        reject(v, 400, "The Host header is missing.");
    if (v->codings > 0 && !str_eq(version, STR("HTTP/1.1")))
        reject(v, 400, "Transfer-Encoding needs HTTP/1.1.");
}
