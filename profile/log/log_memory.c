#include "profile/log/log_memory.h"

#include <stdlib.h>

enum { PIECE_BYTES = 1 << 20 };

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
    m->pieces[m->n] = malloc(PIECE_BYTES);
    return m->pieces[m->n] != NULL && ++m->n > 0;
}

static bool put(void *context, const void *p, size_t n)
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
    return (struct call_log_sink){put, m};
}

struct call_log_source log_memory_source(struct log_memory *m)
{
    return (struct call_log_source){read_at, m, m->bytes, in_memory};
}

void log_memory_free(struct log_memory *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->pieces[i]);
    free(m->pieces);
    *m = (struct log_memory){0};
}
