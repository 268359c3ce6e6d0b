/* The list of results that AndroidX's benchmarks write beside their recordings (..benchmarkData.json): which file is of which
 * benchmark and iteration, and what was measured. androidx.benchmark, BenchmarkData.kt:
 *
 *   {"context": {..}, "benchmarks": [{"name", "className",
 *     "metrics": {NAME: {"median": N, "runs": [N for each iteration]}},
 *     "sampledMetrics": {NAME: {"P50": N, "P90": N, "P95": N, "P99": N}},
 *     "profilerOutputs": [{"label", "filename"}]}]}
 *
 * Names of files are relative to the folder of the list. */
#pragma once

#include "core/arena.h"
#include "core/buf.h"
#include "parser/source.h"
#include "parser/unpack/unpack.h"

/* A recording. The texts are cleaned (core/clean.h), and short; what is not known is empty. */
struct benchmark_run {
    struct str member;    /* its name in the archive, as unpack_member_name gives it */
    struct str benchmark; /* "SampleStartupBenchmark.startup" */
    struct str label;     /* "Method Trace"; empty where there is an iteration */
    struct str iteration; /* its number, from 0 */
    struct str metrics;   /* "timeToInitialDisplayMs 301.5, frameDurationCpuMs P50 4.1 P90 7.9" */
};

/* Zeroed, it lists nothing. */
struct benchmarks {
    struct arena arena; /* of its own: what is wrong with a list ends nothing else */
    struct arena *job;  /* which is charged with it */
    struct benchmark_run *runs;
    size_t n, capacity;
};

/* Reads the list that is the member `index` of an archive, as far as it can be read. It takes no more memory
 * than the job's arena has left, whose stop ends it; that arena is charged with what stays, and has to outlive the list. */
void benchmarks_read(struct benchmarks *list, const struct packer *archive, const struct source_input *file,
                     struct str index, const struct unpack_limits *limits, struct arena *job);
void benchmarks_free(struct benchmarks *list);

/* The recording that this member is; NULL: it is not listed. */
const struct benchmark_run *benchmarks_find(const struct benchmarks *list, struct str member);
/* "SampleStartupBenchmark.startup iteration 0" */
void benchmarks_put_title(const struct benchmark_run *run, struct buf *b);
