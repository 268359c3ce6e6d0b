#include "profile/calls/calls.h"

#include "core/arena.h"
#include "core/idmap.h"
#include "core/number.h"
#include "core/order.h"
#include "profile/calls/replay.h"
#include "profile/profile.h"

/* ---- the longest calls ---- */

bool longest_calls_init(struct longest_calls *c, struct arena *arena, uint32_t max)
{
    *c = (struct longest_calls){.list = arena_array(arena, max, sizeof(*c->list)), .max = max};
    return c->list != NULL;
}

/* Whether a is kept rather than b. Calls of one track, beginning and depth have no length, but for the last one. */
static bool is_longer(const struct listed_call *a, const struct listed_call *b)
{
    if (a->key != b->key)
        return a->key > b->key;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns;
    if (a->track != b->track)
        return a->track < b->track;
    if (a->depth != b->depth)
        return a->depth < b->depth;
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->frame < b->frame;
}

static void swap(struct listed_call *a, struct listed_call *b)
{
    struct listed_call kept = *a;

    *a = *b;
    *b = kept;
}

static void sink(struct listed_call *list, uint32_t n, uint32_t at)
{
    for (;;) {
        uint32_t least = at, left = 2 * at + 1;
        for (uint32_t child = left; child < n && child <= left + 1; child++)
            if (is_longer(&list[least], &list[child]))
                least = child;
        if (least == at)
            return;
        swap(&list[least], &list[at]);
        at = least;
    }
}

void longest_calls_add(struct longest_calls *c, const struct listed_call *call)
{
    if (c->n == c->max) {
        if (c->max == 0 || !is_longer(call, &c->list[0]))
            return;
        c->list[0] = *call;
        sink(c->list, c->n, 0);
        return;
    }
    uint32_t at = c->n++;
    c->list[at] = *call;
    for (uint32_t parent; at > 0 && is_longer(&c->list[parent = (at - 1) / 2], &c->list[at]); at = parent)
        swap(&c->list[parent], &c->list[at]);
}

void longest_calls_sort(struct longest_calls *c)
{
    for (uint32_t n = c->n; n > 1; n--) {
        swap(&c->list[0], &c->list[n - 1]);
        sink(c->list, n - 1, 0);
    }
}

/* ---- how long calls were ---- */

enum { CLASS_BITS = 7, CLASSES = 1 << CLASS_BITS, PERMILLE = 1000 };

_Static_assert(CALLS_OCTAVES == 64 - CLASS_BITS + 1, "one for each power of two from 128 on, and one below");

/* On which threads a row is on the stack. Nearly always that is one at most. */
struct open_row {
    uint32_t track;  /* number in request.tracks, from 1; 0: none */
    uint32_t others; /* beside it: these are in the sink's `open` */
};

/* A thread. */
struct counted {
    struct calls_sink *sink;
    const struct profile_track *track;
    uint32_t index;                   /* of profile->tracks */
    struct call_durations *looked_at; /* by clock; NULL: the row does not occur */
};

struct calls_sink {
    struct arena *arena;
    struct calls_request request;
    struct calls calls;
    struct counted *tracks; /* as in request.tracks */
    struct open_row *rows;  /* by row */
    struct idmap open;      /* track << 32 | row */
    uint64_t *longest;      /* as in calls.longest */
    bool failed;
};

/* ---- durations ---- */

static const uint64_t BARS_FROM[CALLS_BARS] = {
#define DECADE(n) (n), 2 * (n), 5 * (n)
    0,
    DECADE(UINT64_C(1)),
    DECADE(UINT64_C(10)),
    DECADE(UINT64_C(100)),
    DECADE(UINT64_C(1000)),
    DECADE(UINT64_C(10000)),
    DECADE(UINT64_C(100000)),
    DECADE(UINT64_C(1000000)),
    DECADE(UINT64_C(10000000)),
    DECADE(UINT64_C(100000000)),
    DECADE(UINT64_C(1000000000)),
    DECADE(UINT64_C(10000000000)),
    DECADE(UINT64_C(100000000000)),
    DECADE(UINT64_C(1000000000000)),
    DECADE(UINT64_C(10000000000000)),
    DECADE(UINT64_C(100000000000000)),
    DECADE(UINT64_C(1000000000000000)),
    DECADE(UINT64_C(10000000000000000)),
    DECADE(UINT64_C(100000000000000000)),
    DECADE(UINT64_C(1000000000000000000)),
    UINT64_C(10000000000000000000)
#undef DECADE
};

uint64_t calls_bar_from_ns(uint32_t bar)
{
    return bar < CALLS_BARS ? BARS_FROM[bar] : UINT64_MAX;
}

static uint32_t bar_of(uint64_t ns)
{
    uint32_t lo = 0, hi = CALLS_BARS;

    while (hi - lo > 1) {
        uint32_t middle = (lo + hi) / 2;
        if (BARS_FROM[middle] <= ns)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

static uint32_t octave_of(uint64_t ns)
{
    return ns < CLASSES ? 0 : (uint32_t)(64 - CLASS_BITS - __builtin_clzll(ns));
}

/* In octave o > 0 a class is 2^(o - 1) ns wide. */
static uint32_t class_of(uint64_t ns, uint32_t octave)
{
    return octave == 0 ? (uint32_t)ns : (uint32_t)(ns >> (octave - 1)) - CLASSES;
}

static uint64_t last_of_class(uint32_t octave, uint32_t class)
{
    return octave == 0 ? class : ((uint64_t)(CLASSES + class + 1) << (octave - 1)) - 1;
}

uint64_t calls_percentile_ns(const struct call_durations *d, unsigned permille)
{
    uint64_t rest = PERMILLE - permille, wanted, seen = 0;

    wanted = d->n - (d->n / PERMILLE * rest + d->n % PERMILLE * rest / PERMILLE);
    for (uint32_t octave = 0; octave < CALLS_OCTAVES; octave++)
        for (uint32_t class = 0; d->classes[octave] != NULL && class < CLASSES; class ++) {
            seen += d->classes[octave][class];
            if (seen >= wanted && seen > 0) {
                uint64_t last = last_of_class(octave, class);
                return last < d->max_ns ? last : d->max_ns;
            }
        }
    return d->max_ns;
}

/* ---- what is kept ---- */

static bool is_before(const struct call *a, const struct call *b, uint32_t clock)
{
    if (a->duration_ns[clock] != b->duration_ns[clock])
        return a->duration_ns[clock] > b->duration_ns[clock];
    return a->begin_ns != b->begin_ns ? a->begin_ns < b->begin_ns : a->track < b->track;
}

static void list_call(struct call_durations *d, const struct call *call, uint32_t clock)
{
    uint32_t at = d->n_longest;

    while (at > 0 && is_before(call, &d->longest[at - 1], clock))
        at--;
    order_insert(d->longest, &d->n_longest, CALLS_LISTED_MAX, at, call, sizeof(*call));
}

static bool count_class(struct calls_sink *s, struct call_durations *d, uint64_t ns)
{
    uint32_t octave = octave_of(ns);

    if (d->classes[octave] == NULL)
        d->classes[octave] = arena_array(s->arena, CLASSES, sizeof(uint64_t));
    if (d->classes[octave] == NULL)
        return false;
    d->classes[octave][class_of(ns, octave)]++;
    return true;
}

static void look_at(struct counted *t, const struct call *call)
{
    struct calls_sink *s = t->sink;

    if (t->looked_at == NULL)
        t->looked_at = arena_array(s->arena, CALLS_CLOCKS_MAX, sizeof(*t->looked_at));
    s->failed = s->failed || t->looked_at == NULL;
    for (uint32_t c = 0; !s->failed && c < s->calls.n_clocks; c++) {
        struct call_durations *d = &t->looked_at[c];
        uint64_t ns = call->duration_ns[c];
        d->min_ns = d->n == 0 || ns < d->min_ns ? ns : d->min_ns;
        d->max_ns = ns > d->max_ns ? ns : d->max_ns;
        d->sum_ns = number_add(d->sum_ns, ns);
        d->n++;
        d->bars[bar_of(ns)]++;
        list_call(d, call, c);
        s->failed = !count_class(s, d, ns);
    }
}

static uint64_t ns_of(const struct calls_sink *s, uint64_t ticks)
{
    return number_multiply(ticks, s->request.profile->ns_per_tick);
}

/* An outermost call has ended. */
static void count_call(struct counted *t, uint32_t row, const uint64_t *begin, const uint64_t *end,
                       uint64_t rest_ns)
{
    struct calls_sink *s = t->sink;
    uint64_t *longest = &s->longest[(size_t)row * s->calls.n_clocks];
    struct call call = {.track = t->index, .begin_ns = ns_of(s, begin[0])};

    if (s->request.window != NULL && !window_has(s->request.window, call.begin_ns))
        return;
    for (uint32_t c = 0; c < s->calls.n_clocks; c++) {
        call.duration_ns[c] = ns_of(s, end[c] - begin[c]);
        if (s->request.profile->values[c].role == ROLE_WALL)
            call.duration_ns[c] = number_add(call.duration_ns[c], rest_ns);
        if (call.duration_ns[c] > longest[c])
            longest[c] = call.duration_ns[c];
    }
    if (row == s->request.looked_at)
        look_at(t, &call);
}

/* ---- the stack ---- */

static uint32_t row_of(const struct calls_sink *s, frame_id frame)
{
    return frame < s->request.profile->n_frames ? s->request.row_of_frame[frame] : CALLS_NO_ROW;
}

/* Whether the row was not yet on the stack of the track, where it is from now on. */
static bool open_row(struct calls_sink *s, uint32_t nth, uint32_t row)
{
    struct open_row *r = &s->rows[row];
    uint64_t key = (uint64_t)nth << 32 | row;

    if (r->track == nth + 1 || (r->others > 0 && idmap_get(&s->open, key) != IDMAP_NONE))
        return false;
    if (r->track == 0) {
        r->track = nth + 1;
        return true;
    }
    r->others++;
    s->failed = s->failed || !idmap_set(&s->open, key, 0);
    return true;
}

static void close_row(struct calls_sink *s, uint32_t nth, uint32_t row)
{
    struct open_row *r = &s->rows[row];

    if (r->track == nth + 1) {
        r->track = 0;
        return;
    }
    r->others--;
    idmap_remove(&s->open, (uint64_t)nth << 32 | row);
}

/* The field `node`, which belongs to the sinks, keeps the row of an outermost call. A sampled frame is no call: nobody
 * knows when it began. */
static bool enter(void *context, struct replay_track *t)
{
    struct calls_sink *s = context;
    struct replay_call *call = &t->open[t->n_open - 1];
    uint32_t row = row_of(s, call->frame);
    bool counts = row != CALLS_NO_ROW && profile_track_times(s->request.profile, t->of) > 0;

    call->node = counts && open_row(s, t->nth, row) ? row : CALLS_NO_ROW;
    return !s->failed;
}

static bool leave(void *context, struct replay_track *t, const struct replay_left *left)
{
    struct calls_sink *s = context;
    uint32_t row = left->call->node;
    bool rests = s->request.open_to_end && (left->flags & SPAN_OPEN) != 0;

    if (row == CALLS_NO_ROW)
        return true;
    close_row(s, t->nth, row);
    count_call(&s->tracks[t->nth], row, left->call->begin, t->now, rests ? t->of->rest_ns : 0);
    return !s->failed;
}

/* ---- the sink ---- */

struct calls_sink *calls_sink_new(struct arena *arena, const struct calls_request *request)
{
    struct calls_sink *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    *s = (struct calls_sink){
        .arena = arena, .request = *request, .calls = {.n_clocks = request->profile->n_times}};
    idmap_init(&s->open, arena, (struct hash_seed){(uintptr_t)s, (uintptr_t)arena});
    s->tracks = arena_array(arena, request->n_tracks, sizeof(*s->tracks));
    s->longest = arena_array(arena, (size_t)request->n_rows * s->calls.n_clocks + 1, sizeof(*s->longest));
    s->calls.longest = s->longest;
    s->rows = arena_array(arena, request->n_rows, sizeof(*s->rows));
    for (uint32_t i = 0; s->tracks != NULL && i < request->n_tracks; i++) {
        uint32_t index = request->tracks[i];
        s->tracks[i] = (struct counted){.sink = s, .track = &request->profile->tracks[index], .index = index};
    }
    return s->tracks != NULL && s->longest != NULL && s->rows != NULL ? s : NULL;
}

struct replay_sink calls_sink_replay(struct calls_sink *s)
{
    return (struct replay_sink){.enter = enter, .leave = leave, .context = s};
}

static bool merge_classes(struct calls_sink *s, struct call_durations *to, const struct call_durations *from)
{
    for (uint32_t octave = 0; octave < CALLS_OCTAVES; octave++) {
        if (from->classes[octave] == NULL)
            continue;
        if (to->classes[octave] == NULL)
            to->classes[octave] = arena_array(s->arena, CLASSES, sizeof(uint64_t));
        if (to->classes[octave] == NULL)
            return false;
        for (uint32_t class = 0; class < CLASSES; class ++)
            to->classes[octave][class] += from->classes[octave][class];
    }
    return true;
}

static bool merge(struct calls_sink *s, uint32_t clock, const struct call_durations *from)
{
    struct call_durations *to = &s->calls.looked_at[clock];

    to->min_ns = to->n == 0 || from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
    to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
    to->sum_ns = number_add(to->sum_ns, from->sum_ns);
    to->n += from->n;
    for (uint32_t bar = 0; bar < CALLS_BARS; bar++)
        to->bars[bar] += from->bars[bar];
    for (uint32_t i = 0; i < from->n_longest; i++)
        list_call(to, &from->longest[i], clock);
    return merge_classes(s, to, from);
}

void calls_sink_join(struct calls_sink *s, const struct calls *slice)
{
    const size_t n = (size_t)s->request.n_rows * s->calls.n_clocks;

    for (size_t i = 0; i < n; i++)
        if (slice->longest[i] > s->longest[i])
            s->longest[i] = slice->longest[i];
    for (uint32_t c = 0; c < s->calls.n_clocks; c++)
        if (slice->looked_at[c].n > 0 && !merge(s, c, &slice->looked_at[c]))
            s->failed = true;
}

const struct calls *calls_sink_finish(struct calls_sink *s)
{
    if (s->failed)
        return NULL;
    for (uint32_t i = 0; i < s->request.n_tracks; i++)
        for (uint32_t c = 0; s->tracks[i].looked_at != NULL && c < s->calls.n_clocks; c++)
            if (!merge(s, c, &s->tracks[i].looked_at[c]))
                return NULL;
    return &s->calls;
}
