/* One key of a request, as a row of THE TABLE. Everything that has to know which keys there are reads the
 * rows: parsing and its errors, the canonical text of cache keys, links and hidden fields, forms, the
 * command line with its help, manual and completion, the description of the interface.
 *
 * A new key is a row in keys.c and, unless it is read elsewhere, a field in struct asked (asked.h). The
 * macros of keys.c take every column of a kind, so that a row without one of them does not compile.
 *
 * Routes, outputs, reports and commands name the groups of keys that they take, as a sum of enum key_group
 * (view.h). Names are unique within each such sum, but for this: of two rows of one name the later one
 * counts. A comparison (KEYS_COMPARED) also takes `<name>_b` for each row that says so: what its second
 * side has instead. */
#pragma once

#include "render/view/asked.h"

enum key_kind {
    KEY_TRACKS, /* "21491", "21491,21500", "all" or "merged" */
    KEY_STACKS, /* ids of tracks, with commas between them; may be empty */
    KEY_WORD,   /* one of a list: an enum, whose values number the words */
    KEY_NUMBER, /* whole, or with decimals: an integer that counts the smallest step; of an empty fallback all bits are set */
    KEY_TIME,   /* µs with three decimals in text, ns in the field; empty: VIEW_TIME_NONE */
    KEY_MOMENT, /* "3", or from one to another "1..3"; struct view_moment */
    KEY_TEXT,   /* a terminated array of characters; a text that is the fallback is stored as none */
    KEY_FLAG,   /* "1" or "0": a bool. On the command line a switch */
    KEY_STEP,   /* a step of the filters */
    KEY_SENT,   /* a text that its handler reads by itself; struct asked has no field for it */
    KEY_FILE    /* the same, a file in a form */
};

/* What a word or a key needs of a profile to make a difference. Forms leave out what makes none. */
enum key_need {
    NEEDS_NOTHING,
    NEEDS_TIMED_TRACK, /* one track, with times */
    NEEDS_MOMENTS,     /* a series of dumps */
    NEEDS_COMPARISON,
    NEEDS_ONE_PROFILE, /* no comparison */
    NEEDS_OPEN_FRAMES  /* frames that are never left, with wall time */
};

/* Where the page of a profile has the control of a key, if it is one for people. */
enum key_control {
    CONTROL_HIDDEN, /* nowhere: what is set stays as it is */
    CONTROL_MENU,   /* a choice in the menu of the picture */
    CONTROL_VIEW,   /* the choice of the view, in the row of tools */
    CONTROL_SERIES, /* in the row of tools of every tab: what is shown of a series of dumps */
    CONTROL_VALUE,  /* the choice of the value, with the words that the profile has */
    CONTROL_CODE    /* the field for own code, in the legend */
};

struct key_word {
    const char *word;  /* in URLs and on the command line */
    const char *label; /* in forms */
    /* What it means, in a few words that can stand in brackets; NULL: the key's help says it. */
    const char *help;
    enum key_need need;
};

struct key {
    const char *name;
    unsigned groups; /* a sum of enum key_group */
    enum key_kind kind;
    bool has_b;     /* A comparison has it for its second side, too. Its text fits in KEY_B_BYTES_MAX. */
    bool is_family; /* KEY_SENT: of many names, which begin as the row's name does up to its dot */
    enum key_control control;
    size_t offset, bytes;       /* of its field in struct asked */
    const char *label;          /* before its control in a form; "" if it has none there */
    const char *noun;           /* in sentences: "the NOUN is .." */
    const char *metavar;        /* for its value in help: "PX"; NULL: KEY_FLAG */
    const char *help;           /* what it says, without capital and full stop */
    const char *fallback;       /* the default, as canonical text */
    const char *fallback_means; /* what the fallback means, where its text does not say it; else "" */
    const char *example;        /* a value that is none of the defaults */

    /* KEY_WORD, KEY_STEP: the words that it takes; none: any text */
    const struct key_word *words;
    unsigned n_words;

    /* KEY_NUMBER, KEY_TIME: least and most count the smallest step */
    unsigned decimals;
    uint64_t least, most;

    /* KEY_NUMBER, KEY_TIME: what is counted ("pixels"). KEY_TEXT and what is like it: what is allowed,
     * behind "the NOUN is" */
    const char *expected;

    /* KEY_TEXT: whether a text that is not empty is one; NULL: any is */
    bool (*accepts)(struct str text);

    enum filter_key step; /* KEY_STEP */
    bool may_be_empty;    /* KEY_TEXT */
};

/* THE TABLE, in the order of canonical texts, links, forms and help. */
extern const struct key KEYS[];
extern const size_t KEYS_COUNT;

/* NULL if none of the groups has it. *of_b: it is `<name>_b`. */
const struct key *key_find(unsigned groups, struct str name, bool *of_b);
/* A key of views. NULL if there is none. */
const struct key *key_by_name(struct str name);

/* Calls `visit` for each key that the groups have, in the order of the table, and for those that
 * comparisons have twice once more with of_b. */
void keys_each(unsigned groups, void (*visit)(void *context, const struct key *r, bool of_b), void *context);

/* Appends the name of the key that may be meant, and of all that the groups have, with commas between them. */
void keys_near(unsigned groups, struct str name, struct buf *nearest, struct buf *known);

/* DIAG_USAGE: there is no key of that name; which one may be meant, and which there are. Always false.
 * `what`: "key of the query". */
bool keys_refuse(unsigned groups, const char *what, struct str name, struct diag *diag);

/* The row in whose place the list of steps is written. */
bool key_is_first_step(const struct key *r);

/* Appends what the key is set to, as text that asked_set takes back. Of KEY_STEP: the last step of that
 * key, or nothing; see view_filter for all of them. */
void asked_text(const struct key *r, const struct asked *a, struct buf *b);
/* Whether it differs from the default; false for KEY_TRACKS, which has none of its own. */
bool asked_differs(const struct key *r, const struct asked *a);

/* The same for keys of views. */
void key_text(const struct key *r, const struct view_options *o, struct buf *b);
bool key_differs(const struct key *r, const struct view_options *o);

/* Appends one paragraph for people, without line ends: what the key says, the words with their meaning or the range,
 * the default. */
void key_describe(const struct key *r, bool of_b, struct buf *b);
