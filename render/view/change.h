/* How much a number changed from one recording to another, in words and as one of the steps of a scale. Knows two numbers and
 * nothing else. */
#ifndef RENDER_VIEW_CHANGE_H
#define RENDER_VIEW_CHANGE_H

#include "core/buf.h"
#include "core/unit.h"

enum { CHANGE_STEPS = 9, CHANGE_SAME = CHANGE_STEPS / 2 };

static inline uint64_t change_size(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Appends "+12.5 ms" or "-3"; "0 ns". */
void change_put(struct buf *out, enum unit unit, uint64_t a, uint64_t b);
/* Appends the change in percent of a: "+25 %", "-3.5 %"; "new" where a is nothing, "gone" where b is nothing. */
void change_put_percent(struct buf *out, uint64_t a, uint64_t b);

/* From 0, all of it gone, over CHANGE_SAME to CHANGE_STEPS - 1, all of it new: how large the change is beside the larger of
 * the two. */
unsigned change_step(uint64_t a, uint64_t b);
/* What a step says, for legends: "-20 %". */
const char *change_step_label(unsigned step);

#endif
