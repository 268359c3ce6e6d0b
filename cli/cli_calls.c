/* aflamed calls: all calls one by one, to a file or to standard output. */
#include "cli/cli_calls.h"
#include "cli/cli_one.h"

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

bool cli_calls_write(const struct convert_source *source, const struct view_options *view,
                     const struct call_format *format, struct cli_output *to, struct diag *diag)
{
    struct call_list *list = call_list_new(source, view, format, diag);
    enum convert_step step = list != NULL ? CONVERT_MORE : CONVERT_FAILED;
    struct writing w = {.to = to};
    struct buf out = {.drain = put, .drain_context = &w};

    while (step == CONVERT_MORE) {
        step = call_list_step(list, &out, diag);
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

static bool stream(const struct cli_one *o, struct convert_source *source, const char *path,
                   struct cli_output *to, struct diag *diag)
{
    if (!call_list_possible(shared_profile_get(source->profile), diag))
        return false;
    source->fd = cli_open_again(path, diag);
    return source->fd >= 0 &&
           cli_calls_write(source, &o->asked.view, call_format_by_name(str_of(o->format)), to, diag);
}

/* ---- the row ---- */

static struct cli_word format_word(size_t i)
{
    return i < CALL_FORMATS_COUNT ? (struct cli_word){CALL_FORMATS[i].text.name, CALL_FORMATS[i].text.help}
                                  : (struct cli_word){NULL, NULL};
}

static int calls(int n_arguments, char *const *arguments)
{
    const struct cli_one_maker maker = {.command = &CLI_CALLS, .stream = stream};
    struct cli_one options = {.format = CALL_FORMATS[0].text.name};

    return cli_one_run(&maker, &options, n_arguments, arguments);
}

static const struct cli_option OPTIONS[] = {
    CLI_ONE_FORMAT(format_word), CLI_ONE_OUT,    CLI_ONE_TRACK, CLI_KEY_ROW("--app"),
    CLI_KEY_ROW("--open"),       CLI_ONE_MEMBER, CLI_ONE_NAMES, CLI_ONE_QUIET,
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
    .keys = KEYS_CALLS,
    .run = calls,
};
