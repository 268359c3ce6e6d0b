/* speedscope's files (file-format-spec.ts and the schema file-format-schema.json of jlfwong/speedscope).
 *
 *   {"$schema":..,"shared":{"frames":[{"name","file","line","col"},..]},"profiles":[..],"name","exporter",..}
 *   a profile: type evented or sampled, name, unit, startValue, endValue, and
 *     events   [{"type":"O" or "C","frame":F,"at":A},..]     opens and closes a frame
 *     samples  [[F, F, ..],..] root first, and weights [W,..]
 *
 * Members come in any order: frames may stand behind the profiles, and a unit behind the events that it is of. */
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "parser/json/json_impl.h"

enum unit_of { UNIT_OF_NONE, UNIT_OF_TIME, UNIT_OF_BYTES };

/* An event, or a sample with its weight. */
struct entry {
    int64_t mantissa; /* of the number, with the exponent */
    uint32_t what;    /* frame or stack */
    int16_t exponent;
    bool opens;
};

struct part {
    string_id name;
    bool evented, sampled;
    enum unit_of unit;
    int decimals; /* of a time: to ns */
    struct json_number start, end;
    bool has_start, has_end, has_weights;
    size_t first, n_events, n_samples, n_weights; /* of entries */
};

struct json_speedscope {
    bool has_schema, has_frames;
    struct part *parts;
    size_t n_parts, parts_capacity;
    struct entry *entries;
    size_t n_entries, entries_capacity;
    frame_id *frames;
    size_t n_frames, frames_capacity;
    struct json_stacks stacks; /* of samples; frames by index */
    uint32_t *open;            /* by frame, the last one for all that are not listed: how many are open */
};

static struct json_speedscope *state(struct json_doc *d)
{
    if (d->speedscope == NULL) {
        d->speedscope = arena_alloc(d->arena, sizeof(*d->speedscope));
        if (d->speedscope != NULL)
            json_stacks_init(&d->speedscope->stacks, d->builder);
    }
    return d->speedscope;
}

/* ---- frames ---- */

static bool take_frame(struct json_doc *d, struct json_speedscope *s)
{
    struct profile_frame frame = {0};
    string_id name = STRING_EMPTY;
    struct str key, text;
    int64_t line;

    if (json_in_enter(d->in, JSON_OBJECT))
        while (json_in_key(d->in, &key)) {
            if (str_eq(key, STR("name"))) {
                name = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
            } else if (str_eq(key, STR("file"))) {
                frame.file = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
            } else if (str_eq(key, STR("line"))) {
                frame.line =
                    json_in_integer(d->in, &line) && line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
            } else {
                json_in_skip(d->in);
            }
        }
    if (name == STRING_NONE || frame.file == STRING_NONE ||
        !ARENA_ROOM(d->arena, s->frames, s->frames_capacity, s->n_frames + 1))
        return false;
    s->frames[s->n_frames] = json_frame(d->builder, name, &frame);
    return s->frames[s->n_frames++] != FRAME_NONE;
}

bool json_speedscope_frames(struct json_doc *d)
{
    struct json_speedscope *s = state(d);

    if (s == NULL)
        return false;
    s->has_frames = true;
    s->n_frames = 0;
    if (json_in_enter(d->in, JSON_ARRAY))
        while (json_in_item(d->in))
            if (!take_frame(d, s))
                return false;
    return true;
}

bool json_speedscope_schema(struct json_doc *d)
{
    struct json_speedscope *s = state(d);
    struct str text;

    if (s != NULL)
        s->has_schema = json_in_string(d->in, &text) && str_find_str(text, STR("speedscope")) < text.n;
    return s != NULL;
}

/* ---- events and samples ---- */

static uint32_t take_index(struct json_doc *d)
{
    int64_t index;

    return json_in_integer(d->in, &index) && index >= 0 && index < STACK_NONE ? (uint32_t)index : STACK_NONE;
}

static void set_number(struct entry *e, struct json_number n)
{
    e->mantissa = n.mantissa;
    e->exponent = (int16_t)n.exponent;
}

static struct json_number number_of(const struct entry *e)
{
    return (struct json_number){e->mantissa, e->exponent};
}

static bool take_event(struct json_doc *d, struct json_speedscope *s, struct part *p)
{
    struct entry event = {.what = STACK_NONE};
    struct json_number at = {0};
    struct str key, text;
    bool known = false;

    if (!json_in_enter(d->in, JSON_OBJECT))
        return true;
    while (json_in_key(d->in, &key)) {
        if (str_eq(key, STR("type"))) {
            known = json_in_string(d->in, &text) && text.n == 1 && (text.p[0] == 'O' || text.p[0] == 'C');
            event.opens = known && text.p[0] == 'O';
        } else if (str_eq(key, STR("frame"))) {
            event.what = take_index(d);
        } else if (str_eq(key, STR("at"))) {
            if (!json_in_number(d->in, &at))
                at = (struct json_number){0};
        } else {
            json_in_skip(d->in);
        }
    }
    if (!known)
        builder_warn(d->builder, WARN_UNKNOWN_ACTION, 1, json_in_offset(d->in));
    if (!known || d->in->state != JSON_GOOD)
        return true;
    set_number(&event, at);
    if (!ARENA_ROOM(d->arena, s->entries, s->entries_capacity, s->n_entries + 1))
        return false;
    s->entries[s->n_entries++] = event;
    p->n_events++;
    return true;
}

static bool take_events(struct json_doc *d, struct json_speedscope *s, struct part *p)
{
    if (json_in_enter(d->in, JSON_ARRAY))
        while (json_in_item(d->in))
            if (!take_event(d, s, p))
                return false;
    return true;
}

/* The i-th sample of the profile at hand, whose weight may come before it. NULL: no memory. */
static struct entry *sample_at(struct json_doc *d, struct json_speedscope *s, const struct part *p, size_t i)
{
    size_t at = p->first + p->n_events + i;

    if (!ARENA_ROOM(d->arena, s->entries, s->entries_capacity, at + 1))
        return NULL;
    if (at >= s->n_entries) {
        s->entries[at] = (struct entry){.what = STACK_NONE};
        s->n_entries = at + 1;
    }
    return &s->entries[at];
}

static bool take_samples(struct json_doc *d, struct json_speedscope *s, struct part *p)
{
    if (!json_in_enter(d->in, JSON_ARRAY))
        return true;
    while (json_in_item(d->in)) {
        uint32_t stack = STACK_NONE;
        if (json_in_enter(d->in, JSON_ARRAY))
            while (json_in_item(d->in)) {
                stack = json_stack_child(&s->stacks, stack, take_index(d));
                if (stack == STACK_NONE)
                    return false;
            }
        struct entry *sample = sample_at(d, s, p, p->n_samples++);
        if (sample == NULL)
            return false;
        sample->what = stack;
    }
    return true;
}

static bool take_weights(struct json_doc *d, struct json_speedscope *s, struct part *p)
{
    struct json_number weight;

    p->has_weights = json_in_enter(d->in, JSON_ARRAY);
    while (p->has_weights && json_in_item(d->in)) {
        struct entry *sample = sample_at(d, s, p, p->n_weights++);
        if (sample == NULL)
            return false;
        set_number(sample, json_in_number(d->in, &weight) ? weight : (struct json_number){0});
        d->values.is_signed = d->values.is_signed || sample->mantissa < 0;
    }
    return true;
}

/* ---- profiles ---- */

static void take_unit(struct json_doc *d, struct part *p)
{
    static const struct {
        struct str word;
        enum unit_of unit;
        int decimals;
    } UNITS[] = {{STR_INIT("nanoseconds"), UNIT_OF_TIME, 0},
                 {STR_INIT("microseconds"), UNIT_OF_TIME, JSON_NS_OF_US},
                 {STR_INIT("milliseconds"), UNIT_OF_TIME, JSON_NS_OF_MS},
                 {STR_INIT("seconds"), UNIT_OF_TIME, JSON_NS_OF_S},
                 {STR_INIT("bytes"), UNIT_OF_BYTES, 0}};
    struct str text;

    if (!json_in_string(d->in, &text))
        return;
    for (size_t i = 0; i < sizeof(UNITS) / sizeof(*UNITS); i++)
        if (str_eq(text, UNITS[i].word)) {
            p->unit = UNITS[i].unit;
            p->decimals = UNITS[i].decimals;
        }
}

static bool take_member(struct json_doc *d, struct json_speedscope *s, struct part *p, struct str key)
{
    struct str text;

    if (str_eq(key, STR("events")) && p->n_samples + p->n_weights == 0)
        return take_events(d, s, p);
    if (str_eq(key, STR("samples")))
        return take_samples(d, s, p);
    if (str_eq(key, STR("weights")))
        return take_weights(d, s, p);
    if (str_eq(key, STR("unit"))) {
        take_unit(d, p);
    } else if (str_eq(key, STR("startValue"))) {
        p->has_start = json_in_number(d->in, &p->start);
    } else if (str_eq(key, STR("endValue"))) {
        p->has_end = json_in_number(d->in, &p->end);
    } else if (str_eq(key, STR("type"))) {
        bool good = json_in_string(d->in, &text);
        p->evented = good && str_eq(text, STR("evented"));
        p->sampled = good && str_eq(text, STR("sampled"));
    } else if (str_eq(key, STR("name"))) {
        p->name = json_in_string(d->in, &text) ? json_name(d, text) : STRING_EMPTY;
    } else {
        json_in_skip(d->in);
    }
    return p->name != STRING_NONE;
}

bool json_speedscope_profiles(struct json_doc *d)
{
    struct json_speedscope *s = state(d);
    struct str key;

    if (s == NULL)
        return false;
    if (!json_in_enter(d->in, JSON_ARRAY))
        return true;
    while (json_in_item(d->in)) {
        struct part part = {.first = s->n_entries};
        if (json_in_enter(d->in, JSON_OBJECT))
            while (json_in_key(d->in, &key))
                if (!take_member(d, s, &part, key))
                    return false;
        if (!ARENA_ROOM(d->arena, s->parts, s->parts_capacity, s->n_parts + 1))
            return false;
        s->parts[s->n_parts++] = part;
    }
    return true;
}

/* ---- the end: tracks ---- */

static enum json_value value_of(const struct part *p)
{
    return p->unit == UNIT_OF_TIME ? JSON_WALL : p->unit == UNIT_OF_BYTES ? JSON_BYTES : JSON_SAMPLES;
}

static uint32_t new_track(struct json_doc *d, const struct part *p, size_t place)
{
    static const struct track_words WHOLE = {.kind = TRACK_WHOLE};
    char text[40] = "profile ";
    string_id name = p->name;

    if (name == STRING_EMPTY)
        name =
            builder_string(d->builder, (struct str){text, (size_t)(number_u64(text + 8, place + 1) - text)});
    return name == STRING_NONE ? NODE_NONE : json_track_by_name(&d->tracks, name, &WHOLE);
}

static int64_t ns_of(const struct part *p, struct json_number n)
{
    return json_in_scaled(n, p->decimals);
}

/* The earliest time of the file, in ns. */
static int64_t earliest(const struct json_speedscope *s)
{
    int64_t begin = INT64_MAX;

    for (size_t i = 0; i < s->n_parts; i++) {
        const struct part *p = &s->parts[i];
        if (p->unit != UNIT_OF_TIME)
            continue;
        for (size_t k = 0; k < p->n_events; k++) {
            int64_t at = ns_of(p, number_of(&s->entries[p->first + k]));
            begin = at < begin ? at : begin;
        }
        int64_t start = p->has_start ? ns_of(p, p->start) : INT64_MAX;
        begin = p->sampled && start < begin ? start : begin;
    }
    return begin == INT64_MAX ? 0 : begin;
}

/* since `begin`, without overflow */
static int64_t since(int64_t at, int64_t begin)
{
    int64_t difference;

    return __builtin_sub_overflow(at, begin, &difference) ? INT64_MAX : difference < 0 ? 0 : difference;
}

/* ---- the end: calls ---- */

/* Behind the last event of a track, at last_ns: what is open holds until end_ns, and is counted. */
static bool json_close_open(struct json_doc *d, uint32_t track, int64_t end_ns, int64_t last_ns)
{
    uint64_t open = builder_track_open(d->builder, track);
    struct event exit = {.track = track,
                         .frame = FRAME_NONE,
                         .action = EVENT_EXIT,
                         .clock = {(uint64_t)(end_ns < 0 ? 0 : end_ns)}};

    if (open == 0 || end_ns <= last_ns)
        return true;
    builder_warn(d->builder, WARN_OPEN_FRAMES, open, WARNING_NO_OFFSET);
    while (open-- > 0)
        if (!builder_events(d->builder, &exit, 1, d->begin, 0))
            return false;
    return true;
}

static bool put_calls(struct json_doc *d, const struct part *p, uint32_t track, int64_t begin)
{
    enum { BATCH = 128 };
    struct json_speedscope *s = d->speedscope;
    struct event events[BATCH];
    size_t n = 0;
    int64_t last = 0;

    for (size_t i = 0; i < p->n_events; i++) {
        const struct entry *e = &s->entries[p->first + i];
        struct event *event = &events[n++];
        *event = (struct event){.track = track,
                                .frame = json_stack_frame(&s->stacks, e->what),
                                .action = e->opens ? EVENT_ENTER : EVENT_EXIT,
                                .clock = {(uint64_t)since(ns_of(p, number_of(e)), begin)}};
        last = (int64_t)event->clock[0] > last ? (int64_t)event->clock[0] : last;
        if (event->frame == FRAME_NONE)
            return false;
        if (n < BATCH && i + 1 < p->n_events)
            continue;
        if (!builder_events(d->builder, events, n, d->begin, 0))
            return false;
        n = 0;
    }
    return json_close_open(d, track, p->has_end ? since(ns_of(p, p->end), begin) : 0, last);
}

static bool finish_calls(struct json_doc *d)
{
    struct json_speedscope *s = d->speedscope;
    int64_t begin = earliest(s);

    if (!json_declare_calls(d, false))
        return false;
    for (size_t i = 0; i < s->n_parts; i++) {
        uint32_t track = new_track(d, &s->parts[i], i);
        if (track == NODE_NONE || !put_calls(d, &s->parts[i], track, begin))
            return false;
    }
    return true;
}

/* ---- the end: samples ---- */

/* A number in ns or, of what has another unit, in millionths. */
static int64_t fine(const struct part *p, struct json_number n)
{
    return p->unit == UNIT_OF_TIME ? ns_of(p, n) : json_in_scaled(n, 6);
}

static struct json_amount amount_of(const struct part *p, int64_t fine_amount)
{
    return p->unit == UNIT_OF_TIME ? (struct json_amount){fine_amount, 0}
                                   : json_amount_of_millionths(fine_amount);
}

static uint32_t *open_of(struct json_speedscope *s, uint32_t frame)
{
    return &s->open[frame < s->n_frames ? frame : s->n_frames];
}

/* Events that are samples in this file: what lies between two of them belongs to the stack that is open. */
struct replay {
    const struct part *part;
    uint32_t track, stack;
    int64_t last;
    bool begun;
};

static bool credit(struct json_doc *d, struct replay *r, int64_t now)
{
    struct json_amount amounts[JSON_VALUES] = {{0}};
    int64_t difference;

    if (r->begun && now < r->last)
        builder_warn(d->builder, WARN_TIME_BACK, 1, WARNING_NO_OFFSET);
    if (r->begun && now <= r->last)
        return true;
    bool first = !r->begun || __builtin_sub_overflow(now, r->last, &difference);
    r->begun = true;
    r->last = now;
    if (first)
        return true;
    amounts[value_of(r->part)] = amount_of(r->part, difference);
    return json_values_add(&d->values, r->track, json_stack_node(&d->speedscope->stacks, r->track, r->stack),
                           amounts, COLUMN_NONE);
}

static bool replay_open(struct json_doc *d, struct replay *r, uint32_t frame)
{
    struct json_speedscope *s = d->speedscope;

    r->stack = json_stack_child(&s->stacks, r->stack, frame);
    ++*open_of(s, frame);
    return r->stack != STACK_NONE;
}

/* Closes the innermost open frame like this one. Returns what is wrong with that; WARNING_CODES: nothing. */
static enum warning_code replay_close(struct json_speedscope *s, struct replay *r, uint32_t frame)
{
    bool popped = false;

    if (*open_of(s, frame) == 0)
        return WARN_IGNORED_EXIT;
    while (open_of(s, s->stacks.frame[r->stack]) != open_of(s, frame)) {
        --*open_of(s, s->stacks.frame[r->stack]);
        r->stack = s->stacks.parent[r->stack];
        popped = true;
    }
    --*open_of(s, frame);
    r->stack = s->stacks.parent[r->stack];
    return popped ? WARN_POPPED : WARNING_CODES;
}

/* What is closed while nothing is open was open from the beginning, the last one outermost. */
static bool open_before(struct json_doc *d, struct replay *r, const struct part *p)
{
    struct json_speedscope *s = d->speedscope;
    uint32_t *before = NULL;
    size_t n = 0, capacity = 0;

    for (size_t i = 0; i < p->n_events; i++) {
        const struct entry *e = &s->entries[p->first + i];
        if (e->opens) {
            if (!replay_open(d, r, e->what))
                return false;
        } else if (r->stack != STACK_NONE) {
            replay_close(s, r, e->what);
        } else {
            if (!ARENA_ROOM(d->arena, before, capacity, n + 1))
                return false;
            before[n++] = e->what;
        }
    }
    for (; r->stack != STACK_NONE; r->stack = s->stacks.parent[r->stack])
        --*open_of(s, s->stacks.frame[r->stack]);
    if (n > 0)
        builder_warn(d->builder, WARN_RE_ROOTED, n, WARNING_NO_OFFSET);
    while (n-- > 0)
        if (!replay_open(d, r, before[n]))
            return false;
    return true;
}

static bool put_differences(struct json_doc *d, const struct part *p, uint32_t track)
{
    struct json_speedscope *s = d->speedscope;
    struct replay r = {.part = p, .track = track, .stack = STACK_NONE};
    uint64_t open = 0;

    if (!open_before(d, &r, p))
        return false;
    for (size_t i = 0; i < p->n_events; i++) {
        const struct entry *e = &s->entries[p->first + i];
        if (!credit(d, &r, fine(p, number_of(e))))
            return false;
        if (e->opens && !replay_open(d, &r, e->what))
            return false;
        enum warning_code wrong = e->opens ? WARNING_CODES : replay_close(s, &r, e->what);
        if (wrong != WARNING_CODES)
            builder_warn(d->builder, wrong, 1, WARNING_NO_OFFSET);
    }
    if (r.stack != STACK_NONE && p->has_end && fine(p, p->end) > r.last && !credit(d, &r, fine(p, p->end)))
        return false;
    for (; r.stack != STACK_NONE; r.stack = s->stacks.parent[r.stack], open++)
        --*open_of(s, s->stacks.frame[r.stack]);
    if (open > 0)
        builder_warn(d->builder, WARN_OPEN_FRAMES, open, WARNING_NO_OFFSET);
    return true;
}

static bool put_samples(struct json_doc *d, const struct part *p, uint32_t track, int64_t begin)
{
    struct json_speedscope *s = d->speedscope;
    size_t n = !p->has_weights || p->n_samples < p->n_weights ? p->n_samples : p->n_weights;
    int64_t at = p->has_start ? since(ns_of(p, p->start), begin) : 0;
    bool timed = p->unit == UNIT_OF_TIME && p->has_weights;
    struct json_amount amounts[JSON_VALUES] = {{0}};

    if (p->has_weights && p->n_samples != p->n_weights)
        builder_warn(d->builder, WARN_BAD_SAMPLE, p->n_samples > n ? p->n_samples - n : p->n_weights - n,
                     WARNING_NO_OFFSET);
    for (size_t i = 0; i < n; i++) {
        const struct entry *e = &s->entries[p->first + p->n_events + i];
        int64_t amount = fine(p, number_of(e));
        amounts[value_of(p)] = amount_of(p, amount);
        if (!p->has_weights) {
            amounts[value_of(p)] = (struct json_amount){0};
            amounts[JSON_SAMPLES] = (struct json_amount){1, 0};
        }
        if (!json_values_add(&d->values, track, json_stack_node(&s->stacks, track, e->what), amounts,
                             timed ? at : COLUMN_NONE))
            return false;
        at = timed && amount > 0 ? number_add_signed(at, amount) : at;
    }
    /* Nothing holds behind the last one. */
    memset(amounts, 0, sizeof(amounts));
    return !timed || n == 0 ||
           json_values_add(&d->values, track, json_stack_node(&s->stacks, track, STACK_NONE), amounts, at);
}

static bool finish_samples(struct json_doc *d)
{
    struct json_speedscope *s = d->speedscope;
    int64_t begin = earliest(s);

    for (size_t i = 0; i < s->n_parts; i++) {
        json_values_need(&d->values, value_of(&s->parts[i]));
        if (s->parts[i].sampled && !s->parts[i].has_weights) {
            json_values_need(&d->values, JSON_SAMPLES);
            builder_warn(d->builder, WARN_NO_WEIGHTS, 1, WARNING_NO_OFFSET);
        }
    }
    s->open = arena_array(d->arena, s->n_frames + 1, sizeof(*s->open));
    if (s->open == NULL || !json_values_declare(&d->values))
        return false;
    for (size_t i = 0; i < s->n_parts; i++) {
        const struct part *p = &s->parts[i];
        uint32_t track = new_track(d, p, i);
        if (track == NODE_NONE || (p->evented && !put_differences(d, p, track)))
            return false;
        /* Stacks of events are made as they come, so what is known of the rows is looked up anew. */
        if (p->sampled && !put_samples(d, p, track, begin))
            return false;
    }
    return true;
}

bool json_is_speedscope(const struct json_doc *d)
{
    const struct json_speedscope *s = d->speedscope;

    return s != NULL && s->n_parts > 0 && (s->has_frames || s->has_schema);
}

/* Whether what the file counts as times may be the clock of calls. */
static bool json_calls_have_value(const struct json_doc *d)
{
    return d->value_name.n == 0 || str_eq(d->value_name, STR("wall")) || str_eq(d->value_name, STR("cpu"));
}

bool json_finish_speedscope(struct json_doc *d)
{
    struct json_speedscope *s = d->speedscope;
    bool calls = json_calls_have_value(d);

    s->stacks.frames = s->frames;
    s->stacks.n_frames = s->n_frames;
    s->stacks.indexed = true;
    for (size_t i = 0; i < s->n_parts; i++) {
        calls = calls && s->parts[i].evented && s->parts[i].unit == UNIT_OF_TIME;
        if (!s->parts[i].evented && !s->parts[i].sampled)
            builder_warn(d->builder, WARN_UNKNOWN_TYPE, 1, WARNING_NO_OFFSET);
    }
    return calls ? finish_calls(d) : finish_samples(d);
}
