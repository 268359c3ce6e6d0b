#include "parser/mapping/mapping_comment.h"

/* ---- words: what stands between quotes, or between signs ---- */

static bool is_sign(char c)
{
    return c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',' || c == ' ' || c == '\t';
}

/* Takes a word or one sign off the front, and blanks before it. False: nothing is left. */
static bool next_word(struct str *rest, struct str *word, bool *sign)
{
    *rest = str_trim(*rest);
    if (rest->n == 0)
        return false;
    char first = *rest->p;
    size_t n = 1, skipped = 0;
    *sign = is_sign(first);
    if (first == '"' || first == '\'') {
        struct str inner = {rest->p + 1, rest->n - 1};
        n = str_find(inner, first);
        *word = (struct str){inner.p, n};
        skipped = n < inner.n ? n + 2 : rest->n;
    } else {
        while (!*sign && n < rest->n && !is_sign(rest->p[n]))
            n++;
        *word = (struct str){rest->p, n};
        skipped = n;
    }
    *rest = (struct str){rest->p + skipped, rest->n - skipped};
    return true;
}

static bool is_colon(struct str word, bool sign)
{
    return sign && *word.p == ':';
}

/* What stands behind `key :`; empty if it does not. */
static struct str behind(struct str text, const char *key)
{
    struct str word, before = {"", 0};
    bool sign, was_sign = true;

    while (next_word(&text, &word, &sign)) {
        if (is_colon(word, sign) && !was_sign && str_eq(before, str_of(key)))
            return text;
        before = word;
        was_sign = sign;
    }
    return (struct str){"", 0};
}

static struct str value_of(struct str text, const char *key)
{
    struct str rest = behind(text, key), word;
    bool sign;

    /* An array: its first word. */
    while (next_word(&rest, &word, &sign))
        if (!sign)
            return word;
        else if (*word.p != '[')
            break;
    return (struct str){"", 0};
}

/* The inside of `name(..)`; empty if it is no such text. */
static struct str argument_of(struct str text, const char *name)
{
    struct str s = str_of(name);

    if (!str_starts(text, s) || !str_ends(text, STR(")")))
        return (struct str){"", 0};
    text = (struct str){text.p + s.n, text.n - s.n - 1};
    return str_starts(text, STR("(")) ? (struct str){text.p + 1, text.n - 1} : (struct str){"", 0};
}

/* ---- comments ---- */

static struct mapping_comment parse_rewrite(struct str text)
{
    struct mapping_comment c = {.text = argument_of(value_of(text, "conditions"), "throws")};
    uint64_t remove;

    /* A second condition would have to hold as well: there is none that R8 writes. */
    if (c.text.n > 0 &&
        str_to_u64(argument_of(value_of(text, "actions"), "removeInnerFrames"), 10, &remove) &&
        remove < UINT32_MAX) {
        c.kind = MAPPING_COMMENT_REWRITE;
        c.remove = (uint32_t)remove;
    }
    return c;
}

struct mapping_comment mapping_comment_parse(struct str text)
{
    struct str id = value_of(text, "id"), prefix = STR("com.android.tools.r8.");

    if (str_eq(id, STR("sourceFile")))
        return (struct mapping_comment){.kind = MAPPING_COMMENT_SOURCE_FILE,
                                        .text = value_of(text, "fileName")};
    if (!str_starts(id, prefix))
        return (struct mapping_comment){.kind = MAPPING_COMMENT_OTHER};
    id = (struct str){id.p + prefix.n, id.n - prefix.n};
    if (str_eq(id, STR("residualsignature")))
        return (struct mapping_comment){.kind = MAPPING_COMMENT_RESIDUAL,
                                        .text = value_of(text, "signature")};
    if (str_eq(id, STR("outline")))
        return (struct mapping_comment){.kind = MAPPING_COMMENT_OUTLINE};
    if (str_eq(id, STR("outlineCallsite")))
        return (struct mapping_comment){.kind = MAPPING_COMMENT_CALLSITE,
                                        .positions = behind(text, "positions")};
    if (str_eq(id, STR("rewriteFrame")))
        return parse_rewrite(text);
    return (struct mapping_comment){.kind = MAPPING_COMMENT_OTHER};
}

static bool line_number(struct str word, uint32_t *line)
{
    uint64_t value;

    if (!str_to_u64(word, 10, &value) || value >= UINT32_MAX)
        return false;
    *line = (uint32_t)value;
    return true;
}

bool mapping_comment_position(struct str *positions, uint32_t *outline_line, uint32_t *line)
{
    struct str word, key = {"", 0};
    bool sign, colon = false;

    while (next_word(positions, &word, &sign) && !(sign && *word.p == '}')) {
        if (!sign && colon && line_number(key, outline_line) && line_number(word, line))
            return true;
        colon = is_colon(word, sign);
        key = sign ? key : word;
    }
    *positions = (struct str){"", 0};
    return false;
}
