/* A stored file, read in turns: its reader gives its turn back at each piece of input. What can be read by several threads
 * at the same time is, where turns are free that nobody waits for as the reading begins: each of them has a turn of its
 * own then, of the same class and owner, and gives it back as often. */
#ifndef SERVER_VIEWS_TURN_FILE_H
#define SERVER_VIEWS_TURN_FILE_H

#include "core/parallel.h"
#include "core/system/turns.h"
#include "server/convert/convert.h"

/* One of the threads. */
struct turn_reader {
    struct readable file;
    struct turn *turn; /* the asker's; else its own: */
    struct turn own;
    struct parallel_job job;
    int64_t took_us; /* of a processor */
};

struct turn_file {
    struct parallel parallel; /* first */
    struct source_input in;   /* of the asker's thread, with those of the others */
    struct source_input beside[PARALLEL_JOBS_MAX - 1];
    struct turn_reader readers[PARALLEL_JOBS_MAX]; /* the asker's comes first */
};

/* Used by the turn's thread; the file must stay where it is. Why it could not be read is in readers[0].file.diag. */
void turn_file_open(struct turn_file *f, int fd, struct turn *turn, const struct stop *stop);

/* Processor time of the other threads, in microseconds. */
int64_t turn_file_beside_us(const struct turn_file *f);

#endif
