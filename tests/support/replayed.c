#include "tests/support/replayed.h"

#include <stdlib.h>
#include <string.h>

static void need(bool condition)
{
    if (!condition)
        abort();
}

void replayed_begin(struct replayed *r, struct builder *b)
{
    static const size_t BLOCK_BYTES[] = {1, 30, 64 << 10, 80, 200, 600};
    static unsigned n;

    *r = (struct replayed){.block_bytes = BLOCK_BYTES[n++ % (sizeof(BLOCK_BYTES) / sizeof(BLOCK_BYTES[0]))]};
    arena_init(&r->arena, 256 << 20);
    const struct call_log_sink sink = log_memory_sink(&r->memory);
    r->writer = call_log_writer_new(&r->arena, &sink, r->block_bytes);
    need(r->writer != NULL);
    builder_log(b, r->writer);
}

void replayed_end(struct replayed *r, const struct profile *p)
{
    bool memory_failed;

    need(p != NULL && call_log_finish(r->writer, p->n_frames));
    const struct call_log_source source = log_memory_source(&r->memory);
    need(call_log_open(&r->log, &source, &memory_failed));
}

void replayed_close(struct replayed *r)
{
    call_log_close(&r->log);
    log_memory_free(&r->memory);
    arena_free(&r->arena);
}

static bool read_file(void *context, uint64_t offset, void *to, size_t n)
{
    const struct replayed_file *f = context;

    if (offset > f->n || n > f->n - offset)
        return false;
    memcpy(to, f->p + offset, n);
    return true;
}

struct call_log_source replayed_source(struct replayed_file *file)
{
    return (struct call_log_source){.read_at = read_file, .context = file, .size = file->n};
}

enum replay_end replayed_play(const struct replayed *r, const struct profile *p,
                              struct replay_request request)
{
    struct arena arena;

    arena_init(&arena, 256 << 20);
    uint32_t *all = arena_array(&arena, p->n_tracks, sizeof(*all));
    need(all != NULL);
    for (uint32_t i = 0; i < p->n_tracks; i++)
        all[i] = i;
    request.log = &r->log;
    request.profile = p;
    if (request.tracks == NULL) {
        request.tracks = all;
        request.n_tracks = p->n_tracks;
    }
    enum replay_end end = replay_all(&request, &arena);
    arena_free(&arena);
    return end;
}
