#include "profile/builder.h"

#include <string.h>

#include "profile/builder_impl.h"

struct builder *builder_new(struct arena *arena, struct hash_seed seed)
{
    struct builder *b = arena_alloc(arena, sizeof(*b));

    if (b == NULL)
        return NULL;
    b->arena = arena;
    b->seed = seed;
    b->ns_per_tick = 1000;
    b->wraps = true;
    hash_index_init(&b->frame_index, arena);
    idmap_init(&b->wide, arena, seed);
    idmap_init(&b->open, arena, seed);
    for (size_t i = 0; i < WARNING_CODES; i++)
        b->warnings[i].offset = WARNING_NO_OFFSET;
    return strtab_init(&b->strings, arena, seed) ? b : NULL;
}

static bool copy_str(struct builder *b, struct str *s)
{
    char *copy = arena_copy(b->arena, s->p, s->n);

    s->p = copy;
    return copy != NULL;
}

bool builder_values(struct builder *b, const struct profile_value *values, uint32_t n_values,
                    uint32_t n_clocks)
{
    b->n_values = n_values;
    b->n_clocks = n_clocks;
    b->stride = sizeof(struct fold_node) + n_values * sizeof(uint64_t);
    for (uint32_t i = 0; i < n_values; i++)
        if (!builder_redeclare(b, i, &values[i]))
            return false;
    return true;
}

bool builder_redeclare(struct builder *b, uint32_t value, const struct profile_value *as)
{
    struct profile_value copy = *as;

    if (!copy_str(b, &copy.name) || !copy_str(b, &copy.label))
        return false;
    b->values[value] = copy;
    return true;
}

void builder_clocks(struct builder *b, uint32_t ns_per_tick, bool wraps_at_32_bits)
{
    b->ns_per_tick = ns_per_tick;
    b->wraps = wraps_at_32_bits;
}

void builder_watch(struct builder *b, struct span_sink *sink)
{
    b->spans = sink;
}

string_id builder_string(struct builder *b, struct str s)
{
    return strtab_add(&b->strings, s);
}

static uint64_t frame_hash(const struct builder *b, const struct profile_frame *f)
{
    const uint32_t identity[4] = {f->scope, f->name, f->signature, f->module};

    return hash_bytes(b->seed, identity, sizeof(identity));
}

static bool same_frame(const struct profile_frame *a, const struct profile_frame *b)
{
    return a->scope == b->scope && a->name == b->name && a->signature == b->signature &&
           a->module == b->module;
}

frame_id builder_frame(struct builder *b, const struct profile_frame *frame)
{
    if (!hash_index_reserve(&b->frame_index))
        return FRAME_NONE;
    uint64_t hash = frame_hash(b, frame);
    struct hash_index_slot *slot = hash_index_find(&b->frame_index, hash);
    for (; slot->id != HASH_INDEX_NONE; slot = hash_index_next(&b->frame_index, slot)) {
        struct profile_frame *known = &b->frames[slot->id];
        if (same_frame(known, frame)) {
            if (known->file == STRING_EMPTY)
                known->file = frame->file;
            return slot->id;
        }
    }
    struct profile_frame *frames =
        arena_grow(b->arena, b->frames, &b->frames_capacity, b->n_frames + 1, sizeof(*frames));
    if (frames == NULL || b->n_frames >= FRAME_NONE - 1)
        return FRAME_NONE;
    b->frames = frames;
    frames[b->n_frames] = *frame;
    hash_index_put(&b->frame_index, slot, hash, (uint32_t)b->n_frames);
    return (frame_id)b->n_frames++;
}

uint32_t builder_track(struct builder *b, uint32_t id, string_id name)
{
    struct fold_track *tracks =
        arena_grow(b->arena, b->tracks, &b->tracks_capacity, b->n_tracks + 1, sizeof(*tracks));

    if (tracks == NULL)
        return NODE_NONE;
    b->tracks = tracks;
    bool watched = b->spans != NULL && span_sink_track(b->spans) == id;
    tracks[b->n_tracks] = (struct fold_track){
        .id = id, .name = name, .root = NODE_NONE, .current = NODE_NONE, .watched = watched};
    return (uint32_t)b->n_tracks++;
}

void builder_track_rename(struct builder *b, uint32_t track, string_id name)
{
    b->tracks[track].name = name;
}

void builder_warn(struct builder *b, enum warning_code code, uint64_t count, uint64_t offset)
{
    b->warnings[code].count += count;
    if (offset < b->warnings[code].offset)
        b->warnings[code].offset = offset;
}

uint64_t builder_warned(const struct builder *b, enum warning_code code)
{
    return b->warnings[code].count;
}

bool builder_fact(struct builder *b, struct str name, struct str value)
{
    struct profile_fact fact = {name, value};

    if (!copy_str(b, &fact.value))
        return false;
    for (size_t i = 0; i < b->n_facts; i++)
        if (str_eq(b->facts[i].name, name)) {
            b->facts[i].value = fact.value;
            return true;
        }
    struct profile_fact *facts =
        arena_grow(b->arena, b->facts, &b->facts_capacity, b->n_facts + 1, sizeof(*facts));
    if (facts == NULL)
        return false;
    b->facts = facts;
    if (!copy_str(b, &fact.name))
        return false;
    facts[b->n_facts++] = fact;
    return true;
}

uint64_t builder_event_count(const struct builder *b)
{
    return b->n_events;
}

uint64_t builder_ns_per_tick(const struct builder *b)
{
    return b->ns_per_tick;
}

uint64_t builder_clock_total_ns(const struct builder *b, uint32_t clock)
{
    uint64_t ticks = 0;

    for (size_t i = 0; i < b->n_nodes; i++)
        if (__builtin_add_overflow(ticks, fold_node_at(b, (node_id)i)->values[clock], &ticks))
            return UINT64_MAX;
    return ticks_to_ns(b, ticks);
}

uint64_t builder_clock_latest_ns(const struct builder *b, uint32_t clock)
{
    uint64_t latest = 0;

    for (size_t i = 0; i < b->n_tracks; i++)
        if (b->tracks[i].last[clock] > latest)
            latest = b->tracks[i].last[clock];
    return ticks_to_ns(b, latest);
}

void builder_frame_rename(struct builder *b, frame_id frame, frame_id as)
{
    b->frames[frame] = b->frames[as];
}

struct arena *builder_arena(const struct builder *b)
{
    return b->arena;
}

struct hash_seed builder_seed(const struct builder *b)
{
    return b->seed;
}

bool builder_failed(const struct builder *b, struct diag *diag)
{
    if (b->arena->failure != ARENA_LIMIT)
        return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later, or on a larger machine.",
                        "The machine has no memory left for this profile.");
    return diag_set(
        diag, DIAG_LIMIT, "profile too large",
        "Record a shorter trace, or one with fewer methods; a service's operator may raise job_memory_bytes.",
        "The profile's stacks and names need more than the limit job_memory_bytes of %zu bytes.",
        b->arena->limit_bytes);
}
