/* aflamed verdict: in words where the time went. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli_one.h"
#include "server/convert/verdict.h"

struct options {
    struct cli_one one;
    const char *format; /* its name */
    struct view_options view;
};

static const char *format_word(size_t i)
{
    return i < VERDICT_FORMATS_COUNT ? VERDICT_FORMATS[i]->text.name : NULL;
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    *o = (struct options){.one = {.out = "-", .member = "", .view = &o->view}, .format = format_word(0)};
    view_defaults(&o->view);
    o->view.tracks = TRACKS_ALL;
    return cli_one_parse(&CLI_VERDICT, &o->one, o, n_arguments, arguments, NULL, diag);
}

/* A file that can be read only once, or comes in two halves, has a verdict too: without the long calls. */
static bool make(void *options, const struct config *config, const struct shared_profile *folded,
                 const char *path, struct buf *b, struct diag *diag)
{
    const struct options *o = options;
    struct diag ignored = {0};
    int again = o->one.key == NULL ? cli_open_again(path, &ignored) : -1;
    bool ok = convert_verdict(folded, config, again, NULL, &o->view,
                              verdict_format_by_name(str_of(o->format)), b, diag);

    if (again >= 0)
        close(again);
    return ok;
}

static int verdict(int n_arguments, char *const *arguments)
{
    struct diag diag = {0};
    struct options o;
    bool ok = parse(&o, n_arguments, arguments, &diag) &&
              cli_one_write(&o.one, &(struct cli_one_maker){.make = make, .options = &o}, &diag);

    return ok ? CLI_OK : cli_error(NULL, &diag);
}

/* ---- the row ---- */

static const char *format_meaning(size_t i)
{
    return VERDICT_FORMATS[i]->text.help;
}

#define FIELD(member) offsetof(struct options, member)

static const struct cli_option OPTIONS[] = {
    {"--format", NULL, CLI_TEXT, FIELD(format), "NAME", "how it is written", format_word, format_meaning},
    CLI_ONE_OUT(struct options),
    CLI_VIEW_ROW("--app", struct options),
    CLI_ONE_MEMBER(struct options),
    CLI_ONE_NAMES(struct options),
    CLI_ONE_QUIET(struct options),
};

const struct cli_command CLI_VERDICT = {
    .name = "verdict",
    .synopsis = "[OPTION...] FILE",
    .summary = "say in words where the time went",
    .description =
        "Prints at most seven sentences, the most important first: how busy the main thread was, how its "
        "work "
        "parts into own code, third parties and the platform, which methods and packages took most, what was "
        "waited for, which messages took long. - is standard input.\n"
        "All threads count, the main thread first. The json has how each sentence was found.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .takes_range = true,
    .takes_moment = true,
    .takes_split = true,
    .run = verdict,
};
