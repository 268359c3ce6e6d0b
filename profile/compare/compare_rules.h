/* Names that compilers and machines number anew with each build or start: lambdas, anonymous classes,
 * accessors. Of two profiles the frames of equal names are the same method; of what is left, frames are
 * the same whose names are equal once these rules have put a star in the place of what was numbered. Each
 * rule is a row of the table in compare_rules.c. */
#pragma once

#include "core/buf.h"

/* Which part of a frame a text is. */
enum compare_part {
    COMPARE_NAMES = 1, /* class, method, signature */
    COMPARE_MODULE = 2 /* the mapped file of a native frame */
};

enum { COMPARE_RULE_NONE = UINT8_MAX };

/* Appends the text to `out` as the rules leave it, with `scratch` as their memory. Returns the number of
 * the first rule that changed it, or COMPARE_RULE_NONE. Linear in the text. */
unsigned compare_normalise(struct str text, enum compare_part part, struct buf *out, struct buf *scratch);

/* What the rule is about, for people, in the plural: "lambdas". Several rules may share it. NULL behind
 * the last one. */
const char *compare_rule_label(unsigned rule);
