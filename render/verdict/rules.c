#include "render/verdict/rules.h"

#include "core/buf.h"
#include "core/number.h"
#include "core/order.h"
#include "profile/calls/span.h"
#include "profile/frame/own_code.h"
#include "profile/mapping/mapping.h"
#include "profile/track.h"
#include "profile/warning.h"
#include "render/verdict/analysis.h"
#include "render/verdict/sentence.h"

/* Weights: a sentence about a part of the time weighs its permille, at most WEIGHT_MOST. Those about the
 * whole stand in front. */
enum { WEIGHT_MOST = 900, WEIGHT_OWN = 950, WEIGHT_SECOND = 999, WEIGHT_FIRST = 1000 };

/* ---- what all rules say sentences with ---- */

enum { DIGITS = 3, PERMILLE = 1000 };

void say(struct finding *f, const char *words)
{
    buf_z(f->text, words);
}

/* In a sentence, a label does not begin with a capital, unless its first word is an abbreviation. */
static void say_label(struct finding *f, struct str label)
{
    bool is_word =
        label.n > 1 && label.p[0] >= 'A' && label.p[0] <= 'Z' && label.p[1] >= 'a' && label.p[1] <= 'z';

    if (is_word)
        buf_char(f->text, (char)(label.p[0] - 'A' + 'a'));
    buf_bytes(f->text, label.p + is_word, label.n - is_word);
}

/* In the unit of the value that is looked at; of a profile without times, with its label behind. */
static void say_value(struct finding *f, const struct analysis *a, uint64_t value)
{
    enum unit unit = a->p->n_values > 0 ? a->p->values[a->time].unit : UNIT_COUNT;

    buf_value(f->text, unit, value, DIGITS);
    if (!a->timed) {
        say(f, unit == UNIT_BYTES ? " of " : " ");
        say_label(f, a->p->values[a->time].label);
    }
}

static void say_percent(struct finding *f, uint64_t part, uint64_t whole)
{
    char text[NUMBER_BYTES_MAX];

    buf_bytes(f->text, text, (size_t)(number_percent(text, part, whole) - text));
}

/* "1.2 ms (34 %)" */
static void say_part(struct finding *f, const struct analysis *a, uint64_t part, uint64_t whole)
{
    say_value(f, a, part);
    say(f, " (");
    say_percent(f, part, whole);
    say(f, ")");
}

static void mention(struct finding *f, struct str name, bool is_method, uint32_t track)
{
    struct verdict_sentence *s = f->sentence;

    if (s->n_mentions < VERDICT_MENTIONS_MAX && name.n > 0)
        s->mentions[s->n_mentions++] = (struct verdict_mention){f->text->n, name.n, is_method, track};
    buf_str(f->text, name);
}

/* The name in full. The sentence links to it, as to threads. */
static void say_method(struct finding *f, const struct analysis *a, frame_id frame)
{
    mention(f, names_frame(a->names, frame), true, 0);
    if (f->sentence->n_methods < VERDICT_METHODS_MAX)
        f->sentence->methods[f->sentence->n_methods++] = frame;
}

static void say_thread(struct finding *f, const struct analysis *a, uint32_t track)
{
    mention(f, profile_string(a->p, a->p->tracks[track].name), false, track);
}

/* `before` and what tracks are: "threads". Nothing of a file that is one whole. */
static void say_everywhere(struct finding *f, const struct analysis *a, const char *before)
{
    if (track_kind_of_all(a->p) == TRACK_WHOLE)
        return;
    say(f, before);
    say(f, track_word(a->p, 2));
}

/* "1 call", "1,234 calls" */
static void say_calls(struct finding *f, uint64_t n)
{
    buf_u64_grouped(f->text, n);
    say(f, n == 1 ? " call" : " calls");
}

const struct thread_cost *main_of(const struct analysis *a)
{
    return &a->threads[a->main];
}

uint64_t permille(uint64_t part, uint64_t whole)
{
    uint64_t n = whole > 0 ? number_ratio(part < whole ? part : whole, whole, PERMILLE) : 0;

    return n < WEIGHT_MOST ? n : WEIGHT_MOST;
}

/* ---- single long calls ---- */

static bool is_dispatch(const struct analysis *a, const struct span *s)
{
    return s->frame != FRAME_NONE &&
           str_eq(names_frame(a->names, s->frame), STR("android.os.Handler.dispatchMessage"));
}

static uint64_t length_of(const struct span *s)
{
    return s->end_ns - s->begin_ns;
}

/* What a message ran: the outermost own method that took at least half of it. FRAME_NONE: there is none. */
static frame_id own_in(const struct analysis *a, const struct spans *spans, const struct span *message)
{
    const struct span *best = NULL;

    for (uint32_t i = 0; i < spans->n; i++) {
        const struct span *s = &spans->list[i];
        if (s->frame != FRAME_NONE && s->depth > message->depth && s->begin_ns >= message->begin_ns &&
            s->end_ns <= message->end_ns && length_of(s) >= length_of(message) / 2 &&
            names_of(a->names, s->frame)->origin == ORIGIN_APP && (best == NULL || s->depth < best->depth))
            best = s;
    }
    return best != NULL ? best->frame : FRAME_NONE;
}

/* Rules about single calls, for the table. */
static bool rule_long_messages(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct spans *spans = a->spans;
    static const uint64_t LIMITS_NS[] = {16700000, 100000000, 700000000};
    static const char *const WORDS[] = {"16.7 ms", "100 ms", "700 ms"};
    uint64_t counts[3] = {0};
    const struct span *longest = NULL;

    for (uint32_t i = 0; spans != NULL && i < spans->n; i++) {
        const struct span *s = &spans->list[i];
        if (!is_dispatch(a, s))
            continue;
        for (unsigned k = 0; k < 3; k++)
            counts[k] += length_of(s) >= LIMITS_NS[k];
        if (longest == NULL || length_of(s) > length_of(longest))
            longest = s;
    }
    if (longest == NULL || counts[0] < r->least)
        return false;
    buf_u64_grouped(f->text, counts[0]);
    say(f, counts[0] == 1 ? " message on " : " messages on ");
    say_thread(f, a, a->main);
    say(f, " took over 16.7 ms, in which a screen misses a frame");
    for (unsigned k = 1; k < 3 && counts[k] > 0; k++) {
        say(f, ", ");
        buf_u64_grouped(f->text, counts[k]);
        say(f, " over ");
        say(f, WORDS[k]);
    }
    say(f, "; the longest, ");
    say_value(f, a, length_of(longest));
    frame_id own = own_in(a, spans, longest);
    say(f, own != FRAME_NONE ? ", ran " : "");
    if (own != FRAME_NONE)
        say_method(f, a, own);
    say(f, ".");
    f->sentence->track = a->main;
    f->sentence->weight = counts[1] > 0 ? WEIGHT_MOST : 500;
    return true;
}

/* The second longest call of the frame that is in the list; 0 if there is one only. */
static uint64_t second_longest(const struct spans *spans, const struct span *longest)
{
    uint64_t second = 0;

    for (uint32_t i = 0; i < spans->n; i++)
        if (spans->list[i].frame == longest->frame && &spans->list[i] != longest &&
            length_of(&spans->list[i]) > second)
            second = length_of(&spans->list[i]);
    return second;
}

/* A caller's one long call contains that of its callee: the deepest one that is nearly as long says more. */
static bool rule_outlier(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct spans *spans = a->spans;
    enum { CALLS_LEAST = 5, TIMES_LONGER = 5, LOOKED_AT = 200 };
    const struct span *best = NULL;
    uint64_t other = 0;

    for (uint32_t i = 0, looked = 0; spans != NULL && i < spans->n && looked < LOOKED_AT; i++) {
        const struct span *s = &spans->list[i];
        if (s->frame == FRAME_NONE || length_of(s) < r->least || a->calls_all[s->frame] < CALLS_LEAST ||
            names_of(a->names, s->frame)->origin != ORIGIN_APP)
            continue;
        looked++;
        uint64_t second = second_longest(spans, s);
        if (second > length_of(s) / TIMES_LONGER)
            continue;
        if (best == NULL || length_of(s) > length_of(best) + length_of(best) / 4 ||
            (s->depth > best->depth && length_of(s) >= length_of(best) - length_of(best) / 4)) {
            best = s;
            other = second;
        }
    }
    if (best == NULL)
        return false;
    say(f, "One call of ");
    say_method(f, a, best->frame);
    say(f, " took ");
    say_value(f, a, length_of(best));
    say(f, "; none of the others on ");
    say_thread(f, a, a->main);
    say(f, " took ");
    say(f, other > 0 ? "more than " : "as much as ");
    say_value(f, a, other > 0 ? other : spans->least_ns);
    say(f, ". It was called ");
    buf_u64_grouped(f->text, a->calls_all[best->frame]);
    say(f, " times in all.");
    f->sentence->track = a->main;
    f->sentence->weight = permille(length_of(best), work_of(main_of(a)));
    return true;
}

/* ---- rules ---- */

enum { TOP = 3, MICROSECOND = 1000, MILLISECOND = 1000000 };

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

/* ---- the whole ---- */

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
    uint64_t work = work_of(&a->all);

    if (a->all.total == 0 || permille(work, a->all.total) >= r->least ||
        permille(work_of(main_of(a)), main_of(a)->total) >= r->least)
        return false;
    say(f, "Almost nothing happened: of ");
    say_value(f, a, main_of(a)->total);
    say(f, " the thread ");
    say_thread(f, a, a->main);
    say(f, " worked ");
    say_value(f, a, work_of(main_of(a)));
    say(f, ", all threads together ");
    say_value(f, a, work);
    say(f, ". Record while the app does what is slow.");
    f->sentence->track = a->main;
    f->sentence->weight = WEIGHT_FIRST;
    return true;
}

static bool find_busy(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct thread_cost *t = main_of(a);
    uint64_t work = work_of(t), messages = a->waits[WAIT_MESSAGES].time;

    if (permille(work, t->total) < r->least)
        return false;
    say_thread(f, a, a->main);
    say(f, a->wall < a->p->n_values ? " was busy for " : " used a CPU for ");
    say_value(f, a, work);
    say(f, " of ");
    say_value(f, a, t->total);
    say(f, " (");
    say_percent(f, work, t->total);
    say(f, ")");
    if (messages > 0) {
        say(f, ", and waited for messages for ");
        say_value(f, a, messages);
    }
    if (a->cpu != a->time && a->cpu < a->p->n_values) {
        say(f, "; it had a CPU for ");
        say_value(f, a, t->cpu);
    }
    say(f, ".");
    f->sentence->track = a->main;
    f->sentence->weight = WEIGHT_FIRST;
    return true;
}

static bool find_split(const struct rule *r, const struct analysis *a, struct finding *f)
{
    const struct own_code *own = names_own(a->names);
    const struct thread_cost *t = a->timed ? main_of(a) : &a->all;
    uint64_t work = work_of(t);

    (void)r;
    if (work == 0 || (own->n == 0 && t->share[SHARE_THIRD_PARTY] == 0))
        return false;
    if (own->n > 0) {
        say(f, "Own code (");
        own_code_put(own, f->text);
        say(f, ") caused ");
        say_percent(f, t->share[SHARE_OWN], work);
    } else {
        say(f, "No package is known to be the app's own. Third parties' code caused ");
        say_percent(f, t->share[SHARE_THIRD_PARTY], work);
    }
    say(f, a->timed ? " of that work" : " of all");
    if (own->n > 0) {
        say(f, ", third parties without it ");
        say_percent(f, t->share[SHARE_THIRD_PARTY], work);
    }
    say(f, ", the platform by itself ");
    say_percent(f, t->share[SHARE_PLATFORM], work);
    say(f, ".");
    if (a->timed)
        f->sentence->track = a->main;
    f->sentence->table = "group=origin";
    f->sentence->weight = WEIGHT_SECOND;
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
    say(f, " methods that are not the platform's have names of a release build, as R8 makes them. ");
    say(f,
        "The mapping.txt of that build tells what they are called in the sources: apply it to this profile.");
    f->sentence->weight = WEIGHT_SECOND;
    return true;
}

/* ---- methods ---- */

static bool say_top_methods(struct finding *f, const struct analysis *a, const uint64_t *numbers,
                            uint64_t whole, uint64_t least)
{
    uint32_t top[TOP], n = top_of(numbers, a->p->n_frames, top);

    if (n == 0 || permille(numbers[top[0]], whole) < least)
        return false;
    f->sentence->weight = permille(numbers[top[0]], whole);
    for (uint32_t i = 0; i < n && (i == 0 || permille(numbers[top[i]], whole) >= least); i++) {
        say(f, i == 0 ? "" : ", ");
        say_method(f, a, top[i]);
        say(f, " ");
        say_part(f, a, numbers[top[i]], whole);
    }
    say(f, ".");
    return true;
}

static bool find_own(const struct rule *r, const struct analysis *a, struct finding *f)
{
    uint64_t work = work_of(main_of(a));

    if (permille(main_of(a)->share[SHARE_OWN], work) >= r->least) {
        say(f, "Own methods that cost ");
        say_thread(f, a, a->main);
        say(f, " most, with what other code did for them: ");
        if (!say_top_methods(f, a, a->own_main, work, r->least))
            return false;
        f->sentence->track = a->main;
    } else {
        say(f, "Own methods that cost most");
        say_everywhere(f, a, " on all ");
        say(f, ", with what other code did for them: ");
        if (!say_top_methods(f, a, a->own_all, work_of(&a->all), r->least))
            return false;
    }
    f->sentence->weight = WEIGHT_OWN;
    return true;
}

static bool find_entries(const struct rule *r, const struct analysis *a, struct finding *f)
{
    say(f, "Android's calls of own code that took most: ");
    f->sentence->track = a->main;
    return say_top_methods(f, a, a->entry_main, main_of(a)->total, r->least);
}

static bool find_self(const struct rule *r, const struct analysis *a, struct finding *f)
{
    say(f, "Methods with the most of their own");
    say_everywhere(f, a, ", on all ");
    say(f, ": ");
    if (!say_top_methods(f, a, a->self_all, work_of(&a->all), r->least))
        return false;
    f->sentence->weight /= 2;
    return true;
}

static bool find_third_parties(const struct rule *r, const struct analysis *a, struct finding *f)
{
    uint32_t top[TOP], n = top_of(a->third_all, names_packages(a->names), top);
    uint64_t whole = work_of(&a->all);

    if (n == 0 || permille(a->third_all[top[0]], whole) < r->least)
        return false;
    say(f, "Third-party packages that took most");
    say_everywhere(f, a, ", on all ");
    say(f, ": ");
    for (uint32_t i = 0; i < n && permille(a->third_all[top[i]], whole) >= r->least; i++) {
        say(f, i == 0 ? "" : ", ");
        buf_str(f->text, names_package(a->names, top[i]));
        say(f, " ");
        say_part(f, a, a->third_all[top[i]], whole);
    }
    say(f, ".");
    f->sentence->table = "group=package";
    f->sentence->weight = permille(a->third_all[top[0]], whole);
    return true;
}

/* Called very often, with little time each: no other tool shows these, since no single call stands out. */
static bool find_often(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { LONG_NS = 20 * MICROSECOND, PART_LEAST = 20 };
    uint64_t whole = work_of(&a->all);
    frame_id best = FRAME_NONE;

    if (a->sampled)
        return false;
    for (frame_id i = 0; i < a->p->n_frames; i++)
        if (a->calls_all[i] >= r->least && a->self_all[i] / a->calls_all[i] < LONG_NS &&
            permille(a->self_all[i], whole) >= PART_LEAST &&
            (best == FRAME_NONE || a->self_all[i] > a->self_all[best]))
            best = i;
    if (best == FRAME_NONE)
        return false;
    say_method(f, a, best);
    say(f, " was called ");
    buf_u64_grouped(f->text, a->calls_all[best]);
    say(f, " times, for ");
    say_value(f, a, a->self_all[best] / a->calls_all[best]);
    say(f, " of its own each: together ");
    say_part(f, a, a->self_all[best], whole);
    say(f, ". Fewer calls help more than faster ones.");
    f->sentence->weight = permille(a->self_all[best], whole);
    return true;
}

/* ---- waiting ---- */

static void say_heaviest(struct finding *f, const struct analysis *a, const struct cost *c)
{
    say(f, c->frame_time == c->time ? ", in " : "; the most, ");
    if (c->frame_time != c->time) {
        say_value(f, a, c->frame_time);
        say(f, ", in ");
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

    if (c->time < r->least || permille(c->time, main_of(a)->total) < PART_LEAST)
        return false;
    say_thread(f, a, a->main);
    say(f, " waited ");
    say_part(f, a, c->time, main_of(a)->total);
    say(f, " ");
    say(f, wait_kind_words((enum wait_kind)r->kind));
    if (!a->sampled && c->calls > 0) {
        say(f, ", in ");
        say_calls(f, c->calls);
    }
    say_heaviest(f, a, c);
    f->sentence->track = a->main;
    f->sentence->weight = permille(c->time, number_add(work_of(main_of(a)), c->time)) + 50;
    return true;
}

static bool find_own_body(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { PART_LEAST = 10 };
    const struct cost *c = &a->own_body;
    uint64_t work = work_of(main_of(a));

    if (c->frame == FRAME_NONE || c->frame_time < r->least || permille(c->frame_time, work) < PART_LEAST)
        return false;
    say_method(f, a, c->frame);
    say(f, " was stopped for ");
    say_part(f, a, c->frame_time, work);
    say(f, " in its own body: it had no CPU there, as in native code that waits or at a lock.");
    f->sentence->track = a->main;
    f->sentence->weight = permille(c->frame_time, work);
    return true;
}

/* ---- what people look for on a main thread ---- */

static bool find_work(const struct rule *r, const struct analysis *a, struct finding *f)
{
    enum { TIME_LEAST_NS = MILLISECOND };
    const struct cost *c = &a->work[r->kind];
    uint64_t work = work_of(main_of(a));

    if (!a->has_main || c->time < TIME_LEAST_NS || permille(c->time, work) < r->least)
        return false;
    say_thread(f, a, a->main);
    say(f, " spent ");
    say_part(f, a, c->time, work);
    say(f, " of its work on ");
    say(f, work_kind_words((enum work_kind)r->kind));
    say_heaviest(f, a, c);
    say(f, " ");
    say(f, work_kind_advice((enum work_kind)r->kind));
    f->sentence->track = a->main;
    f->sentence->weight = permille(c->time, work);
    return true;
}

/* ---- other threads, the runtime, the recorder ---- */

static bool find_threads(const struct rule *r, const struct analysis *a, struct finding *f)
{
    uint32_t top[TOP], n = top_of(a->work_beside, a->p->n_tracks, top);
    uint64_t whole = work_of(&a->all);

    while (n > 0 && permille(a->work_beside[top[n - 1]], whole) < r->least)
        n--;
    if (n == 0)
        return false;
    say(f, "Besides ");
    say_thread(f, a, a->main);
    say(f, n == 1 ? " the busiest thread is " : " the busiest threads are ");
    for (uint32_t i = 0; i < n; i++) {
        say(f, i == 0 ? "" : ", ");
        say_thread(f, a, top[i]);
        say(f, " (");
        say_value(f, a, work_of(&a->threads[top[i]]));
        say(f, ")");
    }
    say(f, ".");
    f->sentence->track = top[0];
    f->sentence->weight = permille(work_of(&a->threads[top[0]]), whole) / 2;
    return true;
}

/* Threads of the runtime that work beside the app. */
static bool find_runtime(const struct rule *r, const struct analysis *a, struct finding *f)
{
    static const struct str NAMES[2][3] = {
        {STR_INIT("HeapTaskDaemon"), STR_INIT("GC*"), STR_INIT("Finalizer*")},
        {STR_INIT("Jit thread pool*"), STR_INIT("JIT*"), STR_INIT("Compiler*")}};
    static const char *const WORDS[] = {"Collecting garbage took ", "Compiling methods (JIT) took "};
    uint64_t sum = 0, whole = work_of(&a->all);
    uint32_t track = UINT32_MAX;

    for (uint32_t i = 0; i < a->p->n_tracks; i++)
        for (unsigned k = 0; k < 3; k++)
            if (str_fits(profile_string(a->p, a->p->tracks[i].name), NAMES[r->kind][k])) {
                sum = number_add(sum, work_of(&a->threads[i]));
                track = i;
                break;
            }
    if (permille(sum, whole) < r->least)
        return false;
    say(f, WORDS[r->kind]);
    say_part(f, a, sum, whole);
    say(f, " of the work of all threads, on the runtime's own.");
    f->sentence->track = track;
    f->sentence->weight = permille(sum, whole);
    return true;
}

static bool find_tracer(const struct rule *r, const struct analysis *a, struct finding *f)
{
    uint64_t records = 0, overhead_ns, cost, whole = work_of(&a->all);

    for (uint32_t i = 0; i < a->p->n_tracks; i++)
        records = number_add(records, a->p->tracks[i].records);
    if (a->sampled || !str_to_u64(profile_fact(a->p, STR("clock_overhead_ns")), 10, &overhead_ns) ||
        __builtin_mul_overflow(records, overhead_ns, &cost) || permille(cost, whole) < r->least)
        return false;
    say(f, "Recording itself may have cost ");
    say_part(f, a, cost, whole);
    say(f, " of the work: ");
    buf_u64_grouped(f->text, records);
    say(f, " records, each of which read the clocks. Short methods look slower than they are; a sampled "
           "trace costs less.");
    f->sentence->table = "sort=calls";
    f->sentence->weight = permille(cost, whole);
    return true;
}

/* ---- THE TABLE ---- */

#define WORK(name, kind)                                                                                 \
    {                                                                                                    \
        name, "Inclusive time, on the main thread, of the outermost methods that are known for it.", 10, \
            find_work, kind, true                                                                        \
    }
#define WAIT(name, kind)                                                                                 \
    {                                                                                                    \
        name, "Inclusive time, on the main thread, of the outermost methods that are known to wait so.", \
            16700000, find_wait, kind, true                                                              \
    }

const struct rule RULES[] = {
    {"nothing", "No thread ran in the chosen range, and none had a record.", 0, find_nothing, 0, false},
    {"idle", "Self of all methods but those that are known to wait is less than 1 % of the time.", 10,
     find_idle, 0, true},
    {"busy", "Self of all methods of the thread but those that are known to wait.", 10, find_busy, 0, true},
    {"renamed",
     "Classes with names of one or two letters: at least 10 methods, and a third of those that are not the "
     "platform's.",
     10, find_renamed, 0, false},
    {"split",
     "Work counts for own code where an own method is on the stack, else for third parties where one of "
     "theirs is, else for the platform.",
     0, find_split, 0, false},
    {"own-methods", "Work is counted for the innermost own method on the stack.", 10, find_own, 0, false},
    {"own-entries", "Inclusive time of the outermost own methods on the stack, waiting included.", 100,
     find_entries, 0, true},
    {"self", "Exclusive time of each method, without waiting.", 50, find_self, 0, false},
    {"third-parties",
     "Work is counted for a third party's package where its method is the innermost on the stack that is "
     "neither the platform's nor own.",
     30, find_third_parties, 0, false},
    {"often", "At least 10,000 calls, less than 20 µs of their own each, at least 2 % of the work.", 10000,
     find_often, 0, true},
    WAIT("waits-for-lock", WAIT_LOCK),
    WAIT("waits-parked", WAIT_PARK),
    WAIT("waits-asleep", WAIT_SLEEP),
    WAIT("waits-for-socket", WAIT_IO),
    WAIT("waits-for-binder", WAIT_BINDER),
    {"waits-in-own-body", "Wall time of an own method's self less its CPU time.", 16700000, find_own_body, 0,
     true},
    {"long-messages", "Calls of Handler.dispatchMessage, from the log of calls.", 1, rule_long_messages, 0,
     true},
    {"outlier", "Calls of own methods of at least 16.7 ms, five times as long as the next one of the method.",
     16700000, rule_outlier, 0, true},
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
    {"threads", "Work of each thread.", 50, find_threads, 0, true},
    {"gc", "Work of the runtime's threads that collect garbage.", 20, find_runtime, 0, true},
    {"jit", "Work of the runtime's threads that compile.", 20, find_runtime, 1, true},
    {"tracer", "The cost of reading the clocks, as the file says it, for each record.", 50, find_tracer, 0,
     true},
};
const size_t RULES_COUNT = sizeof(RULES) / sizeof(RULES[0]);
