#include "render/verdict/system_rules.h"

#include "core/number.h"
#include "profile/frame/sections.h"
#include "render/names/names.h"
#include "render/verdict/say.h"
#include "render/verdict/system_sums.h"
#include "render/verdict/wake_chain.h"

enum {
    PART_LEAST = 100,      /* smaller parts than a hundredth are said together */
    WHERE_LEAST = 10,      /* of waits shorter than a tenth it is not said where they were */
    LOCKS_LEAST = 5000000, /* ns */
    LONGEST_LEAST = 5000000
};

static const char *const PART_WORDS[PARTS] = {
    [PART_RUNNING] = "running",
    [PART_RUNNABLE] = "waiting for a CPU",
    [PART_IO] = "waiting for input or output",
    [PART_LOCK] = "waiting for a lock",
    [PART_BINDER] = "waiting for other processes to answer",
    [PART_GC] = "waiting for the garbage collector",
    [PART_SLEEPING] = "asleep",
    [PART_BLOCKED] = "blocked in the kernel",
    [PART_UNKNOWN] = "in an unknown state",
};

static void say_ns(struct finding *f, uint64_t ns)
{
    buf_value(f->text, UNIT_NS, ns, SAY_DIGITS);
}

static struct str name_of(const struct analysis *a, frame_id frame)
{
    return profile_string(a->p, a->p->frames[frame].name);
}

/* ", 40 ms of it" */
static void say_most(struct finding *f, uint64_t part, uint64_t whole)
{
    say(f, ", ");
    if (part < whole)
        say_ns(f, part);
    say(f, part < whole ? " of it " : "all of it ");
}

/* Of a lock with an owner: "that OWNER held in METHOD", else "in SECTION". The sentence shows the section either way. */
static void say_lock(struct finding *f, const struct analysis *a, frame_id frame, const char *lock)
{
    struct str owner = section_owner(name_of(a, frame)), method = section_owner_method(name_of(a, frame));

    if (owner.n == 0) {
        say(f, "in ");
        say_method(f, a, frame);
        return;
    }
    say(f, "for ");
    say(f, lock);
    say(f, " that ");
    buf_str(f->text, owner);
    say(f, method.n > 0 ? " held in " : " held");
    buf_str(f->text, method);
    if (f->sentence->n_methods < VERDICT_METHODS_MAX)
        f->sentence->methods[f->sentence->n_methods++] = frame;
}

/* Where the largest share of the part was. */
static void say_where(struct finding *f, const struct analysis *a, enum system_part part,
                      const struct system_part_sum *s)
{
    if (part == PART_RUNNABLE || part == PART_UNKNOWN)
        return;
    say_most(f, s->frame_ns, s->ns);
    if (s->frame == FRAME_NONE)
        say(f, "in no section");
    else if (part == PART_LOCK)
        say_lock(f, a, s->frame, "one");
    else {
        say(f, "in ");
        say_method(f, a, s->frame);
    }
    if (s->within != FRAME_NONE) {
        if (s->within_ns < s->ns)
            say_most(f, s->within_ns, s->ns);
        say(f, s->within_ns < s->ns ? "within " : ", within ");
        say_method(f, a, s->within);
    }
}

/* Sections of frames are not said, since all that a frame does is in them. */
static uint32_t first_of_path(const struct analysis *a, const struct system_sums *s)
{
    uint32_t first = 0;

    while (first < s->n_path && section_kind_of(name_of(a, s->path[first].frame)) == SECTION_FRAME)
        first++;
    return first;
}

/* "A, there 30 ms in B": the path on which most of the time on a CPU was, its first section and its last. There is one. */
static void say_way(struct finding *f, const struct analysis *a, const struct system_sums *s, uint32_t first)
{
    say_method(f, a, s->path[first].frame);
    if (first + 1 < s->n_path) {
        say(f, ", there ");
        say_ns(f, s->path[s->n_path - 1].ns);
        say(f, " in ");
        say_method(f, a, s->path[s->n_path - 1].frame);
    }
}

/* ", 40 ms of it in A, there 30 ms in B"; nothing where there is no path. */
static void say_path(struct finding *f, const struct analysis *a, const struct system_sums *s, uint64_t whole)
{
    uint32_t first = first_of_path(a, s);

    if (first == s->n_path)
        return;
    say_most(f, s->path[first].ns, whole);
    say(f, "in ");
    say_way(f, a, s, first);
}

/* The parts from the largest down, at most PARTS. Returns how many have something. */
static unsigned in_order(const struct system_sums *s, unsigned order[PARTS])
{
    unsigned n = 0;

    for (unsigned part = 0; part < PARTS; part++) {
        unsigned at = n;
        if (s->part[part].ns == 0)
            continue;
        for (; at > 0 && s->part[order[at - 1]].ns < s->part[part].ns; at--)
            order[at] = order[at - 1];
        order[at] = part;
        n++;
    }
    return n;
}

/* "98 ms running (44 % of the start), ...; 12 ms asleep (5 %), ...": all parts, which add up. */
static void say_parts(struct finding *f, const struct analysis *a, const struct system_sums *s,
                      const char *of)
{
    unsigned order[PARTS], n = in_order(s, order);
    uint64_t rest = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct system_part_sum *part = &s->part[order[i]];
        if (i > 0 && part->ns < s->wall_ns / PART_LEAST) {
            rest = number_add(rest, part->ns);
            continue;
        }
        say(f, i == 0 ? "" : "; ");
        say_ns(f, part->ns);
        say(f, " ");
        say(f, PART_WORDS[order[i]]);
        say(f, " (");
        say_percent(f, part->ns, s->wall_ns);
        say(f, i == 0 ? of : "");
        say(f, ")");
        if (order[i] == PART_RUNNING)
            say_path(f, a, s, part->ns);
        else if (i == 0 || part->ns >= s->wall_ns / WHERE_LEAST)
            say_where(f, a, (enum system_part)order[i], part);
    }
    if (rest > 0) {
        say(f, "; ");
        say_ns(f, rest);
        say(f, " in other states");
    }
}

/* ---- the start ---- */

bool system_has_start(const struct analysis *a)
{
    return a->has_main && a->system != NULL && a->system->log != NULL && a->system->start.wall_ns > 0;
}

bool system_find_start(const struct rule *r, const struct analysis *a, struct finding *f)
{
    (void)r;
    if (!system_has_start(a))
        return false;
    const struct system_log *log = a->system->log;
    const struct system_sums *s = &a->system->start;
    say_range(f, log->begins == SECTION_ACTIVITY ? "The start of an activity" : "The start",
              log->start.from_ns, log->start.to_ns);
    say(f, " took ");
    say_ns(f, log->start.to_ns - log->start.from_ns);
    say(f, log->begins == SECTION_BIND       ? ", from bindApplication to the end of the first frame"
           : log->begins == SECTION_ACTIVITY ? ", from activityStart to the end of the next frame"
                                             : ", as the system counts it (launching)");
    if (s->wall_ns < log->start.to_ns - log->start.from_ns) {
        say(f, ", of which ");
        say_thread(f, a, a->main);
        say(f, " was there for ");
        say_ns(f, s->wall_ns);
    }
    if (s->has_states) {
        say(f, "; ");
        say_thread(f, a, a->main);
        say(f, " spent ");
        say_parts(f, a, s, s->wall_ns < log->start.to_ns - log->start.from_ns ? " of that" : " of the start");
    } else {
        say_path(f, a, s, s->wall_ns);
    }
    say(f, s->has_states ? "." : ". CPU time was not recorded.");
    f->sentence->track = a->main;
    f->sentence->weight = WEIGHT_FIRST;
    return true;
}

/* The two other moments at which a start is over, as others count it. */
bool system_find_start_times(const struct rule *r, const struct analysis *a, struct finding *f)
{
    (void)r;
    if (!system_has_start(a))
        return false;
    const struct system_log *log = a->system->log;
    bool counted = log->begins != SECTION_LAUNCH && log->launch.to_ns > 0;
    if (counted) {
        say(f, "By the system's own count (launching) the start took ");
        say_ns(f, log->launch.to_ns - log->launch.from_ns);
        say(f, log->drawn_ns > 0 ? "; the app" : ".");
    } else if (log->drawn_ns > 0) {
        say(f, "The app");
    }
    if (log->drawn_ns > 0) {
        say(f, " was fully drawn ");
        say_ns(f, log->drawn_ns - log->start.from_ns);
        say(f, " after the start began.");
    }
    f->sentence->track = a->main;
    f->sentence->weight = WEIGHT_SECOND;
    return counted || log->drawn_ns > 0;
}

/* ---- all of the recording ---- */

/* Over half of the time, and it is known for what: a lock and who held it, another process. */
static bool is_one_wait(const struct system_sums *s)
{
    static const enum system_part KNOWN[] = {PART_IO, PART_LOCK, PART_BINDER, PART_GC};

    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++)
        if (s->part[KNOWN[i]].ns > s->wall_ns / 2)
            return true;
    return false;
}

bool system_find_states(const struct rule *r, const struct analysis *a, struct finding *f)
{
    (void)r;
    if (!a->states || a->system == NULL || a->system->all.wall_ns == 0 || is_idle(a))
        return false;
    uint64_t whole = a->system->all.wall_ns;
    if (system_has_start(a) && a->system->start.wall_ns >= whole - whole / PART_LEAST)
        return false; /* the range is that of the start, whose sentence has said it all */
    say_thread(f, a, a->main);
    say(f, " was recorded for ");
    say_ns(f, a->system->all.wall_ns);
    say(f, ": ");
    say_parts(f, a, &a->system->all, " of that");
    say(f, ".");
    f->sentence->track = a->main;
    f->sentence->weight = !system_has_start(a) && is_one_wait(&a->system->all) ? WEIGHT_WAIT : WEIGHT_SECOND;
    return true;
}

/* Whether enough frames were late for people to see it, in a recording that is not of a start. */
static bool is_janky(const struct analysis *a, uint64_t late, uint64_t frames)
{
    enum { FRAMES_LEAST = 10, LATE_OF_LEAST = 50 };

    return !system_has_start(a) && frames >= FRAMES_LEAST && late >= frames / LATE_OF_LEAST + 1;
}

bool system_find_frames(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { LONG_NS = 100000000, USUAL = 800 };
    const struct system_log *log = a->system != NULL ? a->system->log : NULL;
    uint64_t longest = log != NULL ? log->longest_frame.to_ns - log->longest_frame.from_ns : 0;

    (void)r;
    if (log == NULL || log->late == 0 || system_worst_shown(a->p) != NULL)
        return false; /* what was seen on the screen says more than how long the main thread worked */
    buf_u64_grouped(f->text, log->late);
    say(f, " of ");
    buf_u64_grouped(f->text, log->frames);
    say(f, log->frames == 1 ? " frame on " : " frames on ");
    say_thread(f, a, a->main);
    say(f, " took over 16.7 ms, the time of one at 60 Hz; ");
    say_range(f, "the longest", log->longest_frame.from_ns, log->longest_frame.to_ns);
    say(f, " took ");
    say_ns(f, longest);
    if (a->system->frame.has_states && a->system->frame.wall_ns > 0) {
        say(f, ": ");
        say_parts(f, a, &a->system->frame, " of the frame");
    } else {
        say_path(f, a, &a->system->frame, longest);
    }
    say(f, ".");
    f->sentence->track = a->main;
    f->sentence->weight = is_janky(a, log->late, log->frames) ? WEIGHT_JANK
                          : longest > LONG_NS                 ? WEIGHT_MOST
                                                              : USUAL;
    return true;
}

enum { DEADLINE_OF_APP = 0x40 /* as Perfetto's frame_timeline_event.proto numbers it */ };

/* What the main thread did in the worst frame that was shown, if the app has to answer for it. */
static void say_worst(struct finding *f, const struct analysis *a, const struct profile_screen_frame *worst)
{
    const struct system_sums *s = a->system != NULL ? &a->system->frame : NULL;

    if (s == NULL || s->wall_ns == 0 || (worst->causes & DEADLINE_OF_APP) == 0)
        return;
    uint32_t first = first_of_path(a, s);
    if (!s->has_states && first == s->n_path)
        return;
    say(f, ": ");
    say_thread(f, a, a->main);
    if (!s->has_states) {
        say(f, " spent ");
        say_ns(f, s->path[first].ns);
        say(f, " in ");
        say_way(f, a, s, first);
        return;
    }
    if (s->part[PART_SLEEPING].ns > s->wall_ns / 2) {
        say(f, " was asleep for most of it");
        return;
    }
    say(f, " spent ");
    say_parts(f, a, s, " of its time in the frame");
}

bool system_find_shown(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { LEAST_WEIGHT = 300 };
    const struct profile *p = a->p;
    const struct profile_screen_frame *worst = system_worst_shown(p);
    uint64_t late = 0, by_app = 0;

    (void)r;
    for (uint32_t i = 0; i < p->n_screen_frames; i++) {
        const struct profile_screen_frame *x = &p->screen_frames[i];
        late += (x->causes & ~(uint32_t)SCREEN_SLOW) != 0;
        by_app += (x->causes & DEADLINE_OF_APP) != 0;
    }
    if (late == 0)
        return false;
    buf_u64_grouped(f->text, late);
    say(f, " of ");
    buf_u64_grouped(f->text, p->n_screen_frames);
    say(f, p->n_screen_frames == 1 ? " frame that the app showed was late"
                                   : " frames that the app showed were late");
    say(f, ", ");
    if (by_app == 0)
        say(f, "none ");
    else if (by_app < late)
        buf_u64_grouped(f->text, by_app);
    say(f, by_app > 0 && by_app < late ? " of them because the app missed its deadline"
                                       : "because the app missed its deadline");
    if (worst != NULL) {
        say(f, "; ");
        say_range(f, "the worst", worst->begin_ns, worst->end_ns);
        say(f, " came ");
        say_ns(f, system_shown_late_ns(worst));
        say(f, " too late");
        say_worst(f, a, worst);
    }
    say(f, ".");
    f->sentence->weight = is_janky(a, late, p->n_screen_frames)
                              ? WEIGHT_SHOWN
                              : LEAST_WEIGHT + permille(late, p->n_screen_frames) / 2;
    return true;
}

/* The track with most behind those that are named; UINT32_MAX: no other one has any. */
static uint32_t next_rival(const struct analysis *a, const uint32_t *named, uint32_t n)
{
    const uint64_t *ran = a->system->ran_ns;
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < a->p->n_tracks; i++) {
        bool told = false;
        for (uint32_t k = 0; k < n; k++)
            told = told || named[k] == i;
        if (!told && ran[i] > 0 && (best == UINT32_MAX || ran[i] > ran[best]))
            best = i;
    }
    return best;
}

/* " Meanwhile Worker ran for 12 ms, Pool for 9 ms." */
static void say_rivals(struct finding *f, const struct analysis *a)
{
    enum { NAMED = 3 };
    uint32_t named[NAMED], n = 0;

    for (; a->system->ran_ns != NULL && n < NAMED; n++) {
        named[n] = next_rival(a, named, n);
        if (named[n] == UINT32_MAX)
            break;
        say(f, n == 0 ? " Meanwhile " : ", ");
        say_thread_of(f, a, named[n]);
        say(f, n == 0 ? " ran for " : " for ");
        say_ns(f, a->system->ran_ns[named[n]]);
    }
    say(f, n > 0 ? "." : "");
}

bool system_find_starved(const struct rule *r, const struct analysis *a, struct finding *f)
{
    (void)r;
    if (!a->states || a->system == NULL)
        return false;
    const struct system_sums *s = &a->system->all;
    uint64_t waited = s->part[PART_RUNNABLE].ns, whole = number_add(waited, s->part[PART_RUNNING].ns);
    if (!system_is_starved(waited, s->part[PART_RUNNING].ns))
        return false;
    say_thread(f, a, a->main);
    say(f, " waited for a CPU for ");
    say_ns(f, waited);
    say(f, ", ");
    say_percent(f, waited, whole);
    say(f, " of the ");
    say_ns(f, whole);
    say(f, " in which it ran or could have run");
    if (a->system->log != NULL && a->system->log->longest_runnable_ns > 0) {
        say(f, "; the longest time was ");
        say_ns(f, a->system->log->longest_runnable_ns);
    }
    say(f, ".");
    say_rivals(f, a);
    f->sentence->track = a->main;
    f->sentence->weight = permille(waited, whole);
    return true;
}

/* ---- who ended the longest wait ---- */

/* "asleep for 43 ms" */
static void say_wait(struct finding *f, const struct wake_wait *wait)
{
    static const enum system_part PARTS_OF[WAKE_STATES] = {[WAKE_RUNNING] = PART_RUNNING,
                                                           [WAKE_RUNNABLE] = PART_RUNNABLE,
                                                           [WAKE_SLEEPING] = PART_SLEEPING,
                                                           [WAKE_BLOCKED] = PART_BLOCKED,
                                                           [WAKE_IO] = PART_IO};

    say(f, PART_WORDS[PARTS_OF[wait->state]]);
    say(f, " for ");
    say_ns(f, wait->to_ns - wait->from_ns);
}

static void say_in(struct finding *f, const struct analysis *a, frame_id frame)
{
    if (frame == FRAME_NONE)
        return;
    say(f, ", in ");
    say_method(f, a, frame);
}

/* ", having run for 1.2 ms and waited for a CPU for 3 ms; before that it was asleep for 38 ms" */
static void say_step(struct finding *f, const struct analysis *a, const struct wake_step *step)
{
    say_in(f, a, step->frame);
    if (step->ran_ns > 0 || step->runnable_ns > 0)
        say(f, ", having ");
    if (step->ran_ns > 0) {
        say(f, "run for ");
        say_ns(f, step->ran_ns);
    }
    if (step->runnable_ns > 0) {
        say(f, step->ran_ns > 0 ? " and waited for a CPU for " : "waited for a CPU for ");
        say_ns(f, step->runnable_ns);
    }
    if (step->wait.to_ns > 0) {
        say(f, "; before that it was ");
        say_wait(f, &step->wait);
        say_in(f, a, step->wait.frame);
    }
}

static void say_wakers(struct finding *f, const struct analysis *a, const struct wake_chain *c)
{
    for (uint32_t i = 0; i < c->n_steps; i++) {
        const struct wake_step *step = &c->steps[i];
        if (step->by == WAKE_BY_UNKNOWN)
            break;
        say(f, i == 0 ? ". " : ", until ");
        if (step->by == WAKE_BY_THREAD)
            say_thread_of(f, a, step->track);
        else
            say(f, i == 0 ? "An interrupt" : "an interrupt");
        say(f, i == 0 ? " ended it" : " woke it");
        if (step->by == WAKE_BY_THREAD)
            say_step(f, a, step);
    }
}

bool system_find_wait(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { BESIDE = 150 };
    const struct wake_chain *c = a->system != NULL ? a->system->wakes : NULL;

    (void)r;
    if (c == NULL || c->wait.to_ns - c->wait.from_ns < LONGEST_LEAST)
        return false;
    say_range(f, "The longest wait", c->wait.from_ns, c->wait.to_ns);
    say(f, " of ");
    say_thread(f, a, a->main);
    say(f, " in a section: it was ");
    say_wait(f, &c->wait);
    say_in(f, a, c->wait.frame);
    say_wakers(f, a, c);
    say(f, ".");
    f->sentence->track = a->main;
    f->sentence->weight = permille(c->wait.to_ns - c->wait.from_ns, main_of(a)->total) + BESIDE;
    if (f->sentence->weight > WEIGHT_MOST)
        f->sentence->weight = WEIGHT_MOST;
    return true;
}

/* ---- locks ---- */

static frame_id largest(const struct analysis *a, const uint64_t *by_frame, uint64_t below, frame_id behind)
{
    frame_id best = FRAME_NONE;

    for (frame_id i = 0; i < a->p->n_frames; i++) {
        bool later = by_frame[i] < below || (by_frame[i] == below && behind != FRAME_NONE && i > behind);
        if (by_frame[i] > 0 && later && (best == FRAME_NONE || by_frame[i] > by_frame[best]))
            best = i;
    }
    return best;
}

static void say_locks(struct finding *f, const struct analysis *a, const struct system_locks *locks)
{
    enum { NAMED = 3 };
    uint64_t below = UINT64_MAX;
    frame_id best = FRAME_NONE;

    if (locks->calls > 0) { /* calls count in the range in which they began */
        say(f, ", in ");
        say_calls(f, locks->calls);
    }
    for (unsigned i = 0; i < NAMED; i++) {
        best = largest(a, locks->by_frame, below, best);
        if (best == FRAME_NONE)
            break;
        below = locks->by_frame[best];
        say(f, i == 0 ? ": " : ", ");
        if (below < locks->ns)
            say_ns(f, below);
        say(f, below < locks->ns ? " " : "all of it ");
        say_lock(f, a, best, "a lock");
    }
}

bool system_find_locks(const struct rule *r, const struct analysis *a, struct finding *f)
{
    (void)r;
    if (a->system == NULL)
        return false;
    const struct system_locks *main = &a->system->main, *beside = &a->system->beside;
    const struct system_log *log = a->system->log;
    if (main->ns < LOCKS_LEAST && beside->ns < LOCKS_LEAST)
        return false;
    if (main->ns > 0) {
        say_thread(f, a, a->main);
        say(f, " waited for locks for ");
        say_part_of_main(f, a, main->ns, true);
        say_locks(f, a, main);
        if (log != NULL && log->longest_lock_ns > 0 && main->calls > 1) {
            say(f, "; the longest took ");
            say_ns(f, log->longest_lock_ns);
            say(f, ", ");
            say_lock(f, a, log->longest_lock, "a lock");
        }
        say(f, ".");
    }
    if (beside->ns > 0) {
        say(f, main->ns > 0 ? " Other threads of its process waited for locks for "
                            : "Threads of its process besides the main one waited for locks for ");
        say_ns(f, beside->ns);
        say_locks(f, a, beside);
        say(f, ".");
    }
    f->sentence->track = a->main;
    f->sentence->weight = permille(main->ns, main_of(a)->total) + 200;
    if (f->sentence->weight > WEIGHT_MOST)
        f->sentence->weight = WEIGHT_MOST;
    return true;
}
