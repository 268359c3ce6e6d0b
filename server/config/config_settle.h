/* What the configuration leaves to the machine: how many threads work, and how much memory each may take.
 *
 * The built-in ceilings of memory are for a machine that is large enough. Where it is not, those that nobody has chosen are
 * lowered until all of them together fit: a profile may take less, fewer are folded at a time, less is kept. What an operator
 * has chosen stays, whatever follows from it. docs/configuration.md has the sum. */
#ifndef SERVER_CONFIG_CONFIG_SETTLE_H
#define SERVER_CONFIG_CONFIG_SETTLE_H

#include "core/system/memory_limit.h"
#include "server/config/config.h"

/* `mapped` counts where the limit is one of addresses. */
struct config config_settle(const struct config *c, const struct memory_limit *limit, uint64_t mapped,
                            unsigned cores);

/* How many bytes all ceilings of a settled configuration come to, without connections. */
uint64_t config_ceiling(const struct config *c);

#endif
