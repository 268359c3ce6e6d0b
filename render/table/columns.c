#include "render/table/columns.h"

#include "core/clean.h"
#include "profile/origin.h"

enum { NS_PER_US = 1000 };

static const char *const NAMES[] = {
    [COLUMN_CLASS] = "class",      [COLUMN_METHOD] = "method",   [COLUMN_SIGNATURE] = "signature",
    [COLUMN_FILE] = "file",        [COLUMN_LINE] = "line",       [COLUMN_MODULE] = "module",
    [COLUMN_PACKAGE] = "package",  [COLUMN_ORIGIN] = "origin",   [COLUMN_TRACK] = "track",
    [COLUMN_NAME] = "name",        [COLUMN_CALLS] = "calls",     [COLUMN_RECURSIVE] = "recursive",
    [COLUMN_INCLUSIVE] = "_incl",  [COLUMN_EXCLUSIVE] = "_excl", /* behind the value's name */
    [COLUMN_LONGEST] = "_longest",
};

/* The columns that tell what a row is. */
static uint32_t put_keys(enum table_group group, struct column *c)
{
    uint32_t n = 0;

    switch (group) {
    case GROUP_METHOD:
        for (unsigned field = COLUMN_CLASS; field <= COLUMN_MODULE; field++)
            c[n++] = (struct column){(enum column_field)field, 0};
        break;
    case GROUP_CLASS:
        c[n++] = (struct column){COLUMN_CLASS, 0};
        break;
    case GROUP_PACKAGE:
        c[n++] = (struct column){COLUMN_PACKAGE, 0};
        break;
    case GROUP_ORIGIN:
        c[n++] = (struct column){COLUMN_ORIGIN, 0};
        break;
    case GROUP_THREAD:
        c[n++] = (struct column){COLUMN_TRACK, 0};
        c[n++] = (struct column){COLUMN_NAME, 0};
        break;
    }
    return n;
}

uint32_t columns_of(const struct table *t, struct column c[COLUMNS_MAX])
{
    uint32_t n = put_keys(t->group, c);

    c[n++] = (struct column){COLUMN_CALLS, 0};
    c[n++] = (struct column){COLUMN_RECURSIVE, 0};
    for (uint32_t m = 0; m < t->n_measures; m++) {
        c[n++] = (struct column){COLUMN_INCLUSIVE, m};
        c[n++] = (struct column){COLUMN_EXCLUSIVE, m};
        if (t->longest != NULL && m < t->n_clocks)
            c[n++] = (struct column){COLUMN_LONGEST, m};
    }
    return n;
}

void column_name(struct buf *b, const struct table *t, struct column c)
{
    if (c.field >= COLUMN_INCLUSIVE)
        clean_text(b, t->measures[c.measure].name);
    buf_z(b, NAMES[c.field]);
}

static bool is_called(const struct table *t, struct column c, struct str name)
{
    struct str own = str_of(NAMES[c.field]), value = {NULL, 0};

    if (c.field >= COLUMN_INCLUSIVE)
        value = t->measures[c.measure].name;
    return name.n == value.n + own.n && str_starts(name, value) && str_ends(name, own);
}

bool column_by_name(const struct table *t, struct str name, struct column *c)
{
    struct column all[COLUMNS_MAX];
    uint32_t n = columns_of(t, all), i = 0;

    while (i < n && !is_called(t, all[i], name))
        i++;
    if (i < n)
        *c = all[i];
    return i < n;
}

bool column_is_number(struct column c)
{
    return c.field == COLUMN_LINE || c.field == COLUMN_TRACK || c.field >= COLUMN_CALLS;
}

static struct cell text_of(struct str text)
{
    return (struct cell){.empty = text.n == 0, .text = text};
}

static struct cell number_of(bool known, uint64_t value)
{
    return (struct cell){.number = true, .empty = !known, .value = known ? value : 0};
}

/* The method's cells; its row stands for one frame. */
static struct cell frame_cell(const struct table *t, enum column_field field, uint32_t row)
{
    const struct profile_frame *frame = &t->profile->frames[t->frame[row]];

    switch (field) {
    case COLUMN_CLASS:
        return text_of(names_parts(t->names, t->frame[row]).scope);
    case COLUMN_METHOD:
        return text_of(names_parts(t->names, t->frame[row]).name);
    case COLUMN_SIGNATURE:
        return text_of(profile_string(t->profile, frame->signature));
    case COLUMN_FILE:
        return text_of(profile_string(t->profile, frame->file));
    case COLUMN_MODULE:
        return text_of(profile_string(t->profile, frame->module));
    case COLUMN_ORIGIN:
        return text_of(str_of(origin_word((enum origin)names_of(t->names, t->frame[row])->origin)));
    default: /* COLUMN_LINE: no frame has a line */
        return number_of(false, 0);
    }
}

struct cell column_cell(const struct table *t, struct column c, uint32_t row)
{
    struct table_sums sums = table_sums(t, row);

    switch (c.field) {
    case COLUMN_CALLS:
        return number_of(t->has_calls, sums.calls);
    case COLUMN_RECURSIVE:
        return number_of(t->has_calls, sums.recursive);
    case COLUMN_INCLUSIVE:
        return number_of(true, sums.inclusive[c.measure]);
    case COLUMN_EXCLUSIVE:
        return number_of(true, sums.exclusive[c.measure]);
    case COLUMN_LONGEST:
        return number_of(true, t->longest[(size_t)row * t->n_clocks + c.measure]);
    case COLUMN_TRACK:
        return number_of(true, t->profile->tracks[t->tracks[row]].id);
    case COLUMN_NAME:
    case COLUMN_PACKAGE:
        return text_of(table_name(t, row));
    default:
        return frame_cell(t, c.field, row);
    }
}

uint64_t column_shown(const struct table *t, struct column c, uint64_t value)
{
    bool time = c.field >= COLUMN_INCLUSIVE && t->measures[c.measure].unit == UNIT_NS;

    return time ? value / NS_PER_US : value;
}
