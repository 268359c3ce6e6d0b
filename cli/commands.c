/* THE TABLE of commands, and what their rows do with arguments. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/clean.h"

const struct cli_command *const CLI_COMMANDS[] = {&CLI_SERVE,   &CLI_RENDER,  &CLI_INFO,
                                                  &CLI_METHODS, &CLI_VERDICT, &CLI_DEMO};
const size_t CLI_COMMANDS_COUNT = sizeof(CLI_COMMANDS) / sizeof(CLI_COMMANDS[0]);

const struct cli_command *cli_command_by_name(const char *name)
{
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++)
        if (strcmp(CLI_COMMANDS[i]->name, name) == 0)
            return CLI_COMMANDS[i];
    return NULL;
}

static const struct cli_option *find(const struct cli_command *c, struct str name)
{
    for (size_t i = 0; i < c->n_options; i++) {
        const struct cli_option *o = &c->options[i];
        if (str_eq(name, str_of(o->name)) || (o->short_name != NULL && str_eq(name, str_of(o->short_name))))
            return o;
    }
    return NULL;
}

static bool set(const struct cli_option *o, void *field, struct cli_arguments *all, struct cli_argument *a,
                struct diag *diag)
{
    if (o->kind == CLI_SWITCH) {
        *(bool *)field = true;
        return cli_no_value(a, diag);
    }
    if (!cli_value(all, a, diag))
        return false;
    *(const char **)field = a->value.p; /* the end of an argument: terminated */
    return o->kind != CLI_PATH || a->value.n > 0 ||
           diag_set(diag, DIAG_USAGE, "option without value", "Name a file or folder behind it.",
                    "%s needs a path.", o->name);
}

enum cli_taken cli_take(const struct cli_command *c, void *options, struct cli_arguments *all,
                        struct cli_argument *a, struct diag *diag)
{
    const struct cli_option *o = find(c, a->name);

    if (o == NULL)
        return CLI_NOT_OWN;
    return set(o, (char *)options + o->offset, all, a, diag) ? CLI_TAKEN : CLI_REFUSED;
}

bool cli_unknown(const struct cli_command *c, const struct cli_argument *a, struct diag *diag)
{
    char hint[80];

    snprintf(hint, sizeof(hint), "aflamed %s --help lists the options.", c->name);
    return diag_set(diag, DIAG_USAGE, "unknown option", hint, "There is no option %.*s.",
                    (int)clean_cut(a->name, 60).n, a->name.p);
}

bool cli_asks_help(int n_arguments, char *const *arguments)
{
    for (int i = 0; i < n_arguments && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0)
            return true;
    return false;
}
