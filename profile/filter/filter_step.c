#include "profile/filter/filter_step.h"

#include <string.h>

#include "core/str.h"
#include "profile/filter/filter_pattern.h"

enum { FILTER_PRESET_NAME_MAX = 40 };

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

/* Whether the text is one for the key: a pattern of filter_pattern.h, "collapse" or "collapse-all". Names of presets are known to
 * filter_step.h alone: they are a problem here. NULL: it is; else what is wrong, as a sentence without capital and full
 * stop. */
static const char *filter_step_problem(const struct filter_step *step)
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

/* ---- presets ---- */

static const struct {
    const char *name, *steps;
} PRESETS[] = {
#define ROW(name, label, help, steps) {name, steps},
    FILTER_PRESET_ROWS(ROW)
#undef ROW
};

enum { PRESETS_COUNT = sizeof(PRESETS) / sizeof(PRESETS[0]) };

static bool is_name(struct str s)
{
    static const char KNOWN[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

    for (size_t i = 0; i < s.n; i++)
        if (memchr(KNOWN, s.p[i], sizeof(KNOWN) - 1) == NULL)
            return false;
    return s.n > 0 && s.n <= FILTER_PRESET_NAME_MAX;
}

/* Takes the next preset of the configuration off the front. False when none is left. */
static bool next_preset(struct str *presets, struct str *name, struct str *steps)
{
    if (presets->n == 0)
        return false;
    size_t end = str_find_str(*presets, STR(";;"));
    struct str one = {presets->p, end};
    size_t skipped = end < presets->n ? end + 2 : end;
    size_t colon = str_find(one, ':');

    *presets = (struct str){presets->p + skipped, presets->n - skipped};
    *name = str_trim((struct str){one.p, colon});
    *steps = colon < one.n ? (struct str){one.p + colon + 1, one.n - colon - 1} : (struct str){one.p, 0};
    return true;
}

static bool find_added(struct str presets, struct str name, struct str *steps)
{
    struct str found;

    while (next_preset(&presets, &found, steps))
        if (str_eq(found, name))
            return true;
    return false;
}

bool filter_presets_is_added(struct str presets, struct str name)
{
    struct str steps;

    return find_added(presets, name, &steps);
}

bool filter_presets_find(struct str presets, struct str name, struct str *steps)
{
    if (find_added(presets, name, steps))
        return true;
    for (unsigned i = 0; i < PRESETS_COUNT; i++)
        if (str_eq(name, str_of(PRESETS[i].name))) {
            *steps = str_of(PRESETS[i].steps);
            return true;
        }
    return false;
}

void filter_presets_each(struct str presets, void (*put)(void *context, struct str name, struct str steps),
                         void *context)
{
    struct str rest = presets, name, steps;

    while (next_preset(&rest, &name, &steps))
        put(context, name, steps);
    for (unsigned i = 0; i < PRESETS_COUNT; i++)
        if (!find_added(presets, str_of(PRESETS[i].name), &steps))
            put(context, str_of(PRESETS[i].name), str_of(PRESETS[i].steps));
}

const char *filter_presets_problem(struct str presets, const struct filter_step *step)
{
    struct str steps;

    if (step->key != FILTER_PRESET)
        return filter_step_problem(step);
    return filter_presets_find(presets, step->text, &steps) ? NULL : "there is no preset of that name";
}

bool filter_presets_step(struct str *steps, struct filter_step *step)
{
    struct str one;

    if (steps->n == 0 || !str_split(steps, ';', &one))
        return false;
    one = str_trim(one);
    size_t sign = str_find(one, '=');
    for (unsigned key = 0; sign < one.n && key < FILTER_KEYS; key++)
        if (str_eq((struct str){one.p, sign}, str_of(filter_key_word((enum filter_key)key)))) {
            *step = (struct filter_step){(enum filter_key)key, {one.p + sign + 1, one.n - sign - 1}};
            return true;
        }
    return false;
}

static bool are_steps(struct str steps)
{
    struct filter_step step;
    unsigned n = 0;

    for (; steps.n > 0 && n < FILTER_STEPS_MAX; n++)
        if (!filter_presets_step(&steps, &step) || filter_step_problem(&step) != NULL)
            return false;
    return n > 0 && steps.n == 0;
}

bool filter_presets_valid(struct str presets)
{
    struct str name, steps;

    while (next_preset(&presets, &name, &steps))
        if (!is_name(name) || !are_steps(steps))
            return false;
    return true;
}
