/* What is looked for in a space:
 *
 *     branch:main device:"Pixel 8" after:2026-11-01 before:2026-12-01 verdict:gc method:FeedAdapter.getView binder
 *
 * Terms stand between blanks, and all of them must fit. `key:value` is a label, equal in each byte; with nothing behind the
 * colon the upload has some label of that key. `after:` and `before:` are the time of the upload, a date or
 * 2026-11-01T10:00:00Z; `after` includes it. `verdict:` is a part of the name of a rule of which the upload's verdict has a
 * sentence (render/verdict/rules.h), `method:` of a method that it names. All else is a word that the name or the headline has
 * somewhere. Of these three, capital letters of ASCII are as small ones. Quotes hold blanks together, and two quotes within them are one; a term that begins
 * with a quote is a word. A colon behind what cannot be the key of a label makes a word, too. Labels whose keys are those of
 * times, verdicts and methods are found by `label.method:value`. Pure. */
#pragma once

#include "core/buf.h"
#include "server/spaces/labels.h"

enum { QUERY_BYTES_MAX = 1000, QUERY_TERMS_MAX = 32 };

/* Where a term is looked for. */
enum query_where { QUERY_WORDS, QUERY_LABELS, QUERY_RULES, QUERY_METHODS, QUERY_WHERES };

struct query {
    /* Each term stands in `text`, as it is looked for: of a label "\nkey=value\n", or "\nkey=". */
    struct query_term {
        enum query_where where;
        uint16_t at, bytes;
    } terms[QUERY_TERMS_MAX];
    size_t n;
    int64_t after_s, before_s; /* created_s is within [after_s, before_s) */
    char text[QUERY_BYTES_MAX + 4 * QUERY_TERMS_MAX];
};

/* False: diag. */
bool query_parse(struct query *q, struct str text, struct diag *diag) MUST_CHECK;

/* "2026-11-01", its first second, or "2026-11-01T10:00:00Z". */
bool query_date(struct str text, int64_t *unix_s) MUST_CHECK;

/* Appends the term that looks for this label. */
void query_put_label(struct buf *b, struct str key, struct str value);

/* Whether a term looks for a label of that key. */
bool query_has_label(const struct query *q, struct str key);

/* What an upload is looked for by. */
struct query_subject {
    int64_t created_s;
    /* The words are name and headline; labels are "\n", then lines "KEY=VALUE\n"; of rules and methods each is a line. All but
     * labels are in small letters (query_small). */
    struct str of[QUERY_WHERES];
};
bool query_fits(const struct query *q, const struct query_subject *s);

/* In place: capital letters of ASCII become small ones. */
void query_small(char *text, size_t n);
