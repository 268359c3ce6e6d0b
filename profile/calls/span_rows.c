#include "profile/calls/span_rows.h"

struct span_rows {
    const struct span_filter *filter;
    struct span_sink *const *sinks;
    struct call_rows *rows;
};

static bool put(void *context, const struct call_row *row)
{
    const struct span_rows *s = context;

    span_sink_put(s->sinks[profile_place(s->filter->tracks, s->filter->n_tracks, row->track)],
                  &(struct span){.frame = row->frame,
                                 .depth = row->depth,
                                 .flags = row->flags,
                                 .calls = 1,
                                 .begin_ns = row->begin_ns,
                                 .end_ns = row->end_ns,
                                 .self_ns = row->self_ns});
    return true;
}

struct span_rows *span_rows_new(struct arena *arena, const struct span_filter *filter, bool open_to_end,
                                struct span_sink *const *sinks)
{
    struct span_rows *s = arena_alloc(arena, sizeof(*s));

    if (s == NULL)
        return NULL;
    const struct call_rows_request request = {.profile = filter->profile,
                                              .open_to_end = open_to_end,
                                              .filter = &filter->stacks,
                                              .nested = true,
                                              .row = put,
                                              .context = s};
    s->filter = filter;
    s->sinks = sinks;
    s->rows = call_rows_new(arena, &request, filter->seed);
    return s->rows != NULL ? s : NULL;
}

struct replay_sink span_rows_replay(struct span_rows *s)
{
    return call_rows_replay(s->rows);
}
