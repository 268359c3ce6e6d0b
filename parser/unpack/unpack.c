#include "parser/unpack/unpack.h"

#include "parser/unpack/unpack_impl.h"

extern const struct packer PACKER_GZIP;
extern const struct packer PACKER_ZSTD;
extern const struct packer PACKER_ZIP;
extern const struct packer PACKER_TAR;

/* THE TABLE of packers. */
static const struct packer *const PACKERS[] = {&PACKER_GZIP, &PACKER_ZSTD, &PACKER_ZIP, &PACKER_TAR};

enum { PACKERS_COUNT = sizeof(PACKERS) / sizeof(*PACKERS) };

/* ---- which one ---- */

const struct packer *unpack_detect(const void *p, size_t n, bool *more)
{
    *more = n == 0;
    for (size_t i = 0; i < PACKERS_COUNT && n > 0; i++)
        if (unpack_begins(PACKERS[i], p, n, more))
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
    return packer->archive != NULL;
}

/* ---- life ---- */

struct unpack *unpack_new(const struct packer *packer, struct arena *arena,
                          const struct unpack_options *options, struct diag *diag)
{
    struct unpack *u = arena_alloc(arena, sizeof(*u));
    struct unpack failing = {.packer = packer, .arena = arena, .diag = diag};

    if (options->member.p != NULL && packer->archive == NULL) {
        diag_set(diag, DIAG_USAGE, "no archive", "Leave the member out.",
                 "A member is named, but a %s has no members.", packer->noun);
        return NULL;
    }
    if (u != NULL) {
        *u = failing;
        u->options = *options;
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

/* ---- use ---- */

bool unpack_open(struct unpack *u, const struct source_input *file, uint64_t bytes)
{
    u->file = file;
    u->file_bytes = bytes;
    return archive_open(u);
}

ptrdiff_t unpack_pull(void *unpack, void *to, size_t n)
{
    struct unpack *u = unpack;

    if (u->pulls_inner)
        u = u->inner;
    return unpack_is_archive(u->packer) ? archive_pull(u, to, n) : stream_pull(u, to, n);
}

void unpack_report(const struct unpack *u, struct unpack_report *report)
{
    *report = u->report;
    report->packer = u->packer;
    report->inner = u->opened ? &u->inner->report : NULL;
    report->trailing_bytes = u->trails ? u->report.packed_bytes - u->at : 0;
}

/* ---- the beginning ---- */

size_t unpack_beginning(const void *p, size_t n, void *out, size_t out_bytes)
{
    enum { MEMORY_BYTES = 160 << 20, UNPACKED_BYTES = 16 << 20 };
    bool more;
    const struct packer *packer = unpack_detect(p, n, &more);
    const struct unpack_options options = {.limits = {UNPACKED_BYTES, UINT64_MAX}};
    struct diag diag = {0};
    struct arena arena;
    struct source in;
    size_t there = 0;
    ptrdiff_t came = 1;

    if (packer == NULL || unpack_is_archive(packer))
        return 0;
    arena_init(&arena, MEMORY_BYTES);
    source_of_memory(&in, &arena, (struct str){p, n});
    struct unpack *u = unpack_new(packer, &arena, &options, &diag);
    if (u != NULL)
        unpack_from(u, &in);
    while (u != NULL && there < out_bytes && came > 0) {
        came = unpack_pull(u, (uint8_t *)out + there, out_bytes - there);
        there += came > 0 ? (size_t)came : 0;
    }
    unpack_free(u);
    arena_free(&arena);
    return there;
}
