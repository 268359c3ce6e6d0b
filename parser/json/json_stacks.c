#include "parser/json/json_stacks.h"

#include <stdio.h>
#include <string.h>

#include "core/clean.h"
#include "core/number.h"
#include "parser/value_name.h"

enum { MILLION = 1000000, SHOWN_BYTES = 200 };

/* ---- columns ---- */

static bool widen(struct json_column *c, struct arena *arena)
{
    int64_t *wide = arena_lend(arena, c->capacity > 0 ? c->capacity : 1, sizeof(*wide));

    if (wide == NULL)
        return false;
    for (size_t i = 0; i < c->n; i++)
        wide[i] = json_column_at(c, i);
    if (c->narrow != NULL)
        arena_release(arena, c->narrow, c->capacity, sizeof(*c->narrow));
    c->narrow = NULL;
    c->wide = wide;
    c->capacity = c->capacity > 0 ? c->capacity : 1;
    return true;
}

bool json_column_add(struct json_column *c, struct arena *arena, int64_t value)
{
    bool fits = value == COLUMN_NONE || (value > INT32_MIN && value <= INT32_MAX);

    if (c->wide == NULL && !fits && !widen(c, arena))
        return false;
    if (c->wide != NULL) {
        if (c->n >= c->capacity && !ARENA_ROOM(arena, c->wide, c->capacity, c->n + 1))
            return false;
        c->wide[c->n++] = value;
        return true;
    }
    if (c->n >= c->capacity && !ARENA_ROOM(arena, c->narrow, c->capacity, c->n + 1))
        return false;
    c->narrow[c->n++] = value == COLUMN_NONE ? INT32_MIN : (int32_t)value;
    return true;
}

bool json_column_read(struct json_column *c, struct json_in *in, int decimals)
{
    struct json_number number;

    if (!json_in_enter(in, JSON_ARRAY))
        return true;
    while (json_in_item(in))
        if (!json_column_add(c, in->arena,
                             json_in_number(in, &number) ? json_in_scaled(number, decimals) : COLUMN_NONE))
            return false;
    return true;
}

/* ---- names ---- */

/* One type of a descriptor: [[I, Ljava/lang/String; and the like. `result`: V, too. */
static bool take_type(struct str *s, bool result)
{
    bool array = false;

    for (; s->n > 0 && s->p[0] == '['; array = true)
        s->p++, s->n--;
    if (s->n == 0)
        return false;
    char c = s->p[0];
    size_t end = c == 'L' ? str_find(*s, ';') : 0;
    bool good =
        c == 'L' ? end > 1 && end < s->n && memchr(s->p, '(', end) == NULL && memchr(s->p, ')', end) == NULL
                 : memchr("BCDFIJSZ", c, 8) != NULL || (c == 'V' && result && !array);
    s->p += end + 1;
    s->n -= good ? end + 1 : s->n;
    return good;
}

/* Where a JVM descriptor begins that ends the name: of "a.B.c(I)V" it is 5. s.n: it has none. */
static size_t descriptor_at(struct str s)
{
    size_t at = s.n == 0 || memchr("BCDFIJSZV;", s.p[s.n - 1], 10) == NULL ? s.n : str_find_last(s, '(');

    if (at == s.n || at == 0 || s.p[at - 1] == ' ')
        return s.n;
    struct str rest = {s.p + at + 1, s.n - at - 1};
    while (rest.n > 0 && rest.p[0] != ')')
        if (!take_type(&rest, false))
            return s.n;
    if (rest.n == 0)
        return s.n;
    rest.p++, rest.n--;
    return take_type(&rest, true) && rest.n == 0 ? at : s.n;
}

frame_id json_frame(struct builder *b, string_id name, const struct profile_frame *with)
{
    struct profile_frame frame = with != NULL ? *with : (struct profile_frame){0};

    if (name == STRING_NONE)
        return FRAME_NONE;
    struct str text = builder_text_of(b, name);
    size_t at = frame.signature != STRING_EMPTY ? text.n : descriptor_at(text);
    frame.name = name;
    if (text.n == 0)
        frame.name = builder_string(b, STR("(no name)"));
    if (at < text.n) {
        frame.signature = builder_string(b, (struct str){text.p + at, text.n - at});
        frame.name = builder_string(b, (struct str){text.p, at});
    }
    return frame.name == STRING_NONE || frame.signature == STRING_NONE ? FRAME_NONE
                                                                       : builder_frame(b, &frame);
}

struct str json_base_name(struct str path)
{
    return str_behind_last(str_behind_last(path, '/'), '\\');
}

bool json_is_nameless(struct str name, uint64_t *address)
{
    size_t open = str_find_str(name, STR("[+"));

    return open < name.n && str_ends(name, STR("]")) &&
           str_to_u64((struct str){name.p + open + 2, name.n - open - 3}, 16, address);
}

frame_id json_nameless_frame(struct builder *b, string_id path, uint64_t address, struct profile_frame with)
{
    struct str base = clean_cut(json_base_name(builder_text_of(b, path)), SHOWN_BYTES);
    char text[SHOWN_BYTES + 32];
    int n = snprintf(text, sizeof(text), "%.*s[+%llx]", base.n > 0 ? (int)base.n : 7,
                     base.n > 0 ? base.p : "unknown", (unsigned long long)address);

    with.name = builder_string(b, (struct str){text, (size_t)n});
    with.module = path;
    with.address = address;
    with.nameless = true;
    with.load_bias = PROFILE_BIAS_KNOWN;
    return with.name == STRING_NONE ? FRAME_NONE : builder_frame(b, &with);
}

/* ---- tracks ---- */

void json_tracks_init(struct json_tracks *t, struct reading *r)
{
    *t = (struct json_tracks){.builder = r->builder, .limits = r->limits, .diag = r->diag};
    idmap_init(&t->ids, builder_arena(r->builder), builder_seed(r->builder));
}

uint32_t json_track(struct json_tracks *t, string_id name, const struct track_words *words)
{
    uint32_t id = words->number;

    if (t->n >= t->limits->threads) {
        diag_set(t->diag, DIAG_LIMIT, "too many threads", "Record for a shorter time, or fewer threads.",
                 "The file has more threads than the limit of %u.", t->limits->threads);
        t->diag->topic = DIAG_ABOUT_THREADS;
        return NODE_NONE;
    }
    if (words->kind == TRACK_WHOLE || id == IDMAP_NONE || idmap_get(&t->ids, id) != IDMAP_NONE)
        do
            id = ++t->next_id;
        while (idmap_get(&t->ids, id) != IDMAP_NONE);
    uint32_t track = name == STRING_NONE || words->group == STRING_NONE || words->part == STRING_NONE ||
                             !idmap_set(&t->ids, id, 0)
                         ? NODE_NONE
                         : builder_track(t->builder, id, name);
    if (track == NODE_NONE) {
        builder_failed(t->builder, t->diag);
        return NODE_NONE;
    }
    builder_track_is(t->builder, track, words);
    t->n++;
    return track;
}

/* Takes ` tid=12` off the end of the text. */
static bool take_label_number(struct str *text, struct str word, uint32_t *number)
{
    size_t space = str_find_last(*text, ' ');
    struct str last = {text->p + space + 1, text->n - space - 1};
    uint64_t value;

    if (space == text->n || space == 0 || !str_starts(last, word) ||
        !str_to_u64((struct str){last.p + word.n, last.n - word.n}, 10, &value) || value >= UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    text->n = space;
    return true;
}

uint32_t json_track_by_name(struct json_tracks *t, string_id name, const struct track_words *otherwise)
{
    struct track_words words = *otherwise;
    struct str text = builder_text_of(t->builder, name);
    size_t heap = str_find_str(text, STR(" heap="));
    struct str front = {text.p, heap};

    if (take_label_number(&text, STR("tid="), &words.number)) {
        words.kind = TRACK_THREAD;
    } else if (take_label_number(&front, STR("pid="), &words.number)) {
        words.kind = heap < text.n ? TRACK_HEAP : TRACK_PROCESS;
        if (heap < text.n)
            words.part = builder_string(t->builder, (struct str){text.p + heap + 6, text.n - heap - 6});
        text = front;
    } else {
        return json_track(t, name, otherwise);
    }
    return json_track(t, builder_string(t->builder, text), &words);
}

string_id json_group(struct builder *b, struct str name, struct str pid)
{
    char text[SHOWN_BYTES + 100];

    name = clean_cut(name, SHOWN_BYTES);
    pid = clean_cut(pid, 64);
    int n = name.n == 0 ? snprintf(text, sizeof(text), "process %.*s", (int)pid.n, pid.p)
                        : snprintf(text, sizeof(text), "%.*s (%.*s)", (int)name.n, name.p, (int)pid.n, pid.p);
    return builder_string(b, (struct str){text, (size_t)n});
}

uint32_t json_process(struct str pid)
{
    uint64_t number;

    return str_to_u64(pid, 10, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* ---- stacks ---- */

void json_stacks_init(struct json_stacks *s, struct builder *b)
{
    *s = (struct json_stacks){
        .builder = b, .arena = builder_arena(b), .track = UINT32_MAX, .unknown = FRAME_NONE};
    idmap_init(&s->children, s->arena, builder_seed(b));
}

bool json_stack_add(struct json_stacks *s, uint32_t parent, uint32_t frame)
{
    if (s->n >= STACK_NONE - 1 || !ARENA_ROOM(s->arena, s->parent, s->parents_capacity, s->n + 1) ||
        !ARENA_ROOM(s->arena, s->frame, s->frames_capacity, s->n + 1))
        return false;
    s->parent[s->n] = parent;
    s->frame[s->n++] = frame;
    return true;
}

uint32_t json_stack_child(struct json_stacks *s, uint32_t parent, uint32_t frame)
{
    uint64_t key = (uint64_t)parent << 32 | frame;
    uint32_t row = idmap_get(&s->children, key);

    if (row != IDMAP_NONE)
        return row;
    row = (uint32_t)s->n;
    return json_stack_add(s, parent, frame) && idmap_set(&s->children, key, row) ? row : STACK_NONE;
}

frame_id json_stack_frame(struct json_stacks *s, uint32_t frame)
{
    if (!s->indexed)
        return frame;
    if (frame < s->n_frames)
        return s->frames[frame];
    builder_warn(s->builder, WARN_BAD_REFERENCE, 1, WARNING_NO_OFFSET);
    if (s->unknown == FRAME_NONE)
        s->unknown = json_frame(s->builder, builder_string(s->builder, STR("unknown")), NULL);
    return s->unknown;
}

static bool begin_track(struct json_stacks *s, uint32_t track)
{
    if (s->n > s->n_known) {
        if (!ARENA_ROOM(s->arena, s->node, s->nodes_capacity, s->n) ||
            !ARENA_ROOM(s->arena, s->turn, s->turns_capacity, s->n))
            return false;
        memset(s->turn + s->n_known, 0, (s->n - s->n_known) * sizeof(*s->turn));
        s->n_known = s->n;
    }
    if (s->track != track)
        s->now++;
    s->track = track;
    return true;
}

/* Goes up until a row whose node is known, or the root; *way: rows on the way, the innermost first. */
static bool climb(struct json_stacks *s, uint32_t row, size_t *n, node_id *above)
{
    *above = NODE_NONE;
    for (*n = 0; row != STACK_NONE; row = s->parent[row]) {
        /* A row that is on the way already has this turn, and no node: a circle ends there. */
        if (row >= s->n || (s->turn[row] == s->now && s->node[row] == NODE_NONE)) {
            builder_warn(s->builder, WARN_BAD_REFERENCE, 1, WARNING_NO_OFFSET);
            return true;
        }
        if (s->turn[row] == s->now) {
            *above = s->node[row];
            return true;
        }
        if (arena_stopped_at(s->arena, *n) || !ARENA_ROOM(s->arena, s->way, s->way_capacity, *n + 1))
            return false;
        s->turn[row] = s->now;
        s->node[row] = NODE_NONE;
        s->way[(*n)++] = row;
    }
    return true;
}

node_id json_stack_node(struct json_stacks *s, uint32_t track, uint32_t row)
{
    node_id node;
    size_t n;

    if (row == STACK_NONE)
        return builder_stack(s->builder, track, NODE_NONE, NULL, 0);
    if (!begin_track(s, track) || !climb(s, row, &n, &node))
        return NODE_NONE;
    if (node == NODE_NONE)
        node = builder_stack(s->builder, track, NODE_NONE, NULL, 0);
    while (n-- > 0 && node != NODE_NONE) {
        uint32_t at = s->way[n];
        if (s->indexed || s->frame[at] != STACK_NONE) {
            frame_id frame = json_stack_frame(s, s->frame[at]);
            node = frame == FRAME_NONE ? NODE_NONE : builder_stack(s->builder, track, node, &frame, 1);
        }
        s->node[at] = node;
    }
    return node;
}

/* ---- values ---- */

static const struct profile_value VALUES[JSON_VALUES] = {
    [JSON_WALL] = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    [JSON_CPU] = {STR_INIT("cpu"), STR_INIT("CPU time"), UNIT_NS, ROLE_CPU},
    [JSON_SAMPLES] = {STR_INIT("samples"), STR_INIT("samples"), UNIT_COUNT, ROLE_SAMPLES},
    [JSON_BYTES] = {STR_INIT("bytes"), STR_INIT("bytes"), UNIT_BYTES, ROLE_OTHER},
};

void json_values_need(struct json_values *v, enum json_value value)
{
    if (v->place[value] > 0)
        return;
    v->used[v->n] = value;
    v->place[value] = ++v->n;
}

/* The only value has the name that the file says, which may be one of ours. */
static bool set_name(struct json_values *v, struct profile_value *value)
{
    enum unit unit = value->unit;

    value->label = v->name;
    value->role = ROLE_OTHER;
    for (size_t i = 0; i < JSON_VALUES; i++)
        if (str_eq(v->name, VALUES[i].name) && VALUES[i].unit == unit)
            *value = VALUES[i];
    return value_name_set(builder_arena(v->builder), value, 0, v->name);
}

bool json_values_declare(struct json_values *v)
{
    struct profile_value values[JSON_VALUES];

    for (uint32_t i = 0; i < v->n; i++)
        values[i] = VALUES[v->used[i]];
    if (v->n == 1 && v->name.n > 0 && !set_name(v, values))
        return false;
    builder_clocks(v->builder, 1, false);
    if (!builder_values(v->builder, NULL, 0, values, v->n))
        return false;
    if (v->is_signed)
        builder_signed(v->builder);
    return true;
}

struct json_amount json_amount_of_millionths(int64_t millionths)
{
    int64_t whole = millionths / MILLION, rest = millionths % MILLION;

    return rest < 0 ? (struct json_amount){whole - 1, (uint32_t)(rest + MILLION)}
                    : (struct json_amount){whole, (uint32_t)rest};
}

/* The sum of what stands behind the points is rounded, and not each: so it begins with a half. */
static bool whole_of(struct json_values *v, uint32_t value, node_id node, struct json_amount amount,
                     int64_t *whole)
{
    uint64_t key = (uint64_t)node << 5 | value;

    *whole = amount.whole;
    if (amount.millionths == 0)
        return true;
    v->fractions = true;
    uint32_t kept = idmap_get(&v->parts, key);
    uint32_t part = (kept == IDMAP_NONE ? MILLION / 2 : kept) + amount.millionths;
    *whole = number_add_signed(amount.whole, part / MILLION);
    return idmap_set(&v->parts, key, part % MILLION);
}

bool json_values_add(struct json_values *v, uint32_t track, node_id node,
                     const struct json_amount amounts[JSON_VALUES], int64_t at_ns)
{
    uint64_t values[PROFILE_VALUES_MAX] = {0};
    int64_t whole;

    for (uint32_t i = 0; i < v->n; i++) {
        if (node == NODE_NONE || !whole_of(v, i, node, amounts[v->used[i]], &whole))
            return false;
        values[i] = (uint64_t)(whole < 0 && !v->is_signed ? 0 : whole);
    }
    return at_ns == COLUMN_NONE
               ? builder_sample(v->builder, track, node, values)
               : builder_sample_at(v->builder, track, node, values, at_ns < 0 ? 0 : (uint64_t)at_ns);
}
