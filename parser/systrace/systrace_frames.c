/* Frames that the app showed. The system tells of each when it should be shown, and when it was (FrameTimeline):
 *
 *   FrameTimelineEvent {expected_surface_frame_start = 3 {cookie = 1, token = 2, pid = 4},
 *     actual_surface_frame_start = 4 {cookie = 1, token = 2, pid = 4, jank_type = 9}, frame_end = 5 {cookie = 1}}
 *
 * (protos/perfetto/trace/android/frame_timeline_event.proto). Layers of one frame share its token. Where it tells nothing of the
 * app, its sections Choreographer#doFrame are the frames. */
#include "core/order.h"
#include "parser/systrace/systrace_impl.h"

static bool add(struct systrace *s, const struct sy_shown *shown)
{
    if (s->n_shown == PROFILE_SCREEN_FRAMES_MAX) {
        sy_lost(s, SY_LOST_FRAMES, 1);
        return true;
    }
    if (!ARENA_ROOM(s->arena, s->shown, s->shown_capacity, s->n_shown + 1))
        return false;
    s->shown[s->n_shown++] = *shown;
    return true;
}

bool sy_frame_event(struct systrace *s, struct str event, uint64_t time)
{
    struct protobuf_field f[6], frame[10];

    protobuf_fields(event, f, 6);
    if (f[5].number != 0) {
        protobuf_fields(f[5].bytes, frame, 2);
        uint32_t at = idmap_get(&s->shown_ids, frame[1].value);
        if (at != IDMAP_NONE && s->shown[at].end == 0)
            s->shown[at].end = time;
        return true;
    }
    if (f[3].number == 0 && f[4].number == 0)
        return true; /* of the whole display */
    protobuf_fields(f[f[4].number != 0 ? 4 : 3].bytes, frame, 10);
    const struct sy_shown shown = {.begin = time,
                                   .token = frame[2].value,
                                   .pid = (uint32_t)frame[4].value,
                                   .process = SY_NONE,
                                   .causes = (uint32_t)frame[9].value & UINT16_MAX &
                                             ~(uint32_t)SCREEN_NO_CAUSE_BITS,
                                   .expected = f[4].number == 0};
    size_t at = s->n_shown;
    return add(s, &shown) && (s->n_shown == at || idmap_set(&s->shown_ids, frame[1].value, (uint32_t)at));
}

void sy_frame_name(struct systrace *s, struct str text, string_id name)
{
    static const struct str NAMES[SY_PHASES] = {STR_INIT("bindApplication"), STR_INIT("activityStart"),
                                                STR_INIT("activityResume"), STR_INIT("reportFullyDrawn")};

    for (unsigned i = 0; i < SY_PHASES; i++)
        if (str_eq(text, NAMES[i]) || (i == SY_PHASES - 1 && str_starts(text, NAMES[i])))
            s->phases[i] = name;
}

bool sy_frame_section(struct systrace *s, uint32_t process, string_id phase, uint64_t begin, uint64_t end)
{
    const struct sy_shown shown = {.begin = begin,
                                   .end = end,
                                   .process = process,
                                   .phase = phase,
                                   .causes = end - begin > SCREEN_SLOW_NS ? SCREEN_SLOW : 0};

    return process == SY_NONE || add(s, &shown);
}

static uint64_t since_begin(const struct systrace *s, uint64_t time)
{
    return time > s->begin ? time - s->begin : 0;
}

/* Several of one token are one. */
static bool join(struct systrace *s, struct profile_screen_frame *frames, uint32_t *n, struct idmap *by_token,
                 const struct sy_shown *shown)
{
    uint32_t at = shown->token != 0 ? idmap_get(by_token, shown->token) : IDMAP_NONE;
    const struct profile_screen_frame frame = {.begin_ns = since_begin(s, shown->begin),
                                               .end_ns = since_begin(s, shown->end),
                                               .number = shown->token,
                                               .causes = shown->causes};

    if (at == IDMAP_NONE) {
        frames[*n] = frame;
        return shown->token == 0 ? ++*n > 0 : idmap_set(by_token, shown->token, (*n)++);
    }
    struct profile_screen_frame *known = &frames[at];
    known->begin_ns = frame.begin_ns < known->begin_ns ? frame.begin_ns : known->begin_ns;
    known->end_ns = frame.end_ns > known->end_ns ? frame.end_ns : known->end_ns;
    known->causes |= frame.causes;
    return true;
}

static bool begins_before(const void *context, uint32_t a, uint32_t b)
{
    const struct profile_screen_frame *frames = context;

    return frames[a].begin_ns < frames[b].begin_ns;
}

/* `told`: those that the system tells of, not sections. */
static bool is_of_app(const struct systrace *s, const struct sy_shown *shown, bool told)
{
    uint32_t process = shown->process != SY_NONE ? shown->process : idmap_get(&s->pids, shown->pid);

    return process == s->app && s->app != SY_NONE && shown->phase == STRING_EMPTY &&
           (shown->process == SY_NONE) == told && shown->end > shown->begin && shown->end > s->begin;
}

static uint32_t take(struct systrace *s, struct profile_screen_frame *frames, bool told,
                     struct idmap *by_token, bool *ok)
{
    uint32_t n = 0;

    for (size_t i = 0; *ok && i < s->n_shown; i++)
        if (is_of_app(s, &s->shown[i], told) && !s->shown[i].expected)
            *ok = join(s, frames, &n, by_token, &s->shown[i]);
    for (size_t i = 0; *ok && told && i < s->n_shown; i++) {
        const struct sy_shown *x = &s->shown[i];
        uint32_t at = x->expected && is_of_app(s, x, true) ? idmap_get(by_token, x->token) : IDMAP_NONE;
        if (at != IDMAP_NONE)
            frames[at].due_ns = since_begin(s, x->end);
    }
    return n;
}

/* The first section of each name. */
static bool tell_phases(struct systrace *s)
{
    struct profile_phase *phases = arena_array(s->arena, PROFILE_PHASES_MAX, sizeof(*phases));
    uint32_t n = 0;

    for (size_t i = 0; phases != NULL && i < s->n_shown && n < PROFILE_PHASES_MAX; i++) {
        const struct sy_shown *x = &s->shown[i];
        bool known = x->phase == STRING_EMPTY || x->process != s->app;
        for (uint32_t k = 0; k < n; k++)
            known = known || phases[k].name == x->phase;
        if (!known)
            phases[n++] = (struct profile_phase){x->phase, since_begin(s, x->begin), since_begin(s, x->end)};
    }
    builder_phases(s->builder, phases, n);
    return phases != NULL;
}

bool sy_tell_frames(struct systrace *s)
{
    struct profile_screen_frame *frames = arena_array(s->arena, s->n_shown + 1, sizeof(*frames)),
                                *sorted = arena_array(s->arena, s->n_shown + 1, sizeof(*sorted));
    uint32_t *order = arena_array(s->arena, s->n_shown + 1, sizeof(*order));
    struct idmap by_token;
    bool ok = frames != NULL && sorted != NULL && order != NULL;

    idmap_init(&by_token, s->arena, s->seed);
    uint32_t n = ok ? take(s, frames, true, &by_token, &ok) : 0;
    if (ok && n == 0)
        n = take(s, frames, false, &by_token, &ok);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (!ok || !order_array(order, n, begins_before, frames, s->arena))
        return false;
    for (uint32_t i = 0; i < n; i++)
        sorted[i] = frames[order[i]];
    builder_screen_frames(s->builder, sorted, n);
    return tell_phases(s);
}
