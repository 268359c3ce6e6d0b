#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli_output.h"
#include "core/clean.h"
#include "core/system/folder.h"
#include "core/system/memory_limit.h"
#include "core/system/threads.h"
#include "profile/transform/transform.h"
#include "server/config/config_load.h"
#include "server/convert/identify.h"
#include "server/symbols/symbol_search.h"

enum { READ_BYTES = 256 << 10 };

/* ---- arguments ---- */

bool cli_next(struct cli_arguments *all, struct cli_argument *argument)
{
    if (all->left > 0 && !all->only_operands && strcmp(*all->next, "--") == 0) {
        all->only_operands = true;
        all->next++, all->left--;
    }
    if (all->left == 0)
        return false;
    struct str text = str_of(*all->next++);
    all->left--;
    *argument = (struct cli_argument){.value = text};
    if (all->only_operands || text.n < 2 || text.p[0] != '-')
        return true;
    size_t equals = str_starts(text, STR("--")) ? str_find(text, '=') : text.n;
    argument->name = (struct str){text.p, equals};
    argument->value = equals < text.n ? str_from(text, equals + 1) : (struct str){NULL, 0};
    return true;
}

bool cli_value(struct cli_arguments *all, struct cli_argument *argument, struct diag *diag)
{
    if (argument->value.p != NULL)
        return true;
    if (all->left == 0)
        return diag_set(diag, DIAG_USAGE, "option without value", "aflamed COMMAND --help lists the options.",
                        "%.*s needs a value.", (int)clean_cut(argument->name, 60).n, argument->name.p);
    argument->value = str_of(*all->next++);
    all->left--;
    return true;
}

/* ---- messages ---- */

/* A message that cannot be written has nowhere else to go. */
void cli_say(struct str text)
{
    bool written = file_write_all(STDERR_FILENO, text.p, text.n);

    (void)written;
}

/* Without memory for the message, `instead` is said. */
static void say(struct buf *b, const char *instead)
{
    if (b->failed)
        cli_say(str_of(instead));
    else
        cli_say(buf_view(b));
    buf_free(b);
}

static void put_file(struct buf *b, const char *file)
{
    if (file == NULL)
        return;
    clean_text(b, str_of(file));
    buf_z(b, ": ");
}

int cli_error(const char *file, const struct diag *diag)
{
    struct buf b = {0};

    buf_z(&b, "error: ");
    put_file(&b, file);
    clean_text(&b, str_of(diag->title));
    buf_z(&b, ": ");
    clean_text(&b, str_of(diag->detail));
    if (diag->has_offset) {
        buf_z(&b, " (at byte ");
        buf_u64(&b, diag->offset);
        buf_char(&b, ')');
    }
    buf_char(&b, '\n');
    if (diag->hint[0] != '\0') {
        buf_z(&b, "hint: ");
        clean_text(&b, str_of(diag->hint));
        buf_char(&b, '\n');
    }
    say(&b, diag->kind == DIAG_NO_MEMORY ? "error: out of memory\n"
                                         : "error: out of memory to say what is wrong\n");
    return diag->kind == DIAG_USAGE || diag->kind == DIAG_NOT_FOUND || diag->kind == DIAG_AMBIGUOUS
               ? CLI_USAGE
               : CLI_UNUSABLE;
}

void cli_warnings(const char *file, const struct profile *p, enum view_open open)
{
    struct buf b = {0};
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    const struct profile *shown = open == OPEN_END ? open_frames_to_end(p, &arena) : p;
    b.failed = shown == NULL;
    for (uint32_t i = 0; shown != NULL && i < shown->n_warnings; i++) {
        buf_z(&b, "warning: ");
        put_file(&b, file);
        clean_text(&b, shown->warnings[i].text);
        buf_char(&b, '\n');
    }
    arena_free(&arena);
    say(&b, "warning: out of memory to say what is wrong with the profile\n");
}

/* ---- reading ---- */

void cli_config(struct config *config)
{
    struct memory_limit limit = memory_limit_here();

    config_defaults(config);
    if (limit.bytes == UINT64_MAX)
        return;
    uint64_t half = limit.bytes / 2;
    if (half > config->job_memory_bytes)
        config->job_memory_bytes = half;
    if (half > config->view_memory_bytes)
        config->view_memory_bytes = half;
}

/* Why the system refused, with the path. Always false. */
static bool refused(struct diag *diag, const char *title, const char *path, const char *hint)
{
    const char *why = strerror(errno);

    return diag_set(diag, DIAG_IO, title, hint, "%.*s: %s.", (int)clean_cut(str_of(path), 300).n, path, why);
}

/* A file or pipe that is read from front to back. What was read of it first is kept: when the reader turns
 * out to want the whole of a pipe, it has not read more than that, and a copy is made in a file. */
struct cli_input {
    int fd;
    bool in_place; /* it can be read at any place */
    int copy;      /* -1: there is none */
    uint64_t at;   /* bytes that were read of a pipe */
    uint8_t *begun;
    size_t begun_bytes; /* READ_BYTES at most */
    atomic_int why;     /* errno, once it could not be read; else 0 */
};

static ptrdiff_t note_errno(struct cli_input *in, ptrdiff_t n)
{
    if (n < 0)
        in->why = errno;
    return n;
}

/* The next bytes of a pipe. */
static ptrdiff_t read_on(struct cli_input *in, void *to, size_t n)
{
    bool kept = in->begun_bytes < READ_BYTES;

    if (kept && n > READ_BYTES - in->begun_bytes)
        n = READ_BYTES - in->begun_bytes;
    ptrdiff_t got = TEMP_FAILURE_RETRY(read(in->fd, to, n));
    if (got <= 0)
        return note_errno(in, got);
    if (kept) {
        memcpy(in->begun + in->begun_bytes, to, (size_t)got);
        in->begun_bytes += (size_t)got;
    }
    in->at += (uint64_t)got;
    return got;
}

static ptrdiff_t read_at(void *context, uint64_t at, void *to, size_t n)
{
    struct cli_input *in = context;

    if (in->in_place || in->copy >= 0) {
        int fd = in->in_place ? in->fd : in->copy;
        return at > INT64_MAX ? 0 : note_errno(in, TEMP_FAILURE_RETRY(pread(fd, to, n, (off_t)at)));
    }
    if (at == in->at)
        return read_on(in, to, n);
    if (at >= in->begun_bytes) {
        in->why = ESPIPE;
        return -1;
    }
    if (n > in->begun_bytes - at)
        n = in->begun_bytes - (size_t)at;
    memcpy(to, in->begun + at, n);
    return (ptrdiff_t)n;
}

static bool copy_pipe(struct cli_input *in)
{
    bool ok = in->at == in->begun_bytes;

    if (ok)
        in->copy = cli_spool_open();
    else
        errno = ESPIPE;
    return ok && in->copy >= 0 && file_write_all(in->copy, in->begun, in->begun_bytes) &&
           cli_spool_append(in->copy, in->fd);
}

static bool input_size(void *context, uint64_t *bytes)
{
    struct cli_input *in = context;
    struct stat st = {.st_size = 0};
    bool ok =
        (in->in_place || in->copy >= 0 || copy_pipe(in)) && fstat(in->in_place ? in->fd : in->copy, &st) == 0;

    if (!ok)
        in->why = errno;
    *bytes = (uint64_t)st.st_size;
    return ok;
}

/* False: errno. */
static bool open_input(struct cli_input *in, int fd)
{
    struct stat st;
    bool in_place = fd != STDIN_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

    *in = (struct cli_input){.fd = fd, .in_place = in_place, .copy = -1, .begun = malloc(READ_BYTES)};
    return in->begun != NULL;
}

static void close_input(struct cli_input *in)
{
    free(in->begun);
    if (in->copy >= 0)
        close(in->copy);
}

static bool map_file(struct conversion *f, const char *path, struct str package, struct diag *diag)
{
    int fd = cli_open_again(path, diag);
    bool ok = fd >= 0 && conversion_map(f, fd, package, diag);

    if (fd >= 0)
        close(fd);
    return ok;
}

static bool map_files(struct conversion *f, const struct cli_mappings *mappings, struct diag *diag)
{
    for (size_t i = 0; i < mappings->n; i++)
        if (!map_file(f, mappings->paths[i], mappings->packages[i], diag))
            return false;
    return true;
}

/* A file that is named itself may be any of these kinds; what lies in a folder is passed over if it is none. */
static bool add_symbols(struct conversion *f, const char *path, struct diag *diag)
{
    struct str name = str_behind_last(str_of(path), '/');
    int fd = file_open(AT_FDCWD, path, O_RDONLY | O_NONBLOCK);

    if (fd < 0) {
        refused(diag, "cannot open the symbols", path, "Check the name, and that you may read it.");
        return false;
    }
    bool ok = symbol_check_file(fd, diag) && conversion_symbols(f, fd, name, diag);
    close(fd);
    return ok;
}

static bool tell_names(struct conversion *f, const struct cli_names *names, struct diag *diag)
{
    for (uint32_t i = 0; i < names->symbols.n; i++)
        if (!add_symbols(f, names->symbols.of[i], diag))
            return false;
    return map_files(f, &names->mappings, diag);
}

/* Says what was refused looks like. */
static void identify_input(struct cli_input *in, struct diag *diag)
{
    uint8_t head[IDENTIFY_BYTES];
    ptrdiff_t n =
        in->at > in->begun_bytes && in->begun_bytes < sizeof(head) ? 0 : read_at(in, 0, head, sizeof(head));

    if (n > 0)
        identify_refused(diag, head, (size_t)n);
}

/* Pieces of a file that several threads read at the same time. Where they are smaller, starting a thread and joining what
 * it read costs more than it gains. */
enum { PIECE_BYTES = 2 << 20 };

static void run_pieces(const struct parallel *p, const struct parallel_job *jobs, unsigned n)
{
    (void)p;
    threads_parallel(jobs, n);
}

struct parallel cli_parallel(void)
{
    unsigned cores = turns_cores();

    return (struct parallel){cores < PARALLEL_JOBS_MAX ? cores : PARALLEL_JOBS_MAX, PIECE_BYTES, run_pieces};
}

static struct shared_profile *read_input(struct conversion *f, int fd, const char *path, struct diag *diag)
{
    struct cli_input input;
    const struct source_input in = {.read_at = read_at, .size = input_size, .context = &input};
    const struct parallel parallel = cli_parallel();

    if (!open_input(&input, fd)) {
        conversion_abandon(f);
        diag_no_memory(diag, "No memory is left to read the file.");
        return NULL;
    }
    if (input.in_place)
        conversion_parallel(f, &parallel);
    struct shared_profile *made = conversion_read(f, &in, diag);
    if (made == NULL && input.why != 0) {
        errno = input.why;
        *diag = (struct diag){.kind = DIAG_NONE};
        refused(diag, "cannot read the file", path,
                "Name a file that can be read from its beginning to its end.");
    } else if (made == NULL) {
        identify_input(&input, diag);
    }
    close_input(&input);
    return made;
}

static struct shared_profile *fold_open(const struct config *config, int fd, const char *path,
                                        const struct cli_reading *reading, struct diag *diag)
{
    struct conversion *f = conversion_new(config);

    if (f == NULL) {
        diag_no_memory(diag, "No memory is left to read the file.");
        return NULL;
    }
    conversion_choose(f, reading->member);
    conversion_split(f, reading->split);
    if (!tell_names(f, reading->names, diag) ||
        ((reading->with_log || reading->with_events) && !conversion_keep_log(f, reading->with_log, diag))) {
        conversion_abandon(f);
        return NULL;
    }
    return read_input(f, fd, path, diag);
}

struct shared_profile *cli_fold(const struct config *config, const char *path,
                                const struct cli_reading *reading, struct diag *diag)
{
    if (strcmp(path, "-") == 0)
        return fold_open(config, STDIN_FILENO, "standard input", reading, diag);
    int fd = file_open(AT_FDCWD, path, O_RDONLY);
    if (fd < 0) {
        refused(diag, "cannot open the file", path, "Check the name, and that you may read it.");
        return NULL;
    }
    struct shared_profile *folded = fold_open(config, fd, path, reading, diag);
    close(fd);
    return folded;
}

bool cli_shows_times(const struct view_options *view)
{
    return view->from_ns != VIEW_TIME_NONE || view->to_ns != VIEW_TIME_NONE || view->view == VIEW_CHART;
}

int cli_open_again(const char *path, struct diag *diag)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : file_open(AT_FDCWD, path, O_RDONLY);

    if (fd < 0) {
        refused(diag, "cannot open the file", path, "Check the name, and that you may read it.");
        return -1;
    }
    if (lseek(fd, 0, SEEK_CUR) >= 0)
        return fd;
    if (errno != ESPIPE)
        refused(diag, "cannot read the file", path, "Try again, or read a copy of it.");
    close(fd);
    diag_set(diag, DIAG_USAGE, "input that can be read only once", "Save it in a file, and name that.",
             "What is asked for takes two readings.");
    return -1;
}

bool cli_window(const struct config *config, const struct shared_profile *whole,
                const struct view_options *view, struct shared_profile **window, struct diag *diag)
{
    struct window wanted;

    if (!view_window(view, &wanted, diag))
        return diag->kind == DIAG_NONE;
    const struct parallel parallel = cli_parallel();
    const struct convert_source source = {
        .profile = whole, .config = config, .fd = -1, .parallel = &parallel};
    *window = convert_window(&source, &wanted, diag);
    return *window != NULL;
}

/* ---- writing ---- */

static bool regular_file(const char *path, int standard_fd, struct stat *st)
{
    return (strcmp(path, "-") == 0 ? fstat(standard_fd, st) : stat(path, st)) == 0 && S_ISREG(st->st_mode);
}

bool cli_spares_names(const char *path, const struct cli_names *names, struct diag *diag)
{
    return cli_spares(path, names->mappings.paths, names->mappings.n, diag) &&
           cli_spares(path, names->symbols.of, names->symbols.n, diag);
}

bool cli_spares(const char *path, const char *const *inputs, size_t n_inputs, struct diag *diag)
{
    struct stat out, in;

    if (!regular_file(path, STDOUT_FILENO, &out))
        return true;
    for (size_t i = 0; i < n_inputs; i++)
        if (inputs[i] != NULL && regular_file(inputs[i], STDIN_FILENO, &in) && in.st_dev == out.st_dev &&
            in.st_ino == out.st_ino)
            return diag_set(diag, DIAG_USAGE, "the result's file is one that is read",
                            "Write the result elsewhere.", "%.*s would be overwritten.",
                            (int)clean_cut(str_of(inputs[i]), 300).n, inputs[i]);
    return true;
}

bool cli_write(const char *path, struct str bytes, struct diag *diag)
{
    struct cli_output o;

    if (!cli_output_open(&o, path, diag))
        return false;
    bool ok = cli_output_put(&o, bytes, diag);
    return cli_output_close(&o, ok, diag);
}
