/* aflamed demo: a trace to try things with. */
#include <unistd.h>

#include "cli/cli.h"
#include "core/clean.h"
#include "server/demo/demo.h"

static const char HINT[] = "aflamed demo --help lists the options.";

struct options {
    const char *out; /* NULL: not given */
    bool help;
};

static bool set_option(struct options *o, struct cli_arguments *all, struct cli_argument *a,
                       struct diag *diag)
{
    if (str_eq(a->name, STR("--help")) || str_eq(a->name, STR("-h"))) {
        o->help = true;
        return cli_no_value(a, diag);
    }
    if (a->name.n == 0)
        return diag_set(diag, DIAG_USAGE, "no file is read", HINT,
                        "The name of the new file stands behind -o.");
    if (!str_eq(a->name, STR("-o")))
        return diag_set(diag, DIAG_USAGE, "unknown option", HINT, "There is no option %.*s.",
                        (int)clean_cut(a->name, 60).n, a->name.p);
    if (!cli_value(all, a, diag))
        return false;
    o->out = a->value.p; /* the end of an argument: terminated */
    return a->value.n > 0 || diag_set(diag, DIAG_USAGE, "option without value", HINT, "-o needs a path.");
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    *o = (struct options){0};
    while (cli_next(&all, &a))
        if (!set_option(o, &all, &a, diag))
            return false;
    if (o->help || o->out != NULL)
        return true;
    o->out = "-";
    return !isatty(STDOUT_FILENO) || diag_set(diag, DIAG_USAGE, "no place for the result", HINT,
                                              "A trace is not for a terminal: name a file by -o.");
}

static bool write_trace(const char *path, struct diag *diag)
{
    struct buf trace = {0};
    bool ok = demo_write(&trace) ? cli_write(path, buf_view(&trace), diag)
                                 : diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                                            "No memory is left to make the trace.");

    buf_free(&trace);
    return ok;
}

int cli_demo(int n_arguments, char *const *arguments)
{
    static const char HELP[] =
        "usage: aflamed demo [-o FILE]\n\n"
        "Writes a method trace of a made-up app's start, to try things with; the same bytes each time.\n\n"
        "  -o FILE           where to write; - is standard output, the default of pipes\n";
    struct diag diag = {0};
    struct options o;
    bool ok = parse(&o, n_arguments, arguments, &diag) &&
              (o.help ? cli_write("-", STR(HELP), &diag) : write_trace(o.out, &diag));

    return ok ? CLI_OK : cli_error(NULL, &diag);
}
