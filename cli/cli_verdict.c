/* aflamed verdict: in words where the time went. */
#include "cli/cli_one.h"
#include "server/convert/report.h"

static bool wants_calls(const struct cli_one *o)
{
    (void)o;
    return true;
}

/* A file that can be read only once, or comes in two halves, has a verdict too: without the long calls. */
static bool make(const struct cli_one *o, struct convert_source *source, const char *path, struct buf *b,
                 struct diag *diag)
{
    struct diag ignored = {0};

    source->fd = o->key == NULL ? cli_open_again(path, &ignored) : -1;
    const struct report_input in = {.source = *source,
                                    .view = &o->asked.view,
                                    .request = &o->asked,
                                    .format = &verdict_format_by_name(str_of(o->format))->text};
    return convert_verdict(&in, b, diag);
}

/* ---- the row ---- */

static struct cli_word format_word(size_t i)
{
    return i < VERDICT_FORMATS_COUNT
               ? (struct cli_word){VERDICT_FORMATS[i]->text.name, VERDICT_FORMATS[i]->text.help}
               : (struct cli_word){NULL, NULL};
}

static int verdict(int n_arguments, char *const *arguments)
{
    const struct cli_one_maker maker = {.command = &CLI_VERDICT, .wants_calls = wants_calls, .make = make};
    struct cli_one options = {.format = VERDICT_FORMATS[0]->text.name};

    return cli_one_run(&maker, &options, n_arguments, arguments);
}

static const struct cli_option OPTIONS[] = {
    CLI_ONE_FORMAT(format_word),
    CLI_ONE_OUT,
    CLI_KEY_ROW("--app"),
    CLI_ONE_MEMBER,
    CLI_ONE_NAMES,
    CLI_ONE_QUIET,
};

const struct cli_command CLI_VERDICT = {
    .name = "verdict",
    .synopsis = "[OPTION...] FILE",
    .summary = "say in words where the time went",
    .description =
        "Prints a headline and at most seven sentences, the most important first: what took the time, how busy the main "
        "thread was, how its work parts into your code, libraries and Android, which methods and packages took most, what "
        "was waited for, which messages took long. - is standard input.\n"
        "All threads count, the main thread first. The json has how each sentence was found.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .keys = KEYS_PROFILE | KEYS_MOMENT,
    .run = verdict,
};
