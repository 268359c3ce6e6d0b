/* The child's answer, which is hostile: read twice, first to see that all of it makes sense. */
#include "server/symbols/symbol_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/diag.h"
#include "core/stop.h"
#include "core/system/clock.h"
#include "core/system/file.h"
#include "server/symbols/symbol_child.h"
#include "server/symbols/symbol_request.h"

/* ---- the answer ---- */

struct taking {
    struct symbols *s;
    uint32_t n_files;
    bool for_good; /* the second time */
    bool in_file, ended;
    uint32_t question; /* with has_question */
    bool has_question;
    struct symbols_name names[SYMBOLS_NAMES_MAX];
    uint32_t n;
};

static bool field_u32(struct str *rest, uint32_t below, uint32_t *value)
{
    struct str field;
    uint64_t number;

    if (!str_split(rest, '\t', &field) || !str_to_u64(field, 10, &number) || number >= below)
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool field_text(struct str *rest, struct str *text)
{
    return str_split(rest, '\t', text) && text->n <= SYMBOL_TEXT_BYTES * 4;
}

static bool is_better(const struct taking *t)
{
    const struct symbols_question *q = &t->s->questions[t->question];

    if (t->n != q->n)
        return t->n > q->n;
    return t->n > 0 && t->s->names[q->first].file.n == 0 && t->names[0].file.n > 0;
}

/* What was said of one address is complete. */
static bool finish_question(struct taking *t)
{
    bool ok = !t->has_question || !t->for_good || !is_better(t) ||
              symbols_answer(t->s, t->question, t->names, t->n);

    t->has_question = false;
    t->n = 0;
    return ok;
}

static bool take_fit(struct taking *t, struct str rest)
{
    uint32_t module, state;

    if (!field_u32(&rest, t->s->n_modules, &module) || !field_u32(&rest, SYMBOLS_STATES, &state) ||
        rest.p != NULL)
        return false;
    if (t->for_good)
        symbols_found(t->s, module, (enum symbols_state)state);
    return true;
}

static bool take_name(struct taking *t, struct str rest)
{
    struct symbols_name *name = &t->names[t->n];

    if (!t->has_question || t->n == SYMBOLS_NAMES_MAX || !field_u32(&rest, UINT32_MAX, &name->line) ||
        !field_text(&rest, &name->function) || !field_text(&rest, &name->file) || rest.p != NULL ||
        name->function.n == 0)
        return false;
    t->n++;
    return true;
}

static bool take_line(struct taking *t, struct str line)
{
    struct str word, rest = line;
    uint32_t file;

    if (t->ended || !str_split(&rest, '\t', &word))
        return false;
    if (str_eq(word, STR("in")))
        return take_name(t, rest);
    if (!finish_question(t))
        return false;
    if (str_eq(word, STR("end")))
        return t->ended = rest.p == NULL;
    if (str_eq(word, STR("file")))
        return t->in_file = field_u32(&rest, t->n_files, &file) && rest.p == NULL;
    if (str_eq(word, STR("fit")))
        return t->in_file && take_fit(t, rest);
    t->has_question = str_eq(word, STR("at")) && t->in_file &&
                      field_u32(&rest, t->s->n_questions, &t->question) && rest.p == NULL;
    return t->has_question;
}

static bool take_all(struct taking *t, struct str answer)
{
    struct str line;

    while (answer.n > 0 && str_split(&answer, '\n', &line))
        if (!take_line(t, line))
            return false;
    return t->ended && finish_question(t);
}

bool symbol_take(struct symbols *s, uint32_t n_files, struct str answer)
{
    struct taking check = {.s = s, .n_files = n_files}, take = {.s = s, .n_files = n_files, .for_good = true};

    return take_all(&check, answer) && take_all(&take, answer);
}

/* ---- the child from outside ---- */

enum { WAIT_FIRST_MS = 1, WAIT_MOST_MS = 50 };

static bool failed(struct diag *diag, const char *what)
{
    return diag_set(diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s: %s.", what,
                    strerror(errno));
}

static bool no_memory(struct diag *diag)
{
    return diag_no_memory(diag, "No memory is left to read the symbols.");
}

/* ---- the request ---- */

/* Without folders, and without the package that holds it: base.apk!libfoo.so. */
static struct str base_name(struct str path)
{
    return str_behind_last(str_behind_last(path, '/'), '!');
}

static void put_name(char to[SYMBOL_NAME_BYTES + 1], struct str name)
{
    size_t n = name.n < SYMBOL_NAME_BYTES ? name.n : SYMBOL_NAME_BYTES;

    memset(to, 0, SYMBOL_NAME_BYTES + 1);
    if (n > 0)
        memcpy(to, name.p, n);
}

/* A library that is done stays in the list, where the answer counts it, without name, build id and questions: no file is of it. */
static struct symbol_module module_of(const struct symbols *s, uint32_t module)
{
    const struct symbols_module *from = &s->modules[module];
    struct symbol_module m = {.first = from->first};
    struct str build_id = profile_string(s->profile, from->build_id);

    if (symbols_is_done(s, module))
        return m;
    m.n = from->n;
    put_name(m.name, base_name(profile_string(s->profile, from->path)));
    if (build_id.n > 0 && build_id.n <= SYMBOL_ID_CHARS)
        memcpy(m.build_id, build_id.p, build_id.n);
    else if (build_id.n > 0)
        m.build_id[0] = '?'; /* no file has that one */
    return m;
}

static bool write_request(const struct symbols *s, const struct symbol_input *files, uint32_t n,
                          const struct symbol_limits *limits, struct buf *b)
{
    struct symbol_head head = {.memory_bytes = limits->memory_bytes,
                               .cpu_s = limits->seconds,
                               .n_modules = s->n_modules,
                               .n_questions = s->n_questions,
                               .n_files = n};

    /* 32-bit counts of small structures: their sum is far from the end of 64 bits. */
    head.bytes = sizeof(head) + (uint64_t)s->n_modules * sizeof(struct symbol_module) +
                 (uint64_t)s->n_questions * sizeof(struct symbol_question) +
                 (uint64_t)n * sizeof(struct symbol_file);
    buf_bytes(b, &head, sizeof(head));
    for (uint32_t i = 0; i < s->n_questions; i++) {
        const struct profile_frame *f = &s->profile->frames[s->questions[i].frame];
        const struct symbol_question q = {f->address, f->load_bias, f->map_offset};
        buf_bytes(b, &q, sizeof(q));
    }
    for (uint32_t i = 0; i < s->n_modules; i++) {
        const struct symbol_module m = module_of(s, i);
        buf_bytes(b, &m, sizeof(m));
    }
    for (uint32_t i = 0; i < n; i++) {
        struct symbol_file file;
        put_name(file.name, files[i].name);
        buf_bytes(b, &file, sizeof(file));
    }
    return !b->failed;
}

/* ---- the child ---- */

/* Descriptors of the child's, here at numbers that are none of its own, so that putting one in its place does no harm to another. */
struct descriptors {
    int request, answer, files[SYMBOL_FILES_MAX];
    uint32_t n;
};

static void close_all(struct descriptors *d)
{
    if (d->request >= 0)
        close(d->request);
    if (d->answer >= 0)
        close(d->answer);
    for (uint32_t i = 0; i < d->n; i++)
        close(d->files[i]);
}

static int moved(int fd)
{
    int to = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, SYMBOL_FIRST_FILE + SYMBOL_FILES_MAX);
    int why = errno;

    if (fd >= 0)
        close(fd);
    errno = why;
    return to;
}

static bool open_all(struct descriptors *d, const struct symbol_input *files, uint32_t n, struct str request,
                     struct diag *diag)
{
    d->request = moved(memfd_create("symbols asked for", MFD_CLOEXEC));
    d->answer = d->request < 0 ? -1 : moved(memfd_create("symbols found", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (d->answer < 0 || !file_write_all(d->request, request.p, request.n))
        return failed(diag, "No memory file");
    for (; d->n < n; d->n++) {
        int fd = fcntl(files[d->n].fd, F_DUPFD_CLOEXEC, SYMBOL_FIRST_FILE + SYMBOL_FILES_MAX);
        if (fd < 0)
            return failed(diag, "No descriptor");
        d->files[d->n] = fd;
    }
    return true;
}

static bool place(posix_spawn_file_actions_t *actions, const struct descriptors *d)
{
    int error = posix_spawn_file_actions_adddup2(actions, d->request, STDIN_FILENO);

    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, d->answer, STDOUT_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    for (uint32_t i = 0; error == 0 && i < d->n; i++)
        error = posix_spawn_file_actions_adddup2(actions, d->files[i], SYMBOL_FIRST_FILE + (int)i);
    if (error == 0)
        error = posix_spawn_file_actions_addclosefrom_np(actions, SYMBOL_FIRST_FILE + (int)d->n);
    errno = error;
    return error == 0;
}

static bool start(const char *program, const struct descriptors *d, pid_t *pid, struct diag *diag)
{
    static char name[] = "aflamed", argument[] = SYMBOL_CHILD_ARGUMENT;
    char *const arguments[] = {name, argument, NULL}, *const environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        errno = error;
        return failed(diag, "No child");
    }
    bool ok = place(&actions, d);
    error = ok ? posix_spawn(pid, program, &actions, NULL, arguments, environment) : errno;
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error == 0 || failed(diag, "No child");
}

/* Waits until the child has ended, and ends it if it takes too long. True: it says that its answer is whole. */
static bool wait_for(pid_t pid, const struct symbol_limits *limits, bool *stopped)
{
    /* Twice its limit of processor time, for one that only waits. waitpid() itself knows no time limit. */
    int64_t until_ms = clock_ms() + (int64_t)limits->seconds * 2000;
    int status = 0, pause_ms = WAIT_FIRST_MS;
    bool ended = false;

    while (!ended) {
        pid_t done = (pid_t)TEMP_FAILURE_RETRY(waitpid(pid, &status, WNOHANG));
        if (done != 0)
            return done == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        *stopped = stop_asked(limits->stop) != STOP_NONE;
        ended = *stopped || clock_ms() > until_ms;
        if (!ended)
            poll(NULL, 0, pause_ms);
        pause_ms = pause_ms * 2 < WAIT_MOST_MS ? pause_ms * 2 : WAIT_MOST_MS;
    }
    kill(pid, SIGKILL);
    (void)TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
    return false;
}

/* ---- the answer ---- */

/* The answer, to be read in place. It is sealed first: where no filter of calls holds a child back, another process that it began may
 * still write. MAP_FAILED with errno: EBUSY if one does so at this moment, EFBIG and ENODATA if it has no size that an answer has. */
static void *map(int answer, size_t *n)
{
    void *mapped = MAP_FAILED;
    struct stat st;

    if (fcntl(answer, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0 ||
        fstat(answer, &st) != 0)
        return MAP_FAILED;
    *n = (size_t)st.st_size;
    errno = *n == 0 ? ENODATA : EFBIG;
    if (*n > 0 && *n <= SYMBOL_ANSWER_BYTES)
        mapped = mmap(NULL, *n, PROT_READ, MAP_PRIVATE, answer, 0);
    return mapped;
}

static enum symbol_result take(struct symbols *s, uint32_t n_files, int answer, struct diag *diag)
{
    size_t n = 0;
    void *text = map(answer, &n);

    if (text == MAP_FAILED && (errno == EBUSY || errno == EFBIG || errno == ENODATA))
        return SYMBOL_RUN_UNREAD;
    if (text == MAP_FAILED) {
        (void)(errno == ENOMEM ? no_memory(diag) : failed(diag, "No answer"));
        return SYMBOL_RUN_FAILED;
    }
    bool taken = symbol_take(s, n_files, (struct str){text, n});
    munmap(text, n);
    if (taken)
        return SYMBOL_RUN_OK;
    return s->arena->failure != ARENA_OK ? SYMBOL_RUN_FAILED : SYMBOL_RUN_UNREAD;
}

static enum symbol_result run(struct symbols *s, struct descriptors *d, const struct symbol_limits *limits,
                              struct diag *diag)
{
    bool stopped = false;
    pid_t pid = -1;

    if (!start(limits->program, d, &pid, diag))
        return SYMBOL_RUN_FAILED;
    if (wait_for(pid, limits, &stopped))
        return take(s, d->n, d->answer, diag);
    if (!stopped)
        return SYMBOL_RUN_UNREAD;
    diag_set(diag, DIAG_BUSY, "stopped", "Try again later.", "The reading of symbols was stopped.");
    return SYMBOL_RUN_FAILED;
}

enum symbol_result symbol_run(struct symbols *s, const struct symbol_input *files, uint32_t n,
                              const struct symbol_limits *limits, struct diag *diag)
{
    struct descriptors d = {.request = -1, .answer = -1};
    struct buf request = {0};
    enum symbol_result result = SYMBOL_RUN_FAILED;

    if (!write_request(s, files, n, limits, &request))
        no_memory(diag);
    else if (open_all(&d, files, n, buf_view(&request), diag))
        result = run(s, &d, limits, diag);
    close_all(&d);
    buf_free(&request);
    return result;
}
