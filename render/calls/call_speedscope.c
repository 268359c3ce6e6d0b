/* Calls in the order of time in the file format of https://www.speedscope.app (its schema
 * file-format-schema.json): a profile of type "evented" for each track, in ns since the trace's start.
 *
 *     {"$schema":..,"exporter":"aflamed","aflamed":{"value":"wall"},"profiles":[
 *     {"type":"evented","name":"main tid=1","unit":"nanoseconds","startValue":0,"endValue":N,
 *      "events":[{"type":"O","frame":F,"at":A},{"type":"C","frame":F,"at":A},..]},..],
 *      "activeProfileIndex":I,"shared":{"frames":[{"name":..,"file":..,"line":..},..]}}
 *
 * The member aflamed says which clock it is. Frames are numbered, and are listed behind all else. */
#include "core/json.h"
#include "core/put.h"
#include "render/calls/call_format.h"

/* Two numbers, and less than 48 bytes of keys. */
enum { EVENT_BYTES_MAX = 3 * NUMBER_BYTES_MAX };

static void begin(struct call_writer *w, struct buf *out)
{
    const struct profile *p = w->profile;
    bool cpu = w->by_cpu || (p->n_times > 0 && p->values[0].role == ROLE_CPU);

    buf_z(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"aflamed\","
               "\"aflamed\":{\"value\":\"");
    buf_z(out, cpu ? "cpu\"},\"profiles\":[" : "wall\"},\"profiles\":[");
}

/* `main tid=1`: as folded stacks call it, without the brackets. */
static void put_name(struct json *j, struct call_writer *w, uint32_t track)
{
    struct str label = names_track(w->names, track);

    if (label.n > 2)
        label = (struct str){label.p + 1, label.n - 2};
    json_put_string(j, "name", label);
}

static void put_track(struct call_writer *w, uint32_t track, bool ends, struct buf *out)
{
    if (ends) {
        buf_z(out, "],\"endValue\":");
        if (buf_reserve(out, NUMBER_BYTES_MAX))
            out->n = (size_t)(call_writer_us(&w->times, out->p + out->n, w->at_ns) - out->p);
        buf_char(out, '}');
        if (w->at_ns - w->from_ns > w->heaviest_ns) {
            w->heaviest_ns = w->at_ns - w->from_ns;
            w->heaviest = w->written;
        }
        w->written++;
        return;
    }
    buf_z(out, w->written > 0 ? ",\n" : "\n");
    struct json j = json_into(out);
    json_open_object(&j, NULL);
    json_put_string(&j, "type", STR("evented"));
    put_name(&j, w, track);
    json_put_string(&j, "unit", STR("microseconds"));
    json_put_u64(&j, "startValue", 0);
    buf_z(out, ",\"events\":[");
}

static void put_slice(struct call_writer *w, const struct call_slice *slice, struct buf *out)
{
    if (!buf_reserve(out, EVENT_BYTES_MAX))
        return;
    char *to = out->p + out->n;
    to = slice->ends ? PUT(to, ",{\"type\":\"C\",\"frame\":") : PUT(to, ",{\"type\":\"O\",\"frame\":");
    /* Made anew each time: that is faster than to fetch a text from among thousands. */
    to = number_u64(to, call_writer_number(w, slice->frame) - 1);
    to = call_writer_us(&w->times, PUT(to, ",\"at\":"), call_writer_at(w, slice));
    *to++ = '}';
    out->n = (size_t)(to - out->p);
}

static void end(struct call_writer *w, struct buf *out)
{
    const struct profile *p = w->profile;
    struct json j = json_into(out);

    buf_z(out, "\n],\"activeProfileIndex\":");
    buf_u64(out, w->heaviest);
    buf_z(out, ",\"shared\":");
    json_open_object(&j, NULL);
    json_open_array(&j, "frames");
    for (uint32_t i = 0; i < w->n_used; i++) {
        const struct profile_frame *f = &p->frames[w->used[i]];
        buf_clear(&w->scratch);
        names_put_distinct(w->names, p, w->used[i], &w->scratch);
        out->failed = out->failed || w->scratch.failed;
        json_line(&j);
        json_open_object(&j, NULL);
        json_put_string(&j, "name", buf_view(&w->scratch));
        if (profile_string(p, f->file).n > 0)
            json_put_string(&j, "file", profile_string(p, f->file));
        if (f->line > 0)
            json_put_u64(&j, "line", f->line);
        json_close(&j);
    }
    json_close(&j);
    json_close(&j);
    buf_z(out, "}\n");
}

const struct call_format CALL_SPEEDSCOPE = {
    .text = {"speedscope", "application/json", "for speedscope, in the order of time", 2},
    .begin = begin,
    .slice = put_slice,
    .track = put_track,
    .comma = true,
    .end = end,
    .exported = true,
};
