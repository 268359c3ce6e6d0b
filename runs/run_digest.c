#include "runs/run_digest.h"

#include <string.h>

/* ---- fields ---- */

static bool refuse(struct diag *diag, const char *why)
{
    return diag_set(diag, DIAG_UNUSABLE, "not a digest", "", "This is no digest of a profile: %s.", why);
}

static bool read_signed(struct str field, int64_t *value)
{
    const uint64_t most = (uint64_t)INT64_MAX;
    bool negative = field.n > 0 && field.p[0] == '-';
    uint64_t size;

    if (negative)
        field = str_from(field, 1);
    if (!str_to_u64(field, 10, &size) || size > most + negative)
        return false;
    *value = !negative ? (int64_t)size : size > most ? INT64_MIN : -(int64_t)size;
    return true;
}

static bool next_signed(struct str *line, int64_t *value)
{
    struct str field;

    return str_split(line, '\t', &field) && read_signed(field, value);
}

static bool next_unsigned(struct str *line, uint64_t *value)
{
    struct str field;

    return str_split(line, '\t', &field) && str_to_u64(field, 10, value);
}

static bool next_name(struct str *line, struct str *name)
{
    return str_split(line, '\t', name) && name->n > 0;
}

/* Whether no field is left. */
static bool is_end(struct str line)
{
    return line.p == NULL;
}

/* A line without its end, which it has to have. */
static bool next_line(struct str *rest, struct str *line)
{
    size_t end = str_find(*rest, '\n');

    if (end == rest->n)
        return false;
    *line = (struct str){rest->p, end};
    *rest = str_from(*rest, end + 1);
    return true;
}

/* Takes the word and its tab off the front of the line. */
static bool takes_word(struct str *line, struct str word)
{
    if (!str_starts(*line, word))
        return false;
    *line = str_from(*line, word.n);
    return true;
}

/* ---- the head ---- */

static bool read_unit(struct str field, enum unit *unit)
{
    for (int i = 0; i <= UNIT_COUNT; i++) {
        *unit = (enum unit)i;
        if (str_eq(field, str_of(unit_word(*unit))))
            return true;
    }
    return false;
}

static bool read_value(struct str line, struct run_digest_value *value)
{
    struct str unit;

    return next_name(&line, &value->name) && str_split(&line, '\t', &unit) && read_unit(unit, &value->unit) &&
           next_signed(&line, &value->total) && is_end(line);
}

static bool read_thread(const struct run_digest *d, struct str line, struct run_digest_row *row)
{
    struct str role;

    *row = (struct run_digest_row){.calls = 0};
    if (!takes_word(&line, STR("thread\t")) || !next_name(&line, &row->name) ||
        !str_split(&line, '\t', &role))
        return false;
    row->is_main = str_eq(role, STR("main"));
    for (uint32_t i = 0; i < d->n_values; i++)
        if (!next_signed(&line, &row->inclusive[i]))
            return false;
    return is_end(line) && (row->is_main || str_eq(role, STR("-")));
}

/* *line is the one behind the values in the end. */
static bool read_values(struct run_digest *d, struct str *rest, struct str *line, struct diag *diag)
{
    while (takes_word(line, STR("value\t"))) {
        if (d->n_values == RUN_DIGEST_VALUES_MAX)
            return refuse(diag, "it has too many values");
        if (!read_value(*line, &d->values[d->n_values++]))
            return refuse(diag, "a line of a value is damaged");
        if (!next_line(rest, line))
            return refuse(diag, "it ends before the methods");
    }
    return d->n_values > 0 || refuse(diag, "it has no value");
}

/* The same behind the threads. */
static bool read_threads(struct run_digest *d, struct str *rest, struct str *line, struct diag *diag)
{
    struct run_digest_row row;

    for (d->threads.p = line->p; str_starts(*line, STR("thread\t"));) {
        if (d->n_threads++ == RUN_DIGEST_THREADS_MAX)
            return refuse(diag, "it has too many threads");
        if (!read_thread(d, *line, &row))
            return refuse(diag, "a line of a thread is damaged");
        d->threads.n = (size_t)(rest->p - d->threads.p);
        if (!next_line(rest, line))
            return refuse(diag, "it ends before the methods");
    }
    return true;
}

/* And behind the steps. */
static bool read_steps(struct run_digest *d, struct str *rest, struct str *line, struct diag *diag)
{
    while (takes_word(line, STR("step\t"))) {
        if (d->n_steps == RUN_DIGEST_STEPS_MAX)
            return refuse(diag, "it has too many steps");
        if (!read_value(*line, &d->steps[d->n_steps++]))
            return refuse(diag, "a line of a step is damaged");
        if (!next_line(rest, line))
            return refuse(diag, "it ends before the methods");
    }
    return true;
}

bool run_digest_open(struct run_digest *d, struct str text, struct diag *diag)
{
    struct str rest = text, line = {"", 0};

    *d = (struct run_digest){.text = text};
    if (!next_line(&rest, &line) || !str_eq(line, STR("aflamed-digest\t1")) || !next_line(&rest, &line))
        return refuse(diag, "it does not begin as one");
    if (!read_values(d, &rest, &line, diag) || !read_threads(d, &rest, &line, diag) ||
        !read_steps(d, &rest, &line, diag))
        return false;
    if (!takes_word(&line, STR("methods\t")) || !next_unsigned(&line, &d->n_methods) ||
        !next_unsigned(&line, &d->left_out) || !is_end(line) || d->n_methods > RUN_DIGEST_METHODS_MAX)
        return refuse(diag, "the line of the methods is damaged");
    d->methods = rest;
    return true;
}

/* ---- rows ---- */

bool run_digest_next_thread(const struct run_digest *d, struct str *rest, struct run_digest_row *row)
{
    struct str after = *rest, line;

    if (!next_line(&after, &line) || !read_thread(d, line, row))
        return false;
    *rest = after;
    return true;
}

bool run_digest_next_method(const struct run_digest *d, struct str *rest, struct run_digest_row *row)
{
    struct str after = *rest, line;

    *row = (struct run_digest_row){.calls = 0};
    if (!next_line(&after, &line) || !next_name(&line, &row->name) || !next_unsigned(&line, &row->calls))
        return false;
    for (uint32_t i = 0; i < d->n_values; i++)
        if (!next_signed(&line, &row->inclusive[i]) || !next_signed(&line, &row->exclusive[i]))
            return false;
    if (is_end(line))
        *rest = after;
    return is_end(line);
}

bool run_digest_check(const struct run_digest *d, struct diag *diag)
{
    struct str rest = d->methods, before = {"", 0};
    struct run_digest_row row;
    uint64_t n = 0;

    for (; run_digest_next_method(d, &rest, &row); n++) {
        if (str_cmp(before, row.name) >= 0)
            return refuse(diag, "its methods are not in order");
        before = row.name;
    }
    if (rest.n > 0)
        return refuse(diag, "a line of a method is damaged");
    return n == d->n_methods || refuse(diag, "it has more or fewer methods than it says");
}

/* ---- looking up ---- */

/* Whether the line's name comes before the name followed by the suffix. */
static bool is_before(struct str line, struct str name, struct str suffix)
{
    struct str own = {line.p, str_find(line, '\t')};
    struct str begin = {own.p, own.n < name.n ? own.n : name.n};
    int order = str_cmp(begin, name);

    if (order != 0)
        return order < 0;
    return str_cmp(str_from(own, name.n), suffix) < 0;
}

/* The lines from the first one on whose name is not before that. */
static struct str lower_bound(struct str lines, struct str name, struct str suffix)
{
    size_t from = 0,
           to =
               lines
                   .n; /* beginnings of lines: all in front of `from` are before it, those from `to` on not */

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const char *end = memrchr(lines.p + from, '\n', middle - from);
        size_t begin = end != NULL ? (size_t)(end - lines.p) + 1 : from;
        struct str line = {lines.p + begin, 0};
        line.n = str_find((struct str){line.p, to - begin}, '\n');
        if (!is_before(line, name, suffix))
            to = begin;
        else
            from = begin + line.n < to ? begin + line.n + 1 : to;
    }
    return str_from(lines, from);
}

bool run_digest_find(const struct run_digest *d, struct str name, struct run_digest_row *row)
{
    static const struct str MORE[] = {STR_INIT(" ["), STR_INIT("(")};

    struct str rest = lower_bound(d->methods, name, STR(""));
    if (run_digest_next_method(d, &rest, row) && str_eq(row->name, name))
        return true;
    for (size_t i = 0; i < sizeof(MORE) / sizeof(MORE[0]); i++) {
        rest = lower_bound(d->methods, name, MORE[i]);
        if (run_digest_next_method(d, &rest, row) && str_starts(row->name, name) &&
            str_starts(str_from(row->name, name.n), MORE[i]))
            return true;
    }
    return false;
}

bool run_digest_find_thread(const struct run_digest *d, struct str name, struct run_digest_row *row)
{
    struct str rest = d->threads;
    bool main_is_meant = str_eq(name, STR("main")), found = false;
    struct run_digest_row one;

    while (run_digest_next_thread(d, &rest, &one))
        if ((main_is_meant && one.is_main) || (!found && str_eq(one.name, name))) {
            *row = one;
            found = true;
            if (one.is_main || !main_is_meant)
                return true;
        }
    return found;
}

int run_digest_value(const struct run_digest *d, struct str name)
{
    for (uint32_t i = 0; i < d->n_values; i++)
        if (str_eq(d->values[i].name, name))
            return (int)i;
    return -1;
}

const struct run_digest_value *run_digest_find_step(const struct run_digest *d, struct str name)
{
    for (uint32_t i = 0; i < d->n_steps; i++)
        if (str_eq(d->steps[i].name, name))
            return &d->steps[i];
    return NULL;
}
