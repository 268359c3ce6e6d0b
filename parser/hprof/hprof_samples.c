#include "parser/hprof/hprof_samples.h"

#include <stdio.h>

#include "core/number.h"
#include "core/order.h"

bool hprof_failed(struct hprof *h)
{
    return builder_failed(h->builder, h->diag);
}

bool hprof_refuse_dump(struct diag *diag)
{
    return diag_set(
        diag, DIAG_FOREIGN, "heap dump",
        "It opens in Android Studio, or in Eclipse MAT after hprof-conv. To see who allocates, record a heap "
        "profile with Perfetto (heapprofd).",
        "This is a heap dump in the hprof format: the objects of one moment, and no stacks over time.");
}

bool hprof_begin(struct hprof *h, struct reading *r)
{
    struct builder *b = r->builder;
    static const struct profile_value SAMPLES = {STR_INIT("samples"), STR_INIT("samples"), UNIT_COUNT,
                                                 ROLE_SAMPLES};

    *h = (struct hprof){.builder = b, .limits = r->limits, .diag = r->diag};
    idmap_init(&h->threads, builder_arena(b), builder_seed(b));
    idmap_init(&h->stacks, builder_arena(b), builder_seed(b));
    return builder_values(b, NULL, 0, &SAMPLES, 1) || hprof_failed(h);
}

string_id hprof_name(struct hprof *h, struct str name, uint64_t offset)
{
    string_id id = builder_name(h->builder, name, h->limits->name_bytes, offset);

    if (id == STRING_NONE)
        hprof_failed(h);
    return id;
}

static bool too_many_threads(struct hprof *h)
{
    diag_set(h->diag, DIAG_LIMIT, "too many threads", "Record fewer threads.",
             "The file lists more threads than the limit of %u.", h->limits->threads);
    h->diag->topic = DIAG_ABOUT_THREADS;
    return false;
}

bool hprof_thread(struct hprof *h, uint32_t thread, struct str name, uint64_t offset)
{
    uint32_t place = idmap_get(&h->threads, thread);
    string_id id = hprof_name(h, name, offset);

    if (id == STRING_NONE)
        return false;
    if (place != IDMAP_NONE) {
        if (h->names[place] != id)
            builder_warn(h->builder, WARN_THREAD_REDEFINED, 1, offset);
        h->names[place] = id;
        return true;
    }
    if (h->n_names >= h->limits->threads)
        return too_many_threads(h);
    if (!ARENA_ROOM(builder_arena(h->builder), h->names, h->names_capacity, h->n_names + 1))
        return hprof_failed(h);
    h->names[h->n_names] = id;
    return idmap_set(&h->threads, thread, (uint32_t)h->n_names++) || hprof_failed(h);
}

/* The stack of that number, made if it is new. NULL: diag is set. */
static struct hprof_stack *stack_of(struct hprof *h, uint32_t number)
{
    uint32_t place = idmap_get(&h->stacks, number);

    if (place == IDMAP_NONE) {
        if (!ARENA_ROOM(builder_arena(h->builder), h->list, h->stacks_capacity, h->n_stacks + 1) ||
            !idmap_set(&h->stacks, number, (uint32_t)h->n_stacks)) {
            hprof_failed(h);
            return NULL;
        }
        place = (uint32_t)h->n_stacks++;
        h->list[place] = (struct hprof_stack){.thread = 0};
    }
    return &h->list[place];
}

bool hprof_stack(struct hprof *h, uint32_t stack, uint32_t thread, uint64_t offset)
{
    struct hprof_stack *s = stack_of(h, stack);

    if (s == NULL)
        return false;
    if (s->listed)
        builder_warn(h->builder, WARN_STACK_REDEFINED, 1, offset);
    s->thread = thread;
    s->first = h->n_frames;
    s->n = 0;
    s->listed = true;
    h->current = (uint32_t)(s - h->list);
    return true;
}

bool hprof_frame(struct hprof *h, frame_id frame)
{
    if (!ARENA_ROOM(builder_arena(h->builder), h->frames, h->frames_capacity, h->n_frames + 1) ||
        frame == FRAME_NONE)
        return hprof_failed(h);
    h->frames[h->n_frames++] = frame;
    h->list[h->current].n++;
    return true;
}

bool hprof_count(struct hprof *h, uint32_t stack, uint64_t count)
{
    struct hprof_stack *s = stack_of(h, stack);

    if (s == NULL)
        return false;
    s->count = number_add(s->count, count);
    h->counted = number_add(h->counted, count);
    return true;
}

/* ---- at the end ---- */

/* For stacks without a thread: a number that no thread has, be it listed or only named by a stack. False: no memory. */
static bool free_number(const struct hprof *h, uint32_t *number)
{
    struct idmap named;

    idmap_init(&named, builder_arena(h->builder), builder_seed(h->builder));
    for (size_t i = 0; i < h->n_stacks; i++)
        if (h->list[i].listed && !idmap_set(&named, h->list[i].thread, 0))
            return false;
    *number = 1;
    /* It takes one look more than there are threads and stacks at most, and their number has a limit. */
    while (idmap_get(&h->threads, *number) != IDMAP_NONE || idmap_get(&named, *number) != IDMAP_NONE)
        ++*number;
    return true;
}

/* The track of a thread, made when its first stack comes. NODE_NONE: no memory. */
static uint32_t track_of(struct hprof *h, struct idmap *tracks, uint32_t thread)
{
    uint32_t track = idmap_get(tracks, thread), place = idmap_get(&h->threads, thread), id = thread;
    string_id name;
    char text[32];

    if (track != IDMAP_NONE)
        return track;
    if (thread == 0) {
        name = free_number(h, &id) ? builder_string(h->builder, STR("all threads")) : STRING_NONE;
    } else if (place != IDMAP_NONE) {
        name = h->names[place];
    } else {
        builder_warn(h->builder, WARN_UNKNOWN_THREAD, 1, WARNING_NO_OFFSET);
        snprintf(text, sizeof(text), "Thread-%u", thread);
        name = builder_string(h->builder, str_of(text));
    }
    track = name == STRING_NONE ? NODE_NONE : builder_track(h->builder, id, name);
    if (track != NODE_NONE && thread == 0)
        builder_track_is(h->builder, track, &(struct track_words){.kind = TRACK_WHOLE, .number = id});
    return track != NODE_NONE && idmap_set(tracks, thread, track) ? track : NODE_NONE;
}

static bool add_stack(struct hprof *h, struct idmap *tracks, const struct hprof_stack *s, frame_id unknown)
{
    uint32_t track = track_of(h, tracks, s->listed ? s->thread : 0);
    frame_id *frames = s->n > 0 ? h->frames + s->first : &unknown;
    size_t n = s->n > 0 ? s->n : 1;

    if (!s->listed)
        builder_warn(h->builder, WARN_UNKNOWN_STACK, s->count, WARNING_NO_OFFSET);
    /* Each stack has frames of its own and comes here once: they can be turned in place. */
    order_reverse(frames, n);
    return track != NODE_NONE &&
           builder_sample(h->builder, track, builder_stack(h->builder, track, NODE_NONE, frames, n),
                          &s->count);
}

/* Stacks of the recorder's depth, or as many as are of the largest one, if it is not known. */
static uint64_t stacks_of_depth(const struct hprof *h, size_t depth)
{
    uint64_t n = 0;

    for (size_t i = 0; i < h->n_stacks; i++)
        n += h->list[i].n == depth;
    return n;
}

static void judge_depth(struct hprof *h)
{
    size_t depth = h->depth;

    for (size_t i = 0; h->depth == 0 && i < h->n_stacks; i++)
        depth = h->list[i].n > depth ? h->list[i].n : depth;
    uint64_t deepest = depth > 0 ? stacks_of_depth(h, depth) : 0;
    /* One stack of the largest depth need not be cut. */
    if (deepest > (h->depth == 0 ? 1u : 0u))
        builder_warn(h->builder, WARN_STACKS_CUT, deepest, WARNING_NO_OFFSET);
}

static bool note_facts(struct hprof *h)
{
    char text[32];

    judge_depth(h);
    if (h->declared > h->counted)
        builder_warn(h->builder, WARN_SAMPLES_MISSING, h->declared - h->counted, WARNING_NO_OFFSET);
    if (h->depth == 0)
        return true;
    snprintf(text, sizeof(text), "%u", h->depth);
    return builder_fact(h->builder, STR("stack_depth"), str_of(text)) || hprof_failed(h);
}

static bool no_samples(struct hprof *h)
{
    if (!h->has_counts)
        return diag_set(
            h->diag, DIAG_UNUSABLE, "no samples",
            "Stop the recording first, then fetch the file. Record with CPU samples (cpu=samples).",
            "The file is of the hprof format, but has no counts of CPU samples: it was cut, or recorded "
            "something else.");
    return diag_set(h->diag, DIAG_UNUSABLE, "no samples", "Record for a longer time, while the app works.",
                    "The file is of the hprof format, and has no CPU sample.");
}

bool hprof_finish(struct hprof *h)
{
    struct profile_frame unknown = {.name = builder_string(h->builder, STR("unknown"))};
    struct idmap tracks;

    if (h->diag->kind != DIAG_NONE)
        return false;
    if (h->counted == 0)
        return no_samples(h);
    idmap_init(&tracks, builder_arena(h->builder), builder_seed(h->builder));
    frame_id frame = unknown.name == STRING_NONE ? FRAME_NONE : builder_frame(h->builder, &unknown);
    if (frame == FRAME_NONE)
        return hprof_failed(h);
    for (size_t i = 0; i < h->n_stacks; i++)
        if (h->list[i].count > 0 && !add_stack(h, &tracks, &h->list[i], frame))
            return hprof_failed(h);
    return note_facts(h);
}
