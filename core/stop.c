#include "core/stop.h"

#include <string.h>

static const char LEFT[] = "not made to its end";

bool stop_say(const struct stop *s, struct diag *diag)
{
    switch (stop_asked(s)) {
    case STOP_DEADLINE:
        return diag_set(diag, DIAG_LIMIT, "too much work",
                        "Ask for less at once: one thread, a shorter range of time, or simpler filters.",
                        "This takes longer than one request may.");
    case STOP_WORK:
        return diag_set(diag, DIAG_LIMIT, "too much work for its size",
                        "Record for a shorter time, or ask the operator to raise work_seconds_per_mb.",
                        "Reading this file takes more time than a file of its size may.");
    case STOP_SERVICE:
        return diag_set(diag, DIAG_BUSY, "the service is stopping", "Try again in a moment.",
                        "It was told to end before this was done.");
    case STOP_LEFT:
    case STOP_NONE:
        break;
    }
    return diag_set(diag, DIAG_BUSY, LEFT, "Try again.", "Nobody waited for it any more.");
}

bool stop_said_left(const struct diag *diag)
{
    return diag->kind == DIAG_BUSY && strcmp(diag->title, LEFT) == 0;
}
