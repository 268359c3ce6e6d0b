/* Whose trace it is, what its tracks are called, and what was lost. */
#include "core/number.h"
#include "parser/systrace/systrace_impl.h"

enum { FIRST_APP_UID = 10000, OTHER_PROCESSES_UID = 1000 };

static struct str text_of(const struct systrace *s, string_id id)
{
    return builder_text_of(s->builder, id);
}

/* ---- the app ---- */

static uint32_t process_named(const struct systrace *s, string_id name)
{
    struct str wanted = text_of(s, name);

    for (uint32_t i = 0; wanted.n > 0 && i < s->n_processes; i++)
        if (str_eq(text_of(s, s->processes[i].name), wanted))
            return i;
    return SY_NONE;
}

/* UiState names it by its pid or its name, AndroidX benchmark does so; or the end of a start does. */
static uint32_t named_app(const struct systrace *s)
{
    uint32_t found = s->highlighted_pid > 0 ? idmap_get(&s->pids, s->highlighted_pid) : SY_NONE;

    if (found == SY_NONE)
        found = process_named(s, s->highlighted);
    return found != SY_NONE ? found : process_named(s, s->launched);
}

/* Of a redacted trace: all others have become one process. */
static uint32_t only_app(const struct systrace *s)
{
    uint32_t found = SY_NONE, n = 0;

    if (process_named(s, builder_string(s->builder, STR("Other-Processes"))) == SY_NONE)
        return SY_NONE;
    for (uint32_t i = 0; i < s->n_processes; i++)
        if (s->processes[i].pid != 0 && s->processes[i].has_uid && s->processes[i].uid >= FIRST_APP_UID)
            found = i, n++;
    return n == 1 ? found : SY_NONE;
}

static bool is_platform(struct str name)
{
    return str_starts(name, STR("com.android.")) || str_starts(name, STR("com.google.android."));
}

/* How likely it is the app: one that is bound to its application, then an app that is not the platform's, then any; then
 * by time of its main thread in sections, then by time on processors. */
static bool is_likelier(const struct systrace *s, const struct sy_process *a, const struct sy_process *b)
{
    bool app_a = a->has_uid && a->uid >= FIRST_APP_UID && !is_platform(text_of(s, a->name));
    bool app_b = b->has_uid && b->uid >= FIRST_APP_UID && !is_platform(text_of(s, b->name));

    if (a->binds != b->binds)
        return a->binds;
    if (app_a != app_b)
        return app_a;
    if (a->sections != b->sections)
        return a->sections > b->sections;
    return a->running > b->running;
}

static uint32_t packaged_app(const struct systrace *s)
{
    for (uint32_t i = 0; s->n_packages == 1 && i < s->n_processes; i++)
        if (s->processes[i].has_uid && idmap_get(&s->packages, s->processes[i].uid) == s->package)
            return i;
    return SY_NONE;
}

static void find_app(struct systrace *s)
{
    s->app = named_app(s);
    if (s->app == SY_NONE)
        s->app = only_app(s);
    if (s->app == SY_NONE)
        s->app = packaged_app(s);
    for (uint32_t i = 0, best = SY_NONE; s->app == SY_NONE && i <= s->n_processes; i++) {
        if (i == s->n_processes)
            s->app = best;
        else if (s->processes[i].pid != 0 &&
                 (best == SY_NONE || is_likelier(s, &s->processes[i], &s->processes[best])))
            best = i;
        if (i == s->n_processes)
            break;
    }
}

/* What threads of a process have done together. */
static void sum_processes(struct systrace *s)
{
    for (uint32_t i = 0; i < s->n_threads; i++) {
        uint32_t process = sy_process_of(s, i);
        if (process != SY_NONE)
            s->processes[process].running =
                number_add(s->processes[process].running, s->threads[i].clocks[SY_RUNNING]);
    }
}

/* ---- names ---- */

/* The app's main thread is called main, as in traces of methods; that of another process as its process. */
static string_id thread_name(struct systrace *s, uint32_t thread)
{
    const struct sy_thread *t = &s->threads[thread];
    uint32_t process = sy_process_of(s, thread);

    if (process != SY_NONE && s->processes[process].pid == t->tid) {
        if (process == s->app)
            return builder_string(s->builder, STR("main"));
        if (s->processes[process].name != STRING_EMPTY)
            return s->processes[process].name;
    }
    return t->name != STRING_EMPTY ? t->name : sy_numbered(s, STR("Thread-"), t->tid);
}

static string_id async_name(struct systrace *s, const struct sy_track *t)
{
    struct buf b = {0};

    buf_z(&b, "async");
    if (t->name != STRING_EMPTY) {
        buf_char(&b, ' ');
        buf_str(&b, text_of(s, t->name));
    }
    return builder_string_of(s->builder, &b);
}

static bool name_track(struct systrace *s, const struct sy_track *t)
{
    struct track_words words = {
        .kind = TRACK_THREAD, .part = STRING_EMPTY, .group = sy_process_name(s, t->process)};
    string_id name;

    if (t->thread != SY_NONE) {
        const struct sy_thread *x = &s->threads[t->thread];
        bool own = x->own == (uint32_t)(t - s->tracks);
        words.kind = own ? TRACK_THREAD : TRACK_SECOND;
        words.number = x->tid;
        uint32_t process = sy_process_of(s, t->thread);
        words.group = sy_process_name(s, process);
        words.process = process != SY_NONE ? s->processes[process].pid : 0;
        name = own || t->name == STRING_EMPTY ? thread_name(s, t->thread) : t->name;
    } else {
        words.kind = TRACK_ASYNC;
        words.number = t->process != SY_NONE ? s->processes[t->process].pid : 0;
        name = async_name(s, t);
    }
    if (name == STRING_NONE || words.group == STRING_NONE)
        return false;
    builder_track_rename(s->builder, t->track, name);
    builder_track_is(s->builder, t->track, &words);
    return true;
}

/* ---- facts and warnings ---- */

static void put_warnings(struct systrace *s)
{
    static const enum warning_code CODES[SY_LOST] = {
        [SY_LOST_STATES] = WARN_STATES_LOST,  [SY_LOST_ENDS] = WARN_SECTION_ENDS,
        [SY_LOST_DEEP] = WARN_SECTION_DEEP,   [SY_LOST_OVERLAPS] = WARN_SECTION_OVERLAPS,
        [SY_LOST_CPU] = WARN_EVENTS_LOST,     [SY_LOST_BUFFER] = WARN_BUFFER_LOST,
        [SY_LOST_CLOCK] = WARN_CLOCK_FOREIGN, [SY_LOST_TEXT] = WARN_SECTION_TEXT,
        [SY_LOST_TRACKS] = WARN_TRACKS_MANY,  [SY_LOST_EVENTS] = WARN_EVENTS_UNREAD,
        [SY_LOST_LATE] = WARN_BEGINS_LATE,    [SY_LOST_COUNTS] = WARN_COUNTERS_MANY,
        [SY_LOST_FRAMES] = WARN_FRAMES_MANY,  [SY_LOST_NOTES] = WARN_NOTES_MANY};

    for (unsigned i = 0; i < SY_LOST; i++)
        if (s->lost[i] > 0)
            builder_warn(s->builder, CODES[i], s->lost[i], s->lost_at[i]);
    if (!s->has_sched)
        builder_warn(s->builder, WARN_NO_SCHEDULER, 1, WARNING_NO_OFFSET);
    else if (!s->has_reasons)
        builder_warn(s->builder, WARN_NO_REASONS, 1, WARNING_NO_OFFSET);
}

static bool put_facts(struct systrace *s)
{
    string_id app = sy_process_name(s, s->app);

    return app != STRING_NONE &&
           (app == STRING_EMPTY || builder_fact(s->builder, STR("app_process"), text_of(s, app))) &&
           (!s->clock_assumed || builder_fact(s->builder, STR("clock_assumed"), STR("monotonic")));
}

bool systrace_begins(struct systrace *s, uint64_t *ns)
{
    s->settled = s->settled || sy_settle(s);
    *ns = s->begin;
    return s->settled;
}

void systrace_began(struct systrace *s, uint64_t ns)
{
    s->began = ns;
}

struct systrace_whose systrace_whose(struct systrace *s, uint32_t pid, uint32_t tid)
{
    enum { OLDER_MAX = 64 };
    uint32_t at = idmap_get(&s->tids, tid), process = SY_NONE;

    for (unsigned i = 0; at != SY_NONE && i < OLDER_MAX; at = s->threads[at].older, i++) {
        process = sy_process_of(s, at);
        if (process == SY_NONE || s->processes[process].pid == pid)
            break;
        at = i + 1 < OLDER_MAX ? at : SY_NONE;
    }
    if (at == SY_NONE)
        return (struct systrace_whose){0, STRING_EMPTY, STRING_EMPTY};
    uint32_t own = s->threads[at].own;
    bool told = own != SY_NONE && s->tracks[own].track != SY_NONE;
    return (struct systrace_whose){told ? s->tracks[own].id : 0, thread_name(s, at),
                                   sy_process_name(s, process)};
}

bool systrace_has_track(const struct systrace *s, uint32_t id)
{
    return idmap_get(&s->track_ids, id) != IDMAP_NONE;
}

/* What is told is the builder's. The records take as much memory as the file, which a profile that stays would keep. */
static void release_records(struct systrace *s)
{
    arena_release(s->arena, s->records, s->records_capacity, sizeof(*s->records));
    arena_release(s->arena, s->extras, s->extras_capacity, sizeof(*s->extras));
    s->records = NULL;
    s->extras = NULL;
    s->n_records = s->records_capacity = s->n_extras = s->extras_capacity = 0;
}

bool systrace_result(struct systrace *s, const struct profile_value *beside, uint32_t n_beside)
{
    uint64_t begin;

    if (!systrace_begins(s, &begin))
        return false;
    s->begin = s->began < begin ? s->began : begin;
    if (!sy_declare(s) || (n_beside > 0 && !builder_values_beside(s->builder, beside, n_beside)) ||
        !sy_tell(s))
        return false;
    sum_processes(s);
    find_app(s);
    for (size_t i = 0; i < s->n_tracks; i++)
        if (s->tracks[i].track != SY_NONE && !name_track(s, &s->tracks[i]))
            return false;
    if (!sy_tell_counters(s) || !sy_tell_frames(s) || !sy_tell_notes(s) || !sy_tell_wakes(s))
        return false;
    release_records(s);
    put_warnings(s);
    return put_facts(s);
}
