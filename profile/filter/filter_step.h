/* One step of a filter: a key, and the text behind it. What the keys mean is said in filter.h. */
#ifndef PROFILE_FILTER_FILTER_STEP_H
#define PROFILE_FILTER_FILTER_STEP_H

#include "core/str.h"

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

/* Presets of filters: steps under a name. The table is FILTER_PRESET_ROWS; the configuration can add presets of its own and
 * give those of the table another meaning, as one text:
 *
 *     NAME:KEY=TEXT;KEY=TEXT;;NAME:KEY=TEXT
 *
 * so that no text of a step holds a `;`, which no text of a frame has either. Names are of a-z, 0-9 and `-`. */

/* THE TABLE: name, label of a button, meaning, steps. */
#define FILTER_PRESET_ROWS(row)                                                                              \
    row("own-code", "own code only", "hides all that is not the app's own",                                  \
        "hide=origin:/^(third party|AndroidX|Android|Java\\/Kotlin|native|idle|unknown|error)$/")            \
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
                    "hide=/\\.lambda\\$|\\.access\\$\\d/")

/* The steps of a preset, for filter_presets_step. False: there is none of that name. */
bool filter_presets_find(struct str presets, struct str name, struct str *steps)
    __attribute__((warn_unused_result));

/* Whether the preset is of the configuration. */
bool filter_presets_is_added(struct str presets, struct str name);

/* All presets, each name once: those of the configuration first. */
void filter_presets_each(struct str presets, void (*put)(void *context, struct str name, struct str steps),
                         void *context);

/* As filter_step_problem, for steps of all keys. */
const char *filter_presets_problem(struct str presets, const struct filter_step *step)
    __attribute__((warn_unused_result));

/* Takes the next step off the front of *steps. False when none is left, or what stands there is none. */
bool filter_presets_step(struct str *steps, struct filter_step *step);

/* Whether the configuration's text is one: presets with names, of steps with patterns; no preset within a preset. Empty is. */
bool filter_presets_valid(struct str presets);

#endif
