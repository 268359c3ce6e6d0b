/* The functions behind the wrappers that faults.c and journal.c need themselves. The names are the linker's. */
#pragma once

#include <sys/types.h>

struct stat;

int __real_open(const char *path, int flags, ...);
int __real_fcntl(int fd, int command, ...);
int __real_close(int fd);
ssize_t __real_write(int fd, const void *p, size_t n);
off_t __real_lseek(int fd, off_t at, int from);
int __real_fstat(int fd, struct stat *st);
int __real_fstatat(int top, const char *path, struct stat *st, int flags);
