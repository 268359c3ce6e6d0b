/* How much memory the answers take that clients have not taken yet, and the views that are kept. Clients that do not read
 * must not fill the memory. One count for the whole program. Any thread. */
#ifndef SERVER_HTTP_REPLY_MEMORY_H
#define SERVER_HTTP_REPLY_MEMORY_H

#include <stddef.h>

#include "core/diag.h"
#include "server/config/config.h"

/* Shared bytes count by themselves; bytes of other answers are added and taken off by who sends them. */
uint64_t reply_memory(void);
void reply_memory_add(size_t bytes);
void reply_memory_take_off(size_t bytes);

/* Whether there is room for another answer, of which `own` bytes are counted already. False: diag, for its client. */
bool reply_memory_left(const struct config *config, uint64_t own, struct diag *diag);

#endif
