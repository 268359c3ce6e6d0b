/* What the file lists, and what its values mean. */
#include <stdio.h>
#include <string.h>

#include "core/clean.h"
#include "core/order.h"
#include "parser/pprof/pprof_impl.h"
#include "parser/value_name.h"

/* ---- strings ---- */

struct str pprof_string(struct pprof *p, uint64_t place)
{
    if (place < p->n_strings)
        return p->strings[place];
    p->bad_references++;
    return STR("");
}

string_id pprof_name(struct pprof *p, struct str text)
{
    return builder_name(p->builder, text, p->limits->name_bytes, WARNING_NO_OFFSET);
}

/* ---- what the file lists ---- */

enum { UTF8_BYTES_MAX = 4 };

/* Names are cut anyway; here, since a string costs its length for each that refers to it. What is too long
 * stays so. */
static bool add_string(struct pprof *p, struct str s)
{
    if (s.n > p->limits->name_bytes + (size_t)UTF8_BYTES_MAX)
        s.n = p->limits->name_bytes + (size_t)UTF8_BYTES_MAX;
    if (!ARENA_ROOM(p->arena, p->strings, p->strings_capacity, p->n_strings + 1))
        return false;
    p->strings[p->n_strings++] = s;
    return true;
}

/* The first one of an id counts. 0 is no id. */
static bool add_id(struct pprof *p, struct idmap *ids, uint64_t id, size_t place)
{
    if (id == 0 || idmap_get(ids, id) != IDMAP_NONE) {
        p->bad_references++;
        return true;
    }
    return idmap_set(ids, id, (uint32_t)place);
}

/* The numbers of a message by the numbers of their fields, up to 7; others are passed over. */
enum { NUMBERS = 8, LOCATION_LINES_MAX = 256 };

static void numbers_of(struct str message, uint64_t numbers[NUMBERS])
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    memset(numbers, 0, NUMBERS * sizeof(*numbers));
    while (protobuf_next(&m, &f))
        if (f.wire == PROTOBUF_VARINT && f.number < NUMBERS)
            numbers[f.number] = f.value;
}

static bool add_mapping(struct pprof *p, struct str message)
{
    uint64_t numbers[NUMBERS];

    if (!ARENA_ROOM(p->arena, p->mappings, p->mappings_capacity, p->n_mappings + 1))
        return false;
    numbers_of(message, numbers);
    p->mappings[p->n_mappings] = (struct pprof_mapping){
        .file = numbers[5], .build_id = numbers[6], .start = numbers[2], .offset = numbers[4]};
    return add_id(p, &p->mapping_ids, numbers[1], p->n_mappings++);
}

static bool add_function(struct pprof *p, struct str message)
{
    uint64_t numbers[NUMBERS];

    if (!ARENA_ROOM(p->arena, p->functions, p->functions_capacity, p->n_functions + 1))
        return false;
    numbers_of(message, numbers);
    p->functions[p->n_functions] =
        (struct pprof_function){.name = numbers[2], .system_name = numbers[3], .file = numbers[4]};
    return add_id(p, &p->function_ids, numbers[1], p->n_functions++);
}

static bool add_location(struct pprof *p, struct str message)
{
    uint64_t numbers[NUMBERS];

    if (!ARENA_ROOM(p->arena, p->locations, p->locations_capacity, p->n_locations + 1))
        return false;
    numbers_of(message, numbers);
    p->locations[p->n_locations] =
        (struct pprof_location){.mapping = numbers[2], .address = numbers[3], .message = message};
    return add_id(p, &p->location_ids, numbers[1], p->n_locations++);
}

static struct pprof_type type_of(struct str message)
{
    uint64_t numbers[NUMBERS];

    numbers_of(message, numbers);
    return (struct pprof_type){.type = numbers[1], .unit = numbers[2]};
}

static bool add_type(struct pprof *p, struct str message)
{
    if (p->n_types < PPROF_TYPES_MAX)
        p->types[p->n_types] = type_of(message);
    p->n_types++;
    return true;
}

/* Counts what the samples have. */
static void survey_sample(struct pprof *p, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    uint64_t value;
    uint32_t type = 0;

    p->n_samples++;
    while (protobuf_next(&m, &f)) {
        struct protobuf list = protobuf_list(&f);
        while (f.number == 2 && protobuf_list_next(&f, &list, &value) && !arena_stopped_at(p->arena, type)) {
            p->negative = p->negative || (int64_t)value < 0;
            if (type < PPROF_TYPES_MAX)
                p->filled[type] = p->filled[type] || value != 0;
            type++;
        }
    }
}

static bool take_message(struct pprof *p, const struct protobuf_field *f)
{
    switch (f->number) {
    case 1:
        return add_type(p, f->bytes);
    case 2:
        survey_sample(p, f->bytes);
        return true;
    case 3:
        return add_mapping(p, f->bytes);
    case 4:
        return add_location(p, f->bytes);
    case 5:
        return add_function(p, f->bytes);
    case 6:
        return add_string(p, f->bytes);
    case 11:
        p->period_type = type_of(f->bytes);
        return true;
    default:
        return true;
    }
}

static void take_number(struct pprof *p, const struct protobuf_field *f)
{
    uint64_t *const PLACES[] = {[7] = &p->drop_frames, [9] = &p->time_ns,  [10] = &p->duration_ns,
                                [12] = &p->period,     [13] = &p->comment, [14] = &p->default_type};

    if (f->number < sizeof(PLACES) / sizeof(*PLACES) && PLACES[f->number] != NULL)
        *PLACES[f->number] = f->value;
}

/* Repeated numbers come packed as well. */
static void take_comment(struct pprof *p, struct protobuf_field f)
{
    struct protobuf list = protobuf_list(&f);
    uint64_t value;

    if (p->comment == 0 && protobuf_list_next(&f, &list, &value))
        p->comment = value;
}

bool pprof_read_tables(struct pprof *p)
{
    struct protobuf m = protobuf_of_bytes(p->bytes);
    struct protobuf_field f;

    while (protobuf_next(&m, &f)) {
        if (arena_stopped(p->arena))
            return builder_failed(p->builder, p->diag);
        if (f.number == 13)
            take_comment(p, f);
        else if (f.wire == PROTOBUF_VARINT)
            take_number(p, &f);
        else if (f.wire == PROTOBUF_BYTES && !take_message(p, &f))
            return builder_failed(p->builder, p->diag);
    }
    uint64_t at = (uint64_t)(m.p - (const uint8_t *)p->bytes.p);
    if (m.state == PROTOBUF_CUT)
        builder_warn(p->builder, WARN_CUT_RECORD, 1, at);
    if (m.state == PROTOBUF_BAD)
        builder_warn(p->builder, WARN_DAMAGED, p->bytes.n - at, at);
    return true;
}

/* ---- frames ---- */

static bool put_frame(struct pprof *p, frame_id frame)
{
    if (frame == FRAME_NONE || !ARENA_ROOM(p->arena, p->frames, p->frames_capacity, p->n_frames + 1))
        return false;
    p->frames[p->n_frames++] = frame;
    return true;
}

static const struct pprof_mapping *mapping_of(struct pprof *p, uint64_t id)
{
    uint32_t place = id == 0 ? IDMAP_NONE : idmap_get(&p->mapping_ids, id);

    return place == IDMAP_NONE ? NULL : &p->mappings[place];
}

static const struct pprof_function *function_of(struct pprof *p, uint64_t id)
{
    uint32_t place = idmap_get(&p->function_ids, id);

    if (place == IDMAP_NONE)
        p->bad_references++;
    return place == IDMAP_NONE ? NULL : &p->functions[place];
}

static bool is_kernel(struct str module)
{
    return str_starts(module, STR("[kernel")) || str_eq(module, STR("/kernel"));
}

/* What all frames of a location have in common. */
static bool begin_frame(struct pprof *p, const struct pprof_location *l, struct profile_frame *frame)
{
    const struct pprof_mapping *m = mapping_of(p, l->mapping);
    struct str module = m == NULL ? STR("") : pprof_string(p, m->file);

    *frame = (struct profile_frame){.module = pprof_name(p, module),
                                    .build_id = m == NULL ? STRING_EMPTY
                                                          : pprof_name(p, pprof_string(p, m->build_id)),
                                    .kind = is_kernel(module) ? FRAME_KIND_KERNEL : FRAME_KIND_UNKNOWN,
                                    .address = l->address};
    return frame->module != STRING_NONE && frame->build_id != STRING_NONE;
}

/* From the address in the process to that in the file: as if it was not shifted. A mapping of all
 * addresses, or of none, says that it is the file's already. */
static void place_in_file(const struct pprof_mapping *m, struct profile_frame *frame)
{
    frame->load_bias = PROFILE_BIAS_KNOWN;
    if (m == NULL || (m->start == 0 && m->offset == 0) || frame->address < m->start)
        return;
    frame->load_bias = 0;
    frame->map_offset = m->offset;
    frame->address = frame->address - m->start + m->offset;
}

/* A location without a name: its module, or unknown, and its address there. */
static bool put_nameless(struct pprof *p, const struct pprof_location *l, struct profile_frame *frame)
{
    struct str module = STR("");
    const struct pprof_mapping *m = mapping_of(p, l->mapping);
    char text[512];

    if (m != NULL)
        module = clean_cut(str_behind_last(pprof_string(p, m->file), '/'), sizeof(text) - 32);
    int n = snprintf(text, sizeof(text), "%.*s+0x%llx", module.n == 0 ? 7 : (int)module.n,
                     module.n == 0 ? "unknown" : module.p, (unsigned long long)l->address);
    frame->nameless = true;
    place_in_file(m, frame);
    frame->name = pprof_name(p, (struct str){text, (size_t)n});
    return frame->name != STRING_NONE && put_frame(p, builder_frame(p->builder, frame));
}

static bool put_line(struct pprof *p, struct str message, struct profile_frame *frame, bool inlined)
{
    uint64_t numbers[NUMBERS];

    numbers_of(message, numbers);
    const struct pprof_function *f = function_of(p, numbers[1]);
    struct str name = f == NULL ? STR("unknown") : pprof_string(p, f->name);
    if (name.n == 0)
        name = pprof_string(p, f->system_name);
    frame->name = pprof_name(p, name.n > 0 ? name : STR("unknown"));
    frame->file = f == NULL ? STRING_EMPTY : pprof_name(p, pprof_string(p, f->file));
    frame->line = numbers[2] <= UINT32_MAX ? (uint32_t)numbers[2] : 0;
    if (inlined)
        frame->kind = FRAME_KIND_INLINED;
    return frame->name != STRING_NONE && frame->file != STRING_NONE &&
           put_frame(p, builder_frame(p->builder, frame));
}

/* Whether the line has a function with a name. */
static bool has_name(struct pprof *p, struct str line)
{
    uint64_t numbers[NUMBERS];

    numbers_of(line, numbers);
    uint32_t place = idmap_get(&p->function_ids, numbers[1]);
    return place != IDMAP_NONE && (pprof_string(p, p->functions[place].name).n > 0 ||
                                   pprof_string(p, p->functions[place].system_name).n > 0);
}

/* How many lines a location has; *named: one of them at least. */
static size_t count_lines(struct pprof *p, struct str message, bool *named)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    size_t n = 0;

    *named = false;
    while (protobuf_next(&m, &f))
        if (f.number == 4 && f.wire == PROTOBUF_BYTES) {
            *named = *named || has_name(p, f.bytes);
            n++;
        }
    return n;
}

/* The lines between the innermost ones and the function itself are dropped where there are more than any
 * compiler inlines: a sample that refers to the location in a byte has all of them. */
static bool resolve(struct pprof *p, struct pprof_location *l)
{
    struct protobuf m = protobuf_of_bytes(l->message);
    struct protobuf_field f;
    struct profile_frame common, frame;
    bool named, ok = begin_frame(p, l, &common);
    size_t lines = count_lines(p, l->message, &named), line = 0;

    l->first = p->n_frames;
    frame = common;
    if (!named)
        ok = ok && put_nameless(p, l, &frame);
    while (ok && named && protobuf_next(&m, &f))
        if (f.number == 4 && f.wire == PROTOBUF_BYTES) {
            bool inlined = ++line < lines;
            frame = common;
            if (inlined && line > LOCATION_LINES_MAX)
                p->bad_references++;
            else
                ok = put_line(p, f.bytes, &frame, inlined);
        }
    l->n = p->n_frames - l->first;
    order_reverse(p->frames + l->first, l->n);
    l->resolved = ok;
    return ok;
}

/* What stands for all locations that are not listed. */
static bool add_unlisted(struct pprof *p)
{
    struct profile_frame unknown = {.name = builder_string(p->builder, STR("unknown"))};

    if (!ARENA_ROOM(p->arena, p->locations, p->locations_capacity, p->n_locations + 1) ||
        unknown.name == STRING_NONE)
        return false;
    p->locations[p->n_locations] = (struct pprof_location){.resolved = true, .first = p->n_frames, .n = 1};
    p->unlisted = ++p->n_locations;
    return put_frame(p, builder_frame(p->builder, &unknown));
}

const struct pprof_location *pprof_location(struct pprof *p, uint64_t id)
{
    uint32_t place = id == 0 ? IDMAP_NONE : idmap_get(&p->location_ids, id);

    if (place == IDMAP_NONE) {
        p->bad_references++;
        return p->unlisted > 0 || add_unlisted(p) ? &p->locations[p->unlisted - 1] : NULL;
    }
    struct pprof_location *l = &p->locations[place];
    return l->resolved || resolve(p, l) ? l : NULL;
}

/* ---- what the values mean ---- */

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000, KIB = 1024 };

/* The words that programs write for units. Another one counts. */
static const struct {
    struct str word;
    enum unit unit;
    int64_t factor;
} UNITS[] = {
    {STR_INIT("nanoseconds"), UNIT_NS, 1},
    {STR_INIT("nanosecond"), UNIT_NS, 1},
    {STR_INIT("ns"), UNIT_NS, 1},
    {STR_INIT("microseconds"), UNIT_NS, NS_PER_US},
    {STR_INIT("us"), UNIT_NS, NS_PER_US},
    {STR_INIT("milliseconds"), UNIT_NS, NS_PER_MS},
    {STR_INIT("ms"), UNIT_NS, NS_PER_MS},
    {STR_INIT("seconds"), UNIT_NS, NS_PER_S},
    {STR_INIT("s"), UNIT_NS, NS_PER_S},
    {STR_INIT("bytes"), UNIT_BYTES, 1},
    {STR_INIT("byte"), UNIT_BYTES, 1},
    {STR_INIT("b"), UNIT_BYTES, 1},
    {STR_INIT("kilobytes"), UNIT_BYTES, KIB},
    {STR_INIT("kb"), UNIT_BYTES, KIB},
    {STR_INIT("megabytes"), UNIT_BYTES, KIB *KIB},
    {STR_INIT("mb"), UNIT_BYTES, KIB *KIB},
};

/* What types that many programs write are called for people; of others their own name. */
static const struct {
    struct str type;
    const char *label;
    enum profile_role role;
} MEANINGS[] = {
    {STR_INIT("samples"), "samples", ROLE_SAMPLES},
    {STR_INIT("sample"), "samples", ROLE_SAMPLES},
    {STR_INIT("cpu"), "CPU time", ROLE_CPU},
    {STR_INIT("wall"), "wall time", ROLE_OTHER},
    {STR_INIT("alloc_space"), "memory allocated", ROLE_ALLOCATED},
    {STR_INIT("alloc_objects"), "objects allocated", ROLE_OBJECTS},
    {STR_INIT("inuse_space"), "memory in use", ROLE_UNRELEASED},
    {STR_INIT("inuse_objects"), "objects in use", ROLE_OBJECTS},
    {STR_INIT("contentions"), "contentions of locks", ROLE_OTHER},
    {STR_INIT("delay"), "time waited for locks", ROLE_OTHER},
};

static const size_t N_UNITS = sizeof(UNITS) / sizeof(*UNITS),
                    N_MEANINGS = sizeof(MEANINGS) / sizeof(*MEANINGS);

/* N_UNITS: none of them. */
static size_t unit_of(struct str word)
{
    for (size_t i = 0; i < N_UNITS; i++)
        if (str_eq_nocase(word, UNITS[i].word))
            return i;
    return N_UNITS;
}

/* ---- their order ---- */

static uint32_t types_of(const struct pprof *p)
{
    return p->n_types < PPROF_TYPES_MAX ? p->n_types : PPROF_TYPES_MAX;
}

/* What is shown first: what the file says, or else its last type, as pprof does; another one if that is empty. */
static uint32_t first_type(struct pprof *p)
{
    /* pprof_declare refuses a profile without types, so n is at least 1. */
    uint32_t n = types_of(p), first = n - 1;
    struct str named = p->default_type == 0 ? STR("") : pprof_string(p, p->default_type);

    for (uint32_t i = 0; named.n > 0 && i < n; i++)
        if (str_eq(pprof_string(p, p->types[i].type), named)) {
            first = i;
            break;
        }
    for (uint32_t i = n; i-- > 0 && !p->filled[first];)
        if (p->filled[i])
            return i;
    return first;
}

static void set_order(struct pprof *p)
{
    uint32_t n = types_of(p), first = first_type(p), at = 1;

    p->order[0] = first;
    for (uint32_t i = 0; i < n; i++)
        if (i != first)
            p->order[at++] = i;
}

/* ---- their meaning ---- */

static bool set_value(struct pprof *p, struct profile_value *values, uint32_t i)
{
    struct pprof_type type = p->types[p->order[i]];
    struct str name = pprof_string(p, type.type);
    size_t unit = unit_of(pprof_string(p, type.unit));
    string_id label = pprof_name(p, name.n > 0 ? name : STR("value"));

    if (label == STRING_NONE)
        return false;
    p->factors[p->order[i]] = unit < N_UNITS ? UNITS[unit].factor : 1;
    values[i].unit = unit < N_UNITS ? UNITS[unit].unit : UNIT_COUNT;
    values[i].role = ROLE_OTHER;
    values[i].label = builder_text_of(p->builder, label);
    for (size_t k = 0; k < N_MEANINGS; k++)
        if (str_eq_nocase(name, MEANINGS[k].type)) {
            values[i].label = str_of(MEANINGS[k].label);
            values[i].role = MEANINGS[k].role;
        }
    if (values[i].role == ROLE_CPU && values[i].unit != UNIT_NS)
        values[i].role = ROLE_OTHER;
    return value_name_set(p->arena, values, i, name);
}

bool pprof_declare(struct pprof *p)
{
    struct profile_value values[PPROF_TYPES_MAX] = {{.unit = UNIT_COUNT}};
    uint32_t n = types_of(p);

    if (n == 0)
        return diag_set(p->diag, DIAG_UNUSABLE, "no sample types",
                        "Write the profile again: the file is not whole.",
                        "The file is a pprof profile, but says nothing of what its samples count.");
    set_order(p);
    for (uint32_t i = 0; i < n; i++)
        if (!set_value(p, values, i))
            return builder_failed(p->builder, p->diag);
    if (p->n_types > PPROF_TYPES_MAX)
        builder_warn(p->builder, WARN_VALUES_LEFT_OUT, p->n_types - PPROF_TYPES_MAX, WARNING_NO_OFFSET);
    if (!builder_values(p->builder, NULL, 0, values, n))
        return builder_failed(p->builder, p->diag);
    if (p->negative)
        builder_signed(p->builder);
    return true;
}
