/* Calls in the order of time as a trace of Perfetto: a message Trace of packets, in one sequence.
 *
 * The first packets describe the process and its threads as tracks, and name the origins of code, which
 * are the events' categories. Then each slice is an event that begins (TYPE_SLICE_BEGIN) and one that ends
 * (TYPE_SLICE_END) on the track of its thread, in ns since the trace's start; where the CPU clock was
 * recorded, with its time in whole µs. A name stands, as interned data, in a packet in front of the event
 * that needs it first. Events of a thread are in the order of time; threads take turns.
 *
 * Numbers of fields: Trace 1 packet; TracePacket 8 timestamp, 10 trusted_packet_sequence_id, 11
 * track_event, 12 interned_data, 13 sequence_flags (1: what was interned before is void, 2: what was
 * interned is needed), 60 track_descriptor; TrackDescriptor 1 uuid, 3 process, 4 thread; ProcessDescriptor
 * 1 pid; ThreadDescriptor 1 pid, 2 tid, 5 thread_name; InternedData 1 event_categories, 2 event_names,
 * whose messages have 1 iid, 2 name; TrackEvent 3 category_iids, 9 type, 10 name_iid, 11 track_uuid, 17
 * thread_time_absolute_us (protos/perfetto/trace of the Perfetto project). */
#ifndef RENDER_CALLS_CALL_PERFETTO_H
#define RENDER_CALLS_CALL_PERFETTO_H

#include "render/calls/call_writer.h"

/* The columns of a struct call_format. */
void call_perfetto_begin(struct call_writer *w, struct buf *out);
void call_perfetto_slice(struct call_writer *w, const struct call_slice *slice, struct buf *out);

#endif
