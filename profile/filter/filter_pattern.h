/* What a step of a filter looks for in a frame.
 *
 *     TEXT        the frame's text contains it; case does not matter for A-Z
 *     /REGEX/     a regular expression of the subset below matches somewhere in it; case does not matter
 *     PART:..     one of the two, in a part of the frame: class, package, signature, file, module, origin
 *
 * The text of a frame is what folded stacks have: `package.Class.method` without signature, cleaned, with
 * `:` for `;`. Parts are cleaned in the same way. The class is all before the method, `package.Class`; the
 * origin is a word of origin_word. A part that a frame does not have is empty, so that only an expression
 * such as /^$/ matches it.
 *
 * Expressions are those that PCRE2 and JavaScript's RegExp with the flags `iu` read alike. Others are
 * refused, so that the service, the command line and the script of a picture take the same ones. The
 * subset, which docs/filters.md explains to users:
 *   - Characters stand for themselves. A backslash takes the meaning from one of ^ $ \ . * + ? ( ) [ ] { } | / and, within
 *     brackets, from - as well.
 *   - `.` is any character, \d a digit 0-9, \w one of A-Z a-z 0-9 _. ^ and $ are the beginning and the end of the text.
 *   - [abc], [^abc], [a-z]: the characters `[` and `]` stand there with a backslash, `-` with one or as the first or last.
 *   - (...) and (?:...) group, | parts alternatives.
 *   - * + ? {n} {n,} {n,m}, each also with a ? behind it; n and m are at most FILTER_REPEAT_MAX. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"
#include "core/diag.h"
#include "core/str.h"
#include "profile/profile.h"

enum filter_part {
    FILTER_PART_TEXT, /* without prefix */
    FILTER_PART_CLASS,
    FILTER_PART_PACKAGE,
    FILTER_PART_SIGNATURE,
    FILTER_PART_FILE,
    FILTER_PART_MODULE,
    FILTER_PART_ORIGIN,
    FILTER_PARTS
};

/* How far a whole filter may search: shared by all of its steps. */
struct filter_budget {
    struct arena *arena; /* lends memory, and carries the stop that is asked */
    uint64_t steps;      /* that are left; begins with FILTER_STEPS */
};

/* One step is an item of an expression that is tried somewhere in a name. So many take about a second. */
#define FILTER_STEPS 40000000

/* Which part the pattern looks at, and what it looks for there: a text that is not empty, or an expression
 * without its slashes. NULL: it is a pattern; else what is wrong, as a sentence without capital and full
 * stop. */
const char *filter_pattern_parse(struct str pattern, enum filter_part *part, struct str *text,
                                 bool *is_regex) MUST_CHECK;

/* Fills matches[n_frames] with 1 for each frame of the profile that matches, else 0. `origins` has the
 * enum origin of each frame; only patterns of origins need it, for others it may be NULL. False: the arena
 * has failed or was stopped, or diag is set: no memory, or an expression for which the budget does not
 * suffice. */
bool filter_pattern_match(const struct profile *p, struct str pattern, const uint8_t *origins,
                          struct filter_budget *budget, uint8_t *matches, struct diag *diag) MUST_CHECK;

/* Appends the text of the frame that patterns see. */
void filter_pattern_text(const struct profile *p, frame_id frame, struct buf *b);

/* One step of a filter: a key, and the text behind it. What the keys mean is said in filter.h. */

enum filter_key {
    FILTER_FOCUS,
    FILTER_IGNORE,
    FILTER_HIDE,
    FILTER_SHOW_FROM,
    FILTER_RECURSION,
    FILTER_PRESET,
    FILTER_KEYS
};

struct filter_step {
    enum filter_key key;
    struct str text;
};

enum {
    FILTER_STEPS_MAX = 32,       /* of one filter, a preset counted once */
    FILTER_TEXT_BYTES_MAX = 500, /* of one step */
    FILTER_BYTES_MAX = 2000      /* of the texts of all steps */
};

/* "focus", "ignore", ...: as in URLs. */
const char *filter_key_word(enum filter_key key);

/* Presets of filters: steps under a name. The table is FILTER_PRESET_ROWS; the configuration can add
 * presets of its own and give those of the table another meaning, as one text:
 *
 *     NAME:KEY=TEXT;KEY=TEXT;;NAME:KEY=TEXT
 *
 * so that no text of a step holds a `;`, which no text of a frame has either. Names are of a-z, 0-9 and
 * `-`. */

/* THE TABLE: name, label of a button, meaning, steps. */
#define FILTER_PRESET_ROWS(row)                                                                              \
    row("own-code", "own code only", "hides all that is not the app's own",                                  \
        "hide=origin:/^(library|AndroidX|Android|Java\\/Kotlin|native|idle|unknown|error)$/")                \
        row("hide-framework", "hide framework", "hides AndroidX, Android and Java/Kotlin",                   \
            "hide=origin:/^(AndroidX|Android|Java\\/Kotlin)$/")                                              \
            row("hide-runtime", "hide runtime", "hides the native frames of ART and of what starts apps",    \
                "hide=module:/(^|\\/"                                                                        \
                ")(libart|libartbase|libandroid_runtime|libnativehelper|libopenjdk)d?\\.so$/;"               \
                "hide=module:/\\/app_process(32|64)?$/") row("hide-idle", "hide idle",                       \
                                                             "drops stacks that wait", "ignore=origin:idle") \
                row("hide-plumbing", "hide plumbing",                                                        \
                    "hides message loops, reflection, coroutines, Rx and generated lambdas",                 \
                    "hide=class:/^android\\.os\\.(Looper|Handler|HandlerThread|MessageQueue)$/;"             \
                    "hide=class:/^com\\.android\\.internal\\.os\\.(ZygoteInit|RuntimeInit)/;"                \
                    "hide=class:/^java\\.lang\\.reflect\\.|^(jdk|sun)\\.(internal\\.)?reflect\\./;"          \
                    "hide=class:/^kotlin\\.coroutines\\.|^kotlinx\\.coroutines\\./;"                         \
                    "hide=class:/^io\\.reactivex\\.|^rx\\./;"                                                \
                    "hide=class:/"                                                                           \
                    "\\$\\$(Lambda|ExternalSyntheticLambda|InternalSyntheticLambda)|\\$\\$SyntheticClass/;"  \
                    "hide=/\\.lambda\\$|\\.access\\$\\d/")                                                   \
                    row("no-idle", "no idle", "drops stacks that wait, and time in no frame",                \
                        "ignore=origin:idle;focus=/./")

/* The steps of a preset, for filter_presets_step. False: there is none of that name. */
bool filter_presets_find(struct str presets, struct str name, struct str *steps) MUST_CHECK;

/* Whether the preset is of the configuration. */
bool filter_presets_is_added(struct str presets, struct str name);

/* All presets, each name once: those of the configuration first. */
void filter_presets_each(struct str presets, void (*put)(void *context, struct str name, struct str steps),
                         void *context);

/* As filter_step_problem, for steps of all keys. */
const char *filter_presets_problem(struct str presets, const struct filter_step *step) MUST_CHECK;

/* Takes the next step off the front of *steps. False when none is left, or what stands there is none. */
bool filter_presets_step(struct str *steps, struct filter_step *step);

/* Whether the configuration's text is one: presets with names, of steps with patterns; no preset within a
 * preset. Empty is. */
bool filter_presets_valid(struct str presets);
