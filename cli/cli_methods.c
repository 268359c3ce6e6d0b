/* aflamed methods: the profile table, to a file or to standard output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli_tracks.h"
#include "cli/command.h"
#include "core/clean.h"
#include "render/view/view_option.h"
#include "server/convert/methods.h"

static const char HINT[] = "aflamed methods --help lists the options.";

struct options {
    const char *file;
    const char *key; /* beside it, of a trace in two files; else NULL */
    const char *out, *member;
    const char *format_name, *tracks, *value, *open, *app, *method; /* NULL: not given */
    bool quiet;
    const struct table_format *format;         /* of the table */
    const struct method_format *method_format; /* of one method */
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
static bool set_key(struct options *o, struct cli_arguments *all, struct cli_argument *a, struct diag *diag)
{
    bool is_long = str_starts(a->name, STR("--"));
    const struct table_option *option =
        is_long ? table_option_by_key((struct str){a->name.p + 2, a->name.n - 2}) : NULL;

    if (is_long && is_filter((struct str){a->name.p + 2, a->name.n - 2}))
        return cli_value(all, a, diag) &&
               view_set(&o->view, CLI_VIEW_SCOPES, (struct str){a->name.p + 2, a->name.n - 2}, a->value,
                        diag);
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
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    *o = (struct options){.out = "-", .member = ""};
    table_defaults(&o->request);
    view_defaults(&o->view);
    o->view.tracks = TRACKS_ALL;
    while (cli_next(&all, &a)) {
        if (a.name.n == 0) {
            if (!cli_add_file(&o->file, &o->key, a.value.p, diag))
                return false;
            continue;
        }
        enum cli_taken taken = cli_take(&CLI_METHODS, o, &all, &a, diag);
        if (taken == CLI_REFUSED || (taken == CLI_NOT_OWN && !set_key(o, &all, &a, diag)))
            return false;
    }
    if (o->file == NULL)
        return diag_set(diag, DIAG_USAGE, "no file", HINT, "Name a file to read, or - for standard input.");
    return choose_format(o, diag) && set_view(o, "value", o->value, diag) &&
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

/* The file at `path` is read again where longest calls are asked for. */
static bool put_table(struct options *o, const struct config *config, const struct shared_profile *folded,
                      const char *path, struct diag *diag)
{
    struct buf b = {0};
    int again = o->request.longest ? cli_open_again(path, diag) : -1;
    bool ok = diag->kind == DIAG_NONE &&
              (o->tracks == NULL || cli_tracks(&o->view, shared_profile_get(folded), o->tracks, diag)) &&
              convert(o, config, folded, again, &b, diag) && cli_write(o->out, buf_view(&b), diag);

    if (again >= 0)
        close(again);
    buf_free(&b);
    return ok;
}

static bool put_file(struct options *o, const char *key, const char *path, struct diag *diag)
{
    struct config config;

    cli_config(&config);
    struct shared_profile *folded = cli_fold_one(&config, key, path, o->member, diag);
    if (folded == NULL)
        return false;
    bool ok = put_table(o, &config, folded, path, diag);
    if (ok && !o->quiet)
        cli_warnings(NULL, shared_profile_get(folded));
    shared_profile_free(folded);
    return ok;
}

/* Two files are read again as one. */
static bool put_methods(struct options *o, struct diag *diag)
{
    const char *const inputs[] = {o->file, o->key};
    char path[32];

    if (!cli_spares(o->out, inputs, 2, diag))
        return false;
    if (o->key == NULL || !o->request.longest)
        return put_file(o, o->key, o->file, diag);
    int fd = cli_join(o->key, o->file, diag);
    if (fd < 0)
        return false;
    snprintf(path, sizeof(path), CLI_JOINED_FORMAT, fd);
    bool ok = put_file(o, NULL, path, diag);
    close(fd);
    return ok;
}

static int methods(int n_arguments, char *const *arguments)
{
    struct diag diag = {0};
    struct options o;
    bool ok = parse(&o, n_arguments, arguments, &diag) && put_methods(&o, &diag);

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
    {"-o", NULL, CLI_PATH, FIELD(out), "FILE", "where to write; default: -, which is standard output", NULL,
     NULL},
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
    {"--member", NULL, CLI_TEXT, FIELD(member), "NAME", "of several files in a zip archive, the one to read",
     NULL, NULL},
    {"--quiet", "-q", CLI_SWITCH, FIELD(quiet), NULL, "no warnings about the profile", NULL, NULL},
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
