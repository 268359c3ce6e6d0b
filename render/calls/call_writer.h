/* What formats of calls one by one are written with. */
#pragma once

#include <string.h>

#include "core/buf.h"
#include "core/number.h"
#include "profile/calls/call_rows.h"
#include "profile/calls/call_slices.h"
#include "render/names/names.h"

/* What is the same in all that is written of a frame: two texts, one behind the other. They stand right behind their lengths,
 * so that the processor looks for one place in memory, and not for two. */
struct call_text {
    size_t before, behind; /* bytes */
    char p[];
};

/* What is written of a track: two numbers of 32 bits and their keys. */
enum { CALL_TRACK_BYTES_MAX = NUMBER_BYTES_MAX };

struct call_writer {
    const struct profile *profile;
    const struct names *names;
    const struct window *window; /* of what is written; NULL: all */
    bool has_cpu;
    struct buf scratch;  /* freed by who has the writer */
    struct arena *arena; /* for what formats keep of frames */

    uint32_t *processes; /* by the profile's tracks: see call_processes */

    /* What calls that follow each other mostly have in common. */
    struct number_run times, ends, cpu_times;
    struct {
        bool made;
        uint32_t track;
        size_t n;
        char text[CALL_TRACK_BYTES_MAX];
    } of_track;

    /* Each has an entry for each frame. */
    const struct call_text **texts; /* made when they are needed first */
    uint32_t *number;               /* from 1; 0: not used so far */
    uint8_t *origin; /* of Perfetto's: enum origin, which the names have, too, but too far apart */

    frame_id *used; /* by number - 1 */
    uint32_t n_used;

    /* Only slices use these. */
    bool by_cpu;             /* the time is that of the CPU clock */
    uint64_t from_ns, at_ns; /* of the track's first one, and its last one so far; 0: it has none */
    const uint32_t *tracks;  /* that are written: indexes of the profile's, ascending */
    uint32_t n_tracks;
    uint32_t written;  /* of those, where each has its own place */
    uint32_t heaviest; /* of those written, the one that goes on for the longest */
    uint64_t heaviest_ns;
};

/* The time of a slice. */
static inline uint64_t call_writer_at(const struct call_writer *w, const struct call_slice *slice)
{
    return w->by_cpu ? slice->cpu_at_ns : slice->at_ns;
}

/* The number of a frame; one that is not yet among those used is put there. */
static inline uint32_t call_writer_number(struct call_writer *w, frame_id frame)
{
    if (w->number[frame] == 0) {
        w->used[w->n_used++] = frame;
        w->number[frame] = w->n_used;
    }
    return w->number[frame];
}

/* What of_track has. All of its room, whose size the compiler knows, is copied faster than what is in use. */
static inline char *call_writer_put_track(const struct call_writer *w, char *to)
{
    memcpy(to, w->of_track.text, sizeof(w->of_track.text));
    return to + w->of_track.n;
}

/* Keeps the text of a frame, whose first part ends at `before`, and frees the buffer. NULL: no memory. */
const struct call_text *call_writer_keep(struct call_writer *w, frame_id frame, struct buf *text,
                                         size_t before);

/* In µs, with decimals where a time is between two: nearly all times are whole µs, and in ns a third of
 * the text would be zeros. */
static inline char *call_writer_us(struct number_run *run, char *to, uint64_t ns)
{
    enum { DECIMALS = 3, NS_PER_US = 1000 };

    return ns % NS_PER_US == 0 ? number_u64_next(run, to, ns / NS_PER_US) : number_decimal(to, ns, DECIMALS);
}
