/* aflamed calls: all calls one by one, to a file or to standard output. */
#include <unistd.h>

#include "cli/cli_calls.h"
#include "cli/cli_one.h"

struct options {
    struct cli_one one;
    const char *format; /* its name */
    struct view_options view;
};

static const char *format_word(size_t i)
{
    return i < CALL_FORMATS_COUNT ? CALL_FORMATS[i].text.name : NULL;
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    *o = (struct options){.one = {.out = "-", .member = "", .view = &o->view}, .format = format_word(0)};
    view_defaults(&o->view);
    o->view.tracks = TRACKS_ALL;
    return cli_one_parse(&CLI_CALLS, &o->one, o, n_arguments, arguments, NULL, diag);
}

/* ---- the calls ---- */

struct writing {
    struct cli_output *to;
    struct diag diag; /* why nothing more can be written */
};

static bool put(void *context, struct str bytes)
{
    struct writing *w = context;

    return cli_output_put(w->to, bytes, &w->diag);
}

bool cli_calls_write(const struct shared_profile *folded, const struct config *config,
                     const struct view_options *view, const struct call_format *format, int again,
                     struct cli_output *to, struct diag *diag)
{
    struct call_list *list = call_list_new(folded, config, view, format, diag);
    enum convert_step step = list != NULL ? CONVERT_MORE : CONVERT_FAILED;
    struct writing w = {.to = to};
    struct buf out = {.drain = put, .drain_context = &w};

    while (step == CONVERT_MORE) {
        step = call_list_step(list, again, NULL, &out, diag);
        if (step != CONVERT_FAILED && !put(&w, buf_view(&out)))
            step = CONVERT_FAILED;
        buf_clear(&out);
    }
    if (w.diag.kind != DIAG_NONE)
        *diag = w.diag;
    buf_free(&out);
    call_list_free(list);
    return step == CONVERT_FED;
}

static bool stream(void *options, const struct config *config, const struct shared_profile *folded,
                   const char *path, struct cli_output *to, struct diag *diag)
{
    const struct options *o = options;

    if (!call_list_possible(shared_profile_get(folded), diag))
        return false;
    int again = cli_open_again(path, diag);
    bool ok = again >= 0 && cli_calls_write(folded, config, &o->view, call_format_by_name(str_of(o->format)),
                                            again, to, diag);
    if (again >= 0)
        close(again);
    return ok;
}

static int calls(int n_arguments, char *const *arguments)
{
    struct diag diag = {0};
    struct options o;
    bool ok = parse(&o, n_arguments, arguments, &diag) &&
              cli_one_write(&o.one, &(struct cli_one_maker){.stream = stream, .options = &o}, &diag);

    return ok ? CLI_OK : cli_error(NULL, &diag);
}

/* ---- the row ---- */

static const char *format_meaning(size_t i)
{
    return CALL_FORMATS[i].text.help;
}

#define FIELD(member) offsetof(struct options, member)

static const struct cli_option OPTIONS[] = {
    {"--format", NULL, CLI_TEXT, FIELD(format), "NAME", "how it is written", format_word, format_meaning},
    CLI_ONE_OUT(struct options),
    CLI_ONE_TRACK(struct options),
    CLI_VIEW_ROW("--app", struct options),
    CLI_VIEW_ROW("--open", struct options),
    CLI_ONE_MEMBER(struct options),
    CLI_ONE_NAMES(struct options),
    CLI_ONE_QUIET(struct options),
};

const struct cli_command CLI_CALLS = {
    .name = "calls",
    .synopsis = "[OPTION...] FILE",
    .summary = "list all calls one by one, with their times",
    .description =
        "Prints a row for each call: thread, start, end, cpu, self, depth, class, method, signature. Times "
        "are "
        "whole microseconds since the trace's start, rounded down once in each cell. - is standard input, if "
        "it is a file.\n"
        "A row is written when its call has ended, so that any number of them needs little memory: a call "
        "comes behind "
        "what it called, threads take turns, and calls that are never left come last. `sort -n -k1,1 -k2,2` "
        "of the tsv "
        "brings them into the order of their threads and starts.\n"
        "--from and --to list the calls that were entered in that range, with their whole times. Under "
        "filters, calls whose "
        "frame is not shown are left out, their self counts for the call that has it in the filtered stacks, "
        "and depth "
        "counts the frames that are shown.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .takes_filters = true,
    .takes_range = true,
    .run = calls,
};
