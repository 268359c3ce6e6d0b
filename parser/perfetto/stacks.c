/* Mappings, frames and stacks of the whole trace, each once. */
#include "parser/perfetto/perfetto_impl.h"

uint32_t pf_mapping(struct perfetto *t, const struct pf_mapping *mapping)
{
    struct pf_stacks *s = &t->stacks;
    uint64_t key = (uint64_t)mapping->path << 32 | mapping->build_id;
    uint32_t id = idmap_get(&s->mapping_ids, key);

    if (id != IDMAP_NONE)
        return id;
    if (!ARENA_ROOM(t->arena, s->mappings, s->mappings_capacity, s->n_mappings + 1) ||
        !idmap_set(&s->mapping_ids, key, (uint32_t)s->n_mappings))
        return PERFETTO_NONE;
    s->mappings[s->n_mappings] = *mapping;
    return (uint32_t)s->n_mappings++;
}

uint32_t pf_frame(struct perfetto *t, const struct pf_frame *f)
{
    struct pf_stacks *s = &t->stacks;
    const uint64_t parts[] = {f->mapping, f->name, f->file, f->line, f->kind, f->rel_pc};
    uint64_t key = pf_key(t, parts, sizeof(parts) / sizeof(*parts));
    uint32_t id = idmap_get(&s->frame_ids, key);

    if (id != IDMAP_NONE)
        return id;
    if (!ARENA_ROOM(t->arena, s->frames, s->frames_capacity, s->n_frames + 1) ||
        !idmap_set(&s->frame_ids, key, (uint32_t)s->n_frames))
        return PERFETTO_NONE;
    s->frames[s->n_frames] = *f;
    return (uint32_t)s->n_frames++;
}

uint32_t pf_stack(struct perfetto *t, uint32_t up, uint32_t frame)
{
    struct pf_stacks *s = &t->stacks;
    uint64_t key = (uint64_t)up << 32 | frame;
    uint32_t id = idmap_get(&s->stack_ids, key);

    if (id != IDMAP_NONE)
        return id;
    if (!ARENA_ROOM(t->arena, s->stacks, s->stacks_capacity, s->n_stacks + 1) ||
        s->n_stacks >= PERFETTO_NONE - 1 || !idmap_set(&s->stack_ids, key, (uint32_t)s->n_stacks))
        return PERFETTO_NONE;
    s->stacks[s->n_stacks] = (struct pf_stack){up, frame};
    return (uint32_t)s->n_stacks++;
}
