#include "server/convert/convert.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parser/reader.h"
#include "profile/builder.h"
#include "profile/span.h"
#include "profile/transform.h"
#include "render/chart/chart_plan.h"
#include "render/names/names.h"
#include "render/view/fail.h"
#include "render/view/view_option.h"
#include "server/convert/diag_words.h"

enum { READ_BYTES = 256 << 10 };

struct shared_profile {
    struct arena arena; /* holds the profile, the names and the member's name */
    const struct profile *profile;
    const struct names *names;
    const char *member; /* of an archive, the member that was chosen; or "" */
};

struct conversion {
    struct shared_profile *made; /* not complete yet: the reader allocates in its arena */
    struct reader reader;
};

/* ---- the shared profile ---- */

void shared_profile_free(struct shared_profile *f)
{
    if (f == NULL)
        return;
    arena_free(&f->arena);
    free(f);
}

const struct profile *shared_profile_get(const struct shared_profile *f)
{
    return f->profile;
}

const struct own_code *shared_profile_own(const struct shared_profile *f)
{
    return names_own(f->names);
}

size_t shared_profile_bytes(const struct shared_profile *f)
{
    return sizeof(*f) + f->arena.used_bytes;
}

/* ---- the conversion ---- */

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

struct conversion *conversion_new(const struct config *config)
{
    struct conversion *f = malloc(sizeof(*f));
    struct shared_profile *made = calloc(1, sizeof(*made));
    struct reader_limits limits = limits_of(config);
    struct hash_seed seed;

    if (f == NULL || made == NULL) {
        free(f);
        free(made);
        return NULL;
    }
    made->member = "";
    arena_init(&made->arena, (size_t)config->job_memory_bytes);
    *f = (struct conversion){.made = made};
    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        diag_set(&f->reader.diag, DIAG_IO, "no randomness", "Try again later.",
                 "The system gives no random numbers, without which a file could be made to take for ever.");
    else if (!reader_init(&f->reader, &made->arena, &limits, seed))
        arena_failed(&made->arena, &f->reader.diag);
    return f;
}

void conversion_choose(struct conversion *f, const char *member)
{
    char name[UNPACK_MEMBER_BYTES + 1];

    if (member[0] == '\0' || f->reader.diag.kind != DIAG_NONE)
        return;
    unpack_member_name(str_of(member), name);
    const char *copy = arena_copy(&f->made->arena, name, strlen(name) + 1);
    if (copy == NULL) {
        arena_failed(&f->made->arena, &f->reader.diag);
        return;
    }
    f->made->member = copy;
    reader_choose(&f->reader, str_of(copy));
}

/* ---- files ---- */

static bool no_memory(struct diag *diag)
{
    return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                    "No memory is left to read the file.");
}

bool convert_stopped(struct diag *diag)
{
    return diag_set(diag, DIAG_BUSY, "the service is stopping", "Try again in a moment.",
                    "It was told to end before this was done.");
}

/* A file that is read at any place; `diag` says why it could not be. */
struct readable {
    int fd;
    const atomic_bool *stop;
    struct diag diag;
};

static ptrdiff_t read_at(void *context, uint64_t offset, void *to, size_t n)
{
    struct readable *file = context;

    if (file->stop != NULL && atomic_load_explicit(file->stop, memory_order_relaxed)) {
        convert_stopped(&file->diag);
        return -1;
    }
    ssize_t got = offset > INT64_MAX ? 0 : TEMP_FAILURE_RETRY(pread(file->fd, to, n, (off_t)offset));
    if (got < 0)
        diag_set(&file->diag, DIAG_IO, "cannot read the file", "Try again later.", "%s.", strerror(errno));
    return got;
}

enum convert_step conversion_feed_file(struct conversion *f, int fd, uint64_t *offset,
                                       const atomic_bool *stop, struct diag *diag)
{
    struct readable file = {.fd = fd, .stop = stop};
    void *piece = malloc(READ_BYTES);
    ptrdiff_t n = -1;

    if (piece == NULL)
        no_memory(&file.diag);
    else
        n = read_at(&file, *offset, piece, READ_BYTES);
    bool more = n > 0 && conversion_feed(f, piece, (size_t)n);
    free(piece);
    if (n < 0) {
        *diag = file.diag;
        return CONVERT_FAILED;
    }
    *offset += (uint64_t)n;
    return more ? CONVERT_MORE : CONVERT_FED;
}

/* False: diag. */
static bool feed_all(struct conversion *f, int fd, const atomic_bool *stop, struct diag *diag)
{
    enum convert_step step = CONVERT_MORE;
    uint64_t offset = 0;

    while (step == CONVERT_MORE)
        step = conversion_feed_file(f, fd, &offset, stop, diag);
    return step == CONVERT_FED;
}

/* Ends the reading, with the file if there is one. */
static const struct profile *finish_reading(struct conversion *f, int fd, const atomic_bool *stop)
{
    struct readable file = {.fd = fd, .stop = stop};
    struct whole_file whole = {.read_at = read_at, .context = &file};
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0)
        whole.bytes = (uint64_t)st.st_size;
    const struct profile *p = reader_finish(&f->reader, fd >= 0 ? &whole : NULL);
    if (p == NULL && file.diag.kind != DIAG_NONE)
        f->reader.diag = file.diag; /* knows more than that it could not be read */
    diag_add_words(&f->reader.diag);
    return p;
}

/* ---- the fold goes on ---- */

bool conversion_feed(struct conversion *f, const void *p, size_t n)
{
    if (reader_feed(&f->reader, p, n))
        return true;
    diag_add_words(&f->reader.diag);
    return false;
}

bool conversion_wants_whole(const struct conversion *f)
{
    return reader_wants_whole(&f->reader);
}

const struct diag *conversion_diag(const struct conversion *f)
{
    return &f->reader.diag;
}

struct shared_profile *conversion_finish(struct conversion *f, int fd, const atomic_bool *stop,
                                         struct diag *diag)
{
    struct shared_profile *made = f->made;

    made->profile = finish_reading(f, fd, stop);
    if (made->profile != NULL) {
        made->names = names_new(made->profile, &made->arena);
        if (made->names == NULL)
            arena_failed(&made->arena, &f->reader.diag);
    }
    if (made->names == NULL) {
        *diag = f->reader.diag;
        conversion_abandon(f);
        return NULL;
    }
    free(f);
    return made;
}

void conversion_abandon(struct conversion *f)
{
    if (f == NULL)
        return;
    reader_free(&f->reader);
    shared_profile_free(f->made);
    free(f);
}

/* ---- views ---- */

void convert_defaults(const struct config *config, struct view_options *view)
{
    view_defaults(view);
    view->embed_nodes = limit_u32(config->svg_embed_nodes);
    view->embed_bytes = config->svg_embed_bytes;
    view->presets = config->filter_presets;
}

static bool draw_output(const void *what, const struct render_input *in, struct buf *out, struct diag *diag)
{
    const struct output *output = what;

    return output->render(in, out, diag);
}

/* Of each frame; NULL: the arena gives no more. */
static const uint8_t *origins_of(const struct names *names, uint32_t n_frames, struct arena *scratch)
{
    uint8_t *origins = arena_array(scratch, n_frames, sizeof(*origins));

    for (frame_id i = 0; origins != NULL && i < n_frames; i++)
        origins[i] = names_of(names, i)->origin;
    return origins;
}

/* The profile that is drawn. NULL: the arena gives no more, or diag is set. */
static const struct profile *transformed(const struct profile *p, const struct names *names,
                                         const struct view_options *view, struct arena *scratch,
                                         struct diag *diag)
{
    struct filter_step steps[FILTER_STEPS_MAX];
    struct transform_request request = {.open_to_end = view->open == OPEN_END,
                                        .filter = {steps, view->n_filters, view_presets(view), NULL}};

    for (uint32_t i = 0; i < view->n_filters; i++)
        steps[i] = view_filter(view, i);
    if (filter_wants_origins(&request.filter)) {
        request.filter.origins = origins_of(names, p->n_frames, scratch);
        if (request.filter.origins == NULL)
            return NULL;
    }
    return transform_apply(p, &request, scratch, diag);
}

static bool render(const struct shared_profile *f, const struct convert_drawing *d,
                   const struct view_options *view, const struct spans *spans, struct arena *scratch,
                   struct buf *out, struct diag *diag)
{
    struct own_code own;
    struct render_input in = {.names = f->names, .view = view, .spans = spans, .scratch = scratch};

    if (view->app[0] != '\0' && own_code_parse(str_of(view->app), &own))
        in.names = names_with_own(f->names, f->profile, &own, scratch);
    if (in.names != NULL)
        in.profile = transformed(f->profile, in.names, view, scratch, diag);
    if (in.profile == NULL)
        return diag->kind == DIAG_NONE && fail_arena(scratch, diag);
    return d->draw(d->what, &in, out, diag) && (!out->failed || fail_buf(out, diag));
}

/* `view` is resolved. */
static bool render_within(const struct shared_profile *f, const struct config *config,
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

bool convert_drawn(const struct shared_profile *f, const struct config *config,
                   const struct convert_drawing *d, const struct view_options *view, struct buf *out,
                   struct diag *diag)
{
    struct view_options resolved = *view;

    /* A budget for what a picture carries that is above the memory of a view makes a smaller picture, not a failure. */
    if (resolved.embed_bytes > config->view_memory_bytes / 2)
        resolved.embed_bytes = config->view_memory_bytes / 2;
    return view_resolve(&resolved, f->profile, diag) &&
           render_within(f, config, d, &resolved, NULL, out, diag);
}

/* Whether the output shows the view. */
static bool may_show(const struct output *output, const struct view_options *view, struct diag *diag)
{
    if ((output->views >> view->view & 1) != 0)
        return true;
    return diag_set(diag, DIAG_USAGE, "not for this output", "Choose the output svg, or leave the view out.",
                    "The output %s cannot show the view %s.", output->name,
                    view_option_word("view", view->view));
}

bool convert_view(const struct shared_profile *f, const struct config *config, const struct output *output,
                  const struct view_options *view, struct buf *out, struct diag *diag)
{
    struct convert_drawing d = {draw_output, output};

    return may_show(output, view, diag) && convert_drawn(f, config, &d, view, out, diag);
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

/* False: diag. */
static bool read_again(struct conversion *again, int fd, const atomic_bool *stop,
                       const struct shared_profile *first, struct watcher *w, struct diag *diag)
{
    const struct profile *p = NULL;

    if (again->reader.diag.kind == DIAG_NONE) {
        builder_watch(again->reader.builder, w);
        if (feed_all(again, fd, stop, diag))
            p = finish_reading(again, fd, stop);
    }
    if (p == NULL && diag->kind == DIAG_NONE)
        *diag = again->reader.diag;
    return p != NULL && same_profile(first->profile, p, diag);
}

/* NULL: diag. */
static struct conversion *conversion_again(const struct shared_profile *f, const struct config *config,
                                           struct diag *diag)
{
    struct conversion *again = conversion_new(config);

    if (again == NULL)
        no_memory(diag);
    else
        conversion_choose(again, f->member);
    return again;
}

/* The spans live in the memory of the second conversion, which is used up. */
static const struct spans *read_spans(struct conversion *again, int fd, const atomic_bool *stop,
                                      const struct shared_profile *first, const struct span_request *request,
                                      struct diag *diag)
{
    struct span_sink *sink = span_sink_new(&again->made->arena, request);

    if (sink == NULL) {
        arena_failed(&again->made->arena, diag);
        return NULL;
    }
    return read_again(again, fd, stop, first, span_sink_watcher(sink), diag) ? span_sink_finish(sink) : NULL;
}

bool convert_calls(const struct shared_profile *f, const struct config *config, int fd,
                   const atomic_bool *stop, const struct calls_request *request, struct arena *arena,
                   const struct calls **calls, struct diag *diag)
{
    struct calls_sink *sink = calls_sink_new(arena, request);
    struct conversion *again = sink != NULL ? conversion_again(f, config, diag) : NULL;
    bool ok = again != NULL && read_again(again, fd, stop, f, calls_sink_watcher(sink), diag);

    conversion_abandon(again);
    *calls = ok ? calls_sink_finish(sink) : NULL;
    return *calls != NULL || fail_arena(arena, diag);
}

bool convert_with_spans(const struct shared_profile *f, const struct config *config, int fd,
                        const atomic_bool *stop, const struct span_request *request,
                        const struct convert_drawing *d, const struct view_options *view, struct buf *out,
                        struct diag *diag)
{
    struct view_options resolved = *view;

    if (!view_resolve(&resolved, f->profile, diag))
        return false;
    struct conversion *again = conversion_new(config);
    if (again == NULL)
        return no_memory(diag);
    conversion_choose(again, f->member);
    const struct spans *spans = read_spans(again, fd, stop, f, request, diag);
    bool ok = spans != NULL && render_within(f, config, d, &resolved, spans, out, diag);
    conversion_abandon(again);
    return ok;
}

bool convert_chart(const struct shared_profile *f, const struct config *config, int fd,
                   const atomic_bool *stop, const struct output *output, const struct view_options *view,
                   struct buf *out, struct diag *diag)
{
    struct view_options resolved = *view;
    struct convert_drawing d = {draw_output, output};
    struct chart_plan plan;

    return may_show(output, view, diag) && view_resolve(&resolved, f->profile, diag) &&
           chart_plan(&plan, &resolved, f->profile, diag) &&
           convert_with_spans(f, config, fd, stop, &plan.request, &d, &resolved, out, diag);
}
