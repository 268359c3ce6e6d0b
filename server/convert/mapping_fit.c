/* The names are records of four fields with a NUL behind each: scope, name, signature, and "1" if the
 * frame itself has the scope. */
#include "server/convert/mapping_fit.h"

#include <stdlib.h>

#include "parser/mapping/mapping_reader.h"
#include "render/view/view.h"
#include "server/convert/convert_impl.h"
#include "server/convert/report.h"

/* ---- the names of a profile ---- */

static bool has_nul(struct str s)
{
    return str_find(s, '\0') < s.n;
}

static void put_field(struct buf *b, struct str field)
{
    buf_str(b, field);
    buf_char(b, '\0');
}

/* A name with a NUL in it is no compiler's. */
static void put_frame(struct buf *b, const struct profile *p, const struct profile_frame *frame)
{
    struct frame_parts parts = mapping_parts(p, frame);

    if (!mapping_share_is_java(frame->kind) || !mapping_share_is_app(parts.scope) || has_nul(parts.scope) ||
        has_nul(parts.name) || has_nul(parts.signature))
        return;
    put_field(b, parts.scope);
    put_field(b, parts.name);
    put_field(b, parts.signature);
    put_field(b, frame_parts_of(p, frame).scope.n > 0 ? STR("1") : STR(""));
}

bool convert_java_names(const struct report_input *in, struct buf *out, struct diag *diag)
{
    const struct profile *p = in->source.profile->profile;
    uint8_t *used = calloc(p->n_frames > 0 ? p->n_frames : 1, sizeof(*used));
    size_t limit = out->limit;

    if (used == NULL)
        return conversion_no_memory(diag);
    for (uint32_t t = 0; t < p->n_tracks; t++)
        for (node_id i = p->tracks[t].first; i < p->tracks[t].first + p->tracks[t].count; i++)
            if (p->node_frame[i] != FRAME_NONE)
                used[p->node_frame[i]] = 1;
    out->limit = out->n + (size_t)in->source.config->view_memory_bytes;
    for (frame_id i = 0; i < p->n_frames && !out->failed; i++)
        if (used[i] != 0)
            put_frame(out, p, &p->frames[i]);
    free(used);
    bool ok = !out->failed || fail_buf(out, diag);
    out->limit = limit;
    return ok;
}

struct name {
    struct frame_parts parts;
    bool scoped;
};

/* False: there are no more. */
static bool take_name(struct str *rest, struct name *n)
{
    struct str scoped;

    if (!str_split(rest, '\0', &n->parts.scope) || !str_split(rest, '\0', &n->parts.name) ||
        !str_split(rest, '\0', &n->parts.signature) || !str_split(rest, '\0', &scoped))
        return false;
    n->scoped = scoped.n > 0;
    return true;
}

/* ---- one mapping ---- */

struct mapping_fit {
    struct str names;
    struct arena arena;
    struct mapping *mapping;
    struct mapping_reader *reader;
};

static bool failed(const struct mapping_fit *f, struct diag *diag)
{
    if (f->reader != NULL && mapping_reader_diag(f->reader)->kind != DIAG_NONE) {
        *diag = *mapping_reader_diag(f->reader);
        return false;
    }
    if (f->arena.failure == ARENA_LIMIT)
        return diag_set(diag, DIAG_LIMIT, "mapping too large",
                        "Raise view_memory_bytes in the configuration.",
                        "To look for the profile's names in the mapping takes more than %zu bytes.",
                        f->arena.limit_bytes);
    return diag_no_memory(diag, "No memory is left to read the mapping.");
}

static bool want_all(struct mapping *m, struct str names)
{
    struct name n;

    while (names.n > 0 && take_name(&names, &n))
        if (!mapping_want(m, n.parts.scope, n.parts.name, n.parts.signature))
            return false;
    return true;
}

struct mapping_fit *mapping_fit_new(struct str names, size_t memory_bytes, struct diag *diag)
{
    struct mapping_fit *f = calloc(1, sizeof(*f));
    struct hash_seed seed;

    if (f == NULL)
        conversion_no_memory(diag);
    if (f == NULL || !conversion_seed(&seed, diag)) {
        free(f);
        return NULL;
    }
    f->names = names;
    arena_init(&f->arena, memory_bytes);
    f->mapping = mapping_new(&f->arena, seed);
    if (f->mapping != NULL && want_all(f->mapping, names))
        f->reader = mapping_reader_new(f->mapping);
    if (f->reader != NULL)
        return f;
    failed(f, diag);
    mapping_fit_free(f);
    return NULL;
}

void mapping_fit_free(struct mapping_fit *f)
{
    if (f == NULL)
        return;
    mapping_reader_free(f->reader);
    arena_free(&f->arena);
    free(f);
}

bool mapping_fit_feed(struct mapping_fit *f, struct str bytes, struct diag *diag)
{
    return mapping_reader_feed(f->reader, bytes.p, bytes.n) || failed(f, diag);
}

bool mapping_fit_finish(struct mapping_fit *f, struct mapping_share *share, struct diag *diag)
{
    struct mapping_answer answer = {0};
    struct str rest = f->names;
    struct name n;

    *share = (struct mapping_share){0};
    if (!mapping_reader_finish(f->reader))
        return failed(f, diag);
    while (rest.n > 0 && take_name(&rest, &n)) {
        struct mapping_question q = {
            .scope = n.parts.scope, .name = n.parts.name, .signature = n.parts.signature};
        if (!mapping_resolve(f->mapping, &q, &answer))
            return failed(f, diag);
        mapping_share_count(share, &n.parts, n.scoped, answer.found);
    }
    return true;
}
