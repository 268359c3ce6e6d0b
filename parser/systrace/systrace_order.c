/* Records brought into the order of time, where they stand. What a CPU wrote in one piece is in order already: such runs
 * are merged, as far as they overlap. Two pieces seldom do for long, since CPUs write at about the same time, so
 * that each record is moved about as often as there are levels of CPUs, and not of pieces. */
#include "parser/systrace/systrace_impl.h"

/* 1 or 0, without a branch: which of two records of different CPUs is earlier cannot be foreseen. For the same reason merges
 * count with it, and take from a table, where a condition would do. */
static size_t is_before(const struct sy_record *a, const struct sy_record *b)
{
    return (a->time < b->time) | ((a->time == b->time) & (a->rank < b->rank));
}

/* How many of these records, which are in order, come before x; with `equal` also those that x does not come before. */
static size_t count_before(const struct sy_record *r, size_t n, const struct sy_record *x, bool equal)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (equal ? !is_before(x, &r[middle]) : is_before(&r[middle], x))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* ---- two runs that stand one behind the other ---- */

/* The first run, of `a` records, is the shorter one: a copy makes way, and both are merged from the front. */
static bool merge_forward(struct systrace *s, struct sy_record *r, size_t a, size_t b, struct sy_record *copy)
{
    const struct sy_record *x = copy, *y = r + a, *x_end = copy + a, *y_end = y + b;

    memcpy(copy, r, a * sizeof(*r));
    for (size_t n = 0; x < x_end && y < y_end; n++) {
        if (arena_stopped_at(s->arena, n))
            return false;
        const struct sy_record *const both[] = {x, y};
        size_t second = is_before(y, x);
        r[n] = *both[second];
        y += second;
        x += 1 - second;
    }
    memcpy(r + (y - r) - (x_end - x), x, (size_t)(x_end - x) * sizeof(*r));
    return true;
}

/* The same, of a second run that is the shorter one, from the back. */
static bool merge_backward(struct systrace *s, struct sy_record *r, size_t a, size_t b,
                           struct sy_record *copy)
{
    memcpy(copy, r + a, b * sizeof(*r));
    while (a > 0 && b > 0) {
        if (arena_stopped_at(s->arena, a + b))
            return false;
        const struct sy_record *const both[] = {&copy[b - 1], &r[a - 1]};
        size_t first = is_before(both[0], both[1]);
        r[a + b - 1] = *both[first];
        a -= first;
        b -= 1 - first;
    }
    memcpy(r, copy, b * sizeof(*r));
    return true;
}

/* Room for the copy; it is kept from one merge to the next. */
struct spare {
    struct sy_record *records;
    size_t capacity;
};

static bool merge(struct systrace *s, struct sy_record *r, size_t a, size_t b, struct spare *spare)
{
    enum { LEAST = 4096 }; /* large enough to be given back */
    size_t stays = count_before(r, a, &r[a], true);

    r += stays;
    a -= stays;
    if (a == 0)
        return true;
    b = count_before(r + a, b, &r[a - 1], false);
    size_t need = a < b ? a : b;
    if (!ARENA_ROOM_FILE(s->arena, spare->records, spare->capacity, need < LEAST ? LEAST : need))
        return false;
    return a < b ? merge_forward(s, r, a, b, spare->records) : merge_backward(s, r, a, b, spare->records);
}

/* ---- all runs ---- */

static size_t run_length(const struct sy_record *r, size_t n)
{
    size_t length = 1;

    while (length < n && !is_before(&r[length], &r[length - 1]))
        length++;
    return length;
}

/* Runs wait in a stack, each at least twice as long as the next one: so there are never more of them than a size has bits,
 * and all merges together cost no more than a sort may. */
static bool sort_runs(struct systrace *s, struct spare *spare)
{
    size_t lengths[8 * sizeof(size_t)], n_runs = 0;
    size_t at = 0;

    while (at < s->n_records || n_runs > 1) {
        bool all = at == s->n_records;
        if (n_runs > 1 && (all || lengths[n_runs - 2] / 2 < lengths[n_runs - 1])) {
            size_t b = lengths[--n_runs], a = lengths[n_runs - 1];
            if (!merge(s, s->records + at - a - b, a, b, spare))
                return false;
            lengths[n_runs - 1] = a + b;
        } else {
            lengths[n_runs] = run_length(s->records + at, s->n_records - at);
            at += lengths[n_runs++];
            if (arena_stopped(s->arena))
                return false;
        }
    }
    return true;
}

bool sy_sort(struct systrace *s)
{
    struct spare spare = {NULL, 0};
    bool ok = sort_runs(s, &spare);

    arena_release(s->arena, spare.records, spare.capacity, sizeof(*spare.records));
    return ok;
}
