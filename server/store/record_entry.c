#include "server/store/record_entry.h"

#include <stdio.h>
#include <string.h>

enum { PERIOD_S = 30 * 86400, MARK_RANDOM_CHARS = 6, MARK_CHARS = 24 /* without its end */ };

void record_entry_put_key(struct str space, const struct record_entry *e, char key[STORE_KEY_BYTES])
{
    snprintf(key, STORE_KEY_BYTES, RECORD_ENTRIES "%.*s/%lld/%012lld-%.*s%s%.*s", (int)space.n, space.p,
             (long long)(e->created_s / PERIOD_S), (long long)e->created_s, RECORD_ID_CHARS, e->id,
             e->mark[0] == '\0' ? "" : ".", RECORD_MARK_BYTES, e->mark);
}

static const char *const ENDS[ENTRY_KINDS] = {"", "-words", "-digest"};

/* Without a mark an end begins with a hyphen, and so stands before every mark. */
struct record_entry record_entry_of(const struct record *r, enum record_entry_kind kind)
{
    struct record_entry e = {.created_s = r->created_s};

    memcpy(e.id, r->id, sizeof(e.id));
    snprintf(e.mark, sizeof(e.mark), "%.*s%s", MARK_CHARS, r->mark, ENDS[kind]);
    return e;
}

struct record_entry record_entry_as(const struct record_entry *e, enum record_entry_kind kind)
{
    struct record_entry other = *e;
    struct str mark = str_of(e->mark);

    for (int i = ENTRY_KINDS - 1; i > 0; i--)
        if (str_ends(mark, str_of(ENDS[i]))) {
            mark.n -= strlen(ENDS[i]);
            break;
        }
    snprintf(other.mark, sizeof(other.mark), "%.*s%s", (int)(mark.n < MARK_CHARS ? mark.n : MARK_CHARS),
             mark.p, ENDS[kind]);
    return other;
}

bool record_entry_is_digest(const struct record_entry *e)
{
    return str_ends(str_of(e->mark), str_of(ENDS[ENTRY_DIGEST]));
}

void record_entry_key(const struct record *r, enum record_entry_kind kind, char key[STORE_KEY_BYTES])
{
    const struct record_entry e = record_entry_of(r, kind);

    record_entry_put_key(str_of(r->space), &e, key);
}

void record_entries_prefix(struct str space, char prefix[STORE_KEY_BYTES])
{
    snprintf(prefix, STORE_KEY_BYTES, RECORD_ENTRIES "%.*s/", (int)space.n, space.p);
}

bool record_entry_mark(struct record *r, int64_t now_s)
{
    char secret[RECORD_ID_CHARS + 1];

    if (!record_new_secret(secret))
        return false;
    snprintf(r->mark, sizeof(r->mark), "%012lld-%.*s", (long long)(now_s < 0 ? 0 : now_s), MARK_RANDOM_CHARS,
             secret);
    return true;
}

/* The digits that a name or a mark begins with. */
static bool time_in(struct str text, int64_t *unix_s)
{
    struct str digits;
    uint64_t n;

    if (!str_split(&text, '-', &digits) || !str_to_u64(digits, 10, &n) || n > INT64_MAX)
        return false;
    *unix_s = (int64_t)n;
    return true;
}

static bool read_name(struct str name, struct record_entry *e)
{
    size_t hyphen = str_find(name, '-'), dot = str_find(name, '.');
    struct str id, mark;

    *e = (struct record_entry){0};
    if (hyphen >= dot || !time_in(name, &e->created_s))
        return false;
    id = (struct str){name.p + hyphen + 1, dot - hyphen - 1};
    mark = dot == name.n ? STR("") : str_from(name, dot + 1);
    if (!record_id_valid(id) || mark.n > RECORD_MARK_BYTES)
        return false;
    memcpy(e->id, id.p, id.n);
    memcpy(e->mark, mark.p, mark.n);
    return true;
}

bool record_entry_read(const char *key, struct record_entry *e)
{
    struct str rest = str_of(key), space, period;
    char itself[STORE_KEY_BYTES];

    if (!str_starts(rest, STR(RECORD_ENTRIES)))
        return false;
    rest.p += sizeof(RECORD_ENTRIES) - 1, rest.n -= sizeof(RECORD_ENTRIES) - 1;
    if (!str_split(&rest, '/', &space) || !str_split(&rest, '/', &period) || rest.p == NULL ||
        !read_name(rest, e) || space.n > SPACE_NAME_BYTES)
        return false;
    record_entry_put_key(space, e, itself);
    return strcmp(itself, key) == 0;
}

int64_t record_entry_put_s(const struct record_entry *e)
{
    int64_t changed_s;

    return e->mark[0] != '\0' && time_in(str_of(e->mark), &changed_s) ? changed_s : e->created_s;
}

int record_entry_order(const struct record_entry *a, const struct record_entry *b)
{
    if (a->created_s != b->created_s)
        return a->created_s < b->created_s ? -1 : 1;
    int order = strcmp(a->id, b->id);
    return order != 0 ? order : strcmp(a->mark, b->mark);
}
