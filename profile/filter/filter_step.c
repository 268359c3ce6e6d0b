#include "profile/filter/filter_step.h"

#include "profile/filter/filter_pattern.h"

static const char *const WORDS[FILTER_KEYS] = {
    [FILTER_FOCUS] = "focus",         [FILTER_IGNORE] = "ignore",       [FILTER_HIDE] = "hide",
    [FILTER_SHOW_FROM] = "show-from", [FILTER_RECURSION] = "recursion", [FILTER_PRESET] = "preset",
};

const char *filter_key_word(enum filter_key key)
{
    return WORDS[key];
}

static const char *pattern_problem(struct str text)
{
    enum filter_part part;
    bool is_regex;

    return filter_pattern_parse(text, &part, &text, &is_regex);
}

const char *filter_step_problem(const struct filter_step *step)
{
    if (step->text.n > FILTER_TEXT_BYTES_MAX)
        return "it is longer than 500 bytes";
    switch (step->key) {
    case FILTER_RECURSION:
        return str_eq(step->text, STR("collapse")) || str_eq(step->text, STR("collapse-all"))
                   ? NULL
                   : "it is one of collapse, collapse-all";
    case FILTER_PRESET:
        return "a preset cannot stand here";
    default:
        return pattern_problem(step->text);
    }
}
