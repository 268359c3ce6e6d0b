/* THE TABLE of rules. A rule looks at the counts of a profile and says one thing, or nothing. */
#ifndef RENDER_VERDICT_RULES_H
#define RENDER_VERDICT_RULES_H

#include "core/buf.h"
#include "render/verdict/analysis.h"
#include "render/verdict/sentence.h"

struct finding;

struct rule {
    const char *name;
    const char *how;
    uint64_t least; /* what it takes for the rule to speak, in the unit that its function says */
    /* Appends the sentence, and sets the sentence's methods, track and weight. False: nothing to say. */
    bool (*find)(const struct rule *r, const struct analysis *a, struct finding *f);
    unsigned kind;   /* of rules that share a function: which row of analysis.h they are about */
    bool needs_time; /* silent for profiles that do not measure time */
};

extern const struct rule RULES[];

extern const size_t RULES_COUNT;

/* What all rules say sentences with, and the sums and weights that they compare. */

/* What a rule says, while it says it. */
struct finding {
    struct buf *text;
    struct verdict_sentence *sentence;
};

void say(struct finding *f, const char *words);

const struct thread_cost *main_of(const struct analysis *a);

uint64_t permille(uint64_t part, uint64_t whole);

#endif
