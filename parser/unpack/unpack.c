#include "parser/unpack/unpack.h"

#include <string.h>

#include "parser/unpack/unpack_impl.h"

extern const struct packer PACKER_GZIP;
extern const struct packer PACKER_ZSTD;
extern const struct packer PACKER_ZIP;
extern const struct packer PACKER_TAR;

/* THE TABLE of packers. */
static const struct packer *const PACKERS[] = {&PACKER_GZIP, &PACKER_ZSTD, &PACKER_ZIP, &PACKER_TAR};

enum { PULL_BYTES = 2 << 10 };

enum { PACKERS_COUNT = sizeof(PACKERS) / sizeof(*PACKERS) };

/* ---- which one ---- */

/* Whether the magic stands in the n bytes, at its place; *more: as far as they go. */
static bool has_magic(const uint8_t *p, size_t n, size_t at, struct str magic, bool *more)
{
    size_t there = n > at ? n - at : 0;

    if (magic.n == 0 || (there > 0 && memcmp(p + at, magic.p, there < magic.n ? there : magic.n) != 0))
        return false;
    if (there >= magic.n)
        return true;
    *more = true;
    return false;
}

static bool begins(const struct packer *packer, const uint8_t *p, size_t n, bool *more)
{
    for (size_t m = 0; m < UNPACK_MAGICS_MAX; m++)
        if (has_magic(p, n, packer->magic_at, packer->magics[m], more))
            return true;
    return false;
}

const struct packer *unpack_detect(const void *p, size_t n, bool *more)
{
    *more = n == 0;
    for (size_t i = 0; i < PACKERS_COUNT && n > 0; i++)
        if (begins(PACKERS[i], p, n, more))
            return PACKERS[i];
    return NULL;
}

const struct packer *unpack_by_coding(struct str coding)
{
    for (size_t i = 0; i < PACKERS_COUNT; i++)
        for (size_t c = 0; c < 2; c++)
            if (PACKERS[i]->codings[c].n > 0 && str_eq_nocase(coding, PACKERS[i]->codings[c]))
                return PACKERS[i];
    return NULL;
}

const char *unpack_name(const struct packer *packer)
{
    return packer->name;
}

const char *unpack_noun(const struct packer *packer)
{
    return packer->noun;
}

const struct packer *unpack_archive_in(const struct packer *stream, const void *p, size_t n)
{
    bool more;

    return stream->tar != NULL && unpack_detect(p, n, &more) == &PACKER_TAR ? stream->tar : NULL;
}

bool unpack_is_archive(const struct packer *packer)
{
    return packer->open != NULL;
}

/* ---- life ---- */

void unpack_no_memory(struct unpack *u)
{
    u->stopped = true;
    if (u->arena->failure == ARENA_STOPPED) {
        stop_say(u->arena->stop, u->diag);
        return;
    }
    if (u->arena->failure != ARENA_LIMIT) {
        diag_set(u->diag, DIAG_NO_MEMORY, "out of memory", "Try again later, or on a larger machine.",
                 "The machine has no memory left to unpack the %s.", u->packer->noun);
        return;
    }
    diag_set(u->diag, DIAG_LIMIT, "too large to unpack", "Send the file unpacked.",
             "Unpacking the %s needs more than the limit of %zu bytes of memory.", u->packer->noun,
             u->arena->limit_bytes);
    u->diag->topic = DIAG_ABOUT_MEMORY;
}

struct unpack *unpack_new(const struct packer *packer, struct arena *arena,
                          const struct unpack_options *options, struct diag *diag)
{
    struct unpack *u = arena_alloc(arena, sizeof(*u));
    struct unpack failing = {.packer = packer, .arena = arena, .diag = diag};

    if (options->member.p != NULL && packer->open == NULL) {
        diag_set(diag, DIAG_USAGE, "no archive", "Leave the member out.",
                 "A member is named, but a %s has no members.", packer->noun);
        return NULL;
    }
    if (u != NULL) {
        *u = failing;
        u->options = *options;
        u->state = arena_alloc(arena, packer->state_bytes);
        u->block = arena_alloc(arena, UNPACK_BLOCK_BYTES);
        u->between = true;
        if (u->state != NULL && u->block != NULL)
            return packer->begin == NULL || packer->begin(u) ? u : NULL;
    }
    unpack_no_memory(&failing);
    return NULL;
}

void unpack_free(struct unpack *u)
{
    if (u != NULL && u->packer->free != NULL)
        u->packer->free(u);
}

/* ---- streams ---- */

static size_t magic_bytes(const struct unpack *u)
{
    return u->packer->magics[0].n;
}

/* How many bytes are needed at once for the next step. */
static size_t needed(const struct unpack *u)
{
    return u->between ? magic_bytes(u) : u->packer->want(u);
}

static void drop_head(struct unpack *u, size_t n)
{
    u->head_bytes -= n;
    memmove(u->head, u->head + n, u->head_bytes);
}

static size_t zeros_in(const uint8_t *p, size_t n)
{
    size_t zeros = 0;

    while (zeros < n && p[zeros] == 0)
        zeros++;
    return zeros;
}

/* Bytes of no meaning between two streams, first in the head and then in what comes behind it. */
static void skip_zeros(struct unpack *u, const uint8_t **p, size_t *n)
{
    if (!u->between || !u->some || !u->packer->zeros_behind)
        return;
    size_t zeros = zeros_in(u->head, u->head_bytes);
    if (zeros > 0)
        drop_head(u, zeros);
    u->at += zeros;
    if (u->head_bytes > 0 || *n == 0)
        return;
    zeros = zeros_in(*p, *n);
    u->at += zeros;
    *p += zeros;
    *n -= zeros;
}

/* What is not the stream's: at its very beginning it is damaged, behind a whole one something else follows. */
static void no_stream(struct unpack *u)
{
    u->stopped = true;
    if (u->some)
        u->trails = true;
    else
        unpack_damage(u, UNPACK_DAMAGED, u->at);
}

/* One step with these n bytes: looks whether they begin a stream, or decodes some. Returns how many are done with. */
static size_t step(struct unpack *u, const uint8_t *p, size_t n)
{
    uint64_t from = u->at;
    bool more;

    if (!u->between)
        u->packer->decode(u, p, n);
    else if (begins(u->packer, p, n, &more))
        u->between = false;
    else
        no_stream(u);
    return (size_t)(u->at - from);
}

/* Moves bytes into the head until `need` stand there. False: there are not so many, or no memory. */
static bool gather(struct unpack *u, const uint8_t **p, size_t *n, size_t need)
{
    size_t part = need > u->head_bytes ? need - u->head_bytes : 0;

    if (part > *n)
        part = *n;
    if (part == 0 || *p == NULL)
        return u->head_bytes >= need;
    if (!ARENA_ROOM(u->arena, u->head, u->head_capacity, u->head_bytes + part)) {
        unpack_no_memory(u);
        return false;
    }
    memcpy(u->head + u->head_bytes, *p, part);
    u->head_bytes += part;
    *p += part;
    *n -= part;
    return u->head_bytes >= need;
}

/* Takes one step, with bytes from the head or without a copy. False: it takes more bytes than there are. A step has always
 * as many bytes as the packer said, so that the library is called in the same way however the input was cut. */
static bool step_on(struct unpack *u, const uint8_t **p, size_t *n)
{
    skip_zeros(u, p, n);
    size_t need = needed(u), taken;
    if (u->head_bytes == 0 && *n >= need) {
        taken = step(u, *p, need);
        *p += taken;
        *n -= taken;
        return true;
    }
    if (!gather(u, p, n, need))
        return false;
    taken = step(u, u->head, need);
    drop_head(u, taken);
    return true;
}

bool unpack_feed(struct unpack *u, const void *p, size_t n)
{
    const uint8_t *bytes = p;

    u->report.packed_bytes += n;
    while (!u->stopped && step_on(u, &bytes, &n))
        ;
    return u->diag->kind == DIAG_NONE && !u->sink_closed;
}

bool unpack_hand_out(struct unpack *u)
{
    if (u->block_bytes > 0 && !u->sink_closed)
        u->sink_closed = !u->options.sink(u->options.context, u->block, u->block_bytes);
    u->block_bytes = 0;
    return !u->sink_closed;
}

/* There are no more bytes than those in the head. What is left of them behind the last step tells whether the file is whole,
 * was cut, or has something else behind its last stream. */
static void end(struct unpack *u)
{
    const uint8_t *none = NULL;
    size_t n = 0;
    bool more = false;

    while (!u->stopped && step_on(u, &none, &n))
        ;
    /* The packer asked for more bytes than there are: the last ones are given to it as they are. They may end a stream,
     * behind which others may stand in the head. */
    while (!u->stopped && !u->between && u->head_bytes > 0) {
        drop_head(u, step(u, u->head, u->head_bytes));
        while (!u->stopped && step_on(u, &none, &n))
            ;
    }
    if (u->stopped)
        return;
    if (u->between && u->head_bytes > 0 && !begins(u->packer, u->head, u->head_bytes, &more) && !more)
        no_stream(u);
    else if (!u->between || u->head_bytes > 0 || !u->some)
        unpack_damage(u, UNPACK_CUT, u->report.packed_bytes);
}

static bool succeeded(struct unpack *u)
{
    return unpack_hand_out(u) && u->diag->kind == DIAG_NONE;
}

bool unpack_finish(struct unpack *u)
{
    end(u);
    return succeeded(u);
}

/* ---- pulled ---- */

/* The sink of a stream that is pulled. */
static bool keep_pending(void *context, const uint8_t *p, size_t n)
{
    struct unpack *u = context;

    if (!ARENA_ROOM(u->arena, u->pending, u->pending_capacity, u->pending_bytes + n)) {
        unpack_no_memory(u);
        return false;
    }
    memcpy(u->pending + u->pending_bytes, p, n);
    u->pending_bytes += n;
    return true;
}

void unpack_from(struct unpack *u, struct source *in)
{
    u->in = in;
    u->options.sink = keep_pending;
    u->options.context = u;
    u->options.step_bytes = PULL_BYTES;
}

bool unpack_open(struct unpack *u, const struct source_input *file, uint64_t bytes)
{
    u->file = file;
    u->file_bytes = bytes;
    return u->packer->open(u);
}

/* Little at a time: a thousand times as much may come out of it. And always as much, however the input arrives, so that how far
 * it was looked at when somebody wants no more does not depend on that. */
static bool unpack_more(struct unpack *u)
{
    size_t n;
    const uint8_t *p = source_need(u->in, PULL_BYTES, &n);

    if (n > PULL_BYTES)
        n = PULL_BYTES;
    u->pending_bytes = u->pending_at = 0;
    u->pulled_all = n == 0;
    if (u->pulled_all)
        return unpack_finish(u);
    bool ok = unpack_feed(u, p, n);
    source_consume(u->in, n);
    return ok;
}

ptrdiff_t unpack_pull(void *unpack, void *to, size_t n)
{
    struct unpack *u = unpack;

    if (u->file != NULL)
        return u->packer->pull(u, to, n);
    while (u->pending_at == u->pending_bytes && !u->pulled_all)
        if (!unpack_more(u))
            return -1;
    if (n > u->pending_bytes - u->pending_at)
        n = u->pending_bytes - u->pending_at;
    if (n > 0)
        memcpy(to, u->pending + u->pending_at, n);
    u->pending_at += n;
    return (ptrdiff_t)n;
}

void unpack_report(const struct unpack *u, struct unpack_report *report)
{
    *report = u->report;
    report->packer = u->packer;
    report->trailing_bytes = u->trails ? u->report.packed_bytes - u->at : 0;
}

/* ---- for the packers ---- */

void unpack_stream_ends(struct unpack *u)
{
    u->between = true;
    u->some = true;
}

size_t unpack_room(struct unpack *u, uint8_t **out)
{
    *out = u->block + u->block_bytes;
    return UNPACK_BLOCK_BYTES - u->block_bytes;
}

static bool too_much(struct unpack *u, enum diag_topic topic, const char *of_what, uint64_t limit)
{
    u->stopped = true;
    diag_set(u->diag, DIAG_LIMIT, "unpacks to too much", "Record a shorter trace, or send it unpacked.",
             "The %s unpacks to more than the limit of %llu bytes%s.", u->packer->noun,
             (unsigned long long)limit, of_what);
    u->diag->topic = topic;
    return false;
}

bool unpack_pass_over(struct unpack *u, size_t n)
{
    const struct unpack_limits *limits = &u->options.limits;

    if (arena_stopped(u->arena)) {
        unpack_no_memory(u);
        return false;
    }
    u->out_bytes += n;
    if (u->out_bytes > limits->bytes)
        return too_much(u, DIAG_ABOUT_UNPACKED_BYTES, "", limits->bytes);
    /* At the beginning any ratio may come out; and before the first byte is done with, `at` is 0. */
    if (u->out_bytes > UNPACK_RATIO_FROM_BYTES && u->out_bytes / (u->at + 1) >= limits->ratio)
        return too_much(u, DIAG_ABOUT_UNPACKED_RATIO, " for each of its own", limits->ratio);
    return true;
}

bool unpack_wrote(struct unpack *u, size_t n)
{
    if (!unpack_pass_over(u, n))
        return false;
    u->report.unpacked_bytes += n;
    u->block_bytes += n;
    if (u->block_bytes < UNPACK_BLOCK_BYTES || unpack_hand_out(u))
        return true;
    u->stopped = true;
    return false;
}

bool unpack_put(struct unpack *u, const uint8_t *p, size_t n)
{
    while (n > 0) {
        uint8_t *out;
        size_t part = unpack_room(u, &out);
        if (part > n)
            part = n;
        memcpy(out, p, part);
        if (!unpack_wrote(u, part))
            return false;
        p += part;
        n -= part;
    }
    return true;
}

void unpack_damage(struct unpack *u, enum unpack_state state, uint64_t at)
{
    if (u->report.state != UNPACK_WHOLE)
        return;
    u->report.state = state;
    u->report.at = at;
}

/* ---- the beginning ---- */

struct beginning {
    uint8_t *out;
    size_t n, limit;
};

static bool keep_beginning(void *context, const uint8_t *p, size_t n)
{
    struct beginning *b = context;
    size_t part = b->limit - b->n < n ? b->limit - b->n : n;

    memcpy(b->out + b->n, p, part);
    b->n += part;
    return b->n < b->limit;
}

size_t unpack_beginning(const void *p, size_t n, void *out, size_t out_bytes)
{
    enum { MEMORY_BYTES = 160 << 20, UNPACKED_BYTES = 16 << 20 };
    bool more;
    const struct packer *packer = unpack_detect(p, n, &more);
    struct beginning b = {.out = out, .limit = out_bytes};
    const struct unpack_options options = {
        .limits = {UNPACKED_BYTES, UINT64_MAX}, .sink = keep_beginning, .context = &b};
    struct diag diag = {0};
    struct arena arena;

    if (packer == NULL || packer->open != NULL || out_bytes == 0)
        return 0;
    arena_init(&arena, MEMORY_BYTES);
    struct unpack *u = unpack_new(packer, &arena, &options, &diag);
    if (u != NULL) {
        bool ok = unpack_feed(u, p, n) && unpack_finish(u); /* what came out is all that is asked for */
        (void)ok;
    }
    unpack_free(u);
    arena_free(&arena);
    return b.n;
}
