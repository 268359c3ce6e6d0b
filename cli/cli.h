/* What the commands share: reading files into profiles, writing results, messages. One thread, unless a function says
 * otherwise. */
#pragma once

#include "core/buf.h"
#include "core/diag.h"
#include "core/parallel.h"
#include "server/convert/convert.h"

enum { CLI_OK = 0, CLI_UNUSABLE = 1, CLI_USAGE = 2, CLI_PASSED = 3, CLI_UNDECIDED = 4 }; /* exit status */

/* ---- arguments: `--key VALUE`, `--key=VALUE`, `-k VALUE`, `--switch`, operands; `--` ends the options ----
 */

struct cli_arguments {
    char *const *next;
    int left;
    bool only_operands; /* behind `--` */
};

struct cli_argument {
    struct str name;  /* "--width", "-o"; empty for an operand */
    struct str value; /* what stands behind `=`, p NULL if nothing does; the operand itself */
};

/* False when there are no more. Operands are terminated strings of the argument vector; `-` is one. */
bool cli_next(struct cli_arguments *all, struct cli_argument *argument);
/* The option's value: behind `=`, or the next argument. False (diag) if there is none. */
bool cli_value(struct cli_arguments *all, struct cli_argument *argument, struct diag *diag) MUST_CHECK;

/* ---- reading and writing ---- */

/* The limits of the command line: the service's, but memory up to half of the machine's, since it is the
 * caller's own. */
void cli_config(struct config *config);

/* Mappings beside the file that is read, each of the processes of a package or, if that is empty, of all. */
enum { CLI_MAPPINGS_MAX = 16 };
struct cli_mappings {
    const char *paths[CLI_MAPPINGS_MAX];
    struct str packages[CLI_MAPPINGS_MAX];
    size_t n;
};

/* Values of an option that may be given several times. */
enum { CLI_TEXTS_MAX = 64 };
struct cli_texts {
    const char *of[CLI_TEXTS_MAX];
    uint32_t n;
};

/* What tells the names of a profile. */
struct cli_names {
    struct cli_mappings mappings;
    struct cli_texts symbols; /* files and folders */
};

/* What the profile of a file depends on. */
struct cli_reading {
    const char *member; /* of an archive; "": the only one */
    const struct cli_names *names;
    const char *split; /* as view_options.split */
    bool with_log;     /* windows or calls are going to be asked for: see conversion_keep_log */
    bool with_events;  /* The same, but of samples nothing that needs their log. */
};

/* Whether the view is of the order of time: a range, or a chart. */
bool cli_shows_times(const struct view_options *view);

/* Whether writing the result there would overwrite one of them. False: diag. */
bool cli_spares_names(const char *path, const struct cli_names *names, struct diag *diag) MUST_CHECK;

/* Folds the file, or standard input for "-". NULL: diag; of a file of no known format it says what it looks like. */
struct shared_profile *cli_fold(const struct config *config, const char *path,
                                const struct cli_reading *reading, struct diag *diag);

/* A command has all cores for itself. */
struct parallel cli_parallel(void);

/* Sets *window to the range of time that the view asks for, if it does, of what was read with its log; it is to be freed
 * before the whole. False: diag. */
bool cli_window(const struct config *config, const struct shared_profile *whole,
                const struct view_options *view, struct shared_profile **window,
                struct diag *diag) MUST_CHECK;

/* The same file for reading it once more, by pread. -1: diag; what is no file, like a pipe, can be read only once. */
int cli_open_again(const char *path, struct diag *diag);

/* Takes files together of which one is the key file of the other, or the summary of a streaming trace,
 * told by what is in them: see parser/two_files.h. Never what is no regular file. files[i] is the data
 * file then, and keys[i] its key file, which is NULL elsewhere. Returns how many are left. */
size_t cli_pair_files(const char **files, const char **keys, size_t n_files);
/* Their whole as a nameless file, the caller's to close; CLI_JOINED_FORMAT with the descriptor is a path
 * to it. -1: diag. */
int cli_join(const char *key, const char *data, struct diag *diag) MUST_CHECK;
#define CLI_JOINED_FORMAT "/proc/self/fd/%d"

/* False (diag, with exit status 2) if the path is one of the regular files that are read, under whatever
 * name: a result would take its place. "-" is the standard stream; of the inputs some may be NULL. Any
 * thread. */
bool cli_spares(const char *path, const char *const *inputs, size_t n_inputs, struct diag *diag) MUST_CHECK;

/* Writes the bytes to the path; "-" is standard output. A regular file appears whole or not at all, anything
 * else is written to as it is. False: diag, with the path in it. Any thread. */
bool cli_write(const char *path, struct str bytes, struct diag *diag) MUST_CHECK;

/* ---- messages, on standard error ---- */

/* `error: title: detail (at byte N)` and `hint: ...`; with a file, `error: FILE: title: ...`. Returns the
 * exit status. */
int cli_error(const char *file, const struct diag *diag);
/* The text as it is. */
void cli_say(struct str text);
/* `warning: ...` for each of the profile's, as it is shown with this end of calls that are never left; with a file,
 * `warning: FILE: ...`. */
void cli_warnings(const char *file, const struct profile *p, enum view_open open);
