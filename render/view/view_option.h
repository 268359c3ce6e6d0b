/* One option of a view, as a row of a table. Everything that has to know which options there are reads the rows:
 * parsing and its errors, the text of cache keys, links, forms, the command line and its help, the manual.
 *
 * A new option is a field in struct view_options and a row in view_options.c. The macros of that file take every
 * column of a kind, so that a row without one of them does not compile.
 *
 * Options are set one at a time in the order of the request (see view_set). The steps of filters may come several times,
 * and their order counts, also across their keys: each appends to one list in struct view_options. Where options are
 * written, that list stands in the place of the first of these rows. */
#ifndef RENDER_VIEW_VIEW_OPTION_H
#define RENDER_VIEW_VIEW_OPTION_H

#include "core/buf.h"
#include "render/view/view.h"

enum view_option_kind {
    OPTION_TRACKS, /* "21491", "21491,21500", "all" or "merged" */
    OPTION_WORD,   /* one of a list: an enum in struct view_options, whose values number the words */
    OPTION_NUMBER, /* whole, or with decimals: an integer that counts the smallest step */
    OPTION_TIME,   /* µs with three decimals in text, ns in struct view_options; empty: VIEW_TIME_NONE */
    OPTION_MOMENT, /* "3", or from one to another "1..3"; struct view_moment */
    OPTION_TEXT,   /* a terminated array of characters */
    OPTION_STEP    /* a step of the filters */
};

/* What a word or an option needs of a profile to make a difference. Forms leave out what makes none. */
enum view_option_need {
    NEEDS_NOTHING,
    NEEDS_TIMED_TRACK, /* one track, with times */
    NEEDS_MOMENTS,     /* a series of dumps */
    NEEDS_COMPARISON,
    NEEDS_ONE_PROFILE, /* no comparison */
    NEEDS_OPEN_FRAMES  /* frames that are never left, with wall time */
};

struct view_word {
    const char *word;  /* in URLs and on the command line */
    const char *label; /* in forms */
    const char *help;  /* what it means, in a few words that can stand in brackets */
    enum view_option_need need;
};

struct view_option {
    const char *key;
    enum view_option_kind kind;
    enum view_option_scope scope;
    size_t offset, bytes;       /* of its field in struct view_options */
    const char *label;          /* before its control in a form; "" if it has none there */
    const char *noun;           /* in sentences: "the NOUN is .." */
    const char *metavar;        /* for its value in help: "PX" */
    const char *help;           /* what it says, without capital and full stop */
    const char *fallback;       /* the default, as canonical text */
    const char *fallback_means; /* what an empty fallback means; "" for another */

    /* OPTION_WORD, OPTION_STEP: the words that it takes; none: any text */
    const struct view_word *words;
    unsigned n_words;

    /* OPTION_NUMBER, OPTION_TIME: least and most count the smallest step */
    unsigned decimals;
    uint64_t least, most;

    /* OPTION_NUMBER, OPTION_TIME: what is counted ("pixels"). OPTION_TEXT, OPTION_TRACKS, OPTION_MOMENT: what is allowed,
     * behind "the NOUN is" */
    const char *expected;

    /* OPTION_TEXT: whether a text that is not empty is one; NULL: any is */
    bool (*accepts)(struct str text);

    enum filter_key step; /* OPTION_STEP */
    bool may_be_empty;    /* OPTION_TEXT */
};

/* THE TABLE, in the order of canonical texts, links, forms and help. */
extern const struct view_option VIEW_OPTIONS[];
extern const size_t VIEW_OPTIONS_COUNT;

/* NULL if there is none. */
const struct view_option *view_option_by_key(struct str key);

/* The word number i of that option; NULL behind the last. `key` is one of the table's words. */
const char *view_option_word(const char *key, unsigned i);

/* The row in whose place the list of steps is written. */
bool view_option_is_first_step(const struct view_option *r);

/* Appends what the option is set to, as text that view_set takes back. Of OPTION_STEP: the last step of that key, or
 * nothing; see view_filter for all of them. */
void view_option_text(const struct view_option *r, const struct view_options *o, struct buf *b);

/* Whether the option, which is not OPTION_TRACKS, differs from the default. */
bool view_option_differs(const struct view_option *r, const struct view_options *o);

/* Appends what is allowed, as the end of a sentence that begins with "the NOUN is": "one of name, weight". */
void view_option_expected(const struct view_option *r, struct buf *b);

/* Appends one paragraph for people, without line ends: what the option says, the words with their meaning or the range,
 * the default. */
void view_option_describe(const struct view_option *r, struct buf *b);

#endif
