/* Writes large method traces for measuring, the same bytes for the same options, as a stream: a 500 MB file
 * needs no more memory than its call trees.
 *
 * usage: mktrace [--preset 5|57|500] [OPTION...] -o FILE        FILE may be -; the preset is its size in MB
 *
 *   --records N    --threads N    --methods N    --stacks N (distinct ones, over all threads)    --seed N
 *   --version 1|2|3    --clock dual|wall|thread-cpu|global
 *   --sampled yes    as a sampling recorder writes them: all changes of a stack since the last look at it, at one time
 *   --layout stream|a|b|c|d|e    the same calls in another kind of file, with both clocks: see packets.h
 *
 *        mktrace --family NAME --size N -o FILE        an input that is meant to be hard: see families.h
 *        mktrace --recording NAME --size MB -o FILE    what other tools record: see recordings.h
 *
 * What it imitates, as recordings of app starts are: one thread makes most of the calls; a burst of some
 * thirty records of a thread is followed by one of another; half of the calls take no measurable time, and a
 * few take most of it; calls.h says what is called. Recordings end while calls are open, and so do these. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/folder.h"
#include "tests/support/families.h"
#include "tests/support/mktrace/calls.h"
#include "tests/support/mktrace/names.h"
#include "tests/support/mktrace/packets.h"
#include "tests/support/mktrace/recordings.h"

enum {
    MAIN_LOOP_DEPTH = 10,
    WORKER_LOOP_DEPTH = 4,
    BURST_RECORDS = 30,
    THREADS_MAX = 64,
    PIECE_BYTES = 1 << 20
};

enum stream { STREAM_CLOCK, STREAM_TURNS, STREAM_TREES }; /* of chance */

static const uint64_t START_US = 1463217600000000;

struct options {
    const char *out;
    uint64_t records, seed;
    uint32_t threads, methods, stacks;
    struct trace_format format;
    enum packets_layout layout;
    bool sampled;
    enum family family;       /* FAMILIES: none */
    enum recording recording; /* RECORDINGS: none */
    uint32_t size;            /* of the family or recording; 0: not said */
};

struct thread {
    struct calls calls;
    struct call_sample sample;
    struct packets_block block;
    uint64_t records_left;
    uint32_t cpu_us;
    uint16_t id;
};

/* ---- time and turns ---- */

/* Time from one record to the next, of whichever thread. */
static uint32_t elapse_us(struct chance *c)
{
    uint32_t p = chance_below(c, 1000);

    if (p < 300)
        return 0;
    if (p < 900)
        return p < 750 ? 1 : 2;
    if (p < 980)
        return 3 + chance_below(c, 8);
    return p < 999 ? 10 + chance_below(c, 90) : 100 + chance_below(c, 2900);
}

/* Whose turn it is: each thread's as often as it has records left. */
static struct thread *pick_thread(const struct options *o, struct chance *c, struct thread *threads,
                                  uint64_t left)
{
    uint64_t at = chance_draw(c) % left;
    uint32_t i = 0;

    for (; at >= threads[i].records_left && i + 1 < o->threads; i++)
        at -= threads[i].records_left;
    return &threads[i];
}

/* The main thread has the most to do, each further one less. */
static bool make_threads(const struct options *o, struct thread *threads)
{
    struct chance c = chance_new(o->seed, STREAM_TREES);
    double weights[THREADS_MAX] = {0}, sum = 0;
    uint64_t left = o->records;

    for (uint32_t i = 0; i < o->threads; i++)
        sum += weights[i] = i == 0 ? 3.2 : 1 / (0.6 * i * i + 1);
    for (uint32_t i = o->threads; i-- > 0;) {
        struct thread *t = &threads[i];
        double share = weights[i] / sum;
        t->id = (uint16_t)((o->format.version == 1 ? 1 : 14233) + 3 * i);
        t->records_left = i == 0 ? left : (uint64_t)((double)o->records * share);
        left -= t->records_left;
        t->calls.seed = o->seed;
        t->calls.n_methods = o->methods;
        if (!calls_grow(&t->calls, &c, (uint32_t)(o->stacks * share),
                        i == 0 ? MAIN_LOOP_DEPTH : WORKER_LOOP_DEPTH))
            return false;
    }
    return true;
}

/* ---- writing ---- */

static bool flush(struct buf *out, int fd, size_t least_bytes)
{
    bool ok = !out->failed;

    if (ok && out->n >= least_bytes) {
        ok = file_write_all(fd, out->p, out->n);
        buf_clear(out);
    }
    return ok;
}

/* Method and action of *r. Returns the time since the record before. */
static uint32_t next_record(const struct options *o, struct thread *t, struct chance *turns,
                            struct chance *clock, struct trace_record *r)
{
    enum { SAMPLE_US = 1000 };

    if (o->sampled)
        return calls_sample(&t->calls, turns, &t->sample, r) ? SAMPLE_US : 0;
    calls_step(&t->calls, turns, r);
    return elapse_us(clock);
}

static bool put_records(const struct options *o, struct thread *threads, struct buf *out, int fd)
{
    enum { WORKING_MAX_US = 100, WAITING_SHARE = 8 }; /* what takes longer is mostly waiting */
    struct chance clock = chance_new(o->seed, STREAM_CLOCK), turns = chance_new(o->seed, STREAM_TURNS);
    uint32_t wall_us = 0;
    bool ok = true;

    for (uint64_t left = o->records; left > 0 && ok;) {
        struct thread *t = pick_thread(o, &turns, threads, left);
        uint32_t burst = chance_run(&turns, 1000 - 1000 / BURST_RECORDS, 100 * BURST_RECORDS);
        for (; burst > 0 && t->records_left > 0; burst--, left--, t->records_left--) {
            struct trace_record r = {.thread = t->id};
            uint32_t us = next_record(o, t, &turns, &clock, &r);
            wall_us += us;
            t->cpu_us += us > WORKING_MAX_US ? us / WAITING_SHARE : us;
            r.wall_us = wall_us;
            r.cpu_us = t->cpu_us;
            if (o->layout == PACKETS_NONE)
                trace_writer_record(out, o->format, &r);
            else
                packets_record(out, o->layout, &t->block, &r);
        }
        ok = flush(out, fd, PIECE_BYTES);
    }
    return ok;
}

/* Those that are called somewhere, as the runtime does. */
static bool put_methods(const struct options *o, const struct thread *threads, struct buf *out)
{
    bool *used = calloc(o->methods, sizeof(*used));
    struct buf line = {0};

    if (used == NULL)
        return false;
    for (uint32_t i = 0; i < o->threads; i++)
        for (uint32_t n = 0; n < threads[i].calls.n_nodes; n++)
            used[threads[i].calls.nodes[n].method] = true;
    for (uint32_t i = 0; i < o->methods; i++) {
        if (!used[i])
            continue;
        buf_clear(&line);
        names_put_method(&line, o->format, o->seed, i);
        if (o->layout == PACKETS_NONE)
            buf_str(out, buf_view(&line));
        else
            packets_method(out, o->layout, i, buf_view(&line));
    }
    bool ok = !line.failed;
    buf_free(&line);
    free(used);
    return ok;
}

static bool put_threads(const struct options *o, const struct thread *threads, struct buf *out)
{
    struct buf name = {0};

    for (uint32_t i = 0; i < o->threads; i++) {
        buf_clear(&name);
        names_put_thread(&name, i);
        if (o->layout == PACKETS_NONE)
            trace_writer_thread(out, threads[i].id, buf_view(&name));
        else
            packets_thread(out, o->layout, threads[i].id, buf_view(&name));
    }
    bool ok = !name.failed;
    buf_free(&name);
    return ok;
}

/* The keys stand first, or are known before, so that the clock runs twice. */
static struct trace_keys keys_of(const struct options *o, const struct thread *threads)
{
    struct trace_keys keys = {.records = o->records, .overhead_ns = 214, .pid = threads[0].id, .vm = "art"};
    struct chance clock = chance_new(o->seed, STREAM_CLOCK);

    for (uint64_t i = 0; i < o->records && !o->sampled; i++) /* of samples it is left out */
        keys.elapsed_us += elapse_us(&clock);
    return keys;
}

static bool put_regular(const struct options *o, struct thread *threads, struct buf *out, int fd)
{
    struct trace_keys keys = keys_of(o, threads);

    trace_writer_keys(out, o->format, &keys);
    if (!put_threads(o, threads, out))
        return false;
    trace_writer_methods(out);
    if (!put_methods(o, threads, out))
        return false;
    trace_writer_header(out, o->format, START_US);
    return put_records(o, threads, out, fd);
}

static bool put_packets(const struct options *o, struct thread *threads, struct buf *out, int fd)
{
    struct trace_keys keys = keys_of(o, threads);

    packets_begin(out, o->layout, START_US);
    if (!put_threads(o, threads, out) || !put_methods(o, threads, out) || !put_records(o, threads, out, fd))
        return false;
    for (uint32_t i = 0; i < o->threads; i++)
        packets_block_end(out, o->layout, &threads[i].block);
    packets_end(out, o->layout, &keys);
    return true;
}

static bool write_trace(const struct options *o, int fd)
{
    struct thread *threads = calloc(o->threads, sizeof(*threads));
    struct buf out = {0};
    bool ok = threads != NULL && make_threads(o, threads) &&
              (o->layout == PACKETS_NONE ? put_regular : put_packets)(o, threads, &out, fd) &&
              flush(&out, fd, 0);

    for (uint32_t i = 0; threads != NULL && i < o->threads; i++) {
        calls_free(&threads[i].calls);
        buf_free(&threads[i].block.body);
    }
    free(threads);
    buf_free(&out);
    return ok;
}

static bool write_family(const struct options *o, int fd)
{
    struct buf out = {0};

    family_put(&out, o->family, o->size);
    bool ok = flush(&out, fd, 0);
    buf_free(&out);
    return ok;
}

static bool flush_recording(void *context, struct buf *out)
{
    return flush(out, *(const int *)context, 0);
}

static bool write_recording(const struct options *o, int fd)
{
    enum { STACKS = 60000 };
    struct chance c = chance_new(o->seed, STREAM_TREES);
    struct calls t = {.seed = o->seed, .n_methods = o->methods};
    bool ok = calls_grow(&t, &c, STACKS, MAIN_LOOP_DEPTH) &&
              recording_put(o->recording, &t, &c, (uint64_t)o->size * 1000 * 1000, flush_recording, &fd);

    calls_free(&t);
    return ok;
}

/* ---- options ---- */

static bool set_preset(struct options *o, const char *name)
{
    static const struct {
        const char *name;
        uint64_t records;
        uint32_t threads, methods, stacks;
    } PRESETS[] = {{"5", 325000, 12, 4000, 32000},
                   {"57", 4030000, 12, 8000, 240000},
                   {"500", 35600000, 24, 20000, 800000}};

    for (size_t i = 0; i < sizeof(PRESETS) / sizeof(*PRESETS); i++)
        if (strcmp(PRESETS[i].name, name) == 0) {
            o->records = PRESETS[i].records;
            o->threads = PRESETS[i].threads;
            o->methods = PRESETS[i].methods;
            o->stacks = PRESETS[i].stacks;
            return true;
        }
    return false;
}

static bool set_clock(struct trace_format *f, const char *word)
{
    for (f->clock = TRACE_CPU; f->clock < TRACE_CLOCKS; f->clock++)
        if (strcmp(word, trace_writer_clock(f->clock)) == 0)
            return true;
    return false;
}

static bool set_layout(struct options *o, const char *word)
{
    for (o->layout = PACKETS_STREAM; o->layout < PACKETS_LAYOUTS; o->layout++)
        if (strcmp(word, packets_word(o->layout)) == 0)
            return true;
    return false;
}

static bool set_family(struct options *o, const char *name)
{
    for (o->family = 0; o->family < FAMILIES; o->family++)
        if (strcmp(name, FAMILY_NAMES[o->family]) == 0)
            return true;
    return false;
}

static bool set_recording(struct options *o, const char *name)
{
    for (o->recording = 0; o->recording < RECORDINGS; o->recording++)
        if (strcmp(name, recording_word(o->recording)) == 0)
            return true;
    return false;
}

static bool set_u64(uint64_t *value, const char *text, uint64_t most)
{
    return str_to_u64(str_of(text), 10, value) && *value <= most;
}

static bool set_u32(uint32_t *value, const char *text, uint32_t most)
{
    uint64_t n = 0;
    bool ok = set_u64(&n, text, most) && n > 0;

    *value = (uint32_t)n;
    return ok;
}

static bool set_option(struct options *o, int letter, const char *value)
{
    switch (letter) {
    case 'o':
        o->out = value;
        return true;
    case 'p':
        return set_preset(o, value);
    case 'c':
        return set_clock(&o->format, value);
    case 'r':
        return set_u64(&o->records, value, UINT64_MAX / 4096) && o->records > 0;
    case 's':
        return set_u64(&o->seed, value, UINT64_MAX);
    case 't':
        return set_u32(&o->threads, value, THREADS_MAX);
    case 'm':
        return set_u32(&o->methods, value, 1 << 24);
    case 'k':
        return set_u32(&o->stacks, value, 1 << 28);
    case 'v':
        return set_u32(&o->format.version, value, 3);
    case 'l':
        return set_layout(o, value);
    case 'S':
        o->sampled = true;
        return strcmp(value, "yes") == 0;
    case 'f':
        return set_family(o, value);
    case 'R':
        return set_recording(o, value);
    case 'n':
        return set_u32(&o->size, value, FAMILY_SIZE_MAX);
    default:
        return false;
    }
}

static bool parse(struct options *o, int argc, char **argv)
{
    static const struct option NAMES[] = {
        {"preset", required_argument, NULL, 'p'},    {"records", required_argument, NULL, 'r'},
        {"threads", required_argument, NULL, 't'},   {"methods", required_argument, NULL, 'm'},
        {"stacks", required_argument, NULL, 'k'},    {"seed", required_argument, NULL, 's'},
        {"version", required_argument, NULL, 'v'},   {"clock", required_argument, NULL, 'c'},
        {"layout", required_argument, NULL, 'l'},    {"sampled", required_argument, NULL, 'S'},
        {"family", required_argument, NULL, 'f'},    {"size", required_argument, NULL, 'n'},
        {"recording", required_argument, NULL, 'R'}, {NULL, 0, NULL, 0}};
    static const enum trace_clock USUAL[] = {TRACE_GLOBAL, TRACE_CPU, TRACE_DUAL}; /* of each version */
    int letter;

    *o =
        (struct options){.format = {3, TRACE_CLOCKS}, .seed = 1, .family = FAMILIES, .recording = RECORDINGS};
    if (!set_preset(o, "5"))
        return false;
    while ((letter = getopt_long(argc, argv, "o:", NAMES, NULL)) != -1)
        if (!set_option(o, letter, optarg))
            return false;
    if (o->format.clock == TRACE_CLOCKS)
        o->format.clock = USUAL[o->format.version - 1];
    bool dual = o->format.clock == TRACE_DUAL && o->format.version == 3;
    return optind == argc && o->out != NULL && (o->format.clock != TRACE_DUAL || dual) &&
           (o->layout == PACKETS_NONE || dual) && (o->family == FAMILIES || o->recording == RECORDINGS) &&
           (o->family == FAMILIES && o->recording == RECORDINGS) == (o->size == 0);
}

int main(int argc, char **argv)
{
    struct options o;

    if (!parse(&o, argc, argv)) {
        fputs("usage: mktrace [--preset 5|57|500] [--records N] [--threads N] [--methods N] [--stacks N]\n"
              "               [--seed N] [--version 1|2|3] [--clock dual|wall|thread-cpu|global]\n"
              "               [--layout stream|a|b|c|d|e] [--sampled yes] -o FILE\n"
              "       mktrace --family NAME --size N -o FILE\n"
              "       mktrace --recording simpleperf|perfetto|samples|skipped|system --size MB -o FILE\n",
              stderr);
        return 2;
    }
    int fd =
        strcmp(o.out, "-") == 0 ? STDOUT_FILENO : file_open(AT_FDCWD, o.out, O_WRONLY | O_CREAT | O_TRUNC);
    bool (*write)(const struct options *o, int fd) = o.family < FAMILIES        ? write_family
                                                     : o.recording < RECORDINGS ? write_recording
                                                                                : write_trace;
    if (fd < 0 || !write(&o, fd) || close(fd) != 0) {
        fprintf(stderr, "mktrace: %s: %s\n", o.out, strerror(errno));
        return 1;
    }
    return 0;
}
