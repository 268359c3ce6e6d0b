/* THE TABLE of figures, with their names, and the text that is made of it. */
#pragma once

#include "server/figures/exposition.h"
#include "server/figures/figures.h"

enum { FIGURES_JOBS_MAX = 8 };

/* What others know at this moment. */
struct figures_now {
    const char *version;
    /* Method and path of a row of the table of routes. */
    void (*route)(size_t i, const char **method, const char **path);

    uint64_t workers, workers_busy, turns_waiting;
    struct figures_jobs {
        const char *kind;
        uint64_t running, waiting;
    } jobs[FIGURES_JOBS_MAX];
    size_t n_jobs;

    uint64_t waiting_uploads, waiting_bytes; /* for the object store */
    uint64_t store_away;                     /* 1: the object store does not answer */
    uint64_t store_bytes, views_on_disk_bytes;
    uint64_t profiles_bytes, views_in_memory_bytes, answers_bytes;
    uint64_t evicted[CACHES];

    /* of the process */
    uint64_t cpu_us, resident_bytes, open_descriptors, most_descriptors;
};

/* The last part, from the system. What it does not tell stays 0. */
void figures_now_process(struct figures_now *now);

struct figures_text {
    struct exposition to;
    const struct figures *counted;
    const struct figures_now *now;
};

struct figure {
    const char *name; /* of a counter without its _total */
    enum figure_type type;
    unsigned decimals;  /* of the values: they are written as n / 10^decimals */
    const char *labels; /* for the documents: names with commas between them; NULL: none */
    const char *help;   /* a sentence without its full stop */
    /* Writes the values. NULL: one, the number at `offset` in struct figures_now. */
    void (*put)(struct figures_text *t, const struct figure *row);
    size_t offset;
};
extern const struct figure FIGURES[];
extern const size_t FIGURES_COUNT;

/* Appends all of it. b->failed: no memory. */
void figures_put(struct buf *b, const struct figures *f, const struct figures_now *now, bool open_metrics);
