/* Failing from inside: what the program calls fails when its control says so. The linker puts the wrappers of
 * wraps.c between the program's own objects and the libraries (--wrap); the libraries among themselves are left
 * alone, but for jansson, which takes its memory from the program.
 *
 * The control is a file that FAULTS_CONTROL names, of sizeof(struct control) bytes, mapped by the program and by
 * whoever drives it; without one nothing fails, and nothing is counted. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { FAULTS_TRACE = 1 << 16, FAULTS_SITES = 16, FAULTS_NAME_BYTES = 32 };

#define FAULTS_MEMORY "memory"
#define FAULTS_SPACE  "space"

/* What open(), openat() and write() are called where they take room on a disk. */
#define FAULTS_CREATE "create a file"
#define FAULTS_WRITE  "write a file"

/* Sites are addresses behind calls, counted from where the program begins in memory. */
struct control {
    /* The driver's: while armed, calls are counted, and those numbered from first to last (from 0) fail. */
    atomic_uint_fast64_t armed, first, last;
    /* This function only; or FAULTS_MEMORY: those that fail with ENOMEM; or FAULTS_SPACE: those that a full disk fails, then
     * with ENOSPC; or "": all. */
    char only[FAULTS_NAME_BYTES];
    /* The program's, reset by the driver: */
    atomic_uint_fast64_t calls;   /* calls that could have failed */
    atomic_uint_fast64_t failed;  /* calls that failed */
    atomic_uint_fast64_t site;    /* where the first of these is in the code */
    char name[FAULTS_NAME_BYTES]; /* the function of the first of these */
    /* At a regular end: */
    uint64_t ended;               /* 1 */
    uint64_t descriptors;         /* more open than at the start */
    uint64_t blocks;              /* of memory that were not freed */
    uint64_t sites[FAULTS_SITES]; /* where the first of these blocks were got */

    _Atomic uint32_t trace[FAULTS_TRACE]; /* sites of the first calls */
};

/* Counts a call to the function from the site, and says whether it is to fail; errno is set then. */
bool faults_hit(const char *function, void *site, int error);

/* Memory that the program holds. NULL is fine. */
void faults_got(void *block, void *site);
void faults_gave(void *block);
