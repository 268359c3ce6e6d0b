#include "render/table/table_request.h"

#include <string.h>

#include "core/clean.h"
#include "render/table/columns.h"

enum { QUOTED_BYTES = 60 }; /* of a wrong value, in an error */

static const char *const GROUPS[] = {
    [GROUP_METHOD] = "method", [GROUP_CLASS] = "class",   [GROUP_PACKAGE] = "package",
    [GROUP_ORIGIN] = "origin", [GROUP_THREAD] = "thread",
};

enum { GROUPS_COUNT = sizeof(GROUPS) / sizeof(GROUPS[0]) };

const char *table_group_word(enum table_group group)
{
    return GROUPS[group];
}

static bool set_group(struct table_request *r, struct str value)
{
    for (unsigned i = 0; i < GROUPS_COUNT; i++)
        if (str_eq(value, str_of(GROUPS[i]))) {
            r->group = (enum table_group)i;
            return true;
        }
    return false;
}

static bool set_text(char *field, size_t bytes_max, struct str value)
{
    if (value.n > bytes_max || str_find(value, '\0') < value.n)
        return false;
    memset(field, 0, bytes_max + 1);
    if (value.n > 0)
        memcpy(field, value.p, value.n);
    return true;
}

static bool set_sort(struct table_request *r, struct str value)
{
    return value.n > 0 && set_text(r->sort, TABLE_SORT_BYTES_MAX, value);
}

static bool set_grep(struct table_request *r, struct str value)
{
    return set_text(r->grep, TABLE_GREP_BYTES_MAX, value);
}

static bool set_count(uint32_t *field, struct str value)
{
    uint64_t number;

    if (!str_to_u64(value, 10, &number) || number >= UINT32_MAX)
        return false;
    *field = (uint32_t)number;
    return true;
}

static bool set_limit(struct table_request *r, struct str value)
{
    return set_count(&r->limit, value);
}

static bool set_offset(struct table_request *r, struct str value)
{
    return set_count(&r->offset, value);
}

static bool set_longest(struct table_request *r, struct str value)
{
    r->longest = str_eq(value, STR("1"));
    return r->longest || str_eq(value, STR("0"));
}

const struct table_option TABLE_OPTIONS[] = {
    {"group", "WHAT", "one row for each method, class, package, origin or thread; default: method",
     "one of method, class, package, origin, thread", set_group, false, false},
    {"sort", "COLUMN",
     "by which column: numbers the largest first, texts bytewise; with - in front the other way round; "
     "default: the "
     "inclusive value, of a comparison the change of the exclusive one",
     "a column, with - in front for the other direction", set_sort, false, false},
    {"grep", "TEXT", "only rows whose package.Class.method contains it, in upper or lower case",
     "a text of at most 500 bytes", set_grep, false, false},
    {"limit", "N", "at most so many rows, or of one method so many callers and so many callees; default: all",
     "a number of rows", set_limit, true, false},
    {"offset", "N", "leaves out so many of them at the beginning; default: 0", "a number of rows", set_offset,
     true, false},
    {"longest", NULL,
     "also the longest call of each row, and of one method how long its calls were: the file is read a "
     "second "
     "time",
     "0 or 1", set_longest, true, true},
};
const size_t TABLE_OPTIONS_COUNT = sizeof(TABLE_OPTIONS) / sizeof(TABLE_OPTIONS[0]);

void table_defaults(struct table_request *r)
{
    *r = (struct table_request){.group = GROUP_METHOD, .limit = UINT32_MAX};
}

const struct table_option *table_option_by_key(struct str key)
{
    for (size_t i = 0; i < TABLE_OPTIONS_COUNT; i++)
        if (str_eq(key, str_of(TABLE_OPTIONS[i].key)))
            return &TABLE_OPTIONS[i];
    return NULL;
}

bool table_set(struct table_request *r, const struct table_option *option, struct str value,
               struct diag *diag)
{
    struct buf v = {0};

    if (option->set(r, value))
        return true;
    clean_text(&v, clean_cut(value, QUOTED_BYTES));
    diag_set(diag, DIAG_USAGE, "option not understood",
             "Correct the option, or leave it out for its default.", "%s=%.*s: the %s is %s.", option->key,
             (int)v.n, v.n > 0 ? v.p : "", option->key, option->expected);
    buf_free(&v);
    return false;
}

struct str table_sort_name(const struct table_request *request)
{
    struct str name = str_of(request->sort);
    bool reversed = name.n > 1 && name.p[0] == '-';

    return reversed ? (struct str){name.p + 1, name.n - 1} : name;
}

void table_forget_sort(struct table_request *request)
{
    if (!column_may_be(table_sort_name(request), request->group, request->longest))
        request->sort[0] = '\0';
}
