/* A directory for one test. */
#pragma once

#include <stddef.h>

struct scratch {
    char path[256];
};

/* Makes an empty directory; the test fails if it cannot. */
struct scratch scratch_make(void);
/* Removes it with all that is in it. */
void scratch_remove(const struct scratch *s);

/* Path of a file in it, and a file with these bytes. */
void scratch_path(const struct scratch *s, const char *name, char *out, size_t out_bytes);
void scratch_write(const struct scratch *s, const char *name, const void *p, size_t n);

/* Files and folders below the folder `name` of it, without itself; 0 also if it is not there. */
size_t scratch_count(const struct scratch *s, const char *name);

/* Open descriptors of the process. */
size_t scratch_descriptors(void);
