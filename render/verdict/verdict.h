/* In words where the time went: a headline and at most seven sentences, the most important first, each with its numbers,
 * how they were found, and the state of a view that shows it. This room knows a profile, its names and,
 * for the main thread, its long calls; it writes text and JSON, and knows no HTTP, no files and no
 * threads.
 *
 *     analysis_new   counts, in one pass (analysis.h, which has the tables of what methods do)
 *     RULES          each row looks at the counts and may say one thing (rules.c)
 *     verdict_new    the things that were said, by their weight
 *     VERDICT_FORMATS  the same as txt or json */
#pragma once

#include "core/buf.h"
#include "core/diag.h"
#include "profile/calls/span.h"
#include "render/verdict/sentence.h"
#include "render/view/input.h"
#include "render/view/text_format.h"

enum { VERDICT_SENTENCES_MAX = 8 };

struct chain;

struct verdict {
    struct verdict_sentence list[VERDICT_SENTENCES_MAX];
    const struct chain *chain; /* see chain.h */
    uint32_t n;
};

/* The calls of the main thread that last long, and the longest one of each kind of wait: see span.h. Which request finds
 * them is said here; its kinds live in the arena. False: the profile has no times, and rules that need them stay silent,
 * or the arena gives no more (its failure says so). */
bool verdict_wants_spans(const struct profile *p, const struct names *names, struct arena *arena,
                         struct span_request *request);

/* in->spans: what that request found; NULL if there are none. Lives in in->scratch; NULL: it gives no more. */
const struct verdict *verdict_new(const struct render_input *in) MUST_CHECK;

struct verdict_format {
    struct text_format text;
    void (*write)(const struct render_input *in, const struct verdict *v, struct buf *out);
};

/* THE TABLE of formats; the first row is the default. */
extern const struct verdict_format VERDICT_TXT, VERDICT_JSON;
extern const struct verdict_format *const VERDICT_FORMATS[];
extern const size_t VERDICT_FORMATS_COUNT;

/* NULL if there is none. */
const struct verdict_format *verdict_format_by_name(struct str name);

/* From a profile to bytes, appended to out. False: diag. */
bool verdict_write(const struct render_input *in, const struct verdict_format *format, struct buf *out,
                   struct diag *diag) MUST_CHECK;
