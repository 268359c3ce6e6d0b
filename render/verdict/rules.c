#include "render/verdict/rules.h"

#include "core/buf.h"
#include "core/number.h"
#include "core/order.h"
#include "profile/calls/span.h"
#include "profile/frame/own_code.h"
#include "profile/mapping/mapping.h"
#include "profile/warning.h"
#include "render/verdict/analysis.h"
#include "render/verdict/growth.h"
#include "render/verdict/headline.h"
#include "render/verdict/long_calls.h"
#include "render/verdict/say.h"
#include "render/verdict/system_rules.h"

/* ---- the whole ---- */

enum { TOP = 3, MICROSECOND = 1000, MILLISECOND = 1000000 };

static bool find_nothing(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct profile_warning *empty = warning_of(a->p, WARN_WINDOW_EMPTY);

    (void)r;
    if (empty == NULL)
        return false;
    buf_str(f->text, empty->text);
    f->sentence->weight = WEIGHT_FIRST;
    return true;
}

static bool find_idle(const struct rule *r, const struct analysis *a, struct finding *f)
{
    (void)r;
    if (!is_idle(a))
        return false;
    say(f, "Almost nothing happened: of ");
    say_value(f, a, main_of(a)->total);
    say(f, ", ");
    say_thread(f, a, a->main);
    say(f, a->has_cpu ? " used a CPU for " : a->sections ? " was in sections for " : " was in methods for ");
    say_value(f, a, active_of(main_of(a)));
    say(f, ", all threads together for ");
    say_value(f, a, active_of(&a->all));
    say(f, ". Record while the app does what is slow.");
    f->sentence->track = a->main;
    f->sentence->weight = WEIGHT_FIRST;
    return true;
}

/* How long the recording was, by its own facts, in ns; 0: they do not say it. */
static uint64_t recording_ns(const struct profile *p)
{
    uint64_t n;

    if (str_to_u64(profile_fact(p, STR("elapsed_ns")), 10, &n))
        return n;
    return str_to_u64(profile_fact(p, STR("elapsed_us")), 10, &n) ? number_multiply(n, MICROSECOND) : 0;
}

/* "main used 18.8 s of CPU time" */
static void say_cpu_alone(struct finding *f, const struct analysis *a)
{
    uint64_t length = recording_ns(a->p), total = main_of(a)->total;

    if (a->p->tracks[a->main].kind == TRACK_WHOLE)
        say(f, "The program");
    else
        say_thread(f, a, a->main);
    say(f, " used ");
    say_value(f, a, total);
    say(f, " of CPU time");
    if (length >= total && length > 0) {
        say(f, ", ");
        say_percent(f, total, length);
        say(f, " of the recording's ");
        buf_value(f->text, UNIT_NS, length, SAY_DIGITS);
    }
    say(f, "; the file does not say what it did the rest of the time.");
}

static void say_state(struct finding *f, const struct analysis *a, uint64_t part, const char *words,
                      bool *begun)
{
    if (part == 0)
        return;
    say(f, *begun ? ", " : ": ");
    *begun = true;
    say_value(f, a, part);
    say(f, words);
    say_percent(f, part, main_of(a)->total);
    say(f, ")");
}

/* The parts of the main thread's time, which add up to all that was recorded of it. */
static bool find_busy(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct thread_cost *t = main_of(a);
    uint64_t messages = a->waits[WAIT_MESSAGES].time;
    bool begun = false;

    (void)r;
    if (t->total == 0 || is_idle(a) || a->states)
        return false;
    f->sentence->track = a->main;
    f->sentence->weight = WEIGHT_SECOND;
    if (is_cpu_alone(a)) {
        say_cpu_alone(f, a);
        return true;
    }
    say(f, "Of ");
    say_thread(f, a, a->main);
    say(f, "'s ");
    say_value(f, a, t->total);
    say_state(f, a, t->state[TIME_RUNNING], " on a CPU (", &begun);
    say_state(f, a, t->state[TIME_IN_METHODS], a->sections ? " in sections (" : " in methods (", &begun);
    say_state(f, a, t->state[TIME_WAITING], " waiting (", &begun);
    if (messages > 0) {
        say(f, messages < t->state[TIME_WAITING] ? ", of which " : ", all of it");
        if (messages < t->state[TIME_WAITING])
            say_value(f, a, messages);
        say(f, " for messages");
    }
    say_state(f, a, t->state[TIME_UNKNOWN], a->sections ? " in no section (" : " in no method (", &begun);
    say(f, ".");
    if (!a->has_cpu)
        say(f, " CPU time was not recorded.");
    return true;
}

/* Programs of servers and browsers are recorded, too. */
static bool has_android(const struct analysis *a)
{
    for (frame_id i = 0; i < a->p->n_frames; i++) {
        uint8_t origin = names_of(a->names, i)->origin;
        if (origin == ORIGIN_ANDROID || origin == ORIGIN_ANDROIDX)
            return true;
    }
    return false;
}

static bool find_split(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct own_code *own = names_own(a->names);
    const struct thread_cost *t = a->timed ? main_of(a) : &a->all;
    uint64_t whole = active_of(t);
    const char *others = a->timed && has_android(a) ? ", Android alone " : ", all else ";

    (void)r;
    if (a->sections || whole == 0 || (own->n == 0 && t->share[SHARE_LIBRARIES] == 0))
        return false;
    say(f, "Of ");
    if (a->timed && a->p->tracks[a->main].kind != TRACK_WHOLE) {
        say_thread(f, a, a->main);
        say(f, "'s ");
    }
    say_value(f, a, whole);
    say(f, !a->timed ? "" : a->has_cpu ? " on a CPU" : " in methods");
    if (own->n > 0) {
        say(f, ", your code (");
        own_code_put(own, f->text);
        say(f, ") caused ");
        say_percent(f, t->share[SHARE_OWN], whole);
        say(f, ", libraries alone ");
        say_percent(f, t->share[SHARE_LIBRARIES], whole);
        say(f, others);
    } else {
        say(f, ", libraries caused ");
        say_percent(f, t->share[SHARE_LIBRARIES], whole);
        say(f, others);
    }
    say_percent(f, t->share[SHARE_PLATFORM], whole);
    say(f, own->n > 0 ? "." : ". No package is known to be your own.");
    if (a->timed)
        f->sentence->track = a->main;
    f->sentence->table = "group=origin";
    f->sentence->weight = WEIGHT_THIRD;
    return true;
}

/* Whether R8 or ProGuard has renamed the class: they give names of one or two letters. */
static bool is_renamed(struct str scope)
{
    enum { LETTERS_MAX = 2 };
    size_t from = scope.n;

    while (from > 0 && scope.p[from - 1] != '.')
        from--;
    return scope.n > from && scope.n - from <= LETTERS_MAX;
}

/* Of a release build: nobody can read the names, and there is a file that tells them. */
static bool find_renamed(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { PERMILLE_LEAST = 333 };
    uint64_t methods = 0, renamed = 0;

    for (frame_id i = 0; i < a->p->n_frames; i++) {
        struct str scope = names_parts(a->names, i).scope;
        if (!mapping_share_is_java(a->p->frames[i].kind) || !mapping_share_is_app(scope))
            continue;
        methods++;
        renamed += is_renamed(scope);
    }
    if (renamed < r->least || permille(renamed, methods) < PERMILLE_LEAST)
        return false;
    if (renamed < methods) {
        buf_u64_grouped(f->text, renamed);
        say(f, " of the ");
    } else {
        say(f, "All ");
    }
    buf_u64_grouped(f->text, methods);
    say(f, " methods that are not Android's have names of a release build, as R8 makes them. ");
    say(f,
        "The mapping.txt of that build tells what they are called in the sources: apply it to this profile.");
    f->sentence->weight = WEIGHT_SECOND;
    return true;
}

/* ---- methods ---- */

/* Others do what the main thread does not: they come first, since there is no headline. */
static bool rests(const struct analysis *a)
{
    return a->timed && !a->states && !is_idle(a) && headline_main_rests(a);
}

/* Writes the indexes of the largest numbers, largest first, equal ones by index, none of 0. Returns how
 * many there are. */
static uint32_t top_of(const uint64_t *numbers, uint32_t n, uint32_t top[TOP])
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = found;
        while (at > 0 && numbers[top[at - 1]] < numbers[i])
            at--;
        if (numbers[i] > 0)
            order_insert(top, &found, TOP, at, &i, sizeof(i));
    }
    return found;
}

static bool say_top_of_main(struct finding *f, const struct analysis *a, const char *words,
                            const uint64_t *numbers, uint64_t least)
{
    uint32_t top[TOP], n = top_of(numbers, a->p->n_frames, top);
    uint64_t whole = a->took_all;

    if (n == 0 || permille(numbers[top[0]], whole) < least)
        return false;
    say(f, words);
    f->sentence->weight = permille(numbers[top[0]], whole);
    f->sentence->track = a->main;
    for (uint32_t i = 0; i < n && (i == 0 || permille(numbers[top[i]], whole) >= least); i++) {
        say(f, i == 0 ? "" : ", ");
        say_method(f, a, top[i]);
        say(f, " ");
        say_part_of_main(f, a, numbers[top[i]], i == 0);
    }
    say(f, ".");
    return true;
}

/* Without the full stop. */
static bool list_top_of_all(struct finding *f, const struct analysis *a, const char *words,
                            const int64_t *numbers, uint64_t least, bool packages)
{
    uint32_t count = packages ? names_packages(a->names) : a->p->n_frames;
    uint32_t top[TOP], n = analysis_top(numbers, count, top, TOP);
    uint64_t whole = active_of(&a->all);

    if (n == 0 || permille((uint64_t)numbers[top[0]], whole) < least)
        return false;
    say(f, words);
    f->sentence->weight = permille((uint64_t)numbers[top[0]], whole);
    for (uint32_t i = 0; i < n && (i == 0 || permille((uint64_t)numbers[top[i]], whole) >= least); i++) {
        say(f, i == 0 ? "" : ", ");
        if (packages)
            buf_str(f->text, names_package(a->names, top[i]));
        else
            say_method(f, a, top[i]);
        say(f, " ");
        say_part_of_all(f, a, (uint64_t)numbers[top[i]], i == 0);
    }
    return true;
}

static bool say_top_of_all(struct finding *f, const struct analysis *a, const char *words,
                           const int64_t *numbers, uint64_t least, bool packages)
{
    bool found = list_top_of_all(f, a, words, numbers, least, packages);

    say(f, found ? "." : "");
    return found;
}

static bool find_own(const struct rule *r, const struct analysis *a, struct finding *f)
{
    uint64_t own = 0;
    bool found;

    if (a->sections)
        return false;
    for (frame_id i = 0; i < a->p->n_frames; i++)
        own = number_add(own, a->own_main[i]);
    if (a->timed && permille(own, a->took_all) >= r->least)
        found = say_top_of_main(
            f, a, "Your methods that took the most time, each with the other code it calls: ", a->own_main,
            r->least);
    else
        found = say_top_of_all(
            f, a,
            a->has_cpu ? "Your methods that used the most CPU time, each with the other code it calls: "
                       : "Your methods with the most, each with the other code it calls: ",
            a->own_all, r->least, false);
    if (found)
        f->sentence->weight = rests(a) ? WEIGHT_FIRST : WEIGHT_OWN;
    return found;
}

static bool find_entries(const struct rule *r, const struct analysis *a, struct finding *f)
{
    return !a->sections &&
           say_top_of_main(f, a, "Entry points into your code that took the most time: ", a->entry_main,
                           r->least);
}

/* The widest box of the picture that has nothing on it. */
static bool find_largest(const struct rule *r, const struct analysis *a, struct finding *f)
{
    frame_id self = headline_largest(a, a->self_main);

    if (self == FRAME_NONE || permille(a->self_main[self], main_of(a)->total) < r->least)
        return false;
    /* Samples off the CPU are told by their cause; CPU time of a single track is what "self" is about. */
    if ((a->sampled && a->self_wait[self] >= a->self_main[self]) || (a->p->n_tracks == 1 && is_cpu_alone(a)))
        return false;
    say(f, "Most self time on ");
    say_thread(f, a, a->main);
    say(f, ": ");
    say_method(f, a, self);
    say(f, " ");
    say_part_of_main(f, a, a->self_main[self], true);
    if (a->timed && !a->states && a->self_wait[self] > a->self_main[self] / 10) {
        say(f, ", ");
        if (a->self_wait[self] < a->self_main[self])
            say_value(f, a, a->self_wait[self]);
        else
            say(f, "all");
        say(f, " of it waiting");
    }
    say(f, ".");
    f->sentence->track = a->main;
    f->sentence->weight = WEIGHT_BOX;
    return true;
}

/* Of sizes: whose library asked for them, the functions that only hand memory on left out. */
static bool find_modules(const struct rule *r, const struct analysis *a, struct finding *f)
{
    uint32_t top[TOP], n = analysis_top(a->module_all, a->p->n_strings, top, TOP);
    uint64_t whole = active_of(&a->all);
    uint32_t said = 0;

    for (uint32_t i = 0; a->is_memory && i < n; i++) {
        struct str path = profile_string(a->p, top[i]);
        uint64_t part = (uint64_t)a->module_all[top[i]];
        if (path.n == 0 || permille(part, whole) < r->least)
            continue;
        say(f, said == 0 ? "By library: " : ", ");
        buf_str(f->text, str_behind_last(path, '/'));
        say(f, " ");
        say_part_of_all(f, a, part, said++ == 0);
        f->sentence->weight = WEIGHT_BOX;
    }
    say(f, said > 0 ? "." : "");
    f->sentence->table = "group=origin";
    return said > 0;
}

static bool find_self(const struct rule *r, const struct analysis *a, struct finding *f)
{
    if (!say_top_of_all(f, a,
                        a->has_cpu     ? "Most self time on a CPU: "
                        : a->timed     ? "Most self time: "
                        : a->is_memory ? "Allocated the most: "
                                       : "Largest self values: ",
                        a->self_all, r->least, false))
        return false;
    f->sentence->weight /= 2;
    return true;
}

/* Where Java and native code are both seen: the native part, which "self" would show among the rest. The kernel is one
 * part, since its functions seldom have names. */
static bool find_native(const struct rule *r, const struct analysis *a, struct finding *f)
{
    uint64_t whole = active_of(&a->all), sum = number_add(a->native, a->kernel);

    if (!a->has_java || a->is_memory || permille(sum, whole) < r->least ||
        !list_top_of_all(f, a,
                         a->has_cpu ? "Native functions with the most self time on a CPU: "
                         : a->timed ? "Native functions with the most self time: "
                                    : "Native functions with the largest self values: ",
                         a->native_all, 0, false))
        return false;
    if (a->kernel > 0) {
        say(f, "; the kernel ");
        say_part_of_all(f, a, a->kernel, false);
    }
    say(f, ".");
    f->sentence->weight = permille(sum, whole);
    return true;
}

/* What the main thread was seen to do, where its sections say only that it ran. */
static bool find_sampled(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { SAMPLES_LEAST = 20 };
    uint32_t top[TOP], n = top_of(a->main_sampled, a->p->n_frames, top);

    while (n > 0 && permille(a->main_sampled[top[n - 1]], a->main_samples) < r->least)
        n--;
    if (n == 0 || a->main_samples < SAMPLES_LEAST)
        return false;
    say(f, "Of ");
    buf_u64_grouped(f->text, a->main_samples);
    say(f, " CPU samples of ");
    say_thread(f, a, a->main);
    say(f, " most are in ");
    for (uint32_t i = 0; i < n; i++) {
        say(f, i == 0 ? "" : ", ");
        say_method(f, a, top[i]);
        say(f, " (");
        say_percent(f, a->main_sampled[top[i]], a->main_samples);
        say(f, ")");
    }
    say(f, ".");
    f->sentence->track = a->main;
    f->sentence->weight = permille(a->main_sampled[top[0]], a->main_samples) / 2;
    return true;
}

static bool find_libraries(const struct rule *r, const struct analysis *a, struct finding *f)
{
    if (a->sections ||
        !say_top_of_all(f, a,
                        a->has_cpu ? "Libraries that used the most CPU time: " : "Libraries with the most: ",
                        a->library_all, r->least, true))
        return false;
    f->sentence->table = "group=package";
    return true;
}

/* Called very often, with little time each: no other tool shows these, since no single call stands out. */
static bool find_often(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { LONG_NS = 20 * MICROSECOND, PART_LEAST = 20 };
    uint64_t whole = active_of(&a->all);
    frame_id best = FRAME_NONE;

    if (a->sampled)
        return false;
    for (frame_id i = 0; i < a->p->n_frames; i++)
        if (a->calls_all[i] >= r->least && a->self_all[i] > 0 &&
            (uint64_t)a->self_all[i] / a->calls_all[i] < LONG_NS &&
            permille((uint64_t)a->self_all[i], whole) >= PART_LEAST &&
            (best == FRAME_NONE || a->self_all[i] > a->self_all[best]))
            best = i;
    if (best == FRAME_NONE)
        return false;
    uint64_t self = (uint64_t)a->self_all[best];
    say_method(f, a, best);
    say(f, " was called ");
    buf_u64_grouped(f->text, a->calls_all[best]);
    say(f, " times, with ");
    say_value(f, a, self / a->calls_all[best]);
    say(f, " of self time each: together ");
    say_part_of_all(f, a, self, true);
    say(f, ". Fewer calls help more than faster ones.");
    f->sentence->weight = permille(self, whole);
    return true;
}

/* ---- waiting, and what people look for on a main thread ---- */

static void say_heaviest(struct finding *f, const struct analysis *a, const struct cost *c)
{
    if (c->frame == FRAME_NONE) {
        say(f, ".");
        return;
    }
    say(f, c->frame_time >= c->time      ? ", in "
           : c->frame_time > c->time / 2 ? ", most of it ("
                                         : ", the largest part (");
    if (c->frame_time < c->time) {
        say_value(f, a, c->frame_time);
        say(f, ") in ");
    }
    say_method(f, a, c->frame);
    if (c->caller != FRAME_NONE && c->caller != c->frame) {
        say(f, ", called by ");
        say_method(f, a, c->caller);
    }
    say(f, ".");
}

static bool find_wait(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { PART_LEAST = 10 };
    const struct cost *c = &a->waits[r->kind];
    uint64_t total = main_of(a)->total, longest = a->spans != NULL ? a->spans->longest_ns[r->kind] : 0;

    if (a->sections || c->time < r->least || permille(c->time, total) < PART_LEAST)
        return false;
    say_thread(f, a, a->main);
    say(f, " waited ");
    say_value(f, a, c->time);
    say(f, " of its ");
    say_value(f, a, total);
    say(f, " (");
    say_percent(f, c->time, total);
    say(f, ") ");
    say(f, wait_kind_words((enum wait_kind)r->kind));
    if (!a->sampled && c->calls > 0) {
        say(f, ", in ");
        say_calls(f, c->calls);
    }
    if (longest > 0 && c->calls > 1) {
        say(f, ", the longest ");
        say_value(f, a, longest);
    }
    say_heaviest(f, a, c);
    f->sentence->track = a->main;
    f->sentence->weight = permille(c->time, a->took_all) + 50;
    return true;
}

static bool find_work(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { TIME_LEAST_NS = MILLISECOND };
    const struct cost *c = &a->work[r->kind];
    uint64_t total = main_of(a)->total;

    if (!a->has_main || c->time < TIME_LEAST_NS || permille(c->time, a->took_all) < r->least)
        return false;
    say_thread(f, a, a->main);
    say(f, is_cpu_alone(a) ? " used a CPU for " : " spent ");
    say_value(f, a, c->time);
    say(f, " of its ");
    say_value(f, a, total);
    say(f, " (");
    say_percent(f, c->time, total);
    say(f, ") on ");
    say(f, work_kind_words((enum work_kind)r->kind));
    say_heaviest(f, a, c);
    say(f, " ");
    say(f, work_kind_advice((enum work_kind)r->kind));
    f->sentence->track = a->main;
    f->sentence->weight = permille(c->time, a->took_all);
    return true;
}

/* ---- other threads, the runtime, the recorder ---- */

static bool find_threads(const struct rule *r, const struct analysis *a, struct finding *f)
{
    uint32_t top[TOP], n = top_of(a->active_beside, a->p->n_tracks, top);
    uint64_t whole = active_of(&a->all);

    while (n > 0 && permille(a->active_beside[top[n - 1]], whole) < r->least)
        n--;
    if (n == 0)
        return false;
    say(f, a->has_cpu    ? "Most CPU time besides "
           : a->sections ? "Most time in sections besides "
                         : "Most time in methods besides ");
    say_thread(f, a, a->main);
    say(f, ": ");
    for (uint32_t i = 0; i < n; i++) {
        say(f, i == 0 ? "" : ", ");
        say_thread_of(f, a, top[i]);
        say(f, " ");
        say_part_of_all(f, a, a->active_beside[top[i]], i == 0);
    }
    say(f, ".");
    f->sentence->track = top[0];
    f->sentence->weight = rests(a) ? WEIGHT_FIRST : permille(a->active_beside[top[0]], whole) / 2;
    return true;
}

/* Threads of the runtime that run beside the app. */
static bool find_runtime(const struct rule *r, const struct analysis *a, struct finding *f)
{
    static const struct str NAMES[2][3] = {
        {STR_INIT("HeapTaskDaemon"), STR_INIT("GC*"), STR_INIT("Finalizer*")},
        {STR_INIT("Jit thread pool*"), STR_INIT("JIT*"), STR_INIT("Compiler*")}};
    static const char *const WORDS[] = {"Collecting garbage", "Compiling methods (JIT)"};
    uint64_t sum = 0, most = 0, whole = active_of(&a->all);
    uint32_t track = UINT32_MAX;

    for (uint32_t i = 0; i < a->p->n_tracks; i++)
        for (unsigned k = 0; k < 3; k++)
            if (str_fits(profile_string(a->p, a->p->tracks[i].name), NAMES[r->kind][k])) {
                uint64_t active = active_of(&a->threads[i]);
                sum = number_add(sum, active);
                track = track == UINT32_MAX || active > most ? i : track;
                most = active > most ? active : most;
                break;
            }
    if (permille(sum, whole) < r->least)
        return false;
    say(f, WORDS[r->kind]);
    say(f, a->has_cpu ? " used " : " took ");
    say_part_of_all(f, a, sum, true);
    say(f, ", on the runtime's threads.");
    f->sentence->track = track;
    f->sentence->weight = permille(sum, whole);
    return true;
}

static bool find_tracer(const struct rule *r, const struct analysis *a, struct finding *f)
{
    uint64_t records, cost = headline_cost(a, &records);
    uint64_t part = permille(cost, active_of(&a->all));

    if (part < r->least || (part >= HEADLINE_COST_LEAST && !is_idle(a)))
        return false;
    headline_say_cost(f, a, cost);
    say(f, ": ");
    buf_u64_grouped(f->text, records);
    say(f, " records, each of which read the clocks. Short methods look slower than they are; a sampled "
           "trace costs less.");
    f->sentence->table = "sort=calls";
    f->sentence->weight = part;
    return true;
}

/* ---- THE TABLE ---- */

#define WORK(name, kind)                                                                                 \
    {                                                                                                    \
        name, "Inclusive time, on the main thread, of the outermost methods that are known for it.", 10, \
            find_work, kind, true, true                                                                  \
    }
#define WAIT(name, kind)                                                                                     \
    {                                                                                                        \
        name,                                                                                                \
            "Wall time without CPU time below methods that are known to wait so; without a CPU clock, self " \
            "time of these methods.",                                                                        \
            16700000, find_wait, kind, true, false                                                           \
    }

const struct rule RULES[] = {
    {"nothing", "No thread ran in the chosen range, and none had a record.", 0, find_nothing, 0, false,
     false},
    {"idle", "Less than 1 % of the time is in methods that are not known to wait.", 10, find_idle, 0, true,
     false},
    {"start",
     "Sums of the main thread's states between the two moments. Input and output come first, then the innermost "
     "section of which it is known what it waits for, then the state.",
     0, system_find_start, 0, true, false},
    {"start-times",
     "The system's own section of the launch, and the moment at which the app said that it was fully drawn.",
     0, system_find_start_times, 0, true, false},
    {"headline",
     "The own method that took most, and the path below it on which one callee has more than half of that.",
     10, headline_find, 0, false, false},
    {"busy",
     "CPU time is running, the rest of the wall time waiting; without a CPU clock, methods that are "
     "known to wait are waiting.",
     0, find_busy, 0, true, false},
    {"states",
     "Sums of the states that the scheduler told. Input and output come first, then the innermost section of "
     "which it is known what it waits for, then the state.",
     0, system_find_states, 0, true, false},
    {"renamed",
     "Classes with names of one or two letters: at least 10 methods, and a third of those that are not Android's.",
     10, find_renamed, 0, false, false},
    {"split",
     "Time counts for your code where one of your methods is on the stack, else for libraries where one of "
     "theirs is, else for Android.",
     0, find_split, 0, false, false},
    {"own-methods",
     "Time is counted for the innermost of your methods on the stack, waiting included but for messages.", 10,
     find_own, 0, false, true},
    {"own-entries", "Inclusive time of the outermost of your methods on the stack, but waiting for messages.",
     100, find_entries, 0, true, true},
    {"largest",
     "Self time on the main thread, but waiting for messages; what the kernel waits is that of the function that "
     "called it.",
     50, find_largest, 0, true, true},
    {"self", "Self time of each method, without waiting.", 50, find_self, 0, false, true},
    {"native",
     "Self time of native functions, without waiting, where the recording has Java methods as well; all of the "
     "kernel's is one part.",
     50, find_native, 0, false, true},
    {"sampled", "CPU samples of the main thread by the function that ran; they stand beside its sections.",
     50, find_sampled, 0, true, false},
    {"grew", "What each stack has more than at that dump, less what it has no longer.", 0, growth_since_first,
     0, false, false},
    {"grew-last", "What each stack has more than at that dump, less what it has no longer.", 0,
     growth_since_before, 0, false, false},
    {"libraries", "Sizes count for the file of the innermost function that is no allocator.", 30,
     find_modules, 0, false, false},
    {"library-packages",
     "Time is counted for a library's package where its method is the innermost on the stack that is neither "
     "Android's nor yours.",
     30, find_libraries, 0, false, false},
    {"often", "At least 10,000 calls, less than 20 \xc2\xb5s of self time each, at least 2 % of the time.",
     10000, find_often, 0, true, false},
    WAIT("waits-for-lock", WAIT_LOCK),
    WAIT("waits-parked", WAIT_PARK),
    WAIT("waits-asleep", WAIT_SLEEP),
    WAIT("waits-for-socket", WAIT_IO),
    WAIT("waits-for-binder", WAIT_BINDER),
    WAIT("waits-for-drawing", WAIT_DRAWING),
    WAIT("waits-unknown", WAIT_UNKNOWN),
    {"long-messages", "Calls of Handler.dispatchMessage, from the log of calls.", 0, long_calls_messages, 0,
     true, false},
    {"late-frames",
     "Calls of Choreographer#doFrame on the main thread, where the system does not say which came late.", 0,
     system_find_frames, 0, true, false},
    {"shown-late",
     "What the system says of each frame that the app showed (FrameTimeline), and why the worst was late.", 0,
     system_find_shown, 0, true, false},
    {"waited-for-cpu", "Time runnable, of the time running or runnable: more than 10 %.", 0,
     system_find_starved, 0, true, false},
    {"longest-wait",
     "States of the main thread within sections; who woke it (sched_waking), and what that thread had done since "
     "its own last wait, up to three threads.",
     0, system_find_wait, 0, true, false},
    {"lock-contention",
     "Sections that tell of a lock, by owner and method; one within another is the same wait and counts once.",
     0, system_find_locks, 0, true, false},
    {"outlier", "Calls of own methods of at least 16.7 ms, five times as long as the next one of the method.",
     0, long_calls_outlier, 0, true, true},
    WORK("files-on-main", WORK_FILES),
    WORK("database-on-main", WORK_DATABASE),
    WORK("preferences-on-main", WORK_PREFERENCES),
    WORK("json-on-main", WORK_JSON),
    WORK("inflation-on-main", WORK_INFLATION),
    WORK("images-on-main", WORK_IMAGES),
    WORK("reflection-on-main", WORK_REFLECTION),
    WORK("class-loading-on-main", WORK_CLASS_LOADING),
    WORK("initialisers-on-main", WORK_INITIALISERS),
    WORK("gc-on-main", WORK_COLLECTION),
    WORK("regex-on-main", WORK_REGEX),
    WORK("zip-on-main", WORK_ZIP),
    WORK("base64-on-main", WORK_BASE64),
    WORK("streams-on-main", WORK_STREAMS),
    WORK("blocking-on-main", WORK_BLOCKING),
    WORK("network-on-main", WORK_NETWORK),
    WORK("libraries-on-main", WORK_LIBRARIES),
    WORK("crypto-on-main", WORK_CRYPTO),
    WORK("fonts-on-main", WORK_FONTS),
    WORK("resources-on-main", WORK_RESOURCES),
    WORK("webview-on-main", WORK_WEBVIEW),
    WORK("compose-on-main", WORK_COMPOSE),
    WORK("tracing-on-main", WORK_TRACING),
    WORK("verifying-on-main", WORK_VERIFYING),
    WORK("dates-on-main", WORK_DATES),
    {"threads", "Time of each thread on a CPU, or in methods that are not known to wait.", 50, find_threads,
     0, true, false},
    {"gc", "Time of the runtime's threads that collect garbage.", 20, find_runtime, 0, true, false},
    {"jit", "Time of the runtime's threads that compile.", 20, find_runtime, 1, true, false},
    {"tracer", "The cost of reading the clocks, as the file says it, for each record.", 50, find_tracer, 0,
     true, false},
};
const size_t RULES_COUNT = sizeof(RULES) / sizeof(RULES[0]);
