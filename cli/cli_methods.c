/* aflamed methods: the profile table, to a file or to standard output. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli_one.h"
#include "cli/cli_tracks.h"
#include "core/clean.h"
#include "render/view/view_option.h"
#include "server/convert/methods.h"

static const char HINT[] = "aflamed methods --help lists the options.";

struct options {
    struct cli_one one;
    const char *format_name, *tracks, *value, *open, *app, *method; /* NULL: not given */
    const struct table_format *format;                              /* of the table */
    const struct method_format *method_format;                      /* of one method */
    struct table_request request;
    struct view_options view;
};

/* ---- options ---- */

/* Of one method there is a text for people, and one for programs. */
static bool choose_method_format(struct options *o, struct diag *diag)
{
    if (o->method[0] == '\0')
        return diag_set(diag, DIAG_USAGE, "option not understood", HINT,
                        "--method needs the name of a method.");
    if (o->format_name == NULL || strcmp(o->format_name, METHOD_TXT.text.name) == 0)
        o->method_format = &METHOD_TXT;
    else if (strcmp(o->format_name, METHOD_JSON.text.name) == 0)
        o->method_format = &METHOD_JSON;
    return o->method_format != NULL || diag_set(diag, DIAG_USAGE, "option not understood", HINT,
                                                "--format: one method is written as txt or json.");
}

static bool choose_format(struct options *o, struct diag *diag)
{
    if (o->method != NULL)
        return choose_method_format(o, diag);
    struct str name = str_of(o->format_name != NULL ? o->format_name : TABLE_FORMATS[0]->text.name);
    struct buf names = {0};

    o->format = table_format_by_name(name);
    if (o->format != NULL)
        return true;
    for (size_t i = 0; i < TABLE_FORMATS_COUNT; i++)
        buf_printf(&names, "%s%s", i == 0 ? "" : ", ", TABLE_FORMATS[i]->text.name);
    diag_set(diag, DIAG_USAGE, "option not understood", HINT, "--format %.*s: there are %.*s.",
             (int)clean_cut(name, 60).n, name.p, (int)names.n, names.n > 0 ? names.p : "no formats");
    buf_free(&names);
    return false;
}

static bool is_filter(struct str key)
{
    const struct view_option *r = view_option_by_key(key);

    return r != NULL && r->kind == OPTION_STEP;
}

/* What is no option of this command is a step of a filter, a key of the table, or nobody's. */
static bool set_key(void *options, struct cli_arguments *all, struct cli_argument *a, struct diag *diag)
{
    struct options *o = options;
    bool is_long = str_starts(a->name, STR("--"));
    struct str key = is_long ? (struct str){a->name.p + 2, a->name.n - 2} : STR("");
    const struct table_option *option = table_option_by_key(key);

    if (is_filter(key))
        return cli_value(all, a, diag) && view_set(&o->view, CLI_VIEW_SCOPES, key, a->value, diag);
    if (option == NULL)
        return cli_unknown(&CLI_METHODS, a, diag);
    if (option->metavar == NULL)
        return table_set(&o->request, option, STR("1"), diag);
    return cli_value(all, a, diag) && table_set(&o->request, option, a->value, diag);
}

static bool set_view(struct options *o, const char *key, const char *value, struct diag *diag)
{
    return value == NULL || view_set(&o->view, CLI_VIEW_SCOPES, str_of(key), str_of(value), diag);
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    *o = (struct options){.one = {.out = "-", .member = ""}};
    table_defaults(&o->request);
    view_defaults(&o->view);
    o->view.tracks = TRACKS_ALL;
    return cli_one_parse(&CLI_METHODS, &o->one, o, n_arguments, arguments, set_key, diag) &&
           choose_format(o, diag) && set_view(o, "value", o->value, diag) &&
           set_view(o, "open", o->open, diag) && set_view(o, "app", o->app, diag);
}

/* ---- the table ---- */

static bool convert(const struct options *o, const struct config *config, const struct shared_profile *folded,
                    int again, struct buf *b, struct diag *diag)
{
    if (o->method != NULL)
        return convert_method(folded, config, again, NULL, &o->view, str_of(o->method), o->request.longest,
                              o->method_format, b, diag);
    return convert_methods(folded, config, again, NULL, &o->view, &o->request, o->format, b, diag);
}

/* The file is read again where longest calls are asked for. */
static bool make(void *options, const struct config *config, const struct shared_profile *folded,
                 const char *path, struct buf *b, struct diag *diag)
{
    struct options *o = options;
    int again = o->request.longest ? cli_open_again(path, diag) : -1;
    bool ok = diag->kind == DIAG_NONE &&
              (o->tracks == NULL || cli_tracks(&o->view, shared_profile_get(folded), o->tracks, diag)) &&
              convert(o, config, folded, again, b, diag);

    if (again >= 0)
        close(again);
    return ok;
}

static int methods(int n_arguments, char *const *arguments)
{
    struct diag diag = {0};
    struct options o;
    bool ok = parse(&o, n_arguments, arguments, &diag) &&
              cli_one_write(&o.one, &(struct cli_one_maker){make, &o}, &diag);

    return ok ? CLI_OK : cli_error(NULL, &diag);
}

/* ---- the row ---- */

static const char *format_word(size_t i)
{
    return i < TABLE_FORMATS_COUNT ? TABLE_FORMATS[i]->text.name : NULL;
}

static const char *format_meaning(size_t i)
{
    return TABLE_FORMATS[i]->text.help;
}

static const char *open_word(size_t i)
{
    return view_option_word("open", (unsigned)i);
}

static const char *open_meaning(size_t i)
{
    return view_option_by_key(STR("open"))->words[i].help;
}

#define FIELD(member) offsetof(struct options, member)

static const struct cli_option OPTIONS[] = {
    {"--format", NULL, CLI_TEXT, FIELD(format_name), "NAME", "how it is written", format_word,
     format_meaning},
    CLI_ONE_OUT(struct options),
    {"--track", NULL, CLI_TEXT, FIELD(tracks), "TRACKS",
     "which tracks count: ids or names, several with commas between them, or all; default: all", NULL, NULL},
    {"--value", NULL, CLI_TEXT, FIELD(value), "NAME",
     "what is sorted by, and the one value that txt shows: wall, cpu, waiting, ...; default: the profile's "
     "first",
     NULL, NULL},
    {"--method", NULL, CLI_TEXT, FIELD(method), "NAME",
     "only this method, by its name or its id, with its callers and callees, as txt or json", NULL, NULL},
    {"--app", NULL, CLI_TEXT, FIELD(app), "PACKAGES",
     "which packages are the app's own code: com.foo,com.bar; default: a guess from what Android calls", NULL,
     NULL},
    {"--open", NULL, CLI_TEXT, FIELD(open), "WHEN", "how far methods that are never left have wall time",
     open_word, open_meaning},
    CLI_ONE_MEMBER(struct options),
    CLI_ONE_QUIET(struct options),
};

const struct cli_command CLI_METHODS = {
    .name = "methods",
    .synopsis = "[OPTION...] FILE",
    .summary = "list methods with what each cost by itself and with what it called",
    .description =
        "Prints the profile table: for each method its calls, how many of them are recursive, and each value "
        "of the profile "
        "inclusive (with all that it called, recursion counted once) and exclusive (its own). - is standard "
        "input.\n"
        "Of a trace in two files, name both: x.key x.data, or x.trace x.trace.sec. A packed file (gzip, "
        "zstd, zip) is "
        "unpacked.\n"
        "Times are whole microseconds, rounded down once in each cell. In csv, names that a spreadsheet "
        "would take for a "
        "formula (they begin with = + - or @) have an apostrophe in front; tsv has them as they are.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .takes_table = true,
    .takes_filters = true,
    .run = methods,
};
