/* Which thread and process a tid and a pid are of, at the time of a record: numbers are used again. The rules are those of
 * the reference reader (src/trace_processor/importers/common/process_tracker.cc). */
#include "parser/systrace/systrace_impl.h"

/* The thread of the same process that knows it. Paths are halved while they are walked. */
static uint32_t group_of(const struct systrace *s, uint32_t thread)
{
    while (s->threads[thread].group != thread) {
        uint32_t up = s->threads[thread].group;
        s->threads[thread].group = s->threads[up].group;
        thread = up;
    }
    return thread;
}

uint32_t sy_process_of(const struct systrace *s, uint32_t thread)
{
    return s->threads[group_of(s, thread)].process;
}

bool sy_is_main(const struct systrace *s, uint32_t thread)
{
    uint32_t process = sy_process_of(s, thread);

    return process != SY_NONE && s->processes[process].pid == s->threads[thread].tid;
}

/* The newest thread of that tid; SY_NONE: there is none. */
static uint32_t newest(struct systrace *s, uint32_t tid)
{
    struct sy_recent *recent = &s->recent[tid % SY_RECENT];

    if (recent->tid != tid || recent->thread == SY_NONE)
        *recent = (struct sy_recent){tid, idmap_get(&s->tids, tid)};
    return recent->thread;
}

/* The living thread of that tid, of that process or of one that is not known; pid SY_NONE: of any. */
uint32_t sy_find(struct systrace *s, uint32_t tid, uint32_t pid)
{
    enum { OLDER_MAX = 64 };
    uint32_t at = newest(s, tid);

    for (unsigned i = 0; at != SY_NONE && i < OLDER_MAX; at = s->threads[at].older, i++) {
        uint32_t process = sy_process_of(s, at);
        if (s->threads[at].ended || (process != SY_NONE && s->processes[process].ended))
            continue;
        if (process == SY_NONE || pid == SY_NONE || s->processes[process].pid == pid)
            return at;
    }
    return SY_NONE;
}

uint32_t sy_new_thread(struct systrace *s, uint32_t tid)
{
    uint32_t id = (uint32_t)s->n_threads;

    if (!ARENA_ROOM(s->arena, s->threads, s->threads_capacity, s->n_threads + 1))
        return SY_NONE;
    s->threads[id] = (struct sy_thread){.tid = tid,
                                        .group = id,
                                        .process = SY_NONE,
                                        .older = newest(s, tid),
                                        .name = STRING_EMPTY,
                                        .opened = SY_NONE,
                                        .stopped = SY_NONE,
                                        .asks = SY_NONE,
                                        .serves = SY_NONE,
                                        .own = SY_NONE,
                                        .tracks = SY_NONE};
    s->n_threads++;
    s->recent[tid % SY_RECENT] = (struct sy_recent){tid, id};
    return idmap_set(&s->tids, tid, id) ? id : SY_NONE;
}

uint32_t sy_thread(struct systrace *s, uint32_t tid)
{
    uint32_t found = sy_find(s, tid, SY_NONE);

    return found != SY_NONE ? found : sy_new_thread(s, tid);
}

static uint32_t add_process(struct systrace *s, uint32_t pid)
{
    uint32_t id = (uint32_t)s->n_processes;

    if (!ARENA_ROOM(s->arena, s->processes, s->processes_capacity, s->n_processes + 1))
        return SY_NONE;
    s->processes[id] = (struct sy_process){.pid = pid, .name = STRING_EMPTY};
    s->n_processes++;
    return idmap_set(&s->pids, pid, id) ? id : SY_NONE;
}

/* The thread is of this process, and so are those that belong with it. */
static void join(struct systrace *s, uint32_t thread, uint32_t process)
{
    uint32_t group = group_of(s, thread);

    if (s->threads[group].process == SY_NONE)
        s->threads[group].process = process;
}

uint32_t sy_process(struct systrace *s, uint32_t pid)
{
    uint32_t found = idmap_get(&s->pids, pid);

    if (found != IDMAP_NONE)
        return found;
    found = add_process(s, pid);
    if (found == SY_NONE)
        return SY_NONE;
    uint32_t main = sy_find(s, pid, pid);
    if (main == SY_NONE)
        main = sy_new_thread(s, pid);
    if (main == SY_NONE)
        return SY_NONE;
    join(s, main, found);
    return found;
}

/* Whether both live, and the thread is known to be of that process. */
static bool lives_in(const struct systrace *s, uint32_t thread, uint32_t pid)
{
    uint32_t process = sy_process_of(s, thread);

    return !s->threads[thread].ended && process != SY_NONE && !s->processes[process].ended &&
           s->processes[process].pid == pid;
}

uint32_t sy_thread_of(struct systrace *s, uint32_t tid, uint32_t pid)
{
    uint32_t known = newest(s, tid);

    if (known != SY_NONE && lives_in(s, known, pid)) /* as nearly always */
        return known;
    uint32_t process = sy_process(s, pid), thread = process == SY_NONE ? SY_NONE : sy_find(s, tid, pid);

    if (process != SY_NONE && thread == SY_NONE)
        thread = sy_new_thread(s, tid);
    if (thread != SY_NONE)
        join(s, thread, process);
    return thread;
}

/* Two threads of one process, of which perhaps neither tells which. */
void sy_associate(struct systrace *s, uint32_t a, uint32_t b)
{
    uint32_t x = group_of(s, a), y = group_of(s, b);

    if (x == y || (s->threads[x].process != SY_NONE && s->threads[y].process != SY_NONE))
        return;
    if (s->threads[x].process != SY_NONE)
        s->threads[y].group = x;
    else
        s->threads[x].group = y;
}

/* The pid is of another process from now on. */
uint32_t sy_new_process(struct systrace *s, uint32_t pid)
{
    uint32_t old = idmap_get(&s->pids, pid);

    if (old != IDMAP_NONE)
        s->processes[old].ended = true;
    uint32_t main = sy_new_thread(s, pid), process = main == SY_NONE ? SY_NONE : add_process(s, pid);
    if (process != SY_NONE)
        join(s, main, process);
    return process;
}

void sy_end(struct systrace *s, uint32_t tid)
{
    uint32_t thread = sy_find(s, tid, SY_NONE);

    if (thread == SY_NONE)
        return;
    uint32_t process = sy_process_of(s, thread);
    s->threads[thread].ended = true;
    if (process != SY_NONE && s->processes[process].pid == tid)
        s->processes[process].ended = true;
}

void sy_name_thread(struct systrace *s, uint32_t thread, string_id name, uint8_t rank)
{
    struct sy_thread *t = &s->threads[thread];

    if (name != STRING_EMPTY && rank >= t->rank)
        t->name = name, t->rank = rank;
}

void sy_name_process(struct systrace *s, uint32_t process, string_id name, uint8_t rank)
{
    struct sy_process *p = &s->processes[process];

    if (name != STRING_EMPTY && rank >= p->rank)
        p->name = name, p->rank = rank;
}
