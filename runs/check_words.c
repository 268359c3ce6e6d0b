#include "runs/check_words.h"

enum { UNSURE_MAX = 5 };

static const double FROM_NOTHING = 1e12; /* a growth as large is one from 0 */

const char *check_slower(const struct check *c)
{
    return c->unit == UNIT_NS ? "slower" : "larger";
}

const char *check_faster(const struct check *c)
{
    return c->unit == UNIT_NS ? "faster" : "smaller";
}

/* 0.0512 as +5.1 %, to whole percent from 100 on. */
void check_put_percent(struct buf *b, double share)
{
    if (share >= FROM_NOTHING) {
        buf_z(b, "from 0");
        return;
    }
    uint64_t rounded = (uint64_t)((share < 0 ? -share : share) * 1000 + 0.5);
    buf_z(b, rounded == 0 ? "" : share < 0 ? "-" : "+");
    if (rounded >= 1000)
        buf_u64_grouped(b, (rounded + 5) / 10);
    else
        buf_fixed(b, rounded, 1);
    buf_z(b, " %");
}

static void put_difference(struct buf *b, enum unit unit, double difference)
{
    double size = difference < 0 ? -difference : difference;

    if (size >= 9e18) {
        buf_z(b, "beyond all measure");
        return;
    }
    uint64_t rounded = (uint64_t)(size + 0.5);
    buf_z(b, rounded == 0 ? "" : difference < 0 ? "-" : "+");
    buf_value(b, unit, rounded, CHECK_DIGITS);
}

void check_put_medians(struct buf *b, enum unit unit, uint64_t before, uint64_t behind)
{
    put_difference(b, unit, behind > before ? (double)(behind - before) : -(double)(before - behind));
}

/* A change as the rule has its limit. */
void check_put_change(struct buf *b, const struct check_rule *r, double change)
{
    if (r->rule.is_percent)
        check_put_percent(b, change - 1);
    else
        put_difference(b, r->unit, change);
}

void check_put_interval(struct buf *b, const struct check_rule *r)
{
    if (!r->measure.has_interval) {
        buf_z(b, "too few runs");
        return;
    }
    check_put_change(b, r, r->measure.low);
    if (!r->rule.is_percent || r->measure.low < FROM_NOTHING) {
        buf_z(b, " to ");
        check_put_change(b, r, r->measure.high);
    }
}

static void put_more(struct buf *b, struct rank_more more)
{
    if (more.runs > RANK_MORE_MAX)
        buf_printf(b, "more than %d more runs would be needed", RANK_MORE_MAX);
    else
        buf_printf(b, "run %u more%s", more.runs, more.of_each ? " of each side" : "");
}

/* What else is to be said of a rule, behind `before`. */
void check_put_remark(struct buf *b, const struct check_rule *r, const char *before)
{
    if (r->n_fitting == 0) {
        buf_z(b, r->rule.of == FAIL_RULE_STEP && r->is_there ? "not all runs have this step"
                 : r->is_there ? "nothing that fits has a thousandth of the total"
                               : "nothing fits in any run: is the name right?");
    } else if (r->state == CHECK_INCONCLUSIVE) {
        buf_z(b, before);
        put_more(b, r->more);
    } else if (r->n_fitting > 1) {
        buf_printf(b, "%s%u of %u methods %s", before, r->state == CHECK_FAIL ? r->n_failing : r->n_fitting,
                   r->n_fitting, r->state == CHECK_FAIL ? "fail" : "pass");
    }
}

void check_put_runs(struct buf *b, const struct check *c)
{
    buf_printf(b, "%u %s against %u of the baseline", c->n_b, c->n_b == 1 ? "run" : "runs", c->n_a);
}

void check_put_tested(struct buf *b, const struct check *c)
{
    if (c->n_tested == 0) {
        buf_z(b, "No method has a thousandth of the total on both sides.");
        return;
    }
    buf_printf(b, "Of %u methods with a thousandth of the total ", c->n_tested);
    if (c->n_sure > 0)
        buf_printf(b, "%u changed; of such findings at most 5 %% are chance.", c->n_sure);
    else
        buf_z(b, "none changed for sure.");
    if (c->can_be_sure || c->n_sure > 0 || (c->state == CHECK_PASS && c->n_changed == 0))
        return;
    buf_z(b, " So few runs cannot tell one of so many from chance: ");
    put_more(b, c->to_be_sure);
    buf_char(b, '.');
}

bool check_grew(const struct check_method *m)
{
    return m->measure.change > 1;
}

/* How many methods the lists are taken from: the sure ones, else the first that may have changed. */
uint32_t check_n_shown(const struct check *c)
{
    uint32_t unsure = c->n_changed < UNSURE_MAX ? c->n_changed : UNSURE_MAX;

    return c->n_sure > 0 ? c->n_sure : unsure;
}

uint32_t check_count_shown(const struct check *c, bool of_growth)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < check_n_shown(c); i++)
        n += check_grew(&c->changed[i]) == of_growth;
    return n;
}

/* The first rule that has the state of all. */
const struct check_rule *check_decisive(const struct check *c)
{
    uint32_t i = 0;

    while (i + 1 < c->n_rules && c->rules[i].state != c->state)
        i++;
    return &c->rules[i];
}

uint32_t check_count_rules(const struct check *c, enum check_state state)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n_rules; i++)
        n += c->rules[i].state == state;
    return n;
}
