#include "profile/filter/filter_pattern.h"

#include "core/clean.h"
#include "profile/filter/filter_regex.h"

static const struct str PREFIXES[FILTER_PARTS] = {
    [FILTER_PART_TEXT] = STR_INIT(""),
    [FILTER_PART_CLASS] = STR_INIT("class:"),
    [FILTER_PART_PACKAGE] = STR_INIT("package:"),
    [FILTER_PART_SIGNATURE] = STR_INIT("signature:"),
    [FILTER_PART_FILE] = STR_INIT("file:"),
    [FILTER_PART_MODULE] = STR_INIT("module:"),
    [FILTER_PART_ORIGIN] = STR_INIT("origin:"),
};

static const char *regex_problem(struct str expression)
{
    struct buf pcre = {0};
    const char *problem = filter_regex_translate(expression, &pcre);

    buf_free(&pcre);
    return problem;
}

const char *filter_pattern_parse(struct str pattern, enum filter_part *part, struct str *text, bool *is_regex)
{
    *part = FILTER_PART_TEXT;
    for (unsigned i = FILTER_PART_TEXT + 1; i < FILTER_PARTS; i++)
        if (str_starts(pattern, PREFIXES[i]))
            *part = (enum filter_part)i;
    size_t prefix = PREFIXES[*part].n;

    *text = (struct str){pattern.p + prefix, pattern.n - prefix};
    *is_regex = text->n >= 2 && text->p[0] == '/' && text->p[text->n - 1] == '/';
    if (*is_regex)
        *text = (struct str){text->p + 1, text->n - 2};
    if (!clean_is_text(*text)) /* only what can stand in a cleaned text is worth looking for there */
        return "the pattern is no UTF-8 text without control characters";
    if (text->n == 0 && !*is_regex)
        return "the pattern is empty";
    return *is_regex ? regex_problem(*text) : NULL;
}
