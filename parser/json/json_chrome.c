/* Trace events of Chrome ("Trace Event Format", the document of the Chromium project), as Chrome, DevTools, Perfetto's tools, aflamed
 * and many others write them: an array of events, or an object with it as `traceEvents`. The array may lack its end.
 *
 *   {"ph":P,"ts":us,"dur":us,"tts":us,"tdur":us,"pid":..,"tid":..,"name":..,"args":{..},"id":..}
 *
 * P is B, E or X for slices, M for names of threads and processes. Samples come as events `Profile` and `ProfileChunk`,
 * or `CpuProfile`, with a CPU profile of V8 in pieces; or, of Hermes, beside the events as `samples` and `stackFrames`.
 * Times are in us with decimals. A file with samples of V8 is those samples. */
#include <stdio.h>
#include <string.h>

#include "core/order.h"
#include "parser/json/json_chrome_impl.h"

/* The event at hand. */
struct event_read {
    char phase;
    bool has_pid, has_tid, has_id, has_data;
    string_id name, signature, args_name;
    struct json_slice slice;
    struct json_chrome_chunk chunk;
};

static struct json_chrome *state(struct json_doc *d)
{
    if (d->chrome != NULL)
        return d->chrome;
    struct json_chrome *c = arena_alloc(d->arena, sizeof(*c));
    if (c == NULL || !strtab_init(&c->keys, d->arena, builder_seed(d->builder)))
        return NULL;
    idmap_init(&c->thread_of, d->arena, builder_seed(d->builder));
    idmap_init(&c->process_of, d->arena, builder_seed(d->builder));
    return d->chrome = c;
}

/* ---- threads ---- */

static bool take_word(struct json_in *in, struct json_chrome_word *w)
{
    struct str text;

    if (!json_in_text(in, &text))
        return false;
    w->n = text.n < ID_BYTES ? text.n : ID_BYTES;
    if (w->n > 0)
        memcpy(w->p, text.p, w->n);
    return true;
}

static struct str text_of(const struct json_chrome_word *w)
{
    return (struct str){w->p, w->n};
}

/* `kind` keeps keys of one text but different meanings apart. STRING_NONE: no memory. */
static string_id key_of(struct json_chrome *c, char kind, struct str a, struct str b)
{
    char key[KEY_BYTES + 1];
    size_t n = 0;

    key[n++] = kind;
    if (a.n > 0)
        memcpy(key + n, a.p, a.n);
    n += a.n;
    key[n++] = '\n';
    if (b.n > 0)
        memcpy(key + n, b.p, b.n);
    return strtab_add(&c->keys, (struct str){key, n + b.n});
}

/* STACK_NONE: no memory. */
static uint32_t process_of(struct json_doc *d, struct str pid)
{
    struct json_chrome *c = d->chrome;
    string_id key = key_of(c, 'p', pid, STR(""));
    uint32_t place = key == STRING_NONE ? IDMAP_NONE : idmap_get(&c->process_of, key);

    if (key == STRING_NONE || place != IDMAP_NONE)
        return place;
    place = (uint32_t)c->n_processes;
    if (!ARENA_ROOM(d->arena, c->groups, c->processes_capacity, place + 1U) ||
        !ARENA_ROOM(d->arena, c->pids, c->pids_capacity, place + 1U) ||
        !idmap_set(&c->process_of, key, place))
        return STACK_NONE;
    c->groups[place] = STRING_EMPTY;
    c->pids[place] = builder_string(d->builder, pid);
    c->n_processes++;
    return c->pids[place] == STRING_NONE ? STACK_NONE : place;
}

static uint32_t new_thread(struct json_doc *d, string_id key, struct str pid, struct str tid)
{
    struct json_chrome *c = d->chrome;
    uint32_t place = (uint32_t)c->n_threads;

    if (!ARENA_ROOM(d->arena, c->threads, c->threads_capacity, place + 1U) ||
        !idmap_set(&c->thread_of, key, place))
        return STACK_NONE;
    c->threads[place] =
        (struct json_chrome_thread){STRING_EMPTY, process_of(d, pid), builder_string(d->builder, tid)};
    c->n_threads++;
    return c->threads[place].process == STACK_NONE || c->threads[place].tid == STRING_NONE ? STACK_NONE
                                                                                           : place;
}

/* STACK_NONE: no memory. */
static uint32_t thread_of(struct json_doc *d, struct str pid, struct str tid)
{
    struct json_chrome *c = d->chrome;
    char key[KEY_BYTES];

    if (pid.n > 0)
        memcpy(key, pid.p, pid.n);
    key[pid.n] = '\n';
    if (tid.n > 0)
        memcpy(key + pid.n + 1, tid.p, tid.n);
    size_t n = pid.n + 1 + tid.n;
    if (n == c->last_key_bytes && memcmp(key, c->last_key, n) == 0)
        return c->last_thread;
    string_id id = key_of(c, 't', pid, tid);
    uint32_t place = id == STRING_NONE ? IDMAP_NONE : idmap_get(&c->thread_of, id);
    if (id != STRING_NONE && place == IDMAP_NONE)
        place = new_thread(d, id, pid, tid);
    if (place == IDMAP_NONE)
        return STACK_NONE;
    memcpy(c->last_key, key, n);
    c->last_key_bytes = n;
    c->last_thread = place;
    return place;
}

/* ---- an event ---- */

static int64_t take_ns(struct json_in *in)
{
    struct json_number n;

    return json_in_number(in, &n) ? json_in_scaled(n, JSON_NS_OF_US) : COLUMN_NONE;
}

/* A CPU profile, or a piece of one. */
static bool take_cpu_profile(struct json_doc *d, struct event_read *e)
{
    struct json_js *js = &d->chrome->js;
    struct str key;

    if (!json_in_enter(d->in, JSON_OBJECT))
        return true;
    e->has_data = true;
    while (json_in_key(d->in, &key)) {
        bool good = true;
        if (str_eq(key, STR("nodes")))
            good = json_js_nodes(d, js);
        else if (str_eq(key, STR("samples")))
            good = json_column_read(&js->ids, d->in, 0);
        else if (str_eq(key, STR("timeDeltas")) && js->deltas.n == e->chunk.part.deltas)
            good = json_column_read(&js->deltas, d->in, JSON_NS_OF_US);
        else if (str_eq(key, STR("startTime")))
            e->chunk.start = take_ns(d->in);
        else if (str_eq(key, STR("endTime")))
            e->chunk.end = take_ns(d->in);
        else
            json_in_skip(d->in);
        if (!good)
            return false;
    }
    return true;
}

static bool take_data(struct json_doc *d, struct event_read *e)
{
    struct json_js *js = &d->chrome->js;
    struct str key;

    if (!json_in_enter(d->in, JSON_OBJECT))
        return true;
    while (json_in_key(d->in, &key)) {
        bool good = true;
        if (str_eq(key, STR("cpuProfile"))) {
            good = take_cpu_profile(d, e);
        } else if (str_eq(key, STR("timeDeltas"))) {
            js->deltas.n = e->chunk.part.deltas; /* these are preferred to those within the profile */
            good = json_column_read(&js->deltas, d->in, JSON_NS_OF_US);
        } else if (str_eq(key, STR("startTime"))) {
            e->chunk.start = take_ns(d->in);
        } else if (str_eq(key, STR("endTime"))) {
            e->chunk.end = take_ns(d->in);
        } else {
            json_in_skip(d->in);
        }
        if (!good)
            return false;
    }
    return true;
}

static bool take_args(struct json_doc *d, struct event_read *e)
{
    struct str key, text;

    if (!json_in_enter(d->in, JSON_OBJECT))
        return true;
    while (json_in_key(d->in, &key)) {
        bool good = true;
        if (str_eq(key, STR("name"))) {
            e->args_name = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
            good = e->args_name != STRING_NONE;
        } else if (str_eq(key, STR("signature"))) {
            if (json_in_string(d->in, &text) && text.n > 0 && text.p[0] == '(')
                e->signature = json_name(d, text);
            good = e->signature != STRING_NONE;
        } else if (str_eq(key, STR("data"))) {
            good = take_data(d, e);
        } else {
            json_in_skip(d->in);
        }
        if (!good)
            return false;
    }
    return true;
}

enum member { PH, TS, DUR, TTS, TDUR, PID, TID, NAME, ARGS, ID, OTHER };

static enum member member_of(struct str key)
{
    static const struct str KEYS[OTHER] = {
        [PH] = STR_INIT("ph"),   [TS] = STR_INIT("ts"),     [DUR] = STR_INIT("dur"),
        [TTS] = STR_INIT("tts"), [TDUR] = STR_INIT("tdur"), [PID] = STR_INIT("pid"),
        [TID] = STR_INIT("tid"), [NAME] = STR_INIT("name"), [ARGS] = STR_INIT("args"),
        [ID] = STR_INIT("id")};

    for (enum member m = PH; m < OTHER; m++) {
        size_t same = 0; /* A loop is quicker than a call for these few bytes. */
        while (key.n == KEYS[m].n && same < key.n && key.p[same] == KEYS[m].p[same])
            same++;
        if (same == key.n)
            return m;
    }
    return OTHER;
}

static bool take_member(struct json_doc *d, struct event_read *e, struct str key)
{
    struct str text;

    switch (key.n > 0 ? member_of(key) : OTHER) {
    case PH:
        e->phase = '\0';
        if (json_in_string(d->in, &text) && text.n > 0)
            e->phase = text.p[0];
        return true;
    case TS:
        e->slice.ts = take_ns(d->in);
        return true;
    case DUR:
        e->slice.dur = take_ns(d->in);
        return true;
    case TTS:
        e->slice.tts = take_ns(d->in);
        return true;
    case TDUR:
        e->slice.tdur = take_ns(d->in);
        return true;
    case PID:
        e->has_pid = take_word(d->in, &d->chrome->pid);
        return true;
    case TID:
        e->has_tid = take_word(d->in, &d->chrome->tid);
        return true;
    case ID:
        e->has_id = take_word(d->in, &d->chrome->id);
        return true;
    case NAME:
        e->name = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
        return e->name != STRING_NONE;
    case ARGS:
        return take_args(d, e);
    case OTHER:
        json_in_skip(d->in);
    }
    return true;
}

/* ---- what an event says ---- */

static bool is_name(struct json_doc *d, const struct event_read *e, struct str name)
{
    return str_eq(builder_text_of(d->builder, e->name), name);
}

static bool note_name(struct json_doc *d, const struct event_read *e, uint32_t thread)
{
    struct json_chrome *c = d->chrome;

    if (is_name(d, e, STR("thread_name")))
        c->threads[thread].name = e->args_name;
    else if (is_name(d, e, STR("process_name")))
        c->groups[c->threads[thread].process] = e->args_name;
    return true;
}

/* The frame of a name, made once. FRAME_NONE: no memory. */
static frame_id frame_of(struct json_doc *d, string_id name, string_id signature)
{
    struct json_chrome *c = d->chrome;

    if (signature != STRING_EMPTY)
        return json_frame(d->builder, name, &(struct profile_frame){.signature = signature});
    if (name >= c->n_frames) {
        if (!ARENA_ROOM(d->arena, c->frames, c->frames_capacity, (size_t)name + 1))
            return FRAME_NONE;
        memset(c->frames + c->n_frames, 0xff, (c->frames_capacity - c->n_frames) * sizeof(*c->frames));
        c->n_frames = c->frames_capacity;
    }
    if (c->frames[name] == FRAME_NONE)
        c->frames[name] = json_frame(d->builder, name, NULL);
    return c->frames[name];
}

static bool add_slice(struct json_doc *d, struct event_read *e, uint32_t thread)
{
    struct json_chrome *c = d->chrome;
    struct json_slice *s = &e->slice;

    if (s->ts == COLUMN_NONE) {
        builder_warn(d->builder, WARN_BAD_EVENT, 1, json_in_offset(d->in));
        return true;
    }
    s->kind = e->phase == 'B' ? JSON_SLICE_BEGIN : e->phase == 'E' ? JSON_SLICE_END : JSON_SLICE_WHOLE;
    s->thread = thread;
    s->name = e->name;
    s->frame = FRAME_NONE;
    if ((s->kind != JSON_SLICE_END || e->name != STRING_EMPTY) &&
        (s->frame = frame_of(d, e->name, e->signature)) == FRAME_NONE)
        return false;
    c->lasting = c->lasting || s->kind == JSON_SLICE_BEGIN ||
                 (s->kind == JSON_SLICE_WHOLE && s->dur != COLUMN_NONE && s->dur != 0);
    c->has_cpu = c->has_cpu || s->tts != COLUMN_NONE || s->tdur != COLUMN_NONE;
    if (s->kind == JSON_SLICE_WHOLE && s->dur == COLUMN_NONE)
        s->dur = s->tdur == COLUMN_NONE ? 0 : s->tdur;
    if (s->kind == JSON_SLICE_WHOLE && s->dur < 0) {
        builder_warn(d->builder, WARN_TIME_BACK, 1, json_in_offset(d->in));
        s->dur = 0;
    }
    if (c->slices.n >= ORDER_NONE - 1 ||
        !ARENA_ROOM(d->arena, c->slices.all, c->slices.capacity, c->slices.n + 1))
        return false;
    c->slices.all[c->slices.n++] = *s;
    return true;
}

static bool add_chunk(struct json_doc *d, struct event_read *e, uint32_t thread)
{
    struct json_chrome *c = d->chrome;
    struct json_js_part *part = &e->chunk.part;

    part->n_nodes = c->js.n_nodes - part->nodes;
    part->n_children = c->js.n_children - part->children;
    part->n_ids = c->js.ids.n - part->ids;
    part->n_deltas = c->js.deltas.n - part->deltas;
    e->chunk.ts = e->slice.ts == COLUMN_NONE ? 0 : e->slice.ts;
    e->chunk.thread = thread;
    char number[24];
    int n = snprintf(number, sizeof(number), "%zu", c->n_chunks);
    struct str id = e->has_id ? text_of(&c->id) : STR("");
    /* One that is whole is like no other. */
    e->chunk.profile = e->chunk.whole ? key_of(c, 'w', (struct str){number, (size_t)n}, STR(""))
                                      : key_of(c, 'c', text_of(&c->pid), id);
    if (e->chunk.profile == STRING_NONE ||
        !ARENA_ROOM(d->arena, c->chunks, c->chunks_capacity, c->n_chunks + 1))
        return false;
    c->chunks[c->n_chunks++] = e->chunk;
    return true;
}

static bool add_event(struct json_doc *d, struct event_read *e)
{
    struct json_chrome *c = d->chrome;

    if (!e->has_pid)
        c->pid = (struct json_chrome_word){"0", 1};
    if (!e->has_tid)
        c->tid = c->pid;
    e->chunk.whole = e->has_data && is_name(d, e, STR("CpuProfile"));
    e->chunk.opens = e->chunk.whole || (e->phase == 'P' && is_name(d, e, STR("Profile")));
    bool chunk = e->chunk.opens || is_name(d, e, STR("ProfileChunk"));
    bool slice = !chunk && (e->phase == 'B' || e->phase == 'E' || e->phase == 'X');
    bool name = !chunk && (e->phase == 'M' || e->phase == 'm');
    if (!chunk && !slice && !name) {
        c->others++;
        return true;
    }
    uint32_t thread = thread_of(d, text_of(&c->pid), text_of(&c->tid));
    if (thread == STACK_NONE)
        return false;
    return chunk ? add_chunk(d, e, thread) : slice ? add_slice(d, e, thread) : note_name(d, e, thread);
}

static bool take_event(struct json_doc *d)
{
    struct json_chrome *c = d->chrome;
    struct event_read e = {.slice = {COLUMN_NONE, COLUMN_NONE, COLUMN_NONE, COLUMN_NONE, 0, FRAME_NONE,
                                     STRING_EMPTY, JSON_SLICE_BEGIN},
                           .chunk = {.start = COLUMN_NONE,
                                     .end = COLUMN_NONE,
                                     .part = {.nodes = c->js.n_nodes,
                                              .children = c->js.n_children,
                                              .ids = c->js.ids.n,
                                              .deltas = c->js.deltas.n}}};
    uint64_t at = json_in_offset(d->in);
    bool good = true, empty = true;
    struct str key;

    if (json_in_enter(d->in, JSON_OBJECT))
        for (; good && json_in_key(d->in, &key); empty = false)
            good = take_member(d, &e, key);
    else
        empty = false;
    if (!good || d->in->state != JSON_GOOD || empty)
        return good;
    c->has_events = c->has_events || e.phase != '\0';
    if (e.phase == '\0')
        builder_warn(d->builder, WARN_BAD_EVENT, 1, at);
    else if (!add_event(d, &e))
        return false;
    bool kept = c->n_chunks > 0 && c->chunks[c->n_chunks - 1].part.nodes == e.chunk.part.nodes &&
                c->chunks[c->n_chunks - 1].part.ids == e.chunk.part.ids;
    if (e.has_data && !kept) {
        c->js.n_nodes = e.chunk.part.nodes;
        c->js.n_children = e.chunk.part.children;
        c->js.ids.n = e.chunk.part.ids;
        c->js.deltas.n = e.chunk.part.deltas;
    }
    return true;
}

bool json_chrome_events(struct json_doc *d)
{
    if (state(d) == NULL)
        return false;
    if (!json_in_enter(d->in, JSON_ARRAY))
        return true;
    d->is_events = true;
    while (json_in_item(d->in))
        if (!take_event(d))
            return false;
    /* The array may lack its end: what is whole counts. */
    if (d->in->state != JSON_GOOD) {
        d->cut = true;
        builder_warn(d->builder, WARN_CUT_RECORD, 1, d->in->bad_at);
    }
    return true;
}

/* ---- samples beside the events ---- */

static string_id text_key(struct json_chrome *c, struct str text)
{
    text.n = text.n < ID_BYTES ? text.n : ID_BYTES;
    return key_of(c, 's', text, STR(""));
}

static bool take_frame_row(struct json_doc *d, string_id id)
{
    struct json_chrome *c = d->chrome;
    struct json_chrome_frame row = {.name = STRING_EMPTY, .parent = STACK_NONE};
    struct str key, text;

    if (!json_in_enter(d->in, JSON_OBJECT))
        return true;
    while (json_in_key(d->in, &key)) {
        if (str_eq(key, STR("name")))
            row.name = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
        else if (str_eq(key, STR("category")))
            row.script = json_in_string(d->in, &text) && str_eq(text, STR("JavaScript"));
        else if (str_eq(key, STR("parent")))
            row.parent = json_in_text(d->in, &text) ? text_key(c, text) : STACK_NONE;
        else
            json_in_skip(d->in);
    }
    if (row.name == STRING_NONE || !ARENA_ROOM(d->arena, c->rows, c->rows_capacity, (size_t)id + 1))
        return false;
    for (; c->n_rows <= id; c->n_rows++)
        c->rows[c->n_rows] = (struct json_chrome_frame){.name = STRING_NONE, .parent = STACK_NONE};
    c->rows[id] = row;
    return true;
}

bool json_chrome_frames(struct json_doc *d)
{
    struct json_chrome *c = state(d);
    struct str key;

    if (c == NULL)
        return false;
    c->has_stack_frames = json_in_enter(d->in, JSON_OBJECT);
    while (c->has_stack_frames && json_in_key(d->in, &key)) {
        string_id id = text_key(c, key);
        if (id == STRING_NONE || !take_frame_row(d, id))
            return false;
    }
    return true;
}

static bool take_sample(struct json_doc *d)
{
    struct json_chrome *c = d->chrome;
    struct json_chrome_sample sample = {.ts = 0, .stack = STACK_NONE};
    struct json_chrome_word pid = {"0", 1}, tid = {.n = 0};
    bool has_tid = false;
    struct str key, text;

    if (!json_in_enter(d->in, JSON_OBJECT))
        return true;
    while (json_in_key(d->in, &key)) {
        if (str_eq(key, STR("ts"))) {
            sample.ts = take_ns(d->in);
        } else if (str_eq(key, STR("sf"))) {
            sample.stack = json_in_text(d->in, &text) ? text_key(c, text) : STACK_NONE;
        } else if (str_eq(key, STR("pid"))) {
            take_word(d->in, &pid);
        } else if (str_eq(key, STR("tid"))) {
            has_tid = take_word(d->in, &tid);
        } else {
            json_in_skip(d->in);
        }
    }
    sample.ts = sample.ts == COLUMN_NONE ? 0 : sample.ts;
    sample.thread = thread_of(d, text_of(&pid), text_of(has_tid ? &tid : &pid));
    if (sample.thread == STACK_NONE ||
        !ARENA_ROOM(d->arena, c->samples, c->samples_capacity, c->n_samples + 1))
        return false;
    c->samples[c->n_samples++] = sample;
    return true;
}

bool json_chrome_samples(struct json_doc *d)
{
    return state(d) != NULL && take_sample(d);
}

/* ---- the end: slices ---- */

static bool put_slices(struct json_doc *d)
{
    struct json_chrome *c = d->chrome;
    uint32_t *tracks = json_chrome_no_tracks(d);

    if (tracks == NULL || !json_declare_calls(d, c->has_cpu))
        return false;
    for (size_t i = 0; i < c->slices.n; i++)
        if (json_chrome_track(d, tracks, c->slices.all[i].thread) == NODE_NONE)
            return false;
    return json_fold_slices(d, &c->slices, tracks, c->n_threads, c->has_cpu);
}

bool json_is_chrome(const struct json_doc *d)
{
    const struct json_chrome *c = d->chrome;

    /* A file that has the member traceEvents is one also where that is empty. */
    return c != NULL && d->is_events && (c->has_events || d->n_keys > 0);
}

static bool has_profiles(const struct json_chrome *c, bool *opened)
{
    bool sampled = false;

    *opened = false;
    for (size_t i = 0; i < c->n_chunks; i++) {
        *opened = *opened || c->chunks[i].opens;
        sampled = sampled || c->chunks[i].part.n_ids > 0;
    }
    return sampled && *opened;
}

static bool put_fact(struct json_doc *d)
{
    char text[24];
    int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)d->chrome->others);

    return d->chrome->others == 0 ||
           builder_fact(d->builder, STR("events_without_stack"), (struct str){text, (size_t)n});
}

bool json_finish_chrome(struct json_doc *d)
{
    struct json_chrome *c = d->chrome;
    bool opened, profiles = has_profiles(c, &opened);
    bool samples = c->has_stack_frames && c->n_samples > 0;

    if (!put_fact(d))
        return false;
    if (samples && !c->lasting)
        return json_chrome_put_samples(d);
    if (samples)
        builder_warn(d->builder, WARN_SAMPLES_LEFT_OUT, c->n_samples, WARNING_NO_OFFSET);
    if (profiles)
        return json_chrome_put_profiles(d);
    if (c->slices.n > 0)
        return put_slices(d);
    if (opened)
        return json_refuse(d, "no samples", "Record while the app works.",
                           "This is a Chrome trace whose CPU profile has no samples.");
    return json_refuse(
        d, "nothing with a stack", "Record with categories that have slices, or with JavaScript samples.",
        "This is a Chrome trace without slices (B, E, X) and without samples: nothing in it has a stack.");
}
