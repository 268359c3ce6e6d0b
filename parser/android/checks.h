/* What an Android method trace should be told about itself: whether it was sampled rather than traced, and
 * where its records contradict its header or what clocks can do. Nothing is changed by it: every finding is
 * a warning. */
#ifndef PARSER_ANDROID_CHECKS_H
#define PARSER_ANDROID_CHECKS_H

#include "parser/android/key_section.h"
#include "profile/build/builder.h"

enum {
    CHECKS_RECORDS = 1 << 16, /* of the beginning that are looked at for traces of sampling */
    CHECKS_STEPS = 512        /* steps of time between a thread's records, other than 0, that are enough */
};

struct android_checks {
    uint32_t n_records, n_steps;
    bool unrolled;   /* a sampling recorder never does */
    bool long_calls; /* the recorder leaves short calls out, so that steps are long anyway */
    uint64_t *last;  /* by track: clock of its last record */
    size_t last_capacity, n_last;
    uint64_t steps[CHECKS_STEPS]; /* ticks of the first clock */
    uint64_t reserved_records;    /* that were never filled in, and did not become events */
};

/* Looks at events before they are folded. Cheap once enough were seen. False when the arena gives no more.
 */
bool android_checks_events(struct android_checks *c, struct builder *b, const struct event *events, size_t n)
    __attribute__((warn_unused_result));

/* After the last event, with the builder's clocks final. `wall`: the first clock is wall time; `dual`: the
 * second one is CPU time. CPU time alone does not tell sampling: a thread may have run for any time between
 * two samples. False when the arena gives no more. */
bool android_checks_finish(struct android_checks *c, struct builder *b, const struct key_section *keys,
                           bool wall, bool dual) __attribute__((warn_unused_result));

#endif
