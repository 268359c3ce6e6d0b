/* Calls in the order of time as trace events of Chrome, as chrome://tracing, Perfetto and speedscope read them:
 *
 *     {"displayTimeUnit":"ns","otherData":{"clock":"wall"},"traceEvents":[
 *     {"ph":"M","name":"thread_name","pid":1,"tid":T,"args":{"name":".."}},
 *     {"ph":"B","name":"a.B.c","ts":1.25,"tts":1,"pid":1,"tid":T,"args":{"signature":"()V"}},
 *     {"ph":"E","name":"a.B.c","ts":4.25,"tts":3.5,"pid":1,"tid":T},
 *     ..]}
 *
 * ts is us of the first clock, which otherData names, tts of the CPU clock beside it. Each call has an event where it
 * begins (B) and one where it ends (E), so that calls that share both times with their callers nest as they did: of
 * complete events (X) a reader would have to guess which is the caller ("Trace Event Format", the document of the
 * Chromium project). */
#include "core/json.h"
#include "core/put.h"
#include "render/calls/call_counters.h"
#include "render/calls/call_format.h"

enum { NS_DECIMALS = 3, NUMBERS_BYTES_MAX = 6 * NUMBER_BYTES_MAX };

/* Trace Event Format: {"ph":"C","name":..,"ts":us,"pid":..,"args":{"value":..}}. The unit stands in place of "value". */
static void put_reading(struct call_writer *w, const struct profile_counter *c,
                        const struct profile_reading *reading, struct buf *out)
{
    struct json j = json_into(out);
    int64_t value = reading->value;

    buf_z(out, ",\n");
    json_open_object(&j, NULL);
    json_put_string(&j, "ph", STR("C"));
    json_put_string(&j, "name", profile_string(w->profile, c->name));
    json_put_fixed(&j, "ts", reading->time_ns, NS_DECIMALS);
    json_put_u64(&j, "pid", call_counter_process(w, c));
    json_open_object(&j, "args");
    json_put_key(&j, c->unit != STRING_EMPTY ? profile_string(w->profile, c->unit) : STR("value"));
    json_put_raw(&j, NULL, value < 0 ? STR("-") : STR(""));
    buf_fixed(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, c->decimals);
    json_close(&j);
    json_close(&j);
}

/* The names of all threads, so that a row needs only the number; then all counters. */
static void begin(struct call_writer *w, struct buf *out)
{
    const struct profile *p = w->profile;

    buf_z(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"");
    buf_z(out, w->by_cpu || (p->n_times > 0 && p->values[0].role == ROLE_CPU) ? "cpu" : "wall");
    buf_z(out, "\"},\"traceEvents\":[");
    for (uint32_t i = 0, told = 0; i < p->n_tracks; i++) {
        struct json j = json_into(out);
        if (profile_track_times(p, &p->tracks[i]) == 0)
            continue;
        buf_z(out, told++ > 0 ? ",\n" : "\n");
        json_open_object(&j, NULL);
        json_put_string(&j, "ph", STR("M"));
        json_put_string(&j, "name", STR("thread_name"));
        json_put_u64(&j, "pid", w->processes[i]);
        json_put_u64(&j, "tid", p->tracks[i].id);
        json_open_object(&j, "args");
        json_put_string(&j, "name", profile_string(p, p->tracks[i].name));
        json_close(&j);
        json_close(&j);
    }
    for (uint32_t i = 0; i < call_counters(w); i++)
        call_each_reading(w, &p->counters[i], put_reading, out);
}

/* What all calls of a frame have in common, made once: there are thousands of frames, and millions of calls. */
static const struct call_text *text_of(struct call_writer *w, frame_id frame)
{
    const struct frame_parts parts = names_parts(w->names, frame);
    struct buf b = {0};

    struct json j = json_into(&b);
    buf_z(&b, ",\n");
    json_open_object(&j, NULL);
    json_put_string(&j, "ph", STR("B"));
    json_put_string(&j, "name", names_frame(w->names, frame));
    buf_z(&b, ",\"ts\":");
    size_t before = b.n;
    if (parts.signature.n > 0) {
        json_open_object(&j, "args");
        json_put_string(&j, "signature", parts.signature);
        json_close(&j);
    }
    json_close(&j);
    return call_writer_keep(w, frame, &b, before);
}

/* Process and thread: many slices one behind the other are of one track. */
static char *put_track(struct call_writer *w, char *to, uint32_t track)
{
    if (!w->of_track.made || w->of_track.track != track) {
        char *end = number_u64(PUT(w->of_track.text, ",\"pid\":"), w->processes[track]);
        end = number_u64(PUT(end, ",\"tid\":"), w->profile->tracks[track].id);
        w->of_track.made = true;
        w->of_track.track = track;
        w->of_track.n = (size_t)(end - w->of_track.text);
    }
    return call_writer_put_track(w, to);
}

static void put_slice(struct call_writer *w, const struct call_slice *slice, struct buf *out)
{
    const struct call_text *text = w->texts[slice->frame];

    if (text == NULL)
        text = text_of(w, slice->frame);
    if (text == NULL || !buf_reserve(out, text->before + text->behind + NUMBERS_BYTES_MAX)) {
        out->failed = true;
        return;
    }
    /* Behind the names of threads, of which there is one at least. */
    char *to = put_bytes(out->p + out->n, text->p, text->before);
    if (slice->ends)
        out->p[out->n + sizeof(",\n{\"ph\":\"") - 1] = 'E';
    to = call_writer_us(&w->times, to, slice->at_ns);
    if (w->has_cpu)
        to = call_writer_us(&w->cpu_times, PUT(to, ",\"tts\":"), slice->cpu_at_ns);
    to = put_track(w, to, slice->track);
    to = slice->ends ? PUT(to, "}") : put_bytes(to, text->p + text->before, text->behind);
    out->n = (size_t)(to - out->p);
}

static void end(struct call_writer *w, struct buf *out)
{
    (void)w;
    buf_z(out, "\n]}\n");
}

const struct call_format CALL_CHROME = {
    .text = {"chrome", "application/json", "trace events, for chrome://tracing", 4},
    .begin = begin,
    .slice = put_slice,
    .end = end,
    .exported = true,
};
