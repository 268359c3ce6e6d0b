#include "server/convert/call_kept.h"

#include <stdlib.h>

#include "core/protobuf_put.h"

enum { SLICE_BYTES_MAX = 2 * PROTOBUF_VARINT_MAX };

/* Of each slice: frame << 1 | ends, and how far the clock went since the last one. */
struct track {
    struct buf bytes;
    size_t taken;
    uint64_t at_ns; /* of the last one that was added, or taken */
    bool dropped;
};

struct call_kept {
    size_t room_bytes, bytes; /* of all tracks, as far as they hold memory */
    bool by_cpu;
    uint32_t n;
    struct track tracks[];
};

struct call_kept *call_kept_new(uint32_t n_tracks, size_t room_bytes, bool by_cpu)
{
    struct call_kept *k = calloc(1, sizeof(*k) + n_tracks * sizeof(k->tracks[0]));

    if (k != NULL) {
        k->n = n_tracks;
        k->room_bytes = room_bytes;
        k->by_cpu = by_cpu;
        for (uint32_t i = 0; i < n_tracks; i++)
            k->tracks[i].dropped = true;
    }
    return k;
}

static void forget(struct call_kept *k, struct track *t)
{
    k->bytes -= t->bytes.capacity;
    buf_free(&t->bytes);
    *t = (struct track){.dropped = t->dropped};
}

void call_kept_free(struct call_kept *k)
{
    for (uint32_t i = 0; k != NULL && i < k->n; i++)
        buf_free(&k->tracks[i].bytes);
    free(k);
}

void call_kept_begin(struct call_kept *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        k->tracks[i].dropped = false;
}

/* Room for one more. A buffer grows by more than that at a time, and what it holds counts, not what it needs. */
static bool reserve(struct call_kept *k, struct track *t)
{
    size_t before = t->bytes.capacity;

    if (before - t->bytes.n >= SLICE_BYTES_MAX)
        return true;
    bool ok = buf_reserve(&t->bytes, SLICE_BYTES_MAX);
    k->bytes += t->bytes.capacity - before;
    return ok && k->bytes <= k->room_bytes;
}

void call_kept_add(struct call_kept *k, const struct call_slice *slice)
{
    struct track *t = &k->tracks[slice->track];
    uint64_t at_ns = k->by_cpu ? slice->cpu_at_ns : slice->at_ns;

    if (t->dropped)
        return;
    if (!reserve(k, t)) {
        t->dropped = true;
        forget(k, t);
        return;
    }
    char *to = t->bytes.p + t->bytes.n;
    to = protobuf_write(to, (uint64_t)slice->frame << 1 | slice->ends);
    to = protobuf_write(to, at_ns - t->at_ns);
    t->bytes.n = (size_t)(to - t->bytes.p);
    t->at_ns = at_ns;
}

bool call_kept_has(const struct call_kept *k, uint32_t track)
{
    return !k->tracks[track].dropped;
}

/* Of what was written above. */
static uint64_t take_varint(struct track *t)
{
    uint64_t value = 0;
    unsigned char byte;
    unsigned shift = 0;

    do {
        byte = (unsigned char)t->bytes.p[t->taken++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte >= 0x80);
    return value;
}

bool call_kept_take(struct call_kept *k, uint32_t track, struct call_slice *slice)
{
    struct track *t = &k->tracks[track];

    if (t->taken == t->bytes.n) {
        forget(k, t);
        return false;
    }
    if (t->taken == 0)
        t->at_ns = 0;
    uint64_t frame = take_varint(t);
    t->at_ns += take_varint(t);
    *slice = (struct call_slice){.track = track,
                                 .frame = (frame_id)(frame >> 1),
                                 .ends = (frame & 1) != 0,
                                 .at_ns = t->at_ns,
                                 .cpu_at_ns = t->at_ns};
    return true;
}
