/* The samples: which thread each is of, its stack and its values. */
#include <stdio.h>
#include <string.h>

#include "core/clean.h"
#include "parser/pprof/pprof.h"

/* Labels that name a thread or have its number, as profilers write them. Tracks are made of these, unless of another label
 * (builder_split). */
static const struct str THREAD_NAMES[] = {STR_INIT("thread_name"), STR_INIT("thread name"),
                                          STR_INIT("thread"), STR_INIT("comm")},
                        THREAD_IDS[] = {STR_INIT("thread_id"), STR_INIT("thread id"), STR_INIT("tid")};

enum {
    N_NAMES = sizeof(THREAD_NAMES) / sizeof(*THREAD_NAMES),
    N_IDS = sizeof(THREAD_IDS) / sizeof(*THREAD_IDS)
};

/* What labels say of a sample's track; texts may be empty. */
struct owner {
    struct str name, id; /* of its thread */
    char digits[24];     /* of an id that is a number */
    struct str value;    /* of the label that tracks are made of: the first, if the sample has several */
    char room[PPROF_NUMBER_BYTES];
};

struct pprof_pass {
    struct pprof *p;
    struct str split;     /* the key of the label that tracks are made of; empty: of threads */
    bool found;           /* a sample has that label */
    struct idmap tracks;  /* string of the builder -> track: of names, and of ids with the highest bit */
    struct idmap numbers; /* tracks' numbers that are taken */
    uint32_t behind;      /* those from n_tracks + 1 up to it are taken */
    uint32_t n_tracks;
    uint32_t whole;  /* of samples without a thread, or without the label; NODE_NONE: none yet */
    uint32_t *stack; /* of a sample: the places of its locations, the innermost first */
    size_t capacity;
    struct idmap
        ends; /* node and place of a location with many frames below it -> the node of its last frame */
};

static bool is_one_of(struct str key, const struct str *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(key, words[i]))
            return true;
    return false;
}

static void take_thread(const struct pprof_label *l, struct owner *o)
{
    struct str id = l->text;

    if (is_one_of(l->key, THREAD_NAMES, N_NAMES) && o->name.n == 0)
        o->name = l->text;
    if (!is_one_of(l->key, THREAD_IDS, N_IDS) || o->id.n > 0)
        return;
    if (id.n == 0) {
        int n = snprintf(o->digits, sizeof(o->digits), "%llu", (unsigned long long)l->number);
        id = (struct str){o->digits, (size_t)n};
    }
    o->id = id;
}

/* False: the arena gives no more. */
static bool take_label(struct pprof_pass *r, struct str message, struct owner *o)
{
    struct pprof_label l = pprof_label_of(r->p, message);
    char room[PPROF_NUMBER_BYTES];
    struct str value = pprof_label_value(&l, room);

    take_thread(&l, o);
    if (!pprof_label_count(r->p, &l, value))
        return false;
    if (l.chosen && o->value.n == 0)
        o->value = pprof_label_value(&l, o->room);
    return true;
}

/* ---- once over them, before their tables are known ---- */

void pprof_survey_sample(struct pprof *p, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    uint64_t value;
    uint32_t type = 0;

    p->n_samples++;
    while (protobuf_next(&m, &f)) {
        struct protobuf list = protobuf_list(&f);
        while (f.number == 2 && protobuf_list_next(&f, &list, &value)) {
            p->negative = p->negative || (int64_t)value < 0;
            if (type < PPROF_TYPES_MAX)
                p->filled[type] = p->filled[type] || value != 0;
            type++;
        }
    }
}

/* ---- tracks ---- */

/* The number in a URL: the thread's own, if it is one that no other track has. Else the first free one behind the number of tracks: a
 * file may have taken all of those that come next, which are not looked at again for each track. */
static bool free_number(struct pprof_pass *r, struct str id, uint32_t *number)
{
    uint64_t own;

    if (str_to_u64(id, 10, &own) && own <= UINT32_MAX && idmap_get(&r->numbers, own) == IDMAP_NONE) {
        *number = (uint32_t)own;
    } else {
        *number = r->behind > r->n_tracks ? r->behind : r->n_tracks + 1;
        while (idmap_get(&r->numbers, *number) != IDMAP_NONE)
            ++*number;
        r->behind = *number + 1;
    }
    return idmap_set(&r->numbers, *number, 0);
}

static bool too_many(const struct pprof_pass *r)
{
    const struct pprof *p = r->p;
    struct str key = clean_cut(r->split, 100);

    if (key.n == 0)
        diag_set(p->diag, DIAG_LIMIT, "too many threads", "Write a profile of fewer threads.",
                 "The samples have labels of more threads than the limit of %u.", p->limits->threads);
    else
        diag_set(p->diag, DIAG_LIMIT, "too many values of the label", "Split by a label with fewer values.",
                 "split=%.*s: the label has more values than the limit of %u tracks.", (int)key.n, key.p,
                 p->limits->threads);
    p->diag->topic = DIAG_ABOUT_THREADS;
    return false;
}

/* `id`: the number that it may have in URLs, if it is one. */
static bool add_track(struct pprof_pass *r, struct str name, struct str id, enum track_kind kind,
                      uint32_t *track)
{
    struct pprof *p = r->p;
    uint32_t number;
    string_id text = pprof_name(p, name);

    if (r->n_tracks >= p->limits->threads)
        return too_many(r);
    if (text == STRING_NONE || !free_number(r, id, &number))
        return false;
    *track = builder_track(p->builder, number, text);
    if (*track == NODE_NONE)
        return false;
    builder_track_is(p->builder, *track, &(struct track_words){.kind = kind, .number = number});
    r->n_tracks++;
    return true;
}

/* The track of samples that name none. */
static bool whole_track(struct pprof_pass *r, uint32_t *track)
{
    bool ok = true;

    if (r->whole == NODE_NONE && r->split.n == 0) {
        ok = add_track(r, STR("all stacks"), STR(""), TRACK_WHOLE, &r->whole);
    } else if (r->whole == NODE_NONE) {
        struct buf name = {0};
        buf_z(&name, "(no ");
        buf_str(&name, r->split);
        buf_char(&name, ')');
        ok = !name.failed && add_track(r, buf_view(&name), STR(""), TRACK_LABEL, &r->whole);
        buf_free(&name);
    }
    *track = r->whole;
    return ok;
}

/* The track of a sample: of the label's value; or of its thread's id, or else its name. */
static bool track_of(struct pprof_pass *r, const struct owner *o, uint32_t *track)
{
    bool splits = r->split.n > 0, has_id = !splits && o->id.n > 0;
    struct str known_by = splits ? o->value : has_id ? o->id : o->name;

    if (known_by.n == 0)
        return whole_track(r, track);
    r->found = true;
    string_id key = pprof_name(r->p, known_by);
    if (key == STRING_NONE)
        return false;
    uint64_t place = key | (has_id ? UINT64_C(1) << 32 : 0);
    *track = idmap_get(&r->tracks, place);
    if (*track != IDMAP_NONE)
        return true;
    bool added = splits ? add_track(r, o->value, o->value, TRACK_LABEL, track)
                        : add_track(r, o->name.n > 0 ? o->name : o->id, o->id, TRACK_THREAD, track);
    return added && idmap_set(&r->tracks, place, *track);
}

/* ---- samples ---- */

static bool add_location(struct pprof_pass *r, uint64_t id, size_t n)
{
    const struct pprof_location *l = pprof_location(r->p, id);

    if (l == NULL || !ARENA_ROOM(r->p->arena, r->stack, r->capacity, n + 1))
        return false;
    r->stack[n] = (uint32_t)(l - r->p->locations);
    return true;
}

/* The node of the location's last frame, below `node`. A sample names a location in a byte, and it may have hundreds of frames. */
static node_id put_location(struct pprof_pass *r, uint32_t track, node_id node, uint32_t place)
{
    enum { MANY = 8 };
    struct pprof *p = r->p;
    const struct pprof_location *l = &p->locations[place];
    uint64_t key = (uint64_t)node << 32 | place;

    if (l->n < MANY)
        return builder_stack(p->builder, track, node, p->frames + l->first, l->n);
    node_id end = idmap_get(&r->ends, key);
    if (end != IDMAP_NONE)
        return end;
    end = builder_stack(p->builder, track, node, p->frames + l->first, l->n);
    return end != NODE_NONE && idmap_set(&r->ends, key, end) ? end : NODE_NONE;
}

static node_id put_stack(struct pprof_pass *r, uint32_t track, size_t n)
{
    node_id node = builder_stack(r->p->builder, track, NODE_NONE, NULL, 0);

    while (n > 0 && node != NODE_NONE)
        node = put_location(r, track, node, r->stack[--n]);
    return node;
}

/* In the unit of its value; the largest or smallest there is, where it does not fit. */
static int64_t scaled(uint64_t value, int64_t factor)
{
    int64_t number = (int64_t)value, product;

    if (__builtin_mul_overflow(number, factor, &product))
        return number < 0 ? INT64_MIN : INT64_MAX;
    return product;
}

/* The types' numbers as the profile's values. */
static void order_values(struct pprof *p, const uint64_t *numbers, uint64_t *values)
{
    for (uint32_t i = 0; i < p->n_types && i < PPROF_TYPES_MAX; i++)
        values[i] = (uint64_t)scaled(numbers[p->order[i]], p->factors[p->order[i]]);
}

static bool add_sample(struct pprof_pass *r, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct owner owner = {.name = STR(""), .id = STR(""), .value = STR("")};
    uint64_t numbers[PPROF_TYPES_MAX] = {0}, values[PPROF_TYPES_MAX] = {0}, value;
    uint32_t type = 0, track;
    size_t n = 0;

    while (protobuf_next(&m, &f)) {
        struct protobuf list = protobuf_list(&f);
        if (f.number == 3 && f.wire == PROTOBUF_BYTES && !take_label(r, f.bytes, &owner))
            return false;
        while (f.number == 1 && protobuf_list_next(&f, &list, &value))
            if (!add_location(r, value, n++))
                return false;
        while (f.number == 2 && protobuf_list_next(&f, &list, &value)) {
            if (type < PPROF_TYPES_MAX)
                numbers[type] = value;
            type++;
        }
    }
    r->p->bad_counts += type != r->p->n_types;
    order_values(r->p, numbers, values);
    return track_of(r, &owner, &track) &&
           builder_sample(r->p->builder, track, put_stack(r, track, n), values);
}

static bool note_what_is_wrong(struct pprof *p)
{
    if (p->bad_references > 0)
        builder_warn(p->builder, WARN_BAD_REFERENCE, p->bad_references, WARNING_NO_OFFSET);
    if (p->bad_counts > 0)
        builder_warn(p->builder, WARN_BAD_SAMPLE, p->bad_counts, WARNING_NO_OFFSET);
    return true;
}

bool pprof_read_samples(struct pprof *p)
{
    struct protobuf m = protobuf_of_bytes(p->bytes);
    struct protobuf_field f;
    struct pprof_pass r = {.p = p, .split = builder_split_key(p->builder), .whole = NODE_NONE};

    idmap_init(&r.tracks, p->arena, builder_seed(p->builder));
    idmap_init(&r.ends, p->arena, builder_seed(p->builder));
    idmap_init(&r.numbers, p->arena, builder_seed(p->builder));
    while (protobuf_next(&m, &f))
        if (f.number == 2 && f.wire == PROTOBUF_BYTES && !add_sample(&r, f.bytes))
            return builder_failed(p->builder, p->diag);
    pprof_labels_tell(p);
    if (r.split.n > 0 && !r.found && p->n_samples > 0)
        return pprof_no_label(p);
    return note_what_is_wrong(p);
}
