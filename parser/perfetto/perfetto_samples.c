/* CPU samples: of linux.perf (PerfSample), of Chrome's sampler (StreamingProfilePacket), and of samplers
 * that say what they count (StackSample); protos/perfetto/trace/profiling/profile_packet.proto,
 * stack_sample.proto. */
#include "parser/perfetto/perfetto_impl.h"

enum { NS_PER_US = 1000 };

static uint32_t thread_of(struct perfetto *t, uint32_t pid, uint32_t tid)
{
    struct pf_samples *all = &t->samples;
    uint64_t key = (uint64_t)pid << 32 | tid;
    uint32_t id = idmap_get(&all->thread_ids, key);

    if (id != IDMAP_NONE)
        return id;
    if (!ARENA_ROOM(t->arena, all->threads, all->threads_capacity, all->n_threads + 1))
        return PERFETTO_NONE;
    if (all->n_threads >= t->limits->threads) {
        diag_set(t->diag, DIAG_LIMIT, "too many threads", "Record fewer processes.",
                 "The trace has samples of more than %u threads.", t->limits->threads);
        return PERFETTO_NONE;
    }
    if (!idmap_set(&all->thread_ids, key, (uint32_t)all->n_threads))
        return PERFETTO_NONE;
    all->threads[all->n_threads] = (struct pf_thread){pid, tid};
    return (uint32_t)all->n_threads++;
}

static bool add(struct perfetto *t, const struct pf_sample *sample)
{
    struct pf_samples *all = &t->samples;

    if (arena_stopped_at(t->arena, all->n_samples) ||
        !ARENA_ROOM(t->arena, all->samples, all->samples_capacity, all->n_samples + 1))
        return false;
    all->samples[all->n_samples++] = *sample;
    return true;
}

/* A sample of an interned stack. It waits where the stack is not there yet. */
static bool add_interned(struct perfetto *t, struct pf_sequence *s, const struct pf_waiting *w)
{
    struct pf_raw_stack *stack;

    if (w->thread == PERFETTO_NONE || !pf_interned_stack(t, &s->interned, w->stack, &stack))
        return false;
    if (stack != NULL)
        return add(t, &(struct pf_sample){w->time_ns, w->thread, stack->known, w->weight});
    if (arena_stopped_at(t->arena, s->n_waiting) ||
        !ARENA_ROOM(t->arena, s->waiting, s->waiting_capacity, s->n_waiting + 1))
        return false;
    s->waiting[s->n_waiting++] = *w;
    return true;
}

bool pf_samples_settle(struct perfetto *t, struct pf_sequence *s)
{
    for (size_t i = 0; i < s->n_waiting; i++) {
        const struct pf_waiting *w = &s->waiting[i];
        struct pf_raw_stack *stack;
        if (arena_stopped_at(t->arena, i) || !pf_interned_stack(t, &s->interned, w->stack, &stack))
            return false;
        if (stack == NULL)
            pf_warn(t, WARN_NO_STACK, 1);
        else if (!add(t, &(struct pf_sample){w->time_ns, w->thread, stack->known, w->weight}))
            return false;
    }
    s->n_waiting = 0;
    return true;
}

bool pf_perf_sample(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p)
{
    struct protobuf_field f[20];

    protobuf_fields(p->data, f, 20);
    uint64_t lost = f[17].value;
    bool has_stack = f[4].number != 0, was_skipped = f[18].number != 0, is_event = f[19].number != 0;
    pf_warn(t, WARN_SAMPLES_LOST, lost);
    if (lost > 0 || is_event)
        return true;
    if (!has_stack) {
        pf_warn(t, was_skipped ? WARN_SAMPLES_SKIPPED : WARN_COUNTER_ONLY, 1);
        return true;
    }
    return add_interned(t, s,
                        &(struct pf_waiting){f[4].value, p->time_ns, 1,
                                             thread_of(t, (uint32_t)f[2].value, (uint32_t)f[3].value)});
}

/* Lists of stacks and of the µs between them. Without deltas all are of the packet's time. */
bool pf_streaming_samples(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p)
{
    struct protobuf m = protobuf_of_bytes(p->data), deltas = protobuf_of(NULL, 0);
    struct protobuf_field f, delta_field = {.wire = PROTOBUF_BYTES};
    uint64_t time_ns = s->has_reference ? s->reference_us * NS_PER_US : p->time_ns, value, delta;
    uint32_t thread = thread_of(t, s->thread.pid, s->thread.tid);

    while (protobuf_next(&m, &f))
        if (f.number == 2 && f.wire == PROTOBUF_BYTES)
            delta_field = f, deltas = protobuf_list(&f);
    m = protobuf_of_bytes(p->data);
    while (protobuf_next(&m, &f)) {
        if (f.number != 1)
            continue;
        for (struct protobuf list = protobuf_list(&f); protobuf_list_next(&f, &list, &value);) {
            if (protobuf_list_next(&delta_field, &deltas, &delta) && delta < INT64_MAX / NS_PER_US)
                time_ns += delta * NS_PER_US;
            if (!add_interned(t, s, &(struct pf_waiting){value, time_ns, 1, thread}))
                return false;
        }
    }
    s->reference_us = time_ns / NS_PER_US;
    return true;
}

/* ---- StackSample ---- */

/* InlineCallstack: frames of names, the outermost first. PERFETTO_NONE when the arena gives no more, or of
 * no frame. */
static bool inline_stack(struct perfetto *t, struct str message, uint32_t *stack)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, part[4];

    *stack = PERFETTO_NONE;
    while (protobuf_next(&m, &f)) {
        if (f.number != 1)
            continue;
        protobuf_fields(f.bytes, part, 4);
        struct pf_frame frame = {.mapping = PERFETTO_NONE,
                                 .name = pf_string(t, part[1].bytes),
                                 .file = pf_string(t, part[2].bytes),
                                 .line = part[3].value > INT32_MAX ? 0 : (uint32_t)part[3].value};
        uint32_t id =
            frame.name == STRING_NONE || frame.file == STRING_NONE ? PERFETTO_NONE : pf_frame(t, &frame);
        if (id == PERFETTO_NONE || (*stack = pf_stack(t, *stack, id)) == PERFETTO_NONE)
            return false;
    }
    return true;
}

bool pf_stack_sample(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p)
{
    struct protobuf_field f[12], task_fields[4];
    uint64_t time_ns = p->time_ns;

    protobuf_fields(p->data, f, 12);
    protobuf_fields(f[1].bytes, task_fields, 4);
    struct pf_task task = {(uint32_t)task_fields[2].value, (uint32_t)task_fields[3].value};
    uint32_t at = idmap_get(&s->interned.ids[PF_TASK], f[2].value), stack;
    if (f[2].number != 0 && at != IDMAP_NONE)
        task = s->interned.tasks[at];
    uint64_t weight = f[11].number != 0 ? f[11].value : 1;
    uint32_t thread = thread_of(t, task.pid, task.tid);
    if (f[5].number == 0)
        return add_interned(t, s, &(struct pf_waiting){f[6].value, time_ns, weight, thread});
    if (thread == PERFETTO_NONE || !inline_stack(t, f[5].bytes, &stack))
        return false;
    if (stack == PERFETTO_NONE)
        pf_warn(t, WARN_NO_STACK, 1);
    return stack == PERFETTO_NONE || add(t, &(struct pf_sample){time_ns, thread, stack, weight});
}
