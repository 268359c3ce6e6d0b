/* aflamed demo: a trace to try things with. */
#include <unistd.h>

#include "cli/command.h"
#include "server/demo/demo.h"

static const char HINT[] = "aflamed demo --help lists the options.";

struct options {
    const char *out; /* NULL: not given */
};

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    *o = (struct options){0};
    while (cli_next(&all, &a)) {
        if (a.name.n == 0)
            return diag_set(diag, DIAG_USAGE, "no file is read", HINT,
                            "The name of the new file stands behind -o.");
        enum cli_taken taken = cli_take(&CLI_DEMO, o, NULL, &all, &a, diag);
        if (taken != CLI_TAKEN)
            return taken == CLI_NOT_OWN && cli_unknown(&CLI_DEMO, &a, diag);
    }
    if (o->out != NULL)
        return true;
    o->out = "-";
    return !isatty(STDOUT_FILENO) || diag_set(diag, DIAG_USAGE, "no place for the result", HINT,
                                              "A trace is not for a terminal: name a file by -o.");
}

static bool write_trace(const char *path, struct diag *diag)
{
    struct buf trace = {0};
    bool ok = demo_write(&trace) ? cli_write(path, buf_view(&trace), diag)
                                 : diag_no_memory(diag, "No memory is left to make the trace.");

    buf_free(&trace);
    return ok;
}

static int demo(int n_arguments, char *const *arguments)
{
    struct diag diag = {0};
    struct options o;
    bool ok = parse(&o, n_arguments, arguments, &diag) && write_trace(o.out, &diag);

    return ok ? CLI_OK : cli_error(NULL, &diag);
}

static const struct cli_option OPTIONS[] = {
    {"-o", NULL, CLI_PATH, offsetof(struct options, out), "FILE",
     "where to write; - is standard output, the default of pipes", NULL},
};

const struct cli_command CLI_DEMO = {
    .name = "demo",
    .synopsis = "[-o FILE]",
    .summary = "write a trace to try things with",
    .description =
        "Writes a method trace of a made-up app's start, to try things with; the same bytes each time.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .run = demo,
};
