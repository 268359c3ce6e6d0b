/* What sections are called. Their names carry arguments: the number of a frame, the thread that holds a lock, the size of
 * a picture. A call's frame has none of these, so that all frames of a scroll are one box. Of a lock the owner and its method
 * stay, since they tell what to mend. */
#include "core/clean.h"
#include "parser/systrace/systrace_impl.h"

enum keep {
    KEEP_PREFIX,  /* the prefix alone */
    KEEP_BRACKET, /* up to the bracket with a number in it: " (" and digits, or " (owner tid:" */
};

/* THE TABLE of names of which only the beginning is kept. */
static const struct {
    struct str prefix;
    enum keep keep;
    bool word; /* what follows is a space, a bracket or a colon */
} PREFIXES[] = {
    {STR_INIT("Choreographer#doFrame"), KEEP_PREFIX, false},
    {STR_INIT("monitor contention with owner "), KEEP_BRACKET, false},
    {STR_INIT("Lock contention on "), KEEP_BRACKET, false},
    {STR_INIT("JIT compiling"), KEEP_PREFIX, true},
    {STR_INIT("Compiling"), KEEP_PREFIX, true},
    {STR_INIT("VerifyClass"), KEEP_PREFIX, true},
    {STR_INIT("OpenDexFilesFromOat"), KEEP_PREFIX, true},
    {STR_INIT("VdexFile"), KEEP_PREFIX, true},
    {STR_INIT("Open oat file"), KEEP_PREFIX, true},
    {STR_INIT("Open dex file"), KEEP_PREFIX, true},
    {STR_INIT("LoadApkAssetsFd"), KEEP_PREFIX, true},
    {STR_INIT("LoadApkAssets"), KEEP_PREFIX, true},
    {STR_INIT("dlopen"), KEEP_PREFIX, true},
    {STR_INIT("Texture upload"), KEEP_PREFIX, false},
};

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Bytes of other characters than those of ASCII are taken for letters. */
static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

static size_t digits_at(struct str s, size_t at)
{
    size_t n = 0;

    while (at + n < s.n && is_digit(s.p[at + n]))
        n++;
    return n;
}

/* Where " (123)" or " (owner tid: 123)" begins; s.n: nowhere. */
static size_t bracket_of(struct str s, size_t at)
{
    const struct str owner = STR("owner tid: ");

    for (; at + 2 < s.n; at++) {
        if (s.p[at] != ' ' || s.p[at + 1] != '(')
            continue;
        size_t from = at + 2;
        if (str_starts((struct str){s.p + from, s.n - from}, owner))
            from += owner.n;
        size_t n = digits_at(s, from);
        if (n > 0 && from + n < s.n && s.p[from + n] == ')')
            return at;
    }
    return s.n;
}

/* How much of the name stays; 0: no row fits. */
static size_t kept(struct str name)
{
    for (size_t i = 0; i < sizeof(PREFIXES) / sizeof(*PREFIXES); i++) {
        size_t n = PREFIXES[i].prefix.n;
        if (name.n == 0 || name.p[0] != PREFIXES[i].prefix.p[0] || !str_starts(name, PREFIXES[i].prefix))
            continue;
        if (PREFIXES[i].keep == KEEP_BRACKET)
            return bracket_of(name, n); /* without one it was made so before, as in our own exports */
        if (!PREFIXES[i].word || (n < name.n && (name.p[n] == ' ' || name.p[n] == '(' || name.p[n] == ':')))
            return n;
    }
    return 0;
}

/* How many bytes from `at` on are a number that becomes `#`: an address, one of two digits and more, or behind a `#`. */
static size_t number_at(struct str s, size_t at)
{
    size_t n = 0;

    if (s.p[at] == '0' && at + 2 < s.n && s.p[at + 1] == 'x' && is_hex(s.p[at + 2])) {
        for (n = 2; at + n < s.n && is_hex(s.p[at + n]);)
            n++;
        return n;
    }
    if (s.p[at] == '#')
        return (n = digits_at(s, at + 1)) > 0 ? n + 1 : 0;
    n = digits_at(s, at);
    if (n < 2 || (at > 0 && is_word(s.p[at - 1])) || (at + n < s.n && is_word(s.p[at + n])))
        return 0;
    return n;
}

/* "launchingActivity#7:.." and "DrawFrames 12" are other names of one thing. */
static struct str alias_of(struct str name)
{
    const struct str launching = STR("launchingActivity"), draw = STR("DrawFrame");

    if (name.n == 0 || (name.p[0] != launching.p[0] && name.p[0] != draw.p[0]))
        return STR("");
    if (str_starts(name, launching) && name.n > launching.n + 1 && name.p[launching.n] == '#' &&
        is_digit(name.p[launching.n + 1]))
        return launching;
    if (str_starts(name, STR("DrawFrame ")) || str_starts(name, STR("DrawFrames ")))
        return draw;
    return STR("");
}

/* Of "monitor contention with owner NAME (TID) at void com.example.Foo.bar(int)(Foo.java:3) waiters=0 .." the method; empty:
 * it is not told. */
static struct str method_of_owner(struct str name, size_t bracket)
{
    const struct str at = STR(") at ");
    size_t from = bracket + str_find_str((struct str){name.p + bracket, name.n - bracket}, at) + at.n;

    if (!str_starts(name, STR("monitor contention with ")) || from >= name.n)
        return STR("");
    struct str rest = {name.p + from, name.n - from};
    struct str method = {rest.p, str_find(rest, '(')};
    return method.n == rest.n ? STR("") : str_behind_last(method, ' ');
}

/* Copies what comes before the next digit or `#`. Returns how many bytes these are; behind them `to` may have others, within
 * the length of `from`. */
static size_t copy_plain(struct str from, char *to)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    size_t n = 0;

    for (; __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && n + sizeof(word) <= from.n; n += sizeof(word)) {
        memcpy(&word, from.p + n, sizeof(word));
        memcpy(to + n, &word, sizeof(word));
        uint64_t digits = word ^ ones * '0', marks = word ^ ones * '#'; /* below 10; 0 */
        uint64_t stops = (((digits - ones * 10) & ~digits) | ((marks - ones) & ~marks)) & ones * 0x80;
        if (stops != 0) /* the lowest bit is of the first one; the bits above it may be wrong */
            return n + (size_t)__builtin_ctzll(stops) / 8;
    }
    for (; n < from.n && !is_digit(from.p[n]) && from.p[n] != '#'; n++)
        to[n] = from.p[n];
    return n;
}

size_t systrace_standard_name(struct str name, char *to)
{
    struct str alias = alias_of(name);
    size_t n = kept(name);
    struct str method = n > 0 ? method_of_owner(name, n) : STR("");

    if (alias.n > 0 || n > 0) {
        memcpy(to, alias.n > 0 ? alias.p : name.p, alias.n > 0 ? alias.n : n);
        if (method.n > 0) { /* shorter than the number and the result, which go */
            memcpy(to + n, " at ", 4);
            memcpy(to + n + 4, method.p, method.n);
            n += 4 + method.n;
        }
        return alias.n > 0 ? alias.n : n;
    }
    for (size_t i = 0;;) {
        size_t plain = copy_plain(str_from(name, i), to + n);
        i += plain;
        n += plain;
        if (i == name.n)
            return n;
        size_t number = number_at(name, i);
        if (number > 0) {
            to[n++] = '#';
            i += number;
            continue;
        }
        do
            to[n++] = name.p[i++];
        while (i < name.n && is_digit(name.p[i - 1]) && is_digit(name.p[i]));
    }
}

/* ---- names that come again ---- */

/* Where the name is kept: names that share a place are only made more often. */
static struct sy_known_name *place_of(const struct systrace *s, struct sy_known_name *table, struct str name)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t word = 0, key = name.n;

    for (size_t i = 0; i + sizeof(word) < name.n; i += sizeof(word)) {
        memcpy(&word, name.p + i, sizeof(word));
        key = (key + word) * factor;
    }
    if (name.n >= sizeof(word))
        memcpy(&word, name.p + name.n - sizeof(word), sizeof(word));
    else
        memcpy(&word, name.p, name.n);
    return &table[hash_u64(s->seed, (key + word) * factor) % SY_KNOWN_NAMES];
}

static bool is_known(const struct sy_known_name *known, struct str name)
{
    return known->is_set && known->n == name.n && str_same_bytes(known->text, name.p, name.n);
}

static void keep(struct sy_known_name *known, struct str name, string_id id)
{
    *known = (struct sy_known_name){.id = id, .n = (uint8_t)name.n, .is_set = true};
    memcpy(known->text, name.p, name.n);
}

static string_id make_standard(struct systrace *s, struct str name)
{
    char text[1024];
    struct sy_known_name *known;

    if (name.n > s->limits->name_bytes || name.n > sizeof(text)) {
        name = clean_cut(name, s->limits->name_bytes < sizeof(text) ? s->limits->name_bytes
                                                                    : (uint32_t)sizeof(text));
        builder_warn(s->builder, WARN_NAME_CUT, 1, s->offset);
    }
    struct str standard = {text, systrace_standard_name(name, text)};
    known = place_of(s, s->known_standards, standard);
    if (standard.n > sizeof(known->text))
        return builder_string(s->builder, standard);
    if (!is_known(known, standard))
        keep(known, standard, builder_string(s->builder, standard));
    return known->id;
}

/* Most names come again soon: of the latest ones it is known what was made of them. Those with a number that is always
 * another one have at least their standard name in common. */
string_id sy_standard_name(struct systrace *s, struct str name)
{
    if (name.n == 0)
        return STRING_EMPTY;
    struct sy_known_name *known = place_of(s, s->known_names, name);
    if (name.n > s->limits->name_bytes || name.n > sizeof(known->text))
        return make_standard(s, name);
    if (!is_known(known, name))
        keep(known, name, make_standard(s, name));
    return known->id;
}

/* ---- methods ---- */

static bool is_of_method(char c)
{
    return is_word(c) || c == '.' || c == '$' || c == '<' || c == '>' || c == '-' || (uint8_t)c >= 0x80;
}

static bool has_blank(struct str s)
{
    return str_find(s, ' ') < s.n;
}

bool sy_method_of(struct str name, struct sy_method *method)
{
    size_t open = str_find(name, '('), dots = 0;
    struct str head = {name.p, open};

    if (name.n == 0)
        return false;
    *method = (struct sy_method){.signature = {name.p + open, name.n - open}};
    if (str_ends(head, STR(": ")))
        head.n -= 2;
    for (size_t i = 0; i < head.n; i++) {
        if (!is_of_method(head.p[i]))
            return false;
        dots += head.p[i] == '.';
    }
    size_t dot = str_find_last(head, '.');
    if (head.n == 0 || is_digit(head.p[0]))
        return false;
    /* A word with one dot is more often something else, as "v8.compile". */
    if (dots < (method->signature.n > 0 ? 1 : 2) || dot == 0 || dot + 1 >= head.n ||
        has_blank(method->signature))
        return false;
    method->scope = (struct str){head.p, dot};
    method->name = (struct str){head.p + dot + 1, head.n - dot - 1};
    return true;
}

/* Of " (File.kt:12)" the file; empty: it is none. */
static struct str kotlin_file_of(struct str place)
{
    const struct str kt = STR(".kt");

    if (place.n < 4 || place.p[0] != ' ' || place.p[1] != '(' || place.p[place.n - 1] != ')')
        return STR("");
    struct str inside = {place.p + 2, place.n - 3}, file = {inside.p, str_find(inside, ':')};
    for (size_t i = file.n + 1; i < inside.n; i++)
        if (!is_digit(inside.p[i]) && inside.p[i] != '#')
            return STR("");
    return file.n + 1 < inside.n && file.n > kt.n && str_ends(file, kt) && !has_blank(file) ? file : STR("");
}

/* Classes begin with a capital. */
static bool is_package(struct str scope)
{
    struct str part;

    while (str_split(&scope, '.', &part))
        if (part.n > 0 && part.p[0] >= 'A' && part.p[0] <= 'Z')
            return false;
    return true;
}

bool sy_composable_of(struct str name, struct sy_method *method, struct str *file, char room[SY_SCOPE_BYTES])
{
    size_t blank = str_find(name, ' ');
    struct str head = {name.p, blank};
    size_t dot = str_find_last(head, '.');

    *file = kotlin_file_of((struct str){name.p + blank, name.n - blank});
    if (file->n == 0 || dot == 0 || dot + 1 >= head.n || dot + file->n + 2 > SY_SCOPE_BYTES)
        return false;
    for (size_t i = 0; i < head.n; i++)
        if (!is_of_method(head.p[i]))
            return false;
    *method = (struct sy_method){.scope = {head.p, dot}, .name = {head.p + dot + 1, head.n - dot - 1}};
    if (!is_package(method->scope))
        return true;
    memcpy(room, head.p, dot);
    room[dot] = '.';
    memcpy(room + dot + 1, file->p, file->n - 3);
    memcpy(room + dot + file->n - 2, "Kt", 2);
    method->scope = (struct str){room, dot + file->n};
    return true;
}

string_id sy_event_name(struct systrace *s, struct str name)
{
    struct sy_method method;

    return sy_method_of(name, &method) ? sy_string(s, name) : sy_standard_name(s, name);
}
