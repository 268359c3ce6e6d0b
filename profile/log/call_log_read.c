/* Opens a log of calls and reads its blocks. Nothing that it says is used before it was looked at. */
#include <stdlib.h>

#include "profile/log/call_log.h"
#include "profile/log/call_log_record.h"

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

size_t call_log_footer_bytes(const struct call_log *log)
{
    uint64_t bytes;

    return footer_bytes(&log->trailer, &bytes) ? (size_t)bytes : 0;
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
    log->memory = malloc(bytes > 0 ? (size_t)bytes : 1);
    *memory_failed = log->memory == NULL;
    if (log->memory == NULL)
        return false;
    find_arrays(log);
    uint64_t blocks_end = size - sizeof(*t) - bytes;
    if (source->read_at(source->context, blocks_end, log->memory, (size_t)bytes) &&
        log_check(log->memory, (size_t)bytes) == t->footer_check && footer_is_good(log, blocks_end))
        return true;
    call_log_close(log);
    return false;
}

void call_log_close(struct call_log *log)
{
    free(log->memory);
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
