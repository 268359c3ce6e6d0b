#include "profile/mapping/mapping.h"

#include <string.h>

#include "profile/mapping/mapping_types.h"

struct mapping *mapping_new(struct arena *arena, struct hash_seed seed)
{
    struct mapping *m = arena_alloc(arena, sizeof(*m));

    if (m == NULL)
        return NULL;
    m->arena = arena;
    idmap_init(&m->class_of, arena, seed);
    idmap_init(&m->method_of, arena, seed);
    return strtab_init(&m->strings, arena, seed) ? m : NULL;
}

/* ---- what is asked for ---- */

/* MAPPING_NONE: the arena gives no more. */
static uint32_t want_class(struct mapping *m, struct str residual)
{
    string_id name = strtab_add(&m->strings, residual);
    uint32_t class = name != STRING_NONE ? idmap_get(&m->class_of, name) : IDMAP_NONE;

    if (name == STRING_NONE || class != IDMAP_NONE)
        return class;
    if (!ARENA_ROOM(m->arena, m->classes, m->classes_capacity, m->n_classes + 1) ||
        !idmap_set(&m->class_of, name, (uint32_t)m->n_classes))
        return MAPPING_NONE;
    m->classes[m->n_classes] = (struct mapping_class){.residual = name};
    return (uint32_t)m->n_classes++;
}

static bool want_method(struct mapping *m, uint32_t class, struct str residual)
{
    string_id name = strtab_add(&m->strings, residual);
    uint64_t key = (uint64_t) class << 32 | name;

    if (class == MAPPING_NONE || name == STRING_NONE)
        return false;
    if (idmap_get(&m->method_of, key) != IDMAP_NONE)
        return true;
    if (!ARENA_ROOM(m->arena, m->methods, m->methods_capacity, m->n_methods + 1) ||
        !idmap_set(&m->method_of, key, (uint32_t)m->n_methods))
        return false;
    m->methods[m->n_methods++] = (struct mapping_method){MAPPING_NONE, MAPPING_NONE, 0, NULL};
    return true;
}

static bool no_memory(const struct mapping *m)
{
    m->arena->failure = ARENA_NO_MEMORY;
    return false;
}

/* The classes that a descriptor names, each without what is no type. */
static bool want_types(struct mapping *m, struct str descriptor)
{
    struct str params, returns;
    struct type_in_descriptor type;
    struct buf dotted = {0};
    bool ok = true;

    if (!type_split(descriptor, &params, &returns))
        return true;
    for (int i = 0; i < 2; i++)
        for (struct str rest = i == 0 ? params : returns; ok && type_next(&rest, &type);) {
            if (type.letter != 0)
                continue;
            buf_clear(&dotted);
            type_put_replaced(&dotted, type.class, '/', '.');
            ok = dotted.failed ? no_memory(m) : want_class(m, buf_view(&dotted)) != MAPPING_NONE;
        }
    buf_free(&dotted);
    return ok;
}

bool mapping_want(struct mapping *m, struct str scope, struct str name, struct str signature)
{
    return want_method(m, want_class(m, scope), name) && want_types(m, signature);
}

struct frame_parts mapping_parts(const struct profile *p, const struct profile_frame *frame)
{
    struct frame_parts parts = frame_parts_of(p, frame);
    size_t dot = str_find_last(parts.name, '.');

    if (parts.scope.n == 0 && dot > 0 && dot < parts.name.n) {
        parts.scope = (struct str){parts.name.p, dot};
        parts.name = (struct str){parts.name.p + dot + 1, parts.name.n - dot - 1};
    }
    return parts;
}

bool mapping_want_profile(struct mapping *m, const struct profile *p)
{
    for (frame_id i = 0; i < p->n_frames; i++) {
        struct frame_parts parts = mapping_parts(p, &p->frames[i]);
        if (parts.scope.n > 0 && !mapping_want(m, parts.scope, parts.name, parts.signature))
            return false;
    }
    return true;
}

/* ---- what the file says ---- */

uint32_t mapping_class(const struct mapping *m, struct str residual)
{
    string_id name = strtab_find(&m->strings, residual);

    return name == STRING_NONE ? MAPPING_NONE : idmap_get(&m->class_of, name);
}

static bool set_text(struct mapping *m, string_id *to, struct str text)
{
    *to = strtab_add(&m->strings, text);
    return *to != STRING_NONE;
}

bool mapping_set_class(struct mapping *m, uint32_t class, struct str original, bool *different)
{
    struct mapping_class *c = &m->classes[class];

    *different = false;
    if (c->original == STRING_EMPTY)
        return set_text(m, &c->original, original);
    *different = !str_eq(strtab_get(&m->strings, c->original), original);
    return true;
}

bool mapping_set_file(struct mapping *m, uint32_t class, struct str file)
{
    return set_text(m, &m->classes[class].file, file);
}

uint32_t mapping_method(const struct mapping *m, uint32_t class, struct str residual)
{
    string_id name = strtab_find(&m->strings, residual);

    return name == STRING_NONE ? MAPPING_NONE : idmap_get(&m->method_of, (uint64_t) class << 32 | name);
}

uint32_t mapping_add(struct mapping *m, uint32_t method, const struct mapping_member *member, bool same_group,
                     bool *ok)
{
    struct mapping_method *of = &m->methods[method];

    *ok = true;
    if (of->members == MAPPING_MEMBERS_MAX || (same_group && m->group_members == MAPPING_GROUP_MAX)) {
        m->ignored++;
        return MAPPING_NONE;
    }
    if (!ARENA_ROOM(m->arena, m->members, m->members_capacity, m->n_members + 1) ||
        m->n_members >= MAPPING_NONE) {
        *ok = false;
        return MAPPING_NONE;
    }
    uint32_t added = (uint32_t)m->n_members++;
    m->group += !same_group;
    m->group_members = same_group ? m->group_members + 1 : 1;
    m->members[added] = *member;
    m->members[added].group = m->group;
    m->members[added].next = m->members[added].rewrite = m->members[added].callsite = MAPPING_NONE;
    *(of->first == MAPPING_NONE ? &of->first : &m->members[of->last].next) = added;
    of->last = added;
    of->members++;
    return added;
}

bool mapping_add_rewrite(struct mapping *m, uint32_t member, struct str thrown, uint32_t remove)
{
    string_id name = strtab_add(&m->strings, thrown);

    if (!ARENA_ROOM(m->arena, m->rewrites, m->rewrites_capacity, m->n_rewrites + 1))
        return false;
    if (name == STRING_NONE)
        return false;
    m->rewrites[m->n_rewrites] = (struct mapping_rewrite){name, remove, m->members[member].rewrite};
    m->members[member].rewrite = (uint32_t)m->n_rewrites++;
    return true;
}

bool mapping_add_callsite(struct mapping *m, uint32_t member, uint32_t outline_line, uint32_t line)
{
    if (!ARENA_ROOM(m->arena, m->callsites, m->callsites_capacity, m->n_callsites + 1))
        return false;
    m->callsites[m->n_callsites] = (struct mapping_callsite){outline_line, line, m->members[member].callsite};
    m->members[member].callsite = (uint32_t)m->n_callsites++;
    return true;
}
