/* Format: JSON, version 1. What stands in it, and how pixels are written, is told in docs/http-api.md. All times are ns. */
#include "core/json.h"
#include "core/sha256.h"
#include "profile/warning.h"
#include "render/lanes/lanes_format.h"
#include "render/names/names.h"
#include "render/table/table_id.h"
#include "render/view/fail.h"

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
        char c = share(ns_at(w, lane, what, at), length_of(w, at));
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
    for (unsigned class = 0; class < LANE_CLASSES; class ++)
        json_put_u64(&w->j, NULL, ns[class]);
    json_close(&w->j);
    json_put_u64(&w->j, "calls", calls);
}

static void put_pixels(struct writer *w, const struct lane *lane)
{
    json_put_raw(&w->j, "shares", STR("["));
    for (unsigned class = 0; class < LANE_CLASSES; class ++) {
        buf_z(w->j.b, class > 0 ? "," : "");
        put_shares(w, lane, class);
    }
    buf_char(w->j.b, ']');
    json_put_raw(&w->j, "counts", STR(""));
    put_counts(w, lane, false);
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

/* Seven numbers each, all in one array: frame + 1 or 0 for a run, depth, begin since the thread's begin, length, self, calls,
 * flags. */
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

static void put_lane(struct writer *w, const struct lane *lane)
{
    const struct profile *p = w->in->profile;
    const struct profile_track *t = lane->of->track;

    json_open_object(&w->j, NULL);
    json_put_u64(&w->j, "track", t->id);
    json_put_string(&w->j, "name", profile_string(p, t->name));
    json_put_u64(&w->j, "begin_ns", t->begin_ns);
    json_put_u64(&w->j, "end_ns", t->end_ns);
    json_put_u64(&w->j, "work_ns", lanes_work_ns(p, t));
    put_totals(w, lane);
    put_pixels(w, lane);
    json_close(&w->j);
}

static void put_lanes(struct writer *w)
{
    json_put_u64(&w->j, "step", w->step);
    json_open_array(&w->j, "lanes");
    for (uint32_t i = 0; i < w->lanes->n; i++)
        put_lane(w, &w->lanes->list[w->plan->order[i]]);
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
    json_put_bool(&w->j, "waits", plan->request.cpu_clock != 0);
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
    bool ok = put_frames(&w);
    json_close(&w.j);
    buf_char(out, '\n');
    if (!ok)
        return diag_no_memory(diag, "No memory for a digest.");
    return !out->failed || fail_buf(out, diag);
}

const struct lanes_format LANES_JSON = {
    {"json", "application/json", "for the page's script and for programs", 2}, write_json};
