#include "server/http/reply_memory.h"

#include <stdatomic.h>

static atomic_uint_fast64_t memory_bytes;

uint64_t reply_memory(void)
{
    return atomic_load_explicit(&memory_bytes, memory_order_relaxed);
}

void reply_memory_add(size_t bytes)
{
    atomic_fetch_add_explicit(&memory_bytes, bytes, memory_order_relaxed);
}

void reply_memory_take_off(size_t bytes)
{
    atomic_fetch_sub_explicit(&memory_bytes, bytes, memory_order_relaxed);
}

bool reply_memory_left(const struct config *config, uint64_t own, struct diag *diag)
{
    return reply_memory() - own <= config->hot_bytes + config->answer_memory_bytes ||
           diag_set(diag, DIAG_BUSY, "too many answers under way", "Try again in a moment.",
                    "Clients have not yet taken the answers that they asked for.");
}
