#include "render/verdict/headline.h"

#include "core/number.h"
#include "render/names/names.h"
#include "render/verdict/chain.h"
#include "render/verdict/say.h"
#include "render/verdict/system_rules.h"

uint64_t headline_cost(const struct analysis *a, uint64_t *records)
{
    uint64_t overhead_ns, cost;

    *records = 0;
    for (uint32_t i = 0; i < a->p->n_tracks; i++)
        *records = number_add(*records, a->p->tracks[i].records);
    if (a->sampled || !str_to_u64(profile_fact(a->p, STR("clock_overhead_ns")), 10, &overhead_ns) ||
        __builtin_mul_overflow(*records, overhead_ns, &cost))
        return 0;
    uint64_t all = active_of(&a->all);
    return cost < all ? cost : all;
}

void headline_say_cost(struct finding *f, const struct analysis *a, uint64_t cost)
{
    uint64_t all = active_of(&a->all);

    say(f, "Recording itself may have cost ");
    say(f, cost < all ? "" : "as much as all");
    if (cost < all)
        say_percent(f, cost, all);
    say_of_all(f, a);
}

static void say_took(struct finding *f, const struct analysis *a, uint64_t took)
{
    say(f, !a->timed ? " accounts for " : is_cpu_alone(a) ? " used " : " took ");
    say_part_of_main(f, a, took, true);
}

static void say_start(struct finding *f, const struct analysis *a, const struct chain *c)
{
    const struct chain_link *first = &c->links[0];

    say_method(f, a, first->frame);
    say_took(f, a, first->took);
    if (!a->sampled && first->calls > 0) {
        say(f, ", in ");
        say_calls(f, first->calls);
    }
    if (!is_cpu_alone(a) && a->has_cpu && c->running < first->took - first->took / 4) {
        say(f, ", ");
        say_value(f, a, c->running);
        say(f, " of it on a CPU");
    }
}

/* "; 96 % of that in LAST, 90 % in BELOW, which it calls" */
static void say_path(struct finding *f, const struct analysis *a, const struct chain *c)
{
    uint64_t whole = c->links[0].took;
    bool deeper = c->last_own > 0 && c->last_own < c->n;

    if (deeper) {
        say(f, "; ");
        say_percent(f, c->links[c->last_own].took, whole);
        say(f, " of that in ");
        say_method(f, a, c->links[c->last_own].frame);
    }
    if (c->below == c->n || a->allocates[c->links[c->below].frame])
        return;
    say(f, deeper ? ", " : "; ");
    say_percent(f, c->links[c->below].took, whole);
    say(f, deeper ? " in " : " of that in ");
    say_method(f, a, c->links[c->below].frame);
    say(f, ", which it calls");
}

/* Of a thread without own code worth naming: where its largest part goes down to. */
static void say_other_path(struct finding *f, const struct analysis *a, const struct chain *c)
{
    say_method(f, a, c->end.frame);
    say_took(f, a, c->end.took);
    if (!a->sampled && c->end.calls > 0) {
        say(f, ", in ");
        say_calls(f, c->end.calls);
    }
}

frame_id headline_largest(const struct analysis *a, const uint64_t *numbers)
{
    frame_id best = FRAME_NONE;

    for (frame_id i = 0; i < a->p->n_frames; i++)
        if (numbers[i] > 0 && (best == FRAME_NONE || numbers[i] > numbers[best]))
            best = i;
    return best;
}

bool headline_main_rests(const struct analysis *a)
{
    enum { LEAST = 10 };

    return permille(a->took_all, main_of(a)->total) < LEAST;
}

bool headline_find(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct chain *c = a->chain;
    uint64_t records, cost = headline_cost(a, &records);
    frame_id self = headline_largest(a, a->self_main);

    (void)r;
    if (system_has_start(a) || is_idle(a) || a->p->n_tracks == 0 || headline_main_rests(a) ||
        self == FRAME_NONE)
        return false;
    if (c->n == 0) {
        say(f, a->sections ? "No single section stands out; " : "No single method stands out; ");
        say_method(f, a, self);
        say(f, a->timed ? " has the most self time, " : " has the largest self value, ");
        say_part_of_main(f, a, a->self_main[self], true);
    } else if (c->from_own) {
        say_start(f, a, c);
        say_path(f, a, c);
    } else {
        say_other_path(f, a, c);
    }
    say(f, ".");
    if (permille(cost, active_of(&a->all)) >= HEADLINE_COST_LEAST) {
        say(f, " ");
        headline_say_cost(f, a, cost);
        say(f, ", so short methods look slower than they are.");
    }
    f->sentence->track = a->main;
    f->sentence->weight = WEIGHT_FIRST;
    return true;
}
