/* What the reader answers to packed bytes, for the tests of unpacking. All answers are as profile_dump.h
 * has them, and are the caller's to free; what fails, fails the test. */
#pragma once

#include "core/buf.h"
#include "parser/reader.h"

extern const struct reader_limits PACKED_LIMITS;

/* The file of this name of tests/support/trace_bytes.h. */
struct buf packed_plain_input(const char *name);

struct buf packed_answer_to(struct str bytes);
/* With other limits of what is unpacked, and so much memory. */
struct buf packed_answer_within(struct str bytes, struct unpack_limits unpacked, size_t memory_bytes);
/* Of an archive's member. */
struct buf packed_member_answer(struct str bytes, const char *member);

bool packed_contains(const struct buf *answer, const char *text);
/* The answer without the fact that says how it was packed, which must be there. */
struct str packed_without_fact(struct buf *answer);

/* The answer to these bytes holds the text; with cuts in the middle it is the same one. */
void packed_assert_answer(struct str bytes, const char *text);
/* The answer is the same with a cut at any byte, and at all of them. */
void packed_assert_every_cut(struct str bytes);
void packed_assert_member_answer(struct str bytes, const char *member, const char *text);
/* It is the answer to the file of this name. */
void packed_assert_same_as_plain(const struct buf *packed, const char *name);
