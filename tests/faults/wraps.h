/* The functions behind the wrappers that faults.c needs itself. The names are the linker's. */
#ifndef TESTS_FAULTS_WRAPS_H
#define TESTS_FAULTS_WRAPS_H

int __real_open(const char *path, int flags, ...);
int __real_fcntl(int fd, int command, ...);
int __real_close(int fd);

#endif
