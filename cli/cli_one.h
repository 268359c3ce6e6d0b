/* What the commands share that read one profile and write one text of it: info, methods, verdict. Such a command has a
 * struct of options with a struct cli_one in it, sets both to what they are when nothing is said, and calls
 *
 *     cli_one_parse    the arguments
 *     cli_one_write    the profile is read, and the text made and written
 */
#ifndef CLI_CLI_ONE_H
#define CLI_CLI_ONE_H

#include "cli/command.h"

struct cli_one {
    const char *file;
    const char *key;    /* beside it, of a trace in two files; else NULL */
    const char *member; /* of an archive; "": the only one */
    struct cli_names names;
    const char *out;    /* "-" is standard output */
    bool quiet;         /* no warnings about the profile */
    const char *tracks; /* ids and names (cli_tracks.h) for view->tracks; NULL: not given */
    /* The command's, whose range the profile is cut to. */
    struct view_options *view;
};

/* Rows for the command's table; `type` is the struct of its options, in which the struct cli_one is called `one`. */
#define CLI_ONE_OUT(type)                                                      \
    {                                                                          \
        "-o", NULL, CLI_PATH, offsetof(type, one.out), "FILE",                 \
            "where to write; default: -, which is standard output", NULL, NULL \
    }
#define CLI_ONE_TRACK(type)                                                                             \
    {                                                                                                   \
        "--track", NULL, CLI_TEXT, offsetof(type, one.tracks), "TRACKS",                                \
            "which tracks count: ids or names, several with commas between them, or all; default: all", \
            NULL, NULL                                                                                  \
    }
#define CLI_ONE_MEMBER(type)                                              \
    {                                                                     \
        "--member", NULL, CLI_TEXT, offsetof(type, one.member), "NAME",   \
            "of several files in an archive, the one to read", NULL, NULL \
    }
#define CLI_ONE_NAMES(type)                                                                                  \
    {"--mapping",      NULL, CLI_MAPPINGS, offsetof(type, one.names.mappings), "[PACKAGE=]FILE",             \
     CLI_MAPPING_HELP, NULL, NULL},                                                                          \
    {                                                                                                        \
        "--symbols", NULL, CLI_TEXTS, offsetof(type, one.names.symbols), "FILE|DIR", CLI_SYMBOLS_HELP, NULL, \
            NULL                                                                                             \
    }
#define CLI_ONE_QUIET(type)                                                                                  \
    {                                                                                                        \
        "--quiet", "-q", CLI_SWITCH, offsetof(type, one.quiet), NULL, "no warnings about the profile", NULL, \
            NULL                                                                                             \
    }

/* Takes one file, or the two that are one trace, the command's own options into *options, and of those of a view what the
 * command's row says into *one->view; `other` is given any other option, and may be NULL. False: diag. */
bool cli_one_parse(const struct cli_command *c, struct cli_one *one, void *options, int n_arguments,
                   char *const *arguments,
                   bool (*other)(void *options, struct cli_arguments *all, struct cli_argument *a,
                                 struct diag *diag),
                   struct diag *diag) __attribute__((warn_unused_result));

struct cli_output;

/* How the text of a profile is made: make(options, ...) appends it. `path` is that of the file, or of the two in one, and can be
 * opened again. Or stream(options, ...) writes it in pieces, and is given the whole profile, whatever the range. False: diag. */
struct cli_one_maker {
    bool (*stream)(void *options, const struct config *config, const struct shared_profile *folded,
                   const char *path, struct cli_output *to, struct diag *diag);
    bool (*make)(void *options, const struct config *config, const struct shared_profile *folded,
                 const char *path, struct buf *b, struct diag *diag);
    void *options;
};

/* Reads the profile, or the range of it that one->view asks for, writes what is made of it, and says the profile's warnings. False: diag. */
bool cli_one_write(const struct cli_one *one, const struct cli_one_maker *maker, struct diag *diag)
    __attribute__((warn_unused_result));

#endif
