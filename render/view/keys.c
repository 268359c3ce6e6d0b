/* THE TABLE of keys: see key.h for the columns. */
#include <string.h>

#include "profile/filter/filter_pattern.h"
#include "profile/frame/own_code.h"
#include "render/view/key.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define FIELD(member)   .offset = offsetof(struct asked, member), .bytes = sizeof(((struct asked *)0)->member)

/* What all rows have. */
#define ALL(name_, kind_, groups_, noun_, metavar_, help_, fallback_, means_, example_)            \
    .name = (name_), .kind = (kind_), .groups = (groups_), .noun = (noun_), .metavar = (metavar_), \
    .help = (help_), .fallback = (fallback_), .fallback_means = (means_), .example = (example_)

#define TRACKS(name, groups, noun, metavar, help, means, example, expected_)                            \
    {                                                                                                   \
        ALL(name, KEY_TRACKS, groups, noun, metavar, help, "", means, example), .label = "",            \
                                                                                .expected = (expected_) \
    }
#define STACKS(name, groups, noun, metavar, help, example, expected_)                                \
    {                                                                                                \
        ALL(name, KEY_STACKS, groups, noun, metavar, help, "", "", example), .label = "",            \
                                                                             .expected = (expected_) \
    }
#define WORD(name, groups, member, control_, label_, noun, metavar, help, fallback, example, words_) \
    {                                                                                                \
        ALL(name, KEY_WORD, groups, noun, metavar, help, fallback, "", example), FIELD(member),      \
            .control = (control_), .label = (label_), .words = (words_), .n_words = COUNT_OF(words_) \
    }
#define NUMBER(name, groups, member, noun, metavar, help, fallback, means, example, decimals_, least_,      \
               most_, counted)                                                                              \
    {                                                                                                       \
        ALL(name, KEY_NUMBER, groups, noun, metavar, help, fallback, means, example), FIELD(member),        \
            .label = "", .decimals = (decimals_), .least = (least_), .most = (most_), .expected = (counted) \
    }
#define TIME(name, groups, member, noun, metavar, help, means, example, counted)             \
    {                                                                                        \
        ALL(name, KEY_TIME, groups, noun, metavar, help, "", means, example), FIELD(member), \
            .has_b = true, .label = "", .decimals = 3, .most = INT64_MAX / 1000 * 1000 - 1,  \
            .expected = (counted)                                                            \
    }
#define MOMENT(name, groups, member, noun, metavar, help, fallback, example, expected_)           \
    {                                                                                             \
        ALL(name, KEY_MOMENT, groups, noun, metavar, help, fallback, "", example), FIELD(member), \
            .has_b = true, .control = CONTROL_SERIES, .label = "", .expected = (expected_)        \
    }
#define TEXT(name, groups, member, control_, label_, noun, metavar, help, fallback, means, example,     \
             expected_, empty, accepts_)                                                                \
    {                                                                                                   \
        ALL(name, KEY_TEXT, groups, noun, metavar, help, fallback, means, example), FIELD(member),      \
            .control = (control_), .label = (label_), .expected = (expected_), .may_be_empty = (empty), \
            .accepts = (accepts_)                                                                       \
    }
#define FLAG(name, groups, member, help)                                                                 \
    {                                                                                                    \
        ALL(name, KEY_FLAG, groups, name, NULL, help, "0", "", "1"), FIELD(member), .label = "",         \
                                                                                    .expected = "0 or 1" \
    }
/* A pattern, or one of some words. */
#define STEP(name, step_, noun, metavar, help, example, expected_)                                  \
    {                                                                                               \
        ALL(name, KEY_STEP, KEYS_VIEW | KEYS_FILTERS | KEYS_CALLS, noun, metavar, help, "", "none", \
            example),                                                                               \
            .label = "", .expected = (expected_), .step = (step_)                                   \
    }
#define STEP_WORD(name, step_, noun, metavar, help, example, words_)                                \
    {                                                                                               \
        ALL(name, KEY_STEP, KEYS_VIEW | KEYS_FILTERS | KEYS_CALLS, noun, metavar, help, "", "none", \
            example),                                                                               \
            .label = "", .words = (words_), .n_words = COUNT_OF(words_), .step = (step_)            \
    }
/* What its handler reads by itself. */
#define SENT(name, groups, help)                                                 \
    {                                                                            \
        ALL(name, KEY_SENT, groups, name, "TEXT", help, "", "", ""), .label = "" \
    }
/* The end of the name, behind its dot, stands for any. */
#define SENT_FAMILY(name, groups, help)                                                             \
    {                                                                                               \
        ALL(name, KEY_SENT, groups, name, "TEXT", help, "", "", ""), .label = "", .is_family = true \
    }
#define SENT_FILE(name, groups, help)                                            \
    {                                                                            \
        ALL(name, KEY_FILE, groups, name, "FILE", help, "", "", ""), .label = "" \
    }

static bool is_own_code(struct str text)
{
    struct own_code own;

    return own_code_parse(text, &own);
}

static const struct key_word KINDS[] = {
    [VIEW_FLAME] = {"flame", "flame", "root at the bottom", NEEDS_NOTHING},
    [VIEW_ICICLE] = {"icicle", "icicle", "root on top", NEEDS_NOTHING},
    [VIEW_INVERTED] = {"inverted", "inverted", "callers of each method", NEEDS_NOTHING},
    [VIEW_SANDWICH] = {"sandwich", "sandwich", "callers and callees of one method", NEEDS_NOTHING},
    [VIEW_CHART] = {"chart", "chart", "calls of one thread in the order of time", NEEDS_TIMED_TRACK},
};
static const struct key_word ORDERS[] = {
    [ORDER_NAME] = {"name", "name", "by what is written in the frame", NEEDS_NOTHING},
    [ORDER_WEIGHT] = {"weight", "weight", "largest first", NEEDS_NOTHING},
};
static const struct key_word OPENS[] = {
    [OPEN_LAST] = {"last", "until their thread's last record", "up to their thread's last record",
                   NEEDS_NOTHING},
    [OPEN_END] = {"end", "until the end of the trace", "up to the end of the trace", NEEDS_OPEN_FRAMES},
};
static const struct key_word MODES[] = {
    [MODE_CUMULATIVE] = {"cumulative", "all up to then", "all up to the moment", NEEDS_NOTHING},
    [MODE_INTERVAL] = {"interval", "since the dump before", "what changed since the moment before",
                       NEEDS_MOMENTS},
};
static const struct key_word PALETTES[] = {
    [COLOURS_ORIGIN] = {"origin", "origin",
                        "app, library, AndroidX, Android, Java/Kotlin, native, idle, errors",
                        NEEDS_ONE_PROFILE},
    [COLOURS_PACKAGE] = {"package", "package", "one colour for each package", NEEDS_NOTHING},
    [COLOURS_SELF] = {"self", "self", "the more of its own, the stronger", NEEDS_NOTHING},
    [COLOURS_CLASSIC] = {"classic", "classic", "yellow to red", NEEDS_NOTHING},
    [COLOURS_CHANGE] = {"change", "change", "of a comparison, which has it always: how much less or more",
                        NEEDS_COMPARISON},
};
static const struct key_word NAMES[] = {
    [NAMES_SHORT] = {"short", "short", "as much of the name as fits its box", NEEDS_NOTHING},
    [NAMES_FULL] = {"full", "full", "cut at its end", NEEDS_NOTHING},
};
static const struct key_word RECURSIONS[] = {
    {"collapse", "collapse", "joins a frame with an equal one right below it", NEEDS_NOTHING},
    {"collapse-all", "collapse all", "cuts back to the outermost equal frame", NEEDS_NOTHING},
};
static const struct key_word PRESETS[] = {
#define ROW(name, label, help, steps) {name, label, help, NEEDS_NOTHING},
    FILTER_PRESET_ROWS(ROW)
#undef ROW
};
static const struct key_word GROUPS[] = {
    [GROUP_METHOD] = {"method", "methods", NULL, NEEDS_NOTHING},
    [GROUP_CLASS] = {"class", "classes", NULL, NEEDS_NOTHING},
    [GROUP_PACKAGE] = {"package", "packages", NULL, NEEDS_NOTHING},
    [GROUP_ORIGIN] = {"origin", "origins", NULL, NEEDS_NOTHING},
    [GROUP_THREAD] = {"thread", "threads", NULL, NEEDS_NOTHING},
};
static const struct key_word WIDTHS[] = {
    [WIDE_B] = {"b", "width: B", "what B has", NEEDS_NOTHING},
    [WIDE_A] = {"a", "width: A", "what A has", NEEDS_NOTHING},
    [WIDE_LARGER] = {"larger", "width: larger", "of the two, of each stack's own", NEEDS_NOTHING},
};
static const struct key_word CHANGES[] = {
    [ONLY_DIFFERENT] = {"any", "all changes", "all that differ", NEEDS_NOTHING},
    [ONLY_NEW] = {"new", "new", "only in B", NEEDS_NOTHING},
    [ONLY_GONE] = {"gone", "gone", "only in A", NEEDS_NOTHING},
    [ONLY_MORE] = {"more", "more", "more of their own", NEEDS_NOTHING},
    [ONLY_LESS] = {"less", "less", "less of their own", NEEDS_NOTHING},
};

static bool is_scale(struct str text)
{
    static const struct str CALLS = STR_INIT("calls:");

    return str_eq(text, STR("total")) || str_eq(text, STR("time")) ||
           (str_starts(text, CALLS) && text.n > CALLS.n);
}

#define A_PATTERN "a text of package.Class.method, or /regex/, of at most 500 bytes"
#define TABLES    (KEYS_TABLE | KEYS_METHOD)

const struct key KEYS[] = {
    TRACKS("track", KEYS_TRACK, "selection of tracks", "TRACKS",
           "an id, several with commas between them, all (side by side), or merged (equal stacks summed)",
           "the busiest track", "all", "one id or several with commas between them, or all, or merged"),
    TEXT("value", KEYS_VIEW, view.value, CONTROL_VALUE, "Value", "value", "NAME",
         "what to measure: wall, cpu, waiting, calls, ...", "", "the profile's first", "wall",
         "the name of one that the profile has, such as wall, cpu, calls", false, NULL),
    WORD("view", KEYS_VIEW, view.view, CONTROL_VIEW, "View", "view", "KIND", "the kind of picture", "flame",
         "icicle", KINDS),
    WORD("order", KEYS_VIEW, view.order, CONTROL_MENU, "Order", "order", "ORDER",
         "the order of frames that have the same caller", "name", "weight", ORDERS),
    NUMBER("width", KEYS_VIEW, view.width_px, "width", "PX", "width of the picture", "1200", "", "800", 0,
           200, 10000, "pixels"),
    NUMBER("min", KEYS_VIEW, view.min_milli_px, "least width", "PX",
           "frames narrower than this are not drawn, but counted", "0.5", "", "0.125", 3, 0, 100000,
           "pixels"),
    WORD("palette", KEYS_VIEW, view.palette, CONTROL_MENU, "Colours", "palette", "NAME",
         "what the colours say", "origin", "self", PALETTES),
    WORD("names", KEYS_VIEW, view.names, CONTROL_MENU, "Names", "form of the names", "FORM",
         "how names are written", "short", "full", NAMES),
    WORD("open", KEYS_VIEW, view.open, CONTROL_MENU, "Unfinished calls", "end of unfinished calls", "WHEN",
         "how far the wall time of unfinished calls goes", "last", "end", OPENS),
    MOMENT(
        "moment", KEYS_VIEW | KEYS_MOMENT, view.moment, "moment", "N|A..B",
        "which dump of a series of heap dumps, from 1; 0 is the last one. A..B is what changed from dump A to dump "
        "B, in either mode",
        "0", "1..3", "the number of a dump, or two numbers A..B of which A is the smaller one and not 0"),
    WORD("mode", KEYS_VIEW | KEYS_MOMENT, view.mode, CONTROL_SERIES, "Dumps", "mode", "MODE",
         "how dumps of a series are counted", "cumulative", "interval", MODES),
    TEXT("split", KEYS_VIEW | KEYS_PROFILE, view.split, CONTROL_HIDDEN, "", "label", "KEY",
         "of a pprof profile, the label of its samples by whose values they become tracks", "",
         "threads, where samples name them", "endpoint",
         "the key of one that its samples have, of at most 200 bytes", true, NULL),
    TEXT("method", KEYS_VIEW, view.method, CONTROL_HIDDEN, "", "method", "NAME",
         "of a sandwich: package.Class.method", "", "the one with the largest self", "com.foo.Bar.run",
         "its name as shown, of at most 500 bytes", true, NULL),
    TEXT("app", KEYS_VIEW, view.app, CONTROL_CODE, "", "own code", "PACKAGES",
         "which packages are the app's own code: com.foo,com.bar", "", "a guess from what Android calls",
         "com.foo,com.bar", "up to 8 packages with commas between them, of 200 bytes in all", true,
         is_own_code),
    STEP("focus", FILTER_FOCUS, "pattern", "PATTERN", "keeps only stacks with a frame that matches",
         "Bar.run", A_PATTERN),
    STEP("ignore", FILTER_IGNORE, "pattern", "PATTERN", "drops stacks with a frame that matches", "/Idle$/",
         A_PATTERN),
    STEP("hide", FILTER_HIDE, "pattern", "PATTERN",
         "takes out frames that match; their own time goes to the caller", "class:com.foo", A_PATTERN),
    STEP("show-from", FILTER_SHOW_FROM, "pattern", "PATTERN",
         "begins each stack at the outermost frame that matches, and drops stacks without one", "Bar.run",
         A_PATTERN),
    STEP_WORD("recursion", FILTER_RECURSION, "way to join", "HOW", "joins frames of recursion", "collapse",
              RECURSIONS),
    STEP_WORD("preset", FILTER_PRESET, "preset", "NAME", "several filters under a name", "hide-runtime",
              PRESETS),
    TIME("from", KEYS_VIEW | KEYS_PROFILE | KEYS_CALLS, view.from_ns, "start of the range", "US",
         "where the range of time begins that is shown, in µs since the trace's start", "the trace's begin",
         "1500.25", "µs since the trace's start"),
    TIME(
        "to", KEYS_VIEW | KEYS_PROFILE | KEYS_CALLS, view.to_ns, "end of the range", "US",
        "where the range ends, in µs since the trace's start; what happens at this time is not in it any more",
        "the trace's end", "90000", "µs since the trace's start"),
    NUMBER("embed-nodes", KEYS_BUDGET, view.embed_nodes, "number of nodes to embed", "N",
           "how many nodes of the tree a picture carries for its script, at most", "200000", "", "1000", 0, 0,
           UINT32_MAX - 1, "nodes"),
    NUMBER("embed-bytes", KEYS_BUDGET, view.embed_bytes, "number of bytes to embed", "N",
           "the same in bytes, at most", "4000000", "", "65536", 0, 0, UINT64_MAX, "bytes"),
    NUMBER(
        "budget", KEYS_OUTLINE, view.budget, "number of tokens", "N",
        "how long the text may be, in tokens of 4 bytes: what weighs most is shown, and what is not is said",
        "", "2000 of an outline, else no limit", "500", 0, 200, UINT32_MAX - 1, "tokens"),
    NUMBER("node", KEYS_PIECE, view.node, "node", "N", "the node whose part of the tree is wanted", "0", "",
           "7", 0, 0, UINT32_MAX, "places in the tree"),
    NUMBER("skip", KEYS_PIECE, view.skip, "number of children to skip", "N",
           "how many of its children are there already", "0", "", "40", 0, 0, UINT32_MAX, "children"),

    WORD("group", KEYS_TABLE, table.group, CONTROL_HIDDEN, "Rows", "group", "WHAT",
         "one row for each method, class, package, origin or thread", "method", "class", GROUPS),
    TEXT("sort", KEYS_TABLE, table.sort, CONTROL_HIDDEN, "", "sort", "COLUMN",
         "by which column: numbers the largest first, texts bytewise; with - in front the other way round",
         "", "the inclusive value, of a comparison the change of the exclusive one", "-calls",
         "a column, with - in front for the other direction", false, NULL),
    TEXT("grep", KEYS_TABLE, table.grep, CONTROL_HIDDEN, "", "grep", "TEXT",
         "only rows whose package.Class.method contains it, in upper or lower case", "", "", "Bar",
         "a text of at most 500 bytes", true, NULL),
    NUMBER("limit", TABLES, table.limit, "limit", "N",
           "at most so many rows, or of one method so many callers and so many callees", "", "all", "20", 0,
           0, UINT32_MAX - 1, "rows"),
    NUMBER("offset", TABLES, table.offset, "offset", "N", "leaves out so many of them at the beginning", "0",
           "", "100", 0, 0, UINT32_MAX - 1, "rows"),
    FLAG(
        "longest", KEYS_LONGEST, table.longest,
        "also the longest call of each row, and of one method how long its calls were: each call is looked at"),

    TEXT("value", KEYS_COMPARED, diff.value, CONTROL_VALUE, "Value", "value", "NAME",
         "by which value rows are sorted, and the one that people see: wall, cpu, waiting, ...", "",
         "the first one", "cpu", "the name of one that both profiles have, of at most 100 bytes", true, NULL),
    WORD("wide", KEYS_COMPARED, diff.wide, CONTROL_HIDDEN, "Width", "width", "SIDE",
         "what is wide in the picture", "b", "larger", WIDTHS),
    FLAG("all", KEYS_COMPARED, diff.all, "also rows that do not differ"),
    WORD("only", KEYS_COMPARED, diff.only, CONTROL_HIDDEN, "Rows", "choice of rows", "ROWS", "which rows",
         "any", "more", CHANGES),
    TEXT(
        "normalise", KEYS_COMPARED, diff.normalise, CONTROL_HIDDEN, "Scale B to A by", "normalise", "BY",
        "scale each file to as much as the first one has: total (each value by its total), calls:METHOD, time (of "
        "the recording)",
        "absolute", "numbers are as they are", "calls:com.foo.Bar.run",
        "one of absolute, total, time, calls:METHOD", true, is_scale),

    STACKS("stacks", KEYS_LANES, "list of threads", "TRACKS",
           "threads whose calls are wanted, by their ids with commas between them", "1,21",
           "ids of at most 32 threads, with commas between them"),
    TEXT("mark", KEYS_LANES, lanes.mark, CONTROL_HIDDEN, "", "mark", "METHOD",
         "a method whose calls are looked for, by its id or its name", "", "", "com.foo.Bar.run",
         "the id of a method, or its name as shown, of at most 500 bytes", true, NULL),
    FLAG("methods", KEYS_LANES, lanes.methods, "also which method each place of a thread is most of"),

    SENT_FILE("trace", KEYS_FORM, "the profile"),
    SENT_FILE("mapping", KEYS_FORM | KEYS_MAPPING,
              "a mapping.txt of ProGuard or R8, which tells the names of a release build"),
    SENT_FILE("symbols", KEYS_FORM | KEYS_SYMBOLS,
              "unstripped libraries (ELF) or Breakpad symbols, one file or an archive of several, or what "
              "traceconv makes for a Perfetto trace, which name the addresses of native code"),
    SENT("readers", KEYS_UPLOAD | KEYS_FORM | KEYS_RENAME,
         "who may read it: link (who has the link) or team (of these, who is known)"),
    SENT("space", KEYS_UPLOAD | KEYS_FORM | KEYS_RENAME,
         "the space in which it is listed: [a-z0-9._-], at most 64 bytes; without one it is listed nowhere"),
    SENT_FAMILY(
        "label.KEY", KEYS_UPLOAD | KEYS_FORM | KEYS_RENAME,
        "the label of that key: text of at most 200 bytes; empty: none. At most 32 labels; a key is made as the "
        "name of a space"),
    SENT(
        "labels", KEYS_UPLOAD | KEYS_FORM | KEYS_RENAME,
        "several labels, each on a line KEY=VALUE; of an upload that is changed, in place of all that it has"),
    SENT("token", KEYS_RENAME | KEYS_DELETE | KEYS_MAPPING | KEYS_SYMBOLS | KEYS_LOGIN,
         "the delete token of the upload; of a login, the token of who logs in"),
    SENT("name", KEYS_UPLOAD | KEYS_FORM | KEYS_RENAME, "what the upload is called"),
    SENT("expires", KEYS_UPLOAD | KEYS_FORM | KEYS_RENAME, "how long it is kept: days as 7, or hours as 12h"),
    SENT("member", KEYS_UPLOAD | KEYS_FORM,
         "of an archive with several files, the one to read: its name, or its place as #2; all: each that is "
         "read here"),
    SENT("output", KEYS_UPLOAD, "the answer is this output instead of the link"),
    SENT("app", KEYS_RENAME, "which packages are the app's own code; empty: guessed"),
    SENT(
        "known", KEYS_MAPPING,
        "in place of the file, the id of a mapping that the service has; by-names: none is taken, and the answer "
        "names the one that fits the names of the profile best"),
    SENT("known_file", KEYS_MAPPING,
         "in place of the file, one that the service has, by the name that by-names answered"),
    SENT("from", KEYS_MAPPING, "in place of the file, another upload that has a mapping, by its id"),
    SENT("from_token", KEYS_MAPPING, "the token of that upload"),
    SENT("next", KEYS_LOGIN, "where to go on when logged in: a path of the service, without its first slash"),
    SENT("prompt", KEYS_LOGIN, "1: the browser asks for name and token itself"),
    SENT("wait", KEYS_STATUS, "how many seconds to wait for news, at most"),
    SENT("made", KEYS_STATUS, "how many views the client knows to be made"),
    SENT(
        "about", KEYS_ABOUT,
        "the picture (.svg) also says of what it is: upload (its name, its date, the first sentence of the words), or link "
        "(these, and the link of its page)"),
    SENT("a", KEYS_PAIR, "the earlier upload, by its link or its id"),
    SENT("b", KEYS_PAIR, "the later one"),
    SENT(
        "q", KEYS_SPACE | KEYS_SERIES | KEYS_CHECK,
        "what to look for, all of it: key:value of a label, with quotes around a value with blanks; after:2026-11-01, "
        "before:2026-12-01 (of the upload); verdict:binder, a part of the name of a rule of its verdict; method:Feed.get, a "
        "part of the name of a method in it; words of the name or the headline"),
    SENT("next", KEYS_SPACE, "goes on behind the uploads of an answer, with what that says of `next`"),
    SENT("rows", KEYS_SPACE, "how many uploads, at most 500; default: 50"),
    SENT("baseline", KEYS_CHECK,
         "what the uploads are compared with: as q, the newest 30 that have the same other labels"),
    SENT("check", KEYS_UPLOAD,
         "what this upload is compared with in its space, as baseline of a check: the answer is the check"),
    SENT(
        "fail-if", KEYS_CHECK | KEYS_UPLOAD,
        "what must not have grown, as a rule of aflamed diff: total>5%; may be given several times; default: total>5%"),
    SENT("strict", KEYS_CHECK | KEYS_UPLOAD, "1: a check that is inconclusive has status 422, too"),
    SENT("over", KEYS_SERIES, "the label that is equal in the uploads of one point; default: commit"),
    SENT("of", KEYS_SERIES,
         "what is shown: total (the default), thread:NAME, step:NAME, or the name of a method"),
    SENT("value", KEYS_SERIES, "which value of it; default: the first one that the newest upload has"),
    SENT("part", KEYS_SERIES,
         "of a method: incl (with what it calls, the default), excl (by itself), or calls"),
};
const size_t KEYS_COUNT = COUNT_OF(KEYS);

/* ---- finding rows ---- */

static bool is_named(const struct key *r, struct str name)
{
    if (!r->is_family)
        return strncmp(r->name, name.p, name.n) == 0 && r->name[name.n] == '\0';
    struct str own = str_of(r->name), begin = {own.p, str_find_last(own, '.') + 1};
    return name.n > begin.n && str_starts(name, begin);
}

/* NULL if there is none. */
static const struct key *find(unsigned groups, struct str name)
{
    for (size_t i = KEYS_COUNT; i-- > 0;)
        if ((KEYS[i].groups & groups) != 0 && is_named(&KEYS[i], name))
            return &KEYS[i];
    return NULL;
}

/* The row that a comparison has twice, of the name with _b. NULL: it is none. */
static const struct key *find_of_b(struct str name)
{
    static const struct str BEHIND = STR_INIT("_b");

    if (!str_ends(name, BEHIND))
        return NULL;
    const struct key *r = find(KEYS_VIEW, (struct str){name.p, name.n - BEHIND.n});
    return r != NULL && r->has_b ? r : NULL;
}

const struct key *key_find(unsigned groups, struct str name, bool *of_b)
{
    const struct key *r = find(groups, name);

    *of_b = r == NULL && (groups & KEYS_COMPARED) != 0;
    return *of_b ? find_of_b(name) : r;
}

const struct key *key_by_name(struct str name)
{
    return find(KEYS_OF_VIEWS, name);
}

/* Whether a later row of the groups has the name. Rows are asked for each link of a picture, thousands of times. */
static bool is_hidden(size_t row, unsigned groups)
{
    struct str name = str_of(KEYS[row].name);

    for (size_t i = row + 1; i < KEYS_COUNT; i++)
        if ((KEYS[i].groups & groups) != 0 && is_named(&KEYS[i], name))
            return true;
    return false;
}

void keys_each(unsigned groups, void (*visit)(void *context, const struct key *r, bool of_b), void *context)
{
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        const struct key *r = &KEYS[i];
        if ((r->groups & groups) != 0 && !is_hidden(i, groups))
            visit(context, r, false);
        if (r->has_b && (groups & KEYS_COMPARED) != 0)
            visit(context, r, true);
    }
}

bool key_is_first_step(const struct key *r)
{
    return r->kind == KEY_STEP && r->step == FILTER_FOCUS;
}

const char *key_word(const char *name, unsigned i)
{
    const struct key *r = find(~0u, str_of(name));

    return i < r->n_words ? r->words[i].word : NULL;
}
