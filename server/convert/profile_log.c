#include "server/convert/profile_log.h"

#include <stdlib.h>

#include "profile/log/log_memory.h"
#include "profile/rename/rename.h"
#include "server/convert/convert_impl.h"

struct kept_log {
    struct log_memory memory;
    struct call_log log;
    struct call_log_writer *writer; /* until it is written; in the memory of the reading */
};

void kept_log_free(struct kept_log *k)
{
    if (k == NULL)
        return;
    call_log_close(&k->log);
    log_memory_free(&k->memory);
    free(k);
}

size_t kept_log_bytes(const struct kept_log *k)
{
    return k == NULL ? 0 : sizeof(*k) + (size_t)k->memory.bytes;
}

/* ---- writing ---- */

/* The memory for the log is that of a job. */
static bool write_failed(const struct kept_log *k, const struct arena *arena, struct diag *diag)
{
    if (k->memory.full)
        return diag_set(diag, DIAG_LIMIT, "profile too large",
                        "Raise job_memory_bytes in the configuration, or record a shorter trace.",
                        "The log of its calls needs more than the limit job_memory_bytes of %llu bytes.",
                        (unsigned long long)k->memory.limit);
    return arena->failure != ARENA_OK ? conversion_arena_failed(arena, diag) : conversion_no_memory(diag);
}

bool conversion_keep_log(struct conversion *f, struct diag *diag)
{
    struct arena *arena = &f->made->arena;
    struct kept_log *k = calloc(1, sizeof(*k));

    if (f->reader.diag.kind != DIAG_NONE || k == NULL) {
        free(k);
        if (f->reader.diag.kind != DIAG_NONE)
            *diag = f->reader.diag;
        else
            conversion_no_memory(diag);
        return false;
    }
    k->memory.limit = arena->limit_bytes;
    const struct call_log_sink sink = log_memory_sink(&k->memory);
    k->writer = call_log_writer_new(arena, &sink, CALL_LOG_BLOCK_BYTES);
    if (k->writer == NULL) {
        free(k);
        return conversion_arena_failed(arena, diag);
    }
    builder_log(f->reader.builder, k->writer);
    f->keeps = k;
    return true;
}

bool kept_log_finish(struct kept_log *k, const struct arena *arena, const struct profile *p,
                     struct diag *diag)
{
    bool memory_failed;

    if (!call_log_finish(k->writer, p->n_frames))
        return write_failed(k, arena, diag);
    k->writer = NULL;
    const struct call_log_source source = log_memory_source(&k->memory);
    return call_log_open(&k->log, &source, &memory_failed) || conversion_no_memory(diag);
}

/* NULL: it is not there. */
static struct kept_log *kept_log_of(const struct shared_profile *f)
{
    const struct shared_profile *whole = shared_profile_whole(f);

    return whole->log != NULL ? atomic_load(whole->log) : NULL;
}

bool profile_log_is_there(const struct shared_profile *f)
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
    if (p == NULL || !same_profile(whole->profile, p, diag) ||
        !kept_log_finish(again->keeps, &again->made->arena, p, diag))
        return false;
    if (atomic_compare_exchange_strong(whole->log, &none, again->keeps))
        again->keeps = NULL;
    return true;
}

bool profile_log_read(const struct convert_source *s, const struct source_input *in, const struct stop *stop,
                      struct diag *diag)
{
    struct conversion *again = read_again(s, diag);

    if (again != NULL)
        conversion_stop(again, stop);
    bool ok = again != NULL && conversion_keep_log(again, diag) && read_log(again, s, in, diag);
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
    bool ok = profile_log_read(s, &in, s->stop, diag);
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
