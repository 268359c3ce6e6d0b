#include "profile/log/call_log.h"

#include <stdlib.h>

#include "core/arena.h"
#include "core/buf.h"
#include "core/memory.h"
#include "profile/log/call_log_impl.h"
#include "profile/profile.h"

/* ---- logs in memory ---- */

enum { PIECE_BYTES = MEMORY_LARGE_BYTES };

static bool add_piece(struct log_memory *m)
{
    if (m->n == m->capacity) {
        size_t capacity = m->capacity < 16 ? 16 : 2 * m->capacity;
        uint8_t **pieces = realloc(m->pieces, capacity * sizeof(*pieces));
        if (pieces == NULL)
            return false;
        m->pieces = pieces;
        m->capacity = capacity;
    }
    m->pieces[m->n] = memory_resize(NULL, 0, PIECE_BYTES);
    return m->pieces[m->n] != NULL && ++m->n > 0;
}

static bool put_memory(void *context, const void *p, size_t n)
{
    struct log_memory *m = context;
    const uint8_t *from = p;

    if (m->limit > 0 && (m->bytes > m->limit || n > m->limit - m->bytes)) {
        m->full = true;
        return false;
    }
    while (n > 0) {
        size_t at = (size_t)(m->bytes % PIECE_BYTES), fits = n < PIECE_BYTES - at ? n : PIECE_BYTES - at;
        if (m->bytes / PIECE_BYTES == m->n && !add_piece(m))
            return false;
        memcpy(m->pieces[m->n - 1] + at, from, fits);
        from += fits;
        m->bytes += fits;
        n -= fits;
    }
    return true;
}

static bool read_at(void *context, uint64_t offset, void *to, size_t n)
{
    const struct log_memory *m = context;
    uint8_t *p = to;

    if (offset > m->bytes || n > m->bytes - offset)
        return false;
    while (n > 0) {
        size_t at = (size_t)(offset % PIECE_BYTES), fits = n < PIECE_BYTES - at ? n : PIECE_BYTES - at;
        memcpy(p, m->pieces[offset / PIECE_BYTES] + at, fits);
        p += fits;
        offset += fits;
        n -= fits;
    }
    return true;
}

static const uint8_t *in_memory(void *context, uint64_t offset, size_t n)
{
    const struct log_memory *m = context;
    uint64_t at = offset % PIECE_BYTES;

    return n <= PIECE_BYTES - at ? m->pieces[offset / PIECE_BYTES] + at : NULL;
}

struct call_log_sink log_memory_sink(struct log_memory *m)
{
    return (struct call_log_sink){put_memory, m};
}

struct call_log_source log_memory_source(struct log_memory *m)
{
    return (struct call_log_source){read_at, m, m->bytes, in_memory};
}

void log_memory_free(struct log_memory *m)
{
    for (size_t i = 0; i < m->n; i++)
        memory_free(m->pieces[i], PIECE_BYTES);
    free(m->pieces);
    *m = (struct log_memory){0};
}

/* ---- writing ---- */

/* `sink` NULL: of a piece. */
static struct call_log_writer *writer_new(struct arena *arena, const struct call_log_sink *sink,
                                          size_t block_bytes)
{
    struct call_log_writer *w = arena_alloc(arena, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->arena = arena;
    w->is_piece = sink == NULL;
    if (sink != NULL)
        w->sink = *sink;
    w->block_bytes = w->close_at = block_bytes;
    w->n_clocks = 1;
    w->current = UINT32_MAX;
    return w;
}

struct call_log_writer *call_log_writer_new(struct arena *arena, const struct call_log_sink *sink,
                                            size_t block_bytes)
{
    return writer_new(arena, sink, block_bytes);
}

struct call_log_writer *call_log_piece(const struct call_log_writer *of, struct arena *arena)
{
    return writer_new(arena, NULL, of->block_bytes);
}

void call_log_shape(struct call_log_writer *w, uint32_t n_clocks, uint32_t n_values)
{
    w->n_clocks = n_clocks;
    w->n_values = n_values;
}

bool call_log_failed(const struct call_log_writer *w)
{
    return w->failed;
}

/* ---- bytes ---- */

__attribute__((noinline)) bool call_log_grow(struct call_log_writer *w, size_t n)
{
    w->failed = w->failed || !ARENA_ROOM(w->arena, w->bytes, w->capacity, w->n + n);
    return !w->failed;
}

void call_log_put_varint(struct call_log_writer *w, uint64_t value)
{
    if (call_log_reserve(w, LOG_VARINT_MAX))
        w->n = (size_t)(call_log_varint(w->bytes + w->n, value) - w->bytes);
}

static void put(struct call_log_writer *w, const void *p, size_t n)
{
    w->failed = w->failed || (n > 0 && !w->sink.put(w->sink.context, p, n));
}

/* Writes how long the records of the current track are that end here. */
static void end_run(struct call_log_writer *w)
{
    uint32_t length = (uint32_t)(w->n - w->run);

    if (w->current != UINT32_MAX && !w->failed)
        memcpy(w->bytes + w->run - LOG_RUN_BYTES, &length, sizeof(length));
    w->current = UINT32_MAX;
}

static void begin_run(struct call_log_writer *w, uint32_t number)
{
    if (!call_log_reserve(w, LOG_RUN_BYTES))
        return;
    w->n += LOG_RUN_BYTES;
    w->run = w->n;
    w->current = number;
}

/* Whole huge pages, with what the arena keeps beside it. */
enum { KEPT_ROOM_BYTES = 2 * MEMORY_LARGE_BYTES - 4096 };

/* A copy of the block, in room for many, which is given back when they have been joined. */
static void keep_block(struct call_log_writer *w)
{
    struct kept_block kept = {0};

    w->failed = w->failed || !ARENA_ROOM(w->arena, w->kept, w->kept_capacity, w->n_kept + 1);
    if (!w->failed && w->room_left < w->n) {
        kept.room_bytes = w->n > KEPT_ROOM_BYTES ? w->n : KEPT_ROOM_BYTES;
        w->room_next = arena_lend(w->arena, kept.room_bytes, 1);
        w->room_left = kept.room_bytes;
        w->failed = w->room_next == NULL;
    }
    if (w->failed)
        return;
    kept.bytes = memcpy(w->room_next, w->bytes, w->n);
    w->kept[w->n_kept++] = kept;
    w->room_next += w->n;
    w->room_left -= w->n;
}

void call_log_put_block(struct call_log_writer *w)
{
    if (!ARENA_ROOM(w->arena, w->blocks, w->blocks_capacity, w->n_blocks + 1)) {
        w->failed = true;
        return;
    }
    w->blocks[w->n_blocks++] = (struct call_log_block){
        .offset = w->offset, .bytes = w->n, .check = w->is_piece ? 0 : log_check(w->bytes, w->n)};
    if (w->is_piece)
        keep_block(w);
    else
        put(w, w->bytes, w->n);
    w->offset += w->n;
    w->n = w->told = w->n_members = 0;
    w->close_at = w->block_bytes;
}

void call_log_close_block(struct call_log_writer *w)
{
    end_run(w);
    for (size_t i = 0; i < w->n_members; i++) {
        const struct written_track *t = &w->tracks[w->members[i]];
        w->parts[t->part].part.last_at = t->last[0];
    }
    call_log_put_block(w);
}

/* ---- tracks ---- */

static struct written_track *track_of(struct call_log_writer *w, uint32_t number)
{
    if (!ARENA_ROOM(w->arena, w->tracks, w->tracks_capacity, (size_t)number + 1)) {
        w->failed = true;
        return NULL;
    }
    for (; w->n_tracks <= number; w->n_tracks++)
        w->tracks[w->n_tracks] = (struct written_track){.block = 0};
    return &w->tracks[number];
}

bool call_log_push(struct call_log_writer *w, struct written_track *t, frame_id frame, const uint64_t *ticks)
{
    if (t->n_open == t->open_capacity && !ARENA_ROOM(w->arena, t->open, t->open_capacity, t->n_open + 1)) {
        w->failed = true;
        return false;
    }
    struct open_call *call = &t->open[t->n_open++];
    call->frame = frame;
    call->callees = 0;
    call->number = NO_CALL;
    call_log_clocks(w, call->begin, ticks);
    return true;
}

bool call_log_number(struct call_log_writer *w, struct open_call *call)
{
    if (call->number != NO_CALL)
        return true;
    if (!ARENA_ROOM(w->arena, w->calls, w->calls_capacity, w->n_calls + 1))
        return false;
    call->number = w->n_calls++;
    w->calls[call->number] = (struct call_log_call){.frame = call->frame};
    call_log_clocks(w, w->calls[call->number].begin, call->begin);
    w->told += sizeof(struct call_log_call);
    return true;
}

/* The stack is told from outside inwards: calls that were told before have smaller numbers than those within. */
static void put_stack(struct call_log_writer *w, struct written_track *t)
{
    uint64_t last = 0;

    call_log_put_varint(w, t->n_roots);
    call_log_put_varint(w, t->n_open - 1);
    for (size_t i = 1; i < t->n_open && !w->failed; i++) {
        w->failed = !call_log_number(w, &t->open[i]);
        call_log_put_varint(w, t->open[i].number - last);
        last = t->open[i].number;
    }
    for (uint32_t i = 0; i < w->n_clocks && call_log_reserve(w, sizeof(t->last[i]));
         i++, w->n += sizeof(t->last[i]))
        memcpy(w->bytes + w->n, &t->last[i], sizeof(t->last[i]));
}

/* The track comes into this block. */
static void join_block(struct call_log_writer *w, uint32_t number)
{
    struct written_track *t = &w->tracks[number];
    size_t before = w->n;

    if (!ARENA_ROOM(w->arena, w->members, w->members_capacity, w->n_members + 1) ||
        !ARENA_ROOM(w->arena, w->parts, w->parts_capacity, w->n_parts + 1) || !call_log_reserve(w, 1) ||
        w->n > UINT32_MAX / 2 || w->n_blocks >= UINT32_MAX) {
        w->failed = true;
        return;
    }
    w->parts[w->n_parts] = (struct written_part){{.block = (uint32_t)w->n_blocks,
                                                  .offset = (uint32_t)w->n,
                                                  .first_at = t->last[0],
                                                  .last_at = t->last[0]},
                                                 number};
    t->part = w->n_parts++;
    t->block = w->n_blocks + 1;
    t->place = (uint32_t)w->n_members;
    w->members[w->n_members++] = number;
    w->bytes[w->n++] = LOG_OPEN_TRACK;
    call_log_put_varint(w, number);
    put_stack(w, t);
    w->told += w->n - before;
    w->close_at = w->n + (w->told > w->block_bytes ? w->told : w->block_bytes);
}

/* Records from here on are of the track. */
static void turn_to(struct call_log_writer *w, uint32_t number)
{
    const struct written_track *t = &w->tracks[number];

    if (w->failed)
        return;
    end_run(w);
    if (w->n >= w->close_at)
        call_log_close_block(w);
    if (t->block != w->n_blocks + 1) {
        join_block(w, number);
    } else if (call_log_reserve(w, 1)) {
        w->bytes[w->n++] = LOG_SWITCH;
        call_log_put_varint(w, t->place);
    }
    begin_run(w, number);
}

/* ---- records ---- */

/* The clocks behind the second one: each of them stands still in most records. */
static uint8_t *put_other_clocks(const struct call_log_writer *w, struct written_track *t, uint8_t *to,
                                 const uint64_t *ticks)
{
    uint8_t *went = to++;

    *went = 0;
    for (uint32_t i = LOG_FIRST_CLOCKS; i < w->n_clocks; i++) {
        if (ticks[i] == t->last[i])
            continue;
        *went |= (uint8_t)(1 << (i - LOG_FIRST_CLOCKS));
        to = call_log_varint(to, ticks[i] - t->last[i]);
        t->last[i] = ticks[i];
    }
    return to;
}

/* The kind is a constant where this is inlined. NULL: the writer has failed. */
static inline __attribute__((always_inline)) struct written_track *put_record(struct call_log_writer *w,
                                                                              uint32_t number, unsigned kind,
                                                                              frame_id frame,
                                                                              const uint64_t *ticks)
{
    enum { ROOM = LOG_RECORD_BYTES_MAX + 8 }; /* 8 bytes are written at a time */

    if (w->current != number || w->n >= w->close_at)
        turn_to(w, number);
    if (!call_log_reserve(w, ROOM))
        return NULL;
    struct written_track *t = &w->tracks[number];
    uint8_t *control = w->bytes + w->n, *to = control + 1;
    unsigned code = kind;
    memcpy(to, &frame, sizeof(frame));
    to = call_log_put_clock(to + LOG_FRAME_BYTES[kind], ticks[0] - t->last[0], &code);
    to = call_log_put_second_clock(to, ticks[1] - t->last[1], &code);
    t->last[0] = ticks[0];
    t->last[1] = ticks[1];
    if (w->n_clocks > LOG_FIRST_CLOCKS)
        to = put_other_clocks(w, t, to, ticks);
    *control = (uint8_t)code;
    w->n = (size_t)(to - w->bytes);
    w->at++;
    return t;
}

void call_log_begin(struct call_log_writer *w, uint32_t track, uint32_t id, const uint64_t *ticks)
{
    struct written_track *t = w->failed ? NULL : track_of(w, track);

    if (t == NULL || !call_log_push(w, t, FRAME_NONE, ticks))
        return;
    t->footer.id = id;
    for (uint32_t i = 0; i < w->n_clocks; i++)
        t->last[i] = t->footer.begin[i] = ticks[i];
}

void call_log_enter(struct call_log_writer *w, uint32_t track, frame_id frame, const uint64_t *ticks)
{
    unsigned kind = frame < 1 << 8 ? LOG_ENTER_1 : frame < 1 << 16 ? LOG_ENTER_2 : LOG_ENTER_4;
    struct written_track *t = put_record(w, track, kind, frame, ticks);

    if (t != NULL && !call_log_push(w, t, frame, ticks))
        return;
}

static void fill_call(const struct call_log_writer *w, struct call_log_call *to, const struct open_call *call,
                      const uint64_t *ticks, uint32_t flags)
{
    to->callees = call->callees;
    to->flags = flags;
    to->at = w->at;
    call_log_clocks(w, to->end, ticks);
}

void call_log_leave(struct call_log_writer *w, uint32_t track, const uint64_t *ticks)
{
    struct written_track *t = put_record(w, track, LOG_LEAVE, 0, ticks);

    if (t == NULL)
        return;
    const struct open_call *call = &t->open[--t->n_open];
    t->open[t->n_open - 1].callees += ticks[0] - call->begin[0];
    if (call->number != NO_CALL)
        fill_call(w, &w->calls[call->number], call, ticks, 0);
}

/* For a reader the call was open from the beginning: this leaves it. */
void call_log_re_root(struct call_log_writer *w, uint32_t track, frame_id frame, const uint64_t *ticks)
{
    struct written_track *t = put_record(w, track, LOG_LEAVE, 0, ticks);

    if (t == NULL)
        return;
    if (!ARENA_ROOM(w->arena, t->roots, t->roots_capacity, t->n_roots + 1)) {
        w->failed = true;
        return;
    }
    struct call_log_call *root = &t->roots[t->n_roots++];
    *root = (struct call_log_call){.frame = frame};
    memcpy(root->begin, t->footer.begin, sizeof(root->begin));
    fill_call(w, root, &t->open[0], ticks, 0);
    t->open[0].callees = ticks[0] - t->open[0].begin[0];
}

void call_log_stay(struct call_log_writer *w, uint32_t track, const uint64_t *ticks)
{
    put_record(w, track, LOG_STAY, 0, ticks);
}

void call_log_sample(struct call_log_writer *w, uint32_t track, const uint64_t *values, const uint64_t *ticks)
{
    const struct written_track *t = put_record(w, track, LOG_SAMPLE, 0, ticks);

    for (uint32_t i = 0; t != NULL && i < w->n_values; i++)
        call_log_put_varint(w, values[i]);
}

/* ---- the footer ---- */

/* What is never left lasts up to the track's last record. */
static void end_track(struct call_log_writer *w, struct written_track *t)
{
    struct call_log_track *f = &t->footer;

    f->n_open = t->n_open - 1;
    f->n_roots = t->n_roots;
    memcpy(f->end, t->last, sizeof(f->end));
    for (size_t i = t->n_open; i-- > 1;) {
        const struct open_call *call = &t->open[i];
        t->open[i - 1].callees += t->last[0] - call->begin[0];
        if (call->number != NO_CALL)
            fill_call(w, &w->calls[call->number], call, t->last,
                      CALL_LOG_OPEN | (i + 1 == t->n_open ? CALL_LOG_INNERMOST : 0));
    }
    f->uncalled = t->last[0] - t->open[0].begin[0] - t->open[0].callees;
}

/* The footer's numbers of tracks, which the blocks have, are the builder's. */
static void put_tracks(struct call_log_writer *w, struct call_log_trailer *trailer, struct buf *footer)
{
    for (size_t i = 0; i < w->n_tracks; i++) {
        struct written_track *t = &w->tracks[i];
        if (t->n_open > 0)
            end_track(w, t);
        t->footer.first_part = trailer->n_parts;
        t->footer.first_root = trailer->n_roots;
        trailer->n_parts += t->footer.n_parts;
        trailer->n_roots += t->footer.n_roots;
        buf_bytes(footer, &t->footer, sizeof(t->footer));
    }
}

/* Parts are in the order of blocks; they are wanted by track, and by block within it. */
static bool put_parts(struct call_log_writer *w, struct buf *footer)
{
    struct call_log_part *sorted = arena_array(w->arena, w->n_parts, sizeof(*sorted));
    uint64_t *next = arena_array(w->arena, w->n_tracks, sizeof(*next));

    if (sorted == NULL || next == NULL)
        return false;
    for (size_t i = 0; i < w->n_tracks; i++)
        next[i] = w->tracks[i].footer.first_part;
    for (size_t i = 0; i < w->n_parts; i++)
        sorted[next[w->parts[i].track]++] = w->parts[i].part;
    buf_bytes(footer, sorted, w->n_parts * sizeof(*sorted));
    return true;
}

/* A part of the footer: see log_check_footer. */
static void put_checked(struct call_log_writer *w, struct call_log_trailer *trailer, const void *p, size_t n)
{
    trailer->footer_check = log_check_on(trailer->footer_check, p, n);
    put(w, p, n);
}

static bool put_footer(struct call_log_writer *w, struct call_log_trailer *trailer, struct buf *small)
{
    for (size_t i = 0; i < w->n_parts; i++)
        w->tracks[w->parts[i].track].footer.n_parts++;
    put_tracks(w, trailer, small);
    if (!put_parts(w, small))
        return false;
    for (size_t i = 0; i < w->n_tracks; i++)
        buf_bytes(small, w->tracks[i].roots, w->tracks[i].n_roots * sizeof(*w->tracks[i].roots));
    if (small->failed)
        return false;
    put_checked(w, trailer, small->p, small->n);
    put_checked(w, trailer, w->calls, w->n_calls * sizeof(*w->calls));
    put_checked(w, trailer, w->blocks, w->n_blocks * sizeof(*w->blocks));
    return !w->failed;
}

bool call_log_finish(struct call_log_writer *w, uint32_t n_frames)
{
    struct call_log_trailer trailer = {.n_tracks = w->n_tracks,
                                       .n_calls = w->n_calls,
                                       .n_clocks = w->n_clocks,
                                       .n_values = w->n_values,
                                       .n_frames = n_frames,
                                       .magic = CALL_LOG_MAGIC};
    struct buf small = {0};

    if (!w->failed && w->n > 0)
        call_log_close_block(w);
    trailer.n_blocks = w->n_blocks;
    w->failed = w->failed || !put_footer(w, &trailer, &small);
    trailer.check = log_check(&trailer, offsetof(struct call_log_trailer, check));
    put(w, &trailer, sizeof(trailer));
    buf_free(&small);
    return !w->failed;
}

/* ---- reading ---- */

/* One block, behind which CALL_LOG_PADDING more bytes can be read, of any value. It is where it lies in
 * memory, or in `room`, which has call_log_room bytes. NULL: it cannot be read, or is damaged. */
enum { CALL_LOG_PADDING = 32 };

/* Opens a log of calls and reads its blocks. Nothing that it says is used before it was looked at. */

/* The bytes of the footer; false: more than there can be. */
static bool footer_bytes(const struct call_log_trailer *t, uint64_t *bytes)
{
    const struct {
        uint64_t n, size;
    } arrays[] = {{t->n_tracks, sizeof(struct call_log_track)},
                  {t->n_parts, sizeof(struct call_log_part)},
                  {t->n_roots, sizeof(struct call_log_call)},
                  {t->n_calls, sizeof(struct call_log_call)},
                  {t->n_blocks, sizeof(struct call_log_block)}};

    *bytes = 0;
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        uint64_t product;
        if (__builtin_mul_overflow(arrays[i].n, arrays[i].size, &product) ||
            __builtin_add_overflow(*bytes, product, bytes))
            return false;
    }
    return true;
}

/* Whether [first, first + n) lies within `all`. */
static bool within(uint64_t first, uint64_t n, uint64_t all)
{
    return first <= all && n <= all - first;
}

static bool parts_are_good(const struct call_log *log, const struct call_log_track *t)
{
    const struct call_log_part *parts = log->parts + t->first_part;

    for (uint64_t i = 0; i < t->n_parts; i++) {
        if (parts[i].block >= log->trailer.n_blocks || parts[i].offset >= log->blocks[parts[i].block].bytes ||
            parts[i].last_at < parts[i].first_at)
            return false;
        if (i > 0 && (parts[i].block <= parts[i - 1].block || parts[i].first_at != parts[i - 1].last_at))
            return false;
    }
    return true;
}

static bool calls_are_good(const struct call_log_call *calls, uint64_t n, uint32_t n_frames)
{
    for (uint64_t i = 0; i < n; i++)
        for (unsigned k = 0; k < PROFILE_CLOCKS_MAX; k++)
            if (calls[i].frame >= n_frames || calls[i].end[k] < calls[i].begin[k])
                return false;
    return true;
}

static bool footer_is_good(const struct call_log *log, uint64_t blocks_end)
{
    const struct call_log_trailer *t = &log->trailer;
    uint64_t at = 0;

    if (t->n_clocks == 0 || t->n_clocks > PROFILE_CLOCKS_MAX || t->n_values > PROFILE_VALUES_MAX ||
        t->n_tracks >= UINT32_MAX)
        return false;
    for (uint64_t i = 0; i < t->n_blocks; at += log->blocks[i++].bytes)
        if (log->blocks[i].offset != at || !within(at, log->blocks[i].bytes, blocks_end))
            return false;
    if (at != blocks_end || !calls_are_good(log->roots, t->n_roots, t->n_frames) ||
        !calls_are_good(log->calls, t->n_calls, t->n_frames))
        return false;
    for (uint64_t i = 0; i < t->n_tracks; i++) {
        const struct call_log_track *track = &log->tracks[i];
        if (!within(track->first_part, track->n_parts, t->n_parts) ||
            !within(track->first_root, track->n_roots, t->n_roots) || !parts_are_good(log, track))
            return false;
    }
    return true;
}

static uint64_t check_footer(const struct call_log *log)
{
    const struct call_log_trailer *t = &log->trailer;

    return log_check_footer(log->memory, (size_t)((const char *)log->calls - (const char *)log->memory),
                            (size_t)t->n_calls * sizeof(*log->calls),
                            (size_t)t->n_blocks * sizeof(*log->blocks));
}

/* The arrays stand one behind the other; each has structs of whole 8 bytes. */
static void find_arrays(struct call_log *log)
{
    const struct call_log_trailer *t = &log->trailer;
    char *p = log->memory;

    log->tracks = (const struct call_log_track *)(void *)p;
    p += t->n_tracks * sizeof(*log->tracks);
    log->parts = (const struct call_log_part *)(void *)p;
    p += t->n_parts * sizeof(*log->parts);
    log->roots = (const struct call_log_call *)(void *)p;
    p += t->n_roots * sizeof(*log->roots);
    log->calls = (const struct call_log_call *)(void *)p;
    p += t->n_calls * sizeof(*log->calls);
    log->blocks = (const struct call_log_block *)(void *)p;
}

bool call_log_open(struct call_log *log, const struct call_log_source *source, bool *memory_failed)
{
    struct call_log_trailer *t = &log->trailer;
    uint64_t bytes, size = source->size;

    *log = (struct call_log){.source = *source};
    *memory_failed = false;
    if (size < sizeof(*t) || !source->read_at(source->context, size - sizeof(*t), t, sizeof(*t)) ||
        t->magic != CALL_LOG_MAGIC || t->check != log_check(t, offsetof(struct call_log_trailer, check)) ||
        !footer_bytes(t, &bytes) || bytes > size - sizeof(*t))
        return false;
    log->memory_bytes = bytes > 0 ? (size_t)bytes : 1;
    log->memory = memory_resize(NULL, 0, log->memory_bytes);
    *memory_failed = log->memory == NULL;
    if (log->memory == NULL)
        return false;
    find_arrays(log);
    uint64_t blocks_end = size - sizeof(*t) - bytes;
    if (source->read_at(source->context, blocks_end, log->memory, (size_t)bytes) &&
        check_footer(log) == t->footer_check && footer_is_good(log, blocks_end))
        return true;
    call_log_close(log);
    return false;
}

void call_log_close(struct call_log *log)
{
    memory_free(log->memory, log->memory_bytes);
    log->memory = NULL;
}

size_t call_log_room(const struct call_log *log)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < log->trailer.n_blocks; i++)
        most = log->blocks[i].bytes > most ? log->blocks[i].bytes : most;
    return (size_t)most + CALL_LOG_PADDING;
}

const uint8_t *call_log_block(const struct call_log *log, uint64_t block, uint8_t *room)
{
    const struct call_log_source *source = &log->source;
    const struct call_log_block *b = &log->blocks[block];
    const uint8_t *there = source->in_memory == NULL ? NULL
                                                     : source->in_memory(source->context, b->offset,
                                                                         (size_t)b->bytes + CALL_LOG_PADDING);

    if (there != NULL)
        return there;
    if (!source->read_at(source->context, b->offset, room, (size_t)b->bytes))
        return NULL;
    memset(room + b->bytes, 0, CALL_LOG_PADDING);
    return log_check(room, (size_t)b->bytes) == b->check ? room : NULL;
}
