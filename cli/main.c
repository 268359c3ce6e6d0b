/* The program: which subcommand, and the way from the configuration to the service. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/system/json_memory.h"
#include "server/serve.h"
#include "server/service.h"

static const char USAGE[] =
    "aflamed: flame graphs of Android method traces\n\n"
    "usage: aflamed [serve] [--KEY VALUE...] [--config FILE] [--print-config | --check-config]\n"
    "       aflamed render [OPTION...] FILE...      profiles to files; aflamed render --help\n"
    "       aflamed info [--json] FILE              what a profile holds\n"
    "       aflamed demo [-o FILE]                  a trace to try things with\n"
    "       aflamed --help | --version\n\n"
    "Exit status: 0, 1 if a file cannot be used or the service not start, 2 if the command line makes no "
    "sense.\n\n"
    "Keys of the service, also as AFLAMED_<KEY> in the environment and in the configuration file:\n\n";

static int print(const char *text)
{
    struct diag diag = {0};

    return cli_write("-", str_of(text), &diag) ? CLI_OK : cli_error(NULL, &diag);
}

static int help(void)
{
    struct diag diag = {0};
    int status = print(USAGE);

    if (status != CLI_OK || config_help(STDOUT_FILENO))
        return status;
    diag_set(&diag, DIAG_IO, "cannot write the help", "Check that there is room.",
             "No memory is left, or standard output takes no more.");
    return cli_error(NULL, &diag);
}

static int version(void)
{
    struct diag diag = {0};
    struct buf b = {0};

    buf_printf(&b, "aflamed %s\n", SERVICE_VERSION);
    buf_char(&b, '\0');
    bool ok = b.failed
                  ? diag_set(&diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left for the answer.")
                  : cli_write("-", str_of(b.p), &diag);
    buf_free(&b);
    return ok ? CLI_OK : cli_error(NULL, &diag);
}

/* Whoever can reach the service can use it: reaching it from elsewhere must be somebody's decision. */
static bool check_exposure(const struct config *config, struct diag *diag)
{
    return config->open || config_listen_is_loopback(config) ||
           diag_set(diag, DIAG_USAGE, "not only for this machine",
                    "Listen on 127.0.0.1 behind a proxy that authenticates, or say --open.",
                    "%.200s can be reached from other machines, and there is no authentication.",
                    config->listen);
}

static int serve(int n_arguments, char *const *arguments)
{
    enum config_action action;
    struct config config;
    struct diag diag = {0};

    if (!config_load(&config, n_arguments, arguments, environ, &action, &diag))
        return cli_error(NULL, &diag);
    if (action == CONFIG_PRINT) {
        if (!config_print(&config, STDOUT_FILENO))
            diag_set(&diag, DIAG_IO, "cannot write the configuration", "Check that there is room.",
                     "No memory is left, or standard output takes no more.");
        return diag.kind == DIAG_NONE ? CLI_OK : cli_error(NULL, &diag);
    }
    if (!check_exposure(&config, &diag))
        return cli_error(NULL, &diag);
    return action == CONFIG_CHECK ? print("The configuration is usable.\n") : serve_run(&config);
}

/* Else the next file that is opened would take the place of a stream that is closed, and messages would go
 * into it. What is written to the stand-in fails. */
static bool fill_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int no_streams(void)
{
    struct diag diag = {0};

    diag_set(&diag, DIAG_IO, "cannot start", "Look at the limit of open files (ulimit -n).",
             "/dev/null cannot be opened: %m.");
    return cli_error(NULL, &diag);
}

static bool asks(int argc, char *const *argv, const char *option)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return true;
    return false;
}

static int run(int argc, char *const *argv)
{
    const char *command = argc > 1 ? argv[1] : "serve";
    struct diag diag = {0};

    if (strcmp(command, "render") == 0)
        return cli_render(argc - 2, argv + 2);
    if (strcmp(command, "info") == 0)
        return cli_info(argc - 2, argv + 2);
    if (strcmp(command, "demo") == 0)
        return cli_demo(argc - 2, argv + 2);
    if (asks(argc, argv, "--help") || asks(argc, argv, "-h") || strcmp(command, "help") == 0)
        return help();
    if (asks(argc, argv, "--version"))
        return version();
    if (argc > 1 && strcmp(command, "serve") == 0)
        return serve(argc - 2, argv + 2);
    if (argc == 1 || command[0] == '-')
        return serve(argc - 1, argv + 1);
    diag_set(&diag, DIAG_USAGE, "unknown command", "aflamed --help lists what there is.",
             "There is no command '%.60s'; to draw a file, write: aflamed render FILE.", command);
    return cli_error(NULL, &diag);
}

int main(int argc, char **argv)
{
    /* A reader that went away and a file that may not grow are errors to report, not an end without a word.
     */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    json_memory_watch();
    return fill_standard_streams() ? run(argc > 0 ? argc : 1, argv) : no_streams();
}
