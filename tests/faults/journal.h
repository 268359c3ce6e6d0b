/* The journal of what the program did to files: what was written, synced, named and unnamed, in the order in which it
 * happened, and what was said in between. tests/faults/disk.py replays it, and so knows what a disk must hold
 * after a power cut, and what it may lose.
 *
 * FAULTS_JOURNAL names the file that lines are appended to; without it nothing is. The wrappers of wraps.c call
 * journal_begin() before the real function and journal_end() behind it: in between is one thread only, so that the
 * lines stand in the order of what they tell. ID is DEVICE:INODE.
 *     file ID PATH       open() for writing: made if PATH was not there; "-" for PATH: a file without a name
 *     folder ID PATH     mkdir()
 *     name ID PATH       PATH is from now on this file: link(), rename()
 *     unname PATH        unlink(), rmdir(), rename()
 *     write ID OFFSET N  then N bytes and a line end
 *     sync ID            fsync(), of a file or a folder
 *     says TEXT          an answer's status and Location, or that something was written to standard output */
#pragma once

#include <stddef.h>
#include <sys/types.h>

void journal_begin(void);
void journal_end(void);

/* Between the two, of what has succeeded; errno stays as it is. Paths below `top` are written with its own path before them. */
void journal_open(int fd, int top, const char *path, int flags);
void journal_folder(int top, const char *path);
void journal_name(int top, const char *path);
void journal_unname(int top, const char *path);
void journal_write(int fd, const void *p, size_t n); /* behind the write */
void journal_sync(int fd);
void journal_answer(unsigned status, const char *location); /* NULL: it leads nowhere */
