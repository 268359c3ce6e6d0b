/* What a step of a filter looks for in a frame.
 *
 *     TEXT        the frame's text contains it; case does not matter for A-Z
 *     /REGEX/     a regular expression of the subset below matches somewhere in it; case does not matter
 *     PART:..     one of the two, in a part of the frame: class, package, signature, file, module, origin
 *
 * The text of a frame is what folded stacks have: `package.Class.method` without signature, cleaned, with `:` for `;`. Parts are
 * cleaned in the same way. The class is all before the method, `package.Class`; the origin is a word of origin_word. A part
 * that a frame does not have is empty, so that only an expression such as /^$/ matches it.
 *
 * Expressions are those that PCRE2 and JavaScript's RegExp with the flags `iu` read alike. Others are refused, so that the
 * service, the command line and the script of a picture take the same ones.
 * The subset, which docs/filters.md explains to users:
 *   - Characters stand for themselves. A backslash takes the meaning from one of ^ $ \ . * + ? ( ) [ ] { } | / and, within
 *     brackets, from - as well.
 *   - `.` is any character, \d a digit 0-9, \w one of A-Z a-z 0-9 _. ^ and $ are the beginning and the end of the text.
 *   - [abc], [^abc], [a-z]: the characters `[` and `]` stand there with a backslash, `-` with one or as the first or last.
 *   - (...) and (?:...) group, | parts alternatives.
 *   - * + ? {n} {n,} {n,m}, each also with a ? behind it; n and m are at most FILTER_REPEAT_MAX. */
#ifndef PROFILE_FILTER_FILTER_PATTERN_H
#define PROFILE_FILTER_FILTER_PATTERN_H

#include "core/arena.h"
#include "core/buf.h"
#include "core/diag.h"
#include "profile/profile.h"

enum filter_part {
    FILTER_PART_TEXT, /* without prefix */
    FILTER_PART_CLASS,
    FILTER_PART_PACKAGE,
    FILTER_PART_SIGNATURE,
    FILTER_PART_FILE,
    FILTER_PART_MODULE,
    FILTER_PART_ORIGIN,
    FILTER_PARTS
};

enum {
    FILTER_GROUPS_MAX = 16, /* groups of an expression within each other */
    FILTER_REPEAT_MAX = 50  /* the numbers of a repetition */
};

/* How far a whole filter may search: shared by all of its steps. */
struct filter_budget {
    struct arena *arena; /* lends memory, and carries the stop that is asked */
    uint64_t steps;      /* that are left; begins with FILTER_STEPS */
};

/* One step is an item of an expression that is tried somewhere in a name. So many take about a second. */
#define FILTER_STEPS 40000000

/* Which part the pattern looks at, and what it looks for there: a text that is not empty, or an expression without its
 * slashes. NULL: it is a pattern; else what is wrong, as a sentence without capital and full stop. */
const char *filter_pattern_parse(struct str pattern, enum filter_part *part, struct str *text, bool *is_regex)
    __attribute__((warn_unused_result));

/* Fills matches[n_frames] with 1 for each frame of the profile that matches, else 0. `origins` has the enum origin of each
 * frame; only patterns of origins need it, for others it may be NULL. False: the arena has failed or was stopped, or diag is
 * set: no memory, or an expression for which the budget does not suffice. */
bool filter_pattern_match(const struct profile *p, struct str pattern, const uint8_t *origins,
                          struct filter_budget *budget, uint8_t *matches, struct diag *diag)
    __attribute__((warn_unused_result));

/* Appends the text of the frame that patterns see. */
void filter_pattern_text(const struct profile *p, frame_id frame, struct buf *b);

#endif
