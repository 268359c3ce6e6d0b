/* Interned data (protos/perfetto/trace/interned_data/interned_data.proto, profile_common.proto): strings,
 * mappings, frames and call stacks, each with an id that other packets of the sequence use. What an entry
 * refers to may come behind it, so entries are kept as they are and resolved when a stack is needed. The
 * first entry of an id counts. Id 0 is no entry. */
#include "parser/perfetto/perfetto_impl.h"

/* ---- what all share ---- */

void pf_warn(struct perfetto *t, enum warning_code code, uint64_t count)
{
    if (count > 0)
        builder_warn(t->builder, code, count, t->offset);
}

string_id pf_string(struct perfetto *t, struct str s)
{
    if (s.n > t->limits->name_bytes) {
        pf_warn(t, WARN_NAME_CUT, 1);
        s.n = t->limits->name_bytes;
    }
    return builder_string(t->builder, s);
}

string_id pf_string_of(struct perfetto *t, struct buf *b)
{
    string_id id = b->failed ? STRING_NONE : pf_string(t, buf_view(b));

    if (b->failed)
        t->arena->failure = ARENA_NO_MEMORY;
    buf_free(b);
    return id;
}

string_id pf_hex(struct perfetto *t, struct str bytes)
{
    static const char DIGITS[] = "0123456789abcdef";
    char text[128];
    size_t n = bytes.n < sizeof(text) / 2 ? bytes.n : sizeof(text) / 2;

    for (size_t i = 0; i < n; i++) {
        text[2 * i] = DIGITS[(uint8_t)bytes.p[i] >> 4];
        text[2 * i + 1] = DIGITS[(uint8_t)bytes.p[i] & 0xf];
    }
    return pf_string(t, (struct str){text, 2 * n});
}

uint64_t pf_key(const struct perfetto *t, const uint64_t *numbers, size_t n)
{
    return hash_bytes(t->seed, numbers, n * sizeof(*numbers));
}

/* ---- mappings, frames and stacks of the whole trace, each once ---- */

static uint32_t add_known_mapping(struct perfetto *t, const struct pf_mapping *mapping)
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

/* ---- interned data ---- */

enum { STACK_FRAMES_MAX = 4096 }; /* no recorder has more; a deeper stack counts as missing */

void pf_interned_init(struct perfetto *t, struct pf_interned *in, bool one_space)
{
    *in = (struct pf_interned){.one_space = one_space};
    for (size_t i = 0; i < PF_KINDS; i++)
        idmap_init(&in->ids[i], t->arena, t->seed);
}

/* The tables go back to the arena: emptying large ones again and again would take long. */
void pf_interned_clear(struct perfetto *t, struct pf_interned *in)
{
    for (size_t i = 0; i < PF_KINDS; i++) {
        struct idmap *m = &in->ids[i];
        if (m->capacity > 0)
            arena_release(t->arena, m->slots, m->capacity, sizeof(*m->slots));
        idmap_init(m, t->arena, t->seed);
    }
    in->n_mappings = in->n_frames = in->n_stacks = in->n_tasks = in->n_lists = 0;
}

/* ---- entries ---- */

/* The numbers of all fields of that number, as *n of in->lists from *first on. */
static bool add_list(struct perfetto *t, struct pf_interned *in, struct str message, uint32_t number,
                     uint32_t *first, uint32_t *n)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    *first = (uint32_t)in->n_lists;
    while (protobuf_next(&m, &f)) {
        if (f.number != number)
            continue;
        struct protobuf list = protobuf_list(&f);
        for (uint64_t value; protobuf_list_next(&f, &list, &value);) {
            if (arena_stopped_at(t->arena, in->n_lists) ||
                !ARENA_ROOM(t->arena, in->lists, in->lists_capacity, in->n_lists + 1) ||
                in->n_lists >= UINT32_MAX)
                return false;
            in->lists[in->n_lists++] = value;
        }
    }
    *n = (uint32_t)in->n_lists - *first;
    return true;
}

/* Entries are added by the fields of their message. What is returned stands behind the id; PERFETTO_NONE
 * when the arena gives no more. */
static uint32_t add_mapping(struct perfetto *t, struct pf_interned *in, struct str message,
                            const struct protobuf_field *f)
{
    struct pf_raw_mapping raw = {.build_id = f[2].value,
                                 .start_offset = f[3].value,
                                 .load_bias = f[6].value,
                                 .exact_offset = f[8].value,
                                 .known = PERFETTO_NONE};

    if (!add_list(t, in, message, 7, &raw.first, &raw.n) ||
        !ARENA_ROOM(t->arena, in->mappings, in->mappings_capacity, in->n_mappings + 1))
        return PERFETTO_NONE;
    in->mappings[in->n_mappings] = raw;
    return (uint32_t)in->n_mappings++;
}

static uint32_t add_frame(struct perfetto *t, struct pf_interned *in, const struct protobuf_field *f)
{
    if (!ARENA_ROOM(t->arena, in->frames, in->frames_capacity, in->n_frames + 1))
        return PERFETTO_NONE;
    in->frames[in->n_frames] =
        (struct pf_raw_frame){.function = f[2].value,
                              .mapping = f[3].value,
                              .rel_pc = f[4].value,
                              .source = f[5].value,
                              .line = f[6].value > INT32_MAX ? 0 : (uint32_t)f[6].value,
                              .kind = f[7].value <= PF_KIND_JIT ? (uint8_t)f[7].value : PF_KIND_UNKNOWN,
                              .known = PERFETTO_NONE};
    return (uint32_t)in->n_frames++;
}

static uint32_t add_stack(struct perfetto *t, struct pf_interned *in, struct str message, uint64_t id)
{
    struct pf_raw_stack raw = {
        .id = id, .known = PERFETTO_NONE, .built = PERFETTO_NONE, .heap = PERFETTO_NONE};

    if (!add_list(t, in, message, 2, &raw.first, &raw.n) ||
        !ARENA_ROOM(t->arena, in->stacks, in->stacks_capacity, in->n_stacks + 1))
        return PERFETTO_NONE;
    in->stacks[in->n_stacks] = raw;
    return (uint32_t)in->n_stacks++;
}

static uint32_t add_task(struct perfetto *t, struct pf_interned *in, const struct protobuf_field *f)
{
    if (!ARENA_ROOM(t->arena, in->tasks, in->tasks_capacity, in->n_tasks + 1))
        return PERFETTO_NONE;
    in->tasks[in->n_tasks] = (struct pf_task){(uint32_t)f[2].value, (uint32_t)f[3].value};
    return (uint32_t)in->n_tasks++;
}

static uint32_t add_entry(struct perfetto *t, struct pf_interned *in, enum pf_kind kind, struct str message,
                          const struct protobuf_field *f)
{
    switch (kind) {
    case PF_MAPPING:
        return add_mapping(t, in, message, f);
    case PF_FRAME:
        return add_frame(t, in, f);
    case PF_STACK:
        return add_stack(t, in, message, f[1].value);
    case PF_TASK:
        return add_task(t, in, f);
    case PF_BUILD_ID:
        return pf_hex(t, f[2].bytes);
    default:
        return pf_string(t, f[2].bytes);
    }
}

bool pf_interned_add_one(struct perfetto *t, struct pf_interned *in, enum pf_kind kind, struct str message)
{
    struct protobuf_field f[9];

    if (arena_stopped(t->arena))
        return false;
    protobuf_fields(message, f, 9);
    if (idmap_get(&in->ids[kind], f[1].value) != IDMAP_NONE)
        return true;
    uint32_t entry = add_entry(t, in, kind, message, f);
    return entry != PERFETTO_NONE && idmap_set(&in->ids[kind], f[1].value, entry);
}

bool pf_interned_add(struct perfetto *t, struct pf_interned *in, struct str data)
{
    static const struct {
        uint32_t field;
        enum pf_kind kind;
    } FIELDS[] = {{5, PF_FUNCTION}, {6, PF_FRAME},   {7, PF_STACK},    {16, PF_BUILD_ID},
                  {17, PF_PATH},    {18, PF_SOURCE}, {19, PF_MAPPING}, {48, PF_TASK}};
    struct protobuf m = protobuf_of_bytes(data);
    struct protobuf_field f;

    while (protobuf_next(&m, &f))
        for (size_t i = 0; i < sizeof(FIELDS) / sizeof(*FIELDS); i++)
            if (f.number == FIELDS[i].field && f.wire == PROTOBUF_BYTES &&
                !pf_interned_add_one(t, in, FIELDS[i].kind, f.bytes))
                return false;
    return true;
}

/* ---- what they mean ---- */

/* False: the arena gives no more. *found is PERFETTO_NONE for what is not there. */
static bool find_mapping(struct perfetto *t, struct pf_interned *in, uint64_t id, uint32_t *found)
{
    uint32_t at = idmap_get(&in->ids[PF_MAPPING], id);
    enum pf_kind builds = in->one_space ? PF_FUNCTION : PF_BUILD_ID,
                 paths = in->one_space ? PF_FUNCTION : PF_PATH;
    struct buf path = {0};

    *found = at == IDMAP_NONE ? PERFETTO_NONE : in->mappings[at].known;
    if (at == IDMAP_NONE || *found != PERFETTO_NONE)
        return true;
    struct pf_raw_mapping *raw = &in->mappings[at];
    uint32_t build_id = raw->build_id == 0 ? STRING_EMPTY : idmap_get(&in->ids[builds], raw->build_id);
    if (build_id == IDMAP_NONE)
        return true;
    const struct str bytes = builder_text_of(t->builder, build_id);
    if (in->one_space && (build_id = pf_hex(t, bytes)) == STRING_NONE)
        return false;
    /* More would be cut from the name: with so few bytes of the file one part can come without end. */
    for (uint32_t i = 0; i < raw->n && path.n <= t->limits->name_bytes + 1; i++) {
        uint32_t part = idmap_get(&in->ids[paths], in->lists[raw->first + i]);
        if (part == IDMAP_NONE)
            break;
        buf_char(&path, '/');
        buf_str(&path, builder_text_of(t->builder, part));
    }
    struct str text = buf_view(&path);
    if (str_starts(text, STR("//")))
        text.p++, text.n--;
    string_id name = path.failed ? STRING_NONE : pf_string(t, text);
    if (path.failed)
        t->arena->failure = ARENA_NO_MEMORY;
    buf_free(&path);
    uint64_t inside = raw->exact_offset > raw->start_offset ? raw->exact_offset - raw->start_offset : 0;
    const struct pf_mapping mapping = {name, build_id, raw->load_bias, inside};
    if (name == STRING_NONE || (*found = add_known_mapping(t, &mapping)) == PERFETTO_NONE)
        return false;
    raw->known = *found;
    return true;
}

static bool find_frame(struct perfetto *t, struct pf_interned *in, uint64_t id, uint32_t *found)
{
    uint32_t at = idmap_get(&in->ids[PF_FRAME], id);

    *found = at == IDMAP_NONE ? PERFETTO_NONE : in->frames[at].known;
    if (at == IDMAP_NONE || *found != PERFETTO_NONE)
        return true;
    struct pf_raw_frame *raw = &in->frames[at];
    uint32_t name = raw->function == 0 ? STRING_EMPTY : idmap_get(&in->ids[PF_FUNCTION], raw->function);
    uint32_t file = raw->source == 0 ? STRING_EMPTY : idmap_get(&in->ids[PF_SOURCE], raw->source);
    struct pf_frame frame = {.mapping = PERFETTO_NONE,
                             .name = name,
                             .file = file == IDMAP_NONE ? STRING_EMPTY : file,
                             .line = raw->line,
                             .kind = raw->kind};
    if (name == IDMAP_NONE)
        return true;
    if (raw->mapping != 0) {
        if (!find_mapping(t, in, raw->mapping, &frame.mapping))
            return false;
        if (frame.mapping == PERFETTO_NONE)
            return true;
        frame.rel_pc = raw->rel_pc;
    }
    *found = raw->known = pf_frame(t, &frame);
    return *found != PERFETTO_NONE;
}

/* A stack of which something was missing is looked at again only when there is more than there was, and
 * from there on. */
static uint64_t entries(const struct pf_interned *in)
{
    uint64_t n = 0;

    for (size_t i = 0; i < PF_KINDS; i++)
        n += in->ids[i].count;
    return n;
}

static struct pf_raw_stack *find_stack(struct pf_interned *in, uint64_t id)
{
    if (in->next_stack >= in->n_stacks || in->stacks[in->next_stack].id != id) {
        uint32_t at = idmap_get(&in->ids[PF_STACK], id);
        if (at == IDMAP_NONE)
            return NULL;
        in->next_stack = at;
    }
    return &in->stacks[in->next_stack++];
}

bool pf_interned_stack(struct perfetto *t, struct pf_interned *in, uint64_t id, struct pf_raw_stack **stack)
{
    struct pf_raw_stack *raw = find_stack(in, id);
    uint32_t frame;

    *stack = raw != NULL && raw->known != PERFETTO_NONE ? raw : NULL;
    if (raw == NULL || *stack != NULL || raw->n > STACK_FRAMES_MAX || raw->tried == entries(in))
        return true;
    raw->tried = entries(in);
    for (; raw->done < raw->n; raw->done++) {
        if (!find_frame(t, in, in->lists[raw->first + raw->done], &frame))
            return false;
        if (frame == PERFETTO_NONE)
            return true;
        raw->built = pf_stack(t, raw->built, frame);
        if (raw->built == PERFETTO_NONE)
            return false;
    }
    raw->known = raw->built;
    *stack = raw->known != PERFETTO_NONE ? raw : NULL;
    return true;
}
