#include "render/view/fail.h"

static bool no_memory(struct diag *diag)
{
    return diag_no_memory(diag, "The system has no memory left to draw this view.");
}

bool fail_arena(const struct arena *a, struct diag *diag)
{
    if (a->failure == ARENA_STOPPED)
        return stop_say(a->stop, diag);
    if (a->failure != ARENA_LIMIT)
        return no_memory(diag);
    return diag_set(diag, DIAG_LIMIT, "view too large", "Choose one thread instead of several.",
                    "Drawing this view needs more than the %zu MiB of memory it may take.",
                    a->limit_bytes >> 20);
}

bool fail_buf(const struct buf *b, struct diag *diag)
{
    if (!b->full)
        return no_memory(diag);
    return diag_set(diag, DIAG_LIMIT, "view too large",
                    "Choose one thread instead of several, or an output with less detail.",
                    "The result would be larger than the %zu bytes that a view may have.", b->limit);
}
