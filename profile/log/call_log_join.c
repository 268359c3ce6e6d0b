/* Puts a piece of a log behind what comes before it. The piece did not know what is open where it begins, nor when the last
 * record of each track was. All records but the first one of each track are as they would be. What is told anew:
 *
 *   - where a track comes into a block, what is open of it: in front of the piece's own calls stand those that were
 *     open before the piece and were not left yet; numbers of calls, roots and tracks are those of the whole
 *   - of each track how far the clocks went up to its first record
 *   - calls and roots of the footer: what the piece left on an empty stack, innermost first, are the calls that were
 *     open before it; and once all of these are left, roots of the whole */
#include "profile/log/call_log_impl.h"

/* How one track of the piece goes on in the whole. */
struct joining {
    struct written_track *of; /* the whole's */
    uint64_t last[LOG_FIRST_CLOCKS];
    size_t n_open, n_roots; /* before the piece; the track itself is no call */
    bool has_begun;         /* One of its records stands in a block already. */
};

struct joint {
    struct call_log_writer *w;
    const struct call_log_writer *piece;
    const uint32_t *tracks;
    struct joining *all; /* by the piece's tracks */
    uint64_t first_call; /* the number that the piece's first call has */
};

/* A log is no more than a few times as long as its records. */
bool call_log_fits(const struct call_log_writer *w, const struct call_log_writer *piece,
                   const uint32_t *tracks)
{
    enum { TIMES = 4 };
    uint64_t told = 0;

    for (size_t i = 0; i < piece->n_parts; i++) {
        uint32_t number = tracks[piece->parts[i].track];
        told += number < w->n_tracks ? w->tracks[number].n_open : 0;
    }
    return told / TIMES <= piece->offset + piece->n;
}

/* ---- what is open where the piece begins ---- */

/* All that is open has a place in the footer: the piece's first block with the track tells of it. */
static void begin_track(struct joint *j, size_t i)
{
    struct written_track *t = &j->w->tracks[j->tracks[i]];

    j->all[i] = (struct joining){.of = t, .n_open = t->n_open - 1, .n_roots = t->n_roots};
    for (uint32_t c = 0; c < j->w->n_clocks; c++)
        j->all[i].last[c] = t->last[c];
    for (size_t k = 1; k < t->n_open && !j->w->failed; k++)
        j->w->failed = !call_log_number(j->w, &t->open[k]);
}

static void take_calls(struct joint *j)
{
    struct call_log_writer *w = j->w;
    const size_t n = j->piece->n_calls;

    j->first_call = w->n_calls;
    if (n == 0 || w->failed)
        return;
    if (!ARENA_ROOM(w->arena, w->calls, w->calls_capacity, w->n_calls + n)) {
        w->failed = true;
        return;
    }
    memcpy(w->calls + w->n_calls, j->piece->calls, n * sizeof(*w->calls));
    for (size_t i = 0; i < n; i++)
        w->calls[w->n_calls + i].at += w->at;
    w->n_calls += n;
}

/* ---- blocks ---- */

static void copy(struct call_log_writer *w, const uint8_t *p, size_t n)
{
    if (n == 0 || !call_log_reserve(w, n))
        return;
    memcpy(w->bytes + w->n, p, n);
    w->n += n;
}

/* The piece's writer has written it. */
static uint64_t take_varint(const uint8_t **p)
{
    uint64_t value = 0;

    (void)log_varint(p, *p + LOG_VARINT_MAX, &value);
    return value;
}

/* The calls that are open: those of before the piece that it has not left, and the n that it has entered, from *p on. */
static void put_open(struct joint *j, const struct joining *of, size_t left, uint64_t n, const uint8_t **p)
{
    struct call_log_writer *w = j->w;
    size_t before = of->n_open > left ? of->n_open - left : 0;
    uint64_t last = 0;

    call_log_put_varint(w, before + n);
    for (size_t i = 1; i <= before; i++) {
        call_log_put_varint(w, of->of->open[i].number - last);
        last = of->of->open[i].number;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t step = take_varint(p);
        call_log_put_varint(w, i == 0 ? j->first_call + step - last : step);
    }
}

/* The clocks at the track's last record before the piece, and its first record in the piece with how far they went up to
 * it. The piece took both for 0. */
static void put_first_record(struct joint *j, const struct joining *of, const uint64_t *begin,
                             const uint8_t **p)
{
    struct call_log_writer *w = j->w;
    uint32_t run;

    copy(w, (const uint8_t *)of->last, w->n_clocks * sizeof(*of->last));
    *p += w->n_clocks * sizeof(*of->last);
    memcpy(&run, *p, LOG_RUN_BYTES);
    *p += LOG_RUN_BYTES;
    const unsigned kind = **p, frame_bytes = LOG_FRAME_BYTES[kind];
    uint8_t record[LOG_RECORD_BYTES_MAX + sizeof(uint64_t)], *end = record + 1 + frame_bytes;
    unsigned control = kind;
    memcpy(record + 1, *p + 1, frame_bytes);
    *p += 1 + frame_bytes;
    end = call_log_put_clock(end, begin[0] - of->last[0], &control);
    if (w->n_clocks > 1)
        end = call_log_put_second_clock(end, begin[1] - of->last[1], &control);
    record[0] = (uint8_t)control;
    run += (uint32_t)(end - record) - 1 - frame_bytes;
    copy(w, (const uint8_t *)&run, LOG_RUN_BYTES);
    copy(w, record, (size_t)(end - record));
}

/* Where a track comes into a block, which is told at p. Returns what goes on as it is. */
static const uint8_t *put_opening(struct joint *j, uint32_t track, const uint8_t *p)
{
    struct call_log_writer *w = j->w;
    struct joining *of = &j->all[track];
    const uint8_t control = *p++;

    copy(w, &control, 1);
    (void)take_varint(&p); /* the track's number in the piece */
    call_log_put_varint(w, j->tracks[track]);
    size_t left = (size_t)take_varint(&p);
    call_log_put_varint(w, of->n_roots + (left > of->n_open ? left - of->n_open : 0));
    put_open(j, of, left, take_varint(&p), &p);
    if (!of->has_begun)
        put_first_record(j, of, j->piece->tracks[track].footer.begin, &p);
    of->has_begun = true;
    return p;
}

static void put_part(struct joint *j, const struct written_part *part)
{
    struct call_log_writer *w = j->w;
    const struct joining *of = &j->all[part->track];

    if (w->failed || !ARENA_ROOM(w->arena, w->parts, w->parts_capacity, w->n_parts + 1) ||
        w->n > UINT32_MAX / 2 || w->n_blocks >= UINT32_MAX) {
        w->failed = true;
        return;
    }
    struct written_part *to = &w->parts[w->n_parts++];
    *to = (struct written_part){part->part, j->tracks[part->track]};
    to->part.block = (uint32_t)w->n_blocks;
    to->part.offset = (uint32_t)w->n;
    if (!of->has_begun)
        to->part.first_at = of->last[0];
}

/* The room of the blocks before this one, with which another room begins. */
static void release_before(const struct call_log_writer *piece, uint64_t block)
{
    while (piece->kept[--block].room_bytes == 0)
        continue;
    arena_release(piece->arena, piece->kept[block].bytes, piece->kept[block].room_bytes, 1);
}

/* Takes the parts from *part on that are of this block. */
static void put_block(struct joint *j, uint64_t block, size_t *part)
{
    const struct call_log_writer *piece = j->piece;
    const struct kept_block *kept = &piece->kept[block];

    if (kept->room_bytes > 0 && block > 0)
        release_before(piece, block);
    const uint8_t *p = kept->bytes, *end = kept->bytes + piece->blocks[block].bytes;

    for (; *part < piece->n_parts && piece->parts[*part].part.block == block && !j->w->failed; ++*part) {
        const struct written_part *of = &piece->parts[*part];
        const uint8_t *opening = kept->bytes + of->part.offset;
        copy(j->w, p, (size_t)(opening - p));
        put_part(j, of);
        p = put_opening(j, of->track, opening);
    }
    copy(j->w, p, (size_t)(end - p));
    call_log_put_block(j->w);
}

/* ---- what is open where the piece ends ---- */

/* A call that the piece left without having entered it. `call` is the same where that is the innermost one of the whole, or
 * stands for the track, of which it is a root then. `callees`: of the call, with those before the piece. */
static void end_call(struct joint *j, struct written_track *t, const struct call_log_call *root,
                     uint64_t callees)
{
    struct call_log_writer *w = j->w;
    struct call_log_call *to;

    if (t->n_open > 1) {
        to = &w->calls[t->open[--t->n_open].number];
    } else {
        if (!ARENA_ROOM(w->arena, t->roots, t->roots_capacity, t->n_roots + 1)) {
            w->failed = true;
            return;
        }
        to = &t->roots[t->n_roots++];
        *to = (struct call_log_call){.frame = root->frame};
        memcpy(to->begin, t->footer.begin, sizeof(to->begin));
        t->open[0].callees = 0;
    }
    memcpy(to->end, root->end, sizeof(to->end));
    to->callees = callees;
    to->at = root->at + w->at;
}

/* The time of callees counts from the track's first record in the piece: of a call that was open before it, the rest is
 * added where it is left. */
static void end_track(struct joint *j, size_t i)
{
    const struct written_track *of_piece = &j->piece->tracks[i];
    struct written_track *t = j->all[i].of;
    uint64_t rest = 0;

    for (size_t k = 0; k < of_piece->n_roots && !j->w->failed; k++) {
        const struct open_call *call = &t->open[t->n_open - 1];
        uint64_t callees = call->callees + rest + of_piece->roots[k].callees;
        rest = of_piece->footer.begin[0] - call->begin[0];
        end_call(j, t, &of_piece->roots[k], callees);
    }
    t->open[t->n_open - 1].callees += rest + of_piece->open[0].callees;
    for (size_t k = 1; k < of_piece->n_open; k++) {
        const struct open_call *call = &of_piece->open[k];
        if (j->w->failed || !call_log_push(j->w, t, call->frame, call->begin))
            return;
        t->open[t->n_open - 1].callees = call->callees;
        t->open[t->n_open - 1].number = call->number == NO_CALL ? NO_CALL : j->first_call + call->number;
    }
    call_log_clocks(j->w, t->last, of_piece->last);
}

void call_log_join(struct call_log_writer *w, struct call_log_writer *piece, const uint32_t *tracks)
{
    struct joint j = {.w = w, .piece = piece, .tracks = tracks};
    size_t part = 0;

    if (w->n > 0)
        call_log_close_block(w);
    if (piece->n > 0)
        call_log_close_block(piece);
    j.all = arena_array(piece->arena, piece->n_tracks, sizeof(*j.all));
    w->failed = w->failed || piece->failed || j.all == NULL;
    for (size_t i = 0; i < piece->n_tracks && !w->failed; i++)
        if (piece->tracks[i].n_open > 0)
            begin_track(&j, i);
    take_calls(&j);
    for (uint64_t i = 0; i < piece->n_blocks && !w->failed; i++)
        put_block(&j, i, &part);
    for (size_t i = 0; i < piece->n_tracks && !w->failed; i++)
        if (piece->tracks[i].n_open > 0)
            end_track(&j, i);
    w->at += piece->at;
}
