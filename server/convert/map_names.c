#include "server/convert/map_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parser/mapping/mapping_reader.h"
#include "profile/transform/transform.h"
#include "server/convert/diag_words.h"
#include "server/convert/readable.h"

enum { PIECE_BYTES = 256 << 10 };

struct reading {
    int fd;
    const struct stop *stop;
    struct mapping_reader *reader;
    char *piece;
};

/* False: diag, or the arena of the mapping gives no more. */
static bool read_pieces(const struct reading *r, struct diag *diag)
{
    for (off_t offset = 0;;) {
        if (stop_asked(r->stop) != STOP_NONE)
            return stop_say(r->stop, diag);
        ssize_t n = TEMP_FAILURE_RETRY(pread(r->fd, r->piece, PIECE_BYTES, offset));
        if (n < 0)
            return diag_set(diag, DIAG_IO, "cannot read the mapping", "Try again later.", "%s.",
                            strerror(errno));
        if (n == 0)
            return mapping_reader_finish(r->reader);
        if (!mapping_reader_feed(r->reader, r->piece, (size_t)n))
            return false;
        offset += n;
    }
}

static bool read_file(struct mapping *m, int fd, const struct stop *stop, struct diag *diag)
{
    struct reading r = {fd, stop, mapping_reader_new(m), malloc(PIECE_BYTES)};
    bool ok = r.reader != NULL && r.piece != NULL;

    if (!ok)
        m->arena->failure = ARENA_NO_MEMORY;
    ok = ok && read_pieces(&r, diag);
    if (!ok && r.reader != NULL && diag->kind == DIAG_NONE)
        *diag = *mapping_reader_diag(r.reader);
    mapping_reader_free(r.reader);
    free(r.piece);
    return ok;
}

static bool read_files(const struct profile *p, const struct map_names_files *files, struct hash_seed seed,
                       const struct stop *stop, struct arena *scratch, struct mapping_use *mappings,
                       struct diag *diag)
{
    for (uint32_t i = 0; i < files->n; i++) {
        struct mapping *m = mapping_new(scratch, seed);
        mappings[i] = (struct mapping_use){m, str_of(files->packages[i])};
        if (m == NULL || !mapping_want_profile(m, p) || !read_file(m, files->fds[i], stop, diag))
            return false;
    }
    return true;
}

const struct profile *map_names(const struct profile *p, const struct map_names_files *files,
                                struct hash_seed seed, const struct stop *stop, struct arena *arena,
                                struct diag *diag)
{
    struct mapping_use mappings[MAP_NAMES_MAX];
    struct transform_request request = {.mappings = mappings, .n_mappings = files->n};
    struct arena scratch;

    if (files->n == 0)
        return p;
    arena_init(&scratch, arena->limit_bytes);
    const struct profile *mapped = read_files(p, files, seed, stop, &scratch, mappings, diag)
                                       ? transform_apply(p, &request, arena, diag)
                                       : NULL;
    if (mapped == NULL && arena->failure == ARENA_OK)
        arena->failure = scratch.failure;
    arena_free(&scratch);
    return mapped;
}
