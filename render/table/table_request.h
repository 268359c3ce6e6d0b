/* What is asked of the table, as text: the same keys in URLs and on the command line. Which tracks are counted, and which
 * value is the first, are options of the view (render/view/view.h). */
#ifndef RENDER_TABLE_TABLE_REQUEST_H
#define RENDER_TABLE_TABLE_REQUEST_H

#include "core/buf.h"
#include "core/diag.h"
#include "render/table/table.h"

enum { TABLE_SORT_BYTES_MAX = 100, TABLE_GREP_BYTES_MAX = 500 };

struct table_request {
    enum table_group group;
    char sort[TABLE_SORT_BYTES_MAX +
              1]; /* a column, with `-` in front for the other direction; empty: the inclusive
                                            value of the view */
    char grep[TABLE_GREP_BYTES_MAX + 1]; /* rows whose name contains it; empty: all */
    bool longest;           /* also the longest call of each row, or of one method how long its calls were */
    uint32_t offset, limit; /* rows to leave out at the beginning, and to write; UINT32_MAX: all */
};

/* One key. */
struct table_option {
    const char *key, *metavar; /* no metavar: on the command line a flag, which means "1" */
    const char *help;          /* without capital and full stop */
    const char *expected;      /* what is allowed, behind "the KEY is" */
    bool (*set)(struct table_request *r, struct str value); /* false: not allowed, and nothing is set */
    bool of_method;                                         /* also of the report of one method */
    bool reads_again; /* takes another reading of the file, and so nothing that comparisons have */
};

/* THE TABLE of keys. */
extern const struct table_option TABLE_OPTIONS[];
extern const size_t TABLE_OPTIONS_COUNT;

/* All methods, by the inclusive value of the view. */
void table_defaults(struct table_request *r);

/* NULL: there is no such key. */
const struct table_option *table_option_by_key(struct str key);

/* Sets one key from text. False (diag: DIAG_USAGE, naming the key, the value and what is allowed); *r is as before then.
 * Whether the sort column exists depends on the profile: table_select says so. */
bool table_set(struct table_request *r, const struct table_option *option, struct str value,
               struct diag *diag) __attribute__((warn_unused_result));

/* The name of the sort column, without the direction; empty: it is the usual one. */
struct str table_sort_name(const struct table_request *request);

/* Forgets a sort column that belongs to another table: of rows of another group, or with longest calls. So a form may keep
 * the column while somebody chooses other rows. */
void table_forget_sort(struct table_request *request);

/* The word of a group: "method". */
const char *table_group_word(enum table_group group);

#endif
