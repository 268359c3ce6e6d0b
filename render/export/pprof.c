/* Output "pprof": profile.proto of https://github.com/google/pprof, packed with gzip. All values of the
 * profile are sample types, the view's one is the default. A stack with values of its own is a sample,
 * with its thread, heap or process as labels; what a thread spends in no frame has no stack and is left
 * out. A frame is a function and a location; the module of native frames is a mapping. What goes down of a
 * signed value is below 0.
 *
 * Fields are `(number << 3 | wire type)` as a varint, then a varint (type 0), or a length and so many
 * bytes (type 2). Numbers of fields: Profile 1 sample_type, 2 sample, 3 mapping, 4 location, 5 function, 6
 * string_table, 14 default_sample_type; ValueType 1 type, 2 unit; Sample 1 location_id, 2 value, 3 label;
 * Label 1 key, 2 str, 3 num; Mapping 1 id, 5 filename, 6 build_id; Location 1 id, 2 mapping_id, 3 address,
 * 4 line; Line 1 function_id, 2 line; Function 1 id, 2 name, 3 system_name, 4 filename. */
#include "core/clean.h"
#include "core/protobuf_put.h"
#include "profile/track.h"
#include "render/export/export.h"
#include "render/output.h"
#include "render/view/view.h"

struct writer {
    struct export export;
    struct buf plain;
    struct buf message, packed,
        text; /* a message within the profile; a list or message within that; a name */
    uint64_t n_strings;
    uint32_t *mapping; /* by string: the id of the mapping of this module, or 0 */
    uint32_t n_mappings;
    bool *seen; /* by frame */
};

/* ---- fields ---- */

static void put_u64(struct buf *b, unsigned field, uint64_t value)
{
    if (value != 0) /* 0 is the default of every field */
        protobuf_put_u64(b, field, value);
}

/* Of the table, whose entries may stand between other fields: its index. */
static uint64_t add_string(struct writer *w, struct str s)
{
    protobuf_put_bytes(&w->plain, 6, s);
    return w->n_strings++;
}

static uint64_t add_cleaned(struct writer *w, struct str s)
{
    if (s.n == 0)
        return 0;
    buf_clear(&w->packed);
    clean_text(&w->packed, s);
    w->plain.failed = w->plain.failed || w->packed.failed;
    return add_string(w, buf_view(&w->packed));
}

static void put_message(struct writer *w, unsigned field)
{
    w->plain.failed = w->plain.failed || w->message.failed;
    protobuf_put_bytes(&w->plain, field, buf_view(&w->message));
    buf_clear(&w->message);
}

/* ---- what the profile has ---- */

static void put_sample_types(struct writer *w)
{
    static const char *const UNITS[] = {
        [UNIT_NS] = "nanoseconds", [UNIT_BYTES] = "bytes", [UNIT_COUNT] = "count"};
    uint64_t first = 0;

    for (uint32_t i = 0; i < w->export.n_measures; i++) {
        uint64_t name = add_cleaned(w, w->export.measures[i].name);
        first = i == 0 ? name : first;
        put_u64(&w->message, 1, name);
        put_u64(&w->message, 2, add_string(w, str_of(UNITS[w->export.measures[i].unit])));
        put_message(w, 1);
    }
    put_u64(&w->plain, 14, first);
}

static uint32_t mapping_of(struct writer *w, const struct profile_frame *f)
{
    const struct profile *p = w->export.in->profile;

    if (profile_string(p, f->module).n == 0 || w->mapping[f->module] != 0)
        return w->mapping[f->module];
    w->mapping[f->module] = ++w->n_mappings;
    put_u64(&w->message, 1, w->n_mappings);
    put_u64(&w->message, 5, add_cleaned(w, profile_string(p, f->module)));
    put_u64(&w->message, 6, add_cleaned(w, profile_string(p, f->build_id)));
    put_message(w, 3);
    return w->n_mappings;
}

/* A function and a location, both with the number of the frame, from 1. */
static void put_frame(struct writer *w, frame_id frame)
{
    const struct profile *p = w->export.in->profile;
    const struct profile_frame *f = &p->frames[frame];
    uint64_t id = (uint64_t)frame + 1;

    buf_clear(&w->text);
    export_frame(&w->export, frame, &w->text);
    w->plain.failed = w->plain.failed || w->text.failed;
    uint64_t name = add_cleaned(w, buf_view(&w->text)), file = add_cleaned(w, profile_string(p, f->file));
    put_u64(&w->message, 1, id);
    put_u64(&w->message, 2, name);
    put_u64(&w->message, 3, name);
    put_u64(&w->message, 4, file);
    put_message(w, 5);

    uint32_t mapping = mapping_of(w, f);
    buf_clear(&w->packed);
    put_u64(&w->packed, 1, id);
    put_u64(&w->packed, 2, f->line);
    put_u64(&w->message, 1, id);
    put_u64(&w->message, 2, mapping);
    put_u64(&w->message, 3, f->address);
    protobuf_put_bytes(&w->message, 4, buf_view(&w->packed));
    put_message(w, 4);
}

static bool put_frames(struct writer *w)
{
    const struct tree *t = w->export.tree;
    struct arena *a = w->export.in->scratch;

    w->seen = arena_array(a, (size_t)t->n_frames + 1, sizeof(*w->seen));
    w->mapping = arena_array(a, (size_t)w->export.in->profile->n_strings + 1, sizeof(*w->mapping));
    if (w->seen == NULL || w->mapping == NULL)
        return false;
    for (uint32_t i = 0; i <= t->n_frames; i++)
        w->seen[i] = false;
    for (uint32_t i = 0; i <= w->export.in->profile->n_strings; i++)
        w->mapping[i] = 0;
    for (uint32_t place = 1; place < t->n && !w->plain.failed; place++) {
        frame_id frame = tree_frame(t, place);
        if (tree_is_track(t, frame) || w->seen[frame])
            continue;
        w->seen[frame] = true;
        put_frame(w, frame);
    }
    return true;
}

/* ---- samples ---- */

static uint64_t value_of(const struct export *e, uint32_t place, uint32_t measure)
{
    uint64_t up = tree_self(e->tree, place, measure);

    /* A negative number is its two's complement: int64 of the format. */
    return e->minus[measure] == 0 ? up : up - tree_self(e->tree, place, e->minus[measure]);
}

static bool has_values(const struct export *e, uint32_t place)
{
    bool any = false;

    for (uint32_t i = 0; i < e->n_measures; i++)
        any = any || value_of(e, place, i) != 0;
    return any;
}

static void put_sample(struct writer *w, const struct export_part *part, uint32_t place, struct str labels)
{
    const struct tree *t = w->export.tree;

    buf_clear(&w->packed);
    for (uint32_t at = place; at != part->root; at = t->parent[at])
        protobuf_put_varint(&w->packed, (uint64_t)tree_frame(t, at) + 1);
    protobuf_put_bytes(&w->message, 1, buf_view(&w->packed));
    buf_clear(&w->packed);
    for (uint32_t i = 0; i < w->export.n_measures; i++)
        protobuf_put_varint(&w->packed, value_of(&w->export, place, i));
    protobuf_put_bytes(&w->message, 2, buf_view(&w->packed));
    buf_str(&w->message, labels);
    put_message(w, 2);
}

/* Appends the fields of the labels that all samples of the part have: its name, and the number that people
 * know it by. */
static void put_labels(struct writer *w, const struct export_part *part, struct buf *labels)
{
    const struct track_noun *noun = track_noun(part->track->kind);
    uint64_t name = add_cleaned(w, profile_string(w->export.in->profile, part->track->name));
    uint64_t key = add_string(w, str_of(noun->word)), number = add_string(w, str_of(noun->number));

    buf_clear(&w->packed);
    put_u64(&w->packed, 1, key);
    put_u64(&w->packed, 2, name);
    protobuf_put_bytes(labels, 3, buf_view(&w->packed));
    if (noun->number[0] == '\0')
        return;
    buf_clear(&w->packed);
    put_u64(&w->packed, 1, number);
    put_u64(&w->packed, 3, part->track->number);
    protobuf_put_bytes(labels, 3, buf_view(&w->packed));
}

static bool put_part(void *context, const struct export_part *part)
{
    struct writer *w = context;
    struct buf labels = {0};

    if (part->track != NULL)
        put_labels(w, part, &labels);
    for (uint32_t place = part->first; place < part->end && !w->plain.failed; place++)
        if (has_values(&w->export, place))
            put_sample(w, part, place, buf_view(&labels));
    w->plain.failed = w->plain.failed || labels.failed || w->packed.failed;
    buf_free(&labels);
    return !w->plain.failed;
}

static bool put_profile(struct writer *w)
{
    add_string(w, STR(""));
    put_sample_types(w);
    if (!put_frames(w))
        return false;
    export_parts(&w->export, put_part, w);
    return true;
}

static bool render(const struct render_input *in, struct buf *out, struct diag *diag)
{
    struct writer w = {0};

    if (!export_begin(&w.export, in, diag))
        return false;
    buf_init(&w.plain, out->limit);
    bool ok = put_profile(&w) ? export_pack(&w.plain, out, diag) : fail_arena(in->scratch, diag);
    buf_free(&w.plain);
    buf_free(&w.message);
    buf_free(&w.packed);
    buf_free(&w.text);
    return ok;
}

const struct output OUTPUT_PPROF = {
    .name = "pprof",
    .suffix = "pb.gz",
    .media_type = "application/gzip",
    .label = "Stacks for pprof",
    .exported = true,
    .packed = true,
    .views = OUTPUT_PLAIN_VIEWS,
    .revision = 1,
    .render = render,
};
