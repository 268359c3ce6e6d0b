/* How much memory the process may use: the least of what the machine has, what its control groups (version
 * 1 and 2) and their parents allow, and the process's own limits. */
#pragma once

#include <stdint.h>

enum memory_kind {
    MEMORY_OF_MACHINE, /* others use it, too */
    MEMORY_OF_GROUP,   /* of the process and its children */
    MEMORY_OF_ADDRESSES /* Everything that is mapped counts, used or not: libraries, stacks, malloc's reserve. */
};

struct memory_limit {
    uint64_t bytes;
    enum memory_kind kind;
    const char *source; /* "machine", "cgroup", "ulimit -v" or "ulimit -d" */
};

/* The two files are those of the running system: "/proc/self/cgroup" and "/sys/fs/cgroup". What cannot be read limits
 * nothing. UINT64_MAX bytes: nothing could be read. */
struct memory_limit memory_limit(const char *membership, const char *hierarchy);
struct memory_limit memory_limit_here(void);

/* Bytes of addresses that the process has mapped now; 0: not known. */
uint64_t memory_mapped(void);
