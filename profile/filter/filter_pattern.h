/* What a step of a filter looks for in a frame.
 *
 *     TEXT        the frame's text contains it; case does not matter for A-Z
 *     /REGEX/     a regular expression of filter_regex.h matches somewhere in it; case does not matter
 *     PART:..     one of the two, in a part of the frame: class, package, signature, file, module, origin
 *
 * The text of a frame is what folded stacks have: `package.Class.method` without signature, cleaned, with `:` for `;`. Parts are
 * cleaned in the same way. The class is all before the method, `package.Class`; the origin is a word of origin_word. A part
 * that a frame does not have is empty, so that only an expression such as /^$/ matches it. */
#ifndef PROFILE_FILTER_FILTER_PATTERN_H
#define PROFILE_FILTER_FILTER_PATTERN_H

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

/* Which part the pattern looks at, and what it looks for there: a text that is not empty, or an expression without its
 * slashes. NULL: it is a pattern; else what is wrong, as a sentence without capital and full stop. */
const char *filter_pattern_parse(struct str pattern, enum filter_part *part, struct str *text, bool *is_regex)
    __attribute__((warn_unused_result));

/* Fills matches[n_frames] with 1 for each frame of the profile that matches, else 0. `origins` has the enum origin of each frame;
 * it is needed for patterns of origins alone, and may be NULL else. False: diag, for no memory, or an expression that takes too
 * many steps. */
bool filter_pattern_match(const struct profile *p, struct str pattern, const uint8_t *origins,
                          uint8_t *matches, struct diag *diag) __attribute__((warn_unused_result));

/* Appends the text of the frame that patterns see. */
void filter_pattern_text(const struct profile *p, frame_id frame, struct buf *b);

#endif
