#include "server/convert/convert.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "parser/reader.h"
#include "profile/builder.h"
#include "profile/open_frames.h"
#include "profile/span.h"
#include "render/chart/chart_plan.h"
#include "render/fail.h"

enum { READ_BYTES = 256 << 10 };

struct folded {
    atomic_uint references;
    struct arena arena; /* holds profile and names */
    const struct profile *profile;
    const struct names *names;
    const char *member; /* of an archive, that was chosen; or "" */
};

struct fold {
    struct folded *folded; /* in the making: its arena is the reader's */
    struct reader reader;
};

/* ---- folded ---- */

struct folded *folded_ref(struct folded *f)
{
    atomic_fetch_add_explicit(&f->references, 1, memory_order_relaxed);
    return f;
}

void folded_unref(struct folded *f)
{
    if (f == NULL || atomic_fetch_sub_explicit(&f->references, 1, memory_order_acq_rel) != 1)
        return;
    arena_free(&f->arena);
    free(f);
}

const struct profile *folded_profile(const struct folded *f)
{
    return f->profile;
}

size_t folded_bytes(const struct folded *f)
{
    return sizeof(*f) + f->arena.used_bytes;
}

/* ---- fold ---- */

static uint32_t limit_u32(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static struct reader_limits limits_of(const struct config *c)
{
    return (struct reader_limits){.methods = limit_u32(c->max_methods),
                                  .threads = limit_u32(c->max_threads),
                                  .line_bytes = limit_u32(c->max_line_bytes),
                                  .name_bytes = limit_u32(c->max_name_bytes),
                                  .unpacked = {c->max_unpacked_bytes, c->max_unpacked_ratio}};
}

/* Sets diag from the arena's failure. Always false. */
static bool arena_failed(const struct arena *a, struct diag *diag)
{
    if (a->failure == ARENA_LIMIT)
        return diag_set(diag, DIAG_LIMIT, "profile too large",
                        "Raise job_memory_bytes in the configuration, or record a shorter trace.",
                        "The profile needs more than the limit job_memory_bytes of %zu bytes.",
                        a->limit_bytes);
    return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later, or on a larger machine.",
                    "The machine has no memory left for this profile.");
}

struct fold *fold_new(const struct config *config)
{
    struct fold *f = malloc(sizeof(*f));
    struct folded *folded = calloc(1, sizeof(*folded));
    struct reader_limits limits = limits_of(config);
    struct hash_seed seed;

    if (f == NULL || folded == NULL) {
        free(f);
        free(folded);
        return NULL;
    }
    atomic_init(&folded->references, 1);
    folded->member = "";
    arena_init(&folded->arena, (size_t)config->job_memory_bytes);
    *f = (struct fold){.folded = folded};
    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        diag_set(&f->reader.diag, DIAG_IO, "no randomness", "Try again later.",
                 "The system gives no random numbers, without which a file could be made to take for ever.");
    else if (!reader_init(&f->reader, &folded->arena, &limits, seed))
        arena_failed(&folded->arena, &f->reader.diag);
    return f;
}

void fold_choose(struct fold *f, const char *member)
{
    char name[UNPACK_MEMBER_BYTES + 1];

    if (member[0] == '\0' || f->reader.diag.kind != DIAG_NONE)
        return;
    unpack_member_name(str_of(member), name);
    const char *copy = arena_copy(&f->folded->arena, name, strlen(name) + 1);
    if (copy == NULL) {
        arena_failed(&f->folded->arena, &f->reader.diag);
        return;
    }
    f->folded->member = copy;
    reader_choose(&f->reader, str_of(copy));
}

bool fold_feed(struct fold *f, const void *p, size_t n)
{
    return reader_feed(&f->reader, p, n);
}

const struct diag *fold_diag(const struct fold *f)
{
    return &f->reader.diag;
}

struct folded *fold_finish(struct fold *f, struct diag *diag)
{
    struct folded *folded = f->folded;

    folded->profile = reader_finish(&f->reader);
    if (folded->profile != NULL) {
        folded->names = names_new(folded->profile, &folded->arena);
        if (folded->names == NULL)
            arena_failed(&folded->arena, &f->reader.diag);
    }
    if (folded->names == NULL) {
        *diag = f->reader.diag;
        fold_abandon(f);
        return NULL;
    }
    free(f);
    return folded;
}

void fold_abandon(struct fold *f)
{
    if (f == NULL)
        return;
    reader_free(&f->reader);
    folded_unref(f->folded);
    free(f);
}

bool convert_stopped(struct diag *diag)
{
    return diag_set(diag, DIAG_BUSY, "the service is stopping", "Try again in a moment.",
                    "It was told to end before this was done.");
}

/* Feeds the whole file; what the reader refuses, its own diag says at the end. False (diag) if it cannot be
 * read. */
static bool feed_file(struct fold *f, int fd, void *piece, const atomic_bool *stop, struct diag *diag)
{
    for (off_t offset = 0;;) {
        if (stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return convert_stopped(diag);
        ssize_t n = TEMP_FAILURE_RETRY(pread(fd, piece, READ_BYTES, offset));
        if (n < 0)
            return diag_set(diag, DIAG_IO, "cannot read the file", "Try again later.", "%s.",
                            strerror(errno));
        if (n == 0 || !fold_feed(f, piece, (size_t)n))
            return true;
        offset += n;
    }
}

struct folded *fold_file(const struct config *config, int fd, const char *member, const atomic_bool *stop,
                         struct diag *diag)
{
    struct fold *f = fold_new(config);
    void *piece = malloc(READ_BYTES);
    struct folded *folded = NULL;

    if (f != NULL)
        fold_choose(f, member);
    if (f == NULL || piece == NULL) {
        diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                 "No memory is left to read the file.");
        fold_abandon(f);
    } else if (!feed_file(f, fd, piece, stop, diag)) {
        fold_abandon(f);
    } else {
        folded = fold_finish(f, diag);
    }
    free(piece);
    return folded;
}

/* ---- views ---- */

void convert_defaults(const struct config *config, struct view_options *view)
{
    view_defaults(view);
    view->embed_nodes = limit_u32(config->svg_embed_nodes);
    view->embed_bytes = config->svg_embed_bytes;
}

static bool draw_output(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct output *output = what;

    return output->render(in, out, diag);
}

static bool render(const struct folded *f, const struct convert_drawing *d, const struct view_options *view,
                   const struct spans *spans, struct arena *scratch, struct buf *out, struct diag *diag)
{
    struct render_input in = {
        .profile = f->profile, .names = f->names, .view = view, .spans = spans, .scratch = scratch};

    if (view->open == OPEN_END)
        in.profile = open_frames_to_end(f->profile, scratch);
    if (in.profile == NULL)
        return fail_arena(scratch, diag);
    return d->draw(d->what, &in, out, diag) && (!out->failed || fail_buf(out, diag));
}

/* `view` is resolved. */
static bool render_within(const struct folded *f, const struct config *config,
                          const struct convert_drawing *d, const struct view_options *view,
                          const struct spans *spans, struct buf *out, struct diag *diag)
{
    size_t limit = out->limit, ceiling;
    struct arena scratch;

    arena_init(&scratch, (size_t)config->view_memory_bytes);
    if (__builtin_add_overflow(out->n, (size_t)config->view_memory_bytes, &ceiling))
        ceiling = SIZE_MAX;
    if (limit == 0 || ceiling < limit)
        out->limit = ceiling;
    bool ok = render(f, d, view, spans, &scratch, out, diag);
    out->limit = limit;
    arena_free(&scratch);
    return ok;
}

bool convert_drawn(const struct folded *f, const struct config *config, const struct convert_drawing *d,
                   const struct view_options *view, struct buf *out, struct diag *diag)
{
    struct view_options resolved = *view;

    return view_resolve(&resolved, f->profile, diag) &&
           render_within(f, config, d, &resolved, NULL, out, diag);
}

/* False: the view is a chart, and the output none. */
static bool may_chart(const struct output *output, const struct view_options *view, struct diag *diag)
{
    if (view->view != VIEW_CHART || output->charts)
        return true;
    return diag_set(diag, DIAG_USAGE, "not for this output", "Choose the output svg, or leave the view out.",
                    "A chart is a picture; the output %s cannot show one.", output->name);
}

bool convert_view(const struct folded *f, const struct config *config, const struct output *output,
                  const struct view_options *view, struct buf *out, struct diag *diag)
{
    struct convert_drawing d = {draw_output, output};

    return may_chart(output, view, diag) && convert_drawn(f, config, &d, view, out, diag);
}

/* ---- charts ---- */

/* Frames are named by their ids in the first reading: the second one must have been of the same bytes. */
static bool same_profile(const struct profile *a, const struct profile *b, struct diag *diag)
{
    if (a->n_frames == b->n_frames && a->n_nodes == b->n_nodes && a->n_tracks == b->n_tracks)
        return true;
    return diag_set(diag, DIAG_IO, "the file changed", "Try again when nothing writes to it any more.",
                    "The file was read twice, and was not the same.");
}

/* The spans live in the fold, which is used up. */
static const struct spans *read_spans(struct fold *again, int fd, const atomic_bool *stop,
                                      const struct folded *first, const struct span_request *request,
                                      struct diag *diag)
{
    struct span_sink *sink = span_sink_new(&again->folded->arena, request);
    void *piece = malloc(READ_BYTES);
    const struct profile *p = NULL;

    if (sink == NULL || piece == NULL) {
        arena_failed(&again->folded->arena, diag);
    } else if (again->reader.diag.kind == DIAG_NONE) {
        builder_watch(again->reader.builder, sink);
        if (feed_file(again, fd, piece, stop, diag))
            p = reader_finish(&again->reader);
    }
    free(piece);
    if (p == NULL && diag->kind == DIAG_NONE)
        *diag = again->reader.diag;
    return p != NULL && same_profile(first->profile, p, diag) ? span_sink_finish(sink) : NULL;
}

bool convert_chart(const struct folded *f, const struct config *config, int fd, const atomic_bool *stop,
                   const struct output *output, const struct view_options *view, struct buf *out,
                   struct diag *diag)
{
    struct view_options resolved = *view;
    struct convert_drawing d = {draw_output, output};
    struct chart_plan plan;

    if (!may_chart(output, view, diag) || !view_resolve(&resolved, f->profile, diag) ||
        !chart_plan(&plan, &resolved, f->profile, diag))
        return false;
    struct fold *again = fold_new(config);
    if (again == NULL)
        return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                        "No memory is left to read the file.");
    fold_choose(again, f->member);
    const struct spans *spans = read_spans(again, fd, stop, f, &plan.request, diag);
    bool ok = spans != NULL && render_within(f, config, &d, &resolved, spans, out, diag);
    fold_abandon(again);
    return ok;
}
