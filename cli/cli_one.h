/* What the commands share that read one profile and write one text of it: info, methods, calls, verdict.
 * Their options are a struct cli_one, or a struct that begins with one. */
#pragma once

#include "cli/command.h"

struct cli_one {
    const char *file;
    const char *key;    /* beside it, of a trace in two files; else NULL */
    const char *member; /* of an archive; "": the only one */
    const char *format; /* its name */
    struct cli_names names;
    const char *out;    /* "-" is standard output */
    bool quiet;         /* no warnings about the profile */
    const char *tracks; /* ids and names (cli_tracks.h) for asked.view.tracks; NULL: not given */
    struct asked asked;
    /* A key that was given and says what of the profile table is shown; NULL: none was. */
    const char *of_table;
};

/* Rows for the command's table. */
#define CLI_ONE_FORMAT(word)                                                                            \
    {                                                                                                   \
        "--format", NULL, CLI_TEXT, offsetof(struct cli_one, format), "NAME", "how it is written", word \
    }
#define CLI_ONE_OUT                                                      \
    {                                                                    \
        "-o", NULL, CLI_PATH, offsetof(struct cli_one, out), "FILE",     \
            "where to write; default: -, which is standard output", NULL \
    }
#define CLI_ONE_TRACK                                                                                        \
    {                                                                                                        \
        "--track", NULL, CLI_TEXT, offsetof(struct cli_one, tracks), "TRACKS",                               \
            "which tracks count: ids or names, several with commas between them, or all; default: all", NULL \
    }
#define CLI_ONE_MEMBER                                                        \
    {                                                                         \
        "--member", NULL, CLI_TEXT, offsetof(struct cli_one, member), "NAME", \
            "of several files in an archive, the one to read", NULL           \
    }
#define CLI_ONE_NAMES                                                                                        \
    {"--mapping",      NULL, CLI_MAPPINGS, offsetof(struct cli_one, names.mappings), "[PACKAGE=]FILE",       \
     CLI_MAPPING_HELP, NULL},                                                                                \
    {                                                                                                        \
        "--symbols", NULL, CLI_TEXTS, offsetof(struct cli_one, names.symbols), "FILE|DIR", CLI_SYMBOLS_HELP, \
            NULL                                                                                             \
    }
#define CLI_ONE_QUIET                                                                                        \
    {                                                                                                        \
        "--quiet", "-q", CLI_SWITCH, offsetof(struct cli_one, quiet), NULL, "no warnings about the profile", \
            NULL                                                                                             \
    }

struct cli_output;

/* How the text of a profile is made: make(options, ...) appends it. `path` is that of the file, or of the
 * two in one: what reads it again opens it for *source, which is closed behind that. Or stream(options,
 * ...) writes it in pieces, and is given the whole profile, whatever the range. False: diag. */
struct cli_one_maker {
    const struct cli_command *command;
    /* Whether the options go together; NULL: always. */
    bool (*check)(const struct cli_one *options, struct diag *diag);
    /* Whether each call of a file of events is going to be looked at; NULL: only where it is streamed. */
    bool (*wants_calls)(const struct cli_one *options);
    bool (*stream)(const struct cli_one *options, struct convert_source *source, struct cli_output *to,
                   struct diag *diag);
    bool (*make)(const struct cli_one *options, struct convert_source *source, const char *path,
                 struct buf *b, struct diag *diag);
};

/* Takes the arguments into *options, which has what differs from: all tracks, the only member, to standard
 * output. Reads the profile, or the range of it that the view asks for, writes what is made of it, and
 * says the profile's warnings, or what is wrong. Returns the exit status. */
int cli_one_run(const struct cli_one_maker *maker, struct cli_one *options, int n_arguments,
                char *const *arguments);
