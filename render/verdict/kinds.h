/* What the methods of the platform do, by their names: which of them wait and for what, and which kinds of work people
 * look for on a main thread. THE TABLES are in kinds.c; a new kind is a row there and a constant here. */
#ifndef RENDER_VERDICT_KINDS_H
#define RENDER_VERDICT_KINDS_H

#include "profile/frame/frame_text.h"

enum wait_kind {
    WAIT_NONE,
    WAIT_MESSAGES, /* of its own queue: a thread with nothing to do */
    WAIT_LOCK,
    WAIT_PARK,
    WAIT_SLEEP,
    WAIT_IO,
    WAIT_BINDER,
    WAIT_KINDS
};

enum work_kind {
    WORK_FILES,
    WORK_DATABASE,
    WORK_PREFERENCES,
    WORK_JSON,
    WORK_INFLATION,
    WORK_IMAGES,
    WORK_REFLECTION,
    WORK_CLASS_LOADING,
    WORK_INITIALISERS,
    WORK_COLLECTION, /* of garbage, asked for by a method */
    WORK_KINDS
};

/* What a thread waits for in the method; WAIT_NONE: no method that is known to wait. */
enum wait_kind wait_kind_of(const struct frame_parts *parts);
/* "for a lock"; not of WAIT_NONE. */
const char *wait_kind_words(enum wait_kind kind);

/* A bit for each enum work_kind that the method begins. */
unsigned work_kinds_of(const struct frame_parts *parts);
/* "reading and writing files" */
const char *work_kind_words(enum work_kind kind);
/* What to do about it, as a sentence. */
const char *work_kind_advice(enum work_kind kind);

#endif
