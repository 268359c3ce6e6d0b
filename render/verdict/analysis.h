/* The numbers that a verdict's rules look at: one pass over a profile.
 *
 * Time is the first of wall and CPU time that the profile has; without either it is the profile's first
 * value, and no rule may speak of time. *Waiting* is the self of frames that are known to wait; *work* is
 * all other time.
 *
 * Work is parted by who caused it, so that the parts add up: on a stack with own code it is own code's, on
 * another one with a third party's code that one's, else the platform's. Within own code it is the
 * innermost own method's: what the platform does for a method is the method's, what another own method
 * does is not. */
#ifndef RENDER_VERDICT_ANALYSIS_H
#define RENDER_VERDICT_ANALYSIS_H

#include "render/names/names.h"
#include "render/view/input.h"

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

/* "for a lock"; not of WAIT_NONE. */
const char *wait_kind_words(enum wait_kind kind);

/* "reading and writing files" */
const char *work_kind_words(enum work_kind kind);

/* What to do about it, as a sentence. */
const char *work_kind_advice(enum work_kind kind);

enum share { SHARE_OWN, SHARE_THIRD_PARTY, SHARE_PLATFORM, SHARE_WAITING, SHARES };

/* What a set of calls took, and the method that took most of it. */
struct cost {
    uint64_t time, calls;
    frame_id frame; /* FRAME_NONE: none */
    uint64_t frame_time;
    frame_id
        caller; /* of that method: the innermost own or third party's method above it; FRAME_NONE: none */
};

struct thread_cost {
    uint64_t total, share[SHARES];
    uint64_t cpu; /* 0 where it was not recorded */
};

struct analysis {
    const struct profile *p;
    const struct names *names;
    const struct spans *spans; /* calls of the main thread; NULL: none were asked for */
    uint32_t time;             /* the value that is looked at */
    uint32_t wall, cpu;        /* n_values where they are not recorded */
    uint32_t calls;
    bool timed;
    bool sampled; /* the recorder looked at stacks every so often: calls shorter than that are missed */

    uint32_t main;               /* the track "main", or else the heaviest: an index */
    bool has_main;               /* it is called so */
    struct thread_cost *threads; /* by track */
    uint64_t *work_beside;       /* by track: its work; 0 of the main one */
    struct thread_cost all;
    struct cost waits[WAIT_KINDS]; /* of the main thread */
    struct cost work[WORK_KINDS];  /* of the main thread */
    struct cost own_body; /* own methods that wait in themselves, on the main thread: wall without CPU */

    /* By frame. */
    uint64_t *own_main, *own_all;   /* work of own methods, as the innermost one */
    uint64_t *entry_main;           /* inclusive time of the outermost own methods on the main thread */
    uint64_t *self_all, *calls_all; /* its own work, and calls, on all threads */
    uint64_t *
        third_all; /* by package (names_package): work of third parties' methods, as the innermost own or third party's one */
};

/* All time but waiting. */
uint64_t work_of(const struct thread_cost *t);

/* Lives in in->scratch; NULL when it gives no more. */
const struct analysis *analysis_new(const struct render_input *in) __attribute__((warn_unused_result));

#endif
