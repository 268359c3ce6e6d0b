/* aflamed check: runs judged against those of a baseline. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "runs/check.h"
#include "server/convert/archive_members.h"
#include "server/convert/report.h"

static const char HINT[] = "aflamed check --help lists the options.";

enum { SIDES = 2 };

struct options {
    struct cli_texts files[SIDES]; /* of the baseline, and what is judged: files and folders */
    struct cli_names names[SIDES];
    struct cli_texts fail_if;
    const char *format, *out;
    bool strict, quiet;
    struct asked asked;
    struct fail_rule rules[CLI_TEXTS_MAX];
};

/* The digests of one side's runs; of their profiles nothing else is kept. */
struct side {
    struct buf texts[CHECK_RUNS_MAX];
    struct run_digest digests[CHECK_RUNS_MAX];
    uint32_t n;
};

struct runs {
    const struct options *options;
    struct config config;
    unsigned at; /* the side that is read */
    struct side sides[SIDES];
};

/* ---- options ---- */

static const struct {
    struct cli_word word;
    enum check_format format;
} WRITTEN[] = {
    {{"txt", "for people"}, CHECK_TEXT},
    {{"md", "for the comment of a pull request"}, CHECK_MARKDOWN},
    {{"json", "for programs"}, CHECK_JSON},
};

enum { WRITTEN_COUNT = sizeof(WRITTEN) / sizeof(WRITTEN[0]) };

static struct cli_word format_word(size_t i)
{
    return i < WRITTEN_COUNT ? WRITTEN[i].word : (struct cli_word){NULL, NULL};
}

static enum check_format format_of(const char *name)
{
    size_t i = 0;

    while (strcmp(WRITTEN[i].word.word, name) != 0) /* the option takes no other word */
        i++;
    return WRITTEN[i].format;
}

static bool add_operand(struct options *o, const char *operand, struct diag *diag)
{
    struct cli_texts *files = &o->files[1];

    if (files->n == CLI_TEXTS_MAX)
        return diag_set(diag, DIAG_USAGE, "too many files", "Name the folder that they are in.",
                        "There is room for %d files and folders.", CLI_TEXTS_MAX);
    files->of[files->n++] = operand;
    return true;
}

static bool check_options(struct options *o, struct diag *diag)
{
    unsigned inputs = 0;

    for (unsigned side = 0; side < SIDES; side++)
        for (uint32_t i = 0; i < o->files[side].n; i++)
            inputs += strcmp(o->files[side].of[i], "-") == 0;
    if (o->files[0].n == 0)
        return diag_set(diag, DIAG_USAGE, "no baseline", HINT,
                        "Name the runs to compare with, files or folders, each by --baseline.");
    if (o->files[1].n == 0)
        return diag_set(diag, DIAG_USAGE, "no file", HINT, "Name the runs to judge: files or folders.");
    if (inputs > 1)
        return diag_set(diag, DIAG_USAGE, "standard input twice", HINT, "Only one file can be -.");
    for (uint32_t i = 0; i < o->fail_if.n; i++)
        if (!fail_rule_parse(str_of(o->fail_if.of[i]), &o->rules[i], diag))
            return false;
    return cli_spares(o->out, o->files[0].of, o->files[0].n, diag) &&
           cli_spares(o->out, o->files[1].of, o->files[1].n, diag) &&
           cli_spares_names(o->out, &o->names[0], diag) && cli_spares_names(o->out, &o->names[1], diag);
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    *o = (struct options){.out = "-", .format = WRITTEN[0].word.word};
    asked_defaults(&o->asked);
    o->asked.view.tracks = TRACKS_ALL;
    while (cli_next(&all, &a))
        if (!(a.name.n > 0 ? cli_take(&CLI_CHECK, o, &o->asked, &all, &a, diag)
                           : add_operand(o, a.value.p, diag)))
            return false;
    return check_options(o, diag);
}

/* ---- one run ---- */

/* Keeps the digest of the profile. False: diag. */
static bool add_digest(struct runs *r, const struct shared_profile *shown, int fd, struct diag *diag)
{
    const struct report_input in = {.source = {.profile = shown, .config = &r->config, .fd = fd},
                                    .view = &r->options->asked.view};
    struct side *side = &r->sides[r->at];

    if (side->n == CHECK_RUNS_MAX)
        return diag_set(diag, DIAG_USAGE, "too many runs", "Leave some out.",
                        "There is room for %d runs of each side.", CHECK_RUNS_MAX);
    struct buf *text = &side->texts[side->n++];
    if (!convert_digest(&in, text, diag))
        return false;
    if (text->failed)
        return diag_no_memory(diag, "No memory is left for what is kept of a run.");
    return run_digest_open(&side->digests[side->n - 1], buf_view(text), diag);
}

/* False: diag. */
static bool read_one(struct runs *r, const char *path, const char *member, const char *shown_as,
                     struct diag *diag)
{
    const struct view_options *view = &r->options->asked.view;
    const struct cli_reading reading = {member, &r->options->names[r->at], view->split, cli_shows_times(view),
                                        false};
    struct shared_profile *whole = cli_fold(&r->config, path, &reading, diag), *window = NULL;
    struct diag ignored = {0};

    if (whole == NULL)
        return false;
    bool ok = cli_window(&r->config, whole, view, &window, diag);
    const struct shared_profile *shown = window != NULL ? window : whole;
    /* Steps of a system trace need its log; of a file that cannot be read again there are none. */
    int fd = cli_open_again(path, &ignored);
    ok = ok && add_digest(r, shown, fd, diag);
    if (fd >= 0)
        close(fd);
    if (ok && !r->options->quiet)
        cli_warnings(shown_as, shared_profile_get(shown), view->open);
    shared_profile_free(window);
    shared_profile_free(whole);
    return ok;
}

/* Each file of an archive is a run. False: it is no archive of several, or diag, which is another one then. */
static bool read_members(struct runs *r, const char *path, const char *shown_as, struct diag *diag)
{
    struct archive_members list = {.n = 0};
    struct diag ignored = {0};
    int fd = cli_open_again(path, &ignored);
    bool ok = fd >= 0 && archive_members_list(&r->config, fd, NULL, &list, &ignored) == ARCHIVE_LISTED &&
              list.n > 1;

    if (fd >= 0)
        close(fd);
    if (ok)
        *diag = (struct diag){0};
    for (size_t i = 0; ok && i < list.n; i++)
        ok = read_one(r, path, list.list[i].choice, shown_as, diag);
    archive_members_free(&list);
    return ok;
}

/* What is wrong is said here, and `shown_as` is the file's name then. In a folder, what is no profile is passed over.
 * Returns an exit status. */
static int read_file(struct runs *r, const char *path, const char *shown_as, bool in_folder)
{
    struct diag diag = {0};

    if (read_one(r, path, "", shown_as, &diag) ||
        (diag.kind == DIAG_UNUSABLE && read_members(r, path, shown_as, &diag)))
        return CLI_OK;
    if (in_folder && (diag.kind == DIAG_UNKNOWN || diag.kind == DIAG_FOREIGN || diag.kind == DIAG_EMPTY))
        return CLI_OK;
    return cli_error(shown_as, &diag);
}

/* ---- all runs ---- */

/* Two files that are one trace are joined. */
static int read_pair(struct runs *r, const char *file, const char *key, bool in_folder)
{
    char joined[32];
    struct diag diag = {0};

    if (key == NULL)
        return read_file(r, file, file, in_folder);
    int fd = cli_join(key, file, &diag);
    if (fd < 0)
        return cli_error(file, &diag);
    snprintf(joined, sizeof(joined), CLI_JOINED_FORMAT, fd);
    int status = read_file(r, joined, file, in_folder);
    close(fd);
    return status;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The paths of the files in a folder, in the order of their names, each to be freed. False: errno. */
static bool list_folder(const char *path, const char ***files, size_t *n_files)
{
    struct dirent **entries = NULL;
    int found = scandir(path, &entries, is_shown, alphasort);
    size_t most = found > 0 ? (size_t)found : 0, n = 0;
    bool ok = found >= 0;

    *files = calloc(most + 1, sizeof(**files));
    for (size_t i = 0; i < most; i++) {
        char *name = NULL;
        struct stat st;
        ok = ok && *files != NULL && asprintf(&name, "%s/%s", path, entries[i]->d_name) >= 0;
        if (ok && stat(name, &st) == 0 && S_ISREG(st.st_mode))
            (*files)[n++] = name;
        else if (ok)
            free(name);
        free(entries[i]);
    }
    free(entries);
    *n_files = n;
    return ok && *files != NULL;
}

static void free_paths(const char **paths, size_t n)
{
    for (size_t i = 0; paths != NULL && i < n; i++)
        free((void *)(uintptr_t)paths[i]);
    free(paths);
}

static int read_folder(struct runs *r, const char *path)
{
    const char **files = NULL, **keys = NULL;
    size_t n = 0;
    struct diag diag = {0};
    uint32_t before = r->sides[r->at].n;
    int status = CLI_OK;

    bool ok = list_folder(path, &files, &n);
    keys = ok ? calloc(n + 1, sizeof(*keys)) : NULL;
    if (keys == NULL)
        diag_set(&diag, DIAG_IO, "cannot read the folder", "Check that you may read it.", "%s.",
                 strerror(errno));
    else
        n = cli_pair_files(files, keys, n);
    for (size_t i = 0; keys != NULL && status == CLI_OK && i < n; i++)
        status = read_pair(r, files[i], keys[i], true);
    free_paths(files, n);
    free_paths(keys, n);
    if (status == CLI_OK && diag.kind == DIAG_NONE && r->sides[r->at].n == before)
        diag_set(&diag, DIAG_UNUSABLE, "no profile in the folder",
                 "Name a folder with profiles in it; folders in it are not looked into.",
                 "None of its files is of a format that is read here.");
    return diag.kind != DIAG_NONE ? cli_error(path, &diag) : status;
}

static int read_side(struct runs *r)
{
    const struct cli_texts *texts = &r->options->files[r->at];
    const char *files[CLI_TEXTS_MAX], *keys[CLI_TEXTS_MAX];
    int status = CLI_OK;

    memcpy(files, texts->of, texts->n * sizeof(files[0]));
    size_t n = cli_pair_files(files, keys, texts->n);
    for (size_t i = 0; status == CLI_OK && i < n; i++) {
        struct stat st;
        bool is_folder = stat(files[i], &st) == 0 && S_ISDIR(st.st_mode);
        status = is_folder ? read_folder(r, files[i]) : read_pair(r, files[i], keys[i], false);
    }
    return status;
}

/* ---- the check ---- */

static int status_of(const struct options *o, enum check_state state)
{
    if (state == CHECK_FAIL)
        return CLI_PASSED;
    return state == CHECK_INCONCLUSIVE && o->strict ? CLI_UNDECIDED : CLI_OK;
}

static int judge(const struct runs *r)
{
    const struct options *o = r->options;
    const struct side *a = &r->sides[0], *b = &r->sides[1];
    const struct check_input in = {a->digests, b->digests, a->n, b->n, o->rules, o->fail_if.n};
    const struct check_links none = {.page = {NULL, 0}};
    struct arena arena;
    struct check c;
    struct diag diag = {0};
    struct buf out = {0};

    arena_init(&arena, r->config.view_memory_bytes);
    bool ok = check_run(&in, &arena, &c, &diag);
    if (ok) {
        check_write(&c, format_of(o->format), &none, &out);
        ok = (!out.failed || diag_no_memory(&diag, "No memory is left for the answer.")) &&
             cli_write(o->out, buf_view(&out), &diag);
    }
    int status = ok ? status_of(o, c.state) : cli_error(NULL, &diag);
    buf_free(&out);
    arena_free(&arena);
    return status;
}

static int check(int n_arguments, char *const *arguments)
{
    struct options o;
    struct diag diag = {0};

    if (!parse(&o, n_arguments, arguments, &diag))
        return cli_error(NULL, &diag);
    struct runs *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        diag_no_memory(&diag, "No memory is left for the runs.");
        return cli_error(NULL, &diag);
    }
    r->options = &o;
    cli_config(&r->config);
    int status = CLI_OK;
    for (r->at = 0; status == CLI_OK && r->at < SIDES; r->at++)
        status = read_side(r);
    if (status == CLI_OK)
        status = judge(r);
    for (unsigned side = 0; side < SIDES; side++)
        for (uint32_t i = 0; i < r->sides[side].n; i++)
            buf_free(&r->sides[side].texts[i]);
    free(r);
    return status;
}

/* ---- the row ---- */

#define FIELD(member) offsetof(struct options, member)

static const struct cli_option OPTIONS[] = {
    {"--baseline", NULL, CLI_TEXTS, FIELD(files[0]), "FILE|DIR",
     "a run to compare with, or a folder of them; may be given several times", NULL},
    {"--fail-if", NULL, CLI_TEXTS, FIELD(fail_if), "RULE",
     "what must not grow: [VALUE_incl:|VALUE_excl:]PATTERN>N% or >Nms; default: total>5%; may be given several times",
     NULL},
    {"--format", NULL, CLI_TEXT, FIELD(format), "NAME", "how it is written", format_word},
    {"-o", NULL, CLI_PATH, FIELD(out), "FILE", "where to write; default: -, which is standard output", NULL},
    {"--strict", NULL, CLI_SWITCH, FIELD(strict), NULL,
     "exit status 4 if nothing fails, and not all is known", NULL},
    CLI_KEY_ROW("--app"),
    CLI_KEY_ROW("--open"),
    {"--mapping-a", NULL, CLI_MAPPINGS, FIELD(names[0].mappings), "[PACKAGE=]FILE",
     "of the obfuscated build of the baseline, the mapping.txt; several of them for several packages", NULL},
    {"--mapping-b", NULL, CLI_MAPPINGS, FIELD(names[1].mappings), "[PACKAGE=]FILE",
     "the same of the runs that are judged", NULL},
    {"--symbols-a", NULL, CLI_TEXTS, FIELD(names[0].symbols), "FILE|DIR",
     "of the libraries that were recorded in the baseline, symbols: a file or a folder", NULL},
    {"--symbols-b", NULL, CLI_TEXTS, FIELD(names[1].symbols), "FILE|DIR",
     "the same of the runs that are judged", NULL},
    {"--quiet", "-q", CLI_SWITCH, FIELD(quiet), NULL, "no warnings about the profiles", NULL},
};

const struct cli_command CLI_CHECK = {
    .name = "check",
    .synopsis = "[OPTION...] --baseline A... B...",
    .summary = "judge runs against those of a baseline: PASS, FAIL or INCONCLUSIVE",
    .description =
        "Prints for each rule whether it passes, with the change and the interval that holds it at 95 %, and which methods "
        "became slower or faster. Each file is a run, and each file of a folder or an archive; what is no profile in a folder "
        "is passed over. - is standard input.\n"
        "FAIL: the growth is above the limit, and it is real: the interval leaves out no change. PASS: it is not above the "
        "limit, and the interval ends below twice the limit; or all runs are equal. INCONCLUSIVE: all else, and how many "
        "runs more would decide. Three runs of each side decide nothing, unless all are equal.\n"
        "Of a rule, PATTERN is the name of a method, with or without its signature; with * for any text it is judged for each "
        "method that fits and has a thousandth of the total. total is the value over all threads, thread:NAME that of a "
        "thread, and thread:main that of the main one; step:start is how long a start of a system trace took. Without VALUE it is the first one, inclusive.\n"
        "The tests are by ranks: Wilcoxon, Mann and Whitney for p, Hodges and Lehmann for the change and its interval; of many "
        "methods those are told that Benjamini and Hochberg call findings. Equal files give equal answers.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .keys = KEYS_FILTERS | KEYS_PROFILE,
    .run = check,
};
