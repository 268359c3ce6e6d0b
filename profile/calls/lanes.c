#include "profile/calls/lanes.h"

#include <string.h>

#include "core/number.h"
#include "profile/thread_time.h"

struct lane_track {
    struct lane *lane;
    struct span_sink *spans; /* NULL: not open */

    uint64_t last[2];            /* wall or the first clock, and CPU: ns at its latest record */
    bool has_cpu;                /* There is a CPU clock. */
    uint64_t cpu[LANE_CLASSES];  /* CPU time in the pixel so far */
    uint64_t wait_ns, run_ns;    /* what the latest sample says of the time behind it */
    bool waits;                  /* time that is credited now is waiting, whatever is open */
    uint32_t pixel;              /* in which last[0] is, or 0 before the window */
    size_t n_marked, n_messages; /* open calls: of marked methods, and of those that handle messages */
    struct replay_sums sums;     /* of the pixel, since the last record that was told */
};

struct lanes_sink {
    struct arena *arena;
    struct lanes_request request;
    const uint64_t *edges; /* [width_px + 1] */
    struct lane_track *tracks;
    struct lane *list;
    struct replay_sink rows; /* with a filter: who is told of calls for the tracks that are open */
    struct lanes lanes;
};

uint64_t lanes_edge(uint64_t from_ns, uint64_t to_ns, uint32_t width_px, uint32_t i)
{
    __extension__ typedef unsigned __int128 u128;

    return from_ns + (uint64_t)((u128)(to_ns - from_ns) * i / width_px);
}

uint32_t lanes_pixel_at(const uint64_t *edges, uint32_t width_px, uint64_t ns)
{
    uint32_t lo = 0, hi = width_px;

    while (hi - lo > 1) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (edges[middle] <= ns)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

static uint64_t ns_of(const struct lanes_sink *s, uint64_t ticks)
{
    uint64_t ns = number_multiply(ticks, s->request.ns_per_tick);

    return ns > INT64_MAX ? INT64_MAX : ns;
}

static bool is_within(const struct lanes_sink *s, uint64_t ns)
{
    return ns >= s->request.from_ns && ns < s->request.to_ns;
}

static uint8_t class_of(const struct lanes_sink *s, frame_id frame)
{
    return frame < s->request.n_frames ? s->request.class_of_frame[frame] : LANE_PLATFORM;
}

/* ---- time ---- */

static void vote(struct lane_method *m, frame_id frame, uint64_t ns)
{
    if (m->frame == frame)
        m->ns += ns;
    else if (m->ns >= ns)
        m->ns -= ns;
    else
        *m = (struct lane_method){frame, ns - m->ns};
}

/* Adds time to the class of the innermost call, whose frame is `top`. */
static void credit(const struct lanes_sink *s, struct lane_track *x, frame_id top, uint64_t wall_ns,
                   uint64_t cpu_ns)
{
    unsigned class = class_of(s, top) & (LANE_MARKED - 1);

    if (top == FRAME_NONE)
        return;
    x->lane->pixels[x->pixel].ns[x->waits ? LANE_WAITING : class] += wall_ns;
    if (x->has_cpu && wall_ns > 0)
        x->cpu[class] += cpu_ns;
    if (x->n_marked > 0)
        x->lane->marks[x->pixel].ns += wall_ns;
    if (x->lane->methods != NULL && wall_ns > 0 && !x->waits && class != LANE_WAITING)
        vote(&x->lane->methods[x->pixel], top, x->has_cpu ? cpu_ns : wall_ns);
}

/* Behind the last time of a pixel: wall time beyond the CPU time of its class is waiting. A pixel is the smallest piece of time
 * that is looked at: clocks of the CPU are coarse, and what one record has too much another has too little. */
static void settle_waiting(struct lane_track *x)
{
    const struct time_values both = {.n_values = 2, .measured = {[TIME_WAITING] = 2}, .wall = 1};
    uint64_t *ns = x->lane->pixels[x->pixel].ns, parts[TIME_STATES];

    if (!x->has_cpu)
        return;
    for (unsigned class = 0; class < LANE_WAITING; class ++) {
        if (ns[class] == 0)
            continue;
        uint64_t measured[TIME_STATES] = {[TIME_RUNNING] = x->cpu[class]};
        time_split(&both, ns[class], measured, true, false, parts);
        ns[LANE_WAITING] += parts[TIME_WAITING];
        ns[class] -= parts[TIME_WAITING];
    }
    memset(x->cpu, 0, sizeof(x->cpu));
}

/* How much of the CPU time between two records has passed at a time between them. */
static uint64_t cpu_at(uint64_t cpu_ns, uint64_t wall_ns, uint64_t passed_ns)
{
    __extension__ typedef unsigned __int128 u128;

    return passed_ns >= wall_ns ? cpu_ns : (uint64_t)((u128)cpu_ns * passed_ns / wall_ns);
}

/* Credits the time from the latest record to this one, cut at the edges of the window and of its pixels. */
static void advance_to(const struct lanes_sink *s, struct lane_track *x, frame_id top, uint64_t now_ns,
                       uint64_t now_cpu_ns)
{
    uint64_t begin = x->last[0], wall = now_ns - begin, cpu = now_cpu_ns - x->last[1];
    uint64_t at = begin > s->request.from_ns ? begin : s->request.from_ns;
    uint64_t end = now_ns < s->request.to_ns ? now_ns : s->request.to_ns;

    x->last[0] = now_ns;
    x->last[1] = now_cpu_ns;
    if (begin >= s->request.to_ns || now_ns < s->request.from_ns)
        return;
    if (now_ns < s->edges[x->pixel + 1] && begin == at) {
        credit(s, x, top, wall, cpu);
        return;
    }
    uint64_t credited = wall > 0 ? cpu_at(cpu, wall, at - begin) : 0;
    for (;;) {
        uint64_t edge = s->edges[x->pixel + 1], to = end < edge ? end : edge;
        uint64_t passed = to > at ? cpu_at(cpu, wall, to - begin) : credited;
        if (to > at)
            credit(s, x, top, to - at, passed - credited);
        credited = passed;
        at = to > at ? to : at;
        if (now_ns < edge || x->pixel + 1 == s->request.width_px)
            return;
        settle_waiting(x);
        x->pixel++;
    }
}

static bool is_sampled(const struct lanes_sink *s)
{
    return s->request.sample_cpu != 0 || s->request.sample_waiting != 0;
}

/* At most `most` of the time up to now_ns; the rest is left for the next one. */
static void advance_by(const struct lanes_sink *s, struct lane_track *x, frame_id top, uint64_t now_ns,
                       uint64_t most)
{
    uint64_t length = now_ns - x->last[0];

    advance_to(s, x, top, length < most ? now_ns : x->last[0] + most, 0);
}

/* Behind a sample its thread waits as long as the sample says. Where waiting is recorded, it is on the CPU
 * up to the next one. */
static void advance_sampled(const struct lanes_sink *s, struct lane_track *x, frame_id top, uint64_t now_ns)
{
    x->waits = true;
    advance_by(s, x, top, now_ns, x->wait_ns);
    x->waits = false;
    if (s->request.sample_waiting == 0)
        advance_by(s, x, top, now_ns, x->run_ns);
    advance_to(s, x, s->request.sample_waiting == 0 ? FRAME_NONE : top, now_ns, 0);
    x->wait_ns = x->run_ns = 0;
}

/* What of the pixel was not told record by record. */
static void take_sums(const struct lanes_sink *s, struct lane_track *x, const struct replay_track *t)
{
    const uint32_t clock = s->request.cpu_clock, ns_per_tick = s->request.ns_per_tick;
    struct lane_pixel *pixel = &x->lane->pixels[x->pixel];

    if (!x->sums.some)
        return;
    x->sums.some = false;
    for (unsigned class = 0; class < LANE_CLASSES; class ++) {
        pixel->ns[class] += x->sums.ticks[0][class] * ns_per_tick;
        if (x->has_cpu)
            x->cpu[class] += x->sums.ticks[clock][class] * ns_per_tick;
    }
    pixel->calls += x->sums.entered;
    x->sums.entered = 0;
    memset(x->sums.ticks, 0, sizeof(x->sums.ticks));
    x->last[0] = ns_of(s, t->last[0]);
    x->last[1] = clock != 0 ? ns_of(s, t->last[clock]) : 0;
}

/* Up to the end of the pixel, and to times that have no room in ns. */
static void begin_sums(const struct lanes_sink *s, struct lane_track *x)
{
    const uint64_t edge = s->edges[x->pixel + 1], ns_per_tick = s->request.ns_per_tick;
    bool is_in_pixel = is_within(s, x->last[0]) && x->last[0] < edge;

    x->sums.until[0] = is_in_pixel ? edge / ns_per_tick + (edge % ns_per_tick > 0) : 0;
    x->sums.until[1] = INT64_MAX / ns_per_tick;
}

static void advance(const struct lanes_sink *s, struct lane_track *x, const struct replay_track *t,
                    frame_id top)
{
    uint64_t now = ns_of(s, t->now[0]);

    if (t->sums != NULL)
        take_sums(s, x, t);
    if (is_sampled(s) && now > x->last[0])
        advance_sampled(s, x, top, now);
    else
        advance_to(s, x, top, now, s->request.cpu_clock != 0 ? ns_of(s, t->now[s->request.cpu_clock]) : 0);
    if (t->sums != NULL)
        begin_sums(s, x);
}

/* ---- calls ---- */

/* A call of interest has ended. */
static void list_call(struct lanes_sink *s, const struct lane_track *x, uint8_t class,
                      struct listed_call call)
{
    uint64_t length = call.end_ns - call.begin_ns;

    call.track = (uint32_t)(x - s->tracks);
    if ((class & LANE_MARKED) != 0 && is_within(s, call.begin_ns)) {
        s->lanes.marked++;
        call.key = length;
        longest_calls_add(&s->lanes.longest, &call);
        call.key = call.begin_ns;
        longest_calls_add(&s->lanes.last, &call);
        call.key = UINT64_MAX - call.begin_ns;
        longest_calls_add(&s->lanes.first, &call);
    }
    if ((class & LANE_MESSAGE) != 0 && x->lane->of->is_main && x->n_messages == 0 &&
        length >= s->request.message_ns && call.end_ns > s->request.from_ns &&
        call.begin_ns < s->request.to_ns) {
        call.key = length;
        longest_calls_add(&s->lanes.messages, &call);
    }
}

/* Of messages the outermost call; one that was entered before the recording does not hide those within. */
static bool is_of_interest(const struct lane_track *x, uint8_t class)
{
    return (class & LANE_MARKED) != 0 ||
           ((class & LANE_MESSAGE) != 0 && x->lane->of->is_main && x->n_messages == 0);
}

static bool counts_as_message(uint8_t class, uint8_t flags)
{
    return (class & LANE_MESSAGE) != 0 && (flags & SPAN_BEFORE) == 0;
}

static void mark(const struct lanes_sink *s, struct lane_track *x, struct replay_call *call)
{
    uint8_t class = class_of(s, call->frame);

    call->marked = is_of_interest(x, class);
    if (!call->marked)
        return;
    x->n_messages += counts_as_message(class, call->flags);
    if ((class & LANE_MARKED) != 0) {
        x->n_marked++;
        if (is_within(s, x->last[0]))
            x->lane->marks[x->pixel].calls++;
    }
}

static void unmark(struct lanes_sink *s, struct lane_track *x, const struct replay_left *left)
{
    const struct replay_call *call = left->call;
    uint8_t class = class_of(s, call->frame);

    x->n_marked -= (class & LANE_MARKED) != 0;
    x->n_messages -= counts_as_message(class, call->flags);
    list_call(s, x, class,
              (struct listed_call){.begin_ns = ns_of(s, call->begin[0]),
                                   .end_ns = x->last[0],
                                   .depth = left->level < UINT32_MAX ? (uint32_t)left->level : UINT32_MAX,
                                   .frame = call->frame,
                                   .flags = left->flags & (SPAN_BEFORE | SPAN_OPEN)});
}

/* ---- what is told ---- */

static bool begin_methods(struct lanes_sink *s, struct lane *lane)
{
    lane->methods = arena_array(s->arena, s->request.width_px, sizeof(*lane->methods));
    for (uint32_t i = 0; lane->methods != NULL && i < s->request.width_px; i++)
        lane->methods[i].frame = FRAME_NONE;
    return lane->methods != NULL;
}

/* Whether a pixel is told by how long each class was on top, and how many calls began, and an open track by its calls. */
static bool sums_suffice(const struct lanes_sink *s)
{
    const struct lanes_request *r = &s->request;

    return r->filter == NULL && !r->marks && !r->methods && r->cpu_clock < 2 && r->ns_per_tick > 0 &&
           !is_sampled(s);
}

static bool leave_open(void *context, struct replay_track *t, const struct replay_left *left)
{
    const struct lanes_sink *s = context;

    return span_sink_leave(s->tracks[t->nth].spans, t, left);
}

static bool begin(void *context, struct replay_track *t)
{
    struct lanes_sink *s = context;
    struct lane_track *x = &s->tracks[t->nth];
    uint32_t width = s->request.width_px;

    x->lane->pixels = arena_array(s->arena, width, sizeof(*x->lane->pixels));
    if (s->request.marks)
        x->lane->marks = arena_array(s->arena, width, sizeof(*x->lane->marks));
    x->has_cpu = s->request.cpu_clock != 0 && track_has(t->of, s->request.cpu_clock);
    if (x->lane->pixels == NULL || (s->request.marks && x->lane->marks == NULL) ||
        (s->request.methods && !begin_methods(s, x->lane)))
        return false;
    x->last[0] = ns_of(s, t->now[0]);
    x->last[1] = s->request.cpu_clock != 0 ? ns_of(s, t->now[s->request.cpu_clock]) : 0;
    x->pixel = x->last[0] > s->request.from_ns ? lanes_pixel_at(s->edges, width, x->last[0]) : 0;
    if (sums_suffice(s)) {
        x->sums.class_of_frame = s->request.class_of_frame;
        x->sums.leave = x->spans != NULL ? leave_open : NULL;
        t->sums = &x->sums;
    }
    return x->spans == NULL || s->rows.begin == NULL || s->rows.begin(s->rows.context, t);
}

static bool enter(void *context, struct replay_track *t)
{
    struct lanes_sink *s = context;
    struct lane_track *x = &s->tracks[t->nth];
    struct replay_call *call = &t->open[t->n_open - 1];

    advance(s, x, t, call[-1].frame);
    if (is_within(s, x->last[0]))
        x->lane->pixels[x->pixel].calls++;
    mark(s, x, call);
    return x->spans == NULL || s->rows.enter == NULL || s->rows.enter(s->rows.context, t);
}

/* What is never left ends where its track does. */
static bool leave(void *context, struct replay_track *t, const struct replay_left *left)
{
    struct lanes_sink *s = context;
    struct lane_track *x = &s->tracks[t->nth];

    if ((left->flags & SPAN_OPEN) == 0)
        advance(s, x, t, left->call->frame);
    if (left->call->marked)
        unmark(s, x, left);
    if (x->spans == NULL)
        return true;
    return s->rows.leave != NULL ? s->rows.leave(s->rows.context, t, left)
                                 : span_sink_leave(x->spans, t, left);
}

/* Records part the time between them, also those that change nothing. */
static bool stay(void *context, struct replay_track *t)
{
    struct lanes_sink *s = context;

    advance(s, &s->tracks[t->nth], t, t->open[t->n_open - 1].frame);
    return true;
}

static uint64_t value_at(const uint64_t *values, uint32_t value)
{
    return value != 0 ? values[value - 1] : 0;
}

static bool sample(void *context, struct replay_track *t, const uint64_t *values)
{
    struct lanes_sink *s = context;
    struct lane_track *x = &s->tracks[t->nth];

    advance(s, x, t, t->open[t->n_open - 1].frame);
    x->wait_ns = number_add(x->wait_ns, value_at(values, s->request.sample_waiting));
    x->run_ns = number_add(x->run_ns, value_at(values, s->request.sample_cpu));
    return true;
}

static bool end(void *context, struct replay_track *t)
{
    struct lanes_sink *s = context;
    struct lane_track *x = &s->tracks[t->nth];
    frame_id top = t->open[t->n_open - 1].frame;
    uint64_t rest = s->request.open_to_end && t->n_open > 1 ? t->of->rest_ns : 0;

    advance(s, x, t, top);
    if (rest > 0)
        advance_to(s, x, top, rest < INT64_MAX - x->last[0] ? x->last[0] + rest : INT64_MAX, x->last[1]);
    return true;
}

/* ---- the sink ---- */

static bool open_track(struct lanes_sink *s, struct lane_track *t, const struct lanes_track *of)
{
    const struct lanes_request *r = &s->request;
    uint64_t length = r->to_ns - r->from_ns, least = (length + r->width_px - 1) / r->width_px;
    bool rests = r->open_to_end && of->track->open != of->track->first;
    struct span_request request = {.track = of->track->id,
                                   .ns_per_tick = r->ns_per_tick,
                                   .rest_ns = rests ? of->track->rest_ns : 0,
                                   .from_ns = r->from_ns,
                                   .to_ns = r->to_ns,
                                   .least_ns = least,
                                   .by_cell = true,
                                   .levels_max = r->levels_max,
                                   .spans_max = r->spans_max};

    t->spans = span_sink_new(s->arena, &request);
    return t->spans != NULL;
}

/* With a filter: who is told of the calls of the tracks that are open. */
static bool filter_open(struct lanes_sink *s)
{
    const struct lanes_request *r = &s->request;
    struct span_sink **sinks = arena_array(s->arena, r->n_tracks, sizeof(*sinks));
    uint32_t n = 0;

    for (uint32_t i = 0; sinks != NULL && i < r->n_tracks; i++)
        if (s->tracks[i].spans != NULL)
            sinks[n++] = s->tracks[i].spans;
    struct span_rows *rows = sinks != NULL ? span_rows_new(s->arena, r->filter, r->open_to_end, sinks) : NULL;
    if (rows != NULL)
        s->rows = span_rows_replay(rows);
    return rows != NULL;
}

const uint64_t *lanes_edges(struct arena *arena, const struct lanes_request *r)
{
    uint64_t *edges = arena_array(arena, (size_t)r->width_px + 1, sizeof(*edges));

    for (uint32_t i = 0; edges != NULL && i <= r->width_px; i++)
        edges[i] = lanes_edge(r->from_ns, r->to_ns, r->width_px, i);
    return edges;
}

static bool prepare(struct lanes_sink *s)
{
    const struct lanes_request *r = &s->request;
    uint32_t marked_max = r->marks ? LANES_CALLS_MAX : 0;

    s->edges = r->edges != NULL ? r->edges : lanes_edges(s->arena, r);
    s->tracks = arena_array(s->arena, r->n_tracks, sizeof(*s->tracks));
    s->list = arena_array(s->arena, r->n_tracks, sizeof(*s->list));
    if (s->edges == NULL || s->tracks == NULL || s->list == NULL)
        return false;
    for (uint32_t i = 0; i < r->n_tracks; i++) {
        s->list[i].of = &r->tracks[i];
        s->tracks[i] = (struct lane_track){.lane = &s->list[i]};
        if (r->tracks[i].is_open && !open_track(s, &s->tracks[i], &r->tracks[i]))
            return false;
    }
    return (r->filter == NULL || filter_open(s)) &&
           longest_calls_init(&s->lanes.first, s->arena, marked_max) &&
           longest_calls_init(&s->lanes.last, s->arena, marked_max) &&
           longest_calls_init(&s->lanes.longest, s->arena, marked_max) &&
           longest_calls_init(&s->lanes.messages, s->arena, LANES_MESSAGES_MAX);
}

struct lanes_sink *lanes_sink_new(struct arena *arena, const struct lanes_request *request)
{
    struct lanes_sink *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    *s = (struct lanes_sink){.arena = arena, .request = *request};
    return prepare(s) ? s : NULL;
}

struct replay_sink lanes_sink_replay(struct lanes_sink *s)
{
    return (struct replay_sink){.begin = begin,
                                .enter = enter,
                                .leave = leave,
                                .sample = sample,
                                .stay = stay,
                                .end = end,
                                .context = s};
}

const struct lanes *lanes_sink_finish(struct lanes_sink *s)
{
    for (uint32_t i = 0; i < s->request.n_tracks; i++)
        if (s->list[i].pixels != NULL)
            settle_waiting(&s->tracks[i]);
    for (uint32_t i = 0; i < s->request.n_tracks; i++)
        s->list[i].spans = s->tracks[i].spans != NULL ? span_sink_finish(s->tracks[i].spans) : NULL;
    longest_calls_sort(&s->lanes.first);
    longest_calls_sort(&s->lanes.last);
    longest_calls_sort(&s->lanes.longest);
    longest_calls_sort(&s->lanes.messages);
    s->lanes.list = s->list;
    s->lanes.n = s->request.n_tracks;
    return &s->lanes;
}
