#include "parser/source.h"

#include <string.h>

enum { PIECE_BYTES = 128 << 10 };

/* Where a window of no bytes is. */
static const uint8_t NOTHING[1];

ptrdiff_t source_input_read(const struct source_input *in, uint64_t at, void *to, size_t n)
{
    size_t there = 0;

    while (there < n) {
        ptrdiff_t got = in->read_at(in->context, at + there, (uint8_t *)to + there, n - there);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        there += (size_t)got;
    }
    return (ptrdiff_t)there;
}

static ptrdiff_t pull_input(void *context, void *to, size_t n)
{
    struct source *s = context;
    ptrdiff_t got = s->input->read_at(s->input->context, s->at, to, n);

    if (got > 0)
        s->at += (uint64_t)got;
    return got;
}

void source_of_memory(struct source *s, struct arena *arena, struct str bytes)
{
    *s = (struct source){
        .p = bytes.n > 0 ? (const uint8_t *)bytes.p : NOTHING, .n = bytes.n, .ended = true, .arena = arena};
}

void source_of_pull(struct source *s, struct arena *arena,
                    ptrdiff_t (*pull)(void *context, void *to, size_t n), void *context)
{
    *s = (struct source){.p = NOTHING, .arena = arena, .pull = pull, .context = context};
}

void source_of_input(struct source *s, struct arena *arena, const struct source_input *in)
{
    source_of_pull(s, arena, pull_input, s);
    s->input = in;
}

void source_free(struct source *s)
{
    if (s->arena != NULL)
        arena_release(s->arena, s->room, s->capacity, 1);
    s->room = NULL;
    s->p = NOTHING;
    s->n = s->capacity = 0;
    s->ended = true;
}

/* ---- the window ---- */

static void fail(struct source *s)
{
    s->failed = s->ended = true;
}

/* Bytes in front of the window that are kept. */
static size_t kept_bytes(const struct source *s)
{
    return s->keeps && s->room != NULL ? (size_t)(s->p - s->room) : 0;
}

/* Makes room for at least one more byte behind the window. It grows with what has come, and not with what
 * is asked for: a length in a file may say anything. */
static bool make_room(struct source *s)
{
    size_t kept = kept_bytes(s), used = kept + s->n;

    if (s->room != NULL && kept == 0 && s->n > 0 && s->p != s->room)
        memmove(s->room, s->p, s->n);
    if (used == s->capacity && !ARENA_ROOM(s->arena, s->room, s->capacity, used + PIECE_BYTES))
        return false;
    s->p = s->room + kept;
    return true;
}

const uint8_t *source_fill(struct source *s, size_t n, size_t *available)
{
    while (s->n < n && !s->ended) {
        if (arena_stopped(s->arena) || !make_room(s)) {
            fail(s);
            break;
        }
        size_t used = (size_t)(s->p - s->room) + s->n;
        ptrdiff_t got = s->pull(s->context, s->room + used, s->capacity - used);
        if (got < 0)
            fail(s);
        else if (got == 0)
            s->ended = true;
        else
            s->n += (size_t)got;
    }
    *available = s->n;
    return s->p;
}

uint64_t source_pass(struct source *s, uint64_t n)
{
    uint64_t left = n;
    size_t there;

    while (left > 0 && (source_need(s, 1, &there), there > 0)) {
        if (there > left)
            there = (size_t)left;
        source_consume(s, there);
        left -= there;
    }
    return n - left;
}

void source_jump(struct source *s, uint64_t at)
{
    if (at - s->offset <= s->n) {
        source_consume(s, (size_t)(at - s->offset));
        return;
    }
    s->n = 0;
    s->at = s->offset = at;
}

/* ---- twice ---- */

bool source_keep(struct source *s)
{
    uint64_t bytes;
    bool in_memory = s->pull == NULL, again = s->input != NULL && s->input->size != NULL;

    if (again && !in_memory && !s->input->size(s->input->context, &bytes))
        fail(s);
    s->keeps = !in_memory && !again;
    return !s->failed;
}

void source_rewind(struct source *s)
{
    if (s->pull == NULL || s->keeps) {
        s->p -= s->offset;
        s->n += (size_t)s->offset;
    } else if (!s->failed) {
        s->n = 0;
        s->at = 0;
        s->ended = false;
    }
    s->offset = 0;
}
