/* CPU samples: of linux.perf (PerfSample), of Chrome's sampler (StreamingProfilePacket), and of samplers that say what they
 * count (StackSample); protos/perfetto/trace/profiling/profile_packet.proto, stack_sample.proto. */
#include "parser/perfetto/perfetto_impl.h"

enum { NS_PER_US = 1000 };

void pf_samples_init(struct perfetto *t)
{
    idmap_init(&t->samples.thread_ids, t->arena, t->seed);
}

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

    if (!ARENA_ROOM(t->arena, all->samples, all->samples_capacity, all->n_samples + 1))
        return false;
    all->samples[all->n_samples++] = *sample;
    return true;
}

/* A sample of an interned stack. It waits where the stack is not there yet. */
static bool add_interned(struct perfetto *t, struct pf_sequence *s, const struct pf_waiting *w)
{
    uint32_t stack;

    if (w->thread == PERFETTO_NONE || !pf_interned_stack(t, &s->interned, w->stack, &stack))
        return false;
    if (stack != PERFETTO_NONE)
        return add(t, &(struct pf_sample){w->time_ns, w->thread, stack, w->weight});
    if (!ARENA_ROOM(t->arena, s->waiting, s->waiting_capacity, s->n_waiting + 1))
        return false;
    s->waiting[s->n_waiting++] = *w;
    return true;
}

bool pf_samples_settle(struct perfetto *t, struct pf_sequence *s)
{
    for (size_t i = 0; i < s->n_waiting; i++) {
        const struct pf_waiting *w = &s->waiting[i];
        uint32_t stack;
        if (!pf_interned_stack(t, &s->interned, w->stack, &stack))
            return false;
        if (stack == PERFETTO_NONE)
            pf_warn(t, WARN_NO_STACK, 1);
        else if (!add(t, &(struct pf_sample){w->time_ns, w->thread, stack, w->weight}))
            return false;
    }
    s->n_waiting = 0;
    return true;
}

bool pf_perf_sample(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p)
{
    struct protobuf m = protobuf_of_bytes(p->data);
    struct protobuf_field f;
    uint64_t pid = 0, tid = 0, stack = 0, lost = 0;
    bool has_stack = false, is_event = false, skipped = false;

    while (protobuf_next(&m, &f))
        switch (f.number) {
        case 2:
            pid = f.value;
            break;
        case 3:
            tid = f.value;
            break;
        case 4:
            stack = f.value, has_stack = true;
            break;
        case 17:
            lost = f.value;
            break;
        case 18:
            skipped = true;
            break;
        case 19:
            is_event = true;
            break;
        default:
            break;
        }
    pf_warn(t, WARN_SAMPLES_LOST, lost);
    if (lost > 0 || is_event)
        return true;
    if (!has_stack) {
        pf_warn(t, skipped ? WARN_SAMPLES_SKIPPED : WARN_COUNTER_ONLY, 1);
        return true;
    }
    return add_interned(t, s,
                        &(struct pf_waiting){stack, pf_boot_ns(t, p->clock, p->timestamp), 1,
                                             thread_of(t, (uint32_t)pid, (uint32_t)tid)});
}

/* Lists of stacks and of the µs between them. Without deltas all are of the packet's time. */
bool pf_streaming_samples(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p)
{
    struct protobuf m = protobuf_of_bytes(p->data), deltas = protobuf_of(NULL, 0);
    struct protobuf_field f, delta_field = {.wire = PROTOBUF_BYTES};
    uint64_t time_ns = s->has_reference ? s->reference_us * NS_PER_US : pf_boot_ns(t, p->clock, p->timestamp),
             value, delta;
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

/* InlineCallstack: frames of names, the outermost first. PERFETTO_NONE when the arena gives no more, or of no frame. */
static bool inline_stack(struct perfetto *t, struct str message, uint32_t *stack)
{
    struct protobuf m = protobuf_of_bytes(message), one;
    struct protobuf_field f, part;

    *stack = PERFETTO_NONE;
    while (protobuf_next(&m, &f)) {
        struct pf_frame frame = {.mapping = PERFETTO_NONE};
        if (f.number != 1)
            continue;
        one = protobuf_of_bytes(f.bytes);
        while (protobuf_next(&one, &part))
            if (part.number == 1)
                frame.name = pf_string(t, part.bytes);
            else if (part.number == 2)
                frame.file = pf_string(t, part.bytes);
            else if (part.number == 3)
                frame.line = part.value > INT32_MAX ? 0 : (uint32_t)part.value;
        uint32_t id =
            frame.name == STRING_NONE || frame.file == STRING_NONE ? PERFETTO_NONE : pf_frame(t, &frame);
        if (id == PERFETTO_NONE || (*stack = pf_stack(t, *stack, id)) == PERFETTO_NONE)
            return false;
    }
    return true;
}

static struct pf_task task_of(struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct pf_task task = {0};

    while (protobuf_next(&m, &f))
        if (f.number == 2)
            task.pid = (uint32_t)f.value;
        else if (f.number == 3)
            task.tid = (uint32_t)f.value;
    return task;
}

bool pf_stack_sample(struct perfetto *t, struct pf_sequence *s, const struct pf_packet *p)
{
    struct protobuf m = protobuf_of_bytes(p->data);
    struct protobuf_field f;
    struct pf_task task = {0};
    struct str frames = {NULL, 0};
    uint64_t stack_id = 0, weight = 1, time_ns = pf_boot_ns(t, p->clock, p->timestamp);
    uint32_t at, stack;

    while (protobuf_next(&m, &f))
        switch (f.number) {
        case 1:
            task = task_of(f.bytes);
            break;
        case 2:
            at = idmap_get(&s->interned.ids[PF_TASK], f.value);
            task = at == IDMAP_NONE ? task : s->interned.tasks[at];
            break;
        case 5:
            frames = f.bytes;
            break;
        case 6:
            stack_id = f.value;
            break;
        case 11:
            weight = f.value;
            break;
        default:
            break;
        }
    uint32_t thread = thread_of(t, task.pid, task.tid);
    if (frames.p == NULL)
        return add_interned(t, s, &(struct pf_waiting){stack_id, time_ns, weight, thread});
    if (thread == PERFETTO_NONE || !inline_stack(t, frames, &stack))
        return false;
    if (stack == PERFETTO_NONE)
        pf_warn(t, WARN_NO_STACK, 1);
    return stack == PERFETTO_NONE || add(t, &(struct pf_sample){time_ns, thread, stack, weight});
}
