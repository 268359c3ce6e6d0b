#include "cli/cli_one.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/cli_output.h"
#include "cli/cli_tracks.h"

/* ---- arguments ---- */

static bool add_file(struct cli_one *one, const char *operand, struct diag *diag)
{
    const char *files[2] = {one->file, operand}, *keys[2];

    if (one->file == NULL) {
        one->file = operand;
        return true;
    }
    if (one->key != NULL || cli_pair_files(files, keys, 2) != 1)
        return diag_set(diag, DIAG_USAGE, "several files", "aflamed --help lists what there is.",
                        "Name one file, or the two that are one trace: x.key and x.data.");
    one->file = files[0];
    one->key = keys[0];
    return true;
}

static bool parse(const struct cli_one_maker *maker, struct cli_one *one, int n_arguments,
                  char *const *arguments, struct diag *diag)
{
    const struct cli_command *c = maker->command;
    struct cli_arguments all = {arguments, n_arguments, false};
    struct cli_argument a;

    while (cli_next(&all, &a)) {
        if (!(a.name.n > 0 ? cli_take(c, one, &one->asked, &all, &a, diag) : add_file(one, a.value.p, diag)))
            return false;
        const struct key *key = cli_key(c, &a);
        if (key != NULL && (key->groups & KEYS_TABLE) != 0 && (key->groups & KEYS_METHOD) == 0)
            one->of_table = key->name;
    }
    char hint[80];
    snprintf(hint, sizeof(hint), "aflamed %s --help lists the options.", c->name);
    if (one->file == NULL)
        return diag_set(diag, DIAG_USAGE, "no file", hint, "Name a file to read, or - for standard input.");
    return maker->check == NULL || maker->check(one, diag);
}

/* ---- the text ---- */

/* `path` is that of the file, or of the two in one, as below. */
static bool put_text(const struct cli_one *one, struct convert_source *source, const char *path,
                     const struct cli_one_maker *maker, struct diag *diag)
{
    struct buf b = {0};
    bool ok = maker->make(one, source, path, &b, diag);

    if (ok && b.failed)
        ok = diag_set(diag, DIAG_NO_MEMORY, "out of memory", "", "No memory is left for the answer.");
    ok = ok && cli_write(one->out, buf_view(&b), diag);
    buf_free(&b);
    return ok;
}

static bool put_stream(const struct cli_one *one, struct convert_source *source,
                       const struct cli_one_maker *maker, struct diag *diag)
{
    struct cli_output to;

    if (!cli_output_open(&to, one->out, diag))
        return false;
    bool ok = maker->stream(one, source, &to, diag);
    return cli_output_close(&to, ok, diag);
}

static bool write_text(struct cli_one *one, const char *path, const struct cli_one_maker *maker,
                       struct diag *diag)
{
    struct config config;

    cli_config(&config);
    const struct cli_reading reading = {.member = one->member,
                                        .names = &one->names,
                                        .split = one->asked.view.split,
                                        .with_log = maker->stream != NULL || one->asked.table.longest ||
                                                    cli_shows_times(&one->asked.view),
                                        .with_events = maker->wants_calls != NULL && maker->wants_calls(one)};
    struct shared_profile *folded = cli_fold(&config, path, &reading, diag), *window = NULL;
    if (folded == NULL)
        return false;
    bool ok = maker->stream != NULL || cli_window(&config, folded, &one->asked.view, &window, diag);
    const struct shared_profile *shown = window != NULL ? window : folded;
    ok = ok &&
         (one->tracks == NULL || cli_tracks(&one->asked.view, shared_profile_get(shown), one->tracks, diag));
    const struct parallel parallel = cli_parallel();
    struct convert_source source = {.profile = shown, .config = &config, .fd = -1, .parallel = &parallel};
    ok = ok && (maker->stream != NULL ? put_stream(one, &source, maker, diag)
                                      : put_text(one, &source, path, maker, diag));
    if (source.fd >= 0)
        close(source.fd);
    if (ok && !one->quiet)
        cli_warnings(NULL, shared_profile_get(shown), one->asked.view.open);
    shared_profile_free(window);
    shared_profile_free(folded);
    return ok;
}

static bool write_one(struct cli_one *one, const struct cli_one_maker *maker, struct diag *diag)
{
    const char *const inputs[] = {one->file, one->key};
    char path[32];

    if (!cli_spares(one->out, inputs, 2, diag) || !cli_spares_names(one->out, &one->names, diag))
        return false;
    if (one->key == NULL)
        return write_text(one, one->file, maker, diag);
    int fd = cli_join(one->key, one->file, diag);
    if (fd < 0)
        return false;
    snprintf(path, sizeof(path), CLI_JOINED_FORMAT, fd);
    bool ok = write_text(one, path, maker, diag);
    close(fd);
    return ok;
}

int cli_one_run(const struct cli_one_maker *maker, struct cli_one *options, int n_arguments,
                char *const *arguments)
{
    struct diag diag = {0};

    options->out = "-";
    options->member = "";
    asked_defaults(&options->asked);
    options->asked.view.tracks = TRACKS_ALL;
    return parse(maker, options, n_arguments, arguments, &diag) && write_one(options, maker, &diag)
               ? CLI_OK
               : cli_error(NULL, &diag);
}
