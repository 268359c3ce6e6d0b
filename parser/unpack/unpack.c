#include "parser/unpack/unpack.h"

#include <string.h>

#include "parser/unpack/unpack_impl.h"

/* The ratio is looked at whenever so many bytes have been taken, counted from the beginning of the file: at these
 * places the counts do not depend on how the input was cut. */
enum { STEP_BYTES = 16 << 10 };

extern const struct packer PACKER_GZIP;
extern const struct packer PACKER_ZSTD;
extern const struct packer PACKER_ZIP;

/* THE TABLE of packers. */
static const struct packer *const PACKERS[] = {&PACKER_GZIP, &PACKER_ZSTD, &PACKER_ZIP};

enum { PACKERS_COUNT = sizeof(PACKERS) / sizeof(*PACKERS) };

/* ---- which one ---- */

/* Whether the n bytes begin with the magic; *more: as far as they go. */
static bool has_magic(const uint8_t *p, size_t n, struct str magic, bool *more)
{
    if (magic.n == 0 || memcmp(p, magic.p, n < magic.n ? n : magic.n) != 0)
        return false;
    if (n >= magic.n)
        return true;
    *more = true;
    return false;
}

const struct packer *unpack_detect(const void *p, size_t n, bool *more)
{
    *more = n == 0;
    for (size_t i = 0; i < PACKERS_COUNT && n > 0; i++)
        for (size_t m = 0; m < UNPACK_MAGICS_MAX; m++)
            if (has_magic(p, n, PACKERS[i]->magics[m], more))
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

/* ---- life ---- */

void unpack_no_memory(struct unpack *u)
{
    u->stopped = true;
    if (u->arena->failure != ARENA_LIMIT)
        diag_set(u->diag, DIAG_NO_MEMORY, "out of memory", "Try again later, or on a larger machine.",
                 "The machine has no memory left to unpack the %s.", u->packer->noun);
    else
        diag_set(u->diag, DIAG_LIMIT, "too large to unpack",
                 "Upload the file unpacked; a service's operator may raise job_memory_bytes.",
                 "Unpacking the %s needs more than the limit job_memory_bytes of %zu bytes.", u->packer->noun,
                 u->arena->limit_bytes);
}

struct unpack *unpack_new(const struct packer *packer, struct arena *arena,
                          const struct unpack_options *options, struct diag *diag)
{
    struct unpack *u = arena_alloc(arena, sizeof(*u));
    struct unpack failing = {.packer = packer, .arena = arena, .diag = diag};

    if (options->member.p != NULL && !packer->archive) {
        diag_set(diag, DIAG_USAGE, "no archive", "Leave the member out.",
                 "A member is named, but a %s has no members.", packer->noun);
        return NULL;
    }
    if (u != NULL) {
        *u = failing;
        u->options = *options;
        u->state = arena_alloc(arena, packer->state_bytes);
        u->block = arena_alloc(arena, UNPACK_BLOCK_BYTES);
        if (u->state != NULL && u->block != NULL)
            return packer->begin(u) ? u : NULL;
    }
    unpack_no_memory(&failing);
    return NULL;
}

void unpack_free(struct unpack *u)
{
    if (u != NULL && u->packer->free != NULL)
        u->packer->free(u);
}

/* ---- feeding ---- */

/* Archives are read to their end, whatever becomes of a member; unless they are too large. */
static bool wanted(const struct unpack *u)
{
    enum diag_kind kind = u->diag->kind;

    return kind == DIAG_NONE ? u->packer->archive || !u->sink_closed
                             : u->packer->archive && kind != DIAG_LIMIT && kind != DIAG_NO_MEMORY;
}

bool unpack_feed(struct unpack *u, const void *p, size_t n)
{
    const uint8_t *bytes = p;

    u->report.packed_bytes += n;
    while (n > 0 && !u->stopped) {
        size_t step = STEP_BYTES - (size_t)(u->at % STEP_BYTES);
        uint64_t from = u->at;
        u->packer->step(u, bytes, n < step ? n : step);
        size_t taken = (size_t)(u->at - from);
        bytes += taken;
        n -= taken;
        if (taken == step)
            unpack_check_ratio(u);
    }
    if (u->report.trailing_bytes > 0)
        u->report.trailing_bytes += n;
    return wanted(u);
}

static bool hand_out(struct unpack *u)
{
    if (u->block_bytes > 0 && !u->sink_closed)
        u->sink_closed = !u->options.sink(u->options.context, u->block, u->block_bytes);
    u->block_bytes = 0;
    return !u->sink_closed;
}

bool unpack_finish(struct unpack *u)
{
    if (!u->stopped) {
        u->packer->finish(u);
        unpack_check_ratio(u);
    }
    return hand_out(u) && u->diag->kind == DIAG_NONE;
}

void unpack_report(const struct unpack *u, struct unpack_report *report)
{
    *report = u->report;
    report->packer = u->packer;
}

/* ---- for the packers ---- */

bool unpack_gather(struct unpack *u, const uint8_t *p, size_t n, size_t need)
{
    size_t part = need > u->head_bytes ? need - u->head_bytes : 0;

    if (part > n)
        part = n;
    uint8_t *head = arena_grow(u->arena, u->head, &u->head_capacity, u->head_bytes + part, 1);
    if (head == NULL) {
        unpack_no_memory(u);
        return false;
    }
    u->head = head;
    if (part > 0)
        memcpy(head + u->head_bytes, p, part);
    u->head_bytes += part;
    u->at += part;
    return u->head_bytes >= need;
}

void unpack_drop_head(struct unpack *u, size_t n)
{
    u->head_bytes -= n;
    memmove(u->head, u->head + n, u->head_bytes);
}

size_t unpack_room(struct unpack *u, uint8_t **out)
{
    *out = u->block + u->block_bytes;
    return UNPACK_BLOCK_BYTES - u->block_bytes;
}

bool unpack_wrote(struct unpack *u, size_t n)
{
    u->out_bytes += n;
    if (u->out_bytes > u->options.limits.bytes) {
        u->stopped = true;
        return diag_set(u->diag, DIAG_LIMIT, "unpacks to too much",
                        "Record a shorter trace; a service's operator may raise max_unpacked_bytes.",
                        "The %s unpacks to more than the limit max_unpacked_bytes of %llu bytes.",
                        u->packer->noun, (unsigned long long)u->options.limits.bytes);
    }
    if (u->discard || u->sink_closed)
        return true;
    u->report.unpacked_bytes += n;
    u->block_bytes += n;
    if (u->block_bytes < UNPACK_BLOCK_BYTES || hand_out(u))
        return true;
    u->stopped = !u->packer->archive;
    return !u->stopped;
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

void unpack_check_ratio(struct unpack *u)
{
    const struct unpack_limits *limits = &u->options.limits;

    if (u->out_bytes <= UNPACK_RATIO_FROM_BYTES || u->out_bytes / (u->at + 1) < limits->ratio)
        return;
    u->stopped = true;
    diag_set(u->diag, DIAG_LIMIT, "unpacks to too much",
             "Upload the file unpacked; a service's operator may raise max_unpacked_ratio.",
             "The %s unpacks to more bytes for each of its own than the limit max_unpacked_ratio of %llu.",
             u->packer->noun, (unsigned long long)limits->ratio);
}

void unpack_damage(struct unpack *u, enum unpack_state state)
{
    if (u->report.state != UNPACK_WHOLE)
        return;
    u->report.state = state;
    u->report.at = u->at;
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

    if (packer == NULL || packer->archive || out_bytes == 0)
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
