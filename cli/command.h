/* The commands of the command line and their options, as rows of tables. Reading arguments, `--help`, the manual page,
 * the completion of shells and the tables of docs/command-line.md are made from these rows.
 *
 * A new command is a file with its row, and a line in cli/commands.c. A new option is a row in its command's table and
 * a field in the struct that the row's offset points into. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/cli.h"
#include "render/view/view.h"

/* Which options of a view the command line takes. */
enum { CLI_VIEW_SCOPES = SCOPE_VIEW | SCOPE_PLACE | SCOPE_BUDGET };

enum cli_option_kind {
    CLI_SWITCH, /* bool: set to true */
    CLI_TEXT,   /* const char *: the value, terminated */
    CLI_PATH    /* the same, and not empty */
};

struct cli_option {
    const char *name;       /* "--quiet", "-o" */
    const char *short_name; /* "-q"; NULL: none */
    enum cli_option_kind kind;
    size_t offset;                    /* of its field in the struct of the command's options */
    const char *metavar;              /* for its value in help: "FILE"; NULL for a switch */
    const char *help;                 /* without capital and full stop */
    const char *(*word)(size_t i);    /* the words that it takes, NULL behind the last; NULL: any text */
    const char *(*meaning)(size_t i); /* of each word */
};

struct cli_command {
    const char *name;        /* "render" */
    const char *synopsis;    /* what stands behind the name: "[OPTION...] FILE..." */
    const char *summary;     /* one line in the list of commands */
    const char *description; /* paragraphs, each ended by a newline; none has line breaks of its own */
    const struct cli_option *options;
    size_t n_options;
    bool takes_view; /* the options of a view, too: render/view/view_option.h */
    bool
        takes_table; /* the keys of the profile table, too, as options of its own: render/table/table_request.h */
    bool takes_filters; /* of a view's options, the steps of filters, as options of its own */
    bool takes_keys;    /* the keys of the configuration, too: server/config/config_keys.h */
    int (*run)(int n_arguments, char *const *arguments);
};

extern const struct cli_command CLI_SERVE, CLI_RENDER, CLI_INFO, CLI_METHODS, CLI_VERDICT, CLI_DEMO;

/* THE TABLE. */
extern const struct cli_command *const CLI_COMMANDS[];
extern const size_t CLI_COMMANDS_COUNT;

/* NULL if there is none. */
const struct cli_command *cli_command_by_name(const char *name);

/* ---- arguments ---- */

enum cli_taken {
    CLI_TAKEN,
    CLI_REFUSED, /* diag */
    CLI_NOT_OWN  /* no row of the command has this name */
};

/* Sets the field of *options that the row of `a` names. */
enum cli_taken cli_take(const struct cli_command *c, void *options, struct cli_arguments *all,
                        struct cli_argument *a, struct diag *diag) __attribute__((warn_unused_result));

/* Says that the command has no such option. Always false. */
bool cli_unknown(const struct cli_command *c, const struct cli_argument *a, struct diag *diag);

/* Whether --help or -h is among the arguments, in front of `--`. */
bool cli_asks_help(int n_arguments, char *const *arguments);

/* ---- help ---- */

/* One option, for people. */
struct cli_entry {
    const char *short_name; /* NULL: none */
    struct str name;        /* with its dashes */
    const char *metavar;    /* NULL: it takes no value */
    struct str text;        /* one paragraph */
};

enum cli_group {
    CLI_OWN,  /* the command's own rows, and those of the profile table and of filters, where it takes them */
    CLI_VIEW, /* rows of the view, where the command takes them */
    CLI_KEYS  /* rows of the configuration, where it takes them */
};

/* Calls `put` for each option of the group, in the order of its table. False: no memory. */
bool cli_each_entry(const struct cli_command *c, enum cli_group group,
                    void (*put)(void *context, const struct cli_entry *e), void *context)
    __attribute__((warn_unused_result));

/* One sentence on the exit status, ended by a newline. */
extern const char CLI_EXIT_STATUS[];

/* Appends the text of `aflamed --help`. */
void cli_help_all(struct buf *b);
/* Appends the text of `aflamed COMMAND --help`. */
void cli_help_command(struct buf *b, const struct cli_command *c);

#endif
