#include "server/convert/convert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/buf.h"
#include "core/diag.h"
#include "core/hash.h"
#include "core/stop.h"
#include "core/str.h"
#include "core/system/mapped_file.h"
#include "core/system/random_bytes.h"
#include "parser/mapping/mapping_reader.h"
#include "parser/source.h"
#include "profile/calls/replay.h"
#include "profile/calls/span.h"
#include "profile/frame/own_code.h"
#include "profile/log/call_log.h"
#include "profile/profile.h"
#include "profile/rename/rename.h"
#include "profile/transform/transform.h"
#include "render/names/names.h"
#include "render/output.h"
#include "render/view/key.h"
#include "render/view/view.h"
#include "server/config/config.h"
#include "server/config/config_load.h"
#include "server/convert/convert_impl.h"
#include "server/convert/identify.h"
#include "server/symbols/symbol_search.h"

/* ---- what is read ---- */

static bool failed(struct readable *file)
{
    return diag_set(&file->diag, DIAG_IO, "cannot read the file", "Try again later.", "%s.", strerror(errno));
}

static ptrdiff_t read_at(void *context, uint64_t offset, void *to, size_t n)
{
    struct readable *file = context;

    if (stop_asked(file->stop) != STOP_NONE) {
        stop_say(file->stop, &file->diag);
        return -1;
    }
    ssize_t got = offset > INT64_MAX ? 0 : TEMP_FAILURE_RETRY(pread(file->fd, to, n, (off_t)offset));
    if (got < 0)
        failed(file);
    return got;
}

static bool size(void *context, uint64_t *bytes)
{
    struct readable *file = context;
    struct stat st;

    if (fstat(file->fd, &st) != 0)
        return failed(file);
    *bytes = (uint64_t)st.st_size;
    return true;
}

struct source_input readable_input(struct readable *file)
{
    return (struct source_input){.read_at = read_at, .size = size, .context = file};
}

/* ---- names of a mapping ---- */

/* The names of a profile from mapping.txt files: reads the files and applies them. */

enum { PIECE_BYTES = 256 << 10 };

struct mapping_pieces {
    int fd;
    const struct stop *stop;
    struct mapping_reader *reader;
    char *piece;
};

/* False: diag, or the arena of the mapping gives no more. */
static bool read_pieces(const struct mapping_pieces *r, struct diag *diag)
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

static bool read_mapping_file(struct mapping *m, int fd, const struct stop *stop, struct diag *diag)
{
    struct mapping_pieces r = {fd, stop, mapping_reader_new(m), malloc(PIECE_BYTES)};
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

static bool read_mapping_files(const struct profile *p, const struct map_names_files *files,
                               struct hash_seed seed, const struct stop *stop, struct arena *scratch,
                               struct mapping_use *mappings, struct diag *diag)
{
    for (uint32_t i = 0; i < files->n; i++) {
        struct mapping *m = mapping_new(scratch, seed);
        mappings[i] = (struct mapping_use){m, str_of(files->packages[i])};
        if (m == NULL || !mapping_want_profile(m, p) || !read_mapping_file(m, files->fds[i], stop, diag))
            return false;
    }
    return true;
}

/* The profile with the names that the files tell, in the arena; `p` itself without files. `seed` is for
 * tables whose keys come from outside; the work ends soon after `stop`, which may be NULL, was asked.
 * NULL: diag, or the arena gives no more. */
static const struct profile *map_names(const struct profile *p, const struct map_names_files *files,
                                       struct hash_seed seed, const struct stop *stop, struct arena *arena,
                                       struct diag *diag)
{
    struct mapping_use mappings[MAP_NAMES_MAX];
    struct transform_request request = {.mappings = mappings, .n_mappings = files->n};
    struct arena scratch;

    if (files->n == 0)
        return p;
    arena_init(&scratch, arena->limit_bytes);
    const struct profile *mapped = read_mapping_files(p, files, seed, stop, &scratch, mappings, diag)
                                       ? transform_apply(p, &request, arena, diag)
                                       : NULL;
    if (mapped == NULL && arena->failure == ARENA_OK)
        arena->failure = scratch.failure;
    arena_free(&scratch);
    return mapped;
}

/* ---- names of symbols ---- */

/* The names of a profile's nameless frames from files of symbols: has them read, and applies what they say. */

enum { SYMBOL_NAMES_SECONDS = 60 /* of processor time, for one child */ };

/* The profile with the names that the files tell, in the arena; `p` itself without sources. As map_names. */
static const struct profile *symbol_names(const struct profile *p, const struct symbol_sources *sources,
                                          struct hash_seed seed, const struct stop *stop, struct arena *arena,
                                          struct diag *diag)
{
    const struct symbol_limits limits = {.program = SYMBOL_RUN_PROGRAM,
                                         .memory_bytes = arena->limit_bytes,
                                         .seconds = SYMBOL_NAMES_SECONDS,
                                         .stop = stop};
    struct arena scratch;

    if (sources->n == 0)
        return p;
    arena_init(&scratch, arena->limit_bytes);
    struct symbols *s = symbols_new(p, &scratch, seed);
    struct transform_request request = {.symbols = s};
    const struct profile *named = s != NULL && symbol_search(s, sources, &limits, diag)
                                      ? transform_apply(p, &request, arena, diag)
                                      : NULL;
    if (named == NULL && arena->failure == ARENA_OK)
        arena->failure = scratch.failure;
    arena_free(&scratch);
    return named;
}

/* ---- the shared profile ---- */

void shared_profile_free(struct shared_profile *f)
{
    if (f == NULL)
        return;
    if (f->log != NULL)
        kept_log_free(atomic_load(f->log));
    for (size_t i = 0; i < f->n_packets; i++)
        close(f->packets[i]);
    arena_free(&f->arena);
    free(f);
}

const struct shared_profile *shared_profile_whole(const struct shared_profile *f)
{
    return f->whole != NULL ? f->whole : f;
}

const struct profile *shared_profile_get(const struct shared_profile *f)
{
    return f->profile;
}

const struct own_code *shared_profile_own(const struct shared_profile *f)
{
    return names_own(f->names);
}

static size_t kept_log_bytes(const struct kept_log *k);

size_t shared_profile_bytes(const struct shared_profile *f)
{
    return sizeof(*f) + f->arena.used_bytes + (f->log != NULL ? kept_log_bytes(atomic_load(f->log)) : 0);
}

/* ---- the conversion ---- */

static uint32_t limit_u32(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

struct reader_limits conversion_limits(const struct config *c)
{
    return (struct reader_limits){.methods = limit_u32(c->max_methods),
                                  .threads = limit_u32(c->max_threads),
                                  .line_bytes = limit_u32(c->max_line_bytes),
                                  .name_bytes = limit_u32(c->max_name_bytes),
                                  .unpacked = {c->max_unpacked_bytes, c->max_unpacked_ratio}};
}

bool conversion_arena_failed(const struct arena *a, struct diag *diag)
{
    if (a->failure == ARENA_STOPPED)
        return stop_say(a->stop, diag);
    if (a->failure == ARENA_LIMIT)
        return diag_set(
            diag, DIAG_LIMIT, "profile too large",
            "Raise job_memory_bytes in the configuration (of a system trace job_file_bytes, too), or record a shorter trace.",
            "The profile needs more than the limit job_memory_bytes of %zu bytes.", a->limit_bytes);
    return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later, or on a larger machine.",
                    "The machine has no memory left for this profile.");
}

/* In files of all conversions of this process. */
static _Atomic uint64_t file_bytes;

struct conversion *conversion_new(const struct config *config)
{
    struct conversion *f = malloc(sizeof(*f));
    struct shared_profile *made = calloc(1, sizeof(*made));
    struct reader_limits limits = conversion_limits(config);

    if (f == NULL || made == NULL) {
        free(f);
        free(made);
        return NULL;
    }
    made->member = "";
    arena_init(&made->arena, (size_t)config->job_memory_bytes);
    made->files = (struct mapped_files){config_place(config), config->job_file_bytes, &file_bytes};
    made->arena.files = (struct arena_files){mapped_file_grow, mapped_file_free, &made->files};
    *f = (struct conversion){.made = made};
    if (conversion_seed(&f->seed, &f->reader.diag) &&
        !reader_init(&f->reader, &made->arena, &limits, f->seed))
        conversion_arena_failed(&made->arena, &f->reader.diag);
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
        conversion_arena_failed(&f->made->arena, &f->reader.diag);
        return;
    }
    f->made->member = copy;
    reader_choose(&f->reader, str_of(copy));
}

void conversion_split(struct conversion *f, const char *key)
{
    if (key[0] != '\0' && f->reader.diag.kind == DIAG_NONE)
        reader_split(&f->reader, str_of(key));
}

bool conversion_map(struct conversion *f, int fd, struct str package, struct diag *diag)
{
    if (package.n > MAP_NAMES_PACKAGE_BYTES)
        return diag_set(diag, DIAG_USAGE, "not a package", "Name it as com.foo.",
                        "The package's name is too long.");
    if (f->mappings.n == MAP_NAMES_MAX)
        return diag_set(diag, DIAG_USAGE, "too many mappings", "Name those of the parts that were recorded.",
                        "A profile takes the names of %d mappings at most.", MAP_NAMES_MAX);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return diag_set(diag, DIAG_IO, "cannot read the mapping", "Try again later.", "%s.", strerror(errno));
    memcpy(f->mappings.packages[f->mappings.n], package.p, package.n);
    f->mappings.fds[f->mappings.n++] = own;
    return true;
}

/* Has this file read beside the input: takes a duplicate of the descriptor. False: diag. */
static bool conversion_packets(struct conversion *f, int fd, struct diag *diag)
{
    struct shared_profile *made = f->made;
    size_t i = made->n_packets;

    if (i == READER_NAMES_MAX)
        return diag_set(diag, DIAG_USAGE, "too many files", "Put them into one file, one behind the other.",
                        "A trace takes symbols from %d files at most.", READER_NAMES_MAX);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return diag_set(diag, DIAG_IO, "cannot read the symbols", "Try again later.", "%s.", strerror(errno));
    /* The profile's from here on, which reads them again for charts and windows. */
    made->packets[made->n_packets++] = own;
    f->packets.of[i] = (struct readable){.fd = own};
    f->packets.files[i] = readable_input(&f->packets.of[i]);
    return reader_attach(&f->reader, &f->packets.files[i]);
}

/* Symbols of a Perfetto trace are read with it, all others for the frames that have no names then. */
bool conversion_symbols(struct conversion *f, int fd, struct str name, struct diag *diag)
{
    char head[SYMBOL_HEAD_BYTES];
    ssize_t n = TEMP_FAILURE_RETRY(pread(fd, head, sizeof(head), 0)); /* fails of a folder */

    if (n > 0 && reader_is_names(head, (size_t)n))
        return conversion_packets(f, fd, diag);
    if (f->reader.diag.kind == DIAG_NONE)
        reader_keep_addresses(&f->reader);
    f->made->addresses = true;
    return symbol_sources_add(&f->symbols, fd, name, diag);
}

/* ---- files ---- */

bool conversion_seed(struct hash_seed *seed, struct diag *diag)
{
    return random_bytes(seed, sizeof(*seed)) ||
           diag_set(
               diag, DIAG_IO, "no randomness", "Try again later.",
               "The system gives no random numbers, without which a file could be made to take for ever.");
}

bool conversion_no_memory(struct diag *diag)
{
    return diag_no_memory(diag, "No memory is left to read the file.");
}

static void close_names(struct conversion *f)
{
    symbol_sources_close(&f->symbols);
    for (uint32_t i = 0; i < f->mappings.n; i++)
        close(f->mappings.fds[i]);
}

void conversion_abandon(struct conversion *f)
{
    if (f == NULL)
        return;
    close_names(f);
    kept_log_free(f->keeps);
    shared_profile_free(f->made);
    free(f);
}

/* ---- reading ---- */

void conversion_parallel(struct conversion *f, const struct parallel *parallel)
{
    reader_parallel(&f->reader, parallel);
}

void conversion_stop(struct conversion *f, const struct stop *stop)
{
    f->made->arena.stop = stop;
}

const struct profile *conversion_read_bytes(struct conversion *f, const struct source_input *in)
{
    struct names_packets *packets = &f->packets;

    for (size_t i = 0; i < f->made->n_packets; i++)
        packets->of[i].stop = f->made->arena.stop;
    const struct profile *p = reader_read(&f->reader, in);
    for (size_t i = 0; p == NULL && i < f->made->n_packets; i++)
        if (packets->of[i].diag.kind != DIAG_NONE)
            f->reader.diag = packets->of[i].diag; /* knows more than that it could not be read */
    diag_add_words(&f->reader.diag);
    return p;
}

/* A place for the log of a profile with times; and the log, if it was written. Before the names, which it
 * knows nothing of. */
static bool place_log(struct conversion *f)
{
    struct shared_profile *made = f->made;
    struct diag *diag = &f->reader.diag;

    if (!made->profile->timed)
        return true;
    made->log = arena_alloc(&made->arena, sizeof(*made->log));
    if (made->log == NULL)
        return conversion_arena_failed(&made->arena, diag);
    atomic_init(made->log, NULL);
    if (f->keeps == NULL || (made->profile->n_times == 0 && !f->logs_samples))
        return true;
    struct diag lacks = {0};
    if (!kept_log_finish(f->keeps, made->profile, f->log_may_lack ? &lacks : diag))
        return f->log_may_lack;
    atomic_store(made->log, f->keeps);
    f->keeps = NULL;
    return true;
}

/* False: f->reader.diag, or the arena gives no more; and there is no profile. */
static bool tell_names(struct conversion *f)
{
    struct shared_profile *made = f->made;
    const struct stop *stop = made->arena.stop;
    struct diag *diag = &f->reader.diag;
    const struct profile *p = symbol_names(made->profile, &f->symbols, f->seed, stop, &made->arena, diag);

    if (p != NULL)
        p = map_names(p, &f->mappings, f->seed, stop, &made->arena, diag);
    made->profile = p;
    return p != NULL;
}

struct shared_profile *conversion_read(struct conversion *f, const struct source_input *in, struct diag *diag)
{
    struct shared_profile *made = f->made;

    made->profile = conversion_read_bytes(f, in);
    if (made->profile != NULL && !place_log(f))
        made->profile = NULL;
    if (made->profile != NULL && !tell_names(f) && f->reader.diag.kind == DIAG_NONE)
        conversion_arena_failed(&made->arena, &f->reader.diag);
    if (made->profile != NULL) {
        made->names = names_new(made->profile, &made->arena);
        if (made->names == NULL)
            conversion_arena_failed(&made->arena, &f->reader.diag);
    }
    if (made->names == NULL) {
        *diag = f->reader.diag;
        conversion_abandon(f);
        return NULL;
    }
    close_names(f);
    kept_log_free(f->keeps);
    free(f);
    arena_trim(&made->arena);
    made->arena.stop = NULL; /* the profile outlives who was told to stop */
    return made;
}

/* ---- views ---- */

enum { PAGE_EMBED_NODES = 3000, PAGE_WHOLE_BYTES = 1 << 20 };

void convert_defaults(const struct config *config, struct view_options *view)
{
    view_defaults(view);
    view->embed_nodes = limit_u32(config->svg_embed_nodes);
    view->embed_bytes = config->svg_embed_bytes;
    view->presets = config->filter_presets;
}

void convert_for_page(struct view_options *view, uint64_t bytes)
{
    if (bytes >= PAGE_WHOLE_BYTES && view->embed_nodes > PAGE_EMBED_NODES)
        view->embed_nodes = PAGE_EMBED_NODES;
}

/* Of each frame; NULL: the arena gives no more. */
static const uint8_t *origins_of(const struct names *names, uint32_t n_frames, struct arena *scratch)
{
    uint8_t *origins = arena_array(scratch, n_frames, sizeof(*origins));

    for (frame_id i = 0; origins != NULL && i < n_frames; i++)
        origins[i] = names_of(names, i)->origin;
    return origins;
}

bool conversion_filter(const struct profile *p, const struct names *names, const struct view_options *view,
                       struct filter_step *steps, struct filter_request *filter, struct arena *arena)
{
    *filter = (struct filter_request){steps, view->filters.n, view_presets(view), NULL};
    for (uint32_t i = 0; i < view->filters.n; i++)
        steps[i] = view_filter(view, i);
    if (filter_wants_origins(filter))
        filter->origins = origins_of(names, p->n_frames, arena);
    return filter->origins != NULL || !filter_wants_origins(filter);
}

/* The profile that is drawn. NULL: the arena gives no more, or diag is set. */
static const struct profile *transformed(const struct profile *p, const struct names *names,
                                         const struct view_options *view, struct arena *scratch,
                                         struct diag *diag)
{
    struct filter_step steps[FILTER_STEPS_MAX];
    struct transform_request request = {.moment = view_moment(view), .open_to_end = view->open == OPEN_END};

    return conversion_filter(p, names, view, steps, &request.filter, scratch)
               ? transform_apply(p, &request, scratch, diag)
               : NULL;
}

const struct names *conversion_names(const struct shared_profile *f, const struct view_options *view,
                                     struct arena *arena)
{
    struct own_code own;

    return view->app[0] != '\0' && own_code_parse(str_of(view->app), &own)
               ? names_with_own(f->names, f->profile, &own, arena)
               : f->names;
}

static bool render(const struct shared_profile *f, const struct convert_drawing *d,
                   const struct view_options *view, const struct spans *spans, struct arena *scratch,
                   struct buf *out, struct diag *diag)
{
    struct render_input in = {
        .names = conversion_names(f, view, scratch), .view = view, .spans = spans, .scratch = scratch};

    if (in.names != NULL)
        in.profile = transformed(f->profile, in.names, view, scratch, diag);
    if (in.profile == NULL)
        return diag->kind == DIAG_NONE && fail_arena(scratch, diag);
    return d->draw(d->what, &in, out, diag) && (!out->failed || fail_buf(out, diag));
}

bool convert_within(const struct convert_source *s, const struct convert_drawing *d,
                    const struct view_options *view, const struct spans *spans, struct buf *out,
                    struct diag *diag)
{
    size_t limit = out->limit, ceiling;
    struct arena scratch;

    arena_init(&scratch, (size_t)s->config->view_memory_bytes);
    scratch.stop = s->stop;
    if (__builtin_add_overflow(out->n, (size_t)s->config->view_memory_bytes, &ceiling))
        ceiling = SIZE_MAX;
    if (limit == 0 || ceiling < limit)
        out->limit = ceiling;
    bool ok = render(s->profile, d, view, spans, &scratch, out, diag);
    out->limit = limit;
    arena_free(&scratch);
    return ok;
}

bool convert_drawn(const struct convert_source *s, const struct convert_drawing *d,
                   const struct view_options *view, struct buf *out, struct diag *diag)
{
    struct view_options resolved = *view;

    /* A budget for what a picture carries that is above the memory of a view makes a smaller picture, not
     * a failure. */
    if (resolved.embed_bytes > s->config->view_memory_bytes / 2)
        resolved.embed_bytes = s->config->view_memory_bytes / 2;
    return view_resolve(&resolved, s->profile->profile, diag) &&
           convert_within(s, d, &resolved, NULL, out, diag);
}

/* ---- the log of a profile's calls ---- */

/* The log of calls of a profile (profile/log/call_log.h): made by reading the profile's bytes a second
 * time, when it is first needed, and then kept with the profile for all who need it. It is of the bytes:
 * names, filters and windows do not change it. */

struct kept_log {
    struct log_memory memory;
    struct call_log log;
    struct arena arena; /* the writer's, until it is written */
    struct call_log_writer *writer;
};

void kept_log_free(struct kept_log *k)
{
    if (k == NULL)
        return;
    call_log_close(&k->log);
    log_memory_free(&k->memory);
    arena_free(&k->arena);
    free(k);
}

/* of NULL 0 */
static size_t kept_log_bytes(const struct kept_log *k)
{
    return k == NULL ? 0 : sizeof(*k) + (size_t)k->memory.bytes;
}

/* ---- writing ---- */

/* The memory for the log is that of a job. */
static bool write_failed(const struct kept_log *k, struct diag *diag)
{
    if (k->memory.full)
        return diag_set(
            diag, DIAG_LIMIT, "profile too large",
            "Raise job_memory_bytes in the configuration (of a system trace job_file_bytes, too), or record a shorter trace.",
            "The log of its calls needs more than the limit job_memory_bytes of %llu bytes.",
            (unsigned long long)k->memory.limit);
    return k->arena.failure != ARENA_OK ? conversion_arena_failed(&k->arena, diag)
                                        : conversion_no_memory(diag);
}

bool conversion_keep_log(struct conversion *f, bool of_samples, struct diag *diag)
{
    const size_t limit_bytes = f->made->arena.limit_bytes;
    struct kept_log *k = calloc(1, sizeof(*k));

    if (f->reader.diag.kind != DIAG_NONE || k == NULL) {
        free(k);
        if (f->reader.diag.kind != DIAG_NONE)
            *diag = f->reader.diag;
        else
            conversion_no_memory(diag);
        return false;
    }
    k->memory.limit = limit_bytes;
    arena_init(&k->arena, limit_bytes);
    const struct call_log_sink sink = log_memory_sink(&k->memory);
    k->writer = call_log_writer_new(&k->arena, &sink, CALL_LOG_BLOCK_BYTES);
    if (k->writer == NULL) {
        write_failed(k, diag);
        kept_log_free(k);
        return false;
    }
    (of_samples ? builder_log : builder_log_events)(f->reader.builder, k->writer);
    f->keeps = k;
    f->logs_samples = of_samples;
    return true;
}

void conversion_may_keep_log(struct conversion *f, size_t limit_bytes)
{
    struct diag ignored = {0};

    f->log_may_lack = true;
    if (limit_bytes == 0 || !conversion_keep_log(f, false, &ignored))
        return;
    if (limit_bytes < f->keeps->memory.limit)
        f->keeps->memory.limit = f->keeps->arena.limit_bytes = limit_bytes;
}

bool kept_log_finish(struct kept_log *k, const struct profile *p, struct diag *diag)
{
    bool memory_failed;

    if (!call_log_finish(k->writer, p->n_frames))
        return write_failed(k, diag);
    k->writer = NULL;
    arena_free(&k->arena);
    const struct call_log_source source = log_memory_source(&k->memory);
    return call_log_open(&k->log, &source, &memory_failed) || conversion_no_memory(diag);
}

/* NULL: it is not there. */
static struct kept_log *kept_log_of(const struct shared_profile *f)
{
    const struct shared_profile *whole = shared_profile_whole(f);

    return whole->log != NULL ? atomic_load(whole->log) : NULL;
}

/* Whether the log is there; of a window of time, that of the whole. Any thread. */
static bool profile_log_is_there(const struct shared_profile *f)
{
    return kept_log_of(f) != NULL;
}

/* ---- the second reading ---- */

/* Frames are named by their ids in the first reading: the second one must have been of the same bytes. */
static bool same_profile(const struct profile *first, const struct profile *b, struct diag *diag)
{
    const struct profile *a = rename_original(first);

    if (a->n_frames == b->n_frames && a->n_nodes == b->n_nodes && a->n_tracks == b->n_tracks)
        return true;
    return diag_set(diag, DIAG_IO, "the file changed", "Try again when nothing writes to it any more.",
                    "The file was read twice, and was not the same.");
}

static bool attach_packets(struct conversion *again, const struct shared_profile *whole, struct diag *diag)
{
    bool ok = true;

    for (size_t i = 0; ok && i < whole->n_packets; i++)
        ok = conversion_packets(again, whole->packets[i], diag);
    return ok;
}

/* As the profile was read first. NULL: diag. */
static struct conversion *read_again(const struct convert_source *s, struct diag *diag)
{
    const struct shared_profile *whole = shared_profile_whole(s->profile);
    struct conversion *again = conversion_new(s->config);

    if (again == NULL) {
        conversion_no_memory(diag);
        return NULL;
    }
    conversion_choose(again, whole->member);
    bool ok = attach_packets(again, whole, diag);
    if (ok && again->reader.diag.kind == DIAG_NONE)
        reader_split(&again->reader, whole->profile->split);
    if (ok && whole->addresses && again->reader.diag.kind == DIAG_NONE)
        reader_keep_addresses(&again->reader);
    if (ok && again->reader.diag.kind == DIAG_NONE)
        return again;
    if (ok)
        *diag = again->reader.diag;
    conversion_abandon(again);
    return NULL;
}

static bool read_log(struct conversion *again, const struct convert_source *s, const struct source_input *in,
                     struct diag *diag)
{
    const struct shared_profile *whole = shared_profile_whole(s->profile);
    const struct profile *p = conversion_read_bytes(again, in);
    struct kept_log *none = NULL;

    if (p == NULL)
        *diag = again->reader.diag;
    if (p == NULL || !same_profile(whole->profile, p, diag) || !kept_log_finish(again->keeps, p, diag))
        return false;
    if (atomic_compare_exchange_strong(whole->log, &none, again->keeps))
        again->keeps = NULL;
    return true;
}

bool profile_log_read(const struct convert_source *s, const struct source_input *in,
                      const struct parallel *parallel, const struct stop *stop, struct diag *diag)
{
    struct conversion *again = read_again(s, diag);

    if (again != NULL) {
        conversion_parallel(again, parallel);
        conversion_stop(again, stop);
    }
    bool ok = again != NULL && conversion_keep_log(again, true, diag) && read_log(again, s, in, diag);
    conversion_abandon(again);
    return ok;
}

bool profile_log_make(const struct convert_source *s, struct diag *diag)
{
    struct readable file = {.fd = s->fd, .stop = s->stop};
    const struct source_input in = readable_input(&file);

    if (profile_log_is_there(s->profile))
        return true;
    if (s->make_log != NULL)
        return s->make_log(s->make_log_context, s, diag);
    bool ok = profile_log_read(s, &in, NULL, s->stop, diag);
    if (!ok && file.diag.kind != DIAG_NONE)
        *diag = file.diag;
    return ok;
}

/* ---- replaying ---- */

void profile_log_request(const struct shared_profile *f, struct replay_request *request)
{
    request->log = &kept_log_of(f)->log;
    request->profile = shared_profile_whole(f)->profile;
}

bool profile_log_ended(enum replay_end end, struct diag *diag)
{
    if (end == REPLAY_DAMAGED && diag->kind == DIAG_NONE)
        return diag_set(diag, DIAG_IO, "the log of calls cannot be read", "Try again.",
                        "What was kept of this profile is damaged.");
    return end == REPLAY_DONE;
}

bool profile_log_replay(const struct convert_source *s, struct replay_request *request, struct diag *diag)
{
    struct arena arena;

    if (!profile_log_make(s, diag))
        return false;
    arena_init(&arena, (size_t)s->config->job_memory_bytes);
    arena.stop = s->stop;
    profile_log_request(s->profile, request);
    bool ok = profile_log_ended(replay_all(request, &arena), diag);
    if (!ok && diag->kind == DIAG_NONE && arena.failure != ARENA_OK)
        conversion_arena_failed(&arena, diag);
    arena_free(&arena);
    return ok;
}
