/* THE TABLE of rules. A rule looks at the counts of a profile and says one thing, or nothing. */
#pragma once

#include "render/verdict/analysis.h"
#include "render/verdict/say.h"

struct rule {
    const char *name;
    const char *how;
    uint64_t least; /* what it takes for the rule to speak, in the unit that its function says */
    /* Appends the sentence, and sets the sentence's methods, track and weight. False: nothing to say. */
    bool (*find)(const struct rule *r, const struct analysis *a, struct finding *f);
    unsigned kind;   /* of rules that share a function: which row of analysis.h they are about */
    bool needs_time; /* silent for profiles without clocks */
    bool once;       /* left out where a sentence in front of it names all of its methods already */
};

extern const struct rule RULES[];
extern const size_t RULES_COUNT;
