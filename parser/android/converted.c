#include "parser/android/converted.h"

#include "core/clean.h"
#include "parser/android/common.h"

enum {
    HEADER_BYTES = 32,
    REPLACEMENTS_MIN = 4, /* this one and the next: as many as chance does not bring */
    CRLF_MIN = 2
};

static bool refuse(struct diag *diag, uint64_t offset, const char *what)
{
    diag_at(diag, DIAG_UNUSABLE, offset, "damaged by a text conversion", ANDROID_PULL_AGAIN,
            "The file was passed through a text conversion, which cannot be undone: %s.", what);
    return true;
}

static unsigned replacements(struct str s)
{
    unsigned n = 0;

    for (size_t i = 0; i + 3 <= s.n; i++)
        n += (uint8_t)s.p[i] == 0xef && (uint8_t)s.p[i + 1] == 0xbf && (uint8_t)s.p[i + 2] == 0xbd;
    return n;
}

/* Each byte that is no UTF-8 became EF BF BD. The whole is valid UTF-8 then, which times and ids never are for long.
 * Where names stand among the records, they may hold EF BF BD rightfully: there only the header counts, in which it is
 * never right. */
static bool is_replaced(struct str window, bool has_names)
{
    struct str header = {window.p, window.n < HEADER_BYTES ? window.n : HEADER_BYTES};

    return (replacements(header) > 0 || (!has_names && replacements(window) >= REPLACEMENTS_MIN)) &&
           clean_is_utf8(window);
}

/* Each LF became CR LF. Among times and ids a CR stands before one LF in 256. */
static bool has_crlf_only(struct str s)
{
    unsigned lines = 0;

    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\n')
            continue;
        if (i == 0 || s.p[i - 1] != '\r')
            return false;
        lines++;
    }
    return lines >= CRLF_MIN;
}

bool android_converted(const uint8_t *p, size_t n, uint64_t offset, bool lf_before, struct diag *diag)
{
    struct str window = {(const char *)p, n < ANDROID_WINDOW_BYTES ? n : ANDROID_WINDOW_BYTES};

    if (is_replaced(window, offset == 0))
        return refuse(diag, offset, "the binary part is full of replacement characters (EF BF BD)");
    return !lf_before && has_crlf_only(window) &&
           refuse(diag, offset, "the binary part has a CR before every LF");
}
