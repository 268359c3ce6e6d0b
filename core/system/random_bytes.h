/* Random numbers of the system: keys, seeds of tables, names that nobody can guess. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/random.h>
#include <unistd.h>

/* False: the system has none. */
static inline bool random_bytes(void *to, size_t n)
{
    return TEMP_FAILURE_RETRY(getrandom(to, n, 0)) == (ssize_t)n;
}
