#include "render/lanes/lanes_formats.h"

#include "core/clean.h"
#include "core/diag.h"
#include "core/json.h"
#include "core/number.h"
#include "core/sha256.h"
#include "profile/calls/lanes.h"
#include "profile/frame/waits.h"
#include "profile/thread_time.h"
#include "profile/warning.h"
#include "render/chart/chart.h"
#include "render/lanes/lanes_counters.h"
#include "render/names/names.h"
#include "render/table/table.h"
#include "render/view/asked.h"
#include "render/view/input.h"
#include "render/view/view.h"

/* ---- what is asked ---- */

enum {
    LANES_MAX = 3000,           /* tracks in one answer: the heaviest */
    LANES_PIXELS_MAX = 800000,  /* of all tracks; for more the width is smaller than asked for */
    LANES_LEVELS_MAX = 500,     /* of stacks; deeper calls are only counted */
    LANES_SPANS_MAX = 9000,     /* of all tracks that are open */
    LANES_SPANS_LEAST = 600,    /* of each of them */
    LANES_MESSAGE_NS = 16700000 /* in which a screen misses a frame */
};

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

/* Whether a track is that of the main thread, or has its samples. */
static bool is_of(const struct profile *p, uint32_t track, uint32_t main)
{
    return track == main || (main != UINT32_MAX && p->tracks[track].beside != 0 &&
                             p->tracks[track].beside == p->tracks[main].id);
}

/* The chosen tracks by their weight, the main one first, as many as there is room for. A heap is known at its dumps only. */
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
    for (unsigned of_main = 2; of_main-- > 0;)
        for (uint32_t i = 0; i < p->n_tracks && *n < LANES_MAX; i++)
            if (is_of(p, by_weight[i], main) == (of_main == 1) &&
                p->tracks[by_weight[i]].kind != TRACK_HEAP &&
                profile_place(chosen, n_chosen, by_weight[i]) < n_chosen)
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
    const uint32_t *chosen = view_tracks(p, in->view, &n_chosen, in->scratch);
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
    for (uint32_t i = 0; i < n_chosen; i++)
        plan->left_out -= p->tracks[chosen[i]].kind == TRACK_HEAP;
    plan->request.tracks = tracks;
    plan->request.n_tracks = n;
    return find_open(tracks, n, asked, diag);
}

/* ---- frames ---- */

static uint8_t class_of(enum origin origin)
{
    switch (origin) {
    case ORIGIN_APP:
        return LANE_OWN;
    case ORIGIN_LIBRARY:
        return LANE_LIBRARY;
    case ORIGIN_UNKNOWN:
    case ORIGIN_ERROR:
        return LANE_UNKNOWN;
    case ORIGIN_IDLE:
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
    struct time_values time = time_values_of(p);
    uint32_t cpu = time.measured[TIME_RUNNING], waiting = time.measured[TIME_WAITING];

    if (classes == NULL)
        return fail_arena(in->scratch, diag);
    for (frame_id i = 0; i < p->n_frames; i++) {
        struct frame_parts parts = names_parts(in->names, i);
        bool waits =
            !time_has_cpu(&time) && p->n_times > 0 && wait_kind_of(parts.scope, parts.name) != WAIT_NONE;
        classes[i] = waits ? LANE_WAITING : class_of((enum origin)names_of(in->names, i)->origin);
        plan->has_unknown = plan->has_unknown || classes[i] == LANE_UNKNOWN;
        classes[i] |= handles_messages(names_frame(in->names, i)) ? LANE_MESSAGE : 0;
    }
    plan->request.class_of_frame = classes;
    plan->request.cpu_clock = time.wall == 0 && cpu < p->n_times ? cpu : 0;
    plan->request.sample_cpu = p->n_times == 0 && cpu < p->n_values ? cpu + 1 : 0;
    plan->request.sample_waiting = p->n_times == 0 && waiting < p->n_values ? waiting + 1 : 0;
    plan->request.n_frames = p->n_frames;
    plan->request.marks = asked->mark[0] != '\0';
    plan->request.methods = asked->methods;
    return !plan->request.marks || mark_frames(in, str_of(asked->mark), classes, diag);
}

/* The classes in the order in which they are told of: the last one only where the profile has it. */
static const enum lane_class TOLD[LANE_CLASSES] = {LANE_OWN, LANE_LIBRARY, LANE_PLATFORM, LANE_WAITING,
                                                   LANE_UNKNOWN};

static unsigned n_told(const struct lanes_plan *plan)
{
    return plan->has_unknown ? LANE_CLASSES : LANE_CLASSES - 1;
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

/* How long the track worked: its CPU time, or its time in frames; of samples without clocks, from the first to the last. */
static uint64_t lanes_work_ns(const struct profile *p, const struct profile_track *t)
{
    uint32_t weight = profile_weight_value(p);

    return p->values[weight].unit == UNIT_NS ? profile_work(p, t, weight) : t->end_ns - t->begin_ns;
}

bool lanes_plan(struct lanes_plan *plan, const struct render_input *in, const struct lanes_asked *asked,
                uint64_t from_ns, uint64_t to_ns, struct diag *diag)
{
    const struct profile *p = in->profile;
    struct lanes_request *r = &plan->request;

    *plan = (struct lanes_plan){.left_out = 0};
    if (!p->timed)
        return diag_set(
            diag, DIAG_USAGE, "no times in this file", "Its other views need no times.",
            "The timeline shows what threads did in the order of time, and this file has no times: %.*s.",
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

/* ---- json ---- */

/* Format: JSON, version 1. What stands in it, and how pixels are written, is told in docs/http-api.md. All
 * times are ns. */

enum {
    SHARES = 51,             /* all of a pixel's time; 0 is none of it */
    PIXEL_BYTES_MAX = 700000 /* of the pixels of all lanes; for more, several are written as one */
};

struct writer {
    const struct render_input *in;
    const struct lanes_plan *plan;
    const struct lanes *lanes;
    struct json j;
    uint32_t step;      /* pixels that are written as one */
    uint32_t *frame_at; /* by frame: its place in the table of names + 1; 0: none yet */
    frame_id *frames;   /* that table */
    uint32_t n_frames;
};

/* ---- pixels ---- */

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The length in ns of the pixels [at, at + step). */
static uint64_t length_of(const struct writer *w, uint32_t at)
{
    const struct lanes_request *r = &w->plan->request;
    uint32_t end = least_of(at + w->step, r->width_px);

    return lanes_edge(r->from_ns, r->to_ns, r->width_px, end) -
           lanes_edge(r->from_ns, r->to_ns, r->width_px, at);
}

/* `A`: nothing, `z`: all of it; any time at all is more than nothing. */
static char share(uint64_t ns, uint64_t length_ns)
{
    uint64_t n = length_ns == 0 ? 0 : number_ratio(ns, length_ns, SHARES);

    n = n == 0 && ns > 0 ? 1 : n > SHARES ? SHARES : n;
    return (char)(n < 26 ? 'A' + n : 'a' + (n - 26));
}

static void put_repeated(struct buf *b, char c, uint32_t times)
{
    if (times > 0)
        buf_char(b, c);
    if (times > 1)
        buf_u64(b, times);
}

enum { OF_MARK = LANE_CLASSES };

/* What is to be told of a place: a class, or OF_MARK. */
static uint64_t ns_at(const struct writer *w, const struct lane *lane, unsigned what, uint32_t at)
{
    uint64_t ns = 0;

    if (lane->pixels == NULL) /* it was not told of, since it has no records near the window */
        return 0;
    for (uint32_t i = at; i < least_of(at + w->step, w->plan->request.width_px); i++)
        ns += what == OF_MARK ? lane->marks[i].ns : lane->pixels[i].ns[what];
    return ns;
}

/* A letter for each place, with a number behind it if it comes so often in a row. */
static void put_shares(struct writer *w, const struct lane *lane, unsigned what)
{
    uint32_t times = 0;
    char last = 'A';

    buf_char(w->j.b, '"');
    for (uint32_t at = 0; at < w->plan->request.width_px; at += w->step) {
        uint64_t ns = ns_at(w, lane, what, at);
        char c = ns == 0 ? 'A' : share(ns, length_of(w, at));
        if (c != last) {
            put_repeated(w->j.b, last, times);
            times = 0;
        }
        last = c;
        times++;
    }
    if (last != 'A') /* what is left is nothing */
        put_repeated(w->j.b, last, times);
    buf_char(w->j.b, '"');
}

static void put_zeros(struct writer *w, uint32_t zeros, bool *begun)
{
    if (zeros == 0)
        return;
    buf_z(w->j.b, *begun ? "," : "");
    *begun = true;
    if (zeros > 1)
        buf_char(w->j.b, '-');
    buf_u64(w->j.b, zeros > 1 ? zeros : 0);
}

/* How many calls begin in each place; -n stands for n places without any. */
static void put_counts(struct writer *w, const struct lane *lane, bool of_marks)
{
    uint32_t width = w->plan->request.width_px, zeros = 0;
    bool begun = false;

    buf_char(w->j.b, '[');
    for (uint32_t at = 0; at < width; at += w->step) {
        uint64_t calls = 0;
        for (uint32_t i = at; lane->pixels != NULL && i < least_of(at + w->step, width); i++)
            calls += of_marks ? lane->marks[i].calls : lane->pixels[i].calls;
        zeros += calls == 0;
        if (calls == 0)
            continue;
        put_zeros(w, zeros, &begun);
        zeros = 0;
        buf_z(w->j.b, begun ? "," : "");
        buf_u64(w->j.b, calls);
        begun = true;
    }
    buf_char(w->j.b, ']');
}

static void put_totals(struct writer *w, const struct lane *lane)
{
    uint32_t width = w->plan->request.width_px;
    uint64_t ns[LANE_CLASSES] = {0}, calls = 0;

    for (uint32_t i = 0; lane->pixels != NULL && i < width; i++) {
        for (unsigned class = 0; class < LANE_CLASSES; class ++)
            ns[class] += lane->pixels[i].ns[class];
        calls += lane->pixels[i].calls;
    }
    json_open_array(&w->j, "ns");
    for (unsigned i = 0; i < n_told(w->plan); i++)
        json_put_u64(&w->j, NULL, ns[TOLD[i]]);
    json_close(&w->j);
    json_put_u64(&w->j, "calls", calls);
}

static uint64_t place_of(struct writer *w, frame_id frame);

/* Of the place's pixels the one that is most of one method tells it: 1 + its place in the table of names, or 0. */
static uint64_t method_at(struct writer *w, const struct lane *lane, uint32_t at)
{
    struct lane_method most = {.frame = FRAME_NONE};

    for (uint32_t i = at; i < least_of(at + w->step, w->plan->request.width_px); i++)
        if (lane->methods[i].frame != FRAME_NONE &&
            (most.frame == FRAME_NONE || lane->methods[i].ns > most.ns))
            most = lane->methods[i];
    return most.frame != FRAME_NONE ? place_of(w, most.frame) + 1 : 0;
}

/* Two numbers for each run of places: the method, and how many places in a row it is. */
static void put_methods(struct writer *w, const struct lane *lane)
{
    uint64_t last = 0, times = 0;

    json_open_array(&w->j, "methods");
    for (uint32_t at = 0; lane->methods != NULL && at < w->plan->request.width_px; at += w->step) {
        uint64_t method = method_at(w, lane, at);
        if (method != last && times > 0) {
            json_put_element(&w->j, last);
            json_put_element(&w->j, times);
            times = 0;
        }
        last = method;
        times++;
    }
    if (last != 0) {
        json_put_element(&w->j, last);
        json_put_element(&w->j, times);
    }
    json_close(&w->j);
}

static void put_pixels(struct writer *w, const struct lane *lane)
{
    json_put_raw(&w->j, "shares", STR("["));
    for (unsigned i = 0; i < n_told(w->plan); i++) {
        buf_z(w->j.b, i > 0 ? "," : "");
        put_shares(w, lane, TOLD[i]);
    }
    buf_char(w->j.b, ']');
    json_put_raw(&w->j, "counts", STR(""));
    put_counts(w, lane, false);
    if (w->plan->request.methods)
        put_methods(w, lane);
    if (lane->marks == NULL)
        return;
    uint64_t marked = 0;
    for (uint32_t i = 0; i < w->plan->request.width_px; i++)
        marked += lane->marks[i].calls;
    json_put_u64(&w->j, "marked", marked);
    json_put_raw(&w->j, "mark_shares", STR(""));
    put_shares(w, lane, OF_MARK);
    json_put_raw(&w->j, "mark_counts", STR(""));
    put_counts(w, lane, true);
}

/* ---- calls ---- */

/* The frame's place in the table of names. */
static uint64_t place_of(struct writer *w, frame_id frame)
{
    if (w->frame_at[frame] == 0) {
        w->frames[w->n_frames++] = frame;
        w->frame_at[frame] = w->n_frames;
    }
    return w->frame_at[frame] - 1;
}

/* Seven numbers each, all in one array: frame + 1 or 0 for a run, depth, begin since the thread's begin,
 * length, self, calls, flags. */
static void put_spans(struct writer *w, const struct lane *lane)
{
    const struct spans *spans = lane->spans;
    uint64_t begin = lane->of->track->begin_ns;

    json_open_object(&w->j, NULL);
    json_put_u64(&w->j, "track", lane->of->track->id);
    json_put_u64(&w->j, "levels", spans->levels);
    json_put_u64(&w->j, "calls", spans->calls);
    json_put_u64(&w->j, "deep", spans->deep);
    json_put_u64(&w->j, "least_ns", spans->least_ns);
    json_open_array(&w->j, "spans");
    for (uint32_t i = 0; i < spans->n; i++) {
        const struct span *s = &spans->list[i];
        json_put_element(&w->j, s->frame == FRAME_NONE ? 0 : place_of(w, s->frame) + 1);
        json_put_element(&w->j, s->depth);
        json_put_element(&w->j, s->begin_ns - begin);
        json_put_element(&w->j, s->end_ns - s->begin_ns);
        json_put_element(&w->j, s->self_ns);
        json_put_element(&w->j, s->calls);
        json_put_element(&w->j, s->flags);
    }
    json_close(&w->j);
    json_close(&w->j);
}

static void put_calls(struct writer *w, const char *key, const struct longest_calls *calls)
{
    json_open_array(&w->j, key);
    for (uint32_t i = 0; i < calls->n; i++) {
        const struct listed_call *c = &calls->list[i];
        json_open_array(&w->j, NULL);
        json_put_element(&w->j, w->plan->request.tracks[c->track].track->id);
        json_put_element(&w->j, c->begin_ns);
        json_put_element(&w->j, c->end_ns - c->begin_ns);
        json_put_element(&w->j, c->depth);
        json_put_element(&w->j, place_of(w, c->frame));
        json_put_element(&w->j, c->flags);
        json_close(&w->j);
    }
    json_close(&w->j);
}

static void put_mark(struct writer *w)
{
    json_open_object(&w->j, "mark");
    json_put_u64(&w->j, "calls", w->lanes->marked);
    put_calls(w, "first", &w->lanes->first);
    put_calls(w, "last", &w->lanes->last);
    put_calls(w, "longest", &w->lanes->longest);
    json_close(&w->j);
}

/* ---- all of it ---- */

/* `first`: the lane on top, whose process is not told of. */
static void put_lane(struct writer *w, const struct lane *lane, const struct lane *first)
{
    const struct profile *p = w->in->profile;
    const struct profile_track *t = lane->of->track;
    struct str group = profile_string(p, t->group);

    json_open_object(&w->j, NULL);
    json_put_u64(&w->j, "track", t->id);
    json_put_string(&w->j, "name", profile_string(p, t->name));
    if (group.n > 0 && t->group != first->of->track->group)
        json_put_string(&w->j, "group", group);
    json_put_u64(&w->j, "begin_ns", t->begin_ns);
    json_put_u64(&w->j, "end_ns", t->end_ns);
    json_put_u64(&w->j, "work_ns", lanes_work_ns(p, t));
    if (t->kind == TRACK_SAMPLES)
        json_put_u64(&w->j, "samples", t->records);
    if (t->beside != 0)
        json_put_u64(&w->j, "beside", t->beside);
    put_totals(w, lane);
    put_pixels(w, lane);
    json_close(&w->j);
}

static void put_lanes(struct writer *w)
{
    json_put_u64(&w->j, "step", w->step);
    json_open_array(&w->j, "lanes");
    for (uint32_t i = 0; i < w->lanes->n; i++)
        put_lane(w, &w->lanes->list[w->plan->order[i]], &w->lanes->list[w->plan->order[0]]);
    json_close(&w->j);
}

/* As many pixels as the answer has room for. */
static void put_lanes_within(struct writer *w)
{
    const struct json before = w->j;
    size_t n = w->j.b->n;

    for (w->step = 1; !w->j.b->failed; w->step *= 2) {
        put_lanes(w);
        if (w->j.b->n - n <= PIXEL_BYTES_MAX || w->step >= w->plan->request.width_px)
            return;
        w->j = before;
        w->j.b->n = n;
    }
}

static void put_head(struct writer *w)
{
    const struct lanes_plan *plan = w->plan;

    json_put_u64(&w->j, "version", 1);
    /* Samples with times have the clock of the recorder, which all threads share. */
    json_put_string(&w->j, "clock",
                    w->in->profile->n_times > 0 ? w->in->profile->values[0].name : STR("wall"));
    json_put_bool(&w->j, "waits", plan->request.cpu_clock != 0 || plan->request.sample_waiting != 0);
    json_put_u64(&w->j, "whole_from_ns", plan->whole_from_ns);
    json_put_u64(&w->j, "whole_to_ns", plan->whole_to_ns);
    json_put_u64(&w->j, "from_ns", plan->request.from_ns);
    json_put_u64(&w->j, "to_ns", plan->request.to_ns);
    json_put_bool(&w->j, "overflow", warning_of(w->in->profile, WARN_OVERFLOW) != NULL);
    json_put_u64(&w->j, "left_out", plan->left_out);
    json_put_u64(&w->j, "width", plan->request.width_px);
}

/* Behind all that names frames. Each is its text, its origin and its id. False: the library failed. */
static bool put_frames(struct writer *w)
{
    char id[TABLE_ID_DIGITS + 1];
    struct sha256 *hash = sha256_new();
    bool ok = hash != NULL;

    json_open_array(&w->j, "frames");
    for (uint32_t i = 0; ok && i < w->n_frames; i++) {
        const struct names_frame *name = names_of(w->in->names, w->frames[i]);
        ok = table_frame_id(w->in->profile, w->frames[i], hash, id);
        json_open_array(&w->j, NULL);
        json_put_string(&w->j, NULL, name->text);
        json_put_u64(&w->j, NULL, name->origin);
        json_put_string(&w->j, NULL, ok ? str_of(id) : STR(""));
        json_close(&w->j);
    }
    json_close(&w->j);
    sha256_free(hash);
    return ok;
}

static bool write_json(const struct render_input *in, const struct lanes_plan *plan,
                       const struct lanes *lanes, struct buf *out, struct diag *diag)
{
    struct writer w = {.in = in, .plan = plan, .lanes = lanes, .j = json_into(out)};

    w.frame_at = arena_array(in->scratch, (size_t)in->profile->n_frames + 1, sizeof(*w.frame_at));
    w.frames = arena_array(in->scratch, (size_t)in->profile->n_frames + 1, sizeof(*w.frames));
    if (w.frame_at == NULL || w.frames == NULL)
        return fail_arena(in->scratch, diag);
    json_open_object(&w.j, NULL);
    put_head(&w);
    put_lanes_within(&w);
    json_open_array(&w.j, "stacks");
    for (uint32_t i = 0; i < lanes->n; i++)
        if (lanes->list[i].spans != NULL)
            put_spans(&w, &lanes->list[i]);
    json_close(&w.j);
    put_calls(&w, "messages", &lanes->messages);
    if (plan->request.marks)
        put_mark(&w);
    lanes_put_screen(&w.j, in->profile, &plan->request);
    lanes_put_counters(&w.j, in->profile, &plan->request,
                       lanes->n > 0 ? lanes->list[plan->order[0]].of->track->group : STRING_EMPTY);
    bool ok = put_frames(&w);
    json_close(&w.j);
    buf_char(out, '\n');
    if (!ok)
        return diag_no_memory(diag, "No memory for a digest.");
    return !out->failed || fail_buf(out, diag);
}

const struct lanes_format LANES_JSON = {
    {"json", "application/json", "for the page's script and for programs", 4}, write_json};

/* ---- svg ---- */

/* Format: a picture of all lanes, that needs no script and no style: a thread in a line, its name, its
 * time in words, and what it did per pixel. Each kind of time is one shape, drawn over that of all kinds
 * below it: waiting, unknown, the platform, libraries, own code. */

enum {
    LINE_PX = 18,
    BAR_PX = 14,
    NAMES_PX = 220,
    PAD_PX = 8,
    TOP_PX = 44,
    TEXT_PX = 12,
    NAME_CELLS = 22,
    COUNTERS_DRAWN = 16, /* the app's own come first */
    LABEL_TENTHS_PX = 62
};

static const char *const FILLS[LANE_CLASSES] = {[LANE_OWN] = "#f2b84b",
                                                [LANE_LIBRARY] = "#e3a5c8",
                                                [LANE_PLATFORM] = "#8fb6e3",
                                                [LANE_UNKNOWN] = "#d3c7b4",
                                                [LANE_WAITING] = "#dedad2"};

/* How high the kinds up to this one stand in a pixel. */
static unsigned height_of(const struct lane_pixel *pixel, enum lane_class class, uint64_t length_ns)
{
    uint64_t ns = 0;

    for (unsigned i = 0; i <= (unsigned)class; i++)
        ns += pixel->ns[i];
    uint64_t px = length_ns == 0 ? 0 : number_ratio(ns, length_ns, BAR_PX);
    return px > BAR_PX ? BAR_PX : px == 0 && ns > 0 ? 1 : (unsigned)px;
}

/* Steps from left to right; nothing for a kind that does not occur. */
static void put_shape(const struct lanes_plan *plan, const struct lane *lane, enum lane_class class,
                      unsigned bottom_px, struct buf *out)
{
    const struct lanes_request *r = &plan->request;
    unsigned last = 0;
    bool begun = false;

    for (uint32_t x = 0; x < r->width_px; x++) {
        uint64_t length = lanes_edge(r->from_ns, r->to_ns, r->width_px, x + 1) -
                          lanes_edge(r->from_ns, r->to_ns, r->width_px, x);
        unsigned px = height_of(&lane->pixels[x], class, length);
        if (px == last)
            continue;
        if (!begun)
            buf_printf(out, "<path fill=\"%s\" d=\"M%u %u", FILLS[class], NAMES_PX, bottom_px);
        begun = true;
        buf_printf(out, "H%uV%u", NAMES_PX + x, bottom_px - px);
        last = px;
    }
    if (begun)
        buf_printf(out, "H%uV%uZ\"/>\n", NAMES_PX + r->width_px, bottom_px);
}

/* The left of a line: a name, cut where it is too long, and words at the end. */
static void put_name(struct str name, unsigned y, struct buf *out)
{
    bool is_long = clean_length(name) > NAME_CELLS;

    buf_printf(out, "<text x=\"%u\" y=\"%u\">", PAD_PX, y + TEXT_PX);
    clean_xml(out, name.n == 0 ? STR("(no name)") : is_long ? clean_cut(name, NAME_CELLS) : name);
    buf_z(out, is_long ? "\xe2\x80\xa6" : "");
    buf_printf(out, "</text><text x=\"%u\" y=\"%u\" text-anchor=\"end\" fill=\"#595959\">", NAMES_PX - PAD_PX,
               y + TEXT_PX);
}

static void svg_put_lane(const struct render_input *in, const struct lanes_plan *plan,
                         const struct lane *lane, unsigned y, struct buf *out)
{
    const struct profile *p = in->profile;
    const struct profile_track *t = lane->of->track;

    put_name(profile_string(p, t->name), y, out);
    if (t->kind == TRACK_SAMPLES)
        buf_u64_grouped(out, t->records);
    else
        buf_value(out, UNIT_NS, lanes_work_ns(p, t), 3);
    buf_z(out, "</text>\n");
    for (unsigned class = LANE_CLASSES; lane->pixels != NULL && class > 0; class --)
        put_shape(plan, lane, (enum lane_class)(class - 1), y + BAR_PX, out);
}

static unsigned n_counters_drawn(const struct profile *p)
{
    return p->n_counters < COUNTERS_DRAWN ? p->n_counters : COUNTERS_DRAWN;
}

/* Below the first thread, as on the page; the most of each in words. */
static void svg_put_counters(const struct render_input *in, const struct lanes_plan *plan, unsigned y,
                             struct buf *out)
{
    const struct profile *p = in->profile;
    struct buf most = {0};

    for (unsigned i = 0; i < n_counters_drawn(p); i++, y += LINE_PX) {
        const struct profile_counter *c = &p->counters[i];
        const struct counter_box box = {NAMES_PX, y + BAR_PX, BAR_PX - 2};
        put_name(profile_string(p, c->name), y, out);
        buf_clear(&most);
        profile_counter_value(p, c, c->most, &most);
        clean_xml(out, buf_view(&most)); /* a unit is the file's own */
        buf_z(out, "</text>\n");
        lanes_draw_counter(p, c, &plan->request, &box, out);
    }
    if (p->n_counters > COUNTERS_DRAWN)
        buf_printf(out, "<text x=\"%u\" y=\"%u\">%u more counters</text>\n", PAD_PX, y + TEXT_PX,
                   p->n_counters - COUNTERS_DRAWN);
    buf_part_end(out, &most);
}

/* Ticks as those of a chart. */
static void put_axis(const struct lanes_plan *plan, unsigned height_px, struct buf *out)
{
    const struct lanes_request *r = &plan->request;
    struct chart_plan chart = {.from_ns = r->from_ns, .to_ns = r->to_ns, .width_px = r->width_px};
    struct chart_axis axis = chart_axis(&chart, LABEL_TENTHS_PX);
    char label[NUMBER_BYTES_MAX];

    for (uint64_t ns = r->from_ns / axis.step_ns * axis.step_ns; ns < r->to_ns && !out->failed;
         ns = number_add(ns, axis.step_ns)) {
        uint32_t x = NAMES_PX + chart_x_dpx(&chart, ns) / 10;
        if (ns < r->from_ns)
            continue;
        buf_printf(out,
                   "<path stroke=\"#d9d7d3\" d=\"M%u.5 %uV%u\"/><text x=\"%u\" y=\"%u\" fill=\"#595959\">", x,
                   TOP_PX - LINE_PX, height_px, x + 3, TOP_PX - 6);
        buf_bytes(out, label, (size_t)(chart_label(&axis, label, ns) - label));
        buf_z(out, "</text>\n");
    }
}

static void put_legend(const struct lanes_plan *plan, struct buf *out)
{
    static const char *const WORDS[] = {"your code", "libraries", "Android", "waiting", "unknown"};
    unsigned n = n_told(plan);

    for (unsigned i = 0; i < n; i++)
        buf_printf(out, "<path fill=\"%s\" d=\"M%u 6h12v12h-12Z\"/><text x=\"%u\" y=\"16\">%s</text>\n",
                   FILLS[TOLD[i]], NAMES_PX + i * 100, NAMES_PX + i * 100 + 16, WORDS[i]);
    if (plan->left_out > 0)
        buf_printf(out, "<text x=\"%u\" y=\"16\">%u threads left out</text>\n", NAMES_PX + n * 100,
                   plan->left_out);
}

static bool write_svg(const struct render_input *in, const struct lanes_plan *plan, const struct lanes *lanes,
                      struct buf *out, struct diag *diag)
{
    unsigned width = NAMES_PX + plan->request.width_px + PAD_PX;
    unsigned n_beside = n_counters_drawn(in->profile) + (in->profile->n_counters > COUNTERS_DRAWN);
    unsigned n_lines = lanes->n + n_beside, y = TOP_PX;
    unsigned height = TOP_PX + n_lines * LINE_PX + PAD_PX; /* of LANES_MAX lanes at most */

    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
               "role=\"img\" aria-label=\"What each thread did in the order of time\" "
               "font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#1a1a1a\">\n",
               width, height, width, height);
    buf_printf(out, "<path fill=\"#ffffff\" d=\"M0 0H%uV%uH0Z\"/>\n", width, height);
    put_legend(plan, out);
    put_axis(plan, height, out);
    for (uint32_t i = 0; i < lanes->n; i++, y += LINE_PX) {
        if (i == 1)
            y += n_beside * LINE_PX;
        svg_put_lane(in, plan, &lanes->list[plan->order[i]], y, out);
    }
    svg_put_counters(in, plan, TOP_PX + (lanes->n > 0 ? LINE_PX : 0), out);
    buf_z(out, "</svg>\n");
    return !out->failed || fail_buf(out, diag);
}

const struct lanes_format LANES_SVG = {
    {"svg", "image/svg+xml", "a picture without script, to print and to mail", 4}, write_svg};
