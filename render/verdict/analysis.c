#include "render/verdict/analysis.h"

#include "core/number.h"
#include "core/order.h"
#include "profile/frame/allocators.h"
#include "profile/frame/frame_text.h"
#include "profile/frame/sections.h"
#include "render/names/names.h"
#include "render/verdict/system_sums.h"
#include "render/view/input.h"

/* What the stack above a node is made of. Pre-order lets one array hold it for all. */
struct above {
    frame_id own;    /* the innermost own method; FRAME_NONE */
    frame_id caller; /* the innermost own or library's method */
    frame_id holder; /* the innermost method that is no allocator */
    frame_id user;   /* the innermost function that is not the kernel's */
    frame_id waiter; /* the innermost method that is listed as a cause of waiting */
    uint32_t work;   /* enum work_kind bits that have begun */
    uint8_t causes;  /* enum wait_kind bits that have begun; WAIT_UNKNOWN has none */
    bool has_library;
};

/* What is asked of a frame at each of its nodes. Side by side, since a profile has more frames than a processor's
 * nearest cache has room for. */
struct of_frame {
    uint32_t work; /* enum work_kind bits */
    string_id module;
    uint8_t origin, wait; /* enum origin, wait_kind */
    bool allocates;       /* only gives memory to its caller */
    bool is_kernel, has_scope;
};

struct pass {
    struct analysis *a;
    struct above *above;         /* [n_nodes]: with the node itself */
    struct of_frame *of;         /* [n_frames] */
    uint64_t *kind_time;         /* [n_frames]: took, where it begins a kind of work */
    frame_id *wait_by, *work_by; /* [n_frames]: for whom most of that was */
    uint64_t *wait_most, *work_most;
    bool on_main, is_thread;
};

static void add(uint64_t *sum, uint64_t value)
{
    *sum = number_add(*sum, value);
}

static void add_difference(int64_t *sum, uint64_t plus, uint64_t minus)
{
    int64_t up = plus < INT64_MAX ? (int64_t)plus : INT64_MAX;
    int64_t down = minus < INT64_MAX ? (int64_t)minus : INT64_MAX;

    *sum = number_add_signed(*sum, up - down);
}

static uint64_t calls_of(const struct analysis *a, node_id node)
{
    return a->calls < a->p->n_values ? profile_self(a->p, node, a->calls) : 0;
}

/* ---- every node of every thread ---- */

static struct above enter(const struct pass *pass, node_id node)
{
    const struct analysis *a = pass->a;
    const struct profile *p = a->p;
    struct above here = {FRAME_NONE, FRAME_NONE, FRAME_NONE, FRAME_NONE, FRAME_NONE, 0, 0, false};
    frame_id f = p->node_frame[node];

    if (p->node_parent[node] != NODE_NONE)
        here = pass->above[p->node_parent[node]];
    if (f == FRAME_NONE)
        return here;
    const struct of_frame *of = &pass->of[f];
    if (of->origin == ORIGIN_APP) {
        here.own = here.caller = f;
    } else if (of->origin == ORIGIN_LIBRARY) {
        here.has_library = true;
        here.caller = f;
    }
    /* A native function waits for the Java method that called it, as nativePollOnce for messages. */
    if (of->wait != WAIT_NONE && (here.waiter == FRAME_NONE || of->has_scope)) {
        here.waiter = f;
        here.causes |= (uint8_t)(1u << of->wait);
    }
    if (!of->allocates)
        here.holder = f;
    if (!of->is_kernel || here.user == FRAME_NONE)
        here.user = f;
    here.work |= of->work;
    return here;
}

/* What it waited, by what for. Where that is not known, the function that called the kernel has waited: every wait ends in
 * the kernel's scheduler. */
static void add_wait(const struct pass *pass, const struct above *here, uint64_t waited)
{
    struct analysis *a = pass->a;
    frame_id waiter = here->waiter != FRAME_NONE ? here->waiter : here->user;
    enum wait_kind kind =
        here->waiter != FRAME_NONE ? (enum wait_kind)pass->of[here->waiter].wait : WAIT_UNKNOWN;

    add(&a->waits[kind].time, waited);
    add(&a->wait_main[waiter], waited);
    if (waited > pass->wait_most[waiter]) {
        pass->wait_most[waiter] = waited;
        pass->wait_by[waiter] = here->caller;
    }
}

/* The calls of the outermost method that waits so: Object.wait() calls Object.wait(long). */
static void count_wait(const struct pass *pass, node_id node, const struct above *here)
{
    struct analysis *a = pass->a;
    frame_id f = a->p->node_frame[node];
    node_id parent = a->p->node_parent[node];
    unsigned kind = pass->of[f].wait;

    (void)here;
    if (kind != WAIT_NONE && (parent == NODE_NONE || (pass->above[parent].causes & 1u << kind) == 0))
        add(&a->waits[kind].calls, calls_of(a, node));
}

static void add_main(const struct pass *pass, node_id node, const struct above *here,
                     const uint64_t parts[TIME_STATES])
{
    struct analysis *a = pass->a;
    frame_id f = a->p->node_frame[node];
    bool for_messages = here->waiter != FRAME_NONE && pass->of[here->waiter].wait == WAIT_MESSAGES;
    uint64_t took = number_add(parts[TIME_RUNNING], parts[TIME_IN_METHODS]);

    if (f == FRAME_NONE)
        return;
    if (parts[TIME_WAITING] > 0)
        add_wait(pass, here, parts[TIME_WAITING]);
    count_wait(pass, node, here);
    add(&a->self_main[f], took);
    if (!for_messages) {
        add(&took, parts[TIME_WAITING]);
        add(&a->self_main[here->user], parts[TIME_WAITING]);
        add(&a->self_wait[here->user], parts[TIME_WAITING]);
    }
    a->took[node - a->p->tracks[a->main].first] = took;
    if (here->own != FRAME_NONE)
        add(&a->own_main[here->own], took);
}

/* Of a profile without clocks: the value itself, and what it went down. */
static void add_value(const struct pass *pass, node_id node, struct thread_cost *t, uint64_t *active,
                      uint64_t *minus)
{
    const struct analysis *a = pass->a;

    *active = a->p->n_values > 0 ? profile_self(a->p, node, a->value) : 0;
    *minus = a->p->n_values > 0 ? profile_minus_self(a->p, node, a->value) : 0;
    add(&t->total, *active);
}

static void add_active(const struct pass *pass, node_id node, const struct above *here, uint64_t active,
                       uint64_t minus, struct thread_cost *t)
{
    struct analysis *a = pass->a;
    frame_id f = a->p->node_frame[node];
    enum share share = here->own != FRAME_NONE ? SHARE_OWN
                       : here->has_library     ? SHARE_LIBRARIES
                                               : SHARE_PLATFORM;

    if (a->states)
        add(&t->share[share], active);
    if (f == FRAME_NONE)
        return;
    if (!a->states)
        add(&t->share[share], active);
    if (!pass->is_thread)
        return;
    add(&a->calls_all[f], calls_of(a, node));
    frame_id holder = here->holder != FRAME_NONE ? here->holder : f;
    add_difference(&a->self_all[holder], active, minus);
    add_difference(&a->module_all[pass->of[holder].module], active, minus);
    if (here->caller != FRAME_NONE && here->caller != here->own)
        add_difference(&a->library_all[names_of(a->names, here->caller)->package], active, minus);
    if (here->own != FRAME_NONE)
        add_difference(&a->own_all[here->own], active, minus);
}

/* What a thread does in no section is known where the scheduler has told it. */
static void time_of_state(const struct analysis *a, node_id node, uint64_t parts[TIME_STATES])
{
    uint64_t running = profile_self(a->p, node, a->clocks.measured[TIME_RUNNING]);

    parts[TIME_RUNNING] = running < parts[TIME_UNKNOWN] ? running : parts[TIME_UNKNOWN];
    parts[TIME_WAITING] = parts[TIME_UNKNOWN] - parts[TIME_RUNNING];
    parts[TIME_UNKNOWN] = 0;
}

/* Samples beside calls have no part in time; those of the main thread are counted for themselves. */
static void walk_samples(struct analysis *a, const struct profile_track *t)
{
    uint32_t value = profile_value_by_role(a->p, ROLE_SAMPLES);

    if (t->beside == 0 || t->beside != a->p->tracks[a->main].id || value == a->p->n_values)
        return;
    add(&a->main_samples, profile_total(a->p, t->first, value));
    for (node_id i = t->first + 1; i < t->first + t->count; i++)
        add(&a->main_sampled[a->p->node_frame[i]], profile_self(a->p, i, value));
}

static void walk_track(struct pass *pass, uint32_t track)
{
    struct analysis *a = pass->a;
    const struct profile_track *t = &a->p->tracks[track];
    struct thread_cost *cost = &a->threads[track];

    if (a->timed && !track_has(t, 0)) {
        walk_samples(a, t);
        return;
    }
    pass->on_main = track == a->main;
    /* A thread's time is its own track's, and asynchronous sections have none of their own. */
    pass->is_thread = t->kind != TRACK_SECOND && t->kind != TRACK_ASYNC;
    for (node_id i = t->first; i < t->first + t->count; i++) {
        struct above here = pass->above[i] = enter(pass, i);
        uint64_t parts[TIME_STATES] = {0}, active, minus = 0;
        frame_id f = a->p->node_frame[i];
        if (a->timed) {
            time_split_self(&a->clocks, a->p, i, f != FRAME_NONE && pass->of[f].wait != WAIT_NONE, parts);
            if (a->states && f == FRAME_NONE)
                time_of_state(a, i, parts);
            for (unsigned s = 0; s < TIME_STATES; s++) {
                add(&cost->state[s], parts[s]);
                add(&cost->total, parts[s]);
            }
            active = parts[a->has_cpu ? TIME_RUNNING : TIME_IN_METHODS];
        } else {
            add_value(pass, i, cost, &active, &minus);
            if (f != FRAME_NONE && pass->of[f].wait != WAIT_NONE)
                active = minus = 0;
            parts[TIME_IN_METHODS] = active;
        }
        add_active(pass, i, &here, active, minus, cost);
        if (pass->on_main)
            add_main(pass, i, &here, parts);
    }
    if (!pass->is_thread)
        return;
    a->active_beside[track] = pass->on_main ? 0 : active_of(cost);
    add(&a->all.total, cost->total);
    for (unsigned i = 0; i < SHARES; i++)
        add(&a->all.share[i], cost->share[i]);
    for (unsigned i = 0; i < TIME_STATES; i++)
        add(&a->all.state[i], cost->state[i]);
}

/* ---- the main thread once more ---- */

/* Children have larger ids than their parents: from the back all are complete before they are added to
 * their parent. */
static void sum_took(struct analysis *a)
{
    const struct profile_track *t = &a->p->tracks[a->main];

    for (node_id i = t->first + t->count; i-- > t->first + 1;)
        add(&a->took[a->p->node_parent[i] - t->first], a->took[i - t->first]);
    a->took_all = a->took[0];
}

/* The parts that a node's frame begins: each counts with all of the node, where nothing above began it. */
static void begin_parts(const struct pass *pass, node_id node)
{
    struct analysis *a = pass->a;
    const struct profile *p = a->p;
    frame_id f = p->node_frame[node];
    node_id parent = p->node_parent[node];
    const struct above *outer = &pass->above[parent];
    uint64_t took = a->took[node - p->tracks[a->main].first];
    uint32_t begins = pass->of[f].work & ~outer->work;

    if (begins != 0) {
        for (unsigned kind = 0; kind < WORK_KINDS; kind++)
            if ((begins >> kind & 1) != 0) {
                add(&a->work[kind].time, took);
                add(&a->work[kind].calls, calls_of(a, node));
            }
        add(&pass->kind_time[f], took);
        if (pass->work_by[f] == FRAME_NONE || took > pass->work_most[f]) {
            pass->work_most[f] = took;
            pass->work_by[f] = outer->caller;
        }
    }
    if (outer->own == FRAME_NONE && pass->of[f].origin == ORIGIN_APP)
        add(&a->entry_main[f], took);
}

static void keep_heaviest(struct cost *c, frame_id f, uint64_t time, frame_id caller)
{
    if (time == 0 || (c->frame != FRAME_NONE && time <= c->frame_time))
        return;
    c->frame = f;
    c->frame_time = time;
    c->caller = caller;
}

static void walk_main(const struct pass *pass)
{
    struct analysis *a = pass->a;
    const struct profile_track *t = &a->p->tracks[a->main];

    sum_took(a);
    for (node_id i = t->first + 1; i < t->first + t->count; i++)
        begin_parts(pass, i);
    for (frame_id f = 0; f < a->p->n_frames; f++) {
        enum wait_kind wait = pass->of[f].wait != WAIT_NONE ? (enum wait_kind)pass->of[f].wait : WAIT_UNKNOWN;
        keep_heaviest(&a->waits[wait], f, a->wait_main[f], pass->wait_by[f]);
        for (unsigned kind = 0; kind < WORK_KINDS; kind++)
            if ((pass->of[f].work >> kind & 1) != 0)
                keep_heaviest(&a->work[kind], f, pass->kind_time[f], pass->work_by[f]);
        if (wait == WAIT_MESSAGES)
            a->wait_main[f] = 0;
    }
}

/* ---- what is looked at ---- */

/* What a track has outside of methods that wait. */
static uint64_t weight_of(const struct pass *pass, const struct profile_track *t, uint32_t value)
{
    const struct profile *p = pass->a->p;
    uint64_t sum = 0;

    for (node_id i = t->first; p->n_values > 0 && i < t->first + t->count; i++)
        if (p->node_frame[i] != FRAME_NONE && pass->of[p->node_frame[i]].wait == WAIT_NONE)
            add(&sum, profile_self(p, i, value));
    return sum;
}

/* The thread that Android calls so draws the screen; else the one with most to do. */
static void choose_main(struct pass *pass)
{
    struct analysis *a = pass->a;
    const struct profile *p = a->p;
    uint32_t value = a->timed ? profile_weight_value(p) : a->value;
    uint64_t most = 0;

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        if (a->timed && str_eq(profile_string(p, p->tracks[i].name), STR("main"))) {
            a->main = i;
            a->has_main = true;
            return;
        }
        if (p->tracks[i].kind == TRACK_ASYNC || p->tracks[i].kind == TRACK_SECOND)
            continue;
        uint64_t weight = weight_of(pass, &p->tracks[i], value);
        if (weight > most)
            a->main = i;
        most = weight > most ? weight : most;
    }
}

static void choose_values(struct analysis *a)
{
    const struct profile *p = a->p;

    a->clocks = time_values_of(p);
    a->timed = time_known(&a->clocks) && p->n_minus == 0;
    a->is_memory = !a->timed && p->n_values > 0 && p->values[a->value].unit == UNIT_BYTES;
    a->has_cpu = a->timed && time_has_cpu(&a->clocks);
    a->states = a->has_cpu && profile_value_by_role(p, ROLE_RUNNABLE) < p->n_values;
    a->sections = sections_in(p);
    a->calls = profile_value_by_role(p, ROLE_CALLS);
    a->sampled = a->calls == p->n_values || profile_is_sampled(p);
}

static bool take_memory(struct pass *pass, struct arena *arena)
{
    struct analysis *a = pass->a;
    size_t frames = a->p->n_frames, nodes = a->p->n_nodes;
    uint64_t **by_frame[] = {&a->own_main,     &a->entry_main,  &a->self_main,    &a->self_wait,
                             &a->wait_main,    &a->calls_all,   &a->main_sampled, &pass->kind_time,
                             &pass->wait_most, &pass->work_most};

    pass->above = arena_array(arena, nodes, sizeof(*pass->above));
    a->allocates = arena_array(arena, frames, sizeof(*a->allocates));
    pass->of = arena_array(arena, frames, sizeof(*pass->of));
    pass->wait_by = arena_array(arena, frames, sizeof(*pass->wait_by));
    pass->work_by = arena_array(arena, frames, sizeof(*pass->work_by));
    for (size_t i = 0; i < sizeof(by_frame) / sizeof(by_frame[0]); i++)
        *by_frame[i] = arena_array(arena, frames, sizeof(uint64_t));
    a->threads = arena_array(arena, a->p->n_tracks, sizeof(*a->threads));
    a->active_beside = arena_array(arena, a->p->n_tracks, sizeof(*a->active_beside));
    a->own_all = arena_array(arena, frames, sizeof(*a->own_all));
    a->self_all = arena_array(arena, frames, sizeof(*a->self_all));
    a->native_all = arena_array(arena, frames, sizeof(*a->native_all));
    a->module_all = arena_array(arena, a->p->n_strings, sizeof(*a->module_all));
    a->library_all = arena_array(arena, names_packages(a->names), sizeof(*a->library_all));
    return arena->failure == ARENA_OK;
}

static void look_at_frames(const struct pass *pass)
{
    const struct analysis *a = pass->a;

    for (frame_id f = 0; f < a->p->n_frames; f++) {
        struct frame_parts parts = names_parts(a->names, f);
        a->allocates[f] = a->is_memory && frame_allocates(&parts);
        pass->of[f] = (struct of_frame){
            .work = work_kinds_of(&parts),
            .module = a->p->frames[f].module,
            .origin = names_of(a->names, f)->origin,
            .wait = (uint8_t)(a->is_memory ? WAIT_NONE : wait_kind_of(parts.scope, parts.name)),
            .allocates = a->allocates[f],
            .is_kernel = a->p->frames[f].kind == FRAME_KIND_KERNEL,
            .has_scope = parts.scope.n > 0};
        pass->wait_by[f] = pass->work_by[f] = FRAME_NONE;
    }
}

static void look_at_native(struct analysis *a)
{
    for (frame_id f = 0; f < a->p->n_frames; f++) {
        enum frame_kind kind = a->p->frames[f].kind;
        uint64_t self = a->self_all[f] > 0 ? (uint64_t)a->self_all[f] : 0;
        a->has_java = a->has_java || kind == FRAME_KIND_JAVA;
        if (kind == FRAME_KIND_KERNEL) {
            a->kernel = number_add(a->kernel, self);
        } else if (names_of(a->names, f)->origin == ORIGIN_NATIVE) {
            a->native = number_add(a->native, self);
            a->native_all[f] = a->self_all[f];
        }
    }
}

uint64_t active_of(const struct thread_cost *t)
{
    return number_add(number_add(t->share[SHARE_OWN], t->share[SHARE_LIBRARIES]), t->share[SHARE_PLATFORM]);
}

uint32_t analysis_top(const int64_t *numbers, uint32_t n, uint32_t *top, uint32_t max)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = found;
        while (at > 0 && numbers[top[at - 1]] < numbers[i])
            at--;
        if (numbers[i] > 0)
            order_insert(top, &found, max, at, &i, sizeof(i));
    }
    return found;
}

struct analysis *analysis_new(const struct render_input *in)
{
    struct analysis *a = arena_alloc(in->scratch, sizeof(*a));
    struct pass pass = {.a = a};

    if (a == NULL)
        return NULL;
    *a = (struct analysis){.p = in->profile, .names = in->names, .spans = in->spans, .growths = in->growths};
    for (unsigned i = 0; i < WAIT_KINDS; i++)
        a->waits[i].frame = a->waits[i].caller = FRAME_NONE;
    for (unsigned i = 0; i < WORK_KINDS; i++)
        a->work[i].frame = a->work[i].caller = FRAME_NONE;
    choose_values(a);
    if (!take_memory(&pass, in->scratch))
        return NULL;
    look_at_frames(&pass);
    choose_main(&pass);
    a->took =
        a->p->n_tracks > 0 ? arena_array(in->scratch, a->p->tracks[a->main].count, sizeof(*a->took)) : NULL;
    if (a->p->n_tracks > 0 && a->took == NULL)
        return NULL;
    for (uint32_t i = 0; i < a->p->n_tracks; i++)
        walk_track(&pass, i);
    look_at_native(a);
    if (a->p->n_tracks > 0)
        walk_main(&pass);
    if (a->timed && a->sections && a->p->n_tracks > 0 &&
        (a->system = system_counts_new(a->p, a->main, in->system, in->scratch)) == NULL)
        return NULL;
    return a;
}
