/* What was asked for: all that a request, a form or a command line says beside the profile that it is
 * about, parsed once. Its keys are the rows of a table (key.h). Plain data, without pointers of its own
 * but for presets and struct diff_request.asked. */
#pragma once

#include "render/view/view.h"

/* ---- of the profile table (render/table/) ---- */

/* What a row of the table is. */
enum table_group {
    GROUP_METHOD,  /* frames that differ in file or line only are one method */
    GROUP_CLASS,   /* by the scope, `package.Class`; functions without a scope are one row */
    GROUP_PACKAGE, /* by the scope without its last component */
    GROUP_ORIGIN,  /* app, Android, ...: see profile/frame/own_code.h */
    GROUP_THREAD   /* by track */
};

enum { TABLE_SORT_BYTES_MAX = 100, TABLE_GREP_BYTES_MAX = 500 };

struct table_request {
    enum table_group group;
    /* A column, with `-` in front for the other direction; empty: the inclusive value of the view. */
    char sort[TABLE_SORT_BYTES_MAX + 1];
    /* Rows whose name contains it; empty: all. */
    char grep[TABLE_GREP_BYTES_MAX + 1];
    /* Also the longest call of each row, or of one method how long its calls were. */
    bool longest;
    /* Rows to leave out at the beginning, and to write; UINT32_MAX: all. */
    uint32_t offset, limit;
};

/* ---- of a comparison (render/table/diff.h) ---- */

/* What the width of a frame is in the picture. */
enum diff_wide { WIDE_B, WIDE_A, WIDE_LARGER /* of the two, of each stack's own */ };

/* Which rows. New and gone are by the inclusive value that was asked for, more and less by the exclusive one. */
enum diff_only { ONLY_DIFFERENT, ONLY_NEW, ONLY_GONE, ONLY_MORE, ONLY_LESS };

enum {
    DIFF_METHOD_BYTES_MAX = 500,
    DIFF_VALUE_BYTES_MAX = 100,
    DIFF_NORMALISE_BYTES_MAX = sizeof("calls:") - 1 + DIFF_METHOD_BYTES_MAX,
    KEYS_OF_B_MAX = 4, /* rows of the table with has_b */
    KEY_B_BYTES_MAX = 24
};

struct diff_request {
    /* What B has instead of A's, as canonical text, in the order of the rows; "": the same. */
    char of_b[KEYS_OF_B_MAX][KEY_B_BYTES_MAX + 1];
    enum diff_wide wide;
    enum diff_only only;
    bool all; /* also rows that do not differ */
    /* By which value rows are sorted, and which people see; empty: the first. With _a, _b or _larger
     * behind its name it says what is wide, too: so the script of a picture calls it. */
    char value[DIFF_VALUE_BYTES_MAX + 1];
    /* What B is scaled by: "total", "time" or "calls:METHOD"; "": numbers are as they are. */
    char normalise[DIFF_NORMALISE_BYTES_MAX + 1];
    /* Tracks, range and dump of A, as asked for. No key: NULL where nobody fetches pieces of the picture. */
    const struct view_options *asked;
};

/* ---- of the timeline (render/lanes/) ---- */

enum { LANES_STACKS_MAX = 32, LANES_MARK_BYTES_MAX = 500 };

struct lanes_asked {
    uint32_t stacks[LANES_STACKS_MAX]; /* ids of the tracks whose calls are wanted; ascending, each once */
    uint32_t n_stacks;
    char mark[LANES_MARK_BYTES_MAX + 1]; /* a method's id, or its text as shown; "": none */
    bool methods;                        /* also which method each place is most of */
};

/* ---- all of it ---- */

enum { ASKED_METHOD_BYTES_MAX = 500, ASKED_TITLE_BYTES_MAX = 600 };

enum { ASKED_DATE_BYTES_MAX = 20, ASKED_LINK_BYTES_MAX = 700 };

struct asked {
    /* First: the functions of view.h take it for the whole. */
    struct view_options view;
    struct table_request table;
    struct diff_request diff;
    struct lanes_asked lanes;
    /* The method that a URL names: an id, or a name as shown; "": none. No key. */
    char method[ASKED_METHOD_BYTES_MAX + 1];
    /* What the upload is called, for a picture that says it; "" elsewhere. No key. */
    char title[ASKED_TITLE_BYTES_MAX + 1];
    /* The same of a picture that stands alone: when it was uploaded, and the address of its page; may be "". */
    char date[ASKED_DATE_BYTES_MAX + 1], link[ASKED_LINK_BYTES_MAX + 1];
};

/* As the rows of the table say. */
void asked_defaults(struct asked *a);

/* Sets one key of these groups (a sum of enum key_group) from text. False (diag: DIAG_USAGE, naming the
 * key, the value and what is allowed) for a key or a value that is not known; *a is as before then. What
 * was set last counts; but each step of a filter is added behind those that are there. What depends on the
 * profile, as whether it has the value, is looked at later. */
bool asked_set(struct asked *a, unsigned groups, struct str name, struct str value,
               struct diag *diag) MUST_CHECK;

/* Calls `put` with each key of these groups that differs from its default, and what it is set to as text
 * that asked_set takes back, in the order of the table. Of memory that is short b->failed tells, where
 * what is put goes. */
void asked_each(const struct asked *a, unsigned groups,
                void (*put)(void *context, const char *name, struct str value), void *context, struct buf *b);

/* Appends all keys of these groups in one line: equal text means that the same was asked. */
void asked_canonical(const struct asked *a, unsigned groups, struct buf *b);

/* The word number i of the key; NULL behind the last. `name` is that of a key with words. */
const char *key_word(const char *name, unsigned i);

static inline const char *table_group_word(enum table_group group)
{
    return key_word("group", group);
}

/* asked_each of a comparison's own keys. */
void diff_each(const struct diff_request *r, void (*put)(void *context, const char *name, struct str value),
               void *context, struct buf *b);
/* Makes B's options of those of A. */
void diff_view_of_b(const struct diff_request *r, struct view_options *view);
/* What the key `name` is for B, as text; "": the same as for A. */
const char *diff_text_of_b(const struct diff_request *r, const char *name);
