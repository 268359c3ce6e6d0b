#include "parser/json/json_in.h"

#include <string.h>

enum { NUMBER_BYTES_MAX_IN = 1024, ESCAPED_BYTES = 6, EXPONENT_MAX = 2000 };

/* ---- bytes ---- */

void json_in_begin(struct json_in *in, struct source *source, struct arena *arena, size_t name_bytes)
{
    size_t n;

    *in = (struct json_in){.source = source, .arena = arena};
    in->keep_bytes = (name_bytes + 1) * ESCAPED_BYTES;
    in->p = source_need(source, 3, &n);
    in->end = in->p + n;
    if (n >= 3 && memcmp(in->p, "\xef\xbb\xbf", 3) == 0)
        in->p += 3;
}

uint64_t json_in_offset(const struct json_in *in)
{
    return source_offset(in->source) + (uint64_t)(in->p - in->source->p);
}

static bool fail(struct json_in *in, enum json_state state)
{
    if (in->state == JSON_GOOD) {
        in->state = state;
        in->bad_at = json_in_offset(in);
    }
    in->p = in->end; /* nothing looks at the rest */
    return false;
}

/* Makes the window longer than what it has from *from on, which is kept and may move. False: the source has ended. */
static bool more(struct json_in *in, const uint8_t **from)
{
    size_t had = (size_t)(in->end - *from), taken = (size_t)(in->p - *from), n;

    source_consume(in->source, (size_t)(*from - in->source->p));
    const uint8_t *p = source_need(in->source, had + 1, &n);
    *from = p;
    in->p = p + taken;
    in->end = p + n;
    return n > had;
}

/* The same as look, where the next byte is a blank or not in the window yet. */
static int look_on(struct json_in *in)
{
    for (;;) {
        while (in->p < in->end && (*in->p == ' ' || *in->p == '\n' || *in->p == '\r' || *in->p == '\t'))
            in->p++;
        if (in->p < in->end)
            return *in->p;
        const uint8_t *from = in->p;
        if (in->state != JSON_GOOD || !more(in, &from))
            return -1;
    }
}

/* The next byte that is no blank, which stays; -1: there is none. */
static inline int look(struct json_in *in)
{
    if (in->p < in->end && ' ' < *in->p)
        return *in->p;
    return look_on(in);
}

/* ---- strings ---- */

/* The first quote or backslash in [p, end), or end. Eight bytes at a time. */
static const uint8_t *find_special(const uint8_t *p, const uint8_t *end)
{
    const uint64_t ones = UINT64_MAX / 0xff, high = ones * 0x80;

    for (; end - p >= 8; p += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        uint64_t quote = word ^ ones * '"', slash = word ^ ones * '\\';
        uint64_t hit = (((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & high;
        if (hit == 0)
            continue;
        if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) /* bits behind the first hit may be wrong ones */
            return p + __builtin_ctzll(hit) / 8;
        break;
    }
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

static int hex4(const char *p, const char *end)
{
    int value = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = p[i] >= '0' && p[i] <= '9'   ? p[i] - '0'
                    : p[i] >= 'a' && p[i] <= 'f' ? p[i] - 'a' + 10
                    : p[i] >= 'A' && p[i] <= 'F' ? p[i] - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static char *put_utf8(char *to, uint32_t c)
{
    static const uint32_t FIRST[] = {0, 0x80, 0x800, 0x10000};
    int more_bytes = c < FIRST[1] ? 0 : c < FIRST[2] ? 1 : c < FIRST[3] ? 2 : 3;
    static const uint8_t LEAD[] = {0, 0xc0, 0xe0, 0xf0};

    *to++ = (char)(LEAD[more_bytes] | c >> (6 * more_bytes));
    while (more_bytes-- > 0)
        *to++ = (char)(0x80 | (c >> (6 * more_bytes) & 0x3f));
    return to;
}

/* *p stands behind \u. A pair of surrogates is one character; a lone one is U+FFFD. Without digits it is a u: U+FFFD would
 * be longer than what stands there. */
static uint32_t take_unicode(const char **p, const char *end)
{
    int c = hex4(*p, end);

    if (c < 0)
        return 'u';
    *p += 4;
    if (c < 0xd800 || c > 0xdfff)
        return (uint32_t)c;
    int low = c < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u' ? hex4(*p + 2, end) : -1;
    if (low < 0xdc00 || low > 0xdfff)
        return 0xfffd;
    *p += 6;
    return 0x10000 + (((uint32_t)c - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
}

/* Writes the text of a string into the room, which has as many bytes as it at least: no escape is shorter than
 * what it stands for. */
static struct str unescape(char *room, struct str s)
{
    static const char FROM[] = "nrtbf", TO[] = "\n\r\t\b\f";
    const char *p = s.p, *end = s.p + s.n;
    char *to = room;

    while (p < end) {
        if (*p != '\\' || p + 1 == end) {
            *to++ = *p++;
            continue;
        }
        char c = p[1];
        const char *known = c == '\0' ? NULL : strchr(FROM, c);
        p += 2;
        if (c == 'u')
            to = put_utf8(to, take_unicode(&p, end));
        else
            *to++ = known != NULL ? TO[known - FROM] : c;
    }
    return (struct str){room, (size_t)(to - room)};
}

/* Passes over the rest of a string, whose end is not found yet. */
static bool pass_string(struct json_in *in)
{
    for (;;) {
        in->p = find_special(in->p, in->end);
        const uint8_t *from = in->p;
        size_t need = from < in->end && *from == '\\' ? 2 : 1;
        while ((size_t)(in->end - from) < need)
            if (!more(in, &from))
                return fail(in, JSON_CUT);
        in->p += need;
        if (need == 1 && *from == '"')
            return true;
        if (need == 1)
            in->p = from;
    }
}

/* What stands between the quotes, or as much of it as is kept; *escaped: it has backslashes. The text is in the
 * window, or, of one that was cut, in the room. */
static bool take_raw(struct json_in *in, struct str *raw, bool *escaped)
{
    const uint8_t *from = ++in->p;

    *escaped = false;
    for (;;) {
        in->p = find_special(in->p, in->end);
        if (in->p < in->end && *in->p == '"') {
            *raw = (struct str){(const char *)from, (size_t)(in->p++ - from)};
            return true;
        }
        *escaped = *escaped || in->p < in->end;
        if (in->end - in->p >= 2)
            in->p += 2;
        else if ((size_t)(in->p - from) <= in->keep_bytes && !more(in, &from))
            return fail(in, JSON_CUT);
        if ((size_t)(in->p - from) <= in->keep_bytes)
            continue;
        raw->n = (size_t)(in->p - from);
        if (!ARENA_ROOM(in->arena, in->room, in->capacity, raw->n))
            return fail(in, JSON_DAMAGED);
        memcpy(in->room, from, raw->n);
        raw->p = in->room;
        return pass_string(in);
    }
}

/* in->p stands at the quote. */
static bool take_string(struct json_in *in, struct str *text)
{
    bool escaped;

    if (!take_raw(in, text, &escaped))
        return false;
    if (escaped && !ARENA_ROOM(in->arena, in->room, in->capacity, text->n))
        return fail(in, JSON_DAMAGED);
    if (escaped)
        *text = unescape(in->room, *text);
    return true;
}

/* ---- numbers ---- */

/* Digits from *p on are added to the mantissa as long as they have room; the others move the exponent, unless they
 * stand behind the point. */
static bool take_digits(const char **p, const char *end, struct json_number *n, bool decimals)
{
    const char *begin = *p;

    for (; *p < end && is_digit(**p); ++*p) {
        if (n->mantissa <= (INT64_MAX - 9) / 10) {
            n->mantissa = n->mantissa * 10 + (**p - '0');
            n->exponent -= decimals;
        } else if (!decimals && n->exponent < EXPONENT_MAX) {
            n->exponent++;
        }
    }
    return *p > begin;
}

/* e+12, E-3 */
static bool take_exponent(const char **p, const char *end, struct json_number *n)
{
    struct json_number e = {0};

    ++*p;
    bool minus = *p < end && **p == '-';
    *p += *p < end && (**p == '-' || **p == '+');
    if (!take_digits(p, end, &e, false))
        return false;
    int64_t size = e.exponent > 0 || e.mantissa > EXPONENT_MAX ? EXPONENT_MAX : e.mantissa;
    int64_t exponent = n->exponent + (minus ? -size : size);
    n->exponent = (int32_t)(exponent > EXPONENT_MAX    ? EXPONENT_MAX
                            : exponent < -EXPONENT_MAX ? -EXPONENT_MAX
                                                       : exponent);
    return true;
}

bool json_in_parse_number(struct str text, struct json_number *number)
{
    text = str_trim(text);
    const char *p = text.p, *end = text.p + text.n;
    bool minus = p < end && *p == '-';

    *number = (struct json_number){0};
    p += p < end && (*p == '-' || *p == '+');
    if (!take_digits(&p, end, number, false))
        return false;
    if (p < end && *p == '.' &&
        (p++, !take_digits(&p, end, number, true) && p < end && *p != 'e' && *p != 'E'))
        return false;
    if (p < end && (*p == 'e' || *p == 'E') && !take_exponent(&p, end, number))
        return false;
    number->mantissa = minus ? -number->mantissa : number->mantissa;
    return p == end;
}

static bool is_word(uint8_t c)
{
    return is_digit(c) || c == '.' || c == '-' || c == '+' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* A number without exponent that is short and ends within the window, as nearly all do: it is taken in one go. False: it is
 * another one, and nothing was taken. */
static bool take_plain_number(struct json_in *in, struct json_number *number)
{
    enum { BYTES_MAX = 19 }; /* 18 digits have room for sure */
    const uint8_t *p = in->p, *end = in->end - p > BYTES_MAX ? p + BYTES_MAX : in->end;
    bool minus = *p == '-';
    const uint8_t *first = p += minus, *point = NULL;
    uint64_t mantissa = 0;

    for (; p < end && is_digit(*p); p++)
        mantissa = mantissa * 10 + (uint64_t)(*p - '0');
    if (p == first)
        return false;
    if (p < end && *p == '.') {
        point = ++p;
        for (; p < end && is_digit(*p); p++)
            mantissa = mantissa * 10 + (uint64_t)(*p - '0');
    }
    if (p == end || p == point || is_word(*p))
        return false;
    *number = (struct json_number){minus ? -(int64_t)mantissa : (int64_t)mantissa,
                                   point != NULL ? -(int32_t)(p - point) : 0};
    in->p = p;
    in->comma = true;
    return true;
}

/* The run of bytes that words and numbers are made of. */
static bool take_word(struct json_in *in, struct str *word)
{
    const uint8_t *from = in->p;

    for (;;) {
        while (in->p < in->end && is_word(*in->p))
            in->p++;
        *word = (struct str){(const char *)from, (size_t)(in->p - from)};
        if (in->p < in->end)
            return word->n > 0 || fail(in, JSON_DAMAGED);
        if (word->n > NUMBER_BYTES_MAX_IN)
            return fail(in, JSON_DAMAGED);
        if (!more(in, &from)) {
            *word = (struct str){(const char *)from, (size_t)(in->p - from)};
            return in->depth == 0 || fail(in, JSON_CUT);
        }
    }
}

static const int64_t POWERS[] = {1,
                                 10,
                                 100,
                                 1000,
                                 10000,
                                 100000,
                                 1000000,
                                 10000000,
                                 100000000,
                                 1000000000,
                                 10000000000,
                                 100000000000,
                                 1000000000000,
                                 10000000000000,
                                 100000000000000,
                                 1000000000000000,
                                 10000000000000000,
                                 100000000000000000,
                                 1000000000000000000};
enum { POWERS_COUNT = sizeof(POWERS) / sizeof(*POWERS) };

int64_t json_in_scaled(struct json_number number, int decimals)
{
    int64_t m = number.mantissa, power, product;
    int exponent = number.exponent + decimals;

    if (exponent >= 0) {
        if (m == 0 || exponent == 0)
            return m;
        if (exponent < POWERS_COUNT && !__builtin_mul_overflow(m, POWERS[exponent], &product) &&
            product != INT64_MIN)
            return product;
        return m < 0 ? -INT64_MAX : INT64_MAX;
    }
    if (-exponent >= POWERS_COUNT)
        return 0; /* below a tenth, as 10^19 is more than any mantissa; half of it, too, but for one digit */
    power = POWERS[-exponent];
    int64_t quotient = m / power, rest = m % power;
    rest = rest < 0 ? -rest : rest;
    return rest < power - rest ? quotient : m < 0 ? quotient - 1 : quotient + 1;
}

bool json_in_whole(struct json_number number, int64_t *value)
{
    *value = json_in_scaled(number, 0);
    if (number.exponent >= 0)
        return *value != INT64_MAX && *value != -INT64_MAX;
    return -number.exponent < POWERS_COUNT ? number.mantissa % POWERS[-number.exponent] == 0
                                           : number.mantissa == 0;
}

/* ---- values ---- */

static inline bool goes_on(struct json_in *in)
{
    return in->state == JSON_GOOD && (!arena_stopped_at(in->arena, in->steps++) || fail(in, JSON_CUT));
}

static bool open_is_object(const struct json_in *in)
{
    uint32_t at = in->depth - 1;

    return (in->objects[at / 64] >> at % 64 & 1) != 0;
}

static bool push(struct json_in *in, bool object)
{
    uint32_t at = in->depth;

    if (at == JSON_DEPTH_MAX)
        return fail(in, JSON_TOO_DEEP);
    in->objects[at / 64] = (in->objects[at / 64] & ~(UINT64_C(1) << at % 64)) | (uint64_t)object << at % 64;
    in->depth++;
    in->comma = false;
    in->p++;
    return true;
}

static void pop(struct json_in *in)
{
    in->p++;
    in->depth--;
    in->comma = true;
}

enum json_kind json_in_peek(struct json_in *in)
{
    int c = goes_on(in) ? look(in) : -1;

    switch (c) {
    case -1:
        fail(in, JSON_CUT);
        return JSON_NONE;
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
    case 'f':
        return JSON_BOOL;
    case 'n':
    case 'N':
    case 'I':
        return JSON_NULL;
    default:
        if (c == '-' || is_digit(c))
            return JSON_NUMBER;
        fail(in, JSON_DAMAGED);
        return JSON_NONE;
    }
}

/* The next value, which is none of those that can be gone into. False: damage. */
static bool take_scalar(struct json_in *in, enum json_kind *kind, struct str *text)
{
    static const struct str WORDS[] = {STR_INIT("true"), STR_INIT("false"),    STR_INIT("null"),
                                       STR_INIT("NaN"),  STR_INIT("Infinity"), STR_INIT("-Infinity")};
    struct json_number number;

    in->comma = true;
    if (*kind == JSON_STRING)
        return take_string(in, text);
    uint64_t at = json_in_offset(in);
    const uint8_t *from = in->p;
    if (*kind == JSON_NUMBER && take_plain_number(in, &number)) {
        *text = (struct str){(const char *)from, (size_t)(in->p - from)};
        return true;
    }
    if (!take_word(in, text))
        return false;
    if (*kind == JSON_NUMBER && json_in_parse_number(*text, &number))
        return true;
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(*WORDS); i++)
        if (str_eq(*text, WORDS[i])) {
            *kind = i < 2 ? JSON_BOOL : JSON_NULL;
            return true;
        }
    fail(in, JSON_DAMAGED);
    in->bad_at = at;
    return false;
}

bool json_in_enter(struct json_in *in, enum json_kind kind)
{
    enum json_kind next = json_in_peek(in);

    if (next == kind)
        return push(in, kind == JSON_OBJECT);
    if (next != JSON_NONE)
        json_in_skip(in);
    return false;
}

/* The comma between two items, or the end, which is taken. False: there is no more item. */
static bool next_in(struct json_in *in, char close)
{
    int c = goes_on(in) ? look(in) : -1;

    if (in->comma && c == ',') {
        in->p++;
        c = look(in);
    } else if (in->comma && c != close) {
        return fail(in, c < 0 ? JSON_CUT : JSON_DAMAGED);
    }
    if (c < 0)
        return fail(in, JSON_CUT);
    in->comma = false;
    if (c != close)
        return true;
    pop(in);
    return false;
}

bool json_in_item(struct json_in *in)
{
    return next_in(in, ']');
}

bool json_in_key(struct json_in *in, struct str *key)
{
    if (!next_in(in, '}'))
        return false;
    if (*in->p != '"')
        return fail(in, JSON_DAMAGED);
    if (!take_string(in, key))
        return false;
    if (in->p < in->end && *in->p == ':') {
        in->p++;
        return true;
    }
    /* To look for the colon may move the window. */
    if (key->p != in->room) {
        if (!ARENA_ROOM(in->arena, in->room, in->capacity, key->n))
            return fail(in, JSON_DAMAGED);
        if (key->n > 0)
            memcpy(in->room, key->p, key->n);
        key->p = in->room;
    }
    int c = look(in);
    if (c != ':')
        return fail(in, c < 0 ? JSON_CUT : JSON_DAMAGED);
    in->p++;
    return true;
}

/* Brackets and strings are looked at, and nothing else. */
static void skip_inside(struct json_in *in)
{
    uint32_t outside = in->depth;
    bool good = push(in, *in->p == '{');

    while (good && in->depth > outside && goes_on(in)) {
        while (in->p < in->end && *in->p != '"' && (*in->p | 0x20) != '{' && (*in->p | 0x20) != '}')
            in->p++;
        const uint8_t *from = in->p;
        if (in->p == in->end) {
            good = more(in, &from) || fail(in, JSON_CUT);
            continue;
        }
        uint8_t c = *in->p;
        if (c == '"')
            in->p++, good = pass_string(in);
        else if (c == '{' || c == '[')
            good = push(in, c == '{');
        else if ((c == '}') != open_is_object(in))
            good = fail(in, JSON_DAMAGED);
        else
            pop(in);
    }
    in->comma = true;
}

void json_in_skip(struct json_in *in)
{
    enum json_kind kind = json_in_peek(in);
    struct str text;

    if (kind == JSON_OBJECT || kind == JSON_ARRAY) {
        skip_inside(in);
    } else if (kind == JSON_STRING) {
        in->p++;
        in->comma = true;
        pass_string(in);
    } else if (kind != JSON_NONE) {
        take_scalar(in, &kind, &text);
    }
}

/* Behind json_in_peek. */
static bool take(struct json_in *in, enum json_kind *kind, struct str *text)
{
    if (*kind == JSON_OBJECT || *kind == JSON_ARRAY)
        skip_inside(in);
    return *kind != JSON_NONE && *kind != JSON_OBJECT && *kind != JSON_ARRAY && take_scalar(in, kind, text);
}

bool json_in_string(struct json_in *in, struct str *text)
{
    enum json_kind kind = json_in_peek(in);

    return take(in, &kind, text) && kind == JSON_STRING;
}

bool json_in_text(struct json_in *in, struct str *text)
{
    enum json_kind kind = json_in_peek(in);

    return take(in, &kind, text) && (kind == JSON_STRING || kind == JSON_NUMBER);
}

bool json_in_number(struct json_in *in, struct json_number *number)
{
    enum json_kind kind = json_in_peek(in);
    struct str text;

    if (kind == JSON_NUMBER && take_plain_number(in, number))
        return true;
    return take(in, &kind, &text) && (kind == JSON_NUMBER || kind == JSON_STRING) &&
           json_in_parse_number(text, number);
}

bool json_in_integer(struct json_in *in, int64_t *value)
{
    struct json_number number;

    return json_in_number(in, &number) && json_in_whole(number, value);
}
