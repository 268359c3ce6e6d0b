#include "profile/transform/transform.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/buf.h"
#include "core/number.h"
#include "profile/compare/compare.h"
#include "profile/filter/filter.h"
#include "profile/mapping/mapping_apply.h"
#include "profile/symbols/symbols.h"
#include "profile/warning.h"

/* ---- moments of a heap ---- */

struct picker {
    const struct profile *from;
    struct profile *to;
    struct arena *arena;
    int64_t *net;   /* [node * n_values + value], by the old numbers */
    bool *needed;   /* by the old numbers: something is left of the node, or below it */
    node_id *moved; /* old number -> new number */
};

uint32_t moment_count(const struct profile *p)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < p->n_tracks; i++)
        most = p->tracks[i].n_moments > most ? p->tracks[i].n_moments : most;
    return most;
}

static int64_t clamped(uint64_t value)
{
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

void moment_totals(const struct profile *p, const struct profile_track *t, int64_t *totals)
{
    const struct profile_series *s = &p->series;
    uint32_t n = p->n_values;

    for (size_t i = 0; i < (size_t)t->n_moments * n; i++)
        totals[i] = 0;
    for (uint32_t i = t->n_moments > 0 ? s->first[t->first] : 0;
         t->n_moments > 0 && i < s->first[t->first + t->count]; i++)
        for (uint32_t v = 0; v < n; v++) {
            int64_t *total = &totals[(size_t)s->moment[i] * n + v];
            *total = number_add_signed(*total, s->change[(size_t)i * n + v]);
        }
    for (size_t i = n; i < (size_t)t->n_moments * n; i++)
        totals[i] = number_add_signed(totals[i], totals[i - n]);
}

/* ---- what is left of each node ---- */

/* The moments whose changes count: from 0 in the track, [*begin, *end). */
static void find_moments(const struct profile_track *t, const struct moment_request *request, uint32_t *begin,
                         uint32_t *end)
{
    *end = request->number == 0 ? t->n_moments : request->number;
    *begin = !request->interval ? 0 : request->since > 0 ? request->since : *end > 0 ? *end - 1 : 0;
}

static void pick_node(struct picker *k, node_id node, const struct profile_track *t,
                      const struct moment_request *request)
{
    const struct profile *p = k->from;
    const struct profile_series *s = &p->series;
    int64_t *net = &k->net[(size_t)node * p->n_values];
    uint32_t begin, end;

    for (uint32_t v = 0; v < p->n_values && t->n_moments == 0; v++)
        net[v] = clamped(profile_self(p, node, v)) - clamped(profile_minus_self(p, node, v));
    if (t->n_moments == 0)
        return;
    find_moments(t, request, &begin, &end);
    for (uint32_t i = s->first[node]; i < s->first[node + 1] && s->moment[i] < end; i++)
        for (uint32_t v = 0; v < p->n_values && s->moment[i] >= begin; v++)
            net[v] = number_add_signed(net[v], s->change[(size_t)i * p->n_values + v]);
    for (uint32_t v = 0; v < p->n_values; v++)
        if (!request->interval && p->minus[v] == 0 && net[v] < 0)
            net[v] = 0;
}

static bool is_zero(const int64_t *net, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++)
        if (net[v] != 0)
            return false;
    return true;
}

static void pick(struct picker *k, const struct moment_request *request)
{
    const struct profile *p = k->from;

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        const struct profile_track *t = &p->tracks[i];
        for (node_id node = t->first + t->count; node-- > t->first;) {
            pick_node(k, node, t, request);
            k->needed[node] = k->needed[node] || t->n_moments == 0 || node == t->first ||
                              !is_zero(&k->net[(size_t)node * p->n_values], p->n_values);
            if (k->needed[node] && node != t->first)
                k->needed[p->node_parent[node]] = true;
        }
    }
}

/* ---- as a profile ---- */

static void find_signed(const struct picker *k)
{
    const struct profile *p = k->from;
    bool below[PROFILE_VALUES_MAX] = {false};

    for (node_id node = 0; node < p->n_nodes; node++)
        for (uint32_t v = 0; v < p->n_values; v++)
            below[v] = below[v] || k->net[(size_t)node * p->n_values + v] < 0;
    k->to->n_minus = 0;
    for (uint32_t v = 0; v < p->n_values; v++)
        k->to->minus[v] = below[v] ? p->n_values + k->to->n_minus++ : 0;
}

static bool put_nodes(struct picker *k)
{
    const struct profile *p = k->from;
    struct profile *to = k->to;
    uint32_t n = 0;

    for (node_id node = 0; node < p->n_nodes; node++)
        k->moved[node] = k->needed[node] ? n++ : 0;
    node_id *parent = arena_array(k->arena, n, sizeof(*parent));
    frame_id *frame = arena_array(k->arena, n, sizeof(*frame));
    uint8_t *flags = arena_array(k->arena, n, sizeof(*flags));
    if (parent == NULL || frame == NULL || flags == NULL)
        return false;
    for (node_id node = 0; node < p->n_nodes; node++) {
        if (!k->needed[node])
            continue;
        parent[k->moved[node]] =
            p->node_parent[node] == NODE_NONE ? NODE_NONE : k->moved[p->node_parent[node]];
        frame[k->moved[node]] = p->node_frame[node];
        flags[k->moved[node]] = p->node_flags[node];
    }
    to->n_nodes = n;
    to->node_parent = parent;
    to->node_frame = frame;
    to->node_flags = flags;
    return true;
}

static bool put_tracks(struct picker *k)
{
    const struct profile *p = k->from;
    struct profile_track *tracks = arena_array(k->arena, p->n_tracks, sizeof(*tracks));

    if (tracks == NULL)
        return false;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        bool last = i + 1 == p->n_tracks;
        tracks[i] = p->tracks[i];
        tracks[i].first = k->moved[p->tracks[i].first];
        tracks[i].count = (last ? k->to->n_nodes : k->moved[p->tracks[i + 1].first]) - tracks[i].first;
        tracks[i].open = k->moved[p->tracks[i].open]; /* all nodes of calls stay */
    }
    k->to->tracks = tracks;
    return true;
}

static bool put_values(struct picker *k)
{
    const struct profile *p = k->from, *to = k->to;
    uint32_t stride = profile_stride(to);
    uint64_t *self = arena_array(k->arena, (size_t)to->n_nodes * stride, sizeof(*self));
    uint64_t *total = arena_array(k->arena, (size_t)to->n_nodes * stride, sizeof(*total));

    if (self == NULL || total == NULL)
        return false;
    for (node_id node = 0; node < p->n_nodes; node++) {
        uint64_t *of = &self[(size_t)k->moved[node] * stride];
        for (uint32_t v = 0; v < p->n_values && k->needed[node]; v++) {
            int64_t net = k->net[(size_t)node * p->n_values + v];
            of[net < 0 ? to->minus[v] : v] = net < 0 ? 0 - (uint64_t)net : (uint64_t)net;
        }
    }
    for (node_id node = to->n_nodes; node-- > 0;)
        for (uint32_t v = 0; v < stride; v++) {
            uint64_t *sum = &total[(size_t)node * stride + v], *up;
            *sum = number_add(*sum, self[(size_t)node * stride + v]);
            if (to->node_parent[node] == NODE_NONE)
                continue;
            up = &total[(size_t)to->node_parent[node] * stride + v];
            *up = number_add(*up, *sum);
        }
    k->to->node_self = self;
    k->to->node_total = total;
    return true;
}

const struct profile *moment_apply(const struct profile *p, const struct moment_request *request,
                                   struct arena *arena)
{
    struct picker k = {.from = p, .arena = arena, .to = arena_alloc(arena, sizeof(*k.to))};

    if (p->n_moments == 0)
        return p;
    k.net = arena_array(arena, (size_t)p->n_nodes * p->n_values, sizeof(*k.net));
    k.needed = arena_array(arena, p->n_nodes, sizeof(*k.needed));
    k.moved = arena_array(arena, p->n_nodes, sizeof(*k.moved));
    if (k.to == NULL || k.net == NULL || k.needed == NULL || k.moved == NULL)
        return NULL;
    *k.to = *p;
    pick(&k, request);
    find_signed(&k);
    return put_nodes(&k) && put_tracks(&k) && put_values(&k) ? k.to : NULL;
}

/* ---- frames that are open at the end ---- */

/* Calls that are never left have their time up to the last record of their thread. A thread that was
 * sampled, or that waits, may have none for a long time: so the profile can be shown with that wall time,
 * too. */

/* How much longer the track's open frames last; the root alone is no frame. */
static uint64_t rest_ns(const struct profile_track *t)
{
    return t->open == t->first ? 0 : t->rest_ns;
}

static bool changes(const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (rest_ns(&p->tracks[i]) > 0)
            return true;
    return false;
}

/* Gives the rest to the innermost open frame, and to the totals of all above it. `self` and `total` are copies of the
 * profile's columns. Sums that pass 64 bits stay at the largest. */
static void extend(const struct profile *p, const struct profile_track *t, uint32_t wall, uint64_t *self,
                   uint64_t *total)
{
    uint64_t rest = rest_ns(t);

    if (rest == 0)
        return;
    uint64_t *of_frame = &self[(size_t)t->open * profile_stride(p) + wall];
    *of_frame = number_add(*of_frame, rest);
    for (node_id node = t->open; node != NODE_NONE; node = p->node_parent[node]) {
        uint64_t *of_node = &total[(size_t)node * profile_stride(p) + wall];
        *of_node = number_add(*of_node, rest);
    }
}

static struct str extended_text(uint64_t count, struct arena *a)
{
    char text[256];
    int n = snprintf(text, sizeof(text), "%" PRIu64 " %s to the end of the trace.", count,
                     count == 1 ? "call is unfinished: as was chosen, its wall time goes on"
                                : "calls are unfinished: as was chosen, their wall time goes on");

    return (struct str){arena_copy(a, text, (size_t)n), (size_t)n};
}

/* The warnings, of which one says what is not so any more. False when the arena gives no more. */
static bool put_warnings(struct profile *to, struct arena *a)
{
    const struct str code = str_of(warning_name(WARN_OPEN_FRAMES));
    struct profile_warning *warnings = arena_array(a, to->n_warnings, sizeof(*warnings));

    if (warnings == NULL)
        return false;
    for (uint32_t i = 0; i < to->n_warnings; i++) {
        warnings[i] = to->warnings[i];
        if (!str_eq(warnings[i].code, code))
            continue;
        warnings[i].text = extended_text(warnings[i].count, a);
        if (warnings[i].text.p == NULL)
            return false;
    }
    to->warnings = warnings;
    return true;
}

const struct profile *open_frames_to_end(const struct profile *p, struct arena *a)
{
    uint32_t wall = profile_value_by_role(p, ROLE_WALL);
    size_t values = (size_t)p->n_nodes * profile_stride(p);

    if (wall == p->n_values || !changes(p))
        return p;
    struct profile *to = arena_alloc(a, sizeof(*to));
    uint64_t *self = arena_array(a, values, sizeof(*self)), *total = arena_array(a, values, sizeof(*total));
    if (to == NULL || self == NULL || total == NULL)
        return NULL;
    memcpy(self, p->node_self, values * sizeof(*self));
    memcpy(total, p->node_total, values * sizeof(*total));
    for (uint32_t i = 0; i < p->n_tracks; i++)
        extend(p, &p->tracks[i], wall, self, total);
    *to = *p;
    to->node_self = self;
    to->node_total = total;
    return put_warnings(to, a) ? to : NULL;
}

/* ---- two sides ---- */

/* TRANSFORM: a comparison as pictures show it. Of one of its bases three values: what A has, what B has,
 * and the larger of the two in each stack; of the calls, if there are any, what A and B have. Numbers of
 * several runs are those of the first run of each side. Scaling is by rational numbers: sums are rounded,
 * not each node, so that the total of every stack is that of the scaled comparison but for one. */

struct sides {
    const struct profile *from;
    struct profile *to;
    uint64_t *self, *total;
    const struct compare_scale *scale;
};

/* The nodes below a node stand behind it: what is rounded is the sum of all nodes so far. */
static void put_side(const struct sides *s, uint32_t base, uint32_t run, uint32_t to)
{
    uint32_t value = compare_value(s->from->compared, base, run);
    uint64_t sum = 0, before = 0;

    for (node_id i = 0; i < s->from->n_nodes; i++) {
        sum = number_add(sum, profile_self(s->from, i, value));
        uint64_t now = compare_scaled(s->scale, base, value, sum);
        s->self[(size_t)i * s->to->n_values + to] = now - before;
        before = now;
    }
}

static void put_larger(const struct sides *s)
{
    for (node_id i = 0; i < s->from->n_nodes; i++) {
        uint64_t *self = s->self + (size_t)i * s->to->n_values;
        self[COMPARE_LARGER] =
            self[COMPARE_SIDE_A] > self[COMPARE_SIDE_B] ? self[COMPARE_SIDE_A] : self[COMPARE_SIDE_B];
    }
}

static void put_totals(const struct sides *s)
{
    uint32_t n = s->to->n_values;

    for (node_id i = s->from->n_nodes; i-- > 0;) {
        node_id up = s->from->node_parent[i];
        for (uint32_t v = 0; v < n; v++) {
            uint64_t *total = &s->total[(size_t)i * n + v];
            *total = number_add(*total, s->self[(size_t)i * n + v]);
            if (up != NODE_NONE)
                s->total[(size_t)up * n + v] = number_add(s->total[(size_t)up * n + v], *total);
        }
    }
}

/* ---- what the values are called ---- */

static bool name_value(struct profile_value *v, const struct profile_value *base, const char *end,
                       const char *words, struct arena *a)
{
    struct buf name = {0}, label = {0};

    buf_str(&name, base->name);
    buf_z(&name, end);
    buf_str(&label, base->label);
    buf_z(&label, words);
    char *copy = name.failed ? NULL : arena_copy(a, name.p, name.n);
    char *said = label.failed ? NULL : arena_copy(a, label.p, label.n);
    if (name.failed || label.failed)
        a->failure = ARENA_NO_MEMORY;
    if (copy != NULL && said != NULL)
        *v = (struct profile_value){{copy, name.n}, {said, label.n}, base->unit, ROLE_OTHER};
    buf_free(&name);
    buf_free(&label);
    return copy != NULL && said != NULL;
}

static bool name_values(struct profile *to, uint32_t base, uint32_t calls, struct arena *a)
{
    static const char *const ENDS[] = {"_a", "_b", "_larger"};
    static const char *const WORDS[] = {" of A", " of B", ", the larger of A and B"};
    const struct profile_compared *c = to->compared;

    to->n_values = calls < c->n_bases ? COMPARE_CALLS_B + 1 : COMPARE_CALLS_A;
    for (uint32_t v = 0; v < to->n_values; v++) {
        uint32_t side = v < COMPARE_CALLS_A ? v : v - COMPARE_CALLS_A;
        if (!name_value(&to->values[v], &c->bases[v < COMPARE_CALLS_A ? base : calls], ENDS[side],
                        WORDS[side], a))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

static const struct profile *sides_of(const struct profile *p, uint32_t base, uint32_t calls,
                                      const struct compare_scale *scale, struct arena *a)
{
    struct profile *to = arena_alloc(a, sizeof(*to));
    struct sides s = {.from = p, .to = to, .scale = scale};
    uint32_t first_b = p->compared->n_a;

    if (to == NULL)
        return NULL;
    *to = *p;
    to->n_minus = 0;
    memset(to->minus, 0, sizeof(to->minus));
    if (!name_values(to, base, calls, a))
        return NULL;
    s.self = arena_array(a, p->n_nodes, to->n_values * sizeof(*s.self));
    s.total = arena_array(a, p->n_nodes, to->n_values * sizeof(*s.total));
    if (s.self == NULL || s.total == NULL)
        return NULL;
    put_side(&s, base, 0, COMPARE_SIDE_A);
    put_side(&s, base, first_b, COMPARE_SIDE_B);
    put_larger(&s);
    if (to->n_values > COMPARE_CALLS_A) {
        put_side(&s, calls, 0, COMPARE_CALLS_A);
        put_side(&s, calls, first_b, COMPARE_CALLS_B);
    }
    put_totals(&s);
    to->node_self = s.self;
    to->node_total = s.total;
    return to;
}

const struct profile *compare_sides(const struct profile *p, uint32_t base, uint32_t calls,
                                    const struct compare_scale *scale, struct arena *a)
{
    const struct profile *made = sides_of(p, base, calls, scale, a);

    if (made == NULL || p->filtered == NULL)
        return made;
    struct profile *whole = arena_alloc(a, sizeof(*whole));
    struct profile_filtered *filtered = arena_alloc(a, sizeof(*filtered));
    const struct profile *before = sides_of(p->filtered->before, base, calls, scale, a);
    if (whole == NULL || filtered == NULL || before == NULL)
        return NULL;
    *filtered = *p->filtered;
    filtered->before = before;
    *whole = *made;
    whole->filtered = filtered;
    return whole;
}

/* ---- the order of it all ---- */

static bool wants_symbols(const struct transform_request *request)
{
    return request->symbols != NULL;
}

static const struct profile *make_symbols(const struct profile *p, const struct transform_request *request,
                                          struct arena *arena, struct diag *diag)
{
    (void)diag;
    return symbols_apply(p, request->symbols, arena);
}

static bool wants_mapping(const struct transform_request *request)
{
    return request->n_mappings > 0;
}

static const struct profile *make_mapping(const struct profile *p, const struct transform_request *request,
                                          struct arena *arena, struct diag *diag)
{
    (void)diag;
    return mapping_apply(p, request->mappings, request->n_mappings, arena);
}

static bool wants_moment(const struct transform_request *request)
{
    return request->moment.number > 0 || request->moment.interval;
}

static const struct profile *make_moment(const struct profile *p, const struct transform_request *request,
                                         struct arena *arena, struct diag *diag)
{
    (void)diag;
    return moment_apply(p, &request->moment, arena);
}

static bool wants_open_frames(const struct transform_request *request)
{
    return request->open_to_end;
}

static const struct profile *make_open_frames(const struct profile *p,
                                              const struct transform_request *request, struct arena *arena,
                                              struct diag *diag)
{
    (void)request, (void)diag;
    return open_frames_to_end(p, arena);
}

static bool wants_filter(const struct transform_request *request)
{
    return request->filter.n_steps > 0;
}

static const struct profile *make_filter(const struct profile *p, const struct transform_request *request,
                                         struct arena *arena, struct diag *diag)
{
    return filter_apply(p, &request->filter, arena, diag);
}

/* THE TABLE, in the order in which they are applied. */
static const struct {
    bool (*wanted)(const struct transform_request *request);
    const struct profile *(*make)(const struct profile *p, const struct transform_request *request,
                                  struct arena *arena, struct diag *diag);
} TRANSFORMS[] = {
    {wants_symbols, make_symbols},         {wants_mapping, make_mapping}, {wants_moment, make_moment},
    {wants_open_frames, make_open_frames}, {wants_filter, make_filter},
};

const struct profile *transform_apply(const struct profile *p, const struct transform_request *request,
                                      struct arena *arena, struct diag *diag)
{
    for (size_t i = 0; i < sizeof(TRANSFORMS) / sizeof(*TRANSFORMS) && p != NULL; i++)
        if (TRANSFORMS[i].wanted(request))
            p = TRANSFORMS[i].make(p, request, arena, diag);
    return p;
}
