#include "parser/reader.h"

#include <string.h>

#include "parser/format.h"

/* A record that straddles two pieces is completed with at most this many bytes of the next one, so that
 * little is copied. */
enum { CARRY_STEP_BYTES = 4096 };

const struct reader_limits READER_LIMITS_DEFAULT = {
    .methods = 4000000, .threads = 200000, .line_bytes = 1 << 20, .name_bytes = 4096};

bool reader_init(struct reader *r, struct arena *arena, const struct reader_limits *limits,
                 struct hash_seed seed)
{
    *r = (struct reader){.arena = arena, .limits = *limits};
    r->builder = builder_new(arena, seed);
    return r->builder != NULL;
}

static bool add_carry(struct reader *r, const uint8_t *p, size_t n)
{
    uint8_t *carry = arena_grow(r->arena, r->carry, &r->carry_capacity, r->carry_bytes + n, 1);

    if (carry == NULL)
        return builder_failed(r->builder, &r->diag);
    r->carry = carry;
    if (n > 0)
        memcpy(carry + r->carry_bytes, p, n);
    r->carry_bytes += n;
    return true;
}

/* ---- detection ---- */

static bool refuse(struct reader *r)
{
    return diag_set(&r->diag, DIAG_UNKNOWN, "unknown file format",
                    "Upload an Android method trace (Debug.startMethodTracing, am profile, Android Studio's "
                    "recorded Java "
                    "methods) or folded stacks.",
                    "The file is none of the formats that are read here.");
}

static bool detect(struct reader *r, bool final)
{
    for (size_t i = 0; i < FORMATS_COUNT + REFUSED_FORMATS_COUNT && r->format == NULL; i++) {
        const struct format *f = i < FORMATS_COUNT ? FORMATS[i] : REFUSED_FORMATS[i - FORMATS_COUNT];
        enum detection answer = f->detect(r->carry, r->carry_bytes, final);
        if (answer == DETECT_MORE && !final)
            return true;
        if (answer == DETECT_YES)
            r->format = f;
    }
    if (r->format == NULL)
        return refuse(r);
    r->state = arena_alloc(r->arena, r->format->state_bytes);
    if (r->state == NULL)
        return builder_failed(r->builder, &r->diag);
    return r->format->begin(r->state, r->builder, &r->limits, &r->diag);
}

/* ---- feeding ---- */

/* What the format leaves, it is offered again only when that is twice as much: it may look at all of it each
 * time, and the pieces may be single bytes. */
static bool feed_format(struct reader *r, const uint8_t *p, size_t n, bool final, size_t *consumed)
{
    bool ok = r->format->feed(r->state, p, n, r->offset, final, consumed);

    r->offset += *consumed;
    r->enough_bytes = 2 * (n - *consumed);
    return ok;
}

/* Completes the carried bytes with the beginning of the piece. */
static bool feed_carry(struct reader *r, const uint8_t **p, size_t *n)
{
    while (r->carry_bytes > 0) {
        size_t carried = r->carry_bytes, consumed;
        size_t step = carried > CARRY_STEP_BYTES ? carried : CARRY_STEP_BYTES;
        if (step > *n)
            step = *n;
        if (!add_carry(r, *p, step))
            return false;
        if (r->carry_bytes < r->enough_bytes) {
            *n = 0;
            return true;
        }
        if (!feed_format(r, r->carry, r->carry_bytes, false, &consumed))
            return false;
        if (consumed >= carried) {
            *p += consumed - carried;
            *n -= consumed - carried;
            r->carry_bytes = 0;
            return true;
        }
        memmove(r->carry, r->carry + consumed, r->carry_bytes - consumed);
        r->carry_bytes -= consumed;
        *p += step;
        *n -= step;
        if (*n == 0)
            return true;
    }
    return true;
}

static bool feed_piece(struct reader *r, const uint8_t *p, size_t n)
{
    size_t consumed;

    if (!feed_carry(r, &p, &n))
        return false;
    if (n == 0)
        return true;
    return feed_format(r, p, n, false, &consumed) && add_carry(r, p + consumed, n - consumed);
}

bool reader_feed(struct reader *r, const void *p, size_t n)
{
    const uint8_t *bytes = p;

    if (r->diag.kind != DIAG_NONE)
        return false;
    if (r->format == NULL && n > 0) {
        size_t step = DETECT_BYTES_MAX - r->carry_bytes;
        if (step > n)
            step = n;
        if (!add_carry(r, bytes, step) || !detect(r, false))
            return false;
        bytes += step;
        n -= step;
    }
    if (r->format == NULL)
        return true;
    return feed_piece(r, bytes, n);
}

const struct profile *reader_finish(struct reader *r)
{
    const struct profile *profile;
    size_t consumed;

    if (r->diag.kind == DIAG_NONE && r->format == NULL) {
        if (r->carry_bytes == 0)
            diag_set(&r->diag, DIAG_EMPTY, "empty file",
                     "Check that the recording was stopped before the file was pulled.",
                     "The file has no bytes.");
        else
            detect(r, true);
    }
    if (r->diag.kind != DIAG_NONE)
        return NULL;
    uint64_t file_bytes = r->offset + r->carry_bytes;
    if (!feed_format(r, r->carry, r->carry_bytes, true, &consumed) ||
        !r->format->finish(r->state, file_bytes))
        return NULL;
    profile = builder_finish(r->builder, str_of(r->format->name), str_of(r->format->label));
    if (profile == NULL)
        builder_failed(r->builder, &r->diag);
    return profile;
}
