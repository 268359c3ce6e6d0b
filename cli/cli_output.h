/* Where a result goes, written in pieces: standard output for "-", else a file. A regular file appears
 * whole or not at all, anything else is written to as it is.
 *
 *     if (cli_output_open(&o, path, diag)) {
 *         ok = cli_output_put(&o, bytes, diag) && ..
 *         ok = cli_output_close(&o, ok, diag);
 *     }
 *
 * False: diag, with the path in it. Any thread. */
#pragma once

#include <stdbool.h>

#include "core/buf.h"
#include "core/diag.h"

/* An empty file that nobody else can open, and that is gone when it is closed. -1: errno. */
int cli_spool_open(void);

/* Appends what is still to be read from the other descriptor. False: errno. */
bool cli_spool_append(int to, int from);

struct cli_output {
    const char *path;
    bool lasting; /* see cli_write_lasting */
    int fd;
    char *target;    /* the file that the new one replaces; NULL: written in place */
    struct buf temp; /* the new one's name, terminated, with `target` */
};
bool cli_output_open(struct cli_output *o, const char *path, struct diag *diag) MUST_CHECK;
bool cli_output_put(struct cli_output *o, struct str bytes, struct diag *diag) MUST_CHECK;

/* Not `ok`: what was written is of no use, and removed. False then, too. */
bool cli_output_close(struct cli_output *o, bool ok, struct diag *diag) MUST_CHECK;

/* The whole of a regular file that others live by: it is on the disk when this returns, belongs to whom the one before
 * belonged to, and is for its owner alone where there was none. */
bool cli_write_lasting(const char *path, struct str bytes, struct diag *diag) MUST_CHECK;
