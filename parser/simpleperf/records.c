#include "parser/simpleperf/records.h"

#include "core/cursor.h"

enum { LENGTH_BYTES = 4, PIECE_BYTES = 256 << 10 };

void records_begin(struct records *r, uint64_t at)
{
    r->at = at;
    r->end = RECORDS_WHOLE;
}

static bool stop(struct records *r, enum records_end end)
{
    r->end = end;
    return false;
}

/* Reads from r->at on until at least n bytes are there, of which the file has so many. */
static bool refill(struct records *r, size_t n)
{
    size_t want = n > PIECE_BYTES ? n : PIECE_BYTES;

    if (!ARENA_ROOM(r->arena, r->piece, r->capacity, want))
        return stop(r, RECORDS_NO_MEMORY);
    r->piece_at = r->at;
    for (r->piece_bytes = 0; r->piece_bytes < n;) {
        ptrdiff_t got = r->file->read_at(r->file->context, r->at + r->piece_bytes, r->piece + r->piece_bytes,
                                         want - r->piece_bytes);
        if (got <= 0)
            return stop(r, RECORDS_UNREADABLE);
        r->piece_bytes += (size_t)got;
    }
    return true;
}

/* Makes n bytes at r->at be in the piece. False: r->end. */
static bool need(struct records *r, uint64_t n)
{
    if (r->at > r->file->bytes || r->file->bytes - r->at < n)
        return stop(r, RECORDS_CUT);
    if (r->piece != NULL && r->at >= r->piece_at && r->at - r->piece_at <= r->piece_bytes &&
        r->piece_bytes - (r->at - r->piece_at) >= n)
        return true;
    return refill(r, (size_t)n);
}

static const uint8_t *here(const struct records *r)
{
    return r->piece + (r->at - r->piece_at);
}

bool records_next(struct records *r, struct str *message)
{
    if (!need(r, LENGTH_BYTES))
        return false;
    uint64_t length = cursor_le32(here(r));
    if (length == 0 || !need(r, LENGTH_BYTES + length))
        return false;
    *message = (struct str){(const char *)here(r) + LENGTH_BYTES, (size_t)length};
    r->record = r->at;
    r->at += LENGTH_BYTES + length;
    return true;
}
