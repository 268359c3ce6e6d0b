#include "parser/refuse/foreign.h"

#include <string.h>

#include "parser/format.h"

/* ---- which row ---- */

static struct str without_blanks(struct str s)
{
    static const struct str BOM = STR_INIT("\xef\xbb\xbf");

    if (str_starts(s, BOM))
        s.p += BOM.n, s.n -= BOM.n;
    while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t' || s.p[0] == '\n' || s.p[0] == '\r'))
        s.p++, s.n--;
    return s;
}

static bool begins(struct str s, struct str word)
{
    return s.n >= word.n && str_eq_nocase((struct str){s.p, word.n}, word);
}

static bool has_line(struct str s, struct str beginning)
{
    struct str line;

    while (str_split(&s, '\n', &line))
        if (str_starts(line, beginning))
            return true;
    return false;
}

static bool is_marked(struct str head, const struct foreign_mark *m)
{
    if (m->with.n > 0 && str_find_str(head, m->with) == head.n)
        return false;
    switch (m->where) {
    case FOREIGN_AT:
        return head.n >= m->at + m->bytes.n && memcmp(head.p + m->at, m->bytes.p, m->bytes.n) == 0;
    case FOREIGN_HEAD:
        return begins(without_blanks(head), m->bytes);
    case FOREIGN_LINE:
        return has_line(head, m->bytes);
    case FOREIGN_KEY:
    case FOREIGN_NOWHERE:
        break;
    }
    return false;
}

static bool matches(const struct foreign *f, struct str head)
{
    for (size_t i = 0; i < FOREIGN_MARKS; i++)
        if (is_marked(head, &f->marks[i]))
            return true;
    return false;
}

const struct foreign *foreign_find(struct str head)
{
    if (head.n > DETECT_BYTES_MAX)
        head.n = DETECT_BYTES_MAX;
    for (size_t i = 0; i < FOREIGN_COUNT && head.n > 0; i++)
        if (matches(&FOREIGN[i], head))
            return &FOREIGN[i];
    return NULL;
}

static bool has_key(const struct str *keys, size_t n, struct str key)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(keys[i], key))
            return true;
    return false;
}

const struct foreign *foreign_find_keys(const struct str *keys, size_t n)
{
    for (size_t i = 0; i < FOREIGN_COUNT; i++)
        for (size_t k = 0; k < FOREIGN_MARKS; k++) {
            const struct foreign_mark *m = &FOREIGN[i].marks[k];
            if (m->where == FOREIGN_KEY && has_key(keys, n, m->bytes) &&
                (m->with.n == 0 || has_key(keys, n, m->with)))
                return &FOREIGN[i];
        }
    return NULL;
}

bool foreign_lists_benchmarks(struct str head)
{
    struct str rest = without_blanks(head);

    if (!str_starts(rest, STR("{")))
        return false;
    rest = without_blanks((struct str){rest.p + 1, rest.n - 1});
    return str_starts(rest, STR("\"context\"")) && str_find_str(rest, STR("\"benchmarks\"")) < rest.n;
}

bool foreign_refuse(const struct foreign *f, struct diag *diag)
{
    diag_set(diag, f->damaged ? DIAG_UNUSABLE : DIAG_FOREIGN, f->title, f->hint, "%s", f->detail);
    diag->topic = f->topic;
    return false;
}

/* ---- as a format that is refused ---- */

static struct str head_of(const uint8_t *p, size_t n)
{
    return (struct str){(const char *)p, n};
}

/* A mark may need a word that stands anywhere in the beginning of the file, so all of the beginning must
 * be there before the answer is no. */
static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    if (n < DETECT_BYTES_MAX && !final)
        return DETECT_MORE;
    return foreign_find(head_of(p, n)) != NULL ? DETECT_YES : DETECT_NO;
}

static bool refuse(struct reading *r)
{
    size_t n;
    const uint8_t *p = source_need(r->source, DETECT_BYTES_MAX, &n);

    return foreign_refuse(foreign_find(head_of(p, n)), r->diag);
}

const struct format FORMAT_FOREIGN = {
    .name = "foreign",
    .label = "Another kind of file",
    .detect = detect,
    .read = refuse,
};
