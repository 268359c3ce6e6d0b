/* aflamed serve: from the configuration to the service. */
#include <unistd.h>

#include "cli/command.h"
#include "server/config/config_load.h"
#include "server/serve.h"

/* Whoever can reach the service can use it: reaching it from elsewhere must be somebody's decision. */
static bool check_exposure(const struct config *config, struct diag *diag)
{
    return config->open || config_listen_is_loopback(config) ||
           diag_set(diag, DIAG_USAGE, "not only for this machine",
                    "Listen on 127.0.0.1 behind a proxy that authenticates, or say --open.",
                    "%.200s can be reached from other machines, and there is no authentication.",
                    config->listen);
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
    return cli_write("-", STR("The configuration is usable.\n"), &diag) ? CLI_OK : cli_error(NULL, &diag);
}

/* For help only: config_load reads these flags together with the keys. */
static const struct cli_option OPTIONS[] = {
    {"--config", NULL, CLI_PATH, 0, "FILE", "the configuration file, JSON; AFLAMED_CONFIG names one as well",
     NULL},
    {"--print-config", NULL, CLI_SWITCH, 0, NULL, "print the configuration in effect, and end", NULL},
    {"--check-config", NULL, CLI_SWITCH, 0, NULL, "check the configuration, and end", NULL},
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
