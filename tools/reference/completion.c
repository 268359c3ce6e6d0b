/* Completion for bash: commands, their options, and the words that an option takes. Elsewhere names of files. */
#include "cli/command.h"
#include "render/view/key.h"
#include "tools/reference/reference.h"

static void put_name(void *context, const struct cli_entry *e)
{
    struct buf *b = context;

    buf_char(b, ' ');
    buf_str(b, e->name);
    if (e->short_name != NULL)
        buf_printf(b, " %s", e->short_name);
}

static void put_command(struct buf *b, const struct cli_command *c)
{
    buf_printf(b, "    %s) options='--help", c->name);
    bool ok = cli_each_entry(c, CLI_OWN, put_name, b) && cli_each_entry(c, CLI_VIEW, put_name, b) &&
              cli_each_entry(c, CLI_CONFIG, put_name, b);
    b->failed = b->failed || !ok;
    buf_z(b, "' ;;\n");
}

static void put_words(struct buf *b, const struct cli_option *o)
{
    if (o->word == NULL)
        return;
    buf_printf(b, "    %s) words='", o->name);
    for (size_t i = 0; o->word(i).word != NULL; i++)
        buf_printf(b, "%s%s", i == 0 ? "" : " ", o->word(i).word);
    buf_z(b, "' ;;\n");
}

static void put_key_words(struct buf *b, const struct key *r)
{
    unsigned taken = 0;

    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++)
        taken |= CLI_COMMANDS[i]->keys;
    if ((r->groups & taken) == 0 || r->n_words == 0)
        return;
    buf_printf(b, "    --%s) words='", r->name);
    for (unsigned i = 0; i < r->n_words; i++)
        buf_printf(b, "%s%s", i == 0 ? "" : " ", r->words[i].word);
    buf_z(b, "' ;;\n");
}

void reference_bash(struct buf *b)
{
    buf_z(b,
          "# Completion of aflamed for bash, made from the tables of the program.\n"
          "_aflamed() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options= words=\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ] && [[ $current != -* ]]; then\n"
          "        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++)
        buf_printf(b, "%s%s", i == 0 ? "" : " ", CLI_COMMANDS[i]->name);
    buf_z(b, "' -- \"$current\"))\n        return\n    fi\n    case $previous in\n");
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++)
        for (size_t k = 0; k < CLI_COMMANDS[i]->n_options; k++)
            put_words(b, &CLI_COMMANDS[i]->options[k]);
    for (size_t i = 0; i < KEYS_COUNT; i++)
        put_key_words(b, &KEYS[i]);
    buf_z(b, "    esac\n    if [ -n \"$words\" ]; then\n"
             "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n        return\n    fi\n"
             "    [[ $current == -* ]] || return\n    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < CLI_COMMANDS_COUNT; i++)
        put_command(b, CLI_COMMANDS[i]);
    buf_z(b, "    -*) options='--help --version' ;;\n    esac\n"
             "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
             "}\ncomplete -o default -F _aflamed aflamed\n");
}
