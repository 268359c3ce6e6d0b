#include "server/http/message/vet.h"

#include <string.h>

enum { HOST_BYTES_MAX = 255 };

static const char TOKEN[] = "!#$%&'*+-.^_`|~"; /* beside letters and digits; RFC 9110, 5.6.2 */

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

/* At least one, all of them letters, digits or some of the others. */
static bool is_made_of(struct str s, const char *others)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool alnum = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!alnum && (c == '\0' || strchr(others, c) == NULL))
            return false;
    }
    return s.n > 0;
}

/* With its colon; RFC 3986 lets it be empty. */
static bool is_port(struct str s)
{
    uint64_t number;

    if (s.n <= 1)
        return s.n == 0 || s.p[0] == ':';
    return s.p[0] == ':' && str_to_u64(str_from(s, 1), 10, &number) && number <= UINT16_MAX;
}

/* A name, an IPv4 address, or an IPv6 address in brackets; and a port. */
static bool is_host(struct str s)
{
    bool bracket = s.n > 0 && s.p[0] == '[';
    size_t n = str_find(s, bracket ? ']' : ':');

    if (s.n > HOST_BYTES_MAX || (bracket && n == s.n))
        return false;
    struct str name = {s.p + bracket, n - bracket};
    if (!is_port(str_from(s, n + bracket)))
        return false;
    if (bracket)
        return is_made_of(name, ".:");
    return is_made_of(name, ".-_") && name.p[0] != '.' && str_find_str(name, STR("..")) == name.n;
}

/* In origin form, or in absolute form as for a proxy. The other two are for CONNECT, and for OPTIONS of all. */
static bool has_known_form(struct str target)
{
    static const struct str SCHEMES[] = {STR_INIT("http://"), STR_INIT("https://")};

    for (size_t i = 0; i < sizeof(SCHEMES) / sizeof(*SCHEMES); i++) {
        size_t n = SCHEMES[i].n;
        if (target.n < n || !str_eq_nocase((struct str){target.p, n}, SCHEMES[i]))
            continue;
        struct str rest = {target.p + n, str_find(target, '?') - n};
        return is_host((struct str){rest.p, str_find(rest, '/')});
    }
    return target.n > 0 && target.p[0] == '/';
}

void vet_target(struct vet *v, struct str raw)
{
    const char *path_end = raw.p + str_find(raw, '?');
    unsigned dots = 0, others = 0;

    if (!has_known_form(raw))
        reject(v, 400, "The request's target is neither a path nor an http URL.");
    if (str_find(raw, ' ') < raw.n)
        reject(v, 400, "The request line has more than three parts.");
    while (raw.n > 0) {
        bool in_path = raw.p < path_end;
        int c = next_byte(&raw);
        if (c <= 0x1f || c == 0x7f)
            reject(v, 400, "The URL has a control character or a broken % escape.");
        if (!in_path)
            continue;
        dots += c == '.';
        others += c != '.' && c != '/';
        if (c != '/' && raw.p != path_end)
            continue;
        if (others == 0 && (dots == 1 || dots == 2))
            reject(v, 400, "The URL has a . or .. segment.");
        dots = others = 0;
    }
}

/* Each field that has one meaning: what is there twice means two things. */
static const struct str SINGLE[] = {
    STR_INIT("Host"),          STR_INIT("Content-Length"), STR_INIT("Transfer-Encoding"),
    STR_INIT("Authorization"), STR_INIT("Content-Range"),  STR_INIT("Content-Type"),
    STR_INIT("Expect"),        STR_INIT("If-Match"),       STR_INIT("If-Modified-Since"),
    STR_INIT("If-None-Match"), STR_INIT("If-Range"),       STR_INIT("If-Unmodified-Since"),
    STR_INIT("Range"),         STR_INIT("X-Delete-Token"), STR_INIT("Content-Encoding"),
};

static void vet_repetition(struct vet *v, struct str name)
{
    for (size_t i = 0; i < sizeof(SINGLE) / sizeof(*SINGLE); i++) {
        if (!str_eq_nocase(name, SINGLE[i]))
            continue;
        if ((v->seen & UINT32_C(1) << i) != 0)
            reject(v, 400, "A header is there twice that may be there once.");
        v->seen |= UINT32_C(1) << i;
    }
}

/* The library appends what stands on a folded line to the name of the field, where a proxy before this may take it
 * for the value. No field that is in use has a name that begins so. */
static bool is_folded(struct str name, struct str field)
{
    return name.n > field.n && str_eq_nocase((struct str){name.p, field.n}, field);
}

void vet_header(struct vet *v, struct str name, struct str value)
{
    uint64_t number;

    if (!is_made_of(name, TOKEN))
        reject(v, 400, "A header's name has a character that none may have.");
    for (size_t i = 0; i < value.n; i++)
        if (((unsigned char)value.p[i] < 0x20 && value.p[i] != '\t') || value.p[i] == 0x7f)
            reject(v, 400, "A header's value has a control character.");
    vet_repetition(v, name);
    if (is_folded(name, STR("Content-Length")) || is_folded(name, STR("Transfer-Encoding")))
        reject(v, 400, "A header that says how long the body is goes on in a second line.");
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
    if (v->lengths > 0 && v->codings > 0)
        reject(v, 400, "Content-Length and Transfer-Encoding contradict each other.");
    if (v->hosts == 0 && str_eq(version, STR("HTTP/1.1")))
        reject(v, 400, "The Host header is missing.");
    if (v->codings > 0 && !str_eq(version, STR("HTTP/1.1")))
        reject(v, 400, "Transfer-Encoding needs HTTP/1.1.");
}
