/* What a program says of one of its sections beside the name: debug annotations of track events
 * (protos/perfetto/trace/track_event/debug_annotation.proto).
 *
 *   DebugAnnotation {name_iid = 1, bool = 2, uint = 3, int = 4, double = 5, string = 6, pointer = 7, nested = 8, legacy_json = 9,
 *     name = 10, dict_entries = 11, array_values = 12, string_iid = 17}
 *   NestedValue {dict_keys = 2, dict_values = 3, array_values = 4, int = 5, double = 6, bool = 7, string = 8}
 *
 * One within another becomes `a.b`, one of an array `a[0]`. They are read with their event, and told when it is known which call
 * the event is of. */
#include "core/clean.h"
#include "core/number.h"
#include "core/order.h"
#include "parser/systrace/systrace_impl.h"

enum {
    DEPTH_MAX = 8, /* within each other */
    OF_EVENT_MAX = 32,
    VALUE_BYTES_MAX = 256,
    NAME_BYTES_MAX = 128,
    BYTES_MAX = 8 << 20, /* of all of them */
    FIELDS = 18,
    NESTED_FIELDS = 9
};

struct note_reading {
    struct systrace *s;
    const struct sy_sequence *q;
    struct sy_extra *e;
    struct buf name; /* of the one at hand, with those around it */
    bool ok;
};

static void lose(struct note_reading *r)
{
    sy_lost(r->s, SY_LOST_NOTES, 1);
}

static void add(struct note_reading *r, struct str value)
{
    struct systrace *s = r->s;
    struct str name = clean_cut(buf_view(&r->name), NAME_BYTES_MAX);

    value = clean_cut(value, VALUE_BYTES_MAX);
    if (r->e->n_notes >= OF_EVENT_MAX || s->n_notes >= PROFILE_NOTES_MAX ||
        s->note_bytes > BYTES_MAX - NAME_BYTES_MAX - VALUE_BYTES_MAX) {
        lose(r);
        return;
    }
    r->ok = r->ok && !r->name.failed && ARENA_ROOM(s->arena, s->notes, s->notes_capacity, s->n_notes + 1);
    if (!r->ok)
        return;
    const struct sy_note note = {sy_string(s, name), sy_string(s, value)};
    r->ok = note.name != STRING_NONE && note.value != STRING_NONE;
    s->note_bytes += name.n + value.n;
    s->notes[s->n_notes++] = note;
    r->e->n_notes++;
}

static void add_buf(struct note_reading *r, struct buf *value)
{
    r->ok = r->ok && !value->failed;
    if (r->ok)
        add(r, buf_view(value));
    buf_free(value);
}

static void add_double(struct note_reading *r, uint64_t bits)
{
    struct buf b = {0};
    double value;

    memcpy(&value, &bits, sizeof(value));
    buf_printf(&b, "%.15g", value);
    add_buf(r, &b);
}

static void add_integer(struct note_reading *r, uint64_t value, bool is_signed)
{
    struct buf b = {0};

    if (is_signed && (int64_t)value < 0)
        buf_char(&b, '-');
    buf_u64(&b, is_signed && (int64_t)value < 0 ? 0 - value : value);
    add_buf(r, &b);
}

static void add_pointer(struct note_reading *r, uint64_t value)
{
    struct buf b = {0};

    buf_z(&b, "0x");
    buf_hex(&b, value);
    add_buf(r, &b);
}

/* The name goes on with `.key`, or with `[index]` where there is no key. Returns how long it was. */
static size_t enter(struct note_reading *r, struct str key, unsigned index)
{
    size_t n = r->name.n;

    if (r->name.n > NAME_BYTES_MAX)
        return n;
    if (key.p == NULL) {
        buf_char(&r->name, '[');
        buf_u64(&r->name, index);
        buf_char(&r->name, ']');
        return n;
    }
    if (n > 0)
        buf_char(&r->name, '.');
    buf_str(&r->name, clean_cut(key, NAME_BYTES_MAX));
    return n;
}

static void leave(struct note_reading *r, size_t n)
{
    if (!r->name.failed)
        r->name.n = n;
}

/* ---- values within values ---- */

/* How Chrome writes them: keys and values side by side. */
static void read_nested(struct note_reading *r, struct str message, unsigned depth)
{
    struct protobuf_field f[NESTED_FIELDS], value, key;
    struct protobuf keys = protobuf_of_bytes(message), values = keys;
    unsigned index = 0;

    if (depth == DEPTH_MAX) {
        lose(r);
        return;
    }
    protobuf_fields(message, f, NESTED_FIELDS);
    if (f[5].number != 0)
        add_integer(r, f[5].value, true);
    else if (f[6].number != 0)
        add_double(r, f[6].value);
    else if (f[7].number != 0)
        add(r, f[7].value != 0 ? STR("true") : STR("false"));
    else if (f[8].number != 0)
        add(r, f[8].bytes);
    while (r->ok && protobuf_next(&values, &value)) {
        if ((value.number != 3 && value.number != 4) || value.wire != PROTOBUF_BYTES)
            continue;
        key = (struct protobuf_field){.number = 0};
        while (value.number == 3 && protobuf_next(&keys, &key) && key.number != 2) {
        }
        bool has_key = value.number == 3 && key.number == 2 && key.bytes.p != NULL;
        size_t n = enter(r, has_key ? key.bytes : (struct str){NULL, 0}, index++);
        read_nested(r, value.bytes, depth + 1);
        leave(r, n);
    }
}

static void read_one(struct note_reading *r, struct str message, bool in_array, unsigned index,
                     unsigned depth);

static void read_all(struct note_reading *r, struct str message, uint32_t number, bool in_array,
                     unsigned depth)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    unsigned index = 0;

    while (r->ok && protobuf_next(&m, &f))
        if (f.number == number && f.wire == PROTOBUF_BYTES)
            read_one(r, f.bytes, in_array, index++, depth);
}

/* ---- one ---- */

static struct str interned(const struct systrace *s, const struct idmap *map, uint64_t id)
{
    uint32_t known = idmap_get(map, id);

    return known != IDMAP_NONE ? builder_text_of(s->builder, known) : STR("");
}

static void read_value(struct note_reading *r, const struct protobuf_field *f, struct str message,
                       unsigned depth)
{
    if (f[2].number != 0)
        add(r, f[2].value != 0 ? STR("true") : STR("false"));
    else if (f[3].number != 0)
        add_integer(r, f[3].value, false);
    else if (f[4].number != 0)
        add_integer(r, f[4].value, true);
    else if (f[5].number != 0)
        add_double(r, f[5].value);
    else if (f[6].number != 0)
        add(r, f[6].bytes);
    else if (f[7].number != 0)
        add_pointer(r, f[7].value);
    else if (f[9].number != 0)
        add(r, f[9].bytes);
    else if (f[17].number != 0)
        add(r, interned(r->s, &r->q->annotation_texts, f[17].value));
    if (f[8].number != 0)
        read_nested(r, f[8].bytes, depth);
    if (f[11].number != 0)
        read_all(r, message, 11, false, depth + 1);
    if (f[12].number != 0)
        read_all(r, message, 12, true, depth + 1);
}

static void read_one(struct note_reading *r, struct str message, bool in_array, unsigned index,
                     unsigned depth)
{
    struct protobuf_field f[FIELDS];

    if (depth == DEPTH_MAX) {
        lose(r);
        return;
    }
    protobuf_fields(message, f, FIELDS);
    struct str name = f[10].bytes.n > 0 ? f[10].bytes : interned(r->s, &r->q->annotation_names, f[1].value);
    size_t n = enter(r, in_array ? (struct str){NULL, 0} : name, index);
    read_value(r, f, message, depth);
    leave(r, n);
}

bool sy_notes_read(struct systrace *s, const struct sy_sequence *q, struct str event, struct sy_extra *e)
{
    enum { EVENT_ANNOTATION = 4 };
    struct note_reading r = {.s = s, .q = q, .e = e, .ok = true};

    e->notes = (uint32_t)s->n_notes;
    e->n_notes = 0;
    read_all(&r, event, EVENT_ANNOTATION, false, 0);
    buf_free(&r.name);
    return r.ok;
}

/* InternedData {debug_annotation_names = 3, debug_annotation_string_values = 29}, each {iid = 1, text = 2}. */
bool sy_notes_interned(struct systrace *s, struct sy_sequence *q, const struct protobuf_field *f)
{
    struct idmap *map = f->number == 3 ? &q->annotation_names : &q->annotation_texts;
    struct protobuf_field entry[3];

    protobuf_fields(f->bytes, entry, 3);
    if (idmap_get(map, entry[1].value) != IDMAP_NONE)
        return true;
    string_id text =
        sy_string(s, clean_cut(entry[2].bytes, f->number == 3 ? NAME_BYTES_MAX : VALUE_BYTES_MAX));
    return text != STRING_NONE && idmap_set(map, entry[1].value, text);
}

/* ---- told ---- */

bool sy_notes_told(struct systrace *s, uint32_t track_id, frame_id frame, uint64_t begin)
{
    const struct sy_extra *e = s->noted;

    for (uint32_t i = 0; e != NULL && i < e->n_notes; i++) {
        const struct sy_note *note = &s->notes[e->notes + i];
        if (!ARENA_ROOM(s->arena, s->told, s->told_capacity, s->n_told + 1))
            return false;
        s->told[s->n_told++] =
            (struct profile_note){track_id, frame, begin - s->begin, note->name, note->value};
    }
    return true;
}

static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
    const struct profile_note *notes = context;

    return notes[a].track != notes[b].track ? notes[a].track < notes[b].track
                                            : notes[a].begin_ns < notes[b].begin_ns;
}

bool sy_tell_notes(struct systrace *s)
{
    struct profile_note *sorted = arena_array(s->arena, s->n_told + 1, sizeof(*sorted));
    uint32_t *order = arena_array(s->arena, s->n_told + 1, sizeof(*order)), n = 0, at_once = 0;

    for (uint32_t i = 0; order != NULL && i < s->n_told; i++)
        order[i] = i;
    if (sorted == NULL || order == NULL || !order_array(order, s->n_told, comes_before, s->told, s->arena))
        return false;
    for (uint32_t i = 0; i < s->n_told; i++) {
        const struct profile_note *note = &s->told[order[i]];
        bool same = n > 0 && sorted[n - 1].track == note->track && sorted[n - 1].begin_ns == note->begin_ns;
        at_once = same ? at_once + 1 : 1;
        if (at_once <= PROFILE_NOTES_AT_ONCE_MAX)
            sorted[n++] = *note;
        else
            sy_lost(s, SY_LOST_NOTES, 1);
    }
    builder_notes(s->builder, sorted, n);
    return true;
}
