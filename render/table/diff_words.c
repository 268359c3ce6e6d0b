#include "render/table/diff_words.h"

#include <string.h>

#include "core/buf.h"
#include "core/clean.h"
#include "core/number.h"
#include "core/order.h"
#include "profile/track.h"
#include "render/table/diff.h"
#include "render/table/diff_worked.h"

/* ---- rules ---- */

enum { NAMED_MAX = 3, RULE_DIGITS = 4 };

static bool has_passed(const struct fail_rule *rule, struct diff_pair pair)
{
    __extension__ typedef unsigned __int128 u128;

    if (pair.b <= pair.a || !diff_counts(pair))
        return false;
    if (!rule->is_percent)
        return pair.b - pair.a > rule->limit;
    /* 100 % of A in 1/10000 of a percent; a difference of 64 bits has room for it in 128. */
    return (u128)(pair.b - pair.a) * 1000000u > (u128)rule->limit * pair.a;
}

struct rule_found {
    uint32_t rows[NAMED_MAX]; /* those that have grown most, the most first */
    uint32_t n;               /* of all */
};

static struct diff_pair pair_of(const struct fail_rule *rule, const struct table *t, uint32_t row,
                                uint32_t value)
{
    return rule->exclusive ? diff_exclusive(t, row, value) : diff_inclusive(t, row, value);
}

static void keep_rule_row(struct rule_found *f, const struct fail_rule *rule, const struct table *t,
                          uint32_t row, uint32_t value)
{
    uint32_t kept = f->n < NAMED_MAX ? f->n : NAMED_MAX, at = kept;
    uint64_t size = diff_size(pair_of(rule, t, row, value));

    f->n++;
    while (at > 0 && size > diff_size(pair_of(rule, t, f->rows[at - 1], value)))
        at--;
    order_insert(f->rows, &kept, NAMED_MAX, at, &row, sizeof(row));
}

static void say_growth(struct buf *b, enum unit unit, struct diff_pair pair)
{
    buf_char(b, ' ');
    diff_put_change(b, unit, pair);
    buf_z(b, " (");
    diff_put_percent(b, pair);
    buf_z(b, ", ");
    buf_value(b, unit, pair.a, RULE_DIGITS);
    buf_z(b, " -> ");
    buf_value(b, unit, pair.b, RULE_DIGITS);
    buf_char(b, ')');
}

static void say_rule(struct buf *b, const struct fail_rule *rule)
{
    buf_z(b, "passed: ");
    clean_text(b, rule->text);
    buf_z(b, ": ");
}

static void say_rows(struct buf *b, const struct fail_rule *rule, const struct table *t, uint32_t value,
                     const struct rule_found *f)
{
    say_rule(b, rule);
    if (f->n > 1)
        buf_printf(b, "%u of them: ", f->n);
    for (uint32_t i = 0; i < f->n && i < NAMED_MAX; i++) {
        buf_z(b, i == 0 ? "" : ", ");
        clean_text(b, table_name(t, f->rows[i]));
        say_growth(b, t->diff->values[value].unit, pair_of(rule, t, f->rows[i], value));
    }
    buf_z(b, f->n > NAMED_MAX ? ", ...\n" : "\n");
}

/* False: diag. */
static bool find_value(const struct fail_rule *rule, const struct table *t, uint32_t *value,
                       struct diag *diag)
{
    const struct table_diff *d = t->diff;
    struct buf b = {0};

    *value = rule->value.n > 0 ? diff_value_named(d, rule->value) : 0;
    if (*value < d->n_values)
        return rule->is_percent || rule->unit == d->values[*value].unit ||
               fail_rule_refuse(rule->text, "the value is not measured in this unit", diag);
    buf_z(&b, "the profiles do not share this value; they have ");
    diff_list_values(d, &b);
    buf_char(&b, '\0');
    fail_rule_refuse(rule->text, b.failed ? "the profiles do not share this value" : b.p, diag);
    buf_free(&b);
    return false;
}

bool diff_rule_check(const struct fail_rule *rule, const struct table *t, struct buf *says, bool *passed,
                     struct diag *diag)
{
    struct rule_found f = {.n = 0};
    uint32_t value;
    bool matches = false;

    if (rule->of == FAIL_RULE_THREAD || rule->of == FAIL_RULE_STEP)
        return fail_rule_refuse(rule->text, "a thread or a step is only judged by a check", diag);
    if (!find_value(rule, t, &value, diag))
        return false;
    if (rule->of == FAIL_RULE_TOTAL) {
        if (has_passed(rule, t->diff->total[value])) {
            *passed = true;
            say_rule(says, rule);
            clean_text(says, t->diff->values[value].label);
            say_growth(says, t->diff->values[value].unit, t->diff->total[value]);
            buf_char(says, '\n');
        }
        return true;
    }
    for (uint32_t row = 0; row < t->n; row++) {
        if (!t->present[row] || !fail_rule_fits(rule, table_name(t, row)))
            continue;
        matches = true;
        if (has_passed(rule, pair_of(rule, t, row, value)))
            keep_rule_row(&f, rule, t, row, value);
    }
    if (f.n > 0) {
        *passed = true;
        say_rows(says, rule, t, value, &f);
    } else if (!matches) {
        buf_z(says, "warning: --fail-if ");
        clean_text(says, rule->text);
        buf_z(says, ": no method on either side has such a name.\n");
    }
    return true;
}

/* ---- words ---- */

/* Sentences about the value that was asked for, of a table of methods. What methods did is counted as
 * diff_worked.h says: on the tracks that both sides have, without waiting. In this order:
 *
 *     the change of all of it
 *     own methods that did more, with what they call; new ones are among them
 *     those of them that are called more often, and those whose calls became longer, as more than half of
 *     the change comes from the one or the other
 *     own methods that did less, with what they call; gone ones are among them
 *     other methods that did more, and less, by themselves
 *     who waited longer, or less
 *     tracks that only one side has
 *     what is left out as noise, which is:
 *
 *         a method that both sides call fewer than DIFF_NOISE_CALLS times and that changed by less than a thousandth of the total
 *         one whose time changed by no more than its calls and what a reading of the clock costs, as the file says, multiplied
 *         one that both sides, which count samples and no calls, saw fewer than DIFF_NOISE_SAMPLES times and which changed by
 *         less than a thousandth of the total
 *
 * Of own methods that call each other, and of which one has most of another one's change, the outermost is named,
 * with the innermost that has most of it. A sentence that would say nothing is left out. Appends them to `out`, which
 * is empty, each ended by a newline; names are cleaned. `says` tells where each sentence and each name stands. */
enum { DIFF_NOISE_CALLS = 3, DIFF_NOISE_SAMPLES = 5 };

enum { DIGITS = 4, NOISE_SHARE = 1000, CANDIDATES_MAX = 24 };

/* What a method's change is. */
enum sort {
    OWN_MORE,
    OWN_LESS,
    OTHERS_MORE,
    OTHERS_LESS,
    NOISE_OF_CALLS,
    NOISE_OF_CLOCK,
    NOISE_OF_SAMPLES,
    SORTS
};

/* The rows of a sentence, those that changed most first. */
struct found {
    uint32_t rows[CANDIDATES_MAX];
    uint32_t n;    /* of all */
    uint64_t size; /* sum of what they changed by themselves */
};

struct words {
    const struct table *t;
    uint32_t value, samples; /* samples: the value that counts them, or n_values */
    enum unit unit;
    struct diff_worked did;
    struct found found[SORTS], more_calls, longer_calls, waits;
    bool *told; /* [row] own methods that the sentence at hand has told of */
    struct diff_words *says;
    struct buf *out;
};

/* Own methods count with what they call, others by themselves. */
static struct diff_pair pair_at(const struct words *w, uint32_t row)
{
    return diff_worked_is_own(&w->did, row) ? diff_worked_inclusive(&w->did, row)
                                            : diff_worked_exclusive(&w->did, row);
}

static bool is_small(const struct words *w, uint32_t row)
{
    struct diff_pair total = w->t->diff->total[w->value];
    uint64_t whole = total.a > total.b ? total.a : total.b;

    return diff_size(pair_at(w, row)) < whole / NOISE_SHARE;
}

/* Whether a number of calls may be told. */
static bool tells_calls(const struct words *w)
{
    return w->t->diff->has_calls && !w->t->profile->compared->sampled;
}

static bool is_called_seldom(const struct words *w, uint32_t row)
{
    struct diff_pair calls = diff_worked_calls(&w->did, row);

    return w->t->diff->has_calls && calls.a < DIFF_NOISE_CALLS && calls.b < DIFF_NOISE_CALLS &&
           is_small(w, row);
}

static bool is_of_clock(const struct words *w, uint32_t row)
{
    struct diff_pair calls = diff_worked_calls(&w->did, row);
    uint64_t cost, overhead_ns = w->t->profile->compared->overhead_ns;

    return w->unit == UNIT_NS &&
           (__builtin_mul_overflow(calls.a > calls.b ? calls.a : calls.b, overhead_ns, &cost) ||
            diff_size(pair_at(w, row)) <= cost);
}

static bool is_seen_seldom(const struct words *w, uint32_t row)
{
    struct diff_pair samples;

    if (w->samples == w->t->diff->n_values || w->t->diff->has_calls)
        return false;
    samples = diff_worked_is_own(&w->did, row) ? diff_inclusive(w->t, row, w->samples)
                                               : diff_exclusive(w->t, row, w->samples);
    return samples.a < DIFF_NOISE_SAMPLES && samples.b < DIFF_NOISE_SAMPLES && is_small(w, row);
}

static enum sort sort_of(const struct words *w, uint32_t row)
{
    struct diff_pair pair = pair_at(w, row);

    if (is_called_seldom(w, row))
        return NOISE_OF_CALLS;
    if (is_of_clock(w, row))
        return NOISE_OF_CLOCK;
    if (is_seen_seldom(w, row))
        return NOISE_OF_SAMPLES;
    if (diff_worked_is_own(&w->did, row))
        return pair.b > pair.a ? OWN_MORE : OWN_LESS;
    return pair.b > pair.a ? OTHERS_MORE : OTHERS_LESS;
}

static uint64_t change_of(const struct words *w, uint32_t row)
{
    return diff_size(pair_at(w, row));
}

static uint64_t waited_of(const struct words *w, uint32_t row)
{
    return diff_size(diff_worked_waited(&w->did, row));
}

/* `size_of`: by which they are ordered. */
static void keep_row(const struct words *w, struct found *f, uint32_t row,
                     uint64_t (*size_of)(const struct words *w, uint32_t row))
{
    uint32_t kept = f->n < CANDIDATES_MAX ? f->n : CANDIDATES_MAX, at = kept;
    uint64_t size = size_of(w, row);

    f->n++;
    while (at > 0 && size > size_of(w, f->rows[at - 1]))
        at--;
    order_insert(f->rows, &kept, CANDIDATES_MAX, at, &row, sizeof(row));
}

__extension__ typedef unsigned __int128 u128;

/* An own method that did more, and that both sides call: why. Of one call each, the change says it all. */
static void keep_reason(struct words *w, uint32_t row)
{
    struct diff_pair pair = pair_at(w, row), calls = diff_worked_calls(&w->did, row);

    if (!tells_calls(w) || calls.a == 0 || calls.b == 0 || (calls.a == 1 && calls.b == 1))
        return;
    /* What its calls of B would have taken, had each been as long as one of A. */
    if (calls.b > calls.a && diff_counts(calls) &&
        (u128)(calls.b - calls.a) * pair.a * 2 >= (u128)diff_size(pair) * calls.a)
        keep_row(w, &w->more_calls, row, change_of);
    else if ((u128)pair.b * calls.a > (u128)pair.a * calls.b)
        keep_row(w, &w->longer_calls, row, change_of);
}

static void find(struct words *w)
{
    for (uint32_t row = 0; row < w->t->n; row++) {
        struct diff_pair pair, waited;
        if (!w->t->present[row])
            continue;
        pair = pair_at(w, row);
        waited = diff_worked_waited(&w->did, row);
        if (waited.a != waited.b && diff_counts(waited))
            keep_row(w, &w->waits, row, waited_of);
        if (pair.a == pair.b || !diff_counts(pair) || diff_worked_is_wait(&w->did, row))
            continue;
        enum sort sort = sort_of(w, row);
        keep_row(w, &w->found[sort], row, change_of);
        w->found[sort].size = number_add(w->found[sort].size, diff_size(diff_worked_exclusive(&w->did, row)));
        if (sort == OWN_MORE)
            keep_reason(w, row);
    }
}

/* ---- sentences ---- */

/* What is said from here on, up to end_sentence. There are no more sentences than room. */
static struct diff_sentence *begin_sentence(const struct words *w)
{
    struct diff_sentence *s = &w->says->list[w->says->n++];

    *s = (struct diff_sentence){.at = w->out->n};
    return s;
}

static void end_sentence(const struct words *w, struct diff_sentence *s)
{
    buf_char(w->out, '.');
    s->n = w->out->n - s->at;
    buf_char(w->out, '\n');
}

static void put_name(const struct words *w, uint32_t row, struct diff_sentence *s)
{
    size_t at = w->out->n;

    clean_text(w->out, table_name(w->t, row));
    s->methods[s->n_methods++] = (struct diff_mention){at, w->out->n - at};
}

/* "8 calls as before" */
static void put_calls(const struct words *w, struct diff_pair calls)
{
    uint64_t shown = calls.b > 0 ? calls.b : calls.a;

    buf_u64_grouped(w->out, shown);
    buf_z(w->out, shown == 1 ? " call" : " calls");
    if (calls.a == 0 || calls.b == 0)
        return;
    if (calls.a == calls.b) {
        buf_z(w->out, " as before");
    } else {
        buf_z(w->out, " instead of ");
        buf_u64_grouped(w->out, calls.a);
    }
}

/* "+1.2 s (+40 %, 8 calls as before)", "+1.2 s (new, 1 call)". A method that is called on both sides is neither
 * new nor gone, though it took nothing on one of them. */
static void put_change(const struct words *w, uint32_t row)
{
    struct diff_pair pair = pair_at(w, row), calls = diff_worked_calls(&w->did, row);
    bool is_on_both = calls.a > 0 && calls.b > 0, has_percent = !is_on_both || (pair.a > 0 && pair.b > 0);

    diff_put_change(w->out, w->unit, pair);
    if (!has_percent && !tells_calls(w))
        return;
    buf_z(w->out, " (");
    if (has_percent)
        diff_put_percent(w->out, pair);
    if (tells_calls(w)) {
        buf_z(w->out, has_percent ? ", " : "");
        put_calls(w, calls);
    }
    buf_char(w->out, ')');
}

/* "80 times instead of 8 (+1.2 s)" */
static void put_more_calls(const struct words *w, uint32_t row)
{
    struct diff_pair calls = diff_worked_calls(&w->did, row);

    buf_u64_grouped(w->out, calls.b);
    buf_z(w->out, calls.b == 1 ? " time instead of " : " times instead of ");
    buf_u64_grouped(w->out, calls.a);
    buf_z(w->out, " (");
    diff_put_change(w->out, w->unit, pair_at(w, row));
    buf_char(w->out, ')');
}

/* "12 ms instead of 3 ms (+1.2 s)" */
static void put_longer_calls(const struct words *w, uint32_t row)
{
    struct diff_pair calls = diff_worked_calls(&w->did, row), pair = pair_at(w, row);

    buf_value(w->out, w->unit, pair.b / calls.b, DIGITS);
    buf_z(w->out, " instead of ");
    buf_value(w->out, w->unit, pair.a / calls.a, DIGITS);
    buf_z(w->out, " (");
    diff_put_change(w->out, w->unit, pair);
    buf_char(w->out, ')');
}

/* ---- own methods, each story once ---- */

struct story {
    const struct words *w;
    uint32_t row;
    uint32_t inner; /* the own method furthest down that has most of it; TABLE_NO_ROW: there is none */
    struct diff_pair within;
    bool is_told;
};

static void look(void *context, uint32_t row, struct diff_pair within)
{
    struct story *s = context;

    s->is_told = s->is_told || s->w->told[row];
    if (str_eq(table_name(s->w->t, row), table_name(s->w->t, s->row)))
        return; /* an overload, which the sentence cannot tell apart */
    if (s->inner == TABLE_NO_ROW || diff_size(within) <= diff_size(s->within)) {
        s->inner = row;
        s->within = within;
    }
}

static void mark(void *context, uint32_t row, struct diff_pair within)
{
    struct story *s = context;

    (void)within;
    s->w->told[row] = true;
}

static void put_inner(const struct story *of, struct diff_sentence *s)
{
    const struct words *w = of->w;

    if (of->inner == TABLE_NO_ROW || s->n_methods == DIFF_MENTIONS_MAX)
        return;
    buf_z(w->out, ", of which ");
    diff_put_change(w->out, w->unit, of->within);
    buf_z(w->out, " in ");
    put_name(w, of->inner, s);
}

static void say_own(struct words *w, const struct found *f, const char *words, enum diff_only only,
                    void (*put)(const struct words *w, uint32_t row))
{
    struct diff_sentence *s = NULL;
    uint32_t named = 0;

    for (uint32_t i = 0; i < f->n && i < CANDIDATES_MAX && named < DIFF_NAMED_MAX; i++) {
        uint32_t row = f->rows[i];
        struct story story = {.w = w, .row = row, .inner = TABLE_NO_ROW};
        if (w->told[row])
            continue;
        diff_worked_below(&w->did, row, look, &story);
        if (story.is_told)
            continue;
        if (s == NULL) {
            s = begin_sentence(w);
            s->only = only;
            buf_z(w->out, words);
        }
        buf_z(w->out, named++ == 0 ? " " : "; ");
        put_name(w, row, s);
        buf_char(w->out, ' ');
        put(w, row);
        put_inner(&story, s);
        w->told[row] = true;
        diff_worked_below(&w->did, row, mark, &story);
    }
    if (s != NULL)
        end_sentence(w, s);
    memset(w->told, 0, w->t->n * sizeof(*w->told));
}

static bool is_time(const struct words *w)
{
    return w->unit == UNIT_NS;
}

static void say_own_methods(struct words *w)
{
    bool waits = w->did.tells_waits;

    say_own(w, &w->found[OWN_MORE],
            waits        ? "More time in your methods, with what they call and without waiting:"
            : is_time(w) ? "More time in your methods, with what they call:"
                         : "More in your methods, with what they call:",
            ONLY_MORE, put_change);
    say_own(w, &w->more_calls, "Called more often, of your methods:", ONLY_DIFFERENT, put_more_calls);
    say_own(w, &w->longer_calls, "Longer for each call, of your methods:", ONLY_DIFFERENT, put_longer_calls);
    say_own(w, &w->found[OWN_LESS],
            waits        ? "Less time in your methods, with what they call and without waiting:"
            : is_time(w) ? "Less time in your methods, with what they call:"
                         : "Less in your methods, with what they call:",
            ONLY_LESS, put_change);
}

/* ---- all others ---- */

static void put_more(const struct words *w, const struct found *f)
{
    if (f->n <= DIFF_NAMED_MAX)
        return;
    buf_z(w->out, "; and ");
    buf_u64_grouped(w->out, f->n - DIFF_NAMED_MAX);
    buf_z(w->out, " more");
}

static void say_others(const struct words *w, enum sort sort, const char *words, enum diff_only only)
{
    const struct found *f = &w->found[sort];

    if (f->n == 0)
        return;
    struct diff_sentence *s = begin_sentence(w);
    s->only = only;
    buf_z(w->out, words);
    for (uint32_t i = 0; i < f->n && i < DIFF_NAMED_MAX; i++) {
        buf_z(w->out, i == 0 ? " " : "; ");
        put_name(w, f->rows[i], s);
        buf_char(w->out, ' ');
        put_change(w, f->rows[i]);
    }
    put_more(w, f);
    end_sentence(w, s);
}

/* "40 ms less than A's 1.2 s (-3 %)" */
static void put_against(const struct words *w, struct diff_pair pair)
{
    buf_value(w->out, w->unit, diff_size(pair), DIGITS);
    buf_z(w->out, pair.b > pair.a ? " more than A's " : " less than A's ");
    buf_value(w->out, w->unit, pair.a, DIGITS);
    buf_z(w->out, " (");
    diff_put_percent(w->out, pair);
    buf_char(w->out, ')');
}

static void say_waits(const struct words *w)
{
    if (w->waits.n == 0)
        return;
    struct diff_sentence *s = begin_sentence(w);
    struct diff_pair waited = w->did.waited;
    buf_z(w->out, "B waited ");
    buf_value(w->out, w->unit, waited.b, DIGITS);
    buf_z(w->out, ", ");
    if (waited.a == waited.b || !diff_counts(waited))
        buf_z(w->out, waited.a == waited.b ? "as long as A" : "as long as A within what its runs differ by");
    else
        put_against(w, waited);
    for (uint32_t i = 0; i < w->waits.n && i < DIFF_NAMED_MAX; i++) {
        buf_z(w->out, i == 0 ? ": " : "; ");
        put_name(w, w->waits.rows[i], s);
        buf_char(w->out, ' ');
        diff_put_change(w->out, w->unit, diff_worked_waited(&w->did, w->waits.rows[i]));
    }
    put_more(w, &w->waits);
    end_sentence(w, s);
}

static void say_alone(const struct words *w)
{
    const struct diff_worked *did = &w->did;

    if (did->n_alone == 0)
        return;
    struct diff_sentence *s = begin_sentence(w);
    buf_printf(w->out, "Left out of all that is said of methods, since only one side has %s: the %s",
               did->n_alone == 1 ? "it" : "them", track_word(w->t->profile, did->n_alone));
    for (uint32_t i = 0; i < did->n_alone && i < DIFF_ALONE_MAX; i++) {
        struct diff_pair pair = did->alone[i].pair;
        buf_z(w->out, i == 0 ? " " : ", ");
        clean_text(w->out, profile_string(w->t->profile, w->t->profile->tracks[did->alone[i].track].name));
        buf_z(w->out, pair.b > 0 ? " (B, " : " (A, ");
        buf_value(w->out, w->unit, diff_size(pair), DIGITS);
        buf_char(w->out, ')');
    }
    if (did->n_alone > DIFF_ALONE_MAX)
        buf_printf(w->out, " and %u more", did->n_alone - DIFF_ALONE_MAX);
    end_sentence(w, s);
}

static void say_total(const struct words *w)
{
    const struct diff_value *v = &w->t->diff->values[w->value];
    struct diff_pair total = w->did.tells_waits ? w->did.worked : w->t->diff->total[w->value];
    struct diff_sentence *s = begin_sentence(w);

    if (w->did.tells_waits) {
        buf_z(w->out, "Without waiting, B took ");
        buf_value(w->out, v->unit, total.b, DIGITS);
    } else {
        buf_z(w->out, "B has ");
        buf_value(w->out, v->unit, total.b, DIGITS);
        buf_z(w->out, v->unit == UNIT_COUNT ? " " : " of ");
        struct buf label = {0};
        buf_label(&label, v->label);
        clean_text(w->out, buf_view(&label));
        buf_part_end(w->out, &label);
    }
    buf_z(w->out, ", ");
    if (total.a == total.b)
        buf_z(w->out, "as much as A");
    else if (!diff_counts(total))
        buf_z(w->out, "as much as A within what its runs differ by");
    else
        put_against(w, total);
    end_sentence(w, s);
}

static void say_noise(const struct words *w, enum sort sort)
{
    const struct found *f = &w->found[sort];

    if (f->n == 0)
        return;
    struct diff_sentence *s = begin_sentence(w);
    buf_z(w->out, "Left out as noise: ");
    buf_u64_grouped(w->out, f->n);
    buf_z(w->out, f->n == 1 ? " method " : " methods ");
    switch (sort) {
    case NOISE_OF_CALLS:
        buf_printf(w->out, "%s fewer than %d times, ", tells_calls(w) ? "called" : "seen", DIFF_NOISE_CALLS);
        break;
    case NOISE_OF_CLOCK:
        buf_z(w->out, "that changed by no more than reading the clock costs, ");
        buf_value(w->out, UNIT_NS, w->t->profile->compared->overhead_ns, DIGITS);
        buf_z(w->out, " a call: ");
        break;
    default:
        buf_printf(w->out, "seen in fewer than %d samples, ", DIFF_NOISE_SAMPLES);
    }
    buf_value(w->out, w->unit, f->size, DIGITS);
    buf_z(w->out, " together");
    end_sentence(w, s);
}

static uint32_t find_samples(const struct table *t)
{
    uint32_t v = 0;

    while (v < t->diff->n_values && t->profile->compared->bases[t->diff->base_of[v]].role != ROLE_SAMPLES)
        v++;
    return v;
}

bool diff_words(const struct table *t, struct diff_words *says, struct buf *out, struct arena *arena)
{
    struct words w = {.t = t,
                      .value = t->diff->value,
                      .samples = find_samples(t),
                      .unit = t->diff->values[t->diff->value].unit,
                      .says = says,
                      .out = out};

    says->n = 0;
    if (t->group != GROUP_METHOD)
        return true;
    w.told = arena_array(arena, t->n, sizeof(*w.told));
    if (w.told == NULL || !diff_worked_new(&w.did, t, arena))
        return false;
    find(&w);
    say_total(&w);
    say_own_methods(&w);
    say_others(
        &w, OTHERS_MORE,
        is_time(&w) ? "More self time in other methods:" : "More in other methods themselves:", ONLY_MORE);
    say_others(
        &w, OTHERS_LESS,
        is_time(&w) ? "Less self time in other methods:" : "Less in other methods themselves:", ONLY_LESS);
    say_waits(&w);
    say_alone(&w);
    for (enum sort noise = NOISE_OF_CALLS; noise < SORTS; noise++)
        say_noise(&w, noise);
    return true;
}
