/* aflamed export: render, for outputs that other tools read, and calls, for formats of these. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli_render.h"
#include "render/output.h"
#include "server/convert/call_list.h"

/* Formats of calls one by one are those of `aflamed calls`, and take its options. */
static int export_calls(int n_arguments, char *const *arguments)
{
    char **all = calloc((size_t)n_arguments + 2, sizeof(*all));
    static char FORMAT[] = "--format";
    struct diag diag = {0};

    if (all == NULL) {
        diag_no_memory(&diag, "No memory is left for the arguments.");
        return cli_error(NULL, &diag);
    }
    all[0] = FORMAT;
    memcpy(&all[1], arguments, (size_t)n_arguments * sizeof(*all));
    int status = CLI_CALLS.run(n_arguments + 1, all);
    free(all);
    return status;
}

static int export(int n_arguments, char *const *arguments)
{
    const struct call_format *calls = n_arguments > 0 ? call_format_by_name(str_of(arguments[0])) : NULL;

    /* An output that has the same in the order of time chooses by the profile. */
    return calls != NULL && calls->exported && output_by_name(str_of(arguments[0])) == NULL
               ? export_calls(n_arguments, arguments)
               : cli_render_run(&CLI_EXPORT, n_arguments, arguments);
}

const struct cli_command CLI_EXPORT = {
    .name = "export",
    .synopsis = "FORMAT [OPTION...] FILE...",
    .summary = "write profiles in the formats of other tools",
    .description =
        "The same as render, for outputs that other tools read. FORMAT is one of these: speedscope "
        "(www.speedscope.app), perfetto (ui.perfetto.dev), pprof (profile.proto, packed), firefox "
        "(profiler.firefox.com, packed), chrome (trace events, for chrome://tracing), folded (flamegraph.pl, "
        "inferno), json (the "
        "tree, for scripts).\n"
        "All tracks are written unless --track chooses some; of several files, or with --out-dir, each track "
        "has a file.\n"
        "perfetto and chrome have each call by itself, with its times: they are `aflamed calls --format "
        "perfetto` and `--format chrome`, and take the options of that command. speedscope has each call as "
        "well where the file "
        "has times, if --value is one of them and the threads are not merged. The others have the stacks of "
        "the flame graph: "
        "calls with equal stacks are one, and stand where the tree has them, not where they were in time.\n",
    .options = CLI_RENDER_OPTIONS + 1,
    .n_options = CLI_RENDER_OPTIONS_COUNT - 1,
    .keys = KEYS_TRACK | KEYS_VIEW | KEYS_BUDGET,
    .run = export,
};
