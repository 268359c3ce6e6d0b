/* aflamed verdict: in words where the time went. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/clean.h"
#include "render/view/view_option.h"
#include "server/convert/verdict.h"

static const char HINT[] = "aflamed verdict --help lists the options.";

struct options {
    const char *file;
    const char *key; /* beside it, of a trace in two files; else NULL */
    const char *out, *member;
    const char *format_name, *app; /* NULL: not given */
    bool quiet;
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
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    *o = (struct options){.out = "-", .member = ""};
    view_defaults(&o->view);
    o->view.tracks = TRACKS_ALL;
    while (cli_next(&all, &a)) {
        if (a.name.n == 0) {
            if (!cli_add_file(&o->file, &o->key, a.value.p, diag))
                return false;
            continue;
        }
        enum cli_taken taken = cli_take(&CLI_VERDICT, o, &all, &a, diag);
        if (taken != CLI_TAKEN)
            return taken == CLI_NOT_OWN && cli_unknown(&CLI_VERDICT, &a, diag);
    }
    if (o->file == NULL)
        return diag_set(diag, DIAG_USAGE, "no file", HINT, "Name a file to read, or - for standard input.");
    return choose_format(o, diag) &&
           (o->app == NULL || view_set(&o->view, CLI_VIEW_SCOPES, STR("app"), str_of(o->app), diag));
}

/* A file that can be read only once, or comes in two halves, has a verdict too: without the long calls. */
static int open_again(const struct options *o)
{
    struct diag ignored = {0};

    return o->key == NULL ? cli_open_again(o->file, &ignored) : -1;
}

static bool put_verdict(const struct options *o, struct diag *diag)
{
    const char *const inputs[] = {o->file, o->key};
    struct config config;
    struct buf b = {0};

    if (!cli_spares(o->out, inputs, 2, diag))
        return false;
    cli_config(&config);
    struct shared_profile *folded = cli_fold_one(&config, o->key, o->file, o->member, diag);
    if (folded == NULL)
        return false;
    int again = open_again(o);
    bool ok = convert_verdict(folded, &config, again, NULL, &o->view, o->format, &b, diag) &&
              cli_write(o->out, buf_view(&b), diag);
    if (ok && !o->quiet)
        cli_warnings(NULL, shared_profile_get(folded));
    if (again >= 0)
        close(again);
    shared_profile_free(folded);
    buf_free(&b);
    return ok;
}

static int verdict(int n_arguments, char *const *arguments)
{
    struct diag diag = {0};
    struct options o;
    bool ok = parse(&o, n_arguments, arguments, &diag) && put_verdict(&o, &diag);

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
    {"-o", NULL, CLI_PATH, FIELD(out), "FILE", "where to write; default: -, which is standard output", NULL,
     NULL},
    {"--app", NULL, CLI_TEXT, FIELD(app), "PACKAGES",
     "which packages are the app's own code: com.foo,com.bar; default: a guess from what Android calls", NULL,
     NULL},
    {"--member", NULL, CLI_TEXT, FIELD(member), "NAME", "of several files in a zip archive, the one to read",
     NULL, NULL},
    {"--quiet", "-q", CLI_SWITCH, FIELD(quiet), NULL, "no warnings about the profile", NULL, NULL},
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
