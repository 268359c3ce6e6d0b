#include "profile/calls/lanes.h"

#include "core/number.h"

/* How a track came to do nothing is known too late if a call encloses all so far: until then it is kept apart. */
struct uncalled {
    uint64_t busy_ns, waiting_ns;
};

struct open_mark {
    uint64_t begin_ns;
    size_t level; /* of the stack */
    frame_id frame;
};

struct watched {
    struct lanes_sink *sink;
    struct lane *lane;
    struct span_sink *spans; /* NULL: not open */
    struct watcher *calls;   /* who is told of calls, with these: the spans, or what filters them */
    void *of_spans;          /* as that watcher knows the track */

    uint64_t first_ns;         /* its first record */
    uint64_t last[2];          /* wall or the first clock, and CPU: ns at its latest record */
    uint32_t pixel;            /* in which last[0] is, or 0 before the window */
    uint32_t uncalled_from;    /* pixels before it have nothing in `uncalled` */
    struct uncalled *uncalled; /* [width_px] */

    frame_id *stack;
    size_t n_stack, stack_capacity;
    uint32_t re_rooted;

    struct open_mark *marks; /* the calls of interest on the stack */
    size_t n_marks, marks_capacity;
    size_t n_marked;       /* of them, of marked methods */
    size_t n_messages;     /* .. and of those that handle messages */
    uint32_t covered_from; /* pixels before it are covered by a marked call that encloses all so far */
};

struct lanes_sink {
    struct watcher watcher; /* the first member: who is told is the sink */
    struct arena *arena;
    struct lanes_request request;
    uint64_t *edges; /* [width_px + 1] */
    struct watched *tracks;
    struct lane *list;
    struct span_rows *rows; /* with a filter */
    struct lanes lanes;
};

uint64_t lanes_edge(uint64_t from_ns, uint64_t to_ns, uint32_t width_px, uint32_t i)
{
    __extension__ typedef unsigned __int128 u128;

    return from_ns + (uint64_t)((u128)(to_ns - from_ns) * i / width_px);
}

static uint64_t ns_of(const struct lanes_sink *s, uint64_t ticks)
{
    uint64_t ns = number_multiply(ticks, s->request.ns_per_tick);

    return ns > INT64_MAX ? INT64_MAX : ns;
}

static uint8_t class_of(const struct lanes_sink *s, frame_id frame)
{
    return frame < s->request.n_frames ? s->request.class_of_frame[frame] : LANE_PLATFORM;
}

/* ---- time ---- */

static void credit(struct watched *t, uint64_t wall_ns, uint64_t cpu_ns)
{
    struct lane_pixel *pixel = &t->lane->pixels[t->pixel];
    uint64_t waiting = t->sink->request.cpu_clock != 0 && wall_ns > cpu_ns ? wall_ns - cpu_ns : 0;

    if (t->n_stack == 0) {
        t->uncalled[t->pixel].busy_ns += wall_ns - waiting;
        t->uncalled[t->pixel].waiting_ns += waiting;
        return;
    }
    uint8_t class = class_of(t->sink, t->stack[t->n_stack - 1]) & (LANE_MARKED - 1);
    pixel->ns[LANE_WAITING] += waiting;
    pixel->ns[class] += wall_ns - waiting;
    if (t->n_marked > 0)
        t->lane->marks[t->pixel].ns += wall_ns;
}

/* How much of the CPU time between two records has passed at a time between them. */
static uint64_t cpu_at(uint64_t cpu_ns, uint64_t wall_ns, uint64_t passed_ns)
{
    __extension__ typedef unsigned __int128 u128;

    return passed_ns >= wall_ns ? cpu_ns : (uint64_t)((u128)cpu_ns * passed_ns / wall_ns);
}

/* Credits the time from the latest record to this one, cut at the edges of the window and of its pixels. */
static void advance_to(struct watched *t, uint64_t now_ns, uint64_t now_cpu_ns)
{
    const struct lanes_sink *s = t->sink;
    uint64_t begin = t->last[0], wall = now_ns - begin, cpu = now_cpu_ns - t->last[1];
    uint64_t at = begin > s->request.from_ns ? begin : s->request.from_ns;
    uint64_t end = now_ns < s->request.to_ns ? now_ns : s->request.to_ns;

    t->last[0] = now_ns;
    t->last[1] = now_cpu_ns;
    if (begin >= s->request.to_ns || now_ns < s->request.from_ns)
        return;
    if (now_ns < s->edges[t->pixel + 1] && begin == at) {
        credit(t, wall, cpu);
        return;
    }
    uint64_t credited = wall > 0 ? cpu_at(cpu, wall, at - begin) : 0;
    for (;;) {
        uint64_t edge = s->edges[t->pixel + 1], to = end < edge ? end : edge;
        uint64_t passed = to > at ? cpu_at(cpu, wall, to - begin) : credited;
        if (to > at)
            credit(t, to - at, passed - credited);
        credited = passed;
        at = to > at ? to : at;
        if (now_ns < edge || t->pixel + 1 == s->request.width_px)
            return;
        t->pixel++;
    }
}

static void advance(struct watched *t, const uint64_t *ticks)
{
    const struct lanes_sink *s = t->sink;

    advance_to(t, ns_of(s, ticks[0]), s->request.cpu_clock != 0 ? ns_of(s, ticks[s->request.cpu_clock]) : 0);
}

/* ---- calls ---- */

static bool is_within(const struct lanes_sink *s, uint64_t ns)
{
    return ns >= s->request.from_ns && ns < s->request.to_ns;
}

/* The pixel of a time in the window, by halving. */
static uint32_t pixel_of(const struct lanes_sink *s, uint64_t ns)
{
    uint32_t lo = 0, hi = s->request.width_px;

    while (hi - lo > 1) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (s->edges[middle] <= ns)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* As in span.c: the calls that turn out later to enclose all so far are above this one. */
static uint32_t depth_of(const struct watched *t, size_t level)
{
    uint32_t all = t->lane->of->track->re_roots;
    uint32_t later = all > t->re_rooted ? all - t->re_rooted : 0;

    return level < UINT32_MAX - later ? (uint32_t)level + later : UINT32_MAX;
}

/* A call of interest has ended. */
static void list_call(struct watched *t, uint8_t class, struct listed_call call)
{
    struct lanes_sink *s = t->sink;
    uint64_t length = call.end_ns - call.begin_ns;

    call.track = (uint32_t)(t - s->tracks);
    if ((class & LANE_MARKED) != 0 && is_within(s, call.begin_ns)) {
        s->lanes.marked++;
        call.key = length;
        longest_calls_add(&s->lanes.longest, &call);
        call.key = call.begin_ns;
        longest_calls_add(&s->lanes.last, &call);
        call.key = UINT64_MAX - call.begin_ns;
        longest_calls_add(&s->lanes.first, &call);
    }
    if ((class & LANE_MESSAGE) != 0 && t->lane->of->is_main && t->n_messages == 0 &&
        length >= s->request.message_ns && call.end_ns > s->request.from_ns &&
        call.begin_ns < s->request.to_ns) {
        call.key = length;
        longest_calls_add(&s->lanes.messages, &call);
    }
}

/* Of messages the outermost call. */
static bool is_of_interest(const struct watched *t, uint8_t class)
{
    return (class & LANE_MARKED) != 0 ||
           ((class & LANE_MESSAGE) != 0 && t->lane->of->is_main && t->n_messages == 0);
}

static bool push_mark(struct watched *t, frame_id frame, uint8_t class, uint64_t now_ns)
{
    if (!ARENA_ROOM(t->sink->arena, t->marks, t->marks_capacity, t->n_marks + 1))
        return false;
    t->marks[t->n_marks++] = (struct open_mark){now_ns, t->n_stack, frame};
    t->n_messages += (class & LANE_MESSAGE) != 0;
    if ((class & LANE_MARKED) != 0) {
        t->n_marked++;
        if (is_within(t->sink, now_ns))
            t->lane->marks[t->pixel].calls++;
    }
    return true;
}

static void pop(struct watched *t, uint64_t end_ns, uint8_t flags)
{
    if (t->n_marks > 0 && t->marks[t->n_marks - 1].level == t->n_stack) {
        const struct open_mark *mark = &t->marks[--t->n_marks];
        uint8_t class = class_of(t->sink, mark->frame);
        t->n_marked -= (class & LANE_MARKED) != 0;
        t->n_messages -= (class & LANE_MESSAGE) != 0;
        list_call(t, class,
                  (struct listed_call){.begin_ns = mark->begin_ns,
                                       .end_ns = end_ns,
                                       .depth = depth_of(t, t->n_stack),
                                       .frame = mark->frame,
                                       .flags = flags});
    }
    t->n_stack--;
}

/* ---- what the builder tells ---- */

static bool begin(void *track, const uint64_t *ticks)
{
    struct watched *t = track;
    const struct lanes_sink *s = t->sink;
    uint32_t width = s->request.width_px;

    t->lane->pixels = arena_array(s->arena, width, sizeof(*t->lane->pixels));
    t->uncalled = arena_array(s->arena, width, sizeof(*t->uncalled));
    if (s->request.marks)
        t->lane->marks = arena_array(s->arena, width, sizeof(*t->lane->marks));
    if (t->lane->pixels == NULL || t->uncalled == NULL || (s->request.marks && t->lane->marks == NULL))
        return false;
    t->first_ns = ns_of(s, ticks[0]);
    t->last[0] = t->first_ns;
    t->last[1] = s->request.cpu_clock != 0 ? ns_of(s, ticks[s->request.cpu_clock]) : 0;
    t->pixel = t->first_ns > s->request.from_ns ? pixel_of(s, t->first_ns) : 0;
    t->uncalled_from = t->covered_from = t->pixel;
    return t->spans == NULL || t->calls->begin(t->of_spans, ticks);
}

static bool enter(void *track, frame_id frame, const uint64_t *ticks)
{
    struct watched *t = track;
    struct lanes_sink *s = t->sink;

    advance(t, ticks);
    if (!ARENA_ROOM(s->arena, t->stack, t->stack_capacity, t->n_stack + 1))
        return false;
    t->stack[t->n_stack++] = frame;
    if (is_within(s, t->last[0]))
        t->lane->pixels[t->pixel].calls++;
    uint8_t class = class_of(s, frame);
    if (is_of_interest(t, class) && !push_mark(t, frame, class, t->last[0]))
        return false;
    return t->spans == NULL || t->calls->enter(t->of_spans, frame, ticks);
}

static void leave(void *track, const uint64_t *ticks)
{
    struct watched *t = track;

    advance(t, ticks);
    pop(t, t->last[0], 0);
    if (t->spans != NULL)
        t->calls->leave(t->of_spans, ticks);
}

/* What was in no call is time of this one. Each pixel is looked at once for all calls of this kind, and once more for each
 * that ends in it: a hostile file has as many of them as records, and is not read more slowly for it. */
static void take_uncalled(struct watched *t, uint8_t class)
{
    for (uint32_t i = t->uncalled_from; i <= t->pixel; i++) {
        struct lane_pixel *pixel = &t->lane->pixels[i];
        pixel->ns[class & (LANE_MARKED - 1)] += t->uncalled[i].busy_ns;
        pixel->ns[LANE_WAITING] += t->uncalled[i].waiting_ns;
        t->uncalled[i] = (struct uncalled){0};
    }
    t->uncalled_from = t->pixel;
}

/* A marked method was open all the time so far. */
static void cover(struct watched *t)
{
    const struct lanes_sink *s = t->sink;

    for (uint32_t i = t->covered_from; i <= t->pixel; i++) {
        uint64_t from = s->edges[i] > t->first_ns ? s->edges[i] : t->first_ns;
        uint64_t to = s->edges[i + 1] < t->last[0] ? s->edges[i + 1] : t->last[0];
        t->lane->marks[i].ns = to > from ? to - from : 0;
    }
    t->covered_from = t->pixel;
    if (is_within(s, t->first_ns))
        t->lane->marks[pixel_of(s, t->first_ns)].calls++;
}

static void re_root(void *track, frame_id frame, const uint64_t *ticks)
{
    struct watched *t = track;
    struct lanes_sink *s = t->sink;
    uint8_t class = class_of(s, frame);

    advance(t, ticks);
    take_uncalled(t, class);
    t->re_rooted++;
    if (is_within(s, t->first_ns))
        t->lane->pixels[pixel_of(s, t->first_ns)].calls++;
    if ((class & LANE_MARKED) != 0)
        cover(t);
    if (is_of_interest(t, class))
        list_call(t, class,
                  (struct listed_call){.begin_ns = t->first_ns,
                                       .end_ns = t->last[0],
                                       .depth = depth_of(t, 1),
                                       .frame = frame,
                                       .flags = SPAN_BEFORE});
    if (t->spans != NULL)
        t->calls->re_root(t->of_spans, frame, ticks);
}

/* Records part the time between them, also those that change nothing. */
static void stay(void *track, const uint64_t *ticks)
{
    advance(track, ticks);
}

static void skip(void *track, uint64_t ticks)
{
    const struct watched *t = track;

    if (t->spans != NULL && t->calls->skip != NULL)
        t->calls->skip(t->of_spans, ticks);
}

static void end(void *track, const uint64_t *ticks)
{
    struct watched *t = track;
    const struct lanes_sink *s = t->sink;
    uint64_t rest = s->request.open_to_end && t->n_stack > 0 ? t->lane->of->track->rest_ns : 0;

    advance(t, ticks);
    if (rest > 0)
        advance_to(t, rest < INT64_MAX - t->last[0] ? t->last[0] + rest : INT64_MAX, t->last[1]);
    while (t->n_stack > 0)
        pop(t, t->last[0], SPAN_OPEN);
    if (t->spans != NULL)
        t->calls->end(t->of_spans, ticks);
}

static void *watch(struct watcher *w, uint32_t id)
{
    struct lanes_sink *s = (struct lanes_sink *)(void *)w;

    for (uint32_t lo = 0, hi = s->request.n_tracks; lo < hi;) {
        uint32_t middle = lo + (hi - lo) / 2, found = s->request.tracks[middle].track->id;
        if (found == id)
            return &s->tracks[middle];
        if (found < id)
            lo = middle + 1;
        else
            hi = middle;
    }
    return NULL;
}

/* ---- the sink ---- */

static bool open_track(struct lanes_sink *s, struct watched *t, const struct lanes_track *of)
{
    const struct lanes_request *r = &s->request;
    uint64_t length = r->to_ns - r->from_ns, least = (length + r->width_px - 1) / r->width_px;
    bool rests = r->open_to_end && of->track->open != of->track->first;
    struct span_request request = {.track = of->track->id,
                                   .re_roots = of->track->re_roots,
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

/* Who is told of the calls of the tracks that are open. */
static bool watch_open(struct lanes_sink *s)
{
    const struct lanes_request *r = &s->request;
    struct span_sink **sinks = arena_array(s->arena, r->n_tracks, sizeof(*sinks));
    uint32_t n = 0;

    for (uint32_t i = 0; sinks != NULL && i < r->n_tracks; i++)
        if (s->tracks[i].spans != NULL)
            sinks[n++] = s->tracks[i].spans;
    if (sinks != NULL && r->filter != NULL)
        s->rows = span_rows_new(s->arena, r->filter, r->open_to_end, sinks);
    if (sinks == NULL || (r->filter != NULL && s->rows == NULL))
        return false;
    for (uint32_t i = 0; i < r->n_tracks; i++) {
        struct watched *t = &s->tracks[i];
        if (t->spans == NULL)
            continue;
        t->calls = s->rows != NULL ? span_rows_watcher(s->rows) : span_sink_watcher(t->spans);
        t->of_spans = t->calls->track(t->calls, r->tracks[i].track->id);
    }
    return true;
}

static bool prepare(struct lanes_sink *s)
{
    const struct lanes_request *r = &s->request;
    uint32_t marked_max = r->marks ? LANES_CALLS_MAX : 0;

    s->edges = arena_array(s->arena, (size_t)r->width_px + 1, sizeof(*s->edges));
    s->tracks = arena_array(s->arena, r->n_tracks, sizeof(*s->tracks));
    s->list = arena_array(s->arena, r->n_tracks, sizeof(*s->list));
    if (s->edges == NULL || s->tracks == NULL || s->list == NULL)
        return false;
    for (uint32_t i = 0; i <= r->width_px; i++)
        s->edges[i] = lanes_edge(r->from_ns, r->to_ns, r->width_px, i);
    for (uint32_t i = 0; i < r->n_tracks; i++) {
        s->list[i].of = &r->tracks[i];
        s->tracks[i] = (struct watched){.sink = s, .lane = &s->list[i]};
        if (r->tracks[i].is_open && !open_track(s, &s->tracks[i], &r->tracks[i]))
            return false;
    }
    return watch_open(s) && longest_calls_init(&s->lanes.first, s->arena, marked_max) &&
           longest_calls_init(&s->lanes.last, s->arena, marked_max) &&
           longest_calls_init(&s->lanes.longest, s->arena, marked_max) &&
           longest_calls_init(&s->lanes.messages, s->arena, LANES_MESSAGES_MAX);
}

struct lanes_sink *lanes_sink_new(struct arena *arena, const struct lanes_request *request)
{
    struct lanes_sink *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    *s = (struct lanes_sink){.watcher = {watch, begin, enter, leave, re_root, end, NULL, stay, skip},
                             .arena = arena,
                             .request = *request};
    return prepare(s) ? s : NULL;
}

struct watcher *lanes_sink_watcher(struct lanes_sink *s)
{
    return &s->watcher;
}

const struct lanes *lanes_sink_finish(struct lanes_sink *s)
{
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
