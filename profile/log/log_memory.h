/* A log of calls in memory. */
#ifndef PROFILE_LOG_LOG_MEMORY_H
#define PROFILE_LOG_LOG_MEMORY_H

#include "profile/log/call_log.h"

/* In pieces of one size, so that a log that grows is never copied. Zeroed it is empty; it owns its memory until log_memory_free. */
struct log_memory {
    uint8_t **pieces;
    size_t n, capacity;    /* pieces */
    uint64_t bytes, limit; /* that are there; that may be; 0: any number */
    bool full;             /* it took no more for the limit, not for want of memory */
};

/* Appends to the memory. */
struct call_log_sink log_memory_sink(struct log_memory *m);
/* Reads what is there; the memory stays as it is, and outlives the source. */
struct call_log_source log_memory_source(struct log_memory *m);
void log_memory_free(struct log_memory *m);

#endif
