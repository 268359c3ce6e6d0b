/* aflamed diff: two profiles, or groups of runs, compared. And traces in two files, which all commands join first. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_output.h"
#include "cli/cli_tracks.h"
#include "cli/command.h"
#include "core/system/folder.h"
#include "parser/two_files.h"
#include "server/convert/identify.h"
#include "server/convert/report.h"

/* ---- a trace in two files ---- */

/* The command line's traces in two files. */

/* Only files: of anything else a look would take bytes away. -1: it is none, or cannot be read. */
static int open_file(const char *path, off_t *bytes)
{
    struct stat st;
    int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? file_open(AT_FDCWD, path, O_RDONLY) : -1;

    if (fd >= 0)
        *bytes = st.st_size;
    return fd;
}

/* False with errno. */
static bool look(int fd, void *to, size_t *n, off_t offset)
{
    ssize_t got = TEMP_FAILURE_RETRY(pread(fd, to, *n, offset));

    *n = got < 0 ? 0 : (size_t)got;
    return got >= 0;
}

static enum two_files_kind kind_of(const char *path, bool *ends)
{
    uint8_t head[TWO_FILES_HEAD_BYTES], tail[TWO_FILES_TAIL_BYTES];
    size_t head_n = sizeof(head), tail_n = sizeof(tail);
    off_t bytes;
    int fd = open_file(path, &bytes);

    if (fd < 0)
        return TWO_FILES_NEITHER;
    off_t behind = bytes > (off_t)sizeof(tail) ? bytes - (off_t)sizeof(tail) : 0;
    bool seen = look(fd, head, &head_n, 0) && look(fd, tail, &tail_n, behind);
    close(fd);
    *ends = seen && two_files_key_ends(tail, tail_n);
    return seen ? two_files_kind(head, head_n) : TWO_FILES_NEITHER;
}

static bool is_pair(const char *key, const char *data)
{
    bool ends = false, unused;
    enum two_files_kind of_data = TWO_FILES_NEITHER;

    if (kind_of(key, &ends) == TWO_FILES_KEY && ends)
        of_data = kind_of(data, &unused);
    return of_data == TWO_FILES_DATA || of_data == TWO_FILES_STREAM;
}

size_t cli_pair_files(const char **files, const char **keys, size_t n_files)
{
    size_t n = 0;

    for (size_t i = 0; i < n_files; n++) {
        bool more = i + 1 < n_files, key_first = more && is_pair(files[i], files[i + 1]);
        bool key_last = more && !key_first && is_pair(files[i + 1], files[i]);
        keys[n] = key_first ? files[i] : key_last ? files[i + 1] : NULL;
        files[n] = files[key_first ? i + 1 : i];
        i += key_first || key_last ? 2 : 1;
    }
    return n;
}

/* ---- joining ---- */

static bool cannot_join(struct diag *diag)
{
    return diag_set(diag, DIAG_IO, "cannot join the two files",
                    "Check that both can be read, and that there is room for both in TMPDIR.", "%s.",
                    strerror(errno));
}

static bool append(int to, int from, struct diag *diag)
{
    return cli_spool_append(to, from) || cannot_join(diag);
}

static bool join(int to, int key, int data, off_t key_bytes, struct diag *diag)
{
    uint8_t head[TWO_FILES_HEAD_BYTES], joint[TWO_FILES_JOINT_BYTES];
    size_t head_n = sizeof(head);

    if (!look(data, head, &head_n, 0))
        return cannot_join(diag);
    bool stream = two_files_kind(head, head_n) == TWO_FILES_STREAM;
    if (key_bytes > UINT32_MAX)
        return two_files_key_too_large(diag);
    two_files_joint(joint, (uint32_t)key_bytes);
    return append(to, stream ? data : key, diag) &&
           (!stream || file_write_all(to, joint, sizeof(joint)) || cannot_join(diag)) &&
           append(to, stream ? key : data, diag);
}

int cli_join(const char *key, const char *data, struct diag *diag)
{
    off_t key_bytes = 0, data_bytes = 0;
    int from_key = open_file(key, &key_bytes), from_data = open_file(data, &data_bytes),
        to = cli_spool_open();
    bool ok = from_key >= 0 && from_data >= 0 && to >= 0 ? join(to, from_key, from_data, key_bytes, diag)
                                                         : cannot_join(diag);

    if (from_key >= 0)
        close(from_key);
    if (from_data >= 0)
        close(from_data);
    if (ok)
        return to;
    diag_add_words(diag);
    if (to >= 0)
        close(to);
    return -1;
}

/* ---- the command ---- */

/* aflamed diff: what two recordings, or several of each side, differ by. */

static const char HINT[] = "aflamed diff --help lists the options.";

enum { RUNS_MAX = PROFILE_VALUES_MAX, SIDES = 2 };

struct options {
    const char *sides[SIDES]; /* NULL: not given */
    const char *format, *tracks, *out;
    struct cli_names names[SIDES];
    struct cli_texts fail_if;
    bool quiet;
    struct fail_rule rules[CLI_TEXTS_MAX];
    struct asked asked;
};

/* The files of both sides, and what was read from them. */
struct runs {
    char *names[SIDES]; /* the operands, cut at their commas */
    const char *paths[RUNS_MAX];
    struct shared_profile *whole[RUNS_MAX], *window[RUNS_MAX]; /* a window only where a range is asked for */
    uint32_t n, n_a;
};

/* ---- options ---- */

static bool add_side(struct options *o, const char *operand, struct diag *diag)
{
    unsigned i = 0;

    while (i < SIDES && o->sides[i] != NULL)
        i++;
    if (i == SIDES)
        return diag_set(diag, DIAG_USAGE, "more than two sides", HINT,
                        "Name two files, or of several runs the files of a side with commas between them: "
                        "a1.trace,a2.trace b1.trace,b2.trace.");
    o->sides[i] = operand;
    return true;
}

static bool parse_rules(struct options *o, struct diag *diag)
{
    for (uint32_t i = 0; i < o->fail_if.n; i++)
        if (!fail_rule_parse(str_of(o->fail_if.of[i]), &o->rules[i], diag))
            return false;
    return true;
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    *o = (struct options){.out = "-", .format = DIFF_FORMATS[0]->text.name};
    asked_defaults(&o->asked);
    o->asked.view.tracks = TRACKS_ALL;
    while (cli_next(&all, &a))
        if (!(a.name.n > 0 ? cli_take(&CLI_DIFF, o, &o->asked, &all, &a, diag)
                           : add_side(o, a.value.p, diag)))
            return false;
    if (o->sides[SIDES - 1] == NULL)
        return diag_set(diag, DIAG_USAGE, "no two files", HINT,
                        "Name two files to compare, the earlier one first; one may be - for standard input.");
    return parse_rules(o, diag);
}

/* ---- the runs ---- */

/* A file may have commas in its name. */
static bool add_runs(struct runs *r, const char *operand, unsigned side, struct diag *diag)
{
    char *copy = strdup(operand);

    r->names[side] = copy;
    if (copy == NULL)
        return diag_no_memory(diag, "No memory is left for the names of the files.");
    bool whole = access(copy, F_OK) == 0;
    for (char *at = copy; at != NULL;) {
        char *comma = whole ? NULL : strchr(at, ',');
        if (comma != NULL)
            *comma = '\0';
        if (r->n == RUNS_MAX)
            return diag_set(diag, DIAG_USAGE, "too many runs", "Leave some out.",
                            "There is room for %d files.", RUNS_MAX);
        r->paths[r->n++] = at;
        at = comma != NULL ? comma + 1 : NULL;
    }
    return true;
}

/* False: diag, and *file where the file is that it is about. */
static bool read_runs(struct runs *r, const struct config *config, const struct options *o, const char **file,
                      struct diag *diag)
{
    struct view_options view = o->asked.view;
    unsigned inputs = 0;

    for (uint32_t i = 0; i < r->n; i++)
        inputs += strcmp(r->paths[i], "-") == 0;
    if (inputs > 1)
        return diag_set(diag, DIAG_USAGE, "standard input twice", HINT, "Only one file can be -.");
    for (uint32_t i = 0; i < r->n; i++) {
        if (i == r->n_a)
            diff_view_of_b(&o->asked.diff, &view);
        const struct cli_reading reading = {"", &o->names[i < r->n_a ? 0 : 1], view.split,
                                            cli_shows_times(&view), false};
        r->whole[i] = cli_fold(config, r->paths[i], &reading, diag);
        if (r->whole[i] == NULL || !cli_window(config, r->whole[i], &view, &r->window[i], diag)) {
            *file = r->paths[i];
            return false;
        }
    }
    return true;
}

static void free_profiles(struct runs *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        shared_profile_free(r->window[i]);
        shared_profile_free(r->whole[i]);
        r->window[i] = r->whole[i] = NULL;
    }
}

/* ---- the comparison ---- */

static bool write_diff(struct options *o, const struct config *config, const struct shared_profile *compared,
                       bool *passed, struct diag *diag)
{
    struct buf out = {0}, says = {0};
    struct diff_checks checks = {.rules = o->rules, .n = o->fail_if.n, .says = &says};
    const struct report_input in = {.source = {.profile = compared, .config = config, .fd = -1},
                                    .view = &o->asked.view,
                                    .request = &o->asked,
                                    .format = &diff_format_by_name(str_of(o->format))->text,
                                    .checks = &checks};

    bool ok =
        (o->tracks == NULL || cli_tracks(&o->asked.view, shared_profile_get(compared), o->tracks, diag)) &&
        convert_diff(&in, &out, diag);
    if (ok && (out.failed || says.failed))
        ok = diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left for the answer.");
    ok = ok && cli_write(o->out, buf_view(&out), diag);
    if (ok && !o->quiet)
        cli_warnings(NULL, shared_profile_get(compared), OPEN_LAST); /* it has the end that was asked for */
    if (ok)
        cli_say(buf_view(&says));
    *passed = checks.passed;
    buf_free(&out);
    buf_free(&says);
    return ok;
}

static bool compare_runs_of(struct options *o, struct runs *r, bool *passed, const char **file,
                            struct diag *diag)
{
    struct config config;
    const struct shared_profile *shown[RUNS_MAX];

    if (!add_runs(r, o->sides[0], 0, diag))
        return false;
    r->n_a = r->n;
    cli_config(&config);
    if (!add_runs(r, o->sides[1], 1, diag) || !cli_spares(o->out, r->paths, r->n, diag) ||
        !read_runs(r, &config, o, file, diag))
        return false;
    for (uint32_t i = 0; i < r->n; i++)
        shown[i] = r->window[i] != NULL ? r->window[i] : r->whole[i];
    struct view_options of_b = o->asked.view;
    diff_view_of_b(&o->asked.diff, &of_b);
    struct convert_runs runs = {
        shown, r->n_a, r->n - r->n_a, o->asked.view.open, view_moment(&o->asked.view), view_moment(&of_b)};
    struct shared_profile *compared = convert_compare(&config, &runs, diag);
    free_profiles(r);
    if (compared == NULL)
        return false;
    convert_compared_options(&o->asked.view);
    bool ok = write_diff(o, &config, compared, passed, diag);
    shared_profile_free(compared);
    return ok;
}

static int diff(int n_arguments, char *const *arguments)
{
    struct diag diag = {0};
    struct options o;
    struct runs r = {.n = 0};
    const char *file = NULL;
    bool passed = false;
    bool ok = parse(&o, n_arguments, arguments, &diag) && compare_runs_of(&o, &r, &passed, &file, &diag);
    int status = !ok ? cli_error(file, &diag) : passed ? CLI_PASSED : CLI_OK;

    free_profiles(&r);
    for (unsigned i = 0; i < SIDES; i++)
        free(r.names[i]); /* `file` is a part of one */
    return status;
}

/* ---- the row ---- */

static struct cli_word format_word(size_t i)
{
    return i < DIFF_FORMATS_COUNT ? (struct cli_word){DIFF_FORMATS[i]->text.name, DIFF_FORMATS[i]->text.help}
                                  : (struct cli_word){NULL, NULL};
}

#define FIELD(member) offsetof(struct options, member)

static const struct cli_option OPTIONS[] = {
    {"--format", NULL, CLI_TEXT, FIELD(format), "NAME", "how it is written", format_word},
    {"-o", NULL, CLI_PATH, FIELD(out), "FILE", "where to write; default: -, which is standard output", NULL},
    {"--fail-if", NULL, CLI_TEXTS, FIELD(fail_if), "RULE",
     "exit status 3 if B has grown beyond it: [VALUE_incl:|VALUE_excl:]PATTERN>N% or >Nms; may be given several times",
     NULL},
    {"--track", NULL, CLI_TEXT, FIELD(tracks), "TRACKS",
     "which threads count: ids or names of either side, several with commas between them, or all; default: all",
     NULL},
    CLI_KEY_ROW("--app"),
    CLI_KEY_ROW("--open"),
    {"--mapping-a", NULL, CLI_MAPPINGS, FIELD(names[0].mappings), "[PACKAGE=]FILE",
     "of the obfuscated build of A, the mapping.txt; several of them for several packages", NULL},
    {"--mapping-b", NULL, CLI_MAPPINGS, FIELD(names[1].mappings), "[PACKAGE=]FILE", "the same of B", NULL},
    {"--symbols-a", NULL, CLI_TEXTS, FIELD(names[0].symbols), "FILE|DIR",
     "of the libraries that were recorded in A, symbols: a file or a folder", NULL},
    {"--symbols-b", NULL, CLI_TEXTS, FIELD(names[1].symbols), "FILE|DIR", "the same of B", NULL},
    {"--moment", NULL, CLI_KEY, 0, "N",
     "of a series of heap dumps the one to compare, from 1; default: the last one of each file", NULL},
    {"--quiet", "-q", CLI_SWITCH, FIELD(quiet), NULL, "no warnings about the profiles", NULL},
};

const struct cli_command CLI_DIFF = {
    .name = "diff",
    .synopsis = "[OPTION...] A[,A2...] B[,B2...]",
    .summary = "compare two profiles, or several runs of each, method by method",
    .description =
        "Prints what each method cost in A and in B: its calls, and each value that both have, inclusive and "
        "exclusive; only methods that differ, sorted by how much the exclusive value changed. - is standard input.\n"
        "Methods are the same if class, name and signature are. What is left is paired by rules for names that are "
        "numbered anew with each build (lambdas, anonymous and synthetic classes); how many were is a warning. "
        "Threads are paired by name; those whose names differ in their numbers only are one pool.\n"
        "Of several runs of a side (a1.trace,a2.trace) the median is shown, and a change counts only if it is larger "
        "than the runs of either side differ by.\n"
        "Of a rule of --fail-if, PATTERN is the whole name of a method, with * for any text, or total for the value "
        "over all threads; without VALUE it is the first one, inclusive; N% is growth of B over A in percent of A. "
        "The rules that were passed are told on standard error.\n"
        "Times are whole microseconds, rounded down once in each cell.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .keys = KEYS_TABLE | KEYS_COMPARED | KEYS_FILTERS | KEYS_PROFILE,
    .run = diff,
};
