/* The numbers that a verdict's rules look at: one pass over a profile, and one over its main thread.
 *
 * What a thread's time is made of is told by profile/thread_time.h. Two sums are made of it:
 *
 *     active   time on a CPU where this was recorded, else time in methods that are not known to wait. Of a
 *              profile without clocks it is the value that is looked at. Threads rank by it.
 *     took     all time in methods but waiting for messages: what a caller waits for. Of the main thread.
 *
 * Active time is parted by who caused it, so that the parts add up: on a stack with own code it is own
 * code's, on another one with a library's code that one's, else the platform's. Within own code it is the
 * innermost own method's: what the platform does for a method is the method's, what another own method
 * does is not. Time in no method belongs to nobody. */
#pragma once

#include "profile/frame/waits.h"
#include "profile/thread_time.h"
#include "render/names/names.h"
#include "render/verdict/work_kinds.h"
#include "render/view/input.h"

enum share { SHARE_OWN, SHARE_LIBRARIES, SHARE_PLATFORM, SHARES };

/* What a set of calls took, and the method that took most of it. */
struct cost {
    uint64_t time, calls;
    frame_id frame; /* FRAME_NONE: none */
    uint64_t frame_time;
    frame_id caller; /* of that method: the innermost own or library's method above it; FRAME_NONE: none */
};

struct thread_cost {
    uint64_t total;              /* the parts of all its time, or its value */
    uint64_t state[TIME_STATES]; /* of that */
    uint64_t share[SHARES];      /* of its active time */
};

struct chain;

struct analysis {
    const struct profile *p;
    const struct names *names;
    const struct spans *spans; /* calls of the main thread; NULL: none were asked for */
    struct time_values clocks;
    uint32_t value; /* the value that is looked at: where there are no clocks the first one */
    uint32_t calls;
    bool timed;     /* there are clocks: `total`, `active` and `took` are ns */
    bool has_cpu;   /* active time is time on a CPU */
    bool is_memory; /* there are none, and bytes are looked at: allocators count for their callers */
    bool sections;  /* frames are sections of a system trace, not methods */
    bool states;    /* the scheduler has told the states of threads, also outside of all sections */
    bool sampled;   /* the recorder looked at stacks every so often: calls shorter than that are missed */

    uint32_t main;               /* the track "main", or else the heaviest: an index */
    bool has_main;               /* it is called so */
    struct thread_cost *threads; /* by track */
    uint64_t *active_beside;     /* by track: its active time; 0 of the main one */
    struct thread_cost all;
    struct cost waits[WAIT_KINDS]; /* of the main thread: what it waited, by cause */
    struct cost work[WORK_KINDS];  /* of the main thread: what the outermost methods of the kind took */

    /* By node of the main thread, from its first. */
    uint64_t *took;                     /* with all that it calls */
    uint64_t took_all;                  /* of the whole thread */
    const struct system_counts *system; /* of a system trace; else NULL */
    const struct growth *growths;       /* of a series of heaps, GROWTHS of growth.h; else NULL */
    const struct chain *chain;          /* of that: see chain.h; NULL until the caller sets it */

    /* Each has an entry for each frame. */
    bool *allocates;      /* only gives memory to its caller */
    uint64_t *own_main;   /* took, of own methods, as the innermost one */
    uint64_t *entry_main; /* took, of the outermost own methods */
    uint64_t *self_main;  /* took, in itself; what the kernel waits is its caller's */
    uint64_t *self_wait;  /* waiting, of that */
    uint64_t *wait_main;  /* waiting for all but messages: of the method that tells what for */
    uint64_t *calls_all;  /* on all threads */
    int64_t *module_all;  /* by string: active time, or bytes, of the file that a method is mapped from */
    /* By frame: samples of the main thread in it, where these stand beside its sections. */
    uint64_t *main_sampled;
    uint64_t main_samples;       /* all of them */
    int64_t *own_all, *self_all; /* active time on all threads: as the innermost own method, and in itself */
    int64_t *library_all;        /* by package (names_package): active time of libraries' methods, as the
                                      innermost own or library's one */
    int64_t *native_all; /* self_all of native functions that are not the kernel's; 0 of all other frames */
    uint64_t native, kernel; /* self_all of all of them, and of the kernel */
    bool has_java;           /* some frames are known to be Java's */
};

/* Writes the indexes of the `max` largest numbers above 0, largest first, equal ones by index. Returns how many there are. */
uint32_t analysis_top(const int64_t *numbers, uint32_t n, uint32_t *top, uint32_t max);

/* The three shares together. */
uint64_t active_of(const struct thread_cost *t);

/* Lives in in->scratch; NULL when it gives no more. */
struct analysis *analysis_new(const struct render_input *in) MUST_CHECK;
