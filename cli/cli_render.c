/* aflamed render, and what aflamed export shares with it: profiles to files or to standard output, without store and network. Exports are
 * the outputs that other tools read. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli_members.h"
#include "cli/cli_render.h"
#include "cli/cli_tracks.h"
#include "cli/cli_view.h"
#include "core/clean.h"
#include "core/system/threads.h"
#include "core/system/turns.h"
#include "render/output.h"

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
        if (CALL_FORMATS[i].exported && output_by_name(str_of(CALL_FORMATS[i].text.name)) == NULL)
            buf_printf(&names, ", %s", CALL_FORMATS[i].text.name);
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
static enum cli_taken take(struct options *o, struct cli_arguments *all, struct cli_argument *a,
                           struct diag *diag)
{
    if (!str_eq(a->name, STR("--track")))
        return cli_take(o->command, o, &o->asked, all, a, diag);
    if (!cli_value(all, a, diag))
        return CLI_REFUSED;
    o->tracks = a->value.p; /* the end of an argument: terminated */
    return CLI_TAKEN;
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
        enum cli_taken taken = take(o, &all, &a, diag);
        if (taken == CLI_REFUSED || (taken == CLI_NOT_OWN && !cli_unknown(o->command, &a, diag)))
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

/* Of a packed file, the name of what is in it. */
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

struct drawer {
    struct thread_job job;
    struct drawing *drawing;
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
static void run_drawer(struct thread_job *job)
{
    struct drawing *d = ((struct drawer *)(void *)job)->drawing;
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
    const unsigned n = turns_cores();
    struct threads *threads = threads_new(&n, 1, 0);
    struct drawer *drawers = calloc(n, sizeof(*drawers));

    pthread_mutex_init(&d->mutex, NULL);
    if (threads == NULL || drawers == NULL)
        run_drawer(&(struct drawer){{.run = run_drawer}, d}.job);
    for (size_t i = 0; threads != NULL && drawers != NULL && i < n; i++) {
        drawers[i] = (struct drawer){{.run = run_drawer}, d};
        threads_submit(threads, 0, &drawers[i].job);
    }
    threads_free(threads); /* behind the last drawer */
    free(drawers);
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
    const struct cli_reading reading = {o->member, &o->names, o->asked.view.split, with_log};
    struct shared_profile *folded = cli_fold(config, path, &reading, &diag), *window = NULL;

    if (folded == NULL)
        return cli_error(shown, &diag);
    struct view_options view = o->asked.view;
    bool ok = o->tracks == NULL || cli_tracks(&view, shared_profile_get(folded), o->tracks, &diag);
    /* A list of calls cuts its range itself, from the whole. */
    bool calls = ok && cli_view_calls(o->output, shared_profile_get(folded), &view) != NULL;
    ok = ok && (calls || cli_window(config, folded, path, &view, &window, &diag));
    const struct shared_profile *drawn = window != NULL ? window : folded;
    struct convert_source source = {drawn, config, -1, NULL};
    if (ok && (calls || view.view == VIEW_CHART))
        source.fd = cli_open_again(path, &diag);
    ok = ok && diag.kind == DIAG_NONE &&
         (o->out_dir != NULL ? render_folder(o, &source, file, &view, &diag)
                             : render_one(o, &source, &view, &diag));
    if (source.fd >= 0)
        close(source.fd);
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

int cli_render_run(const struct cli_command *command, int n_arguments, char *const *arguments)
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

const struct cli_option CLI_RENDER_OPTIONS[CLI_RENDER_OPTIONS_COUNT] = {
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
    .keys = KEYS_TRACK | KEYS_VIEW | KEYS_BUDGET,
    .run = render,
};
