/* Lanes of slices of time that follow each other: pixels stand side by side, and a message that an edge cuts is told by both. */
#include "profile/calls/lanes.h"

#include <string.h>

bool lanes_has_slices(const struct lanes_request *r)
{
    /* A sample before a slice tells what its thread does at the beginning. */
    bool has = !r->marks && r->filter == NULL && r->sample_cpu == 0 && r->sample_waiting == 0;

    for (uint32_t i = 0; i < r->n_tracks; i++)
        has = has && !r->tracks[i].is_open;
    return has;
}

struct lanes_request lanes_slice(const struct lanes_request *whole, const uint64_t *edges, uint32_t first_px,
                                 uint32_t end_px)
{
    struct lanes_request slice = *whole;

    slice.edges = &edges[first_px];
    slice.width_px = end_px - first_px;
    slice.from_ns = edges[first_px];
    slice.to_ns = edges[end_px];
    return slice;
}

static bool join_pixels(struct arena *arena, const struct lanes_request *whole, struct lane *to,
                        const struct lane *from, uint32_t first_px, uint32_t width_px)
{
    if (from->pixels == NULL)
        return true;
    if (to->pixels == NULL) {
        to->pixels = arena_array(arena, whole->width_px, sizeof(*to->pixels));
        to->methods = whole->methods ? arena_array(arena, whole->width_px, sizeof(*to->methods)) : NULL;
        if (to->pixels == NULL || (whole->methods && to->methods == NULL))
            return false;
        for (uint32_t i = 0; to->methods != NULL && i < whole->width_px; i++)
            to->methods[i].frame = FRAME_NONE;
    }
    memcpy(&to->pixels[first_px], from->pixels, width_px * sizeof(*to->pixels));
    if (to->methods != NULL)
        memcpy(&to->methods[first_px], from->methods, width_px * sizeof(*to->methods));
    return true;
}

static bool is_same(const struct listed_call *a, const struct listed_call *b)
{
    return a->begin_ns == b->begin_ns && a->end_ns == b->end_ns && a->track == b->track &&
           a->depth == b->depth && a->frame == b->frame;
}

/* Sorted, equal ones would stand side by side, but a list that is full has only so many places. */
static void add_messages(struct longest_calls *to, const struct longest_calls *from)
{
    for (uint32_t i = 0; i < from->n; i++) {
        bool known = false;
        for (uint32_t k = 0; k < to->n && !known; k++)
            known = is_same(&to->list[k], &from->list[i]);
        if (!known)
            longest_calls_add(to, &from->list[i]);
    }
}

const struct lanes *lanes_join(struct arena *arena, const struct lanes_request *whole,
                               const struct lanes *const *slices, const uint32_t *first_px, uint32_t n)
{
    struct lanes *joined = arena_alloc(arena, sizeof(*joined));
    struct lane *list = arena_array(arena, whole->n_tracks, sizeof(*list));

    if (joined == NULL || list == NULL)
        return NULL;
    *joined = (struct lanes){.list = list, .n = whole->n_tracks};
    if (!longest_calls_init(&joined->messages, arena, LANES_MESSAGES_MAX))
        return NULL;
    for (uint32_t i = 0; i < whole->n_tracks; i++)
        list[i].of = &whole->tracks[i];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t end_px = k + 1 < n ? first_px[k + 1] : whole->width_px;
        for (uint32_t i = 0; i < whole->n_tracks; i++)
            if (!join_pixels(arena, whole, &list[i], &slices[k]->list[i], first_px[k], end_px - first_px[k]))
                return NULL;
        add_messages(&joined->messages, &slices[k]->messages);
    }
    longest_calls_sort(&joined->messages);
    return joined;
}
