/* Requests, a line each for version, target and headers: what passes is clean to a slower reader as well. */
#include <string.h>

#include "server/http/message/vet.h"
#include "tests/support/fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *at = memchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c, 16);

    return at == NULL ? -1 : (int)(at - digits);
}

/* The path as a file system would see it has no way up and no control character. */
static void check_target(struct str raw)
{
    struct buf path = {0};

    buf_char(&path, '/');
    for (size_t i = 0; i < raw.n && raw.p[i] != '?'; i++) {
        char c = raw.p[i];
        if (c == '%') {
            fuzzing_check(raw.n - i > 2 && digit(raw.p[i + 1]) >= 0 && digit(raw.p[i + 2]) >= 0);
            c = (char)(digit(raw.p[i + 1]) * 16 + digit(raw.p[i + 2]));
            i += 2;
        }
        fuzzing_check((unsigned char)c >= ' ' && c != 0x7f);
        buf_char(&path, c);
    }
    buf_char(&path, '/');
    struct str s = buf_view(&path);
    fuzzing_check(str_find_str(s, STR("/../")) == s.n && str_find_str(s, STR("/./")) == s.n);
    buf_free(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    struct str version = fuzzing_line(&rest), target = fuzzing_line(&rest);
    unsigned hosts = 0, framings = 0;
    struct vet v = {0};

    vet_target(&v, target);
    while (rest.p != NULL) {
        struct str line = fuzzing_line(&rest);
        size_t colon = str_find(line, ':');
        struct str name = {line.p, colon};
        struct str value = {line.p + colon + (colon < line.n), line.n - colon - (colon < line.n)};
        hosts += str_eq_nocase(name, STR("Host"));
        framings +=
            str_eq_nocase(name, STR("Content-Length")) || str_eq_nocase(name, STR("Transfer-Encoding"));
        vet_header(&v, name, value);
    }
    vet_finish(&v, version);
    fuzzing_check(v.status == 0 || ((v.status == 400 || v.status == 501) && v.detail != NULL));
    if (v.status == 0) {
        check_target(target);
        fuzzing_check(hosts <= 1 && framings <= 1);
    }
    return 0;
}
