#include "tests/support/fake_profile.h"

#include <stdlib.h>

#include "tests/support/random.h"

struct fake_node {
    uint32_t parent, track, first_child, last_child, next;
    frame_id frame;
    uint64_t self[PROFILE_VALUES_MAX];
};

struct fake {
    struct arena arena;
    struct profile profile;
    struct str *strings;
    struct profile_frame *frames;
    struct fake_node *nodes;
    struct profile_track *tracks;
    struct profile_warning *warnings;
    size_t strings_capacity, frames_capacity, nodes_capacity, tracks_capacity, warnings_capacity;
    uint32_t n_nodes;
};

static void *need(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

static void *alloc(struct fake *f, size_t count, size_t element_bytes)
{
    return need(arena_array(&f->arena, count, element_bytes));
}

static string_id add_string(struct fake *f, struct str s)
{
    if (s.n == 0 && f->profile.n_strings > 0)
        return STRING_EMPTY;
    uint32_t id = f->profile.n_strings++;
    f->strings = need(arena_grow(&f->arena, f->strings, &f->strings_capacity, id + 1, sizeof(*f->strings)));
    f->strings[id] = (struct str){need(arena_copy(&f->arena, s.p, s.n)), s.n};
    return id;
}

struct fake *fake_new(void)
{
    struct fake *f = need(calloc(1, sizeof(*f)));

    arena_init(&f->arena, SIZE_MAX / 2);
    add_string(f, STR(""));
    return f;
}

void fake_free(struct fake *f)
{
    arena_free(&f->arena);
    free(f);
}

void fake_value(struct fake *f, const char *name, enum unit unit, enum profile_role role)
{
    struct str s = str_of(name);

    f->profile.values[f->profile.n_values++] = (struct profile_value){s, s, unit, role};
}

void fake_usual_values(struct fake *f)
{
    fake_value(f, "wall", UNIT_NS, ROLE_WALL);
    fake_value(f, "cpu", UNIT_NS, ROLE_CPU);
    fake_value(f, "calls", UNIT_COUNT, ROLE_CALLS);
}

static uint32_t add_node(struct fake *f, uint32_t parent, uint32_t track, frame_id frame)
{
    uint32_t id = f->n_nodes++;

    f->nodes = need(arena_grow(&f->arena, f->nodes, &f->nodes_capacity, id + 1, sizeof(*f->nodes)));
    f->nodes[id] = (struct fake_node){.parent = parent, .track = track, .frame = frame};
    f->nodes[id].first_child = f->nodes[id].last_child = f->nodes[id].next = NODE_NONE;
    if (parent == NODE_NONE)
        return id;
    struct fake_node *up = &f->nodes[parent];
    if (up->first_child == NODE_NONE)
        up->first_child = id;
    else
        f->nodes[up->last_child].next = id;
    up->last_child = id;
    return id;
}

uint32_t fake_track(struct fake *f, uint32_t id, struct str name)
{
    uint32_t at = f->profile.n_tracks++;

    f->tracks = need(arena_grow(&f->arena, f->tracks, &f->tracks_capacity, at + 1, sizeof(*f->tracks)));
    f->tracks[at] = (struct profile_track){.id = id, .number = id, .name = add_string(f, name)};
    f->tracks[at].first = add_node(f, NODE_NONE, at, FRAME_NONE);
    return f->tracks[at].first;
}

struct fake *fake_thread(struct str name)
{
    struct fake *f = fake_new();

    fake_usual_values(f);
    fake_track(f, 1, name);
    return f;
}

frame_id fake_frame(struct fake *f, struct str scope, struct str name, struct str signature)
{
    uint32_t id = f->profile.n_frames++;

    f->frames = need(arena_grow(&f->arena, f->frames, &f->frames_capacity, id + 1, sizeof(*f->frames)));
    f->frames[id] = (struct profile_frame){
        .scope = add_string(f, scope), .name = add_string(f, name), .signature = add_string(f, signature)};
    return id;
}

void fake_kind(struct fake *f, frame_id frame, enum frame_kind kind)
{
    f->frames[frame].kind = kind;
}

uint32_t fake_child(struct fake *f, uint32_t parent, frame_id frame, const uint64_t *self)
{
    uint32_t id = add_node(f, parent, f->nodes[parent].track, frame);

    for (uint32_t v = 0; v < f->profile.n_values; v++)
        f->nodes[id].self[v] = self[v];
    return id;
}

static frame_id find_frame(struct fake *f, struct str text)
{
    size_t paren = str_find(text, '(');
    struct str signature = {text.p + paren, text.n - paren}, name = {text.p, paren}, scope = {text.p, 0};
    size_t dot = str_find_last(name, '.');

    if (dot < name.n) {
        scope.n = dot;
        name = (struct str){text.p + dot + 1, paren - dot - 1};
    }
    for (uint32_t i = 0; i < f->profile.n_frames; i++)
        if (str_eq(f->strings[f->frames[i].scope], scope) && str_eq(f->strings[f->frames[i].name], name) &&
            str_eq(f->strings[f->frames[i].signature], signature))
            return i;
    return fake_frame(f, scope, name, signature);
}

/* Takes the next frame off the front; a `;` between parentheses is part of a signature. */
static struct str take_frame(struct str *rest)
{
    size_t end = 0;

    for (bool inside = false; end < rest->n && (inside || rest->p[end] != ';'); end++)
        inside = rest->p[end] == '(' || (inside && rest->p[end] != ')');
    struct str frame = {rest->p, end};
    end += end < rest->n;
    *rest = (struct str){rest->p + end, rest->n - end};
    return frame;
}

void fake_stack(struct fake *f, const char *stack, uint64_t wall, uint64_t cpu, uint64_t calls)
{
    uint32_t node = f->tracks[f->profile.n_tracks - 1].first;
    struct str rest = str_of(stack);

    while (rest.n > 0) {
        frame_id frame = find_frame(f, take_frame(&rest));
        uint32_t child = f->nodes[node].first_child;
        while (child != NODE_NONE && f->nodes[child].frame != frame)
            child = f->nodes[child].next;
        node = child != NODE_NONE ? child : add_node(f, node, f->nodes[node].track, frame);
    }
    f->nodes[node].self[0] += wall;
    f->nodes[node].self[1] += cpu;
    f->nodes[node].self[2] += calls;
}

void fake_warning(struct fake *f, const char *code, struct str text)
{
    uint32_t at = f->profile.n_warnings++;

    f->warnings =
        need(arena_grow(&f->arena, f->warnings, &f->warnings_capacity, at + 1, sizeof(*f->warnings)));
    f->warnings[at] = (struct profile_warning){.code = str_of(code), .count = at + 1, .text = text};
    f->warnings[at].has_offset = at % 2 == 1;
    f->warnings[at].offset = 100 * (uint64_t)at;
}

/* Only for stacks that are short enough to look at: the flag is left out below this depth. */
enum { RECURSION_DEPTH_MAX = 200 };

static bool is_recursive(const struct fake *f, uint32_t node)
{
    uint32_t up = f->nodes[node].parent;

    for (int depth = 0; up != NODE_NONE && depth < RECURSION_DEPTH_MAX; depth++, up = f->nodes[up].parent)
        if (f->nodes[up].frame == f->nodes[node].frame)
            return true;
    return false;
}

/* The node that follows in pre-order, or NODE_NONE behind the track's last. */
static uint32_t following(const struct fake *f, uint32_t node)
{
    if (f->nodes[node].first_child != NODE_NONE)
        return f->nodes[node].first_child;
    while (node != NODE_NONE && f->nodes[node].next == NODE_NONE)
        node = f->nodes[node].parent;
    return node == NODE_NONE ? NODE_NONE : f->nodes[node].next;
}

const struct profile *fake_finish(struct fake *f)
{
    struct profile *p = &f->profile;
    uint32_t n_values = p->n_values;
    uint32_t *number = alloc(f, f->n_nodes, sizeof(*number));
    frame_id *frame = alloc(f, f->n_nodes, sizeof(*frame));
    node_id *parent = alloc(f, f->n_nodes, sizeof(*parent));
    uint8_t *flags = alloc(f, f->n_nodes, sizeof(*flags));
    uint64_t *self = alloc(f, (size_t)f->n_nodes * n_values + 1, sizeof(*self));
    uint64_t *total = alloc(f, (size_t)f->n_nodes * n_values + 1, sizeof(*total));

    for (uint32_t t = 0; t < p->n_tracks; t++) {
        uint32_t first = p->n_nodes;
        for (uint32_t node = f->tracks[t].first; node != NODE_NONE; node = following(f, node)) {
            uint32_t at = number[node] = p->n_nodes++;
            frame[at] = f->nodes[node].frame;
            parent[at] = f->nodes[node].parent == NODE_NONE ? NODE_NONE : number[f->nodes[node].parent];
            flags[at] = is_recursive(f, node) ? NODE_RECURSIVE : 0;
            for (uint32_t v = 0; v < n_values; v++)
                self[(size_t)at * n_values + v] = total[(size_t)at * n_values + v] = f->nodes[node].self[v];
        }
        f->tracks[t].first = first;
        f->tracks[t].count = p->n_nodes - first;
    }
    for (uint32_t i = p->n_nodes; i-- > 0;)
        for (uint32_t v = 0; parent[i] != NODE_NONE && v < n_values; v++)
            total[(size_t)parent[i] * n_values + v] += total[(size_t)i * n_values + v];
    p->strings = f->strings;
    p->frames = f->frames;
    p->node_frame = frame;
    p->node_parent = parent;
    p->node_flags = flags;
    p->node_self = self;
    p->node_total = total;
    p->tracks = f->tracks;
    p->warnings = f->warnings;
    return p;
}

/* ---- random ones ---- */

enum { RANDOM_FRAMES = 24 };

struct fake *fake_random(uint64_t *seed, uint32_t n_tracks, uint32_t n_nodes, bool thousands)
{
    static const char *const NAMES[] = {"com.example.shop.Cart", "com.example.shop.Cart$1",
                                        "android.os.Looper",     "\xc3\xa9t\xc3\xa9.B",
                                        "\xc3\xa9t\xc3\xa9.C",   "a<b>&\"c"};
    struct fake *f = fake_new();
    frame_id frames[RANDOM_FRAMES];

    fake_usual_values(f);
    for (uint32_t i = 0; i < RANDOM_FRAMES; i++) {
        char method[2] = {(char)('a' + i / 6), '\0'};
        frames[i] =
            fake_frame(f, str_of(NAMES[i % 6]), str_of(method), i % 5 == 0 ? STR("(I<T>)V") : STR("()V"));
    }
    for (uint32_t track = 0; track < n_tracks; track++) {
        uint32_t *nodes = alloc(f, n_nodes, sizeof(*nodes));
        nodes[0] = fake_track(f, 10 + track, track == 1 ? STR("<t>\t\x01") : STR("main"));
        for (uint32_t i = 1; i < n_nodes; i++) {
            uint64_t unit = thousands ? 1000 : 1, wall = random_below(seed, 4) * unit;
            uint64_t self[3] = {wall, random_below(seed, 3) * unit, random_below(seed, 3)};
            uint32_t parent = nodes[random_below(seed, 3) == 0 ? i - 1 : random_below(seed, i)];
            nodes[i] = fake_child(f, parent, frames[random_below(seed, RANDOM_FRAMES)], self);
        }
    }
    return f;
}
