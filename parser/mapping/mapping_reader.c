#include "parser/mapping/mapping_reader.h"

#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/diag.h"
#include "core/sha256.h"
#include "core/str.h"
#include "profile/mapping/mapping.h"

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

/* The word behind `key :`, or the first one of an array there; empty: there is none. */
static struct str value_of(struct str text, const char *key)
{
    struct str word, before = {"", 0};
    bool sign, was_sign = true, found = false;

    while (next_word(&text, &word, &sign)) {
        if (found && (!sign || *word.p != '['))
            return sign ? (struct str){"", 0} : word;
        found = found || (sign && *word.p == ':' && !was_sign && str_eq(before, str_of(key)));
        before = word;
        was_sign = sign;
    }
    return (struct str){"", 0};
}

/* ---- comments ---- */

/* What R8 says in comments of the form `# {"id": "..", ..}`, of the class or member above. Which there
 * are, and what they mean, is said in doc/retrace.md of R8; ids that are not known are passed over, as it
 * asks for.
 *
 * They are JSON; some writers use single quotes or none around keys, so this reads words rather than JSON. */

enum mapping_comment_kind {
    MAPPING_COMMENT_OTHER,
    MAPPING_COMMENT_SOURCE_FILE, /* of the class: text */
    MAPPING_COMMENT_RESIDUAL,    /* of the member, its descriptor in the release build: text */
    MAPPING_COMMENT_OUTLINE      /* The member is an outline. */
};

struct mapping_comment {
    enum mapping_comment_kind kind;
    struct str text;
};

/* `text` begins with the brace. */
static struct mapping_comment comment_parse(struct str text)
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
    return (struct mapping_comment){.kind = MAPPING_COMMENT_OTHER};
}

/* ---- lines ---- */

/* A method in words. */
struct mapping_line_method {
    struct str owner, name, params, returns;
    uint32_t from, to; /* lines in the release build */
    unsigned flags;    /* enum mapping_member_flag */
};

enum mapping_line_kind { MAPPING_LINE_METHOD, MAPPING_LINE_FIELD, MAPPING_LINE_BAD };

/* The last `->`, with what stands on both sides. */
static bool split_arrow(struct str line, struct str *left, struct str *right)
{
    for (size_t i = line.n; i >= 2; i--)
        if (line.p[i - 1] == '>' && line.p[i - 2] == '-') {
            *left = str_trim((struct str){line.p, i - 2});
            *right = str_trim((struct str){line.p + i, line.n - i});
            return left->n > 0 && right->n > 0;
        }
    return false;
}

static bool has_blank(struct str s)
{
    return str_find(s, ' ') < s.n || str_find(s, '\t') < s.n;
}

/* `ORIGINAL -> RESIDUAL:`. The arrow may touch a name that ends in `-`. False: it is none. */
static bool line_class(struct str line, struct str *original, struct str *residual)
{
    if (!str_ends(line, STR(":")))
        return false;
    line.n--;
    return split_arrow(line, original, residual) && !has_blank(*original) && !has_blank(*residual);
}

/* What stands on both sides of the arrow of a member. False: there is none. */
static bool line_member(struct str line, struct str *what, struct str *residual)
{
    return split_arrow(line, what, residual) && !has_blank(*residual);
}

/* Takes digits off the front. False: none stand there, or too many. */
static bool take_number(struct str *s, uint32_t *number)
{
    size_t n = 0;
    uint64_t value;

    while (n < s->n && is_digit(s->p[n]))
        n++;
    if (!str_to_u64((struct str){s->p, n}, 10, &value) || value >= UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    *s = (struct str){s->p + n, s->n - n};
    return true;
}

static bool take_char(struct str *s, char c)
{
    if (s->n == 0 || *s->p != c)
        return false;
    *s = (struct str){s->p + 1, s->n - 1};
    return true;
}

/* `FROM:TO:` in front, if a digit is. A range that runs backwards is none. */
static bool take_range(struct str *s, struct mapping_line_method *m)
{
    if (s->n == 0 || *s->p < '0' || *s->p > '9')
        return true;
    if (!(take_number(s, &m->from) && take_char(s, ':') && take_number(s, &m->to) && take_char(s, ':')))
        return false;
    m->flags |= m->from <= m->to ? MAPPING_RANGE : 0;
    return true;
}

/* `:FROM` or `:FROM:TO` behind the parameters, or nothing. */
static bool take_original(struct str *s, struct mapping_line_method *m)
{
    uint32_t from, to;

    if (s->n == 0)
        return true;
    if (!take_char(s, ':') || !take_number(s, &from))
        return false;
    if (s->n == 0)
        return true;
    if (!take_char(s, ':') || !take_number(s, &to) || s->n > 0)
        return false;
    m->flags |= MAPPING_PLACE_PAIR;
    return true;
}

/* Parts what stands in front of the arrow. *m is filled for a method. */
static enum mapping_line_kind line_parse(struct str what, struct mapping_line_method *m)
{
    *m = (struct mapping_line_method){.flags = 0};
    if (!take_range(&what, m))
        return MAPPING_LINE_BAD;
    size_t blank = str_find(what, ' ');
    if (blank == 0 || blank == what.n)
        return MAPPING_LINE_BAD;
    m->returns = (struct str){what.p, blank};
    what = str_trim((struct str){what.p + blank, what.n - blank});
    size_t open = str_find(what, '('), close = str_find(what, ')');
    if (open == what.n)
        return MAPPING_LINE_FIELD;
    if (open == 0 || close == what.n || close < open)
        return MAPPING_LINE_BAD;
    m->name = (struct str){what.p, open};
    m->params = (struct str){what.p + open + 1, close - open - 1};
    what = (struct str){what.p + close + 1, what.n - close - 1};
    size_t dot = str_find_last(m->name, '.');
    if (dot < m->name.n) {
        m->owner = (struct str){m->name.p, dot};
        m->name = (struct str){m->name.p + dot + 1, m->name.n - dot - 1};
    }
    return m->name.n > 0 && take_original(&what, m) ? MAPPING_LINE_METHOD : MAPPING_LINE_BAD;
}

/* ---- the file ---- */

enum {
    LINE_BYTES_MAX = 1 << 20, /* longer lines are left out */
    NAME_BYTES_MAX = 4096,    /* of a class, a member, a type or a file; lines with longer ones are ignored */
    PARAMS_BYTES_MAX = 64 << 10, /* of all types of a method's parameters, of which there are at most 255 */
    LINES_LOOKED_AT = 1000,      /* a mapping has a class among its first lines with text */
    HASH_HEX_CHARS = 2 * SHA256_BYTES
};

static const char HINT[] = "Give the mapping.txt that was written by the build of this app: "
                           "app/build/outputs/mapping/VARIANT/mapping.txt.";

struct mapping_reader {
    struct mapping *mapping;
    struct diag diag;
    struct buf line; /* the beginning of a line whose end has not come */
    bool in_long_line;
    bool first_line_seen;
    uint64_t offset;         /* of the line at hand */
    uint64_t lines, classes; /* lines with text that are no comments */

    /* The class and member above; MAPPING_NONE: nobody asks for it. */
    uint32_t class, member;
    uint32_t method;

    struct sha256 *hash; /* of what stands behind the line that says it; NULL: not yet */
    bool failed;
};

struct mapping_reader *mapping_reader_new(struct mapping *m)
{
    struct mapping_reader *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    r->mapping = m;
    r->class = r->member = r->method = MAPPING_NONE;
    buf_init(&r->line, LINE_BYTES_MAX);
    return r;
}

void mapping_reader_free(struct mapping_reader *r)
{
    if (r == NULL)
        return;
    buf_free(&r->line);
    sha256_free(r->hash);
    free(r);
}

const struct diag *mapping_reader_diag(const struct mapping_reader *r)
{
    return &r->diag;
}

static bool not_a_mapping(struct mapping_reader *r)
{
    return diag_at(
        &r->diag, DIAG_UNUSABLE, r->offset, "not a mapping", HINT,
        "The file that should say the names is no mapping.txt of ProGuard or R8: it has no line of the form "
        "\"original.Name -> a.b:\".");
}

static bool no_memory(const struct mapping_reader *r)
{
    r->mapping->arena->failure = ARENA_NO_MEMORY;
    return false;
}

/* ---- comments ---- */

/* Copies the text if it fits; a longer one is none of R8's. */
static void set_id(char *to, struct str text)
{
    if (text.n > MAPPING_ID_BYTES_MAX)
        return;
    memcpy(to, text.p, text.n);
    to[text.n] = '\0';
}

/* `pg_map_id: 1a2b3c4`: what R8 writes in front of the first class. */
static bool read_heading(struct mapping_reader *r, struct str text)
{
    struct str key, value = text;

    if (!str_split(&value, ':', &key) || value.p == NULL)
        return true;
    value = str_trim(value);
    if (str_eq(str_trim(key), STR("pg_map_id")))
        set_id(r->mapping->id, value);
    if (!str_eq(str_trim(key), STR("pg_map_hash")) || !str_starts(value, STR("SHA-256 ")))
        return true;
    set_id(r->mapping->hash, str_trim((struct str){value.p + 8, value.n - 8}));
    r->hash = r->hash == NULL ? sha256_new() : r->hash;
    return r->hash != NULL || no_memory(r);
}

static bool read_comment(struct mapping_reader *r, struct str text)
{
    text = str_trim(text);
    if (text.n > 0 && *text.p != '{')
        return r->classes > 0 || read_heading(r, text);
    if (r->class == MAPPING_NONE)
        return true;
    struct mapping_comment c = comment_parse(text);
    if (c.kind == MAPPING_COMMENT_SOURCE_FILE && c.text.n > NAME_BYTES_MAX) {
        r->mapping->ignored++;
        return true;
    }
    if (c.kind == MAPPING_COMMENT_SOURCE_FILE)
        return mapping_set_file(r->mapping, r->class, c.text);
    if (r->member == MAPPING_NONE)
        return true;
    struct mapping_member *m = &r->mapping->members[r->member];
    if (c.kind == MAPPING_COMMENT_OUTLINE)
        m->flags |= MAPPING_OUTLINE;
    if (c.kind == MAPPING_COMMENT_RESIDUAL)
        m->residual = strtab_add(&r->mapping->strings, c.text);
    return m->residual != STRING_NONE;
}

/* ---- classes and members ---- */

static bool read_class(struct mapping_reader *r, struct str original, struct str residual)
{
    bool different = false;

    r->classes++;
    r->member = r->method = MAPPING_NONE;
    if (original.n > NAME_BYTES_MAX || residual.n > NAME_BYTES_MAX) {
        r->mapping->ignored++;
        r->class = MAPPING_NONE; /* the members below are not those of the class above */
        return true;
    }
    r->class = mapping_class(r->mapping, residual);
    if (r->class != MAPPING_NONE && !mapping_set_class(r->mapping, r->class, original, &different))
        return false;
    if (different) {
        r->mapping->ignored++;
        r->class = MAPPING_NONE;
    }
    return true;
}

/* Whether the line goes on with the stack of the one above. Overloads of one range, which some builds
 * write, do not: they are methods of the class itself whose lines are told as a range, which the place of
 * a call is not. */
static bool same_group(const struct mapping_reader *r, uint32_t method, const struct mapping_line_method *m)
{
    const struct mapping_member *above = r->member != MAPPING_NONE ? &r->mapping->members[r->member] : NULL;

    return above != NULL && r->method == method && (m->flags & MAPPING_RANGE) != 0 &&
           (above->flags & MAPPING_RANGE) != 0 && above->from == m->from && above->to == m->to &&
           (m->owner.n > 0 || (m->flags & MAPPING_PLACE_PAIR) == 0);
}

static bool add_method(struct mapping_reader *r, uint32_t method, const struct mapping_line_method *m)
{
    struct strtab *t = &r->mapping->strings;
    struct mapping_member member = {.owner = strtab_add(t, m->owner),
                                    .name = strtab_add(t, m->name),
                                    .params = strtab_add(t, m->params),
                                    .returns = strtab_add(t, m->returns),
                                    .from = m->from,
                                    .to = m->to,
                                    .flags = m->flags};
    bool ok = member.owner != STRING_NONE && member.name != STRING_NONE && member.params != STRING_NONE &&
              member.returns != STRING_NONE;

    if (!ok)
        return false;
    bool same = same_group(r, method, m);
    uint32_t added = mapping_add(r->mapping, method, &member, same, &ok);
    if (added != MAPPING_NONE || !same)
        r->member = added; /* else the next line would begin a group, though it goes on with this one */
    r->method = method;
    return ok;
}

/* A name is written once for each time that a descriptor has it, so a long one would cost a multiple of its line. */
static bool is_too_long(const struct mapping_line_method *m)
{
    return m->owner.n > NAME_BYTES_MAX || m->name.n > NAME_BYTES_MAX || m->returns.n > NAME_BYTES_MAX ||
           m->params.n > PARAMS_BYTES_MAX;
}

static bool read_member(struct mapping_reader *r, struct str line)
{
    struct str what, residual;
    struct mapping_line_method m;

    if (!line_member(line, &what, &residual)) {
        r->mapping->ignored++;
        return true;
    }
    uint32_t method = mapping_method(r->mapping, r->class, residual);
    enum mapping_line_kind kind = method != MAPPING_NONE ? line_parse(what, &m) : MAPPING_LINE_FIELD;
    if (kind == MAPPING_LINE_METHOD && is_too_long(&m))
        kind = MAPPING_LINE_BAD;
    r->mapping->ignored += kind == MAPPING_LINE_BAD;
    if (kind == MAPPING_LINE_METHOD)
        return add_method(r, method, &m);
    r->member = r->method = MAPPING_NONE;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A line without its end. */
static bool read_line(struct mapping_reader *r, struct str line)
{
    struct str original, residual;
    bool inner = line.n > 0 && is_blank(*line.p);

    if (inner && r->class == MAPPING_NONE && r->classes > 0)
        return true; /* most lines of a large file */
    line = str_trim(str_without_line_end(line));
    if (line.n == 0)
        return true;
    if (*line.p == '#')
        return read_comment(r, (struct str){line.p + 1, line.n - 1});
    if (memchr(line.p, '\0', line.n) != NULL)
        return r->classes > 0 || not_a_mapping(r);
    r->lines++;
    if (!inner && line_class(line, &original, &residual))
        return read_class(r, original, residual);
    if (inner && r->class != MAPPING_NONE)
        return read_member(r, line);
    r->mapping->ignored++;
    return r->classes > 0 || r->lines < LINES_LOOKED_AT || not_a_mapping(r);
}

/* ---- pieces ---- */

/* A byte order mark may stand in front of the first line. */
static struct str without_mark(struct mapping_reader *r, struct str line)
{
    bool first = !r->first_line_seen;

    r->first_line_seen = true;
    if (first && str_starts(line, STR("\xef\xbb\xbf")))
        line = (struct str){line.p + 3, line.n - 3};
    return line;
}

/* Takes the beginning of a line until its end comes. */
static bool hold(struct mapping_reader *r, struct str part)
{
    buf_str(&r->line, part);
    if (!r->line.failed)
        return true;
    if (!r->line.full)
        return no_memory(r);
    buf_clear(&r->line);
    r->in_long_line = true;
    r->mapping->ignored++;
    return r->classes > 0 || not_a_mapping(r);
}

static bool end_line(struct mapping_reader *r, struct str part)
{
    if (r->in_long_line) {
        r->in_long_line = false;
        return true;
    }
    if (r->line.n == 0)
        return read_line(r, without_mark(r, part));
    if (!hold(r, part))
        return false;
    bool ok = r->in_long_line || read_line(r, without_mark(r, buf_view(&r->line)));
    r->in_long_line = false;
    buf_clear(&r->line);
    return ok;
}

static bool take(struct mapping_reader *r, struct str rest)
{
    while (rest.n > 0) {
        const char *end = memchr(rest.p, '\n', rest.n);
        if (end == NULL)
            return r->in_long_line || hold(r, rest);
        struct str part = {rest.p, (size_t)(end - rest.p)};
        bool hashed = r->hash != NULL;
        if (!end_line(r, part))
            return false;
        rest = (struct str){end + 1, rest.n - part.n - 1};
        r->offset += part.n + 1;
        if (!hashed && r->hash != NULL)
            sha256_add(r->hash, rest);
    }
    return true;
}

bool mapping_reader_feed(struct mapping_reader *r, const void *p, size_t n)
{
    if (r->hash != NULL)
        sha256_add(r->hash, (struct str){p, n});
    r->failed = r->failed || !take(r, (struct str){p, n});
    return !r->failed;
}

static void check_hash(struct mapping_reader *r)
{
    uint8_t digest[SHA256_BYTES];
    struct buf hex = {0};

    if (r->hash == NULL || strlen(r->mapping->hash) != HASH_HEX_CHARS || !sha256_end(r->hash, digest))
        return;
    buf_hex_bytes(&hex, digest, sizeof(digest));
    r->mapping->cut = !hex.failed && !str_eq_nocase(buf_view(&hex), str_of(r->mapping->hash));
    buf_free(&hex);
}

/* Whether a last line, which has no end, is a whole one all the same. */
static bool is_whole(struct str line)
{
    struct str left, right;

    line = str_trim(str_without_line_end(line));
    if (line.n == 0 || *line.p == '#')
        return str_find(line, '{') == line.n || str_ends(line, STR("}"));
    return line_class(line, &left, &right) || line_member(line, &left, &right);
}

bool mapping_reader_finish(struct mapping_reader *r)
{
    bool cut = r->in_long_line || !is_whole(buf_view(&r->line));

    if (r->line.n > 0)
        r->failed = r->failed || !end_line(r, (struct str){"", 0});
    if (!r->failed && r->classes == 0)
        r->failed = !not_a_mapping(r);
    r->mapping->cut = cut;
    if (!cut)
        check_hash(r);
    return !r->failed;
}
