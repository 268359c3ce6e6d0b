/* The tracks of the threads that trace events tell of. */
#include <stdio.h>
#include <string.h>

#include "parser/json/json_chrome_impl.h"

/* STRING_NONE: no memory. */
static string_id thread_name(struct json_doc *d, const struct json_chrome_thread *t, struct str tid,
                             bool is_number)
{
    char text[ID_BYTES + 8];

    if (t->name != STRING_EMPTY)
        return t->name;
    if (!is_number)
        return t->tid;
    int n = snprintf(text, sizeof(text), "Thread-%.*s", (int)tid.n, tid.p);
    return builder_string(d->builder, (struct str){text, (size_t)n});
}

/* NODE_NONE: diag, or no memory. */
static uint32_t new_track(struct json_doc *d, uint32_t thread)
{
    struct json_chrome *c = d->chrome;
    const struct json_chrome_thread *t = &c->threads[thread];
    struct str tid = builder_text_of(d->builder, t->tid);
    struct json_number number;
    int64_t value = -1;
    bool is_number = json_in_parse_number(tid, &number) && json_in_whole(number, &value);
    bool fits = is_number && value >= 0 && value <= UINT32_MAX;
    struct track_words words = {.kind = TRACK_THREAD,
                                .number = fits ? (uint32_t)value : d->tracks.n + 1,
                                .group =
                                    json_group(d->builder, builder_text_of(d->builder, c->groups[t->process]),
                                               builder_text_of(d->builder, c->pids[t->process]))};

    words.process = json_process(builder_text_of(d->builder, c->pids[t->process]));
    return json_track(&d->tracks, thread_name(d, t, tid, is_number), &words);
}

/* Each thread has one track, also if several profiles are of it. */
uint32_t json_chrome_track(struct json_doc *d, uint32_t *tracks, uint32_t thread)
{
    if (tracks[thread] == NODE_NONE)
        tracks[thread] = new_track(d, thread);
    return tracks[thread];
}

/* NULL: no memory. */
uint32_t *json_chrome_no_tracks(struct json_doc *d)
{
    size_t n = d->chrome->n_threads;
    uint32_t *tracks = arena_array(d->arena, n + 1, sizeof(*tracks));

    if (tracks != NULL)
        memset(tracks, 0xff, (n + 1) * sizeof(*tracks));
    return tracks;
}
