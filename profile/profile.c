#include "profile/profile.h"

#include <stdlib.h>

#include "core/clean.h"
#include "core/str.h"
#include "core/unit.h"

uint32_t profile_value_by_role(const struct profile *p, enum profile_role role)
{
    uint32_t i = 0;

    while (i < p->n_values && p->values[i].role != role)
        i++;
    return i;
}

uint32_t profile_value_by_name(const struct profile *p, struct str name)
{
    uint32_t i = 0;

    while (i < p->n_values && !str_eq(p->values[i].name, name))
        i++;
    return i;
}

const struct profile_track *profile_track_by_id(const struct profile *p, uint32_t id)
{
    uint32_t lo = 0, hi = p->n_tracks;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->tracks[mid].id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < p->n_tracks && p->tracks[lo].id == id ? &p->tracks[lo] : NULL;
}

uint32_t profile_place(const uint32_t *list, uint32_t n, uint32_t number)
{
    uint32_t lo = 0, hi = n;

    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (list[middle] < number)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < n && list[lo] == number ? lo : n;
}

uint32_t profile_place_of_id(const struct profile *p, const uint32_t *tracks, uint32_t n, uint32_t id)
{
    const struct profile_track *track = profile_track_by_id(p, id);

    return track == NULL ? n : profile_place(tracks, n, (uint32_t)(track - p->tracks));
}

void profile_times(const struct profile *p, uint64_t *begin_ns, uint64_t *end_ns)
{
    *begin_ns = UINT64_MAX;
    *end_ns = 0;
    for (uint32_t i = 0; i < p->n_tracks; i++) {
        const struct profile_track *t = &p->tracks[i];
        *begin_ns = t->begin_ns < *begin_ns ? t->begin_ns : *begin_ns;
        *end_ns = t->end_ns > *end_ns ? t->end_ns : *end_ns;
    }
}

static bool has_some(const struct profile *p, uint32_t value)
{
    bool some = false;

    for (uint32_t i = 0; i < p->n_tracks && !some; i++)
        some = profile_total(p, p->tracks[i].first, value) > 0;
    return some;
}

/* A clock that was read counts, whatever it says. */
uint32_t profile_weight_value(const struct profile *p)
{
    uint32_t value = profile_value_by_role(p, ROLE_CPU);

    if (value < p->n_values && (value < p->n_times || has_some(p, value)))
        return value;
    for (value = 0; value < p->n_values && !has_some(p, value); value++)
        ;
    return value < p->n_values ? value : 0;
}

const char *frame_kind_word(enum frame_kind kind)
{
    static const char *const WORDS[FRAME_KINDS] = {"", "java", "native", "kernel", "inlined", "error"};

    return WORDS[kind];
}

struct weight {
    const struct profile *profile;
    uint32_t value;
};

/* Wall time in no frame is no work: most threads of a system trace wait in it for all of the recording. */
uint64_t profile_work(const struct profile *p, const struct profile_track *t, uint32_t value)
{
    uint64_t total = profile_total(p, t->first, value);

    return p->values[value].role == ROLE_WALL ? total - profile_self(p, t->first, value) : total;
}

/* The track that stands for its thread: samples go where their thread's sections are. */
static const struct profile_track *track_of_thread(const struct profile *p, const struct profile_track *t)
{
    const struct profile_track *sections = t->beside != 0 ? profile_track_by_id(p, t->beside) : NULL;

    return sections != NULL ? sections : t;
}

static int by_number(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* For qsort_r: the heavier track first. Ids are unique, so the order is the same everywhere. Behind all that have the
 * value by which tracks are ranked stand those that cannot have it; behind threads what no thread is in, which waits most
 * of the time. */
static int by_weight(const void *a, const void *b, void *weight)
{
    const struct weight *by = weight;
    const struct profile *p = by->profile;
    const struct profile_track *ta = &p->tracks[*(const uint32_t *)a], *tb = &p->tracks[*(const uint32_t *)b];
    const struct profile_track *of_a = track_of_thread(p, ta), *of_b = track_of_thread(p, tb);
    uint64_t wa = profile_work(p, of_a, by->value), wb = profile_work(p, of_b, by->value);

    if (track_has(of_a, by->value) != track_has(of_b, by->value))
        return track_has(of_a, by->value) ? -1 : 1;
    if ((of_a->kind == TRACK_ASYNC) != (of_b->kind == TRACK_ASYNC))
        return of_a->kind == TRACK_ASYNC ? 1 : -1;
    if (wa != wb)
        return wa > wb ? -1 : 1;
    if (of_a != of_b)
        return by_number(of_a->id, of_b->id);
    if ((ta == of_a) != (tb == of_b))
        return ta == of_a ? -1 : 1;
    return by_number(ta->id, tb->id);
}

void profile_tracks_by_weight(const struct profile *p, uint32_t *order)
{
    struct weight by = {p, profile_weight_value(p)};

    for (uint32_t i = 0; i < p->n_tracks; i++)
        order[i] = i;
    if (p->n_tracks > 0)
        qsort_r(order, p->n_tracks, sizeof(*order), by_weight, &by);
}

static uint32_t first_of(const struct profile *p, bool main_first)
{
    struct weight by = {p, profile_weight_value(p)};
    uint32_t first = 0;
    bool is_named = false;

    for (uint32_t i = 0; i < p->n_tracks; i++) {
        bool named = main_first && str_eq(profile_string(p, p->tracks[i].name), STR("main"));
        if (named > is_named || (named == is_named && by_weight(&i, &first, &by) < 0)) {
            first = i;
            is_named = named;
        }
    }
    return first;
}

uint32_t profile_first_shown(const struct profile *p)
{
    return first_of(p, true);
}

uint32_t profile_heaviest(const struct profile *p)
{
    return first_of(p, false);
}

struct str profile_fact(const struct profile *p, struct str name)
{
    for (uint32_t i = 0; i < p->n_facts; i++)
        if (str_eq(p->facts[i].name, name))
            return p->facts[i].value;
    return STR("");
}

bool profile_is_sampled(const struct profile *p)
{
    return profile_fact(p, STR("sampling_interval_us")).n > 0;
}

/* ---- values in words ---- */

/* What values mean, in words for people. */

static const struct str MEANINGS[ROLE_ROLES] = {
    [ROLE_OTHER] = STR_INIT(""),
    [ROLE_WALL] = STR_INIT("all that passed, running or waiting"),
    [ROLE_CPU] = STR_INIT("what was spent on a processor"),
    [ROLE_RUNNABLE] = STR_INIT("what a thread waited for a processor"),
    [ROLE_SLEEPING] = STR_INIT("what a thread slept, waiting for an event"),
    [ROLE_BLOCKED] = STR_INIT("what a thread was blocked in the kernel, but not for input or output"),
    [ROLE_IO] = STR_INIT("what a thread was blocked for input or output"),
    [ROLE_UNKNOWN] = STR_INIT("of which the state of the thread is not known, or another one"),
    [ROLE_WAITING] = STR_INIT("what was spent off the processor, waiting"),
    [ROLE_CALLS] = STR_INIT("how often methods were called"),
    [ROLE_SAMPLES] = STR_INIT("how often the recorder saw a stack"),
    [ROLE_ALLOCATED] = STR_INIT("all that was allocated, whether it was released since or not"),
    [ROLE_UNRELEASED] = STR_INIT("what was allocated and is not released yet"),
    [ROLE_OBJECTS] = STR_INIT("how many allocations these are"),
};

static bool note_is_before(const struct profile_note *note, uint32_t track_id, uint64_t begin_ns)
{
    return note->track != track_id ? note->track < track_id : note->begin_ns < begin_ns;
}

const struct profile_note *profile_notes(const struct profile *p, uint32_t track_id, uint64_t begin_ns,
                                         uint32_t *n)
{
    uint32_t low = 0, high = p->n_notes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (note_is_before(&p->notes[middle], track_id, begin_ns))
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low;
         high < p->n_notes && p->notes[high].track == track_id && p->notes[high].begin_ns == begin_ns;
         high++) {
    }
    *n = high - low;
    return low < p->n_notes ? &p->notes[low] : NULL;
}

const struct profile_wake *profile_wake(const struct profile *p, uint32_t track_id, uint64_t time_ns)
{
    uint32_t low = 0, high = p->n_wakes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct profile_wake *w = &p->wakes[middle];
        if (w->track != track_id ? w->track < track_id : w->time_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < p->n_wakes && p->wakes[low].track == track_id && p->wakes[low].time_ns == time_ns;
    return found ? &p->wakes[low] : NULL;
}

uint32_t profile_late_frames(const struct profile *p)
{
    uint32_t late = 0;

    for (uint32_t i = 0; i < p->n_screen_frames; i++)
        late += p->screen_frames[i].causes != 0;
    return late;
}

const char *counter_kind_word(enum counter_kind kind)
{
    static const char *const WORDS[] = {[COUNTER_APP] = "app",
                                        [COUNTER_MEMORY] = "memory",
                                        [COUNTER_FREQUENCY] = "frequency",
                                        [COUNTER_OTHER] = "other"};

    return WORDS[kind];
}

void profile_counter_value(const struct profile *p, const struct profile_counter *c, int64_t value,
                           struct buf *to)
{
    enum { DIGITS = 3 };
    struct str unit = profile_string(p, c->unit);
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    buf_z(to, value < 0 ? "-" : "");
    if (c->decimals == 0 && str_eq(unit, STR("bytes"))) {
        buf_value(to, UNIT_BYTES, size, DIGITS);
        return;
    }
    if (c->decimals == 0)
        buf_u64_grouped(to, size);
    else
        buf_fixed(to, size, c->decimals);
    buf_z(to, unit.n > 0 ? " " : "");
    clean_text(to, unit);
}

struct str value_meaning(enum profile_role role)
{
    return MEANINGS[role];
}

const char *value_unit_words(enum unit unit)
{
    switch (unit) {
    case UNIT_NS:
        return "time";
    case UNIT_BYTES:
        return "bytes";
    case UNIT_COUNT:
        break;
    }
    return "count";
}
