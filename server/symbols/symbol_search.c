#include "server/symbols/symbol_search.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/diag.h"
#include "core/sanitizer.h"
#include "core/stop.h"
#include "core/system/archive_library.h"
#include "core/system/clock.h"
#include "core/system/elf_library.h"
#include "core/system/folder.h"
#include "core/system/memory_limit.h"
#include "server/symbols/symbol_reading.h"
#include "server/symbols/symbol_request.h"

/* ---- the child: what it takes away from itself ---- */

#if defined(__x86_64__)

#define PROCESSOR AUDIT_ARCH_X86_64

#elif defined(__aarch64__)

#define PROCESSOR AUDIT_ARCH_AARCH64

#else

#define PROCESSOR 0

#endif

static bool limit(int what, uint64_t most)
{
    struct rlimit r;

    if (getrlimit((__rlimit_resource_t)what, &r) != 0)
        return false;
    if (r.rlim_max == RLIM_INFINITY || r.rlim_max > most)
        r.rlim_max = most;
    r.rlim_cur = r.rlim_max;
    return setrlimit((__rlimit_resource_t)what, &r) == 0;
}

/* Files are mapped one after the other: the largest one counts. */
static uint64_t largest_file(const struct symbol_request *r)
{
    uint64_t most = 0;
    struct stat st;

    for (uint32_t i = 0; i < r->head->n_files; i++)
        if (fstat(SYMBOL_FIRST_FILE + (int)i, &st) == 0 && st.st_size > 0 && (uint64_t)st.st_size > most)
            most = (uint64_t)st.st_size;
    return most;
}

/* ---- the child: calls to the system ---- */

#define ALLOW(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What reading, memory and the end of the process need. All else is refused, and does not end the child:
 * libraries try to open files of the language and the like, and do without. */
static bool filter_calls(void)
{
    static struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROCESSOR, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(read),
        ALLOW(pread64),
        ALLOW(write),
        ALLOW(fstat),
        ALLOW(newfstatat),
        ALLOW(lseek),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(mprotect),
        ALLOW(madvise),
        ALLOW(brk),
        ALLOW(futex),
        ALLOW(getrandom),
        ALLOW(clock_gettime),
        ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW(tgkill),
        ALLOW(exit),
        ALLOW(exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog all = {sizeof(program) / sizeof(*program), program};

    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}

/* A kernel without filters has none; the limits hold there all the same. */
static void restrict_calls(void)
{
    /* The sanitizers map terabytes that they do not use, and look at their own process in the end. */
    if (PROCESSOR != 0 && !SANITIZED && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        (void)filter_calls();
}

bool symbol_sandbox(const struct symbol_request *r)
{
    uint64_t memory = memory_mapped() + r->head->memory_bytes + largest_file(r);

    if (!SANITIZED && !limit(RLIMIT_AS, memory))
        return false;
    /* Without room for descriptors no file can be opened; those that are open stay. */
    if (!limit(RLIMIT_CPU, r->head->cpu_s) || !limit(RLIMIT_FSIZE, SYMBOL_ANSWER_BYTES) ||
        !limit(RLIMIT_CORE, 0) || !limit(RLIMIT_NPROC, 0) || !limit(RLIMIT_NOFILE, 0))
        return false;
    restrict_calls();
    return true;
}

/* ---- the child: the request ---- */

/* It comes from this program itself: what does not add up is somebody's who started the mode by hand. */
static bool open_request(struct symbol_request *r)
{
    struct stat st;
    void *mapped = MAP_FAILED;

    if (fstat(STDIN_FILENO, &st) == 0 && st.st_size >= (off_t)sizeof(struct symbol_head))
        mapped = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
    if (mapped == MAP_FAILED)
        return false;
    r->head = mapped;
    r->questions = (const struct symbol_question *)(r->head + 1);
    r->modules = (const struct symbol_module *)(const void *)(r->questions + r->head->n_questions);
    r->files = (const struct symbol_file *)(const void *)(r->modules + r->head->n_modules);
    return r->head->bytes == (uint64_t)st.st_size && r->head->n_files <= SYMBOL_FILES_MAX &&
           (const char *)(r->files + r->head->n_files) == (const char *)mapped + st.st_size;
}

/* ---- the child: its answer ---- */

static bool flush(struct symbol_reading *r)
{
    bool ok = !r->out->failed && file_write_all(STDOUT_FILENO, r->out->p, r->out->n);

    buf_clear(r->out);
    r->out->failed = !ok;
    return ok;
}

static void read_one(struct symbol_reading *r, uint32_t file)
{
    struct stat st;
    int fd = SYMBOL_FIRST_FILE + (int)file;

    r->name = str_of(r->request->files[file].name);
    buf_printf(r->out, "file\t%u\n", file);
    if (fstat(fd, &st) != 0 || st.st_size <= 0)
        return;
    char *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) {
        r->out->failed =
            true; /* it is too large for the memory that there is: no answer is better than half of one */
        return;
    }
    symbol_read(r, bytes, (size_t)st.st_size);
    munmap(bytes, (size_t)st.st_size);
}

int symbol_child(void)
{
    struct symbol_request request;
    struct buf out = {0};
    struct symbol_reading r = {.request = &request, .out = &out, .flush = flush};

    archive_library_open(); /* files with symbols may be packed */
    elf_library_open();
    if (!open_request(&request) || !symbol_sandbox(&request))
        return EXIT_FAILURE;
    for (uint32_t i = 0; i < request.head->n_files && !out.failed; i++)
        read_one(&r, i);
    buf_z(&out, "end\n");
    bool ok = flush(&r);
    buf_free(&out);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- running the child ---- */

/* Has a child read files of symbols, and takes its answer, all of which is checked: a child that crashes,
 * takes too long, or says what makes no sense has said nothing. Any thread; takes until the child has
 * ended. */

/* The child's answer, which is hostile: read twice, first to see that all of it makes sense. */

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

/* A library that is done stays in the list, where the answer counts it, without name, build id and
 * questions: no file is of it. */
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

/* ---- its start and end ---- */

/* Descriptors of the child's, here at numbers that are none of its own, so that putting one in its place
 * does no harm to another. */
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

/* The answer, to be read in place. It is sealed first: where no filter of calls holds a child back,
 * another process that it began may still write. MAP_FAILED with errno: EBUSY if one does so at this
 * moment, EFBIG and ENODATA if it has no size that an answer has. */
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

/* ---- searching ---- */

enum { LOOKED_AT_MOST = 100000 /* files of one folder */ };

struct search {
    struct symbols *s;
    const struct symbol_limits *limits;
    struct diag *diag;
    struct symbol_input batch[SYMBOL_FILES_MAX];
    char names[SYMBOL_FILES_MAX][SYMBOL_NAME_BYTES + 1];
    uint32_t n;
};

/* ---- sources ---- */

bool symbol_check(struct str head, struct diag *diag)
{
    struct buf kinds = {0};

    if (symbol_kind_of(head) != NULL)
        return true;
    symbol_kinds_list(&kinds);
    diag_set(diag, DIAG_UNKNOWN, "not symbols",
             "Give the unstripped libraries of the build that was recorded.", "The file is none of: %.*s.",
             (int)kinds.n, kinds.n > 0 ? kinds.p : "");
    buf_free(&kinds);
    return false;
}

bool symbol_check_file(int fd, struct diag *diag)
{
    char head[SYMBOL_HEAD_BYTES];
    struct stat st;

    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
        return true;
    ssize_t n = TEMP_FAILURE_RETRY(pread(fd, head, sizeof(head), 0));
    if (n < 0)
        return diag_set(diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s.", strerror(errno));
    return symbol_check((struct str){head, (size_t)n}, diag);
}

bool symbol_sources_add(struct symbol_sources *sources, int fd, struct str name, struct diag *diag)
{
    struct stat st;

    if (sources->n == SYMBOL_SOURCES_MAX)
        return diag_set(diag, DIAG_USAGE, "too many files", "Name a folder that has them all.",
                        "Symbols are looked for in %d files and folders at most.", SYMBOL_SOURCES_MAX);
    if (fstat(fd, &st) != 0)
        return diag_set(diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s.", strerror(errno));
    if (!(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
        return diag_set(diag, DIAG_USAGE, "no file", "Name a file or a folder.",
                        "Symbols are read from files and folders only.");
    struct symbol_source *source = &sources->of[sources->n];
    *source = (struct symbol_source){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0), .is_folder = S_ISDIR(st.st_mode)};
    if (source->fd < 0)
        return diag_set(diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s.", strerror(errno));
    snprintf(source->name, sizeof(source->name), "%.*s",
             (int)(name.n < SYMBOL_NAME_BYTES ? name.n : SYMBOL_NAME_BYTES), name.n > 0 ? name.p : "");
    sources->n++;
    return true;
}

void symbol_sources_close(struct symbol_sources *sources)
{
    for (uint32_t i = 0; i < sources->n; i++)
        close(sources->of[i].fd);
    sources->n = 0;
}

/* ---- files by the dozen ---- */

/* A file that breaks the child must not take the others with it: then each is read by a child of its own. */
static bool read_batch(struct search *w)
{
    enum symbol_result result =
        w->n == 0 ? SYMBOL_RUN_OK : symbol_run(w->s, w->batch, w->n, w->limits, w->diag);

    if (result == SYMBOL_RUN_UNREAD && w->n == 1)
        w->s->failed_files++;
    for (uint32_t i = 0; result == SYMBOL_RUN_UNREAD && w->n > 1 && i < w->n; i++) {
        enum symbol_result one = symbol_run(w->s, &w->batch[i], 1, w->limits, w->diag);
        w->s->failed_files += one == SYMBOL_RUN_UNREAD;
        if (one == SYMBOL_RUN_FAILED)
            result = one;
    }
    for (uint32_t i = 0; i < w->n; i++)
        close(w->batch[i].fd);
    w->n = 0;
    return result != SYMBOL_RUN_FAILED;
}

/* Takes the descriptor over. False: as symbol_search. */
static bool add(struct search *w, int fd, struct str name)
{
    char *copy = w->names[w->n];

    snprintf(copy, SYMBOL_NAME_BYTES + 1, "%.*s",
             (int)(name.n < SYMBOL_NAME_BYTES ? name.n : SYMBOL_NAME_BYTES), name.n > 0 ? name.p : "");
    w->batch[w->n++] = (struct symbol_input){fd, str_of(copy)};
    return w->n < SYMBOL_FILES_MAX || read_batch(w);
}

static bool add_sources(struct search *w, const struct symbol_sources *sources)
{
    for (uint32_t i = 0; i < sources->n; i++) {
        const struct symbol_source *source = &sources->of[i];
        if (source->is_folder)
            continue;
        int fd = fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
        if (fd < 0)
            return diag_set(w->diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s.",
                            strerror(errno));
        if (!add(w, fd, str_of(source->name)))
            return false;
    }
    return read_batch(w);
}

/* ---- by name, below a folder ---- */

/* Names come from the recording: none may lead out of the folder. */
static bool stays_below(struct str path)
{
    struct str part;

    while (str_split(&path, '/', &part))
        if (str_eq(part, STR("..")))
            return false;
    return true;
}

static bool add_named(struct search *w, int folder, struct str path)
{
    struct buf name = {0};
    struct stat st;
    int fd = -1;

    while (path.n > 0 && path.p[0] == '/')
        path.p++, path.n--;
    buf_str(&name, path);
    buf_char(&name, '\0');
    if (!name.failed && path.n > 0 && stays_below(path) && memchr(path.p, '\0', path.n) == NULL)
        fd = file_open(folder, name.p, O_RDONLY | O_NONBLOCK);
    buf_free(&name);
    if (fd < 0)
        return true;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return add(w, fd, str_behind_last(str_behind_last(path, '/'), '!'));
    close(fd);
    return true;
}

static bool add_by_build_id(struct search *w, int folder, struct str build_id)
{
    char path[SYMBOL_ID_CHARS + 32];

    if (build_id.n <= 2 || build_id.n > SYMBOL_ID_CHARS || str_find(build_id, '/') < build_id.n)
        return true;
    int n = snprintf(path, sizeof(path), ".build-id/%.2s/%.*s.debug", build_id.p, (int)build_id.n - 2,
                     build_id.p + 2);
    return add_named(w, folder, (struct str){path, (size_t)n});
}

static struct str without_apk(struct str path)
{
    static const struct str APK = STR_INIT("base.apk!");
    size_t at = str_find_str(path, APK);

    return at == path.n ? STR("") : str_from(path, at + APK.n);
}

static bool add_candidates(struct search *w, int folder)
{
    const struct profile *p = w->s->profile;

    for (uint32_t i = 0; i < w->s->n_modules; i++) {
        if (symbols_is_done(w->s, i))
            continue;
        struct str path = profile_string(p, w->s->modules[i].path), base = str_behind_last(path, '/'),
                   inside = without_apk(path);
        if (!add_named(w, folder, path) || !add_named(w, folder, inside) ||
            (!str_eq(base, path) && !add_named(w, folder, base)) ||
            !add_by_build_id(w, folder, profile_string(p, w->s->modules[i].build_id)))
            return false;
    }
    return read_batch(w);
}

/* ---- all files of a folder ---- */

static bool all_done(const struct symbols *s)
{
    for (uint32_t i = 0; i < s->n_modules; i++)
        if (!symbols_is_done(s, i))
            return false;
    return true;
}

static bool is_looked_for(int fd)
{
    char head[SYMBOL_HEAD_BYTES];
    ssize_t n = TEMP_FAILURE_RETRY(pread(fd, head, sizeof(head), 0));
    const struct symbol_kind *kind = n > 0 ? symbol_kind_of((struct str){head, (size_t)n}) : NULL;

    return kind != NULL && kind->in_folders;
}

static bool add_entry(struct search *w, const FTSENT *entry)
{
    int fd = entry->fts_info == FTS_F ? file_open(AT_FDCWD, entry->fts_accpath, O_RDONLY | O_NONBLOCK) : -1;

    if (fd < 0)
        return true;
    if (is_looked_for(fd))
        return add(w, fd, (struct str){entry->fts_name, entry->fts_namelen});
    close(fd);
    return true;
}

static bool add_all(struct search *w, int folder)
{
    char path[64];
    char *const roots[] = {path, NULL};
    unsigned looked_at = 0;
    bool ok = true;

    /* The walk follows no links, and this path is one: the dot behind it is in the folder. */
    snprintf(path, sizeof(path), "/proc/self/fd/%d/.", folder);
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (walk == NULL)
        return diag_set(w->diag, DIAG_IO, "cannot read the folder", "Check that you may read it.", "%s.",
                        strerror(errno));
    for (FTSENT *entry; ok && looked_at < LOOKED_AT_MOST && (entry = fts_read(walk)) != NULL; looked_at++)
        ok = add_entry(w, entry);
    fts_close(walk);
    return ok && read_batch(w);
}

/* ---- the whole ---- */

static bool search_all(struct search *w, const struct symbol_sources *sources)
{
    if (!add_sources(w, sources))
        return false;
    for (uint32_t i = 0; i < sources->n; i++)
        if (sources->of[i].is_folder && !add_candidates(w, sources->of[i].fd))
            return false;
    for (uint32_t i = 0; i < sources->n; i++)
        if (sources->of[i].is_folder && !all_done(w->s) && !add_all(w, sources->of[i].fd))
            return false;
    return true;
}

bool symbol_search(struct symbols *s, const struct symbol_sources *sources,
                   const struct symbol_limits *limits, struct diag *diag)
{
    struct search w = {.s = s, .limits = limits, .diag = diag};
    bool ok = s->n_questions == 0 || search_all(&w, sources);

    for (uint32_t i = 0; i < w.n; i++)
        close(w.batch[i].fd);
    return ok;
}
