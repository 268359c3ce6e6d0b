/* Two profiles become one: the union of their trees, with the values of each beside each other. So every
 * view, filter and table of a profile works on a comparison. Each side may be several recordings of the
 * same, its runs.
 *
 * Values. Of the values that all runs have by name and unit, *bases*, the comparison has one for each run:
 * `wall_a`, `wall_b`; of several runs `wall_a1`, `wall_a2`, `wall_b1`. What goes down of a value that can
 * be below 0 is a base of its own, with `-less` behind its name: the change of the value is that of the
 * one less that of the other. Waiting is a base of its own where all can tell it. No value is a time: the
 * comparison of two recordings has no clock.
 *
 * Frames are the same if their identity is: class, method, signature and module. What is left on either
 * side is paired by the rules of compare_rules.h, in the order of names and their numbers, and shows the
 * bytewise smaller name; build ids need not be equal then. If the runs are of different formats, what is
 * left is paired by the text `package.Class.method` alone, since not all formats have the rest.
 *
 * Tracks are the same if their name, kind, and what they are a part of are; of several with one name the
 * heaviest of each run are paired, then the next ones. Tracks whose names differ in their numbers only are
 * a pool: all of them are one track, shown with `#` for the number, unless all have the same name. If
 * every run has one track only, it is paired whatever it is called.
 *
 * What was paired by a rule, what one side has only, and the warnings of all runs are warnings of the
 * comparison. Pure; the result shares nothing with its inputs. */
#pragma once

#include "core/arena.h"
#include "core/diag.h"
#include "core/hash.h"
#include "profile/profile.h"

struct compare_request {
    const struct profile *const *runs; /* those of A, then those of B */
    uint32_t n_a, n_b;                 /* at least one each */
};

/* A track of one run, in the comparison. */
struct compare_member {
    uint32_t run;   /* its index */
    uint32_t track; /* id of the comparison's track */
    uint32_t id;    /* in its run */
    string_id name;
};

/* What a comparison knows beside its tree. */
struct profile_compared {
    uint32_t n_a, n_b;
    uint32_t n_bases;
    struct profile_value bases[PROFILE_VALUES_MAX]; /* as the runs have them */
    const uint64_t *elapsed_ns; /* by run: from the first to the last record of its tracks; 0: no times */
    /* What one reading of the clock costs the recorder, of the run where it is most; 0: not known. */
    uint64_t overhead_ns;
    bool sampled; /* a run at least: its calls are changes between samples, and their number means little */
    const uint8_t *paired; /* by frame: two names became one by a rule */
    const struct compare_member *members;
    uint32_t n_members;
};

static inline uint32_t compare_runs(const struct profile_compared *c)
{
    return c->n_a + c->n_b;
}

/* The comparison's value that is this base of this run. */
static inline uint32_t compare_value(const struct profile_compared *c, uint32_t base, uint32_t run)
{
    return base * compare_runs(c) + run;
}

/* NULL: one of the arenas gives no more, or diag is set: DIAG_UNUSABLE where nothing is measured by all,
 * with what each measures; DIAG_USAGE for more runs than there is room for. */
const struct profile *compare_new(const struct compare_request *request, struct hash_seed seed,
                                  struct arena *a, struct arena *scratch, struct diag *diag) MUST_CHECK;
