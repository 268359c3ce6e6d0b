/* Samples within trace events: CPU profiles of V8, whose pieces are put together; and those that refer to stackFrames. */
#include <stdio.h>
#include <string.h>

#include "core/order.h"
#include "parser/json/json_chrome_impl.h"

/* ---- the tracks of threads ---- */

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

static bool declare_samples(struct json_doc *d)
{
    json_values_need(&d->values, JSON_WALL);
    json_values_need(&d->values, JSON_SAMPLES);
    return json_values_declare(&d->values);
}

/* ---- CPU profiles ---- */

static bool chunk_before(const void *context, uint32_t a, uint32_t b)
{
    const struct json_chrome_chunk *chunks = context;

    return chunks[a].ts < chunks[b].ts;
}

/* A CPU profile that is put together from its pieces. */
struct whole {
    struct json_js js;
    struct json_js_part part;
    int64_t start, end, ts;
    uint32_t track;
    bool opened;
};

static bool join(struct json_doc *d, struct whole *w, const struct json_chrome_chunk *chunk)
{
    const struct json_js *js = &d->chrome->js;
    const struct json_js_part *p = &chunk->part;

    if (!ARENA_ROOM(d->arena, w->js.nodes, w->js.nodes_capacity, w->js.n_nodes + p->n_nodes) ||
        !ARENA_ROOM(d->arena, w->js.children, w->js.children_capacity, w->js.n_children + p->n_children))
        return false;
    if (p->n_nodes > 0)
        memcpy(w->js.nodes + w->js.n_nodes, js->nodes + p->nodes, p->n_nodes * sizeof(*js->nodes));
    if (p->n_children > 0)
        memcpy(w->js.children + w->js.n_children, js->children + p->children,
               p->n_children * sizeof(*js->children));
    w->js.n_nodes += p->n_nodes;
    w->js.n_children += p->n_children;
    for (size_t i = 0; i < p->n_ids; i++)
        if (!json_column_add(&w->js.ids, d->arena, json_column_at(&js->ids, p->ids + i)))
            return false;
    for (size_t i = 0; i < p->n_deltas; i++)
        if (!json_column_add(&w->js.deltas, d->arena, json_column_at(&js->deltas, p->deltas + i)))
            return false;
    w->end = chunk->end != COLUMN_NONE ? chunk->end : w->end;
    return true;
}

/* Pieces stand in any order, also in front of the event that opens the profile: they go by time. */
static bool join_chunks(struct json_doc *d, struct whole *wholes, uint32_t *order,
                        const struct idmap *whole_of)
{
    struct json_chrome *c = d->chrome;

    for (size_t i = 0; i < c->n_chunks; i++) {
        const struct json_chrome_chunk *chunk = &c->chunks[order[i]];
        uint32_t place = idmap_get(whole_of, chunk->profile);
        if (place == IDMAP_NONE)
            builder_warn(d->builder, WARN_NO_PROFILE, 1, WARNING_NO_OFFSET);
        else if (!join(d, &wholes[place], chunk))
            return false;
    }
    return true;
}

static bool put_whole(struct json_doc *d, struct whole *w, uint32_t track, int64_t *begin_ns)
{
    struct json_stacks stacks;
    struct idmap row_of;
    struct json_timed *samples;
    size_t n;

    json_stacks_init(&stacks, d->builder);
    idmap_init(&row_of, d->arena, builder_seed(d->builder));
    w->part = (struct json_js_part){.n_nodes = w->js.n_nodes,
                                    .n_children = w->js.n_children,
                                    .n_ids = w->js.ids.n,
                                    .n_deltas = w->js.deltas.n};
    return json_js_stacks(d, &w->js, &w->part, &stacks, &row_of) &&
           json_js_times(d, &w->js, &w->part, w->start == COLUMN_NONE ? w->ts : w->start, &row_of, &samples,
                         &n, &w->end) &&
           json_js_samples(d, track, &stacks, samples, n, w->end, *begin_ns);
}

static bool open_wholes(struct json_doc *d, struct whole *wholes, size_t *n, struct idmap *whole_of)
{
    struct json_chrome *c = d->chrome;

    for (size_t i = 0; i < c->n_chunks; i++) {
        const struct json_chrome_chunk *chunk = &c->chunks[i];
        if (!chunk->opens || idmap_get(whole_of, chunk->profile) != IDMAP_NONE)
            continue;
        wholes[*n] = (struct whole){
            .start = chunk->start, .end = COLUMN_NONE, .ts = chunk->ts, .track = chunk->thread};
        if (!idmap_set(whole_of, chunk->profile, (uint32_t)(*n)++))
            return false;
    }
    return true;
}

static void note_left_out(struct json_doc *d, uint64_t n)
{
    if (n > 0)
        builder_warn(d->builder, WARN_SLICES_LEFT_OUT, n, WARNING_NO_OFFSET);
}

bool json_chrome_put_profiles(struct json_doc *d)
{
    struct json_chrome *c = d->chrome;
    struct whole *wholes = arena_array(d->arena, c->n_chunks + 1, sizeof(*wholes));
    uint32_t *order = arena_array(d->arena, c->n_chunks + 1, sizeof(*order)),
             *tracks = json_chrome_no_tracks(d);
    struct idmap whole_of;
    int64_t begin_ns = INT64_MAX;
    size_t n = 0;

    idmap_init(&whole_of, d->arena, builder_seed(d->builder));
    if (!declare_samples(d) || wholes == NULL || order == NULL || tracks == NULL ||
        !open_wholes(d, wholes, &n, &whole_of))
        return false;
    for (size_t i = 0; i < c->n_chunks; i++)
        order[i] = (uint32_t)i;
    if (!order_array(order, c->n_chunks, chunk_before, c->chunks, d->arena) ||
        !join_chunks(d, wholes, order, &whole_of))
        return false;
    for (size_t i = 0; i < n; i++) {
        int64_t start = wholes[i].start == COLUMN_NONE ? wholes[i].ts : wholes[i].start;
        begin_ns = start < begin_ns ? start : begin_ns;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t track = json_chrome_track(d, tracks, wholes[i].track);
        if (track == NODE_NONE || !put_whole(d, &wholes[i], track, &begin_ns))
            return false;
    }
    note_left_out(d, c->slices.n);
    return true;
}

/* ---- samples with stackFrames ---- */

/* fn(file:line:col) -> its parts; another name is all name. */
static frame_id frame_of_row(struct json_doc *d, const struct json_chrome_frame *row)
{
    struct str name = builder_text_of(d->builder, row->name);
    size_t open = str_find_last(name, '(');
    struct str place = {name.p + open + 1, name.n > open + 1 ? name.n - open - 2 : 0};
    size_t column = str_find_last(place, ':');
    struct str file = {place.p, column};
    size_t at = str_find_last(file, ':');
    uint64_t line, unused;

    if (!row->script || open == name.n || name.p[name.n - 1] != ')' || column == place.n || at == column ||
        !str_to_u64((struct str){file.p + at + 1, column - at - 1}, 10, &line) ||
        !str_to_u64((struct str){place.p + column + 1, place.n - column - 1}, 10, &unused))
        return json_js_frame(d, row->name, STRING_EMPTY, 0);
    string_id function = builder_string(d->builder, (struct str){name.p, open});
    string_id url = builder_string(d->builder, (struct str){file.p, at});
    return function == STRING_NONE || url == STRING_NONE
               ? FRAME_NONE
               : json_js_frame(d, function, url, line > INT32_MAX ? 0 : (int64_t)line);
}

static bool sample_before(const void *context, uint32_t a, uint32_t b)
{
    const struct json_chrome_sample *samples = context;

    if (samples[a].thread != samples[b].thread)
        return samples[a].thread < samples[b].thread;
    return samples[a].ts < samples[b].ts;
}

static bool stacks_of_rows(struct json_doc *d, struct json_stacks *stacks)
{
    struct json_chrome *c = d->chrome;

    for (size_t i = 0; i < c->n_rows; i++) {
        bool shown = c->rows[i].name != STRING_NONE && !json_js_is_root(d, c->rows[i].name);
        frame_id frame = shown ? frame_of_row(d, &c->rows[i]) : FRAME_NONE;
        if ((frame == FRAME_NONE && shown) || !json_stack_add(stacks, c->rows[i].parent, frame))
            return false;
    }
    return true;
}

bool json_chrome_put_samples(struct json_doc *d)
{
    struct json_chrome *c = d->chrome;
    uint32_t *order = arena_array(d->arena, c->n_samples + 1, sizeof(*order)),
             *tracks = json_chrome_no_tracks(d);
    struct json_timed *timed = arena_array(d->arena, c->n_samples + 1, sizeof(*timed));
    int64_t begin_ns = INT64_MAX;
    struct json_stacks stacks;

    note_left_out(d, c->slices.n);
    json_stacks_init(&stacks, d->builder);
    if (!declare_samples(d) || order == NULL || tracks == NULL || timed == NULL ||
        !stacks_of_rows(d, &stacks))
        return false;
    for (size_t i = 0; i < c->n_samples; i++) {
        order[i] = (uint32_t)i;
        begin_ns = c->samples[i].ts < begin_ns ? c->samples[i].ts : begin_ns;
    }
    if (!order_array(order, c->n_samples, sample_before, c->samples, d->arena))
        return false;
    for (size_t i = 0, end; i < c->n_samples; i = end) {
        uint32_t thread = c->samples[order[i]].thread, track = json_chrome_track(d, tracks, thread);
        for (end = i; end < c->n_samples && c->samples[order[end]].thread == thread; end++) {
            const struct json_chrome_sample *s = &c->samples[order[end]];
            bool listed = s->stack < c->n_rows && c->rows[s->stack].name != STRING_NONE;
            timed[end] =
                (struct json_timed){s->ts, listed ? s->stack : STACK_NONE, !listed && s->stack != STACK_NONE};
        }
        if (track == NODE_NONE ||
            !json_js_samples(d, track, &stacks, timed + i, end - i, COLUMN_NONE, begin_ns))
            return false;
    }
    return true;
}
