/* The regular expressions of filters: the subset that PCRE2 and JavaScript's RegExp with the flags `iu` read alike. What is
 * outside of it is refused here, so that the service, the command line and the script of a picture take the same ones.
 *
 * The subset, which docs/filters.md explains to users:
 *   - Characters stand for themselves. A backslash takes the meaning from one of ^ $ \ . * + ? ( ) [ ] { } | / and, within
 *     brackets, from - as well.
 *   - `.` is any character, \d a digit 0-9, \w one of A-Z a-z 0-9 _. ^ and $ are the beginning and the end of the text.
 *   - [abc], [^abc], [a-z]: the characters `[` and `]` stand there with a backslash, `-` with one or as the first or last.
 *   - (...) and (?:...) group, | parts alternatives.
 *   - * + ? {n} {n,} {n,m}, each also with a ? behind it; n and m are at most FILTER_REGEX_REPEAT_MAX.
 *
 * Both engines search by trying, one way after another. So that no expression takes for ever, the ways in which it can match
 * at one place are estimated: a repetition without upper bound counts FILTER_REGEX_UNBOUNDED, `?` one more than what it
 * repeats, {n,m} has m - n + 1 lengths; alternatives add up, what stands in a row multiplies; a repetition without upper bound
 * of what matches in several ways itself counts as too many. More than FILTER_REGEX_WAYS_MAX ways are refused, and so is what has more than
 * FILTER_REGEX_SIZE_MAX characters when each repetition is written out to its upper number, or to one more than its lower one. */
#ifndef PROFILE_FILTER_FILTER_REGEX_H
#define PROFILE_FILTER_FILTER_REGEX_H

#include "core/buf.h"

enum {
    FILTER_REGEX_DEPTH_MAX = 16, /* groups within each other */
    FILTER_REGEX_REPEAT_MAX = 50,
    FILTER_REGEX_UNBOUNDED = 100,
    FILTER_REGEX_WAYS_MAX = 1000000,
    FILTER_REGEX_SIZE_MAX = 1000
};

/* Appends the expression (the text between the slashes) as PCRE2 reads it, with PCRE2_UTF and PCRE2_CASELESS. NULL: it is
 * one; else what is wrong with it, as a sentence without capital and full stop, and what was appended means nothing. */
const char *filter_regex_translate(struct str expression, struct buf *pcre)
    __attribute__((warn_unused_result));

#endif
