/* Work that may be done side by side. Rooms that know no threads say by it what could be done at the same time; who has
 * threads gives it to them (core/system/threads.h). */
#pragma once

#include <stdint.h>

enum { PARALLEL_JOBS_MAX = 16 };

struct parallel_job {
    void (*run)(void *of);
    void *of;
};

struct parallel {
    unsigned jobs;        /* that are worth running at a time */
    uint64_t piece_bytes; /* A piece of a file that is read by a job of its own is at least as large. */
    /* Runs n jobs, PARALLEL_JOBS_MAX at most, each once: the first one on this thread, the others at the same time where that is possible. Returns
     * when all have ended. */
    void (*run)(const struct parallel *p, const struct parallel_job *jobs, unsigned n);
};
