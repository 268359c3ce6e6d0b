/* Nameless files in TMPDIR, for input that has to be read at any place and is no file, or is made of two. */
#ifndef CLI_CLI_SPOOL_H
#define CLI_CLI_SPOOL_H

#include <stdbool.h>

/* An empty file that nobody else can open, and that is gone when it is closed. -1: errno. */
int cli_spool_open(void);
/* Appends what is still to be read from the other descriptor. False: errno. */
bool cli_spool_append(int to, int from);

#endif
