/* Where the bytes of a file come from, and how formats pull them.
 *
 *     const uint8_t *p = source_need(s, 14, &n);     at least 14 bytes at p, or n < 14: these are the last ones
 *     source_consume(s, 14);
 *
 * A source has a window: bytes side by side that were read and not consumed. It is as large as somebody
 * needed at once, and so memory does not grow with the file. How the bytes arrive makes no difference to
 * who needs them.
 *
 * The parser makes no calls to the system and knows no threads. Who owns the bytes gives it a struct
 * source_input, whose functions may block: the reader is straight code on a thread that may wait. */
#pragma once

#include "core/arena.h"
#include "core/str.h"

struct source_input {
    /* Copies up to n > 0 bytes from place `at` on to `to`, and returns how many. Waits until there is at
     * least one, or none will ever come: 0 only at the end of the bytes, or behind it. -1: they cannot be
     * had; who gave this function knows why. */
    ptrdiff_t (*read_at)(void *context, uint64_t at, void *to, size_t n);
    /* Sets the length of the whole, and waits until it is known. False: as -1 above. NULL: a pipe or the
     * like. Each byte can be read once, in their order, and what needs the whole file is refused. */
    bool (*size)(void *context, uint64_t *bytes);
    /* The member of an archive that is meant, as it was asked for; "" or NULL: none is named. For inputs
     * of which it may be named behind their bytes, as in a form: it is called once at most, when read_at
     * has returned 0 or size has returned, and may wait. What it returns is copied. NULL: nobody names one
     * late. */
    const char *(*member)(void *context);
    void *context;
    /* The same bytes for other threads, which read at the same time (core/parallel.h): one input for each job but the
     * first. NULL: several threads may call read_at at once. */
    const struct source_input *beside;
};

/* As read_at, but fewer than n bytes only at the end of the input: what comes of them does not depend on
 * how they arrive. */
ptrdiff_t source_input_read(const struct source_input *in, uint64_t at, void *to, size_t n);

/* Fields are the source's own. */
struct source {
    const uint8_t *p; /* the window */
    size_t n;
    uint64_t offset; /* of p in the file */
    bool ended;      /* nothing comes behind the window */
    bool failed;     /* because it cannot be had: the arena's failure says more, or else who gave `pull` */
    bool keeps;      /* what is consumed stays in the room: source_keep */
    struct arena *arena;
    uint8_t *room; /* where the window is; NULL: in memory of somebody else, or nothing was needed */
    size_t capacity;
    /* The next bytes, as source_input.read_at. */
    ptrdiff_t (*pull)(void *context, void *to, size_t n);
    void *context;
    const struct source_input *input; /* of source_of_input */
    uint64_t at;                      /* what was read of it */
};

/* Bytes in memory, of an input, or of a function that gives the next ones. All must stay as long as the
 * source, whose address must not change. */
void source_of_memory(struct source *s, struct arena *arena, struct str bytes);
void source_of_input(struct source *s, struct arena *arena, const struct source_input *in);
void source_of_pull(struct source *s, struct arena *arena,
                    ptrdiff_t (*pull)(void *context, void *to, size_t n), void *context);
/* Gives the window's memory back. */
void source_free(struct source *s);

/* source_need, where the window has too few bytes. */
const uint8_t *source_fill(struct source *s, size_t n, size_t *available);

/* At least n bytes at the present place, or all that are left: *available, which may be more than n. The
 * bytes stay until the next need. SIZE_MAX: all. The last bytes are all that are left also when the source
 * has failed, or its arena's job was stopped: whoever made the source asks for that (source.failed). */
static inline const uint8_t *source_need(struct source *s, size_t n, size_t *available)
{
    if (s->n < n)
        return source_fill(s, n, available);
    *available = s->n;
    return s->p;
}

/* The first n of the bytes that source_need gave are done with. */
static inline void source_consume(struct source *s, size_t n)
{
    s->p += n;
    s->n -= n;
    s->offset += n;
}

/* The place of the next byte in the file. */
static inline uint64_t source_offset(const struct source *s)
{
    return s->offset;
}

/* Consumes n bytes, also more than memory has room for. Returns how many there were. */
uint64_t source_pass(struct source *s, uint64_t n);

/* Goes on at a later place of an input's file. What lies between is not read. */
void source_jump(struct source *s, uint64_t at);

/* At the first byte: the file will be gone through again. source_rewind goes back there. What can be read
 * twice is; else all bytes are kept in the arena. False: s->failed. */
bool source_keep(struct source *s) MUST_CHECK;
void source_rewind(struct source *s);
