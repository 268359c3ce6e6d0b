#include "render/verdict/system_log.h"

#include "core/number.h"

enum { RUNNABLE_MAX = 1 << 16, STARVED_PART = 10 };

static uint64_t ns_of(const struct system_log_sink *s, uint64_t ticks)
{
    return number_multiply(ticks, s->p->ns_per_tick);
}

static bool is_main(const struct replay_track *t)
{
    return t->of->kind == TRACK_THREAD;
}

/* The main thread was runnable from one record to the next. */
static void add_runnable(struct system_log_sink *s, uint64_t from_ns, uint64_t to_ns)
{
    struct system_log *log = &s->log;

    if (s->window != NULL) {
        from_ns = window_clip(s->window, from_ns);
        to_ns = window_clip(s->window, to_ns);
    }
    if (from_ns == to_ns)
        return;
    if (!s->waits && log->n_runnable == RUNNABLE_MAX) {
        log->runnable_full = true;
        return;
    }
    if (!s->waits)
        log->runnable[log->n_runnable++].from_ns = from_ns;
    struct system_range *r = &log->runnable[log->n_runnable - 1];
    r->to_ns = to_ns;
    s->waits = true;
    if (to_ns - r->from_ns > log->longest_runnable_ns)
        log->longest_runnable_ns = to_ns - r->from_ns;
}

/* The time up to this record was all in one state, since each change of the state is a record. */
static bool stay(void *context, struct replay_track *t)
{
    struct system_log_sink *s = context;

    if (!is_main(t) || t->resumes || s->runnable == s->p->n_times || t->now[0] == t->last[0])
        return true;
    if (t->now[s->runnable] > t->last[s->runnable])
        add_runnable(s, ns_of(s, t->last[0]), ns_of(s, t->now[0]));
    else
        s->waits = false;
    return true;
}

/* Calls within one of their own kind are marked, and not counted. */
static bool enter(void *context, struct replay_track *t)
{
    struct system_log_sink *s = context;
    struct replay_call *call = &t->open[t->n_open - 1], *outer = call - 1;
    uint8_t kind = s->kind[call->frame];

    call->kept = kind == SECTION_LOCK || outer->kept; /* a lock is open */
    call->marked = kind == SECTION_FRAME || outer->marked;
    return stay(context, t);
}

static void found_frame(struct system_log_sink *s, const struct system_range *r)
{
    struct system_log *log = &s->log;

    log->frames++;
    log->late += r->to_ns - r->from_ns > SCREEN_SLOW_NS;
    if (log->longest_frame.to_ns == 0 ||
        r->to_ns - r->from_ns > log->longest_frame.to_ns - log->longest_frame.from_ns)
        log->longest_frame = *r;
    /* Of the first one behind what a start begins with the start has its end. */
    if (s->activity.from_ns < UINT64_MAX && s->activity.to_ns == 0)
        s->activity.to_ns = r->to_ns;
    if (log->start.from_ns < UINT64_MAX && log->start.to_ns == 0 && r->from_ns >= log->start.from_ns)
        log->start.to_ns = r->to_ns;
}

static void found_section(struct system_log_sink *s, enum section_kind kind, frame_id frame,
                          const struct system_range *r)
{
    struct system_log *log = &s->log;

    if (kind == SECTION_BIND && log->start.from_ns == UINT64_MAX)
        log->start.from_ns = r->from_ns;
    if (kind == SECTION_ACTIVITY && s->activity.from_ns == UINT64_MAX)
        s->activity.from_ns = r->from_ns;
    if (kind == SECTION_DRAWN && log->drawn_ns == 0)
        log->drawn_ns = r->to_ns;
    if (kind == SECTION_LOCK && r->to_ns - r->from_ns > log->longest_lock_ns) {
        log->longest_lock_ns = r->to_ns - r->from_ns;
        log->longest_lock = frame;
    }
}

static bool leave(void *context, struct replay_track *t, const struct replay_left *left)
{
    struct system_log_sink *s = context;
    const struct replay_call *call = left->call, *outer = call - 1;
    enum section_kind kind = (enum section_kind)s->kind[call->frame];
    struct system_range r = {ns_of(s, call->begin[0]), ns_of(s, t->now[0])};
    const struct window *w = s->window;
    bool whole = (left->flags & (SPAN_BEFORE | SPAN_OPEN)) == 0 &&
                 (w == NULL || (r.from_ns >= w->from_ns && r.to_ns <= w->to_ns));

    if (!is_main(t)) {
        if (kind == SECTION_LAUNCH && s->log.launch.to_ns == 0 && whole)
            s->log.launch = r;
        return true;
    }
    if (kind == SECTION_FRAME && !outer->marked && whole)
        found_frame(s, &r);
    else if (!(kind == SECTION_LOCK && outer->kept) && whole)
        found_section(s, kind, call->frame, &r);
    return stay(context, t);
}

/* n_times: none has the role. */
static uint32_t clock_of(const struct profile *p, enum profile_role role)
{
    uint32_t clock = profile_value_by_role(p, role);

    return clock < p->n_times ? clock : p->n_times;
}

uint32_t system_main(const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (p->tracks[i].kind == TRACK_THREAD && str_eq(profile_string(p, p->tracks[i].name), STR("main")))
            return i;
    return p->n_tracks;
}

/* The system's own sections of a start, of the package that the process is called by. */
static bool is_launch_of(const struct profile *p, const struct profile_track *t, string_id process)
{
    const struct str prefix = STR("async launching: ");
    struct str name = profile_string(p, t->name);

    return t->kind == TRACK_ASYNC && str_starts(name, prefix) &&
           str_starts(profile_string(p, process), str_from(name, prefix.n));
}

struct system_log_sink *system_log_new(struct arena *arena, const struct profile *p,
                                       const struct window *window)
{
    struct system_log_sink *s = arena_alloc(arena, sizeof(*s));
    uint32_t main = system_main(p);

    if (s == NULL)
        return NULL;
    *s = (struct system_log_sink){.p = p, .window = window, .activity = {UINT64_MAX, 0}};
    s->log = (struct system_log){.start = {UINT64_MAX, 0}, .longest_lock = FRAME_NONE};
    s->runnable = clock_of(p, ROLE_RUNNABLE);
    s->log.runnable = arena_array(arena, RUNNABLE_MAX, sizeof(*s->log.runnable));
    s->kind = arena_array(arena, p->n_frames, sizeof(*s->kind));
    s->tracks = arena_array(arena, p->n_tracks, sizeof(*s->tracks));
    if (s->kind == NULL || s->tracks == NULL || s->log.runnable == NULL)
        return NULL;
    for (frame_id f = 0; f < p->n_frames; f++)
        s->kind[f] = (uint8_t)section_kind_of(profile_string(p, p->frames[f].name));
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (i == main || (main < p->n_tracks && is_launch_of(p, &p->tracks[i], p->tracks[main].group)))
            s->tracks[s->n_tracks++] = i;
    return s;
}

struct replay_sink system_log_replay(struct system_log_sink *s)
{
    return (struct replay_sink){.enter = enter, .leave = leave, .stay = stay, .context = s};
}

uint64_t system_shown_late_ns(const struct profile_screen_frame *x)
{
    return x->causes != 0 && x->due_ns > 0 && x->end_ns > x->due_ns ? x->end_ns - x->due_ns : 0;
}

const struct profile_screen_frame *system_worst_shown(const struct profile *p)
{
    const struct profile_screen_frame *worst = NULL;

    for (uint32_t i = 0; i < p->n_screen_frames; i++) {
        uint64_t late_ns = system_shown_late_ns(&p->screen_frames[i]);
        if (late_ns > (worst == NULL ? 0 : system_shown_late_ns(worst)))
            worst = &p->screen_frames[i];
    }
    return worst;
}

struct system_range system_worst_frame(const struct profile *p, const struct system_log *log)
{
    const struct profile_screen_frame *worst = system_worst_shown(p);

    if (worst != NULL)
        return (struct system_range){worst->begin_ns, worst->end_ns};
    return log->late > 0 ? log->longest_frame : (struct system_range){0};
}

const struct system_log *system_log_finish(struct system_log_sink *s)
{
    struct system_log *log = &s->log;

    log->begins = SECTION_BIND;
    if (log->start.to_ns == 0 && log->launch.to_ns > 0) {
        log->start = log->launch;
        log->begins = SECTION_LAUNCH;
    } else if (log->start.to_ns == 0 && s->activity.to_ns > 0) {
        log->start = s->activity;
        log->begins = SECTION_ACTIVITY;
    }
    if (log->start.to_ns == 0)
        log->start.from_ns = 0;
    if (log->drawn_ns <= log->start.from_ns)
        log->drawn_ns = 0;
    return log;
}

/* ---- who ran meanwhile ---- */

bool system_is_starved(uint64_t runnable_ns, uint64_t running_ns)
{
    return runnable_ns > number_add(runnable_ns, running_ns) / STARVED_PART;
}

/* For how much of [from, to) the main thread was runnable. */
static uint64_t overlap(const struct system_log *log, uint64_t from_ns, uint64_t to_ns)
{
    uint32_t low = 0, high = log->n_runnable;
    uint64_t sum = 0;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (log->runnable[middle].to_ns <= from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < log->n_runnable && log->runnable[low].from_ns < to_ns; low++) {
        const struct system_range *r = &log->runnable[low];
        sum += (r->to_ns < to_ns ? r->to_ns : to_ns) - (r->from_ns > from_ns ? r->from_ns : from_ns);
    }
    return sum;
}

static bool rival_stayed(void *context, struct replay_track *t)
{
    struct system_rivals *r = context;
    uint64_t *ran = &r->ran_ns[t->of - r->p->tracks], tick = r->p->ns_per_tick;

    if (!t->resumes && t->now[r->running] > t->last[r->running])
        *ran = number_add(
            *ran, overlap(r->log, number_multiply(t->last[0], tick), number_multiply(t->now[0], tick)));
    return true;
}

static bool rival_left(void *context, struct replay_track *t, const struct replay_left *left)
{
    (void)left;
    return rival_stayed(context, t);
}

struct system_rivals *system_rivals_new(struct arena *arena, const struct profile *p,
                                        const struct system_log *log)
{
    struct system_rivals *r = arena_alloc(arena, sizeof(*r));
    uint32_t main = system_main(p), runnable = clock_of(p, ROLE_RUNNABLE);

    if (r == NULL)
        return NULL;
    *r = (struct system_rivals){.log = log, .p = p, .running = clock_of(p, ROLE_CPU)};
    r->tracks = arena_array(arena, p->n_tracks, sizeof(*r->tracks));
    r->ran_ns = arena_array(arena, p->n_tracks, sizeof(*r->ran_ns));
    if (r->tracks == NULL || r->ran_ns == NULL)
        return NULL;
    if (main == p->n_tracks || runnable == p->n_times || r->running == p->n_times || log->runnable_full ||
        !system_is_starved(profile_total(p, p->tracks[main].first, runnable),
                           profile_total(p, p->tracks[main].first, r->running)))
        return r;
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (i != main && p->tracks[i].kind == TRACK_THREAD)
            r->tracks[r->n_tracks++] = i;
    return r;
}

struct replay_sink system_rivals_replay(struct system_rivals *r)
{
    return (struct replay_sink){
        .enter = rival_stayed, .leave = rival_left, .stay = rival_stayed, .context = r};
}
