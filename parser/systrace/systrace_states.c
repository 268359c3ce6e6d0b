/* Records in the order of time, for the first time: whose they are, what threads and processes are called, and in which
 * state each thread is. A state is known only when it ends (what a thread waited for is told when it is woken), so it is
 * written into the record that began it, and told to the builder in a second pass (systrace_slices.c).
 *
 * The rules are those of the reference reader (importers/common/thread_state_tracker.cc, types/task_state.cc). */
#include "parser/systrace/systrace_impl.h"

enum {
    RANK_COMM = 1,
    RANK_DESCRIPTOR = 4,
    RANK_PROCESS = 4,
    RANK_PROCESS_DESCRIPTOR = 2,
    CLONE_THREAD = 0x10000
};

/* ---- prev_state ---- */

/* Bits that all kernels have: S D T t X Z. Behind them each kernel has its own. */
enum {
    BIT_SLEEP = 1,
    BIT_DISK = 2,
    BITS_GONE = 0x30,
    BITS_ALL = 0x3f,
    BITS_PARKED_IDLE = 0xc0, /* from 4.14 on: P, I */
    BIT_PREEMPTED = 0x100,   /* from 4.14 on: R+ */
    BITS_INVALID = 0xfe00,   /* from 4.14 on */
    BITS_OLD = 0x7c0,        /* before: x, K, W, P, N */
    BIT_OLD_NO_LOAD = 0x400,
    KERNEL_NEW = 4014
};

/* What a thread does that stops with this state. */
static uint8_t state_of(const struct systrace *s, uint32_t why)
{
    uint32_t rest = s->new_states ? why & BITS_PARKED_IDLE : why & BITS_OLD;

    if (s->new_states && (why & BITS_INVALID) != 0)
        return SY_UNKNOWN;
    if ((why & BITS_GONE) != 0)
        return SY_GONE;
    if ((why & BIT_SLEEP) != 0)
        return SY_SLEEPING;
    if ((why & BIT_DISK) != 0)
        return !s->new_states && (why & BIT_OLD_NO_LOAD) != 0 ? SY_UNKNOWN : SY_BLOCKED_STATE;
    return (why & BITS_ALL) == 0 && rest == 0 ? SY_RUNNABLE : SY_UNKNOWN;
}

void sy_see_state(struct systrace *s, uint32_t why)
{
    s->has_preempted = s->has_preempted || why == BIT_PREEMPTED;
    s->has_invalid = s->has_invalid || (why & BITS_INVALID) != 0;
}

/* Without a word of the kernel: 0x100 alone is what new ones write for a thread that was preempted. */
static bool has_new_states(const struct systrace *s)
{
    return s->kernel != 0 ? s->kernel >= KERNEL_NEW : s->has_preempted && !s->has_invalid;
}

/* ---- states ---- */

static void see(struct systrace *s, uint32_t thread, uint64_t time)
{
    struct sy_thread *t = &s->threads[thread];

    t->first = t->seen && t->first < time ? t->first : time;
    t->last = t->seen && t->last > time ? t->last : time;
    t->seen = true;
}

/* The thread is in another state from the record at `at` on. */
static void turn(struct systrace *s, uint32_t thread, uint8_t state, uint32_t at)
{
    struct sy_thread *t = &s->threads[thread];

    if (t->tid == 0)
        return;
    see(s, thread, s->records[at].time);
    t->has_sched = true;
    t->state = state;
    t->opened = state == SY_RUNNING ? SY_NONE : at;
    if (state == SY_RUNNING)
        t->stopped = SY_NONE;
    else if (state != SY_RUNNABLE)
        t->stopped = at;
}

/* One that stops without having run was seen last in a state that had ended unseen. */
static void switched(struct systrace *s, uint32_t at, uint32_t stops, uint32_t next)
{
    struct sy_record *r = &s->records[at];
    struct sy_thread *t = &s->threads[stops];

    if (t->tid != 0 && t->has_sched && t->state != SY_RUNNING) {
        sy_lost(s, SY_LOST_STATES, 1);
        if (t->opened != SY_NONE)
            s->records[t->opened].state = SY_UNKNOWN;
    }
    r->thread = stops;
    r->a = next;
    r->state = state_of(s, r->b);
    turn(s, stops, r->state, at);
    turn(s, next, SY_RUNNING, at);
}

static bool on_switch(struct systrace *s, uint32_t at)
{
    struct sy_record *r = &s->records[at];
    uint32_t next = sy_thread(s, r->a), stops = next == SY_NONE ? SY_NONE : sy_thread(s, r->thread);
    uint32_t cpu = (uint32_t)(r->rank - 2);

    if (stops == SY_NONE)
        return false;
    s->cpus[cpu] = next;
    switched(s, at, stops, next);
    return true;
}

/* The first one of a CPU tells only who goes on, and nothing of when. */
static bool on_compact(struct systrace *s, uint32_t at, bool late)
{
    struct sy_record *r = &s->records[at];
    uint32_t cpu = (uint32_t)(r->rank - 2), stops = s->cpus[cpu], next = sy_thread(s, r->a);

    if (next == SY_NONE)
        return false;
    s->cpus[cpu] = next;
    r->kind = SY_IGNORED;
    if (stops == SY_NONE || late)
        return true;
    r->kind = SY_SWITCH;
    switched(s, at, stops, next);
    return true;
}

static bool on_waking(struct systrace *s, uint32_t at)
{
    struct sy_record *r = &s->records[at];
    uint32_t thread = sy_thread(s, r->a);
    uint32_t waker = r->kind == SY_WAKING ? sy_thread(s, r->thread) : s->cpus[r->rank - 2];

    if (thread == SY_NONE || waker == SY_NONE)
        return false;
    const struct sy_thread *t = &s->threads[thread];
    r->thread = thread;
    r->a = waker;
    /* One that was preempted is woken too: it goes on waiting for a processor. */
    bool preempted = t->has_sched && t->state == SY_RUNNABLE && s->records[t->opened].kind == SY_SWITCH &&
                     s->records[t->opened].b != 0;
    if (t->tid == 0 ||
        (t->has_sched && (t->state == SY_RUNNING || (t->state == SY_RUNNABLE && !preempted)))) {
        r->kind = SY_IGNORED;
        return true;
    }
    r->kind = SY_WAKING;
    s->n_wakings++;
    r->state = SY_RUNNABLE;
    turn(s, thread, SY_RUNNABLE, at);
    return true;
}

static void on_blocked(struct systrace *s, const struct sy_record *r)
{
    uint32_t thread = sy_find(s, r->a, SY_NONE);
    uint32_t stopped = thread == SY_NONE ? SY_NONE : s->threads[thread].stopped;

    if (stopped != SY_NONE && r->b != 0 && s->records[stopped].state == SY_BLOCKED_STATE)
        s->records[stopped].state = SY_IO;
}

static bool on_new(struct systrace *s, uint32_t at)
{
    struct sy_record *r = &s->records[at];
    uint32_t from = sy_thread(s, r->thread), made = SY_NONE;

    if (from == SY_NONE)
        return false;
    if ((r->b & CLONE_THREAD) != 0) {
        made = sy_new_thread(s, r->a);
        if (made != SY_NONE)
            sy_associate(s, from, made);
    } else if (sy_new_process(s, r->a) != SY_NONE) {
        made = sy_find(s, r->a, r->a);
    }
    if (made == SY_NONE)
        return false;
    r->thread = made;
    r->state = SY_RUNNABLE;
    turn(s, made, SY_RUNNABLE, at);
    return true;
}

/* ---- names ---- */

static bool on_comm(struct systrace *s, const struct sy_record *r)
{
    uint32_t thread = sy_thread(s, r->a);

    if (thread == SY_NONE)
        return false;
    sy_name_thread(s, thread, r->b, RANK_COMM);
    if (r->kind == SY_RENAME && sy_is_main(s, thread))
        sy_name_process(s, sy_process_of(s, thread), r->b, RANK_PROCESS);
    return true;
}

static bool on_process(struct systrace *s, const struct sy_record *r)
{
    const struct sy_extra *e = &s->extras[r->b];
    uint32_t parent = sy_process(s, (uint32_t)e->value), process = sy_process(s, r->a);

    if (parent == SY_NONE || process == SY_NONE)
        return false;
    sy_name_process(s, process, e->name, RANK_PROCESS);
    if (e->id > 0) {
        s->processes[process].has_uid = true;
        s->processes[process].uid = (uint32_t)(e->id - 1);
    }
    return true;
}

static bool on_thread(struct systrace *s, const struct sy_record *r)
{
    uint32_t thread = sy_thread_of(s, r->thread, r->a);

    if (thread != SY_NONE)
        sy_name_thread(s, thread, r->b, r->state);
    return thread != SY_NONE;
}

static bool on_package(struct systrace *s, const struct sy_record *r)
{
    if (idmap_get(&s->packages, r->a) != IDMAP_NONE)
        return true;
    s->n_packages++;
    s->package = r->b;
    return idmap_set(&s->packages, r->a, r->b);
}

static bool on_descriptor(struct systrace *s, const struct sy_record *r)
{
    const struct sy_extra *e = &s->extras[r->b];

    if (!sy_resolve(s, r->a))
        return false;
    const struct sy_descriptor *d = &s->descriptors[r->a];
    if (d->failed)
        return true;
    if (d->has_thread)
        sy_name_thread(s, d->thread, e->name, RANK_DESCRIPTOR);
    else if (d->has_process)
        sy_name_process(s, d->process, e->name, RANK_PROCESS_DESCRIPTOR);
    return true;
}

/* ---- sections ---- */

/* Whose a section is: the writing thread, which belongs to the process that it names. */
static bool on_section(struct systrace *s, struct sy_record *r)
{
    uint32_t thread;

    if (r->a == 0 && r->kind == SY_END) { /* first what can be foreseen */
        thread = sy_find(s, r->thread, SY_NONE);
        if (thread == SY_NONE) {
            sy_lost(s, SY_LOST_ENDS, 1);
            r->kind = SY_IGNORED;
            return true;
        }
    } else {
        thread = r->a != 0 ? sy_thread_of(s, r->thread, r->a) : sy_thread(s, r->thread);
    }
    if (thread == SY_NONE)
        return false;
    see(s, thread, r->time);
    r->thread = thread;
    return s->threads[thread].serves == SY_NONE || r->kind != SY_BEGIN || sy_binder_section(s, thread, r->b);
}

static bool on_async(struct systrace *s, struct sy_record *r)
{
    r->a = sy_process(s, r->a);
    return r->a != SY_NONE && sy_thread(s, r->thread) != SY_NONE;
}

static bool on_binder(struct systrace *s, uint32_t at)
{
    struct sy_record *r = &s->records[at];

    r->thread = sy_thread(s, r->thread);
    if (r->thread == SY_NONE)
        return false;
    see(s, r->thread, r->time);
    return sy_binder_settle(s, at);
}

/* Legacy events may name a thread, and so may their sequence. */
static bool on_track(struct systrace *s, struct sy_record *r)
{
    struct sy_extra *e = &s->extras[r->b];

    r->thread = SY_NONE;
    if (e->descriptor == SY_NONE) {
        r->thread = sy_thread_of(s, e->tid, e->pid);
        if (r->thread == SY_NONE)
            return false;
    } else {
        if (!sy_resolve(s, e->descriptor))
            return false;
        const struct sy_descriptor *d = &s->descriptors[e->descriptor];
        if (d->failed) {
            r->kind = SY_IGNORED;
            return true;
        }
        r->thread = d->thread;
    }
    if (r->thread != SY_NONE) {
        see(s, r->thread, r->time);
        if (e->duration > 0)
            see(s, r->thread, r->time + e->duration);
    }
    return true;
}

/* ---- all ---- */

static bool on_packet(struct systrace *s, struct sy_record *r)
{
    switch ((enum sy_kind)r->kind) {
    case SY_PROCESS:
        return on_process(s, r);
    case SY_THREAD:
        return on_thread(s, r);
    case SY_PACKAGE:
        return on_package(s, r);
    case SY_DESCRIPTOR:
        return on_descriptor(s, r);
    default:
        return on_track(s, r);
    }
}

static bool on_event(struct systrace *s, uint32_t at)
{
    struct sy_record *r = &s->records[at];

    switch ((enum sy_kind)r->kind) {
    case SY_SWITCH:
        return on_switch(s, at);
    case SY_COMPACT:
        return on_compact(s, at, false);
    case SY_WAKING_COMPACT:
        if (s->cpus[r->rank - 2] == SY_NONE) {
            r->kind = SY_IGNORED; /* of a CPU of which it is not known who runs there */
            return true;
        }
        return on_waking(s, at);
    case SY_WAKING:
        return on_waking(s, at);
    case SY_BLOCKED:
        on_blocked(s, r);
        return true;
    case SY_NEW:
        return on_new(s, at);
    case SY_COMM:
    case SY_RENAME:
        return on_comm(s, r);
    case SY_FREE:
        sy_end(s, r->a);
        return true;
    case SY_BEGIN:
    case SY_END:
    case SY_INSTANT:
        return on_section(s, r);
    case SY_ASYNC:
        return on_async(s, r);
    case SY_BINDER:
    case SY_RECEIVED:
    case SY_FAILED:
        return on_binder(s, at);
    default:
        return true;
    }
}

static bool is_packet(const struct sy_record *r)
{
    return r->kind <= SY_TRACK;
}

/* What came before the recording began was left in the kernel's buffer; before all CPUs have data nothing is whole.
 * Programs tell of what they began before, too, and that is shown: the trace begins with it. */
bool sy_settle(struct systrace *s)
{
    uint64_t drop = s->preserve ? 0 : s->started, whole = s->valid_from > drop ? s->valid_from : drop;

    if (!sy_sort(s))
        return false;
    s->new_states = has_new_states(s);
    s->begin = UINT64_MAX;
    s->end = s->end_seen;
    for (size_t i = 0; i < s->n_records; i++) {
        uint32_t at = (uint32_t)i;
        struct sy_record *r = &s->records[at];
        bool ok = true;
        if (arena_stopped_at(s->arena, i))
            return false;
        if (is_packet(r)) {
            ok = on_packet(s, r);
        } else if (r->time < whole) {
            sy_lost(s, SY_LOST_LATE, r->time >= drop);
            if (r->kind == SY_COMPACT)
                ok = r->time < drop || on_compact(s, at, true);
            else if (r->kind == SY_COMM)
                ok = r->time < drop || on_comm(s, r);
            r->kind = SY_IGNORED;
        } else {
            ok = on_event(s, at);
        }
        if (!ok)
            return false;
        if (r->kind != SY_TRACK && (is_packet(r) || r->time < drop))
            continue;
        uint64_t end = r->kind == SY_TRACK ? r->time + s->extras[r->b].duration : r->time;
        s->begin = r->time < s->begin ? r->time : s->begin;
        s->end = end > s->end ? end : s->end;
    }
    return true;
}
