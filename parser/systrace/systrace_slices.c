/* Records in the order of time, for the second time: sections as calls of their tracks, and all of it told to the builder.
 * Each change of a thread's state is a record of its tracks, so that windows of time are exact.
 *
 * The rules of sections are those of the reference reader (importers/common/slice_tracker.cc): an end closes the innermost
 * section that is open and fits; what is open above it ends with it. An end of nothing is ignored: the trace began within
 * that section, and nobody knows its name. */
#include "core/number.h"
#include "parser/systrace/systrace_impl.h"

enum {
    OPEN_SLOTS_MAX = 64 /* sections of one name that overlap */,
    FIRST_FREE_ID = 1 << 23 /* above all tids */
};

#define STILL_OPEN UINT64_MAX

/* ---- tracks ---- */

static bool take_id(struct systrace *s, uint32_t *id)
{
    while (*id == 0 || idmap_get(&s->track_ids, *id) != IDMAP_NONE)
        *id = s->next_id++;
    return idmap_set(&s->track_ids, *id, 1);
}

/* A track, of a thread or SY_NONE. SY_NONE: the arena gives no more. */
static uint32_t add_track(struct systrace *s, uint32_t thread, uint32_t process, string_id name)
{
    uint32_t at = (uint32_t)s->n_tracks;

    if (!ARENA_ROOM(s->arena, s->tracks, s->tracks_capacity, s->n_tracks + 1))
        return SY_NONE;
    s->tracks[at] = (struct sy_track){
        .track = SY_NONE, .thread = thread, .process = process, .next = SY_NONE, .name = name};
    s->n_tracks++;
    if (thread != SY_NONE) {
        s->tracks[at].next = s->threads[thread].tracks;
        s->threads[thread].tracks = at;
    }
    return at;
}

static uint32_t own_track(struct systrace *s, uint32_t thread)
{
    struct sy_thread *t = &s->threads[thread];

    if (t->own == SY_NONE) {
        uint32_t at = add_track(s, thread, sy_process_of(s, thread), STRING_EMPTY);
        t->own = at;
    }
    return t->own;
}

/* Tells the builder of the track, before its first record. */
static bool begin_track(struct systrace *s, struct sy_track *t)
{
    bool own = t->thread != SY_NONE && s->threads[t->thread].own == (uint32_t)(t - s->tracks);
    uint32_t id = own ? s->threads[t->thread].tid : s->next_id;

    if (!take_id(s, &id))
        return false;
    t->id = id;
    t->track = builder_track(s->builder, id, t->name);
    return t->track != NODE_NONE;
}

/* ---- clocks ---- */

static uint8_t clock_of_state(const struct sy_thread *t)
{
    return t->state == 0 || t->state >= SY_UNKNOWN ? SY_UNKNOWN : t->state;
}

/* Lets the thread's clocks go to that time. They go back where a section is told of late that has ended before; its thread is
 * in the same state since. */
static void go_on(const struct systrace *s, struct sy_thread *t, uint64_t time)
{
    uint64_t gone = time - s->begin - t->clocks[0];

    t->clocks[0] += gone;
    t->clocks[clock_of_state(t)] += gone;
}

static bool put(struct systrace *s, uint32_t track, enum event_action action, frame_id frame, uint64_t time)
{
    struct sy_track *t = &s->tracks[track];

    if (t->track == SY_NONE && !begin_track(s, t))
        return false;
    if (t->thread == SY_NONE) {
        const uint64_t clocks[SY_CLOCKS] = {time - s->begin};
        return builder_turn(s->builder, t->track, action, frame, clocks, 0);
    }
    struct sy_thread *x = &s->threads[t->thread];
    go_on(s, x, time);
    return builder_turn(s->builder, t->track, action, frame, x->clocks, clock_of_state(x));
}

/* ---- frames ---- */

static struct profile_frame frame_of_text(struct systrace *s, struct str text, string_id name, bool *ok)
{
    struct profile_frame f = {.name = name};
    char room[SY_SCOPE_BYTES];
    struct sy_method method;
    struct str file = STR("");

    if (!sy_method_of(text, &method) && !sy_composable_of(text, &method, &file, room))
        return f;
    f.file = builder_string(s->builder, file);
    f.signature = builder_string(s->builder, method.signature);
    f.scope = builder_string(s->builder, method.scope);
    f.name = builder_string(s->builder, method.name);
    *ok = f.file != STRING_NONE && f.signature != STRING_NONE && f.scope != STRING_NONE &&
          f.name != STRING_NONE;
    return f;
}

static frame_id make_frame(struct systrace *s, string_id name)
{
    bool ok = true;

    if (!ARENA_ROOM(s->arena, s->frames, s->frames_capacity, (size_t)name + 1))
        return FRAME_NONE;
    while (s->n_frames <= name)
        s->frames[s->n_frames++] = FRAME_NONE;
    struct str text = name == STRING_EMPTY ? STR("[no name]") : builder_text_of(s->builder, name);
    string_id shown = name == STRING_EMPTY ? builder_string(s->builder, text) : name;
    struct profile_frame f = frame_of_text(s, text, shown, &ok);
    sy_frame_name(s, text, name);
    if (ok && shown != STRING_NONE)
        s->frames[name] = builder_frame(s->builder, &f);
    return s->frames[name];
}

static frame_id frame_of(struct systrace *s, string_id name)
{
    return name < s->n_frames && s->frames[name] != FRAME_NONE ? s->frames[name] : make_frame(s, name);
}

/* ---- sections ---- */

/* Whether it is a frame, or a step of a start. Of a frame within a frame (it is brought in step again) the outer one
 * counts. */
static bool is_shown(const struct systrace *s, const struct sy_track *t, string_id name)
{
    bool within = false;

    if ((name != s->do_frame && !sy_is_phase(s, name)) || t->thread == SY_NONE || !sy_is_main(s, t->thread))
        return false;
    for (size_t i = 0; i < t->n_open; i++)
        within = within || t->open[i].name == name;
    return !within;
}

/* The innermost one is left. */
static bool pop(struct systrace *s, uint32_t track, uint64_t time)
{
    struct sy_track *t = &s->tracks[track];
    const struct sy_open *x = &t->open[--t->n_open];

    t->finished -= x->end != STILL_OPEN;
    if (is_shown(s, t, x->name) &&
        !sy_frame_section(s, t->process, x->name == s->do_frame ? STRING_EMPTY : x->name, x->begin, time))
        return false;
    if (t->n_open == 0 && t->thread != SY_NONE && t->process != SY_NONE && sy_is_main(s, t->thread))
        s->processes[t->process].sections = number_add(s->processes[t->process].sections, time - x->begin);
    return put(s, track, EVENT_EXIT, FRAME_NONE, time);
}

/* Leaves what has ended before `time`; `at`: also what ends at it, as another section is told of then. An instant stays
 * where another one comes at its time: that one is within it. */
static bool close_finished(struct systrace *s, uint32_t track, uint64_t time, bool at, bool instant)
{
    struct sy_track *t = &s->tracks[track];
    bool above = false; /* something that is open */

    for (size_t i = t->n_open; t->finished > 0 && i-- > 0;) {
        const struct sy_open x = t->open[i];
        if (x.end == STILL_OPEN) {
            above = true;
            continue;
        }
        bool over = x.end < time || (at && !above && x.end == time && !(instant && x.begin == x.end));
        if (!over)
            continue;
        while (t->n_open > i)
            if (!pop(s, track, x.end))
                return false;
        above = false;
    }
    return true;
}

static inline bool close_ended(struct systrace *s, uint32_t track, uint64_t time, bool at, bool instant)
{
    return s->tracks[track].finished == 0 || close_finished(s, track, time, at, instant);
}

static bool overlaps(const struct sy_track *t, uint64_t time, uint64_t end)
{
    for (size_t i = t->n_open; t->finished > 0 && i-- > 0;)
        if (t->open[i].end != STILL_OPEN && time < t->open[i].end && end > t->open[i].end)
            return true;
    return false;
}

/* A section begins; `end` is STILL_OPEN, or that of one which is whole. */
static bool begin_section(struct systrace *s, uint32_t track, uint64_t time, uint64_t end, string_id name,
                          string_id category)
{
    struct sy_track *t = &s->tracks[track];

    if (track == SY_NONE || !close_ended(s, track, time, true, end == time))
        return false;
    if (end != STILL_OPEN && overlaps(t, time, end)) {
        sy_lost(s, SY_LOST_OVERLAPS, 1);
        return true;
    }
    if (t->n_open >= SY_DEPTH_MAX) {
        sy_lost(s, SY_LOST_DEEP, 1);
        t->ignored += end == STILL_OPEN;
        return true;
    }
    frame_id frame = frame_of(s, name);
    if (frame == FRAME_NONE || !ARENA_ROOM(s->arena, t->open, t->open_capacity, t->n_open + 1))
        return false;
    t->open[t->n_open++] = (struct sy_open){time, end, name, category};
    t->finished += end != STILL_OPEN;
    return put(s, track, EVENT_ENTER, frame, time) &&
           (s->noted == NULL || sy_notes_told(s, t->id, frame, time));
}

static bool fits(const struct sy_open *x, string_id name, string_id category)
{
    return x->end == STILL_OPEN && (category == STRING_EMPTY || x->category == category) &&
           (name == STRING_EMPTY || x->name == STRING_EMPTY || x->name == name);
}

static bool end_section(struct systrace *s, uint32_t track, uint64_t time, string_id name, string_id category)
{
    struct sy_track *t = &s->tracks[track];
    size_t i;

    if (track == SY_NONE || !close_ended(s, track, time, true, false))
        return false;
    if (t->ignored > 0) {
        t->ignored--;
        return true;
    }
    for (i = t->n_open; i > 0 && !fits(&t->open[i - 1], name, category); i--) {
    }
    if (i == 0) {
        sy_lost(s, SY_LOST_ENDS, 1);
        return t->thread == SY_NONE || put(s, track, EVENT_STATE, FRAME_NONE, time);
    }
    if (s->noted != NULL && !sy_notes_told(s, t->id, frame_of(s, t->open[i - 1].name), t->open[i - 1].begin))
        return false;
    if (i == t->n_open)
        return pop(s, track, time);
    t->open[i - 1].end = time; /* what is open above it ends when something comes later */
    t->finished++;
    return true;
}

/* ---- asynchronous sections ---- */

enum step { STEP_BEGIN, STEP_ONLY, STEP_END, STEP_INSTANT };

/* Those of one process and name share a track as long as they do not overlap. A cookie keeps its place while it is open;
 * a free place is given to the next one. *track is SY_NONE where there are too many. False: the arena gives no more. */
static bool slot_track(struct systrace *s, uint64_t key, uint64_t cookie, enum step step, uint64_t time,
                       uint32_t process, string_id name, uint32_t *track)
{
    uint32_t first = idmap_get(&s->slot_ids, key), found = SY_NONE, empty = SY_NONE;
    unsigned n = 0;

    for (uint32_t at = first; at != SY_NONE && found == SY_NONE; at = s->slots[at].next, n++) {
        const struct sy_slot *x = &s->slots[at];
        if (step == STEP_INSTANT ? !x->has_cookie && x->free_from <= time
                                 : x->has_cookie && x->cookie == cookie)
            found = at;
        else if (step != STEP_INSTANT && empty == SY_NONE && x->has_cookie && x->n_open == 0)
            empty = at;
    }
    found = found == SY_NONE ? empty : found;
    *track = SY_NONE;
    if (found == SY_NONE && (n >= OPEN_SLOTS_MAX || s->n_tracks >= s->limits->threads)) {
        sy_lost(s, SY_LOST_TRACKS, 1);
        return true;
    }
    if (found == SY_NONE) {
        uint32_t made = add_track(s, SY_NONE, process, name);
        if (made == SY_NONE || !ARENA_ROOM(s->arena, s->slots, s->slots_capacity, s->n_slots + 1) ||
            !idmap_set(&s->slot_ids, key, (uint32_t)s->n_slots))
            return false;
        found = (uint32_t)s->n_slots++;
        s->slots[found] = (struct sy_slot){.track = made, .next = first};
    }
    struct sy_slot *slot = &s->slots[found];
    if (step == STEP_INSTANT) {
        slot->free_from = time;
    } else {
        slot->cookie = cookie;
        slot->has_cookie = true;
        slot->n_open = step == STEP_BEGIN  ? slot->n_open + 1
                       : step == STEP_ONLY ? 1
                       : slot->n_open > 0  ? slot->n_open - 1
                                           : 0;
    }
    *track = slot->track;
    return true;
}

static uint64_t slot_key(const struct systrace *s, uint64_t kind, uint64_t who, uint64_t name, uint64_t more)
{
    const uint64_t parts[] = {kind, who, name, more};

    return hash_bytes(s->seed, parts, sizeof(parts));
}

/* S and F: one at a time for each cookie; G and H: nested on a named track; N: an instant there. */
static bool tell_async(struct systrace *s, const struct sy_record *r)
{
    const struct sy_extra *e = &s->extras[r->b];
    bool single = e->phase == 'S' || e->phase == 'F';
    uint64_t key = slot_key(s, single ? 'S' : 'G', r->a, e->value, 0);
    enum step step = e->phase == 'S'   ? STEP_ONLY
                     : e->phase == 'G' ? STEP_BEGIN
                     : e->phase == 'N' ? STEP_INSTANT
                                       : STEP_END;
    uint32_t track;

    if (!slot_track(s, key, e->id, step, r->time, r->a, e->track_name, &track))
        return false;
    if (track == SY_NONE)
        return true;
    switch (e->phase) {
    case 'S':
        if (s->tracks[track].n_open > 0)
            return true; /* it is open already */
        return begin_section(s, track, r->time, STILL_OPEN, e->name, STRING_EMPTY);
    case 'G':
        return begin_section(s, track, r->time, STILL_OPEN, e->name, STRING_EMPTY);
    case 'N':
        return begin_section(s, track, r->time, r->time, e->name, STRING_EMPTY);
    default:
        return end_section(s, track, r->time, STRING_EMPTY, STRING_EMPTY);
    }
}

/* ---- track events ---- */

/* A track that a descriptor stands for alone. */
static uint32_t described_track(struct systrace *s, uint32_t descriptor)
{
    const struct sy_descriptor *d = &s->descriptors[descriptor];
    uint32_t at = idmap_get(&s->track_of_descriptor, descriptor);

    if (at != IDMAP_NONE)
        return at;
    at = add_track(s, d->own ? d->thread : SY_NONE, d->process, d->name);
    return at != SY_NONE && idmap_set(&s->track_of_descriptor, descriptor, at) ? at : SY_NONE;
}

/* False: the arena gives no more. *track may be SY_NONE: too many. */
static bool track_of(struct systrace *s, const struct sy_record *r, const struct sy_extra *e, uint32_t *track)
{
    struct sy_descriptor *d = e->descriptor == SY_NONE ? NULL : &s->descriptors[e->descriptor];

    if (d == NULL || (d->has_thread && !d->apart)) {
        *track = own_track(s, r->thread);
        return *track != SY_NONE;
    }
    if (d->own || d->unmerged) {
        *track = described_track(s, e->descriptor);
        return *track != SY_NONE;
    }
    if (d->name == STRING_EMPTY && d->event_name == STRING_EMPTY)
        d->event_name = e->name;
    string_id name = d->name != STRING_EMPTY ? d->name : d->event_name;
    uint64_t who = d->process != SY_NONE ? d->process : UINT64_MAX;
    return slot_track(s, slot_key(s, 'T', who, name, d->parent), d->uuid,
                      e->phase == 'B'   ? STEP_BEGIN
                      : e->phase == 'E' ? STEP_END
                                        : STEP_ONLY,
                      r->time, d->process, name, track);
}

static bool tell_legacy_async(struct systrace *s, const struct sy_record *r, const struct sy_extra *e)
{
    uint32_t process = r->thread != SY_NONE       ? sy_process_of(s, r->thread)
                       : e->descriptor != SY_NONE ? s->descriptors[e->descriptor].process
                                                  : SY_NONE;
    uint64_t who = e->local && process != SY_NONE ? process : UINT64_MAX;
    bool begins = e->phase == 'b' || e->phase == 'S', ends = e->phase == 'e' || e->phase == 'F';
    uint32_t track;

    if (!slot_track(s, slot_key(s, 'L', who, e->value, 0), e->id, begins ? STEP_BEGIN : STEP_END, r->time,
                    process, e->name, &track))
        return false;
    if (track == SY_NONE)
        return true;
    if (begins)
        return begin_section(s, track, r->time, STILL_OPEN, e->name, e->category);
    return ends ? end_section(s, track, r->time, e->name, e->category)
                : begin_section(s, track, r->time, r->time, e->name, e->category);
}

static bool tell_track_event(struct systrace *s, const struct sy_record *r)
{
    const struct sy_extra *e = &s->extras[r->b];
    uint32_t track;

    if (strchr("BEXiIR", e->phase) == NULL)
        return tell_legacy_async(s, r, e);
    if (!track_of(s, r, e, &track))
        return false;
    if (track == SY_NONE)
        return true;
    switch (e->phase) {
    case 'B':
        return begin_section(s, track, r->time, STILL_OPEN, e->name, e->category);
    case 'E':
        return end_section(s, track, r->time, e->name, e->category);
    case 'X':
        return begin_section(s, track, r->time, r->time + e->duration, e->name, e->category);
    default:
        return begin_section(s, track, r->time, r->time, e->name, e->category);
    }
}

/* ---- binder ---- */

/* A call to another process is a section of who calls, until the answer is there, and one of who is called, until it
 * answers (importers/common/binder_tracker.cc). */
static bool tell_binder(struct systrace *s, const struct sy_record *r)
{
    uint32_t track = own_track(s, r->thread), sender = r->kind == SY_RECEIVED ? r->b : 0;

    if (track == SY_NONE)
        return false;
    if (sender == SY_NONE) /* sent before the trace began; the thread is there from here on */
        return put(s, track, EVENT_STATE, FRAME_NONE, r->time);
    uint32_t flags = r->kind == SY_RECEIVED ? s->records[sender].b : r->b;
    if ((flags & SY_BINDER_REPLY) != 0)
        return end_section(s, track, r->time, STRING_EMPTY, STRING_EMPTY);
    string_id name = sy_binder_name(s, r);
    return name != STRING_NONE &&
           begin_section(s, track, r->time, (flags & SY_BINDER_ONE_WAY) != 0 ? r->time : STILL_OPEN, name,
                         STRING_EMPTY);
}

/* There is no answer, so the call ends here. */
static bool tell_failed(struct systrace *s, const struct sy_record *r)
{
    uint32_t track = own_track(s, r->thread);
    const struct sy_track *t = &s->tracks[track];

    if (track == SY_NONE)
        return false;
    if (t->n_open > 0 && t->open[t->n_open - 1].end == STILL_OPEN &&
        sy_is_binder(s, t->open[t->n_open - 1].name))
        return end_section(s, track, r->time, STRING_EMPTY, STRING_EMPTY);
    return put(s, track, EVENT_STATE, FRAME_NONE, r->time);
}

/* ---- states ---- */

/* A record of all tracks of the thread that have begun; from here on it is in another state. */
static bool turn(struct systrace *s, uint32_t thread, uint8_t state, uint64_t time)
{
    struct sy_thread *t = &s->threads[thread];
    uint32_t own = t->tid == 0 ? SY_NONE : own_track(s, thread);

    if (t->tid == 0)
        return true;
    if (own == SY_NONE)
        return false;
    for (uint32_t at = t->tracks; at != SY_NONE; at = s->tracks[at].next) {
        if (at != own && s->tracks[at].track == SY_NONE)
            continue;
        if (!close_ended(s, at, time, false, false) || !put(s, at, EVENT_STATE, FRAME_NONE, time))
            return false;
    }
    go_on(s, t, time);
    t->state = state;
    return true;
}

static void binds(struct systrace *s, uint32_t thread)
{
    uint32_t process = sy_process_of(s, thread);

    if (process != SY_NONE)
        s->processes[process].binds = true;
}

static bool tell_record(struct systrace *s, const struct sy_record *r)
{
    bool is_noted = r->kind == SY_TRACK && s->extras[r->b].n_notes > 0;

    s->noted = is_noted ? &s->extras[r->b] : NULL;
    switch ((enum sy_kind)r->kind) {
    case SY_SWITCH:
        return turn(s, r->thread, r->state, r->time) && turn(s, r->a, SY_RUNNING, r->time);
    case SY_WAKING:
    case SY_NEW:
        return turn(s, r->thread, r->state, r->time);
    case SY_BEGIN:
        if (r->b == s->bind)
            binds(s, r->thread);
        return begin_section(s, own_track(s, r->thread), r->time, STILL_OPEN, r->b, STRING_EMPTY);
    case SY_INSTANT:
        return begin_section(s, own_track(s, r->thread), r->time, r->time, r->b, STRING_EMPTY);
    case SY_END:
        return end_section(s, own_track(s, r->thread), r->time, STRING_EMPTY, STRING_EMPTY);
    case SY_ASYNC:
        return tell_async(s, r);
    case SY_BINDER:
    case SY_RECEIVED:
        return tell_binder(s, r);
    case SY_FAILED:
        return tell_failed(s, r);
    case SY_TRACK:
        return tell_track_event(s, r);
    default:
        return true;
    }
}

/* Threads that the scheduler knows go on to the end of the trace in the state that they are in. */
static bool end_tracks(struct systrace *s)
{
    for (uint32_t i = 0; i < s->n_tracks; i++)
        if (!close_ended(s, i, UINT64_MAX, false, false))
            return false;
    for (uint32_t i = 0; i < s->n_threads; i++) {
        const struct sy_thread *t = &s->threads[i];
        if (t->has_sched && !t->ended && t->state != SY_GONE && !turn(s, i, t->state, s->end))
            return false;
        if (arena_stopped_at(s->arena, i))
            return false;
    }
    for (size_t i = 0; i < s->n_tracks; i++)
        s->n_open_sections += s->tracks[i].n_open;
    return true;
}

static const struct profile_value TIMES[] = {
    {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL},
    {STR_INIT("cpu"), STR_INIT("time on a processor"), UNIT_NS, ROLE_CPU},
    {STR_INIT("runnable"), STR_INIT("waiting for a processor"), UNIT_NS, ROLE_RUNNABLE},
    {STR_INIT("sleeping"), STR_INIT("sleeping"), UNIT_NS, ROLE_SLEEPING},
    {STR_INIT("blocked"), STR_INIT("blocked in the kernel"), UNIT_NS, ROLE_BLOCKED},
    {STR_INIT("io"), STR_INIT("blocked for input or output"), UNIT_NS, ROLE_IO},
    {STR_INIT("unknown"), STR_INIT("in an unknown state"), UNIT_NS, ROLE_UNKNOWN},
};
static const struct profile_value CALLS = {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS};

bool sy_declare(struct systrace *s)
{
    return builder_values(s->builder, TIMES, s->has_sched ? SY_CLOCKS : 1, &CALLS, 1);
}

bool sy_tell(struct systrace *s)
{
    s->next_id = FIRST_FREE_ID;
    s->do_frame = builder_string(s->builder, STR("Choreographer#doFrame"));
    s->bind = builder_string(s->builder, STR("bindApplication"));
    if (s->do_frame == STRING_NONE || s->bind == STRING_NONE)
        return false;
    for (size_t i = 0; i < s->n_threads; i++) {
        s->threads[i].clocks[0] = s->threads[i].seen ? s->threads[i].first - s->begin : 0;
        s->threads[i].state = 0;
    }
    for (size_t i = 0; i < s->n_records; i++) {
        const struct sy_record *r = &s->records[i];
        if (arena_stopped_at(s->arena, i) || !tell_record(s, r))
            return false;
    }
    return end_tracks(s);
}
