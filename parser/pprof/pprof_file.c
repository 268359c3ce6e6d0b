/* Whether a file is a pprof profile, and its way to a profile; its samples: which thread each is of, its
 * stack and its values. See pprof_impl.h for the layout. */
#include <stdio.h>
#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "parser/pprof/pprof_impl.h"

/* ---- labels ---- */

enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER, LABEL_UNIT };
enum { NUMBER_BYTES = 64 }; /* of a value that is a number, with its unit, as text */

struct label {
    uint64_t place; /* of the key's string */
    struct str key, text, unit;
    uint64_t number; /* int64_t; with has_number */
    bool has_number;
    bool chosen; /* Its values are to be the tracks. Known once it was counted. */
};

enum { UNLISTED = PROFILE_LABELS_MAX }; /* in place of an index: there were that many before it */

static void begin_labels(struct pprof *p)
{
    idmap_init(&p->labels.places, p->arena, builder_seed(p->builder));
    idmap_init(&p->labels.values, p->arena, builder_seed(p->builder));
}

static struct label label_of(struct pprof *p, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    uint64_t numbers[LABEL_UNIT + 1] = {0};
    struct label l = {.has_number = false};

    while (protobuf_next(&m, &f))
        if (f.wire == PROTOBUF_VARINT && f.number <= LABEL_UNIT) {
            numbers[f.number] = f.value;
            l.has_number = l.has_number || f.number > LABEL_TEXT;
        }
    l.place = numbers[LABEL_KEY];
    l.key = pprof_string(p, l.place);
    l.text = pprof_string(p, numbers[LABEL_TEXT]);
    l.number = numbers[LABEL_NUMBER];
    l.unit = pprof_string(p, numbers[LABEL_UNIT]);
    return l;
}

/* Its value as text, of a number "512 bytes"; `room` holds it where it is a number. Empty: it has none. */
static struct str label_value(const struct label *l, char room[NUMBER_BYTES])
{
    bool below = (int64_t)l->number < 0;
    char *at = room;

    if (l->text.n > 0 || !l->has_number)
        return l->text;
    if (below)
        *at++ = '-';
    at = number_u64(at, below ? 0 - l->number : l->number);
    struct str unit = clean_cut(l->unit, NUMBER_BYTES - (size_t)(at - room) - 1);
    if (unit.n > 0) {
        *at++ = ' ';
        memcpy(at, unit.p, unit.n);
    }
    return (struct str){room, (size_t)(at - room) + unit.n};
}

/* Whether tracks are to be made of it. Its key may be said as it is shown. */
static bool is_chosen(const struct pprof *p, struct str key)
{
    struct str split = builder_split_key(p->builder);
    struct buf shown = {0};

    if (split.n == 0 || str_eq(key, split))
        return split.n > 0;
    clean_text(&shown, key);
    bool same = !shown.failed && str_eq(buf_view(&shown), split);
    buf_free(&shown);
    return same;
}

/* The index of the label's key. False: the arena gives no more. */
static bool index_of(struct pprof *p, const struct label *l, uint32_t *index)
{
    struct pprof_labels *all = &p->labels;

    *index = idmap_get(&all->places, l->place);
    if (*index != IDMAP_NONE)
        return true;
    string_id name = pprof_name(p, l->key);
    if (name == STRING_NONE)
        return false;
    struct str key = builder_text_of(p->builder, name);
    for (*index = 0; *index < all->n && !str_eq(all->list[*index].key, key);)
        ++*index;
    if (*index == all->n && all->n < PROFILE_LABELS_MAX) {
        all->chosen[all->n] = is_chosen(p, key);
        all->list[all->n++] = (struct profile_label){.key = key};
    }
    return idmap_set(&all->places, l->place, *index);
}

/* Notes that there is this label with this value. False: the arena gives no more. */
static bool count_label(struct pprof *p, struct label *l, struct str value)
{
    struct pprof_labels *all = &p->labels;
    struct hash_seed seed = builder_seed(p->builder);
    uint32_t index;

    if (l->key.n == 0 || value.n == 0)
        return true;
    if (!index_of(p, l, &index))
        return false;
    l->chosen = index == UNLISTED ? str_eq(l->key, builder_split_key(p->builder)) : all->chosen[index];
    if (index == UNLISTED || all->list[index].values == PROFILE_LABEL_VALUES_MAX)
        return true;
    uint64_t hash = hash_u64(seed, hash_bytes(seed, value.p, value.n) + index);
    if (idmap_get(&all->values, hash) != IDMAP_NONE)
        return true;
    all->list[index].values++;
    return idmap_set(&all->values, hash, 0);
}

/* Behind the last sample: tells the builder of all labels. */
static void tell_labels(const struct pprof *p)
{
    for (uint32_t i = 0; i < p->labels.n; i++)
        builder_label(p->builder, &p->labels.list[i]);
}

/* Sets diag: no sample has the label that tracks are to be made of. Always false. */
static bool no_label(struct pprof *p)
{
    struct str split = clean_cut(builder_split_key(p->builder), 100);
    struct buf keys = {0};

    for (uint32_t i = 0; i < p->labels.n; i++) {
        buf_z(&keys, i == 0 ? "" : ", ");
        clean_text(&keys, p->labels.list[i].key);
    }
    struct str listed = clean_cut(keys.failed ? STR("") : buf_view(&keys), 300);
    if (listed.n > 0)
        diag_set(p->diag, DIAG_USAGE, "no such label", "Name one of its labels, or leave the option out.",
                 "split=%.*s: no sample has this label. There are: %.*s%s.", (int)split.n, split.p,
                 (int)listed.n, listed.p, listed.n < keys.n ? " .." : "");
    else
        diag_set(p->diag, DIAG_USAGE, "no such label", "Leave the option out.",
                 "split=%.*s: the samples of this profile have no labels.", (int)split.n, split.p);
    buf_free(&keys);
    return false;
}

/* Labels that name a thread or have its number, as profilers write them. Tracks are made of these, unless
 * of another label (builder_split). */
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
    char room[NUMBER_BYTES];
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

static void take_thread(const struct label *l, struct owner *o)
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
    struct label l = label_of(r->p, message);
    char room[NUMBER_BYTES];
    struct str value = label_value(&l, room);

    take_thread(&l, o);
    if (arena_stopped(r->p->arena))
        return false;
    if (!count_label(r->p, &l, value))
        return false;
    if (l.chosen && o->value.n == 0)
        o->value = label_value(&l, o->room);
    return true;
}

/* ---- tracks ---- */

/* The number in a URL: the thread's own, if it is one that no other track has. Else the first free one
 * behind the number of tracks: a file may have taken all of those that come next, which are not looked at
 * again for each track. */
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

    if (l == NULL || arena_stopped_at(r->p->arena, n) ||
        !ARENA_ROOM(r->p->arena, r->stack, r->capacity, n + 1))
        return false;
    r->stack[n] = (uint32_t)(l - r->p->locations);
    return true;
}

/* The node of the location's last frame, below `node`. A sample names a location in a byte, and it may
 * have hundreds of frames. */
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
        while (f.number == 2 && protobuf_list_next(&f, &list, &value) &&
               !arena_stopped_at(r->p->arena, type)) {
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
    if (p->drop_frames > 0 && pprof_string(p, p->drop_frames).n > 0)
        builder_warn(p->builder, WARN_FRAMES_NOT_DROPPED, 1, WARNING_NO_OFFSET);
    return true;
}

static bool read_samples(struct pprof *p)
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
    tell_labels(p);
    if (r.split.n > 0 && !r.found && p->n_samples > 0)
        return no_label(p);
    return note_what_is_wrong(p);
}

/* ---- the file ---- */

enum { FIELDS_MIN = 2, LAST_FIELD = 15, STRING_TABLE = 6, PERIOD_TYPE = 11, COMMENT = 13 };

/* ---- detection ---- */

/* Whether the bytes can be a message: fields up to their end, or to where they are cut. */
static bool is_message(struct str bytes)
{
    struct protobuf m = protobuf_of_bytes(bytes);
    struct protobuf_field f;

    while (protobuf_next(&m, &f))
        continue;
    return m.state != PROTOBUF_BAD;
}

static bool is_field(const struct protobuf_field *f)
{
    if (f->number == STRING_TABLE)
        return f->wire == PROTOBUF_BYTES;
    if (f->number < STRING_TABLE || f->number == PERIOD_TYPE)
        return f->wire == PROTOBUF_BYTES && is_message(f->bytes);
    return f->number <= LAST_FIELD &&
           (f->wire == PROTOBUF_VARINT || (f->number == COMMENT && f->wire == PROTOBUF_BYTES));
}

/* All fields are those of a profile; and one of them, at least, none of a Perfetto trace, which has field
 * 1 alone. A field that the end of the bytes cuts does not count. */
static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    struct protobuf m = protobuf_of(p, n);
    struct protobuf_field f = {.number = 0};
    size_t fields = 0, of_pprof = 0;

    while (protobuf_next(&m, &f)) {
        if (!is_field(&f))
            return DETECT_NO;
        fields++;
        of_pprof += f.number > 1;
    }
    if (m.state == PROTOBUF_BAD || f.number > LAST_FIELD)
        return DETECT_NO;
    if (n < DETECT_BYTES_MAX && !final)
        return DETECT_MORE;
    return fields >= FIELDS_MIN && of_pprof > 0 ? DETECT_YES : DETECT_NO;
}

/* ---- reading ---- */

static void begin(struct pprof *p, struct reading *r)
{
    struct builder *b = r->builder;

    *p = (struct pprof){.builder = b, .limits = r->limits, .diag = r->diag, .arena = builder_arena(b)};
    idmap_init(&p->function_ids, p->arena, builder_seed(b));
    idmap_init(&p->mapping_ids, p->arena, builder_seed(b));
    idmap_init(&p->location_ids, p->arena, builder_seed(b));
    begin_labels(p);
}

static bool number_fact(struct pprof *p, struct str name, uint64_t value)
{
    char text[24];

    if (value == 0 || value > INT64_MAX)
        return true;
    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    return builder_fact(p->builder, name, str_of(text));
}

/* `10000000 nanoseconds of cpu`: how much of something passes between two samples. */
static bool period_fact(struct pprof *p)
{
    struct str type = pprof_string(p, p->period_type.type), unit = pprof_string(p, p->period_type.unit);
    char text[128];

    if (p->period == 0 || p->period > INT64_MAX || type.n == 0 || type.n > 40 || unit.n > 40)
        return true;
    snprintf(text, sizeof(text), "%llu %.*s of %.*s", (unsigned long long)p->period, (int)unit.n, unit.p,
             (int)type.n, type.p);
    return builder_fact(p->builder, STR("period"), str_of(text));
}

static bool put_facts(struct pprof *p)
{
    struct str comment = p->comment == 0 ? STR("") : pprof_string(p, p->comment);

    return (number_fact(p, STR("start_ns"), p->time_ns) &&
            number_fact(p, STR("elapsed_ns"), p->duration_ns) && period_fact(p) &&
            (comment.n == 0 || builder_fact(p->builder, STR("comment"), comment))) ||
           builder_failed(p->builder, p->diag);
}

static bool no_strings(struct pprof *p)
{
    return diag_set(
        p->diag, DIAG_UNUSABLE, "profile without names",
        "Write the profile again, or fetch it again: the file is cut.",
        "The file is a pprof profile, but its table of strings, which is usually at the end, is missing.");
}

static bool no_samples(struct pprof *p)
{
    return diag_set(p->diag, DIAG_UNUSABLE, "no samples",
                    "Record for a longer time, while the program works.",
                    "The file is a pprof profile without a sample.");
}

/* All of the file: its strings stand last. */
static bool read_profile(struct reading *r)
{
    struct pprof *p = arena_alloc(builder_arena(r->builder), sizeof(*p));
    size_t n;

    if (p == NULL)
        return builder_failed(r->builder, r->diag);
    begin(p, r);
    const uint8_t *bytes = source_need(r->source, SIZE_MAX, &n);
    if (r->source->failed)
        return false;
    p->bytes = (struct str){(const char *)bytes, n};
    return pprof_read_tables(p) && (p->n_strings > 0 || no_strings(p)) && pprof_declare(p) && put_facts(p) &&
           read_samples(p) && (p->n_samples > 0 || no_samples(p));
}

const struct format FORMAT_PPROF = {
    .name = "pprof",
    .label = "pprof profile",
    .written_by = "pprof, Go, `traceconv profile`, and many profilers: `profile.proto`, plain or gzip'd",
    .labels = true,
    .detect = detect,
    .read = read_profile,
};
