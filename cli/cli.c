#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli_output.h"
#include "cli/cli_spool.h"
#include "core/clean.h"
#include "core/system/file.h"
#include "core/system/memory_limit.h"
#include "profile/transform/open_frames.h"
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
    argument->value =
        equals < text.n ? (struct str){text.p + equals + 1, text.n - equals - 1} : (struct str){NULL, 0};
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

bool cli_no_value(const struct cli_argument *argument, struct diag *diag)
{
    return argument->value.p == NULL ||
           diag_set(diag, DIAG_USAGE, "option with a value", "aflamed COMMAND --help lists the options.",
                    "%.*s takes no value.", (int)argument->name.n, argument->name.p);
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

struct head {
    uint8_t bytes[IDENTIFY_BYTES];
    size_t n;
};

/* Reads until the piece is full or the input ends. -1: errno. */
static ssize_t read_full(int fd, uint8_t *piece)
{
    size_t n = 0;

    while (n < READ_BYTES) {
        ssize_t got = TEMP_FAILURE_RETRY(read(fd, piece + n, READ_BYTES - n));
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

/* The file to read as a whole: the input itself, if that is a file of a name; else a copy of it, the beginning of which has
 * been read already. -1: errno. */
static int whole_file(int fd, const uint8_t *begun, size_t n)
{
    struct stat st;

    if (fd != STDIN_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    int to = cli_spool_open();
    if (to < 0 || (file_write_all(to, begun, n) && cli_spool_append(to, fd)))
        return to;
    int why = errno;
    close(to);
    errno = why;
    return -1;
}

/* What the reader refuses, its own diag says at the end. *whole: what was read, if that is wanted as a whole, or -1. False
 * only if the file cannot be read. */
static bool feed(struct conversion *f, int fd, struct head *head, int *whole)
{
    uint8_t *piece = malloc(READ_BYTES);
    ssize_t n = piece == NULL ? -1 : read_full(fd, piece);
    bool ok = n >= 0;

    *whole = -1;
    if (ok) {
        head->n = (size_t)n < sizeof(head->bytes) ? (size_t)n : sizeof(head->bytes);
        memcpy(head->bytes, piece, head->n);
    }
    while (n > 0 && conversion_feed(f, piece, (size_t)n, NULL)) {
        n = read_full(fd, piece);
        ok = n >= 0;
    }
    /* The first piece has more bytes than any format needs to be known. */
    if (n > 0 && conversion_wants_whole(f)) {
        *whole = whole_file(fd, piece, (size_t)n);
        ok = *whole >= 0;
    }
    free(piece);
    return ok;
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

static struct shared_profile *fold_open(const struct config *config, int fd, const char *path,
                                        const struct cli_reading *reading, struct diag *diag)
{
    struct conversion *f = conversion_new(config);
    struct head head = {.n = 0};
    struct shared_profile *folded = NULL;
    int whole = -1;

    if (f == NULL) {
        diag_no_memory(diag, "No memory is left to read the file.");
        return NULL;
    }
    conversion_choose(f, reading->member);
    conversion_split(f, reading->split);
    if (!tell_names(f, reading->names, diag) || (reading->with_log && !conversion_keep_log(f, diag))) {
        conversion_abandon(f);
        return NULL;
    }
    if (!feed(f, fd, &head, &whole)) {
        refused(diag, "cannot read the file", path,
                "Name a file that can be read from its beginning to its end.");
        conversion_abandon(f);
        return NULL;
    }
    folded = conversion_finish(f, whole, NULL, diag);
    if (whole >= 0 && whole != fd)
        close(whole);
    if (folded == NULL)
        identify_refused(diag, head.bytes, head.n);
    return folded;
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

bool cli_window(const struct config *config, const struct shared_profile *whole, const char *path,
                const struct view_options *view, struct shared_profile **window, struct diag *diag)
{
    struct window wanted;

    if (!view_window(view, &wanted, diag))
        return diag->kind == DIAG_NONE;
    const struct convert_source source = {whole, config, cli_open_again(path, diag), NULL};
    if (source.fd < 0)
        return false;
    *window = convert_window(&source, &wanted, diag);
    close(source.fd);
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
