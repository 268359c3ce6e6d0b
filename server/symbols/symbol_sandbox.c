#include "server/symbols/symbol_sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/system/memory_limit.h"

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
