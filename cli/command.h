/* The commands of the command line and their options, as rows of tables. Reading arguments, `--help`, the manual page,
 * the completion of shells and the tables of docs/command-line.md are made from these rows.
 *
 * A new command is a file with its row, and a line in cli/commands.c. A new option is a row in its command's table and
 * a field in the struct that the row's offset points into. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/cli.h"
#include "render/view/view_option.h"

/* Which options of a view the command line takes. */
enum { CLI_VIEW_SCOPES = SCOPE_VIEW | SCOPE_PLACE | SCOPE_BUDGET };

enum cli_option_kind {
    CLI_SWITCH,   /* bool: set to true */
    CLI_TEXT,     /* const char *: the value, terminated; of a row with words, one of them */
    CLI_PATH,     /* the same, and not empty */
    CLI_MAPPINGS, /* struct cli_mappings: the value is appended */
    CLI_TEXTS,    /* struct cli_texts: may be given several times */
    CLI_VIEW_KEY /* struct view_options: its option of this name; the row may leave metavar and help to that option's */
};

/* A word that an option takes. */
struct cli_word {
    const char *word; /* NULL: behind the last */
    const char *meaning;
};

struct cli_option {
    const char *name;       /* "--quiet", "-o" */
    const char *short_name; /* "-q"; NULL: none */
    enum cli_option_kind kind;
    size_t offset;                     /* of its field in the struct of the command's options */
    const char *metavar;               /* for its value in help: "FILE"; NULL for a switch */
    const char *help;                  /* without capital and full stop */
    struct cli_word (*word)(size_t i); /* the words that it takes; NULL: any text */
};

/* A row for an option of the view that the command describes no otherwise than the view does; `type` is the struct of the
 * command's options, in which the struct view_options is called `view`. */
#define CLI_VIEW_ROW(name, type)                                         \
    {                                                                    \
        name, NULL, CLI_VIEW_KEY, offsetof(type, view), NULL, NULL, NULL \
    }

/* Of every command that reads profiles. */
#define CLI_MAPPING_HELP                                                                                     \
    "a mapping.txt of ProGuard or R8, with which the names of a release build become those of its sources; " \
    "may be "                                                                                                \
    "given several times"

#define CLI_SYMBOLS_HELP                                                                                     \
    "unstripped libraries (ELF), Breakpad symbols, or what traceconv makes for a Perfetto trace: a file or " \
    "a folder, which name "                                                                                  \
    "the "                                                                                                   \
    "addresses of native code; may be given several times"

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
    bool takes_rows;    /* .. of these keys those that say which rows are written, and in which order */
    bool takes_filters; /* of a view's options, the steps of filters, as options of its own */
    bool takes_range;   /* of a view's options, the range of time, as options of its own */
    bool takes_moment;  /* of a view's options, which dump of a series, as options of its own */
    bool takes_split;   /* of a view's options, the label that tracks are made of, as an option of its own */
    bool takes_keys;    /* the keys of the configuration, too: server/config/config_keys.h */
    int (*run)(int n_arguments, char *const *arguments);
};

extern const struct cli_command CLI_SERVE, CLI_RENDER, CLI_INFO, CLI_METHODS, CLI_CALLS, CLI_VERDICT,
    CLI_DIFF, CLI_EXPORT, CLI_DEMO;

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

/* The same, and of *view those options that the command takes as its own. */
enum cli_taken cli_take_with_view(const struct cli_command *c, void *options, struct view_options *view,
                                  struct cli_arguments *all, struct cli_argument *a, struct diag *diag)
    __attribute__((warn_unused_result));
/* Whether the command takes this option of a view as its own. */
bool cli_takes_row(const struct cli_command *c, const struct view_option *r);

/* The name without its dashes; empty for an option of one dash, or an operand. */
struct str cli_key(const struct cli_argument *a);

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
