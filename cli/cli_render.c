/* aflamed render and export: pictures, texts and files of other tools, of one file or of each in an archive. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cli_one.h"
#include "cli/cli_output.h"
#include "cli/cli_tracks.h"
#include "cli/command.h"
#include "core/clean.h"
#include "core/system/threads.h"
#include "core/system/turns.h"
#include "render/output.h"
#include "render/view/view.h"
#include "server/convert/archive_members.h"
#include "server/convert/call_list.h"
#include "server/convert/convert.h"

/* ---- choosing a member ---- */

/* --member all: each file of an archive that is read here, one after the other. */

#define CLI_EVERY_MEMBER "all"

/* One of them, the number'th from 1. `choice` is what --member takes. Returns an exit status. */
typedef int cli_member_fn(void *context, const char *name, const char *choice, size_t number);

/* What of the archive is not among those that were listed. */
static int judge(const struct archive_members *list, const struct config *config, const char *shown)
{
    struct diag diag = {0};

    if (list->left_out > 0)
        diag_set(&diag, DIAG_LIMIT, "more files in the archive", "Choose others by --member NAME.",
                 "%llu more were left out: the limit is %llu.", (unsigned long long)list->left_out,
                 (unsigned long long)config->max_members);
    else if (list->cut)
        diag_set(&diag, DIAG_UNUSABLE, "archive cut or damaged", "Copy it again.",
                 "It cannot be read to its end: there may be more files in it.");
    else if (list->n == 0)
        diag_set(&diag, DIAG_UNUSABLE, "nothing usable in the archive",
                 "aflamed info FILE says what is in it.",
                 "None of its files is of a format that is read here.");
    return diag.kind == DIAG_NONE ? CLI_OK : cli_error(shown, &diag);
}

/* Calls `each` for all members of the archive at the path. Returns the highest exit status; what is wrong
 * with the archive is said, `shown` is the name for it as in cli_error. */
static int cli_each_member(const struct config *config, const char *path, const char *shown,
                           cli_member_fn *each, void *context)
{
    struct archive_members list = {.n = 0};
    struct diag diag = {0};
    int fd = cli_open_again(path, &diag), status = CLI_OK;
    enum archive_found found = fd < 0 ? ARCHIVE_FAILED : archive_members_list(config, fd, NULL, &list, &diag);

    if (fd >= 0)
        close(fd);
    if (found == ARCHIVE_NONE)
        diag_set(&diag, DIAG_USAGE, "no archive", "Leave --member out.", "The file is no archive.");
    if (found != ARCHIVE_LISTED)
        return cli_error(shown, &diag);
    for (size_t i = 0; i < list.n; i++) {
        int of_member = each(context, list.list[i].name, list.list[i].choice, i + 1);
        status = of_member > status ? of_member : status;
    }
    int of_archive = judge(&list, config, shown);
    archive_members_free(&list);
    return of_archive > status ? of_archive : status;
}

/* ---- aflamed calls: all calls one by one ---- */

/* What a buffer is drained into. */
struct writing {
    struct cli_output *to;
    struct diag diag; /* why nothing more can be written */
};

static bool put(void *context, struct str bytes)
{
    struct writing *w = context;

    return bytes.n == 0 || cli_output_put(w->to, bytes, &w->diag);
}

/* `source` is the whole profile. False: diag. */
static bool cli_calls_write(const struct convert_source *source, const struct view_options *view,
                            const struct call_format *format, struct cli_output *to, struct diag *diag)
{
    struct writing w = {.to = to};
    bool ok = call_list_write(source, view, format, &(struct call_list_taker){put, &w}, diag);

    if (w.diag.kind != DIAG_NONE)
        *diag = w.diag;
    return ok;
}

static bool stream(const struct cli_one *o, struct convert_source *source, struct cli_output *to,
                   struct diag *diag)
{
    if (!call_list_possible(shared_profile_get(source->profile), diag))
        return false;
    return cli_calls_write(source, &o->asked.view, call_format_by_name(str_of(o->format)), to, diag);
}

/* ---- the row ---- */

static struct cli_word format_word(size_t i)
{
    return i < CALL_FORMATS_COUNT ? (struct cli_word){CALL_FORMATS[i]->text.name, CALL_FORMATS[i]->text.help}
                                  : (struct cli_word){NULL, NULL};
}

static int calls(int n_arguments, char *const *arguments)
{
    const struct cli_one_maker maker = {.command = &CLI_CALLS, .stream = stream};
    struct cli_one options = {.format = CALL_FORMATS[0]->text.name};

    return cli_one_run(&maker, &options, n_arguments, arguments);
}

static const struct cli_option OPTIONS[] = {
    CLI_ONE_FORMAT(format_word), CLI_ONE_OUT,    CLI_ONE_TRACK, CLI_KEY_ROW("--app"),
    CLI_KEY_ROW("--open"),       CLI_ONE_MEMBER, CLI_ONE_NAMES, CLI_ONE_QUIET,
};

const struct cli_command CLI_CALLS = {
    .name = "calls",
    .synopsis = "[OPTION...] FILE",
    .summary = "list all calls one by one, with their times",
    .description =
        "Prints a row for each call: thread, start, end, cpu, self, depth, class, method, signature. Times are whole "
        "microseconds since the trace's start, rounded down once in each cell. - is standard input, if it is a "
        "file.\n"
        "A row is written when its call has ended, so that any number of them needs little memory: a call comes "
        "behind what it called, threads take turns, and calls that are never left come last. `sort -n -k1,1 -k2,2` of "
        "the tsv brings them into the order of their threads and starts.\n"
        "--from and --to list the calls that were entered in that range, with their whole times. Under filters, calls "
        "whose frame is not shown are left out, their self counts for the call that has it in the filtered stacks, "
        "and depth counts the frames that are shown.\n",
    .options = OPTIONS,
    .n_options = sizeof(OPTIONS) / sizeof(OPTIONS[0]),
    .keys = KEYS_CALLS,
    .run = calls,
};

/* ---- writing a view ---- */

/* One view of a profile, written. */

/* The format in which the output has the view's calls in the order of time, if the view is one of times,
 * of threads apart; else NULL. */
static const struct call_format *cli_view_calls(const struct output *output, const struct profile *p,
                                                const struct view_options *view)
{
    struct measure measure;

    if (output->calls == NULL || view->tracks == TRACKS_MERGED || p->n_times == 0 ||
        (view->value[0] != '\0' &&
         (!measure_by_name(p, view->value, &measure) || measure.waiting || measure.value >= p->n_times)))
        return NULL;
    return call_format_by_name(str_of(output->calls));
}

/* A result that may be larger than memory is written while it is made. The log of calls is read for calls,
 * of which `source` has to be the whole, and for charts. `out` is empty, and may be used again. False: diag. */
static bool cli_view_write(const struct convert_source *source, const struct output *output,
                           const struct view_options *view, const char *path, struct buf *out,
                           struct diag *diag)
{
    const struct call_format *calls = cli_view_calls(output, shared_profile_get(source->profile), view);
    struct cli_output to;
    struct writing w = {.to = &to};

    if (calls == NULL && !output->appends)
        return convert_view(source, output, view, out, diag) && cli_write(path, buf_view(out), diag);
    if (!cli_output_open(&to, path, diag))
        return false;
    if (calls != NULL)
        return cli_output_close(&to, cli_calls_write(source, view, calls, &to, diag), diag);
    struct buf piece = {.drain = put, .drain_context = &w};
    bool ok = convert_view(source, output, view, &piece, diag) && put(&w, buf_view(&piece));
    if (w.diag.kind != DIAG_NONE)
        *diag = w.diag;
    buf_free(&piece);
    return cli_output_close(&to, ok, diag);
}

/* ---- options ---- */

/* aflamed render, as aflamed export uses it. */

/* The options of render; those of export begin behind the first one, --output. */
enum { CLI_RENDER_OPTIONS_COUNT = 7 };

/* aflamed render, and what aflamed export shares with it: profiles to files or to standard output, without
 * store and network. Exports are the outputs that other tools read. */

enum { NAME_BYTES = 80 }; /* of a name in a path, cleaned */

static const char HINT[] = "aflamed render --help lists the options.";

static const char EXPORT_HINT[] = "aflamed export --help lists the formats.";

struct options {
    const struct cli_command
        *command;            /* CLI_RENDER, or CLI_EXPORT, whose first operand is the output's name */
    const char *output_name; /* NULL: not given */
    const struct output *output;
    struct asked asked;        /* without the tracks, which need the profile */
    const char *tracks;        /* NULL: not given */
    const char *out, *out_dir; /* NULL: not given */
    const char *member;        /* of an archive; CLI_EVERY_MEMBER: each; or "" */
    const char *place; /* of one of several members, its folder, and its name in messages; NULL elsewhere */
    struct cli_names names;
    bool quiet;
    const char **files; /* the operands; of a trace in two files, the data file */
    const char **keys;  /* beside it: the key file, or NULL */
    size_t n_files;
};

/* ---- options ---- */

/* Of render, the row of --output knows the words; of export, it is the first operand. */
static bool choose_output(struct options *o, struct diag *diag)
{
    struct str name = str_of(o->output_name != NULL ? o->output_name : OUTPUTS[0]->name);
    struct buf names = {0};
    bool exports = o->command == &CLI_EXPORT;

    o->output = exports && o->output_name == NULL ? NULL : output_by_name(name);
    if (o->output != NULL && (o->output->exported || !exports))
        return true;
    for (size_t i = 0; i < OUTPUTS_COUNT; i++)
        if (OUTPUTS[i]->exported)
            buf_printf(&names, "%s%s", names.n == 0 ? "" : ", ", OUTPUTS[i]->name);
    for (size_t i = 0; i < CALL_FORMATS_COUNT; i++)
        if (CALL_FORMATS[i]->exported && output_by_name(str_of(CALL_FORMATS[i]->text.name)) == NULL)
            buf_printf(&names, ", %s", CALL_FORMATS[i]->text.name);
    if (o->output_name == NULL)
        diag_set(diag, DIAG_USAGE, "no format", EXPORT_HINT,
                 "Name a format in front of the file: there are %.*s.", (int)names.n,
                 names.n > 0 ? names.p : "none");
    else
        diag_set(diag, DIAG_USAGE, "format not understood", EXPORT_HINT, "%.*s: there are %.*s.",
                 (int)(name.n < 60 ? name.n : 60), name.p, (int)names.n, names.n > 0 ? names.p : "none");
    buf_free(&names);
    return false;
}

/* Tracks may be named, which needs the profile. */
static bool take(struct options *o, struct cli_arguments *all, struct cli_argument *a, struct diag *diag)
{
    if (!str_eq(a->name, STR("--track")))
        return cli_take(o->command, o, &o->asked, all, a, diag);
    if (!cli_value(all, a, diag))
        return false;
    o->tracks = a->value.p; /* the end of an argument: terminated */
    return true;
}

/* What only makes sense together, and where the result goes if nothing says so. */
static bool check_options(struct options *o, struct diag *diag)
{
    if (o->n_files == 0)
        return diag_set(diag, DIAG_USAGE, "no file", HINT, "Name a file to read, or - for standard input.");
    if (o->out != NULL && o->out_dir != NULL)
        return diag_set(diag, DIAG_USAGE, "two places for the result", HINT, "Use one of -o and --out-dir.");
    if (o->out_dir == NULL && o->n_files > 1)
        return diag_set(diag, DIAG_USAGE, "several files", HINT,
                        "The results of several files need --out-dir.");
    if (o->out_dir == NULL && strcmp(o->member, CLI_EVERY_MEMBER) == 0)
        return diag_set(diag, DIAG_USAGE, "several files", HINT,
                        "The results of all files of an archive need --out-dir.");
    if (o->out == NULL && o->out_dir == NULL && !o->output->text && isatty(STDOUT_FILENO))
        return diag_set(diag, DIAG_USAGE, "no place for the result", HINT,
                        "An output %s is not for a terminal: name a file by -o, or a folder by --out-dir.",
                        o->output->name);
    if (o->out == NULL && o->out_dir == NULL)
        o->out = "-";
    return true;
}

static bool parse(struct options *o, int n_arguments, char *const *arguments, struct diag *diag)
{
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    o->member = "";
    asked_defaults(&o->asked);
    while (cli_next(&all, &a)) {
        if (a.name.n == 0 && o->command == &CLI_EXPORT && o->output_name == NULL) {
            o->output_name = a.value.p;
            continue;
        }
        if (a.name.n == 0) {
            o->files[o->n_files++] = a.value.p;
            continue;
        }
        if (!take(o, &all, &a, diag))
            return false;
    }
    o->n_files = cli_pair_files(o->files, o->keys, o->n_files);
    if (o->command == &CLI_EXPORT && o->tracks == NULL && o->out_dir == NULL)
        o->tracks = "all";
    return choose_output(o, diag) && check_options(o, diag);
}

/* Nothing that is read is overwritten: not by the results of another file either. */
static bool spares_inputs(const struct options *o, const char *path, struct diag *diag)
{
    return cli_spares(path, o->files, o->n_files, diag) && cli_spares(path, o->keys, o->n_files, diag) &&
           cli_spares_names(path, &o->names, diag);
}

/* ---- names of files ---- */

/* [A-Za-z0-9._-] is kept, all else becomes `_`; never a name with a meaning to the system. */
static void put_cleaned(struct buf *b, struct str name)
{
    static const char KEPT[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t n = name.n < NAME_BYTES ? name.n : NAME_BYTES;

    if (n == 0 || str_eq(name, STR(".")) || str_eq(name, STR("..")))
        buf_char(b, '_');
    for (size_t i = 0; i < n; i++)
        buf_char(b, memchr(KEPT, name.p[i], sizeof(KEPT) - 1) != NULL ? name.p[i] : '_');
}

/* The name of a packed file without the suffix of its packing. */
static struct str without_packing(struct str name)
{
    static const struct str SUFFIXES[] = {STR_INIT(".gz"), STR_INIT(".zst"), STR_INIT(".zip")};

    for (size_t i = 0; i < sizeof(SUFFIXES) / sizeof(*SUFFIXES); i++)
        if (name.n > SUFFIXES[i].n && str_ends(name, SUFFIXES[i]))
            return (struct str){name.p, name.n - SUFFIXES[i].n};
    return name;
}

/* The name under which a file's results stand in a folder of their own. */
static void put_file_name(struct buf *b, const char *path)
{
    struct str name = strcmp(path, "-") == 0 ? STR("stdin") : str_behind_last(str_of(path), '/');

    put_cleaned(b, without_packing(name));
}

static void put_track_name(struct buf *b, const struct profile *p, uint32_t id)
{
    const struct profile_track *track = profile_track_by_id(p, id);

    buf_u64(b, id);
    buf_char(b, '-');
    if (track != NULL)
        put_cleaned(b, profile_string(p, track->name));
}

static void put_view_name(struct buf *b, const struct profile *p, const struct view_options *view)
{
    size_t begin = b->n;

    if (view->tracks != TRACKS_LISTED) {
        buf_z(b, view->tracks == TRACKS_ALL ? "all" : "merged");
    } else if (view->n_track_ids == 1) {
        put_track_name(b, p, view->track_ids[0]);
    } else {
        for (uint32_t i = 0; i < view->n_track_ids && b->n - begin < NAME_BYTES; i++) {
            buf_z(b, i == 0 ? "" : "_");
            buf_u64(b, view->track_ids[i]);
        }
    }
}

/* As mkdir -p. */
static bool make_folder(const char *path, struct diag *diag)
{
    struct buf part = {0};
    size_t n = strlen(path);
    bool ok = true;

    for (size_t i = 1; ok && i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        buf_clear(&part);
        buf_bytes(&part, path, i);
        buf_char(&part, '\0');
        ok = !part.failed && (mkdir(part.p, 0777) == 0 || errno == EEXIST);
    }
    if (!ok)
        diag_set(diag, DIAG_IO, "cannot make the folder", "Check that you may write there.", "%.*s: %s.",
                 (int)clean_cut(str_of(path), 300).n, path, strerror(errno));
    buf_free(&part);
    return ok;
}

/* ---- one file: all its tracks, side by side ---- */

struct drawing {
    const struct options *options;
    const struct convert_source *source;
    const char *folder;
    struct view_options *views; /* the heaviest track first */
    uint32_t n_views;
    atomic_uint next;
    atomic_bool failed;
    pthread_mutex_t mutex; /* over diag */
    struct diag diag;      /* of the first failure */
};

/* Where the view goes, into an empty buffer. */
static bool put_path(struct buf *path, const struct drawing *d, const struct view_options *view,
                     struct diag *diag)
{
    buf_z(path, d->folder);
    buf_char(path, '/');
    put_view_name(path, shared_profile_get(d->source->profile), view);
    buf_char(path, '.');
    buf_z(path, d->options->output->suffix);
    buf_char(path, '\0');
    return !path->failed ||
           diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left for a path.");
}

static bool draw(const struct drawing *d, const struct view_options *view, struct buf *out, struct diag *diag)
{
    struct buf path = {0};

    buf_clear(out);
    bool ok = put_path(&path, d, view, diag) &&
              cli_view_write(d->source, d->options->output, view, path.p, out, diag);
    buf_free(&path);
    return ok;
}

/* One buffer for all that this worker draws: fresh memory would cost more than the drawing. */
static void run_drawer(void *drawing)
{
    struct drawing *d = drawing;
    struct buf out = {0};

    while (!atomic_load(&d->failed)) {
        unsigned i = atomic_fetch_add(&d->next, 1);
        struct diag diag = {0};
        if (i >= d->n_views)
            break;
        if (draw(d, &d->views[i], &out, &diag))
            continue;
        pthread_mutex_lock(&d->mutex);
        if (!atomic_exchange(&d->failed, true))
            d->diag = diag;
        pthread_mutex_unlock(&d->mutex);
    }
    buf_free(&out);
}

static bool draw_all(struct drawing *d, struct diag *diag)
{
    struct parallel_job jobs[PARALLEL_JOBS_MAX];
    unsigned n = turns_cores() < PARALLEL_JOBS_MAX ? turns_cores() : PARALLEL_JOBS_MAX;

    pthread_mutex_init(&d->mutex, NULL);
    for (unsigned i = 0; i < n; i++)
        jobs[i] = (struct parallel_job){run_drawer, d};
    threads_parallel(jobs, n < d->n_views ? n : d->n_views);
    if (atomic_load(&d->failed))
        *diag = d->diag;
    pthread_mutex_destroy(&d->mutex);
    return diag->kind == DIAG_NONE;
}

/* The views of a folder: what was asked for, or one of each track, the heaviest first. */
static bool plan(struct drawing *d, const struct view_options *view, struct diag *diag)
{
    const struct profile *p = shared_profile_get(d->source->profile);
    uint32_t n = d->options->tracks != NULL ? 1 : p->n_tracks;
    uint32_t *order = calloc(p->n_tracks + 1u, sizeof(*order));

    d->views = calloc(n + 1u, sizeof(*d->views));
    if (order == NULL || d->views == NULL) {
        free(order);
        return diag_no_memory(diag, "No memory is left to plan the views.");
    }
    profile_tracks_by_weight(p, order);
    for (uint32_t i = 0; i < n; i++) {
        d->views[i] = *view;
        if (d->options->tracks == NULL) {
            d->views[i].n_track_ids = 1;
            d->views[i].track_ids[0] = p->tracks[order[i]].id;
        }
    }
    d->n_views = n;
    free(order);
    return true;
}

/* Before anything is drawn. */
static bool check_paths(const struct drawing *d, struct diag *diag)
{
    struct buf path = {0};
    bool ok = true;

    for (uint32_t i = 0; ok && i < d->n_views; i++) {
        buf_clear(&path);
        ok = put_path(&path, d, &d->views[i], diag) && spares_inputs(d->options, path.p, diag);
    }
    buf_free(&path);
    return ok;
}

static bool render_folder(const struct options *o, const struct convert_source *source, const char *file,
                          const struct view_options *view, struct diag *diag)
{
    struct drawing d = {.options = o, .source = source};
    struct buf folder = {0};

    buf_z(&folder, o->out_dir);
    if (o->n_files > 1) {
        buf_char(&folder, '/');
        put_file_name(&folder, file);
    }
    if (o->place != NULL)
        buf_printf(&folder, "/%s", o->place);
    buf_char(&folder, '\0');
    d.folder = folder.p;
    bool ok = !folder.failed
                  ? plan(&d, view, diag) && check_paths(&d, diag) && make_folder(folder.p, diag) &&
                        draw_all(&d, diag)
                  : diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left for a path.");
    free(d.views);
    buf_free(&folder);
    return ok;
}

static bool render_one(const struct options *o, const struct convert_source *source,
                       const struct view_options *view, struct diag *diag)
{
    struct buf out = {0};
    bool ok = cli_view_write(source, o->output, view, o->out, &out, diag);

    buf_free(&out);
    return ok;
}

/* `path` leads to the bytes, `file` is what it is called. */
static int render_file(const struct options *o, const struct config *config, const char *file,
                       const char *path)
{
    const char *shown = o->place != NULL ? o->place : o->n_files > 1 ? file : NULL;
    struct diag diag = {0};
    const bool with_log = cli_shows_times(&o->asked.view) || o->output->calls != NULL;
    const struct cli_reading reading = {o->member, &o->names, o->asked.view.split, with_log, false};
    struct shared_profile *folded = cli_fold(config, path, &reading, &diag), *window = NULL;

    if (folded == NULL)
        return cli_error(shown, &diag);
    struct view_options view = o->asked.view;
    bool ok = o->tracks == NULL || cli_tracks(&view, shared_profile_get(folded), o->tracks, &diag);
    /* A list of calls cuts its range itself, from the whole. */
    bool calls = ok && cli_view_calls(o->output, shared_profile_get(folded), &view) != NULL;
    ok = ok && (calls || cli_window(config, folded, &view, &window, &diag));
    const struct shared_profile *drawn = window != NULL ? window : folded;
    const struct parallel parallel = cli_parallel();
    struct convert_source source = {.profile = drawn, .config = config, .fd = -1, .parallel = &parallel};
    ok = ok && (o->out_dir != NULL ? render_folder(o, &source, file, &view, &diag)
                                   : render_one(o, &source, &view, &diag));
    if (ok && !o->quiet)
        cli_warnings(shown, shared_profile_get(drawn), view.open);
    shared_profile_free(window);
    shared_profile_free(folded);
    return ok ? CLI_OK : cli_error(shown, &diag);
}

/* An archive of which each member is rendered. */
struct archive {
    const struct options *options;
    const struct config *config;
    const char *file;
};

static int render_member(void *context, const char *name, const char *choice, size_t number)
{
    const struct archive *a = context;
    struct options o = *a->options;
    struct diag diag = {0};
    struct buf place = {0};

    buf_printf(&place, "%zu-", number);
    put_file_name(&place, name);
    buf_char(&place, '\0');
    o.member = choice;
    o.place = place.p;
    if (place.failed)
        diag_set(&diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left for a path.");
    int status = place.failed ? cli_error(name, &diag) : render_file(&o, a->config, a->file, a->file);
    buf_free(&place);
    return status;
}

static int render_archive(const struct options *o, const struct config *config, const char *file)
{
    struct archive a = {o, config, file};

    return cli_each_member(config, file, o->n_files > 1 ? file : NULL, render_member, &a);
}

static int render_two(const struct options *o, const struct config *config, const char *key, const char *data)
{
    struct diag diag = {0};
    int fd = cli_join(key, data, &diag);
    char path[32];

    if (fd < 0)
        return cli_error(o->n_files > 1 ? data : NULL, &diag);
    snprintf(path, sizeof(path), CLI_JOINED_FORMAT, fd);
    int status = render_file(o, config, data, path);
    close(fd);
    return status;
}

/* ---- all files ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Results of two files must not fall into one folder. */
static bool check_names(const struct options *o, struct diag *diag)
{
    struct buf *names = calloc(o->n_files, sizeof(*names));
    const char **sorted = calloc(o->n_files, sizeof(*sorted));
    bool ok = names != NULL && sorted != NULL;

    for (size_t i = 0; ok && i < o->n_files; i++) {
        put_file_name(&names[i], o->files[i]);
        buf_char(&names[i], '\0');
        sorted[i] = names[i].p;
        ok = !names[i].failed;
    }
    if (!ok)
        diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left for the names of the files.");
    else
        qsort(sorted, o->n_files, sizeof(*sorted), compare_names);
    for (size_t i = 1; ok && i < o->n_files; i++)
        ok = strcmp(sorted[i - 1], sorted[i]) != 0 ||
             diag_set(diag, DIAG_USAGE, "two files of one name", "Render them with different --out-dir.",
                      "The results of two files would both stand in %s.", sorted[i]);
    for (size_t i = 0; names != NULL && i < o->n_files; i++)
        buf_free(&names[i]);
    free(sorted);
    free(names);
    return ok;
}

static int render_files(const struct options *o)
{
    struct config config;
    int status = CLI_OK;

    cli_config(&config);
    for (size_t i = 0; i < o->n_files; i++) {
        int of_file = o->keys[i] != NULL ? render_two(o, &config, o->keys[i], o->files[i])
                      : strcmp(o->member, CLI_EVERY_MEMBER) == 0
                          ? render_archive(o, &config, o->files[i])
                          : render_file(o, &config, o->files[i], o->files[i]);
        status = of_file > status ? of_file : status;
    }
    return status;
}

/* Of CLI_EXPORT, the first operand is the output's name. Returns the exit status. */
static int cli_render_run(const struct cli_command *command, int n_arguments, char *const *arguments)
{
    struct options o = {.command = command,
                        .files = calloc((size_t)n_arguments + 1, sizeof(*o.files)),
                        .keys = calloc((size_t)n_arguments + 1, sizeof(*o.keys))};
    struct diag diag = {0};

    bool ok =
        (o.files != NULL && o.keys != NULL) || diag_no_memory(&diag, "No memory is left for the arguments.");
    ok = ok && parse(&o, n_arguments, arguments, &diag);
    ok = ok && (o.n_files <= 1 || check_names(&o, &diag));
    ok = ok && (o.out == NULL || spares_inputs(&o, o.out, &diag));
    int status = ok ? render_files(&o) : cli_error(NULL, &diag);
    free(o.files);
    free(o.keys);
    return status;
}

static int render(int n_arguments, char *const *arguments)
{
    return cli_render_run(&CLI_RENDER, n_arguments, arguments);
}

static struct cli_word output_word(size_t i)
{
    return i < OUTPUTS_COUNT ? (struct cli_word){OUTPUTS[i]->name, OUTPUTS[i]->label}
                             : (struct cli_word){NULL, NULL};
}

#define FIELD(member) offsetof(struct options, member)

static const struct cli_option CLI_RENDER_OPTIONS[CLI_RENDER_OPTIONS_COUNT] = {
    {"--output", NULL, CLI_TEXT, FIELD(output_name), "NAME", "what to make", output_word},
    {"-o", NULL, CLI_PATH, FIELD(out), "FILE",
     "where to write; - is standard output, the default of text outputs and of pipes", NULL},
    {"--out-dir", NULL, CLI_PATH, FIELD(out_dir), "DIR",
     "write DIR/TRACK-NAME.SUFFIX; of several files, DIR/FILE/TRACK-NAME.SUFFIX", NULL},
    {"--member", NULL, CLI_TEXT, FIELD(member), "NAME",
     "of several files in an archive, the one to read; all: each, into DIR/NUMBER-FILE of --out-dir", NULL},
    {"--mapping", NULL, CLI_MAPPINGS, FIELD(names.mappings), "[PACKAGE=]FILE", CLI_MAPPING_HELP, NULL},
    {"--symbols", NULL, CLI_TEXTS, FIELD(names.symbols), "FILE|DIR", CLI_SYMBOLS_HELP, NULL},
    {"--quiet", "-q", CLI_SWITCH, FIELD(quiet), NULL, "no warnings about the profile", NULL},
};

const struct cli_command CLI_RENDER = {
    .name = "render",
    .synopsis = "[OPTION...] FILE...",
    .summary = "draw profiles into files",
    .description =
        "Reads profiles and draws them; - is standard input.\n"
        "A key file and its data file side by side (x.key x.data) are one trace, and so are a streaming "
        "trace and its summary (x.trace x.trace.sec).\n"
        "A packed file (gzip, zstd, zip) is unpacked.\n",
    .options = CLI_RENDER_OPTIONS,
    .n_options = CLI_RENDER_OPTIONS_COUNT,
    .keys = KEYS_TRACK | KEYS_VIEW | KEYS_BUDGET | KEYS_OUTLINE,
    .run = render,
};

/* ---- export ---- */

/* aflamed export: render, for outputs that other tools read, and calls, for formats of these. */

/* Formats of calls one by one are those of `aflamed calls`, and take its options. */
static int export_calls(int n_arguments, char *const *arguments)
{
    char **all = calloc((size_t)n_arguments + 2, sizeof(*all));
    static char FORMAT[] = "--format";
    struct diag diag = {0};

    if (all == NULL) {
        diag_no_memory(&diag, "No memory is left for the arguments.");
        return cli_error(NULL, &diag);
    }
    all[0] = FORMAT;
    memcpy(&all[1], arguments, (size_t)n_arguments * sizeof(*all));
    int status = CLI_CALLS.run(n_arguments + 1, all);
    free(all);
    return status;
}

static int export(int n_arguments, char *const *arguments)
{
    const struct call_format *calls = n_arguments > 0 ? call_format_by_name(str_of(arguments[0])) : NULL;

    /* An output that has the same in the order of time chooses by the profile. */
    return calls != NULL && calls->exported && output_by_name(str_of(arguments[0])) == NULL
               ? export_calls(n_arguments, arguments)
               : cli_render_run(&CLI_EXPORT, n_arguments, arguments);
}

const struct cli_command CLI_EXPORT = {
    .name = "export",
    .synopsis = "FORMAT [OPTION...] FILE...",
    .summary = "write profiles in the formats of other tools",
    .description =
        "The same as render, for outputs that other tools read. FORMAT is one of these: speedscope "
        "(www.speedscope.app), perfetto (ui.perfetto.dev), pprof (profile.proto, packed), firefox "
        "(profiler.firefox.com, packed), chrome (trace events, for chrome://tracing), folded (flamegraph.pl, "
        "inferno), json (the tree, for scripts).\n"
        "All tracks are written unless --track chooses some; of several files, or with --out-dir, each track has a "
        "file.\n"
        "perfetto and chrome have each call by itself, with its times: they are `aflamed calls --format perfetto` and "
        "`--format chrome`, and take the options of that command. speedscope has each call as well where the file has "
        "times, if --value is one of them and the threads are not merged. The others have the stacks of the flame "
        "graph: calls with equal stacks are one, and stand where the tree has them, not where they were in time.\n",
    .options = CLI_RENDER_OPTIONS + 1,
    .n_options = CLI_RENDER_OPTIONS_COUNT - 1,
    .keys = KEYS_TRACK | KEYS_VIEW | KEYS_BUDGET | KEYS_OUTLINE,
    .run = export,
};
