#include "server/http/message/accept.h"

#include <zstd.h>

#include "core/buf.h"
#include "core/gzip.h"
#include "core/str.h"

/* ---- what is accepted ---- */

/* As str_split, but a separator within a quoted string is none. */
static bool split_unquoted(struct str *rest, char separator, struct str *field)
{
    bool quoted = false;
    size_t n = 0;

    if (rest->p == NULL)
        return false;
    for (; n < rest->n && (quoted || rest->p[n] != separator); n++) {
        if (rest->p[n] == '"')
            quoted = !quoted;
        else if (quoted && rest->p[n] == '\\' && n + 1 < rest->n)
            n++;
    }
    *field = (struct str){rest->p, n};
    *rest = n < rest->n ? str_from(*rest, n + 1) : (struct str){NULL, 0};
    return true;
}

/* RFC 9110, 12.4.2: "1", "0.5", "0.123". */
static unsigned parse_quality(struct str s)
{
    unsigned value = 0, digits = 0;

    if (s.n == 0 || s.n > sizeof("0.123") - 1 || (s.p[0] != '0' && s.p[0] != '1') ||
        (s.n > 1 && s.p[1] != '.'))
        return ACCEPT_NEVER;
    for (size_t i = 0; i < s.n; i++) {
        if (i == 1)
            continue;
        if (s.p[i] < '0' || s.p[i] > '9')
            return ACCEPT_NEVER;
        value = value * 10 + (unsigned)(s.p[i] - '0');
        digits++;
    }
    for (; digits < 4; digits++)
        value *= 10;
    return value <= ACCEPT_GLADLY ? value : ACCEPT_NEVER;
}

static unsigned quality_of(struct str parameters)
{
    struct str parameter;

    while (split_unquoted(&parameters, ';', &parameter)) {
        size_t equals = str_find(parameter, '=');
        if (equals < parameter.n && str_eq_nocase(str_trim((struct str){parameter.p, equals}), STR("q")))
            return parse_quality(str_trim(str_from(parameter, equals + 1)));
    }
    return ACCEPT_GLADLY;
}

bool accept_next(struct str *field, struct str *value, unsigned *quality)
{
    struct str member;

    if (!split_unquoted(field, ',', &member))
        return false;
    split_unquoted(&member, ';', value);
    *value = str_trim(*value);
    *quality = quality_of(member);
    return true;
}

/* ---- coding of answers ---- */

/* Content codings (RFC 9110, 8.4): which one a client takes, and bytes in it. Pure but for memory; any
 * thread. */

enum { ENCODINGS = 3, WORTH_BYTES = 1024 };

/* Levels by effort. While somebody waits, a higher one takes longer than what it saves of the way at 100 Mbit/s. */
static const struct body_decoder {
    struct str name;
    const char *suffix;
    int levels[2];
} CODINGS[ENCODINGS] = {
    [ENCODING_IDENTITY] = {STR_INIT("identity"), "", {0, 0}},
    [ENCODING_GZIP] = {STR_INIT("gzip"), ".gz", {9, 2}},
    [ENCODING_ZSTD] = {STR_INIT("zstd"), ".zst", {12, 1}},
};

const char *encoding_name(enum encoding e)
{
    return CODINGS[e].name.p;
}

const char *encoding_suffix(enum encoding e)
{
    return CODINGS[e].suffix;
}

/* ---- negotiation ---- */

/* ENCODINGS if we know none of the name. "x-gzip" is an old name of gzip. */
static unsigned find_coding(struct str name)
{
    unsigned e = 0;

    if (str_eq_nocase(name, STR("x-gzip")))
        return ENCODING_GZIP;
    while (e < ENCODINGS && !str_eq_nocase(name, CODINGS[e].name))
        e++;
    return e;
}

struct encoding_choice encoding_negotiate(struct str accept_encoding)
{
    enum { UNSAID = -1 };
    int quality[ENCODINGS] = {UNSAID, UNSAID, UNSAID}, others = UNSAID;
    struct encoding_choice choice = {ENCODING_IDENTITY, true};
    struct str name;
    unsigned q;

    while (accept_next(&accept_encoding, &name, &q)) {
        unsigned e = find_coding(name);
        if (e < ENCODINGS)
            quality[e] = (int)q;
        else if (str_eq(name, STR("*")))
            others = (int)q;
    }
    for (unsigned e = 0; e < ENCODINGS; e++)
        if (quality[e] == UNSAID)
            quality[e] = others;
    /* Nobody has to name identity: it is taken unless refused, but anything that is named goes before it. */
    choice.plain = quality[ENCODING_IDENTITY] != ACCEPT_NEVER;
    int best = ACCEPT_NEVER;
    for (unsigned e = 0; e < ENCODINGS; e++)
        if (quality[e] > ACCEPT_NEVER && quality[e] >= best) {
            choice.best = (enum encoding)e;
            best = quality[e];
        }
    return choice;
}

enum encoding encoding_for(struct encoding_choice c, uint64_t bytes)
{
    return bytes < WORTH_BYTES && c.plain ? ENCODING_IDENTITY : c.best;
}

/* ---- bytes ---- */

/* The library counts in 32 bits, hence the steps. */
static bool put_zstd(int level, struct str bytes, struct buf *out)
{
    size_t bound = ZSTD_compressBound(bytes.n);

    if (ZSTD_isError(bound) || !buf_reserve(out, bound))
        return false;
    size_t n = ZSTD_compress(out->p + out->n, bound, bytes.p, bytes.n, level);
    if (ZSTD_isError(n))
        return false;
    out->n += n;
    return true;
}

bool encoding_apply(enum encoding e, enum encoding_effort effort, struct str bytes, struct buf *out)
{
    int level = CODINGS[e].levels[effort];
    bool ok = !out->failed;

    switch (e) {
    case ENCODING_IDENTITY:
        buf_str(out, bytes);
        break;
    case ENCODING_GZIP:
        ok = ok && gzip_put(out, bytes, level);
        break;
    case ENCODING_ZSTD:
        ok = ok && put_zstd(level, bytes, out);
        break;
    }
    out->failed = out->failed || !ok;
    return !out->failed;
}
