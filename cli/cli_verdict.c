/* aflamed verdict: in words where the time went. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli_one.h"
#include "core/clean.h"
#include "render/view/view_option.h"
#include "server/convert/verdict.h"

static const char HINT[] = "aflamed verdict --help lists the options.";

struct options {
    struct cli_one one;
    const char *format_name, *app; /* NULL: not given */
    const struct verdict_format *format;
    struct view_options view;
};

static bool choose_format(struct options *o, struct diag *diag)
{
    struct str name = str_of(o->format_name != NULL ? o->format_name : VERDICT_FORMATS[0]->text.name);

    o->format = verdict_format_by_name(name);
    return o->format != NULL ||
           diag_set(diag, DIAG_USAGE, "option not understood", HINT, "--format %.*s: there are %s and %s.",
                    (int)clean_cut(name, 60).n, name.p, VERDICT_FORMATS[0]->text.name,
                    VERDICT_FORMATS[1]->text.name);
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    *o = (struct options){.one = {.out = "-", .member = ""}};
    view_defaults(&o->view);
    o->view.tracks = TRACKS_ALL;
    return cli_one_parse(&CLI_VERDICT, &o->one, o, n_arguments, arguments, NULL, diag) &&
           choose_format(o, diag) &&
           (o->app == NULL || view_set(&o->view, CLI_VIEW_SCOPES, STR("app"), str_of(o->app), diag));
}

/* A file that can be read only once, or comes in two halves, has a verdict too: without the long calls. */
static bool make(void *options, const struct config *config, const struct shared_profile *folded,
                 const char *path, struct buf *b, struct diag *diag)
{
    const struct options *o = options;
    struct diag ignored = {0};
    int again = o->one.key == NULL ? cli_open_again(path, &ignored) : -1;
    bool ok = convert_verdict(folded, config, again, NULL, &o->view, o->format, b, diag);

    if (again >= 0)
        close(again);
    return ok;
}

static int verdict(int n_arguments, char *const *arguments)
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
    return i < VERDICT_FORMATS_COUNT ? VERDICT_FORMATS[i]->text.name : NULL;
}

static const char *format_meaning(size_t i)
{
    return VERDICT_FORMATS[i]->text.help;
}

#define FIELD(member) offsetof(struct options, member)

static const struct cli_option OPTIONS[] = {
    {"--format", NULL, CLI_TEXT, FIELD(format_name), "NAME", "how it is written", format_word,
     format_meaning},
    CLI_ONE_OUT(struct options),
    {"--app", NULL, CLI_TEXT, FIELD(app), "PACKAGES",
     "which packages are the app's own code: com.foo,com.bar; default: a guess from what Android calls", NULL,
     NULL},
    CLI_ONE_MEMBER(struct options),
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
    .run = verdict,
};
