/* How the table of late frames is written: txt and json. */
#include "core/clean.h"
#include "core/json.h"
#include "render/names/names.h"
#include "render/table/late_frames.h"
#include "render/table/text_line.h"
#include "render/view/view.h"

/* The bits of JankType (protos/perfetto/trace/android/frame_timeline_event.proto), and the last one, which is our own. */
static const struct {
    uint32_t bit;
    const char *word, *words;
} CAUSES[] = {{0x40, "app-deadline", "the app missed its deadline"},
              {SCREEN_SLOW, "slow-main", "its work on the main thread took more than 16.7 ms"},
              {0x10, "surfaceflinger-cpu", "SurfaceFlinger missed its deadline"},
              {0x20, "surfaceflinger-gpu", "SurfaceFlinger missed its deadline on the GPU"},
              {0x2, "surfaceflinger-scheduling", "SurfaceFlinger began too late"},
              {0x4, "prediction", "its time was predicted wrongly"},
              {0x8, "display", "the display was late"},
              {0x80, "buffer-stuffing", "earlier frames of the app still waited"},
              {0x200, "surfaceflinger-stuffing", "earlier frames still waited in SurfaceFlinger"},
              {0x400, "dropped", "it was dropped"},
              {0x1000, "app-resynced", "the app was brought in step again"},
              {0x100, "unknown", "for an unknown reason"}};

void late_causes(uint32_t causes, void (*put)(void *context, const char *word, const char *words),
                 void *context)
{
    for (size_t i = 0; i < sizeof(CAUSES) / sizeof(CAUSES[0]); i++)
        if ((causes & CAUSES[i].bit) != 0)
            put(context, CAUSES[i].word, CAUSES[i].words);
}

/* ---- json ---- */

/* Format "json", version 1. All times are ns since the trace's start, or lengths in ns.
 *
 * {"format":"aflamed-frames", "version":1,
 *  "frames": 120, "late": 7,      in the window
 *  "threads": [{"name":"main", "track":21491}, {"name":"RenderThread", "track":21510}],
 *  "states": ["running", "runnable", "waiting", "io", "unknown"],     empty: what threads did was not recorded
 *  "rows": [{"begin":.., "end":.., "due":.., "over":.., "number":..,  due and over: null where nobody says; number: 0 where there is none
 *            "causes":["app-deadline", ..], "why":"the app missed its deadline",
 *            "spent":[[running, runnable, waiting, io, unknown], ..],  by thread
 *            "longest":{"method":"inflate", "track":21491, "begin":.., "end":.., "ns":..}}, ..]}   longest: null without any */

static void put_cause_word(void *context, const char *word, const char *words)
{
    (void)words;
    json_put_string(context, NULL, str_of(word));
}

static void put_cause_words(void *context, const char *word, const char *words)
{
    struct buf *b = context;

    (void)word;
    buf_z(b, b->n > 0 ? ", " : "");
    buf_z(b, words);
}

static void json_put_known(struct json *j, const char *key, uint64_t value, bool known)
{
    if (known)
        json_put_u64(j, key, value);
    else
        json_put_null(j, key);
}

static void json_put_spent(struct json *j, const struct late_frames *t, const struct late_frame *row)
{
    json_open_array(j, "spent");
    for (unsigned thread = 0; t->has_states && thread < LATE_THREADS; thread++) {
        if (t->thread[thread] == t->p->n_tracks)
            continue;
        json_open_array(j, NULL);
        for (unsigned state = 0; state < LATE_STATES; state++)
            json_put_element(j, row->ns[thread][state]);
        json_close(j);
    }
    json_close(j);
}

static void json_put_longest(struct json *j, const struct render_input *in, const struct late_frame *row)
{
    if (row->longest.ns == 0) {
        json_put_null(j, "longest");
        return;
    }
    json_open_object(j, "longest");
    json_put_string(j, "method", names_frame(in->names, row->longest.frame));
    json_put_u64(j, "track", in->profile->tracks[row->longest.track].id);
    json_put_u64(j, "begin", row->longest.begin_ns);
    json_put_u64(j, "end", row->longest.end_ns);
    json_put_u64(j, "ns", row->longest.ns);
    json_close(j);
}

static void json_put_row(struct json *j, const struct render_input *in, const struct late_frames *t,
                         const struct late_frame *row, struct buf *why)
{
    buf_clear(why);
    late_causes(row->of->causes, put_cause_words, why);
    j->b->failed = j->b->failed || why->failed;
    json_line(j);
    json_open_object(j, NULL);
    json_put_u64(j, "begin", row->of->begin_ns);
    json_put_u64(j, "end", row->of->end_ns);
    json_put_known(j, "due", row->of->due_ns, row->of->due_ns > 0);
    json_put_known(j, "over", row->over_ns, row->over_ns > 0);
    json_put_u64(j, "number", row->of->number);
    json_open_array(j, "causes");
    late_causes(row->of->causes, put_cause_word, j);
    json_close(j);
    json_put_string(j, "why", buf_view(why));
    json_put_spent(j, t, row);
    json_put_longest(j, in, row);
    json_close(j);
}

static void json_put_threads(struct json *j, const struct late_frames *t)
{
    json_open_array(j, "threads");
    for (unsigned thread = 0; thread < LATE_THREADS; thread++) {
        if (t->thread[thread] == t->p->n_tracks)
            continue;
        const struct profile_track *x = &t->p->tracks[t->thread[thread]];
        json_open_object(j, NULL);
        json_put_string(j, "name", profile_string(t->p, x->name));
        json_put_u64(j, "track", x->id);
        json_close(j);
    }
    json_close(j);
}

static bool write_json(const struct render_input *in, const struct late_frames *t, struct buf *out,
                       struct diag *diag)
{
    static const char *const STATES[LATE_STATES] = {"running", "runnable", "waiting", "io", "unknown"};
    struct json j = json_into(out);
    struct buf why = {0};

    json_open_object(&j, NULL);
    json_put_string(&j, "format", STR("aflamed-frames"));
    json_put_u64(&j, "version", 1);
    json_put_u64(&j, "frames", t->frames);
    json_put_u64(&j, "late", t->late);
    json_put_threads(&j, t);
    json_open_array(&j, "states");
    for (unsigned i = 0; t->has_states && i < LATE_STATES; i++)
        json_put_string(&j, NULL, str_of(STATES[i]));
    json_close(&j);
    json_open_array(&j, "rows");
    for (uint32_t i = 0; i < t->n && !out->failed; i++)
        json_put_row(&j, in, t, &t->list[i], &why);
    json_close(&j);
    json_close(&j);
    buf_char(out, '\n');
    buf_free(&why);
    return !out->failed || fail_buf(out, diag);
}

const struct late_frames_format LATE_FRAMES_JSON = {{"json", "application/json", "for programs", 1},
                                                    write_json};

/* ---- txt ---- */

/* Format "txt": for people, aligned.
 *
 *     2 of 12 frames were late; the longest delay first
 *
 *               main                                 RenderThread
 *          at   took    over  running  runnable  waiting  I/O  running  ..  why; the longest section
 *     1.2 s  48 ms   31 ms  ..                                              the app missed its deadline; 30 ms inflate
 */

enum { DIGITS = 3 };

static void add_ns(struct text_line *l, uint64_t ns, bool known)
{
    if (known)
        buf_value(&l->text, UNIT_NS, ns, DIGITS);
    text_line_end_cell(l);
}

static bool has_thread(const struct late_frames *t, unsigned thread)
{
    return t->has_states && t->thread[thread] < t->p->n_tracks;
}

static void txt_put_cells(struct text_line *l, const struct late_frames *t, const struct late_frame *row)
{
    text_line_begin(l);
    add_ns(l, row->of->begin_ns, true);
    add_ns(l, row->of->end_ns - row->of->begin_ns, true);
    add_ns(l, row->over_ns, row->over_ns > 0);
    for (unsigned thread = 0; thread < LATE_THREADS; thread++)
        for (unsigned state = 0; has_thread(t, thread) && state < LATE_UNKNOWN; state++)
            add_ns(l, row->ns[thread][state], true);
}

static void txt_put_titles(struct text_line *l, const struct late_frames *t)
{
    static const char *const TITLES[LATE_THREADS][LATE_UNKNOWN] = {
        {"main runs", "runnable", "waits", "I/O"}, {"RenderThread runs", "runnable", "waits", "I/O"}};

    text_line_begin(l);
    text_line_add(l, "at");
    text_line_add(l, "took");
    text_line_add(l, "over");
    for (unsigned thread = 0; thread < LATE_THREADS; thread++)
        for (unsigned state = 0; has_thread(t, thread) && state < LATE_UNKNOWN; state++)
            text_line_add(l, TITLES[thread][state]);
}

static void txt_put_words(const struct render_input *in, const struct late_frame *row, struct buf *out)
{
    struct buf why = {0};

    late_causes(row->of->causes, put_cause_words, &why);
    buf_str(out, buf_view(&why));
    if (row->longest.ns > 0) {
        buf_z(out, "; ");
        buf_value(out, UNIT_NS, row->longest.ns, DIGITS);
        buf_char(out, ' ');
        clean_text(out, names_frame(in->names, row->longest.frame));
    }
    buf_char(out, '\n');
    buf_part_end(out, &why);
}

static void txt_put_head(const struct late_frames *t, struct buf *out)
{
    if (t->frames == 0) {
        buf_z(out, "The recording has no frames that an app showed.\n");
        return;
    }
    buf_u64_grouped(out, t->late);
    buf_z(out, " of ");
    buf_u64_grouped(out, t->frames);
    buf_z(out, t->frames == 1 ? " frame was late" : " frames were late");
    buf_z(out, t->late > 1 ? "; the longest delay first" : "");
    if (t->n < t->late) {
        buf_z(out, ", ");
        buf_u64_grouped(out, t->n);
        buf_z(out, " of them");
    }
    buf_char(out, '\n');
}

static bool write_txt(const struct render_input *in, const struct late_frames *t, struct buf *out,
                      struct diag *diag)
{
    struct text_line line = {0};

    txt_put_head(t, out);
    for (uint32_t i = 0; i < t->n; i++) {
        txt_put_cells(&line, t, &t->list[i]);
        text_line_widen(&line);
    }
    txt_put_titles(&line, t);
    text_line_widen(&line);
    if (t->n > 0) {
        buf_char(out, '\n');
        text_line_put(&line, out);
        buf_z(out, "why; the longest section\n");
    }
    for (uint32_t i = 0; i < t->n && !out->failed; i++) {
        txt_put_cells(&line, t, &t->list[i]);
        text_line_put(&line, out);
        txt_put_words(in, &t->list[i], out);
    }
    text_line_free(&line);
    return !out->failed || fail_buf(out, diag);
}

const struct late_frames_format LATE_FRAMES_TXT = {
    {"txt", "text/plain; charset=utf-8", "aligned, for people", 1}, write_txt};
