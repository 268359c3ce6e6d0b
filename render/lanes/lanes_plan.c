#include "render/lanes/lanes_plan.h"

#include <string.h>

#include "core/clean.h"
#include "profile/frame/origin.h"
#include "render/names/names.h"
#include "render/table/methods.h"
#include "render/table/table_id.h"
#include "render/view/fail.h"

/* ---- tracks ---- */

static bool is_main_track(const struct profile *p, const struct profile_track *t)
{
    return str_eq(profile_string(p, t->name), STR("main"));
}

static uint32_t main_of(const struct profile *p)
{
    for (uint32_t i = 0; i < p->n_tracks; i++)
        if (is_main_track(p, &p->tracks[i]))
            return i;
    return UINT32_MAX;
}

/* The chosen tracks by their weight, the main one first, as many as there is room for. */
static uint32_t *rank(const struct render_input *in, const uint32_t *chosen, uint32_t n_chosen, uint32_t main,
                      uint32_t *n)
{
    const struct profile *p = in->profile;
    uint32_t *by_weight = arena_array(in->scratch, p->n_tracks, sizeof(*by_weight));
    uint32_t *ranked = arena_array(in->scratch, (size_t)n_chosen + 1, sizeof(*ranked));

    *n = 0;
    if (by_weight == NULL || ranked == NULL)
        return NULL;
    profile_tracks_by_weight(p, by_weight);
    if (main != UINT32_MAX && profile_place(chosen, n_chosen, main) < n_chosen)
        ranked[(*n)++] = main;
    for (uint32_t i = 0; i < p->n_tracks && *n < LANES_MAX; i++)
        if (by_weight[i] != main && profile_place(chosen, n_chosen, by_weight[i]) < n_chosen)
            ranked[(*n)++] = by_weight[i];
    return ranked;
}

static bool find_open(struct lanes_track *tracks, uint32_t n, const struct lanes_asked *asked,
                      struct diag *diag)
{
    for (uint32_t i = 0; i < asked->n_stacks; i++) {
        uint32_t at = 0;
        while (at < n && tracks[at].track->id != asked->stacks[i])
            at++;
        if (at == n)
            return diag_set(diag, DIAG_USAGE, "no such thread",
                            "Leave it out of stacks; the lanes without stacks name all threads.",
                            "stacks=%u: this is none of the threads that are shown.", asked->stacks[i]);
        tracks[at].is_open = true;
    }
    return true;
}

/* Which rank an index of the list has is told by plan->order. */
static bool choose_tracks(struct lanes_plan *plan, const struct render_input *in,
                          const struct lanes_asked *asked, struct diag *diag)
{
    const struct profile *p = in->profile;
    uint32_t n_chosen, n = 0, main = main_of(p);
    const uint32_t *chosen = methods_tracks(p, in->view, &n_chosen, in->scratch);
    uint32_t *ranked = chosen != NULL ? rank(in, chosen, n_chosen, main, &n) : NULL;
    if (ranked == NULL)
        return fail_arena(in->scratch, diag);
    struct lanes_track *tracks = arena_array(in->scratch, (size_t)n + 1, sizeof(*tracks));
    uint32_t *place = arena_array(in->scratch, p->n_tracks, sizeof(*place));

    if (tracks == NULL || place == NULL)
        return fail_arena(in->scratch, diag);
    for (uint32_t i = 0; i < n; i++)
        place[ranked[i]] = 1;
    for (uint32_t i = 0, at = 0; i < p->n_tracks; i++) {
        if (place[i] == 0)
            continue;
        place[i] = at;
        tracks[at++] = (struct lanes_track){.track = &p->tracks[i], .is_main = i == main};
    }
    for (uint32_t i = 0; i < n; i++)
        ranked[i] = place[ranked[i]];
    plan->order = ranked;
    plan->left_out = n_chosen - n;
    plan->request.tracks = tracks;
    plan->request.n_tracks = n;
    return find_open(tracks, n, asked, diag);
}

/* ---- frames ---- */

static uint8_t class_of(enum origin origin, bool idle_waits)
{
    switch (origin) {
    case ORIGIN_APP:
        return LANE_OWN;
    case ORIGIN_THIRD_PARTY:
    case ORIGIN_UNKNOWN:
    case ORIGIN_ERROR:
        return LANE_THIRD_PARTY;
    case ORIGIN_IDLE:
        return idle_waits ? LANE_WAITING : LANE_PLATFORM;
    case ORIGIN_ANDROIDX:
    case ORIGIN_ANDROID:
    case ORIGIN_JAVA:
    case ORIGIN_NATIVE:
    case ORIGIN_TRACK:
        break;
    }
    return LANE_PLATFORM;
}

/* By which Android calls an app's code to do one thing after the other. */
static bool handles_messages(struct str method)
{
    static const struct str METHODS[] = {STR_INIT("android.os.Handler.dispatchMessage"),
                                         STR_INIT("android.view.Choreographer.doFrame"),
                                         STR_INIT("android.os.Binder.execTransact")};

    for (size_t i = 0; i < sizeof(METHODS) / sizeof(METHODS[0]); i++)
        if (str_eq(method, METHODS[i]))
            return true;
    return false;
}

/* The method of that id, or those of that text. False: diag. */
static bool mark_frames(const struct render_input *in, struct str mark, uint8_t *classes, struct diag *diag)
{
    char id[TABLE_ID_DIGITS + 1];
    struct sha256 *hash = mark.n == TABLE_ID_DIGITS ? sha256_new() : NULL;
    uint32_t n = 0;

    if (mark.n == TABLE_ID_DIGITS && hash == NULL)
        return diag_no_memory(diag, "No memory for a digest.");
    for (frame_id i = 0; i < in->profile->n_frames; i++) {
        bool is_meant = str_eq(names_frame(in->names, i), mark);
        if (!is_meant && hash != NULL && table_frame_id(in->profile, i, hash, id))
            is_meant = str_eq(str_of(id), mark);
        classes[i] |= is_meant ? LANE_MARKED : 0;
        n += is_meant;
    }
    sha256_free(hash);
    struct str shown = clean_cut(mark, 60);
    return n > 0 ||
           diag_set(diag, DIAG_NOT_FOUND, "no such method", "The table of methods has the id of each.",
                    "mark=%.*s: no method has this id or this name.", (int)shown.n, shown.p);
}

static bool class_frames(struct lanes_plan *plan, const struct render_input *in,
                         const struct lanes_asked *asked, struct diag *diag)
{
    const struct profile *p = in->profile;
    uint8_t *classes = arena_array(in->scratch, (size_t)p->n_frames + 1, sizeof(*classes));
    uint32_t wall, cpu;
    bool has_both = profile_waits(p, &wall, &cpu) && wall == 0 && cpu < p->n_times;

    if (classes == NULL)
        return fail_arena(in->scratch, diag);
    /* Of a wall clock alone it is only known that methods that wait do so. */
    bool idle_waits = !has_both && p->values[0].role != ROLE_CPU;
    for (frame_id i = 0; i < p->n_frames; i++) {
        classes[i] = class_of((enum origin)names_of(in->names, i)->origin, idle_waits);
        classes[i] |= handles_messages(names_frame(in->names, i)) ? LANE_MESSAGE : 0;
    }
    plan->request.class_of_frame = classes;
    plan->request.n_frames = p->n_frames;
    plan->request.cpu_clock = has_both ? cpu : 0;
    plan->request.marks = asked->mark[0] != '\0';
    return !plan->request.marks || mark_frames(in, str_of(asked->mark), classes, diag);
}

/* ---- the window ---- */

static void set_whole(struct lanes_plan *plan, const struct profile *p)
{
    uint64_t begin, end;

    profile_times(p, &begin, &end);
    begin = begin < INT64_MAX - 2000 ? begin : p->n_tracks > 0 ? INT64_MAX - 2000 : 0;
    end = end < INT64_MAX - 1000 ? end : INT64_MAX - 1000;
    plan->whole_from_ns = begin / 1000 * 1000;
    plan->whole_to_ns = (end / 1000 + 1) * 1000; /* What happens at the very end is in it. */
}

static bool set_window(struct lanes_plan *plan, uint64_t from_ns, uint64_t to_ns, struct diag *diag)
{
    struct lanes_request *r = &plan->request;

    r->from_ns = from_ns == VIEW_TIME_NONE ? plan->whole_from_ns : from_ns;
    r->to_ns = to_ns == VIEW_TIME_NONE ? plan->whole_to_ns : to_ns;
    if (to_ns == VIEW_TIME_NONE && from_ns != VIEW_TIME_NONE && r->to_ns <= r->from_ns &&
        r->from_ns < INT64_MAX)
        r->to_ns = r->from_ns + 1; /* behind the end: valid, and empty */
    plan->is_whole = r->from_ns <= plan->whole_from_ns && r->to_ns >= plan->whole_to_ns;
    if (r->from_ns < r->to_ns && r->to_ns <= INT64_MAX)
        return true;
    return view_refuse_range(
        plan->whole_from_ns, plan->whole_to_ns,
        "The window would begin at its end or behind it; the recording has times",
        "Give from and to in µs since the trace's start, or leave them out for all of the recording.", diag);
}

uint64_t lanes_work_ns(const struct profile *p, const struct profile_track *t)
{
    uint32_t weight = profile_weight_value(p);

    return p->values[weight].unit == UNIT_NS ? profile_total(p, t->first, weight) : t->end_ns - t->begin_ns;
}

bool lanes_plan(struct lanes_plan *plan, const struct render_input *in, const struct lanes_asked *asked,
                uint64_t from_ns, uint64_t to_ns, struct diag *diag)
{
    const struct profile *p = in->profile;
    struct lanes_request *r = &plan->request;

    *plan = (struct lanes_plan){.left_out = 0};
    if (!p->timed)
        return diag_set(diag, DIAG_USAGE, "no times in this file", "Its other views need no times.",
                        "Lanes show what threads did in the order of time, and this file has no times: %.*s.",
                        (int)p->format_label.n, p->format_label.p);
    set_whole(plan, p);
    if (!set_window(plan, from_ns, to_ns, diag) || !choose_tracks(plan, in, asked, diag) ||
        !class_frames(plan, in, asked, diag))
        return false;
    r->ns_per_tick = p->ns_per_tick;
    r->open_to_end = in->view->open == OPEN_END;
    r->width_px = in->view->width_px;
    if (r->n_tracks > 0 && r->width_px > LANES_PIXELS_MAX / r->n_tracks)
        r->width_px = LANES_PIXELS_MAX / r->n_tracks;
    r->message_ns = LANES_MESSAGE_NS;
    r->levels_max = LANES_LEVELS_MAX;
    r->spans_max = LANES_SPANS_MAX / (asked->n_stacks > 0 ? asked->n_stacks : 1);
    if (r->spans_max < LANES_SPANS_LEAST)
        r->spans_max = LANES_SPANS_LEAST;
    return true;
}
