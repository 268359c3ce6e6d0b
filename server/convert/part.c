/* Parts of a file in place of the whole: a second reading that is to look at a window of time begins at a checkpoint and ends at one
 * (profile/calls/checkpoints.h). The first second reading of a profile takes them for all that come after it. */
#include "profile/calls/checkpoints.h"
#include "profile/rename/rename.h"
#include "server/convert/convert_impl.h"

enum { CHECKPOINTS_OF_JOB = 32, CHECKPOINTS_OF_PROFILE = 4, CHECKPOINTS_LEAST_BYTES = 64 << 10 };

/* As it was read: renamed, it has other frames. */
static const struct profile *as_read(const struct shared_profile *whole)
{
    return rename_original(whole->profile);
}

bool part_prepare(struct shared_profile *whole)
{
    size_t limit = whole->arena.limit_bytes / CHECKPOINTS_OF_JOB;
    size_t wanted = whole->arena.used_bytes / CHECKPOINTS_OF_PROFILE + CHECKPOINTS_LEAST_BYTES;

    if (!reader_may_hold(whole->profile->format))
        return true;
    whole->checkpoints_bytes = wanted < limit ? wanted : limit;
    whole->checkpoints = arena_alloc(&whole->arena, sizeof(*whole->checkpoints));
    if (whole->checkpoints != NULL)
        atomic_init(whole->checkpoints, NULL);
    return whole->checkpoints != NULL;
}

struct checkpoints *part_record(const struct shared_profile *whole, struct conversion *again)
{
    struct checkpoints *c = NULL;

    if (whole->checkpoints != NULL && atomic_load(whole->checkpoints) == NULL &&
        again->reader.diag.kind == DIAG_NONE)
        c = checkpoints_new(as_read(whole), whole->checkpoints_bytes);
    if (c != NULL)
        builder_checkpoints(again->reader.builder, c);
    return c;
}

/* Places in what is packed are no places in the file. Of a short file the layout may not be told without all of it. */
static bool can_be_used(const struct conversion *again, const struct checkpoints *c)
{
    return again->reader.way == READER_PLAIN && checkpoints_count(c) > 0 &&
           again->reader.offset >= checkpoints_first(c) + HOLD_BYTES_MAX;
}

void part_recorded(const struct shared_profile *whole, const struct conversion *again, struct checkpoints *c,
                   bool ok)
{
    struct checkpoints *none = NULL;

    if (c != NULL &&
        (!ok || !can_be_used(again, c) || !atomic_compare_exchange_strong(whole->checkpoints, &none, c)))
        checkpoints_free(c);
}

bool part_outside_is_less(const struct shared_profile *whole, const struct window *window)
{
    const struct window before = {0, window->from_ns}, behind = {window->to_ns, WINDOW_NO_END};
    const struct profile *p = as_read(whole);
    const struct checkpoints *c = whole->checkpoints != NULL ? atomic_load(whole->checkpoints) : NULL;

    if (c == NULL || p->n_times == 0)
        return false;
    uint64_t outside = before.to_ns > 0 ? checkpoints_bytes(c, p, &before) : 0;
    outside += behind.from_ns != WINDOW_NO_END ? checkpoints_bytes(c, p, &behind) : 0;
    return outside < checkpoints_bytes(c, p, window);
}

static bool changed(struct conversion *again, struct diag *diag)
{
    const struct arena *a = &again->made->arena;

    if (again->reader.diag.kind != DIAG_NONE) {
        *diag = again->reader.diag;
        return false;
    }
    if (a->failure != ARENA_OK)
        return conversion_arena_failed(a, diag);
    return diag_set(diag, DIAG_IO, "the file changed", "Try again when nothing writes to it any more.",
                    "A part of the file was read again, and was not the same.");
}

/* Up to the first record, of which none is read. */
static bool read_head(struct conversion *again, int fd, const struct stop *stop, struct diag *diag)
{
    enum convert_step step = CONVERT_MORE;
    uint64_t offset = 0;

    reader_hold(&again->reader);
    while (step == CONVERT_MORE && !reader_is_held(&again->reader))
        step = conversion_feed_file(again, fd, &offset, stop, diag);
    if (step == CONVERT_FAILED)
        return false;
    return reader_is_held(&again->reader) || changed(again, diag);
}

/* Records, or definitions: where these begin a packet does. */
static bool read_range(struct conversion *again, uint64_t from, uint64_t to, int fd, const struct stop *stop,
                       struct diag *diag)
{
    enum convert_step step = CONVERT_MORE;

    reader_go_on(&again->reader, from);
    while (step == CONVERT_MORE && from < to)
        step = conversion_feed_until(again, fd, &from, to, stop, diag);
    if (step == CONVERT_FAILED)
        return false;
    return (reader_end_part(&again->reader) && again->reader.diag.kind == DIAG_NONE) || changed(again, diag);
}

/* What stands in front of the part and is not known from the head of the file. */
static bool read_before(struct conversion *again, const struct checkpoint_part *part, uint64_t head_bytes,
                        int fd, const struct stop *stop, struct diag *diag)
{
    for (size_t i = 0; i < part->n_definitions; i++) {
        const struct checkpoint_range *d = &part->definitions[i];
        uint64_t from = d->from > head_bytes ? d->from : head_bytes;
        if (from < d->to && !read_range(again, from, d->to, fd, stop, diag))
            return false;
    }
    return reader_resume(&again->reader, part->state, part->state_bytes) || changed(again, diag);
}

bool part_read(const struct shared_profile *whole, struct conversion *again, const struct window *window,
               int fd, const struct stop *stop, struct watcher *w, struct diag *diag)
{
    struct checkpoint_part part;

    if (!read_head(again, fd, stop, diag) || !conversion_watch(again, whole, w, diag))
        return false;
    uint64_t head_bytes = again->reader.offset;
    checkpoints_part(atomic_load(whole->checkpoints), as_read(whole), window, &part);
    if (!checkpoints_begin(&part, again->reader.builder))
        return changed(again, diag);
    return read_before(again, &part, head_bytes, fd, stop, diag) &&
           read_range(again, part.from > 0 ? part.from : head_bytes, part.to, fd, stop, diag) &&
           (checkpoints_end(&part, again->reader.builder) || changed(again, diag));
}
