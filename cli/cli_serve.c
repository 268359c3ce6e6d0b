/* aflamed serve and demo: the service, with the configuration or with a profile of its own. */
#include <unistd.h>

#include "cli/command.h"
#include "server/config/config_load.h"
#include "server/demo/demo.h"
#include "server/doors/doors.h"
#include "server/serve.h"

/* aflamed serve: from the configuration to the service. */

/* Whoever can reach the service can use it: reaching it from elsewhere must be somebody's decision. */
static bool check_exposure(const struct config *config, struct diag *diag)
{
    return config->open || doors_wanted(config) || config_listen_is_loopback(config) ||
           diag_set(
               diag, DIAG_USAGE, "not only for this machine",
               "Give it tokens (--tokens-file), listen on 127.0.0.1 behind a proxy that authenticates, or say --open.",
               "%.200s can be reached from other machines, and there is no authentication.", config->listen);
}

static int print_config(const struct config *config)
{
    struct diag diag = {0};

    if (config_print(config, STDOUT_FILENO))
        return CLI_OK;
    diag_set(&diag, DIAG_IO, "cannot write the configuration", "Check that there is room.",
             "No memory is left, or standard output takes no more.");
    return cli_error(NULL, &diag);
}

static int serve(int n_arguments, char *const *arguments)
{
    enum config_action action;
    struct config config;
    struct diag diag = {0};

    if (!config_load(&config, n_arguments, arguments, environ, &action, &diag))
        return cli_error(NULL, &diag);
    if (action == CONFIG_PRINT)
        return print_config(&config);
    if (!check_exposure(&config, &diag))
        return cli_error(NULL, &diag);
    if (action == CONFIG_RUN)
        return serve_run(&config);
    bool ok = serve_check(&config, &diag) && cli_write("-", STR("The configuration is usable.\n"), &diag);
    return ok ? CLI_OK : cli_error(NULL, &diag);
}

/* For help only: config_load reads these flags together with the keys. */
static const struct cli_option OPTIONS[] = {
    {"--config", NULL, CLI_PATH, 0, "FILE", "the configuration file, JSON; AFLAMED_CONFIG names one as well",
     NULL},
    {"--print-config", NULL, CLI_SWITCH, 0, NULL, "print the configuration in effect, and end", NULL},
    {"--check-config", NULL, CLI_SWITCH, 0, NULL,
     "check the configuration, with the files of tokens and of TLS that it names, and end", NULL},
};

const struct cli_command CLI_SERVE = {
    .name = "serve",
    .synopsis = "[--config FILE] [--KEY VALUE...] [--print-config | --check-config]",
    .summary = "take uploads over HTTP, and show them as pages and pictures",
    .description =
        "Starts the service, which runs until SIGTERM or SIGINT.\n"
        "A value is taken from its flag; without one from the environment, then from the configuration "
        "file, then the default holds.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .is_service = true,
    .run = serve,
};

/* ---- demo ---- */

/* aflamed demo: a trace to try things with. */

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
        if (!cli_take(&CLI_DEMO, o, NULL, &all, &a, diag))
            return false;
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

static const struct cli_option DEMO_OPTIONS[] = {
    {"-o", NULL, CLI_PATH, offsetof(struct options, out), "FILE",
     "where to write; - is standard output, the default of pipes", NULL},
};

const struct cli_command CLI_DEMO = {
    .name = "demo",
    .synopsis = "[-o FILE]",
    .summary = "write a trace to try things with",
    .description =
        "Writes a method trace of a made-up app's start, to try things with; the same bytes each time.\n",
    .options = DEMO_OPTIONS,
    .n_options = sizeof(DEMO_OPTIONS) / sizeof(DEMO_OPTIONS[0]),
    .run = demo,
};
