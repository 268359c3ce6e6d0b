/* The commands of the command line and their options, as rows of tables. Reading arguments, `--help`, the
 * manual page, the completion of shells and the tables of docs/command-line.md are made from these rows.
 *
 * A new command is a file with its row, and a line in cli/commands.c. A new option is a row in its
 * command's table and a field in the struct that the row's offset points into. */
#pragma once

#include "cli/cli.h"
#include "render/view/key.h"

enum cli_option_kind {
    CLI_SWITCH,   /* bool: set to true */
    CLI_TEXT,     /* const char *: the value, terminated; of a row with words, one of them */
    CLI_PATH,     /* the same, and not empty */
    CLI_MAPPINGS, /* struct cli_mappings: the value is appended */
    CLI_TEXTS,    /* struct cli_texts: may be given several times */
    CLI_KEY /* no field: the key of this name (render/view/key.h); the row may leave metavar and help to the key's */
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

/* A row for a key that the command takes beside those of its groups, and describes no otherwise than the key does. */
#define CLI_KEY_ROW(name)                        \
    {                                            \
        name, NULL, CLI_KEY, 0, NULL, NULL, NULL \
    }

/* Help that every command has that reads profiles. */
#define CLI_MAPPING_HELP                                                                                     \
    "a mapping.txt of ProGuard or R8, with which the names of a release build become those of its sources; " \
    "may be given several times"

#define CLI_SYMBOLS_HELP                                                                                     \
    "unstripped libraries (ELF), Breakpad symbols, or what traceconv makes for a Perfetto trace: a file or " \
    "a folder, which name the addresses of native code; may be given several times"

struct cli_command {
    const char *name;        /* "render" */
    const char *synopsis;    /* what stands behind the name: "[OPTION...] FILE..." */
    const char *summary;     /* one line in the list of commands */
    const char *description; /* paragraphs, each ended by a newline; none has line breaks of its own */
    const struct cli_option *options;
    size_t n_options;
    unsigned keys;   /* a sum of enum key_group (render/view/key.h): keys of requests that are options, too */
    bool is_service; /* The keys of the configuration are options, too: server/config/config_keys.h. */
    int (*run)(int n_arguments, char *const *arguments);
};

extern const struct cli_command CLI_SERVE, CLI_RENDER, CLI_INFO, CLI_METHODS, CLI_CALLS, CLI_VERDICT,
    CLI_DIFF, CLI_CHECK, CLI_EXPORT, CLI_RECORD, CLI_TOKEN, CLI_STORE, CLI_DEMO;

/* THE TABLE. */
extern const struct cli_command *const CLI_COMMANDS[];
extern const size_t CLI_COMMANDS_COUNT;

/* NULL if there is none. */
const struct cli_command *cli_command_by_name(const char *name);

/* ---- arguments ---- */

/* Sets the field of *options that the row of `a` names, or the key of *asked; `asked` may be NULL for a
 * command without keys. False: diag, which names the nearest option where there is none of that name. */
bool cli_take(const struct cli_command *c, void *options, struct asked *asked, struct cli_arguments *all,
              struct cli_argument *a, struct diag *diag) MUST_CHECK;

/* The key that the argument is, of the groups that the command takes. NULL: it is none, or a row of the
 * command's own. */
const struct key *cli_key(const struct cli_command *c, const struct cli_argument *a);

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
    CLI_OWN,   /* the command's own rows, and keys of requests but those of whole views */
    CLI_VIEW,  /* keys of requests, of a command that takes those of whole views */
    CLI_CONFIG /* rows of the configuration, of the service */
};

/* Calls `put` for each option of the group, in the order of its table. False: no memory. */
bool cli_each_entry(const struct cli_command *c, enum cli_group group,
                    void (*put)(void *context, const struct cli_entry *e), void *context) MUST_CHECK;

/* One sentence on the exit status, ended by a newline. */
extern const char CLI_EXIT_STATUS[];

/* Appends the text of `aflamed --help`. */
void cli_help_all(struct buf *b);
/* Appends the text of `aflamed COMMAND --help`. */
void cli_help_command(struct buf *b, const struct cli_command *c);
