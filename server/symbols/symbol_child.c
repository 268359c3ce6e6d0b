#include "server/symbols/symbol_child.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/system/memory_limit.h"
#include "server/symbols/symbol_reading.h"
#include "server/symbols/symbol_request.h"

/* ---- what it takes away from itself ---- */

/* The sanitizers map terabytes that they do not use, and look at their own process in the end. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

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

/* ---- calls to the system ---- */

#define ALLOW(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What reading, memory and the end of the process need. All else is refused, and does not end the child: libraries try to open files of
 * the language and the like, and do without. */
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

/* ---- the child ---- */

/* ---- the request ---- */

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

/* ---- the answer ---- */

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

    if (!open_request(&request) || !symbol_sandbox(&request))
        return EXIT_FAILURE;
    for (uint32_t i = 0; i < request.head->n_files && !out.failed; i++)
        read_one(&r, i);
    buf_z(&out, "end\n");
    bool ok = flush(&r);
    buf_free(&out);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
