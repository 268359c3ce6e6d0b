#include "render/verdict/wake_chain.h"

#include "core/number.h"
#include "render/verdict/system_log.h"

struct wake_chain *wake_chain_new(struct arena *arena, const struct profile *p, const struct window *window)
{
    static const enum profile_role ROLES[WAKE_STATES] = {ROLE_CPU, ROLE_RUNNABLE, ROLE_SLEEPING, ROLE_BLOCKED,
                                                         ROLE_IO};
    struct wake_chain *c = arena_alloc(arena, sizeof(*c));

    if (c == NULL)
        return NULL;
    *c = (struct wake_chain){.p = p, .window = window, .main = system_main(p)};
    for (unsigned i = 0; i < WAKE_STATES; i++) {
        uint32_t value = profile_value_by_role(p, ROLES[i]);
        c->clocks[i] = value < p->n_times ? value : p->n_times;
    }
    return c;
}

/* ---- the replay of one thread ---- */

static uint64_t ns_of(const struct wake_chain *c, uint64_t ticks)
{
    return number_multiply(ticks, c->p->ns_per_tick);
}

/* In which state all of the time up to this record was; WAKE_STATES: nobody knows. */
static enum wake_state state_of(const struct wake_chain *c, const struct replay_track *t)
{
    for (unsigned i = 0; i < WAKE_STATES; i++)
        if (c->clocks[i] < c->p->n_times && t->now[c->clocks[i]] > t->last[c->clocks[i]])
            return (enum wake_state)i;
    return WAKE_STATES;
}

/* The wait at hand is over: of the main thread the longest one counts. */
static void end_wait_of_main(struct wake_chain *c)
{
    const struct wake_wait *at = &c->at;
    bool whole = c->window == NULL || (at->from_ns >= c->window->from_ns && at->to_ns <= c->window->to_ns);

    if (at->to_ns > 0 && c->in_section && whole && at->to_ns - at->from_ns > c->wait.to_ns - c->wait.from_ns)
        c->wait = *at;
    c->at.to_ns = 0;
}

static void add_to_step(struct wake_chain *c, enum wake_state state, uint64_t ns)
{
    struct wake_step *step = &c->steps[c->n_steps - 1];

    if (state == WAKE_RUNNING)
        step->ran_ns = number_add(step->ran_ns, ns);
    else if (state == WAKE_RUNNABLE)
        step->runnable_ns = number_add(step->runnable_ns, ns);
}

/* The thread waited from one time to another. What it did before does not count any more. */
static void add_to_wait(struct wake_chain *c, enum wake_state state, frame_id frame, uint64_t from_ns,
                        uint64_t to_ns)
{
    if (c->at.to_ns == 0) {
        c->at = (struct wake_wait){.from_ns = from_ns, .state = state, .frame = frame};
        c->in_section = frame != FRAME_NONE;
    }
    c->at.to_ns = to_ns;
    if (c->n_steps == 0)
        return;
    struct wake_step *step = &c->steps[c->n_steps - 1];
    step->ran_ns = step->runnable_ns = 0;
    step->wait = c->at;
}

/* From the last record up to this one the thread was in one state, and in `frame`. */
static void pass(struct wake_chain *c, const struct replay_track *t, frame_id frame)
{
    uint64_t from_ns = ns_of(c, t->last[0]), to_ns = ns_of(c, t->now[0]), now_ns = to_ns;
    enum wake_state state = state_of(c, t);

    if (t->resumes || c->is_over)
        return;
    if (c->n_steps > 0) {
        from_ns = window_clip(&c->within, from_ns);
        to_ns = window_clip(&c->within, to_ns);
    }
    if (from_ns < to_ns && state >= WAKE_SLEEPING && state < WAKE_STATES) {
        add_to_wait(c, state, frame, from_ns, to_ns);
    } else if (from_ns < to_ns) {
        if (c->n_steps == 0)
            end_wait_of_main(c);
        else
            add_to_step(c, state, to_ns - from_ns);
        c->at.to_ns = 0;
    }
    if (c->n_steps > 0 && now_ns >= c->within.to_ns) {
        c->steps[c->n_steps - 1].frame = frame;
        c->is_over = true;
    }
}

static bool stay(void *context, struct replay_track *t)
{
    pass(context, t, t->open[t->n_open - 1].frame);
    return true;
}

/* The call is on the stack already, and was not up to now. */
static bool enter(void *context, struct replay_track *t)
{
    pass(context, t, t->open[t->n_open - 2].frame);
    return true;
}

static bool leave(void *context, struct replay_track *t, const struct replay_left *left)
{
    pass(context, t, t->open[left->level].frame);
    return true;
}

static bool end(void *context, struct replay_track *t)
{
    struct wake_chain *c = context;

    (void)stay(context, t);
    if (c->n_steps == 0)
        end_wait_of_main(c);
    return true;
}

/* ---- from step to step ---- */

/* Who woke the thread at the end of its wait is the next step. False: that is no thread whose records are known. */
static bool follow(struct wake_chain *c, uint32_t track, uint64_t ns)
{
    const struct profile_wake *wake = profile_wake(c->p, c->p->tracks[track].id, ns);
    const struct profile_track *waker = wake != NULL ? profile_track_by_id(c->p, wake->waker) : NULL;
    struct wake_step *step = &c->steps[c->n_steps++];

    *step = (struct wake_step){.by = WAKE_BY_UNKNOWN, .frame = FRAME_NONE};
    if (wake != NULL && wake->waker == PROFILE_WAKE_INTERRUPT)
        step->by = WAKE_BY_INTERRUPT;
    if (waker == NULL)
        return false;
    step->by = WAKE_BY_THREAD;
    step->track = (uint32_t)(waker - c->p->tracks);
    c->track = step->track;
    c->within = (struct window){c->wait.from_ns, ns};
    return true;
}

bool wake_chain_wants(struct wake_chain *c, struct replay_request *replay)
{
    bool more = c->p->n_wakes > 0 && c->main < c->p->n_tracks;

    if (more && c->begun && c->n_steps == 0) {
        more = c->wait.to_ns > 0 && follow(c, c->main, c->wait.to_ns);
    } else if (more && c->begun) {
        const struct wake_step *step = &c->steps[c->n_steps - 1];
        more =
            step->wait.to_ns > 0 && c->n_steps < WAKE_STEPS_MAX && follow(c, step->track, step->wait.to_ns);
    } else {
        c->track = c->main;
    }
    c->begun = true;
    c->is_over = false;
    c->at.to_ns = 0;
    *replay = (struct replay_request){
        .tracks = &c->track,
        .n_tracks = 1,
        .window = c->n_steps > 0 ? &c->within : c->window,
        .sink = {.enter = enter, .leave = leave, .stay = stay, .end = end, .context = c}};
    return more;
}
