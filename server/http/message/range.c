#include "server/http/message/range.h"

/* Digits only; a number that is too large is as good as the largest. */
static bool parse_position(struct str digits, uint64_t *value)
{
    for (size_t i = 0; i < digits.n; i++)
        if (digits.p[i] < '0' || digits.p[i] > '9')
            return false;
    if (digits.n > 0 && !str_to_u64(digits, 10, value))
        *value = UINT64_MAX;
    return digits.n > 0;
}

static enum range_answer parse_suffix(struct str digits, uint64_t total, struct range *r)
{
    uint64_t n;

    if (!parse_position(digits, &n))
        return RANGE_WHOLE;
    if (n == 0 || total == 0)
        return RANGE_OUTSIDE;
    r->n = n < total ? n : total;
    r->first = total - r->n;
    return RANGE_PART;
}

enum range_answer range_parse(struct str field, uint64_t total, struct range *r)
{
    size_t equals = str_find(field, '=');
    uint64_t first, last = UINT64_MAX;

    if (equals == field.n || !str_eq_nocase(str_trim((struct str){field.p, equals}), STR("bytes")))
        return RANGE_WHOLE;
    struct str spec = str_trim(str_from(field, equals + 1));
    size_t dash = str_find(spec, '-');
    if (dash == spec.n) /* several have a comma in one of the numbers */
        return RANGE_WHOLE;
    struct str behind = str_from(spec, dash + 1);
    if (dash == 0)
        return parse_suffix(behind, total, r);
    if (!parse_position((struct str){spec.p, dash}, &first) ||
        (behind.n > 0 && !parse_position(behind, &last)) || last < first)
        return RANGE_WHOLE;
    if (first >= total)
        return RANGE_OUTSIDE;
    *r = (struct range){first, (last < total ? last : total - 1) - first + 1};
    return RANGE_PART;
}

/* A strong entity tag in its quotes. */
static bool is_tag(struct str s, struct str etag)
{
    return s.n == etag.n + 2 && s.p[0] == '"' && s.p[s.n - 1] == '"' &&
           str_eq((struct str){s.p + 1, etag.n}, etag);
}

bool range_if(struct str if_range, struct str etag)
{
    return if_range.p == NULL || is_tag(str_trim(if_range), etag);
}

/* Whether one of the list is the tag, or the field is *. */
static bool list_has(struct str list, struct str etag, bool weakly)
{
    struct str tag;

    if (str_eq(str_trim(list), STR("*")))
        return true;
    while (str_split(&list, ',', &tag)) {
        tag = str_trim(tag);
        if (weakly && str_starts(tag, STR("W/")))
            tag.p += 2, tag.n -= 2;
        if (is_tag(tag, etag))
            return true;
    }
    return false;
}

bool range_none_match(struct str if_none_match, struct str etag)
{
    return if_none_match.p != NULL && list_has(if_none_match, etag, true);
}

bool range_match(struct str if_match, struct str etag)
{
    return if_match.p == NULL || list_has(if_match, etag, false);
}
