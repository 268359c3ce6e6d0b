/* The digest of a profile: what is kept of one run so that groups of runs can be compared without reading the profiles
 * again. It is text in UTF-8; lines end with a newline, fields are separated by one tab, and names are cleaned (clean.h):
 *
 *     aflamed-digest 1
 *     value NAME UNIT TOTAL              one to eight lines; UNIT is ns, bytes or count; TOTAL is that of all threads
 *     thread NAME ROLE TOTAL..           one for each name of a thread (those with one name summed), sorted by it, the 200
 *                                        heaviest; ROLE is main or -; a TOTAL for each value
 *     step NAME UNIT NUMBER              what the recording as a whole tells beside: how long the start took, late frames;
 *                                        at most 16
 *     methods N LEFT_OUT                 N lines follow, to the end of the text; LEFT_OUT more were too light for it
 *     NAME CALLS INCLUSIVE EXCLUSIVE..   a pair for each value; sorted bytewise by NAME, no two equal; at most 5000
 *
 * NAME of a method is `package.Class.method`, then `(signature)` where it is known, then ` [module]` for native code.
 * CALLS is 0 where the format counts none. Values and totals are signed: of two heap dumps they may be negative.
 *
 * The text comes from a store and is taken as hostile. Slices in the structures are of the text, which has to stay.
 * Any thread. */
#pragma once

#include "core/diag.h"
#include "core/str.h"
#include "core/unit.h"

enum {
    RUN_DIGEST_VALUES_MAX = 8,
    RUN_DIGEST_THREADS_MAX = 200,
    RUN_DIGEST_STEPS_MAX = 16,
    RUN_DIGEST_METHODS_MAX = 5000
};

struct run_digest_value {
    struct str name;
    enum unit unit;
    int64_t total;
};

struct run_digest {
    struct str text;
    uint32_t n_values;
    struct run_digest_value values[RUN_DIGEST_VALUES_MAX];
    struct str threads; /* their lines */
    uint32_t n_threads;
    uint32_t n_steps;
    struct run_digest_value steps[RUN_DIGEST_STEPS_MAX];
    struct str methods; /* their lines */
    uint64_t n_methods, left_out;
};

/* One line of a thread or a method. */
struct run_digest_row {
    struct str name;
    bool is_main;                             /* of a thread */
    uint64_t calls;                           /* of a method */
    int64_t inclusive[RUN_DIGEST_VALUES_MAX]; /* by value; of a thread its total */
    int64_t exclusive[RUN_DIGEST_VALUES_MAX]; /* of a method; of a thread 0 */
};

/* Reads the head, down to the line `methods`. The lines of methods are not looked at, so that a thousand digests can be
 * opened for one row of each. False: diag. */
bool run_digest_open(struct run_digest *d, struct str text, struct diag *diag) MUST_CHECK;

/* Whether the lines of methods are as said above, too: as many as N, each well-formed, in order. False: diag. */
bool run_digest_check(const struct run_digest *d, struct diag *diag) MUST_CHECK;

/* Takes the next line off *rest, which begins as d->threads or d->methods. False: rest->n is 0 at the end, and not 0 in
 * front of a damaged line. */
bool run_digest_next_thread(const struct run_digest *d, struct str *rest, struct run_digest_row *row);
bool run_digest_next_method(const struct run_digest *d, struct str *rest, struct run_digest_row *row);

/* The method of that name, by bisection. A name without signature and module finds the first of those that only add them.
 * False: it is not there, or its line is damaged. */
bool run_digest_find(const struct run_digest *d, struct str name, struct run_digest_row *row);

/* The thread of that name; "main" is the one with that role, if there is one. */
bool run_digest_find_thread(const struct run_digest *d, struct str name, struct run_digest_row *row);

/* The step of that name; NULL: it has none. */
const struct run_digest_value *run_digest_find_step(const struct run_digest *d, struct str name);

/* The index of a value; -1: it has none of that name. */
int run_digest_value(const struct run_digest *d, struct str name);
