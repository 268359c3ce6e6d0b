/* THE TABLE of view options: see view_option.h for the columns. */
#include "profile/filter/filter_presets.h"
#include "profile/frame/own_code.h"
#include "render/view/view_option.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define FIELD(member)   offsetof(struct view_options, member), sizeof(((struct view_options *)0)->member)

#define TRACKS(key, scope, noun, metavar, help, fallback_means, expected)                               \
    {                                                                                                   \
        key, OPTION_TRACKS, scope, 0, 0, "", noun, metavar, help, "", fallback_means, NULL, 0, 0, 0, 0, \
            expected, NULL, 0, false                                                                    \
    }
#define WORD(key, member, label, noun, metavar, help, fallback, words)                                \
    {                                                                                                 \
        key, OPTION_WORD, SCOPE_VIEW, FIELD(member), label, noun, metavar, help, fallback, "", words, \
            COUNT_OF(words), 0, 0, 0, NULL, NULL, 0, false                                            \
    }
#define NUMBER(key, scope, member, noun, metavar, help, fallback, decimals, least, most, counted)           \
    {                                                                                                       \
        key, OPTION_NUMBER, scope, FIELD(member), "", noun, metavar, help, fallback, "", NULL, 0, decimals, \
            least, most, counted, NULL, 0, false                                                            \
    }
#define TIME(key, member, noun, metavar, help, fallback_means, counted)                                    \
    {                                                                                                      \
        key, OPTION_TIME, SCOPE_VIEW, FIELD(member), "", noun, metavar, help, "", fallback_means, NULL, 0, \
            3, 0, INT64_MAX / 1000 * 1000 - 1, counted, NULL, 0, false                                     \
    }
#define MOMENT(key, member, noun, metavar, help, fallback, expected)                                         \
    {                                                                                                        \
        key, OPTION_MOMENT, SCOPE_VIEW, FIELD(member), "", noun, metavar, help, fallback, "", NULL, 0, 0, 0, \
            0, expected, NULL, 0, false                                                                      \
    }
#define TEXT(key, member, label, noun, metavar, help, fallback_means, expected, may_be_empty, accepts)     \
    {                                                                                                      \
        key, OPTION_TEXT, SCOPE_VIEW, FIELD(member), label, noun, metavar, help, "", fallback_means, NULL, \
            0, 0, 0, 0, expected, accepts, 0, may_be_empty                                                 \
    }
/* A pattern, or one of some words. */
#define STEP(key, step, noun, metavar, help, expected)                                                       \
    {                                                                                                        \
        key, OPTION_STEP, SCOPE_VIEW, 0, 0, "", noun, metavar, help, "", "none", NULL, 0, 0, 0, 0, expected, \
            NULL, step, false                                                                                \
    }
#define STEP_WORD(key, step, noun, metavar, help, words)                                                    \
    {                                                                                                       \
        key, OPTION_STEP, SCOPE_VIEW, 0, 0, "", noun, metavar, help, "", "none", words, COUNT_OF(words), 0, \
            0, 0, NULL, NULL, step, false                                                                   \
    }

static bool is_own_code(struct str text)
{
    struct own_code own;

    return own_code_parse(text, &own);
}

static const struct view_word KINDS[] = {
    [VIEW_FLAME] = {"flame", "flame", "root at the bottom", NEEDS_NOTHING},
    [VIEW_ICICLE] = {"icicle", "icicle", "root on top", NEEDS_NOTHING},
    [VIEW_INVERTED] = {"inverted", "inverted", "callers of each method", NEEDS_NOTHING},
    [VIEW_SANDWICH] = {"sandwich", "sandwich", "callers and callees of one method", NEEDS_NOTHING},
    [VIEW_CHART] = {"chart", "chart", "calls of one thread in the order of time", NEEDS_TIMED_TRACK},
};
static const struct view_word ORDERS[] = {
    [ORDER_NAME] = {"name", "name", "by what is written in the frame", NEEDS_NOTHING},
    [ORDER_WEIGHT] = {"weight", "weight", "largest first", NEEDS_NOTHING},
};
static const struct view_word OPENS[] = {
    [OPEN_LAST] = {"last", "end with their thread's records", "up to their thread's last record",
                   NEEDS_NOTHING},
    [OPEN_END] = {"end", "last to the end of the trace", "up to the end of the trace", NEEDS_OPEN_FRAMES},
};
static const struct view_word MODES[] = {
    [MODE_CUMULATIVE] = {"cumulative", "all up to then", "all up to the moment", NEEDS_NOTHING},
    [MODE_INTERVAL] = {"interval", "since the dump before", "what changed since the moment before",
                       NEEDS_MOMENTS},
};
static const struct view_word PALETTES[] = {
    [COLOURS_ORIGIN] = {"origin", "origin",
                        "app, third party, AndroidX, Android, Java/Kotlin, native, idle, errors",
                        NEEDS_ONE_PROFILE},
    [COLOURS_PACKAGE] = {"package", "package", "one colour for each package", NEEDS_NOTHING},
    [COLOURS_SELF] = {"self", "self", "the more of its own, the stronger", NEEDS_NOTHING},
    [COLOURS_CLASSIC] = {"classic", "classic", "yellow to red", NEEDS_NOTHING},
    [COLOURS_CHANGE] = {"change", "change", "of a comparison, which has it always: how much less or more",
                        NEEDS_COMPARISON},
};
static const struct view_word NAMES[] = {
    [NAMES_SHORT] = {"short", "short", "as much of the name as fits its box", NEEDS_NOTHING},
    [NAMES_FULL] = {"full", "full", "cut at its end", NEEDS_NOTHING},
};
static const struct view_word RECURSIONS[] = {
    {"collapse", "collapse", "joins a frame with an equal one right below it", NEEDS_NOTHING},
    {"collapse-all", "collapse all", "cuts back to the outermost equal frame", NEEDS_NOTHING},
};
static const struct view_word PRESETS[] = {
#define ROW(name, label, help, steps) {name, label, help, NEEDS_NOTHING},
    FILTER_PRESET_ROWS(ROW)
#undef ROW
};
#define A_PATTERN "a text of package.Class.method, or /regex/, of at most 500 bytes"

const struct view_option VIEW_OPTIONS[] = {
    TRACKS("track", SCOPE_PLACE, "selection of tracks", "TRACKS",
           "an id, several with commas between them, all (side by side), or merged (equal stacks summed)",
           "the busiest track", "one id or several with commas between them, or all, or merged"),
    TEXT("value", value, "Value", "value", "NAME", "what to measure: wall, cpu, waiting, calls, ...",
         "the profile's first", "the name of one that the profile has, such as wall, cpu, calls", false,
         NULL),
    WORD("view", view, "View", "view", "KIND", "the kind of picture", "flame", KINDS),
    WORD("order", order, "Order", "order", "ORDER", "the order of frames that have the same caller", "name",
         ORDERS),
    NUMBER("width", SCOPE_VIEW, width_px, "width", "PX", "width of the picture", "1200", 0, 200, 10000,
           "pixels"),
    NUMBER("min", SCOPE_VIEW, min_milli_px, "least width", "PX",
           "frames narrower than this are not drawn, but counted", "0.5", 3, 0, 100000, "pixels"),
    WORD("palette", palette, "Colours", "palette", "NAME", "what the colours say", "origin", PALETTES),
    WORD("names", names, "Names", "form of the names", "FORM", "how names are written", "short", NAMES),
    WORD("open", open, "Methods never left", "end of methods that are never left", "WHEN",
         "how far methods that are never left have wall time", "last", OPENS),
    MOMENT("moment", moment, "moment", "N|A..B",
           "which dump of a series of heap dumps, from 1; 0 is the last one. A..B is what changed from dump "
           "A to "
           "dump B, in either mode",
           "0", "the number of a dump, or two numbers A..B of which A is the smaller one and not 0"),
    WORD("mode", mode, "Dumps", "mode", "MODE", "how dumps of a series are counted", "cumulative", MODES),
    TEXT("split", split, "", "label", "KEY",
         "of a pprof profile, the label of its samples by whose values they become tracks",
         "threads, where samples name them", "the key of one that its samples have, of at most 200 bytes",
         true, NULL),
    TEXT("method", method, "", "method", "NAME", "of a sandwich: package.Class.method",
         "the one with the largest self", "its name as shown, of at most 500 bytes", true, NULL),
    TEXT("app", app, "", "own code", "PACKAGES", "which packages are the app's own code: com.foo,com.bar",
         "a guess from what Android calls", "up to 8 packages with commas between them, of 200 bytes in all",
         true, is_own_code),
    STEP("focus", FILTER_FOCUS, "pattern", "PATTERN", "keeps only stacks with a frame that matches",
         A_PATTERN),
    STEP("ignore", FILTER_IGNORE, "pattern", "PATTERN", "drops stacks with a frame that matches", A_PATTERN),
    STEP("hide", FILTER_HIDE, "pattern", "PATTERN",
         "takes out frames that match; their own time goes to the caller", A_PATTERN),
    STEP("show-from", FILTER_SHOW_FROM, "pattern", "PATTERN",
         "begins each stack at the outermost frame that matches, and drops stacks without one", A_PATTERN),
    STEP_WORD("recursion", FILTER_RECURSION, "way to join", "HOW", "joins frames of recursion", RECURSIONS),
    STEP_WORD("preset", FILTER_PRESET, "preset", "NAME", "several filters under a name", PRESETS),
    TIME("from", from_ns, "start of the range", "US",
         "where the range of time begins that is shown, in µs since the trace's start", "the trace's begin",
         "µs since the trace's start"),
    TIME("to", to_ns, "end of the range", "US",
         "where the range ends, in µs since the trace's start; what happens at this time is not in it any "
         "more",
         "the trace's end", "µs since the trace's start"),
    NUMBER("embed-nodes", SCOPE_BUDGET, embed_nodes, "number of nodes to embed", "N",
           "how many nodes of the tree a picture carries for its script, at most", "200000", 0, 0,
           UINT32_MAX - 1, "nodes"),
    NUMBER("embed-bytes", SCOPE_BUDGET, embed_bytes, "number of bytes to embed", "N",
           "the same in bytes, at most", "4000000", 0, 0, UINT64_MAX, "bytes"),
    NUMBER("node", SCOPE_PIECE, node, "node", "N", "the node whose part of the tree is wanted", "0", 0, 0,
           UINT32_MAX, "places in the tree"),
    NUMBER("skip", SCOPE_PIECE, skip, "number of children to skip", "N",
           "how many of its children are there already", "0", 0, 0, UINT32_MAX, "children"),
};
const size_t VIEW_OPTIONS_COUNT = COUNT_OF(VIEW_OPTIONS);

bool view_option_is_first_step(const struct view_option *r)
{
    return r->kind == OPTION_STEP && r->step == FILTER_FOCUS;
}

const struct view_option *view_option_by_key(struct str key)
{
    for (size_t i = 0; i < VIEW_OPTIONS_COUNT; i++)
        if (str_eq(key, str_of(VIEW_OPTIONS[i].key)))
            return &VIEW_OPTIONS[i];
    return NULL;
}

const char *view_option_word(const char *key, unsigned i)
{
    const struct view_option *r = view_option_by_key(str_of(key));

    return i < r->n_words ? r->words[i].word : NULL;
}
