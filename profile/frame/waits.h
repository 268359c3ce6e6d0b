/* Which methods are known to wait, and for what: the table is in waits.c. Where no clock tells waiting from
 * running, time in such a method is waiting (profile/thread_time.h); where one does, the innermost such
 * method on a stack tells what for. */
#pragma once

#include <stdbool.h>

#include "core/str.h"

enum wait_kind {
    WAIT_NONE,
    WAIT_MESSAGES, /* of its own queue: a thread with nothing to do */
    WAIT_LOCK,
    WAIT_PARK,
    WAIT_SLEEP,
    WAIT_IO,
    WAIT_BINDER,
    WAIT_DRAWING, /* for the thread that draws, or the screen */
    WAIT_UNKNOWN, /* measured, and in no method that is listed */
    WAIT_KINDS
};

/* What a method waits for, by the parts of its name (frame_text.h); WAIT_NONE: it is not listed. */
enum wait_kind wait_kind_of(struct str scope, struct str name);

/* Whether a thread in the method has nothing to do, or waits for another one: it is drawn as idle. Others
 * of the table do something in another process or on a device for their caller. */
bool wait_is_idle(struct str scope, struct str name);

/* "for a lock or another thread"; not of WAIT_NONE. */
const char *wait_kind_words(enum wait_kind kind);
