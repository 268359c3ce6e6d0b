/* A growing byte buffer for output, with a sticky error: after a failed append the buffer takes nothing more,
 * and one check at the end suffices. Numbers are written by number.h. */
#pragma once

#include "core/str.h"
#include "core/unit.h"

struct buf {
    char *p;
    size_t n, capacity;
    size_t limit; /* bytes; 0 = none */
    bool failed;
    bool full; /* It has failed at its limit, not for want of memory. */

    /* Takes the bytes of a long text while it is written; its writer may only append. NULL: nobody does. False: the
     * buffer has failed. What is in the buffer at the end is the caller's. */
    bool (*drain)(void *context, struct str bytes);
    void *drain_context;
};

/* `drain` is called when the buffer has reached this size. */
enum { BUF_DRAIN_BYTES = 256 << 10 };

/* The buffer owns its memory until buf_free. A zeroed struct is an empty buffer without limit. */
void buf_init(struct buf *b, size_t limit);
void buf_free(struct buf *b);
/* Empties the buffer and clears the error; keeps the memory. */
void buf_clear(struct buf *b);

/* The room that was left for growing goes back, if the system can; for what lives long. */
void buf_fit(struct buf *b);

/* The end of a part that was made to be put into b: frees its memory, and b has failed if the part has. */
void buf_part_end(struct buf *b, struct buf *part);

/* The part of buf_reserve that asks for memory. */
bool buf_grow(struct buf *b, size_t extra);

/* Room for `extra` more bytes at b->p + b->n, for writers that fill it themselves. False on failure. */
static inline bool buf_reserve(struct buf *b, size_t extra)
{
    return (!b->failed && b->capacity - b->n >= extra) || buf_grow(b, extra);
}

void buf_bytes(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_z(struct buf *b, const char *terminated);
void buf_char(struct buf *b, char c);
void buf_u64(struct buf *b, uint64_t value);
/* Within a sentence: "Unreleased size" without its capital, but "CPU time" with it. */
void buf_label(struct buf *b, struct str label);
/* 12345678 -> 12,345,678 */
void buf_u64_grouped(struct buf *b, uint64_t value);
/* value / 10^decimals, at most 9 decimals, zeros at the end dropped: (1250, 2) -> 12.5 */
void buf_fixed(struct buf *b, uint64_t value, unsigned decimals);
/* For people, by number_value. */
void buf_value(struct buf *b, enum unit unit, uint64_t value, unsigned digits);
void buf_hex(struct buf *b, uint64_t value);
void buf_hex_bytes(struct buf *b, const uint8_t *p, size_t n);
/* As it stands in a URL, as the value of a key: all but letters, digits and -._~ as %XX. */
void buf_percent(struct buf *b, struct str s);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline struct str buf_view(const struct buf *b)
{
    return (struct str){b->p, b->n};
}
