/* aflamed methods: the profile table, to a file or to standard output. */
#include <string.h>

#include "cli/cli_one.h"
#include "server/convert/methods.h"

static const char HINT[] = "aflamed methods --help lists the options.";

struct options {
    struct cli_one one;   /* its format is NULL where none was given */
    const char *method;   /* NULL: not given */
    const char *of_table; /* an option that was given and says what of the table is shown; or NULL */
    struct table_request request;
};

/* ---- options ---- */

/* Of one method there is a text for people, and one for programs. */
static bool check_method(const struct cli_one *one, struct diag *diag)
{
    const struct options *o = (const struct options *)one;

    if (o->method == NULL)
        return true;
    if (o->method[0] == '\0')
        return diag_set(diag, DIAG_USAGE, "option not understood", HINT,
                        "--method needs the name of a method.");
    if (o->of_table != NULL)
        return diag_set(
            diag, DIAG_USAGE, "option not understood", HINT,
            "--%s is about the table of methods: it cannot be used with --method, which shows one.",
            o->of_table);
    return one->format == NULL || strcmp(one->format, METHOD_TXT.text.name) == 0 ||
           strcmp(one->format, METHOD_JSON.text.name) == 0 ||
           diag_set(diag, DIAG_USAGE, "option not understood", HINT,
                    "--format: one method is written as txt or json.");
}

/* What is no option of this command is a key of the table, or nobody's. */
static bool set_key(struct cli_one *one, struct cli_arguments *all, struct cli_argument *a, struct diag *diag)
{
    struct options *o = (struct options *)one;
    struct str key = cli_key(a);
    const struct table_option *option = table_option_by_key(key);

    if (option == NULL)
        return cli_unknown(&CLI_METHODS, a, diag);
    if (!option->of_method)
        o->of_table = option->key;
    if (option->metavar == NULL)
        return table_set(&o->request, option, STR("1"), diag);
    return cli_value(all, a, diag) && table_set(&o->request, option, a->value, diag);
}

/* ---- the table ---- */

static bool convert(const struct options *o, const struct convert_source *source, struct buf *b,
                    struct diag *diag)
{
    struct str format = str_of(o->one.format != NULL ? o->one.format : "");

    if (o->method != NULL)
        return convert_method(source, &o->one.view, str_of(o->method), &o->request,
                              str_eq(format, str_of(METHOD_JSON.text.name)) ? &METHOD_JSON : &METHOD_TXT, b,
                              diag);
    return convert_methods(source, &o->one.view, &o->request,
                           o->one.format != NULL ? table_format_by_name(format) : TABLE_FORMATS[0], b, diag);
}

/* The file is read again where longest calls are asked for. */
static bool make(const struct cli_one *one, struct convert_source *source, const char *path, struct buf *b,
                 struct diag *diag)
{
    const struct options *o = (const struct options *)one;

    if (o->request.longest)
        source->fd = cli_open_again(path, diag);
    return diag->kind == DIAG_NONE && convert(o, source, b, diag);
}

static int methods(int n_arguments, char *const *arguments)
{
    const struct cli_one_maker maker = {
        .command = &CLI_METHODS, .other = set_key, .check = check_method, .make = make};
    struct options o = {.of_table = NULL};

    table_defaults(&o.request);
    return cli_one_run(&maker, &o.one, n_arguments, arguments);
}

/* ---- the row ---- */

static struct cli_word format_word(size_t i)
{
    return i < TABLE_FORMATS_COUNT
               ? (struct cli_word){TABLE_FORMATS[i]->text.name, TABLE_FORMATS[i]->text.help}
               : (struct cli_word){NULL, NULL};
}

static const struct cli_option OPTIONS[] = {
    CLI_ONE_FORMAT(format_word),
    CLI_ONE_OUT,
    CLI_ONE_TRACK,
    {"--value", NULL, CLI_VIEW_KEY, offsetof(struct cli_one, view), "NAME",
     "what is sorted by, and the one value that txt shows: wall, cpu, waiting, ...; default: the profile's "
     "first",
     NULL},
    {"--method", NULL, CLI_TEXT, offsetof(struct options, method), "NAME",
     "only this method, by its name or its id, with its callers and callees, as txt or json", NULL},
    CLI_VIEW_ROW("--app", struct cli_one),
    CLI_VIEW_ROW("--open", struct cli_one),
    CLI_ONE_MEMBER,
    CLI_ONE_NAMES,
    CLI_ONE_QUIET,
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
    .takes_range = true,
    .takes_moment = true,
    .takes_split = true,
    .run = methods,
};
