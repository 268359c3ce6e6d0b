#include "profile/build/builder.h"

#include "core/clean.h"

#include <string.h>

#include "profile/build/builder_impl.h"

struct builder *builder_new(struct arena *arena, struct hash_seed seed)
{
    struct builder *b = arena_alloc(arena, sizeof(*b));

    if (b == NULL)
        return NULL;
    b->arena = arena;
    b->seed = seed;
    b->ns_per_tick = 1000;
    b->wraps = true;
    b->moved = NODE_NONE; /* an empty list */
    hash_index_init(&b->frame_index, arena);
    idmap_init(&b->wide, arena, seed);
    idmap_init(&b->open, arena, seed);
    idmap_init(&b->earlier, arena, seed);
    for (size_t i = 0; i < WARNING_CODES; i++)
        b->warnings[i].offset = WARNING_NO_OFFSET; /* the largest offset: any other one is smaller */
    return strtab_init(&b->strings, arena, seed) ? b : NULL;
}

static bool copy_str(struct builder *b, struct str *s)
{
    char *copy = arena_copy(b->arena, s->p, s->n);

    s->p = copy;
    return copy != NULL;
}

/* ---- what is measured ---- */

static bool is_time(const struct profile_value *v)
{
    return v->unit == UNIT_NS && v->role >= ROLE_WALL && v->role <= ROLE_UNKNOWN;
}

static const char *fault_of_names(const struct profile_value *columns, uint32_t n_columns)
{
    for (uint32_t i = 0; i < n_columns; i++) {
        if (columns[i].name.n == 0)
            return "a value without a name";
        for (uint32_t k = 0; k < i; k++)
            if (str_eq(columns[i].name, columns[k].name))
                return "two values of one name";
    }
    return NULL;
}

/* What is wrong with these columns of events or of samples, of which the first n_times are times; NULL if nothing is. */
static const char *fault_of(const struct profile_value *columns, uint32_t n_columns, uint32_t n_times)
{
    const char *fault = fault_of_names(columns, n_columns);

    if (fault != NULL)
        return fault;
    for (uint32_t i = 0; i < n_columns; i++) {
        if (i < n_times && !is_time(&columns[i]))
            return "a clock that tells neither wall time, nor CPU time, nor the time of a state";
        if (i > 0 && i < n_times && columns[i].role <= columns[i - 1].role)
            return "clocks that are not in the order of their roles";
        if (n_times == 1 && i == 0 && columns[i].role > ROLE_CPU)
            return "a state's clock alone";
        if (n_times > 1 && i < 2 && columns[i].role != (i == 0 ? ROLE_WALL : ROLE_CPU))
            return "clocks of which the first two are not wall time and CPU time";
    }
    if (n_times > 0 && (n_columns != n_times + 1 || columns[n_times].role != ROLE_CALLS))
        return "events that count something else than calls";
    return NULL;
}

static bool put_column(struct builder *b, uint32_t column, const struct profile_value *as)
{
    struct profile_value copy = *as;

    if (!copy_str(b, &copy.name) || !copy_str(b, &copy.label))
        return false;
    b->columns[column] = copy;
    return true;
}

bool builder_values(struct builder *b, const struct profile_value *times, uint32_t n_times,
                    const struct profile_value *values, uint32_t n_values)
{
    struct profile_value columns[PROFILE_VALUES_MAX];

    if (b->layout.n_columns > 0)
        return builder_misused(b, "its values twice");
    if (n_times > BUILDER_CLOCKS_MAX)
        return builder_misused(b, "more clocks than an event has");
    if (n_values == 0 || n_values > PROFILE_VALUES_MAX - n_times)
        return builder_misused(b, "no values, or too many");
    for (uint32_t i = 0; i < n_times + n_values; i++)
        columns[i] = i < n_times ? times[i] : values[i - n_times];
    b->misuse = fault_of(columns, n_times + n_values, n_times);
    for (uint32_t i = 0; i < n_times + n_values; i++)
        if (b->misuse != NULL || !put_column(b, i, &columns[i]))
            return false;
    b->layout = n_times > 0 ? fold_layout_of_events(n_times) : (struct fold_layout){.n_columns = n_values};
    b->stride = sizeof(struct fold_node) + b->layout.n_columns * sizeof(uint64_t);
    if (b->logs_events && n_times == 0)
        b->log = NULL;
    return true;
}

bool builder_values_beside(struct builder *b, const struct profile_value *values, uint32_t n_values)
{
    struct profile_value columns[PROFILE_VALUES_MAX];
    uint32_t n = b->layout.n_columns;

    if (b->layout.n_times == 0 || n != b->layout.samples || b->n_tracks > 0)
        return builder_misused(b, "values of samples beside no events, or twice, or behind a track");
    if (n_values == 0 || n_values > PROFILE_VALUES_MAX - n)
        return builder_misused(b, "no values, or too many");
    memcpy(columns, b->columns, sizeof(columns));
    memcpy(columns + n, values, n_values * sizeof(*values));
    b->misuse = fault_of_names(columns, n + n_values);
    for (uint32_t i = 0; i < n_values; i++)
        if (b->misuse != NULL || !put_column(b, n + i, &values[i]))
            return false;
    b->layout.n_columns += n_values;
    b->stride += n_values * sizeof(uint64_t);
    return true;
}

void builder_sampled(struct builder *b, uint64_t bytes)
{
    b->sampled_bytes = bytes;
}

void builder_signed(struct builder *b)
{
    b->is_signed = true;
    if (b->layout.n_times > 0 || b->n_nodes > 0)
        b->misuse = "signed values of events, or behind samples";
}

bool builder_redeclare_time(struct builder *b, uint32_t time, const struct profile_value *as)
{
    struct profile_value columns[PROFILE_VALUES_MAX];

    if (time >= b->layout.n_times)
        return builder_misused(b, "a clock anew that it does not have");
    memcpy(columns, b->columns, sizeof(columns));
    columns[time] = *as;
    b->misuse = fault_of_names(columns, b->layout.n_columns);
    if (b->misuse == NULL)
        b->misuse = fault_of(columns, b->layout.samples, b->layout.n_times);
    return b->misuse == NULL && put_column(b, time, as);
}

void builder_clocks(struct builder *b, uint32_t ns_per_tick, bool wraps_at_32_bits)
{
    b->ns_per_tick = ns_per_tick;
    b->wraps = wraps_at_32_bits;
}

void builder_log(struct builder *b, struct call_log_writer *log)
{
    b->log = log;
}

void builder_log_events(struct builder *b, struct call_log_writer *log)
{
    b->log = log;
    b->logs_events = true;
}

string_id builder_string(struct builder *b, struct str s)
{
    enum { STEP_BYTES = 64 };

    return builder_goes_on(b, 1 + s.n / STEP_BYTES) ? strtab_add(&b->strings, s) : STRING_NONE;
}

string_id builder_string_of(struct builder *b, struct buf *text)
{
    string_id id = text->failed ? STRING_NONE : builder_string(b, buf_view(text));

    buf_free(text);
    return id;
}

void builder_keep_addresses(struct builder *b)
{
    b->addresses = true;
}

/* The address of a frame, as far as frames are told apart by it. */
static uint64_t address_of(const struct builder *b, const struct profile_frame *f)
{
    return b->addresses && f->nameless ? f->address : 0;
}

static uint64_t frame_hash(const struct builder *b, const struct profile_frame *f)
{
    uint64_t address = address_of(b, f);
    const uint32_t identity[] = {f->scope,    f->name, f->signature,      f->module,
                                 f->build_id, f->kind, (uint32_t)address, (uint32_t)(address >> 32)};

    return hash_bytes(b->seed, identity, sizeof(identity));
}

static bool same_frame(const struct builder *of, const struct profile_frame *a, const struct profile_frame *b)
{
    return a->scope == b->scope && a->name == b->name && a->signature == b->signature &&
           a->module == b->module && a->build_id == b->build_id && a->kind == b->kind &&
           address_of(of, a) == address_of(of, b);
}

string_id builder_name(struct builder *b, struct str name, uint32_t bytes, uint64_t offset)
{
    if (name.n > bytes)
        builder_warn(b, WARN_NAME_CUT, 1, offset);
    return builder_string(b, clean_cut(name, bytes));
}

struct str builder_text_of(const struct builder *b, string_id id)
{
    return strtab_get(&b->strings, id);
}

/* The index is of hashes only: frames of one hash are compared one after the other. The slot in which the
 * search ends is the one that a new frame takes. */
frame_id builder_frame(struct builder *b, const struct profile_frame *frame)
{
    if (!builder_goes_on(b, 1) || !hash_index_reserve(&b->frame_index))
        return FRAME_NONE;
    uint64_t hash = frame_hash(b, frame);
    struct hash_index_slot *slot = hash_index_find(&b->frame_index, hash);
    for (; slot->id != HASH_INDEX_NONE; slot = hash_index_next(&b->frame_index, slot)) {
        struct profile_frame *known = &b->frames[slot->id];
        if (same_frame(b, known, frame)) {
            /* Where the frame stands is no part of its identity: the first place that is named stays. */
            if (known->file == STRING_EMPTY)
                known->file = frame->file, known->line = frame->line;
            if (known->address == 0)
                known->address = frame->address;
            return slot->id;
        }
    }
    if (!ARENA_ROOM(b->arena, b->frames, b->frames_capacity, b->n_frames + 1) ||
        b->n_frames >= FRAME_NONE - 1)
        return FRAME_NONE;
    b->frames[b->n_frames] = *frame;
    hash_index_put(&b->frame_index, slot, hash, (uint32_t)b->n_frames);
    return (frame_id)b->n_frames++;
}

uint32_t builder_track(struct builder *b, uint32_t id, string_id name)
{
    if (!ARENA_ROOM(b->arena, b->tracks, b->tracks_capacity, b->n_tracks + 1))
        return NODE_NONE;
    b->tracks[b->n_tracks] = (struct fold_track){.id = id,
                                                 .name = name,
                                                 .words = {.kind = TRACK_THREAD, .number = id},
                                                 .root = NODE_NONE,
                                                 .current = NODE_NONE};
    b->n_tracks++;
    return (uint32_t)b->n_tracks - 1;
}

void builder_track_rename(struct builder *b, uint32_t track, string_id name)
{
    b->tracks[track].name = name;
}

void builder_track_is(struct builder *b, uint32_t track, const struct track_words *words)
{
    b->tracks[track].words = *words;
}

void builder_track_beside(struct builder *b, uint32_t track, uint32_t of, uint32_t first, uint32_t n)
{
    b->tracks[track].beside = of;
    for (uint32_t i = 0; i < n; i++)
        b->tracks[track].values |= UINT32_C(1) << (b->layout.samples + first + i);
}

void builder_warn(struct builder *b, enum warning_code code, uint64_t count, uint64_t offset)
{
    b->warnings[code].count += count;
    if (offset < b->warnings[code].offset)
        b->warnings[code].offset = offset;
}

uint64_t builder_warned(const struct builder *b, enum warning_code code)
{
    return b->warnings[code].count;
}

void builder_counters(struct builder *b, const struct profile_counter *counters, uint32_t n,
                      const struct profile_reading *readings)
{
    b->counters = counters;
    b->n_counters = n;
    b->readings = readings;
}

void builder_screen_frames(struct builder *b, const struct profile_screen_frame *frames, uint32_t n)
{
    b->screen_frames = frames;
    b->n_screen_frames = n;
}

void builder_wakes(struct builder *b, const struct profile_wake *wakes, uint32_t n)
{
    b->wakes = wakes;
    b->n_wakes = n;
}

void builder_notes(struct builder *b, const struct profile_note *notes, uint32_t n)
{
    b->notes = notes;
    b->n_notes = n;
}

void builder_phases(struct builder *b, const struct profile_phase *phases, uint32_t n)
{
    b->phases = phases;
    b->n_phases = n;
}

bool builder_fact(struct builder *b, struct str name, struct str value)
{
    struct profile_fact fact = {name, value};

    if (!copy_str(b, &fact.value))
        return false;
    for (size_t i = 0; i < b->n_facts; i++)
        if (str_eq(b->facts[i].name, name)) {
            b->facts[i].value = fact.value;
            return true;
        }
    if (!ARENA_ROOM(b->arena, b->facts, b->facts_capacity, b->n_facts + 1))
        return false;
    if (!copy_str(b, &fact.name))
        return false;
    b->facts[b->n_facts++] = fact;
    return true;
}

bool builder_split(struct builder *b, struct str key)
{
    b->split = key;
    return copy_str(b, &b->split);
}

struct str builder_split_key(const struct builder *b)
{
    return b->split;
}

void builder_label(struct builder *b, const struct profile_label *label)
{
    if (b->n_labels < PROFILE_LABELS_MAX)
        b->labels[b->n_labels++] = *label;
}

uint32_t builder_frame_count(const struct builder *b)
{
    return (uint32_t)b->n_frames;
}

uint64_t builder_event_count(const struct builder *b)
{
    return b->n_events;
}

uint64_t builder_track_records(const struct builder *b, uint32_t track)
{
    return b->tracks[track].records;
}

uint64_t builder_ns_per_tick(const struct builder *b)
{
    return b->ns_per_tick;
}

/* Each tick that a track's clock went on was credited to one node. */
uint64_t builder_time_total_ns(const struct builder *b, uint32_t time)
{
    uint64_t ticks = 0;

    for (size_t i = 0; i < b->n_tracks; i++)
        ticks = number_add(ticks, b->tracks[i].last[time] - b->tracks[i].first[time]);
    return ticks_to_ns(b, ticks);
}

uint64_t builder_time_latest_ns(const struct builder *b, uint32_t time)
{
    uint64_t latest = 0;

    for (size_t i = 0; i < b->n_tracks; i++)
        if (b->tracks[i].last[time] > latest)
            latest = b->tracks[i].last[time];
    return ticks_to_ns(b, latest);
}

bool builder_frame_redefined(struct builder *b, frame_id now, frame_id earlier)
{
    return idmap_set(&b->earlier, now, earlier);
}

void builder_frame_rename(struct builder *b, frame_id frame, frame_id as)
{
    b->frames[frame] = b->frames[as];
}

struct arena *builder_arena(const struct builder *b)
{
    return b->arena;
}

struct hash_seed builder_seed(const struct builder *b)
{
    return b->seed;
}

bool builder_failed(const struct builder *b, struct diag *diag)
{
    if (b->misuse != NULL)
        return diag_set(diag, DIAG_UNUSABLE, "fault in the reader of this format",
                        "This is a fault of the program, not of the file; please report it.",
                        "The reader of this format declares %s.", b->misuse);
    if (b->arena->failure == ARENA_STOPPED)
        return stop_say(b->arena->stop, diag);
    if (b->arena->failure != ARENA_LIMIT)
        return diag_set(diag, DIAG_NO_MEMORY, "out of memory", "Try again later, or on a larger machine.",
                        "The machine has no memory left for this profile.");
    return diag_set(
        diag, DIAG_LIMIT, "profile too large",
        "Record a shorter trace, or one with fewer methods; or ask who runs this service to raise the limit.",
        "The profile's stacks and names need more than the limit job_memory_bytes of %zu bytes.",
        b->arena->limit_bytes);
}
