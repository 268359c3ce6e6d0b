/* aflamed render, as aflamed export uses it. */
#ifndef CLI_CLI_RENDER_H
#define CLI_CLI_RENDER_H

#include "cli/command.h"

/* The options of render; those of export begin behind the first one, --output. */
enum { CLI_RENDER_OPTIONS_COUNT = 7 };
extern const struct cli_option CLI_RENDER_OPTIONS[CLI_RENDER_OPTIONS_COUNT];

/* Of CLI_EXPORT, the first operand is the output's name. Returns the exit status. */
int cli_render_run(const struct cli_command *command, int n_arguments, char *const *arguments);

#endif
