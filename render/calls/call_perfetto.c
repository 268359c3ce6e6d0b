/* Calls in the order of time as a trace of Perfetto: a message Trace of packets, in one sequence.
 *
 * The first packets describe the process and its threads as tracks, and name the origins of code, which
 * are the events' categories. Then each slice is an event that begins (TYPE_SLICE_BEGIN) and one that ends
 * (TYPE_SLICE_END) on the track of its thread, in ns since the trace's start; where the CPU clock was
 * recorded, with its time in whole µs. A name stands, as interned data, in a packet somewhere in front of the
 * first event that needs it. Events of a thread are in the order of time; threads take turns.
 *
 * Numbers of fields: Trace 1 packet; TracePacket 8 timestamp, 10 trusted_packet_sequence_id, 11
 * track_event, 12 interned_data, 13 sequence_flags (1: what was interned before is void, 2: what was
 * interned is needed), 60 track_descriptor; TrackDescriptor 1 uuid, 3 process, 4 thread; ProcessDescriptor
 * 1 pid; ThreadDescriptor 1 pid, 2 tid, 5 thread_name; InternedData 1 event_categories, 2 event_names,
 * whose messages have 1 iid, 2 name; TrackEvent 3 category_iids, 9 type, 10 name_iid, 11 track_uuid, 17
 * thread_time_absolute_us (protos/perfetto/trace of the Perfetto project). */
#include <string.h>

#include "core/clean.h"
#include "core/protobuf_put.h"
#include "profile/frame/own_code.h"
#include "render/calls/call_counters.h"
#include "render/calls/call_format.h"

enum { NS_PER_US = 1000, SEQUENCE = 1, CLEARED = 1, NEEDED = 2, SLICE_BEGIN = 1, SLICE_END = 2, COUNTER = 4 };

/* An event: categories and names have numbers of 32 bits, and so have tracks; two fields have numbers of 2
 * bytes. Its packet has the time, two fields of 2 bytes, and two heads of 2 bytes. */
enum {
    EVENT_BYTES_MAX = (1 + 5) + (1 + 5) + (1 + 1) + (1 + 5) + (2 + PROTOBUF_VARINT_MAX),
    PACKET_BYTES_MAX = 2 + (1 + PROTOBUF_VARINT_MAX) + 2 * 2 + 2 + EVENT_BYTES_MAX
};
_Static_assert(PACKET_BYTES_MAX < 0x80, "lengths of one byte");

/* 0 is nobody's, 1 is the process. */
static uint64_t uuid_of(uint32_t track)
{
    return (uint64_t)track + 2;
}

/* int32 of the format, which is written as the int64 of the same value. */
static uint64_t int32_of(uint32_t number)
{
    return (uint64_t)(int64_t)(int32_t)number;
}

static void put_message(struct buf *out, uint32_t field, struct buf *message)
{
    out->failed = out->failed || message->failed;
    protobuf_put_bytes(out, field, buf_view(message));
    buf_clear(message);
}

static void put_cleaned(struct buf *message, uint32_t field, struct str text)
{
    struct buf cleaned = {0};

    clean_text(&cleaned, text);
    put_message(message, field, &cleaned);
    buf_free(&cleaned);
}

/* ---- in front of the events ---- */

/* Appends a packet with these fields, which are then empty again. */
static void put_packet(struct buf *out, struct buf *fields, unsigned flags)
{
    protobuf_put_u64(fields, 10, SEQUENCE);
    protobuf_put_u64(fields, 13, flags);
    put_message(out, 1, fields);
}

static void put_categories(struct buf *fields)
{
    struct buf interned = {0}, category = {0};

    for (unsigned origin = 0; origin < ORIGINS; origin++) {
        protobuf_put_u64(&category, 1, origin + 1);
        protobuf_put_bytes(&category, 2, str_of(origin_word((enum origin)origin)));
        put_message(&interned, 1, &category);
    }
    put_message(fields, 12, &interned);
    buf_free(&interned);
    buf_free(&category);
}

static void put_descriptor(struct buf *fields, uint64_t uuid, uint32_t kind, struct buf *described)
{
    struct buf descriptor = {0};

    protobuf_put_u64(&descriptor, 1, uuid);
    put_message(&descriptor, kind, described);
    put_message(fields, 60, &descriptor);
    buf_free(&descriptor);
}

/* ---- counters ---- */

/* Behind the threads', two for each counter: its process, and itself. */
static uint64_t counter_uuid(const struct call_writer *w, const struct profile_counter *c)
{
    return uuid_of(w->profile->n_tracks) + 2 * (uint64_t)(c - w->profile->counters);
}

/* TrackDescriptor {uuid = 1, name = 2, process = 3 {pid = 1, process_name = 6}, parent_uuid = 5, counter = 8 {unit_name = 6}}. A
 * process may be described several times. */
static void put_counter(const struct call_writer *w, const struct profile_counter *c, struct buf *out)
{
    uint32_t process = call_counter_process(w, c);
    struct buf fields = {0}, descriptor = {0}, described = {0};

    if (process != 0) {
        protobuf_put_u64(&described, 1, int32_of(process));
        put_cleaned(&described, 6, profile_string(w->profile, c->group));
        put_descriptor(&fields, counter_uuid(w, c), 3, &described);
        put_packet(out, &fields, NEEDED);
    }
    protobuf_put_u64(&descriptor, 1, counter_uuid(w, c) + 1);
    put_cleaned(&descriptor, 2, profile_string(w->profile, c->name));
    if (process != 0)
        protobuf_put_u64(&descriptor, 5, counter_uuid(w, c));
    if (c->unit != STRING_EMPTY)
        put_cleaned(&described, 6, profile_string(w->profile, c->unit));
    put_message(&descriptor, 8, &described);
    put_message(&fields, 60, &descriptor);
    put_packet(out, &fields, NEEDED);
    buf_free(&fields);
    buf_free(&descriptor);
    buf_free(&described);
}

/* TrackEvent {type = 9, track_uuid = 11, counter_value = 30, double_counter_value = 44}. */
static void put_reading(struct call_writer *w, const struct profile_counter *c,
                        const struct profile_reading *reading, struct buf *out)
{
    struct buf fields = {0}, event = {0};
    double value = (double)reading->value;
    uint64_t bits;

    protobuf_put_u64(&event, 9, COUNTER);
    protobuf_put_u64(&event, 11, counter_uuid(w, c) + 1);
    if (c->decimals == 0) {
        protobuf_put_u64(&event, 30, (uint64_t)reading->value);
    } else {
        for (unsigned i = 0; i < c->decimals; i++)
            value /= 10;
        memcpy(&bits, &value, sizeof(bits));
        protobuf_put_varint(&event, 44 << 3 | PROTOBUF_8_BYTES);
        for (unsigned i = 0; i < sizeof(bits); i++)
            buf_char(&event, (char)(bits >> 8 * i));
    }
    protobuf_put_u64(&fields, 8, reading->time_ns);
    put_message(&fields, 11, &event);
    put_packet(out, &fields, NEEDED);
    buf_free(&fields);
    buf_free(&event);
}

/* A packet that tells the name of a frame. */
static void put_name(struct call_writer *w, frame_id frame, uint32_t number, struct buf *out)
{
    struct buf fields = {0}, interned = {0}, name = {0};

    buf_clear(&w->scratch);
    names_put_distinct(w->names, w->profile, frame, &w->scratch);
    name.failed = w->scratch.failed;
    protobuf_put_u64(&name, 1, number);
    put_cleaned(&name, 2, buf_view(&w->scratch));
    put_message(&interned, 2, &name);
    put_message(&fields, 12, &interned);
    put_packet(out, &fields, NEEDED);
    buf_free(&fields);
    buf_free(&interned);
    buf_free(&name);
}

static void begin(struct call_writer *w, struct buf *out)
{
    const struct profile *p = w->profile;
    struct buf fields = {0}, described = {0};

    w->origin = arena_array(w->arena, p->n_frames, sizeof(*w->origin));
    out->failed = out->failed || w->origin == NULL;
    for (frame_id i = 0; i < p->n_frames && !out->failed; i++)
        w->origin[i] = names_of(w->names, i)->origin;
    protobuf_put_u64(&described, 1, int32_of(w->n_tracks > 0 ? w->processes[w->tracks[0]] : 1));
    put_descriptor(&fields, 1, 3, &described);
    put_categories(&fields);
    put_packet(out, &fields, CLEARED);
    for (uint32_t i = 0; i < w->n_tracks && !out->failed; i++) {
        const struct profile_track *track = &p->tracks[w->tracks[i]];
        protobuf_put_u64(&described, 1, int32_of(w->processes[w->tracks[i]]));
        protobuf_put_u64(&described, 2, int32_of(track->id));
        put_cleaned(&described, 5, profile_string(p, track->name));
        put_descriptor(&fields, uuid_of(w->tracks[i]), 4, &described);
        put_packet(out, &fields, NEEDED);
    }
    buf_free(&fields);
    buf_free(&described);
    for (uint32_t i = 0; i < w->n_used && !out->failed; i++)
        put_name(w, w->used[i], i + 1, out);
    for (uint32_t i = 0; i < call_counters(w) && !out->failed; i++) {
        put_counter(w, &p->counters[i], out);
        call_each_reading(w, &p->counters[i], put_reading, out);
    }
}

/* ---- events ---- */

static char *put_u64(char *to, uint32_t field, uint64_t value)
{
    return protobuf_write(protobuf_write(to, (uint64_t)field << 3 | PROTOBUF_VARINT), value);
}

static char *put_event(const struct call_writer *w, const struct call_slice *slice, uint32_t number, char *to)
{
    if (!slice->ends) {
        to = put_u64(to, 3, (uint64_t)w->origin[slice->frame] + 1);
        to = put_u64(to, 10, number);
    }
    to = put_u64(to, 9, slice->ends ? SLICE_END : SLICE_BEGIN);
    to = put_u64(to, 11, uuid_of(slice->track));
    return w->has_cpu ? put_u64(to, 17, slice->cpu_at_ns / NS_PER_US) : to;
}

/* Both messages are short enough for lengths of one byte, which are known when they are written. */
static void put_slice(struct call_writer *w, const struct call_slice *slice, struct buf *out)
{
    uint32_t used = w->n_used, number = call_writer_number(w, slice->frame);

    if (w->n_used > used)
        put_name(w, slice->frame, number, out);
    if (!buf_reserve(out, PACKET_BYTES_MAX))
        return;
    char *packet = out->p + out->n, *to = packet;
    *to++ = 1 << 3 | PROTOBUF_BYTES;
    char *length = to++;
    to = put_u64(to, 8, slice->at_ns);
    to = put_u64(to, 10, SEQUENCE);
    to = put_u64(to, 13, NEEDED);
    *to++ = 11 << 3 | PROTOBUF_BYTES;
    char *event_length = to++;
    to = put_event(w, slice, number, to);
    *event_length = (char)(to - event_length - 1);
    *length = (char)(to - length - 1);
    out->n += (size_t)(to - packet);
}

const struct call_format CALL_PERFETTO = {
    .text = {"perfetto", "application/octet-stream", "for Perfetto", 3},
    .begin = begin,
    .slice = put_slice,
    .exported = true,
};
