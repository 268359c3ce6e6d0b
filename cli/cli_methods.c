/* aflamed methods: the profile table, to a file or to standard output. */
#include <string.h>

#include "cli/cli_one.h"
#include "server/convert/report.h"

static const char HINT[] = "aflamed methods --help lists the options.";

struct options {
    struct cli_one one; /* its format is NULL where none was given */
    const char *method; /* NULL: not given */
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
    if (one->of_table != NULL)
        return diag_set(
            diag, DIAG_USAGE, "option not understood", HINT,
            "--%s is about the table of methods: it cannot be used with --method, which shows one.",
            one->of_table);
    return one->format == NULL || strcmp(one->format, METHOD_TXT.text.name) == 0 ||
           strcmp(one->format, METHOD_JSON.text.name) == 0 ||
           diag_set(diag, DIAG_USAGE, "option not understood", HINT,
                    "--format: one method is written as txt or json.");
}

/* ---- the table ---- */

static bool convert(const struct options *o, const struct convert_source *source, struct buf *b,
                    struct diag *diag)
{
    struct str format = str_of(o->one.format != NULL ? o->one.format : "");
    struct report_input in = {.source = *source, .view = &o->one.asked.view, .request = &o->one.asked};

    if (o->method != NULL) {
        in.method = str_of(o->method);
        in.format = str_eq(format, str_of(METHOD_JSON.text.name)) ? &METHOD_JSON.text : &METHOD_TXT.text;
        return convert_method(&in, b, diag);
    }
    in.format = o->one.format != NULL ? &table_format_by_name(format)->text : &TABLE_FORMATS[0]->text;
    return convert_methods(&in, b, diag);
}

static bool make(const struct cli_one *one, struct convert_source *source, const char *path, struct buf *b,
                 struct diag *diag)
{
    (void)path;
    return convert((const struct options *)one, source, b, diag);
}

static int methods(int n_arguments, char *const *arguments)
{
    const struct cli_one_maker maker = {.command = &CLI_METHODS, .check = check_method, .make = make};
    struct options o = {.method = NULL};

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
    {"--value", NULL, CLI_KEY, 0, "NAME",
     "what is sorted by, and the one value that txt shows: wall, cpu, waiting, ...; default: the profile's first",
     NULL},
    {"--method", NULL, CLI_TEXT, offsetof(struct options, method), "NAME",
     "only this method, by its name or its id, with its callers and callees, as txt or json", NULL},
    CLI_KEY_ROW("--app"),
    CLI_KEY_ROW("--open"),
    CLI_ONE_MEMBER,
    CLI_ONE_NAMES,
    CLI_ONE_QUIET,
};

const struct cli_command CLI_METHODS = {
    .name = "methods",
    .synopsis = "[OPTION...] FILE",
    .summary = "list methods with what each cost by itself and with what it called",
    .description =
        "Prints the profile table: for each method its calls, how many of them are recursive, and each value of the "
        "profile inclusive (with all that it called, recursion counted once) and exclusive (its own). - is standard "
        "input.\n"
        "Of a trace in two files, name both: x.key x.data, or x.trace x.trace.sec. A packed file (gzip, zstd, zip) is "
        "unpacked.\n"
        "Times are whole microseconds, rounded down once in each cell. In csv, names that a spreadsheet would take "
        "for a formula (they begin with = + - or @) have an apostrophe in front; tsv has them as they are.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .keys = KEYS_TABLE | KEYS_LONGEST | KEYS_FILTERS | KEYS_PROFILE | KEYS_MOMENT,
    .run = methods,
};
