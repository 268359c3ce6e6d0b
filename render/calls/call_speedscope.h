/* Calls in the order of time in the file format of https://www.speedscope.app (its schema
 * file-format-schema.json): a profile of type "evented" for each track, in ns since the trace's start.
 *
 *     {"$schema":..,"exporter":"aflamed","aflamed":{"value":"wall"},"profiles":[
 *     {"type":"evented","name":"main tid=1","unit":"nanoseconds","startValue":0,"endValue":N,
 *      "events":[{"type":"O","frame":F,"at":A},{"type":"C","frame":F,"at":A},..]},..],
 *      "activeProfileIndex":I,"shared":{"frames":[{"name":..,"file":..,"line":..},..]}}
 *
 * The member aflamed says which clock it is. Frames are numbered in the order of their first use, and are listed behind all else. */
#ifndef RENDER_CALLS_CALL_SPEEDSCOPE_H
#define RENDER_CALLS_CALL_SPEEDSCOPE_H

#include "render/calls/call_writer.h"

/* The columns of a struct call_format. */
void call_speedscope_begin(struct call_writer *w, struct buf *out);
void call_speedscope_track(struct call_writer *w, uint32_t track, bool ends, struct buf *out);
void call_speedscope_slice(struct call_writer *w, const struct call_slice *slice, struct buf *out);
void call_speedscope_end(struct call_writer *w, struct buf *out);

#endif
