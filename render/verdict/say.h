/* What all rules say sentences with, and the sums and weights that they compare. */
#ifndef RENDER_VERDICT_SAY_H
#define RENDER_VERDICT_SAY_H

#include "core/buf.h"
#include "render/verdict/analysis.h"
#include "render/verdict/sentence.h"

/* What a rule says, while it says it. */
struct finding {
    struct buf *text;
    struct verdict_sentence *sentence;
};

void say(struct finding *f, const char *words);
/* In the unit of the value that is looked at; of a profile without times, with its label behind. */
void say_value(struct finding *f, const struct analysis *a, uint64_t value);
void say_percent(struct finding *f, uint64_t part, uint64_t whole);
/* "1.2 ms (34 %)" */
void say_part(struct finding *f, const struct analysis *a, uint64_t part, uint64_t whole);
/* The name in full. The sentence links to it, as to threads. */
void say_method(struct finding *f, const struct analysis *a, frame_id frame);
void say_thread(struct finding *f, const struct analysis *a, uint32_t track);
/* `before` and what tracks are: "threads". Nothing of a file that is one whole. */
void say_everywhere(struct finding *f, const struct analysis *a, const char *before);
/* "1 call", "1,234 calls" */
void say_calls(struct finding *f, uint64_t n);

const struct thread_cost *main_of(const struct analysis *a);

/* Weights: a sentence about a part of the time weighs its permille, at most WEIGHT_MOST. Those about the whole stand in front. */
enum { WEIGHT_MOST = 900, WEIGHT_OWN = 950, WEIGHT_SECOND = 999, WEIGHT_FIRST = 1000 };
uint64_t permille(uint64_t part, uint64_t whole);

#endif
