/* The program: which command. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/system/json_memory.h"
#include "server/service.h"
#include "server/symbols/symbol_search.h"

/* Writes the text, which it frees, to standard output. */
static int print(struct buf *text)
{
    struct diag diag = {0};
    bool ok = text->failed ? diag_no_memory(&diag, "No memory is left for the answer.")
                           : cli_write("-", buf_view(text), &diag);

    buf_free(text);
    return ok ? CLI_OK : cli_error(NULL, &diag);
}

static int help(const struct cli_command *command)
{
    struct buf b = {0};

    if (command != NULL)
        cli_help_command(&b, command);
    else
        cli_help_all(&b);
    return print(&b);
}

static int version(void)
{
    struct buf b = {0};

    buf_printf(&b, "aflamed %s\n", SERVICE_VERSION);
    return print(&b);
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

static int run_command(const struct cli_command *command, int n_arguments, char *const *arguments)
{
    return cli_asks_help(n_arguments, arguments) ? help(command) : command->run(n_arguments, arguments);
}

static int run(int argc, char *const *argv)
{
    const char *first = argc > 1 ? argv[1] : "";
    const struct cli_command *command = cli_command_by_name(first);
    struct diag diag = {0};

    if (command != NULL)
        return run_command(command, argc - 2, argv + 2);
    if (strcmp(first, "help") == 0 && argc == 3 && cli_command_by_name(argv[2]) != NULL)
        return help(cli_command_by_name(argv[2]));
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return help(NULL);
    if (strcmp(first, "--version") == 0)
        return version();
    if (argc == 1 || first[0] == '-')
        return run_command(&CLI_SERVE, argc - 1, argv + 1);
    diag_set(&diag, DIAG_USAGE, "unknown command", "aflamed --help lists what there is.",
             "There is no command '%.60s'; to draw a file, write: aflamed render FILE.", first);
    return cli_error(NULL, &diag);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], SYMBOL_CHILD_ARGUMENT) == 0)
        _exit(
            symbol_child()); /* with nothing left to open, what runs at the end of a program has nothing to do */
    /* A reader that went away and a file that may not grow are errors to report, not an end without a word.
     */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    json_memory_watch();
    return fill_standard_streams() ? run(argc > 0 ? argc : 1, argv) : no_streams();
}
