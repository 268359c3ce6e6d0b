#include "parser/mapping/mapping_line.h"

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

bool mapping_line_class(struct str line, struct str *original, struct str *residual)
{
    if (!str_ends(line, STR(":")))
        return false;
    line.n--;
    return split_arrow(line, original, residual) && !has_blank(*original) && !has_blank(*residual);
}

bool mapping_line_member(struct str line, struct str *what, struct str *residual)
{
    return split_arrow(line, what, residual) && !has_blank(*residual);
}

/* Takes digits off the front. False: none stand there, or too many. */
static bool take_number(struct str *s, uint32_t *number)
{
    size_t n = 0;
    uint64_t value;

    while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
        n++;
    if (!str_to_u64((struct str){s->p, n}, 10, &value) || value >= MAPPING_LINE_NONE)
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
    if (!(take_number(s, &m->min_from) && take_char(s, ':') && take_number(s, &m->min_to) &&
          take_char(s, ':')))
        return false;
    m->flags |= m->min_from <= m->min_to ? MAPPING_RANGE : 0;
    return true;
}

/* `:FROM` or `:FROM:TO` behind the parameters, or nothing. */
static bool take_original(struct str *s, struct mapping_line_method *m)
{
    if (s->n == 0)
        return true;
    if (!take_char(s, ':') || !take_number(s, &m->original_from))
        return false;
    m->flags |= MAPPING_ORIGINAL;
    m->original_to = m->original_from;
    if (s->n == 0)
        return true;
    if (!take_char(s, ':') || !take_number(s, &m->original_to) || s->n > 0)
        return false;
    m->flags |= MAPPING_ORIGINAL_PAIR;
    m->flags |= m->original_to < m->original_from ? MAPPING_ORIGINAL_ABSURD : 0;
    return true;
}

enum mapping_line_kind mapping_line_parse(struct str what, struct mapping_line_method *m)
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
