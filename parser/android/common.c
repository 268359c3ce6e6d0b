#include "parser/android/common.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clean.h"
#include "core/number.h"

const char ANDROID_PULL_AGAIN[] = "Pull the file from the device again (adb pull) and upload it unchanged.";

/* ---- checks ----
 *
 * What an Android method trace should be told about itself: whether it was sampled rather than traced, and
 * where its records contradict its header or what clocks can do. Nothing is changed by it: every finding is
 * a warning. */

enum {
    STEPS_MIN = 16,          /* fewer say nothing */
    SAMPLED_NS_MIN = 100000, /* no recorder samples at shorter intervals */
    SHORT_PERCENT_MAX = 2,
    TINY_NS = 10000000, /* sums below are too small to be compared */
    OVERHEAD_PERCENT = 10
};

/* ---- while events arrive ---- */

static bool add_tracks(struct android_checks *c, struct builder *b, uint32_t track)
{
    if (!ARENA_ROOM(builder_arena(b), c->last, c->last_capacity, (size_t)track + 1))
        return false;
    while (c->n_last <= track)
        c->last[c->n_last++] = UINT64_MAX;
    return true;
}

static bool look(struct android_checks *c, struct builder *b, const struct event *e)
{
    if (e->track >= c->n_last && !add_tracks(c, b, e->track))
        return false;
    uint64_t *last = &c->last[e->track];
    if (*last < e->clock[0])
        c->steps[c->n_steps++] = e->clock[0] - *last;
    *last = e->clock[0];
    c->unrolled = c->unrolled || e->action == EVENT_UNROLL;
    return true;
}

/* Looks at events before they are folded. Cheap once enough were seen. False when the arena gives no more. */
static bool check_events(struct android_checks *c, struct builder *b, const struct event *events, size_t n)
{
    for (size_t i = 0; i < n && c->n_records < CHECKS_RECORDS && c->n_steps < CHECKS_STEPS; i++) {
        c->n_records++;
        if (!look(c, b, &events[i]))
            return false;
    }
    return true;
}

/* ---- at the end ---- */

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* A sampling recorder writes all changes of a stack with the time of the sample: time stands still or moves
 * by an interval. A tracing one has steps of a few microseconds in any piece of real code. */
static bool check_sampling(struct android_checks *c, struct builder *b)
{
    uint64_t tick_ns = builder_ns_per_tick(b);
    char text[24];

    if (c->n_steps < STEPS_MIN || c->n_records < 2 * c->n_steps || c->unrolled || c->long_calls ||
        builder_warned(b, WARN_RE_ROOTED) > 0)
        return true;
    qsort(c->steps, c->n_steps, sizeof(*c->steps), by_size);
    if (c->steps[c->n_steps * SHORT_PERCENT_MAX / 100] < SAMPLED_NS_MIN / tick_ns)
        return true;
    builder_warn(b, WARN_SAMPLED, 1, WARNING_NO_OFFSET);
    snprintf(text, sizeof(text), "%" PRIu64, c->steps[c->n_steps / 5] / (1000 / tick_ns));
    return builder_fact(b, STR("sampling_interval_us"), str_of(text));
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void check_header(struct android_checks *c, struct builder *b, const struct key_section *keys,
                         bool wall)
{
    uint64_t records = builder_event_count(b) + c->reserved_records, elapsed_ns;

    if (keys->declared_records > 0 && keys->declared_records != records)
        builder_warn(b, WARN_RECORD_COUNT, difference(keys->declared_records, records), WARNING_NO_OFFSET);
    if (!wall || keys->elapsed == 0 ||
        __builtin_mul_overflow(keys->elapsed, keys->elapsed_in_ns ? 1u : 1000u, &elapsed_ns))
        return;
    uint64_t latest_ns = builder_time_latest_ns(b, 0);
    if (latest_ns > elapsed_ns && latest_ns - elapsed_ns > elapsed_ns / 100 + TINY_NS)
        builder_warn(b, WARN_ELAPSED, (latest_ns - elapsed_ns) / 1000, WARNING_NO_OFFSET);
}

/* The CPU reads its clocks; where only wall time is there, that stands for it. */
static void check_overhead(struct builder *b, const struct key_section *keys, bool dual)
{
    uint64_t total_ns = builder_time_total_ns(b, dual);
    uint64_t spent_ns = number_multiply(keys->clock_overhead_ns, builder_event_count(b));

    if (total_ns >= TINY_NS && spent_ns / OVERHEAD_PERCENT > total_ns / 100)
        builder_warn(b, WARN_CLOCK_OVERHEAD, builder_event_count(b), WARNING_NO_OFFSET);
}

/* After the last event, with the builder's clocks final. `wall`: the first clock is wall time; `dual`: the
 * second one is CPU time. CPU time alone does not tell sampling: a thread may have run for any time
 * between two samples. False when the arena gives no more. */
static bool finish_checks(struct android_checks *c, struct builder *b, const struct key_section *keys,
                          bool wall, bool dual)
{
    check_header(c, b, keys, wall);
    if (wall && !check_sampling(c, b))
        return false;
    /* A sampling recorder reads the clocks once a sample, not once a record; and its remedy would be to sample. */
    if (builder_warned(b, WARN_SAMPLED) == 0)
        check_overhead(b, keys, dual);
    if (dual) {
        uint64_t cpu_ns = builder_time_total_ns(b, 1);
        if (cpu_ns >= TINY_NS && cpu_ns / 2 > builder_time_total_ns(b, 0))
            builder_warn(b, WARN_WALL_SCALE, 1, WARNING_NO_OFFSET);
    }
    return true;
}

/* ---- conversions of text ---- */

enum {
    HEADER_BYTES = 32,
    REPLACEMENTS_MIN = 4, /* this one and the next: as many as chance does not bring */
    CRLF_MIN = 2
};

static bool refuse_converted(struct diag *diag, uint64_t offset, const char *what)
{
    diag_at(diag, DIAG_UNUSABLE, offset, "damaged by a text conversion", ANDROID_PULL_AGAIN,
            "The file was passed through a text conversion, which cannot be undone: %s.", what);
    return true;
}

static unsigned replacements(struct str s)
{
    unsigned n = 0;

    for (size_t i = 0; i + 3 <= s.n; i++)
        n += (uint8_t)s.p[i] == 0xef && (uint8_t)s.p[i + 1] == 0xbf && (uint8_t)s.p[i + 2] == 0xbd;
    return n;
}

/* Each byte that is no UTF-8 became EF BF BD. The whole is valid UTF-8 then, which times and ids never are
 * for long. Where names stand among the records, they may hold EF BF BD rightfully: there only the header
 * counts, in which it is never right. */
static bool is_replaced(struct str window, bool has_names)
{
    struct str header = {window.p, window.n < HEADER_BYTES ? window.n : HEADER_BYTES};

    return (replacements(header) > 0 || (!has_names && replacements(window) >= REPLACEMENTS_MIN)) &&
           clean_is_utf8(window);
}

/* Each LF became CR LF. Among times and ids a CR stands before one LF in 256. */
static bool has_crlf_only(struct str s)
{
    unsigned lines = 0;

    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\n')
            continue;
        if (i == 0 || s.p[i - 1] != '\r')
            return false;
        lines++;
    }
    return lines >= CRLF_MIN;
}

bool android_converted(const uint8_t *p, size_t n, uint64_t offset, bool lf_before, struct diag *diag)
{
    struct str window = {(const char *)p, n < ANDROID_WINDOW_BYTES ? n : ANDROID_WINDOW_BYTES};

    if (is_replaced(window, offset == 0))
        return refuse_converted(diag, offset, "the binary part is full of replacement characters (EF BF BD)");
    return !lf_before && has_crlf_only(window) &&
           refuse_converted(diag, offset, "the binary part has a CR before every LF");
}

/* ---- what the formats share ---- */

enum detection android_slow_version(const uint8_t *p, size_t n, bool final, uint32_t *version)
{
    if (memcmp(p, "SLOW", n < 4 ? n : 4) != 0 || (n < 6 && final))
        return DETECT_NO;
    if (n < 6)
        return DETECT_MORE;
    *version = (uint32_t)p[4] | (uint32_t)p[5] << 8;
    return DETECT_YES;
}

bool android_init(struct android *a, struct reading *r)
{
    struct builder *b = r->builder;

    a->source = r->source;
    a->builder = b;
    a->limits = r->limits;
    a->diag = r->diag;
    idmap_init(&a->unknown_index, builder_arena(b), builder_seed(b));
    return key_section_init(&a->keys, b, r->limits, r->diag);
}

static bool fail(struct android *a)
{
    return builder_failed(a->builder, a->diag);
}

bool android_fact(struct android *a, struct str name, struct str value)
{
    return builder_fact(a->builder, name, value) || fail(a);
}

bool android_fact_number(struct android *a, struct str name, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, value);
    return android_fact(a, name, str_of(text));
}

bool android_fact_lists(struct android *a)
{
    return android_fact_number(a, STR("listed_methods"), a->keys.n_methods) &&
           android_fact_number(a, STR("listed_threads"), a->keys.threads.count);
}

/* ---- text ---- */

/* The rest of a line that is too long is passed over as it comes: it never has to be held as a whole. */
static void pass_line(struct source *s, uint64_t *left)
{
    const uint8_t *lf = NULL;
    size_t n;

    while (lf == NULL && *left > 0) {
        const uint8_t *p = source_need(s, 1, &n);
        if (n == 0)
            return;
        if (n > *left)
            n = (size_t)*left;
        lf = memchr(p, '\n', n);
        size_t part = lf == NULL ? n : (size_t)(lf - p) + 1;
        source_consume(s, part);
        *left -= part;
    }
}

/* The bytes up to the end of a line, up to `left`, or more than a line may have; *whole: these are all
 * that it has. */
static const uint8_t *need_line(struct android *a, uint64_t left, size_t *length, bool *whole)
{
    for (size_t want = 1;;) {
        size_t n;
        const uint8_t *p = source_need(a->source, want, &n);
        bool last = n >= left, ends = n < want;
        if (last)
            n = (size_t)left;
        const uint8_t *lf = n == 0 ? NULL : memchr(p, '\n', n);
        *length = lf == NULL ? n : (size_t)(lf - p);
        *whole = lf != NULL || last;
        if (*whole || ends || n > a->limits->line_bytes)
            return p;
        want = 2 * n;
    }
}

bool android_line(struct android *a, uint64_t *left, bool *ok)
{
    uint64_t offset = source_offset(a->source);
    size_t length;
    bool whole;
    const uint8_t *p = *left > 0 ? need_line(a, *left, &length, &whole) : NULL;

    if (p == NULL || (!whole && length <= a->limits->line_bytes))
        return false;
    if (length > a->limits->line_bytes) {
        builder_warn(a->builder, WARN_NAME_CUT, 1, offset);
        length = a->limits->line_bytes;
    }
    *ok = key_section_line(&a->keys, (struct str){(const char *)p, length}, offset);
    source_consume(a->source, length);
    *left -= length;
    pass_line(a->source, left);
    return true;
}

bool android_summary(struct android *a, uint64_t bytes)
{
    bool ok = true;

    while (ok && android_line(a, &bytes, &ok))
        continue;
    if (ok && bytes == 0) {
        a->has_summary = a->ended = true;
        a->end_offset = source_offset(a->source);
    }
    return ok;
}

void android_damage(struct android *a, uint64_t offset)
{
    a->ended = a->damaged = true;
    a->end_offset = offset;
}

void android_check_end(struct android *a, uint32_t version)
{
    source_pass(a->source, UINT64_MAX);
    uint64_t file_bytes = source_offset(a->source);

    if (!a->has_summary)
        builder_warn(a->builder, WARN_NO_SUMMARY, 1, WARNING_NO_OFFSET);
    else if (a->keys.version != version)
        builder_warn(a->builder, WARN_VERSION_MISMATCH, 1, 4);
    if (a->ended && file_bytes > a->end_offset)
        builder_warn(a->builder, a->damaged ? WARN_DAMAGED : WARN_TRAILING_BYTES, file_bytes - a->end_offset,
                     a->end_offset);
}

/* ---- clocks ---- */

static const struct profile_value WALL = {STR_INIT("wall"), STR_INIT("wall time"), UNIT_NS, ROLE_WALL};
static const struct profile_value CPU = {STR_INIT("cpu"), STR_INIT("thread CPU time"), UNIT_NS, ROLE_CPU};
static const struct profile_value CALLS = {STR_INIT("calls"), STR_INIT("calls"), UNIT_COUNT, ROLE_CALLS};

bool android_values(struct android *a, enum key_clock clock)
{
    struct profile_value times[2];
    uint32_t n = 0;

    a->dual = clock == KEY_CLOCK_DUAL;
    a->wall = clock != KEY_CLOCK_CPU;
    if (clock != KEY_CLOCK_CPU)
        times[n++] = WALL;
    if (clock != KEY_CLOCK_WALL)
        times[n++] = CPU;
    return builder_values(a->builder, times, n, &CALLS, 1) || fail(a);
}

bool android_late_clock(struct android *a, enum key_clock assumed)
{
    enum key_clock clock = a->keys.clock;

    if (clock == KEY_CLOCK_UNKNOWN ? !a->dual : a->dual != (clock == KEY_CLOCK_DUAL))
        builder_warn(a->builder, WARN_CLOCK_UNKNOWN, 1, WARNING_NO_OFFSET);
    if (a->dual)
        return true;
    if (clock == KEY_CLOCK_UNKNOWN || clock == KEY_CLOCK_DUAL)
        clock = assumed;
    a->wall = clock == KEY_CLOCK_WALL;
    return builder_redeclare_time(a->builder, 0, a->wall ? &WALL : &CPU) || fail(a);
}

/* ---- threads, methods, events ---- */

static bool find_thread(const struct android *a, uint32_t thread, uint32_t *id, string_id *name)
{
    if (a->short_threads)
        return key_section_thread(&a->keys, thread, id, name);
    *id = thread;
    *name = key_section_thread_name(&a->keys, thread);
    return *name != STRING_NONE;
}

/* The table is as long as the threads are numbered: small files have few, and a long table would take most
 * of their time. */
static bool note_track(struct android *a, uint32_t thread, uint32_t track)
{
    size_t room = 1024;

    while (room <= thread)
        room *= 2;
    if (room > a->n_tracks) {
        uint16_t *tracks = arena_array(builder_arena(a->builder), room, sizeof(*tracks));
        if (tracks == NULL)
            return false;
        if (a->n_tracks > 0)
            memcpy(tracks, a->tracks, a->n_tracks * sizeof(*tracks));
        a->tracks = tracks;
        a->n_tracks = room;
    }
    a->tracks[thread] = (uint16_t)(track + 1);
    return true;
}

uint32_t android_track(struct android *a, uint32_t thread, uint64_t offset)
{
    uint32_t id;
    string_id name;

    if (!ARENA_ROOM(builder_arena(a->builder), a->threads, a->threads_capacity, a->n_threads + 1)) {
        fail(a);
        return NODE_NONE;
    }
    if (a->is_piece) {
        id = thread;
        name = STRING_EMPTY;
    } else if (!find_thread(a, thread, &id, &name)) {
        char text[32];
        if (!key_section_count_thread(&a->keys, thread, offset))
            return NODE_NONE;
        snprintf(text, sizeof(text), "Thread-%" PRIu32, thread);
        name = builder_string(a->builder, str_of(text));
    }
    uint32_t track = name == STRING_NONE ? NODE_NONE : builder_track(a->builder, id, name);
    if (track == NODE_NONE || (a->short_threads && !note_track(a, thread, track))) {
        fail(a);
        return NODE_NONE;
    }
    a->threads[a->n_threads++] = (struct android_thread){thread, track, offset};
    return track;
}

/* FRAME_NONE: the arena gives no more. */
static frame_id unknown_frame(struct android *a, uint64_t id)
{
    struct profile_frame frame = {0};
    char text[32];

    if (a->is_piece)
        return a->n_shared + (frame_id)a->n_unknown;
    snprintf(text, sizeof(text), "unknown[0x%" PRIx64 "]", id);
    frame.name = builder_string(a->builder, str_of(text));
    return frame.name == STRING_NONE ? FRAME_NONE : builder_frame(a->builder, &frame);
}

static struct android_unknown *add_unknown(struct android *a, uint64_t id, uint64_t offset)
{
    if (!ARENA_ROOM(builder_arena(a->builder), a->unknown, a->unknown_capacity, a->n_unknown + 1))
        return NULL;
    struct android_unknown *unknown = &a->unknown[a->n_unknown];
    *unknown = (struct android_unknown){.id = id, .frame = unknown_frame(a, id), .offset = offset};
    if (unknown->frame == FRAME_NONE || !idmap_set(&a->unknown_index, id, (uint32_t)a->n_unknown))
        return NULL;
    a->n_unknown++;
    return unknown;
}

/* NULL: diag. */
static struct android_unknown *unknown_method(struct android *a, uint64_t id, uint64_t offset)
{
    uint32_t known = idmap_get(&a->unknown_index, id);
    struct android_unknown *unknown = known != IDMAP_NONE ? &a->unknown[known] : add_unknown(a, id, offset);

    if (unknown == NULL)
        fail(a);
    return unknown;
}

frame_id android_unknown_method(struct android *a, uint64_t id, uint64_t offset)
{
    struct android_unknown *unknown = unknown_method(a, id, offset);

    if (unknown == NULL)
        return FRAME_NONE;
    unknown->records++;
    return unknown->frame;
}

bool android_look_further(struct android *a, uint32_t thread, uint32_t word, uint64_t offset, struct event *e)
{
    if (e->track == UINT32_MAX) {
        e->track = android_track(a, thread, offset);
        if (e->track == NODE_NONE)
            return false;
    }
    if (e->frame == FRAME_NONE)
        e->frame = method_table_get(&a->keys.methods, word & ~3u);
    if (e->frame == FRAME_NONE)
        e->frame = android_unknown_method(a, word & ~3u, offset);
    return e->frame != FRAME_NONE;
}

bool android_events(struct android *a, const struct event *events, size_t n, uint64_t offset, uint32_t stride)
{
    return (check_events(&a->checks, a->builder, events, n) &&
            builder_events(a->builder, events, n, offset, stride)) ||
           fail(a);
}

/* ---- pieces ---- */

/* Meets the threads and the unknown methods of the piece in the order of their first records, of one record the thread
 * first: where the piece is read again, it finds them as it would have made them. False: diag. */
static bool meet(struct android *a, const struct android *piece, uint32_t *tracks, frame_id *frames)
{
    size_t t = 0, m = 0;

    while (t < piece->n_threads || m < piece->n_unknown) {
        const struct android_thread *thread = &piece->threads[t];
        const struct android_unknown *method = &piece->unknown[m];
        if (m == piece->n_unknown || (t < piece->n_threads && thread->offset <= method->offset)) {
            uint32_t known = thread->thread < a->n_tracks ? a->tracks[thread->thread] : 0;
            tracks[t] = known > 0 ? known - 1 : android_track(a, thread->thread, thread->offset);
            if (tracks[t++] == NODE_NONE)
                return false;
        } else {
            const struct android_unknown *here = unknown_method(a, method->id, method->offset);
            if (here == NULL)
                return false;
            frames[m++] = here->frame;
        }
    }
    return true;
}

/* Whether the checks of the first records are done, and no unknown method has the name of a listed one: in the piece
 * they are two. */
static bool may_join(const struct android *a, const struct android *piece, const frame_id *frames)
{
    for (size_t m = 0; m < piece->n_unknown; m++)
        if (frames[m] < piece->n_shared)
            return false;
    return a->checks.n_records >= CHECKS_RECORDS || a->checks.n_steps >= CHECKS_STEPS;
}

bool android_join(struct android *a, const struct android *piece, bool *joined)
{
    struct arena *arena = builder_arena(piece->builder);
    uint32_t *tracks = arena_array(arena, piece->n_threads, sizeof(*tracks));
    frame_id *frames = arena_array(arena, piece->n_unknown, sizeof(*frames));
    const struct builder_joint joint = {tracks, frames, piece->n_shared, piece->n_unknown};
    enum builder_joined how = BUILDER_APART;

    *joined = false;
    if (tracks == NULL || frames == NULL)
        return true;
    if (!meet(a, piece, tracks, frames))
        return false;
    if (may_join(a, piece, frames))
        how = builder_join(a->builder, piece->builder, &joint);
    *joined = how == BUILDER_JOINED;
    for (size_t m = 0; *joined && m < piece->n_unknown; m++)
        unknown_method(a, piece->unknown[m].id, 0)->records += piece->unknown[m].records;
    if (*joined)
        a->checks.reserved_records += piece->checks.reserved_records;
    return how != BUILDER_NO_MEMORY || fail(a);
}

/* ---- at the end of the records ---- */

/* What has records and is not listed, also not behind them. */
struct unlisted {
    uint64_t count, records, offset; /* the offset is of the first record */
};

static void add_unlisted(struct unlisted *u, uint64_t records, uint64_t offset)
{
    u->count++;
    u->records += records;
    if (offset < u->offset)
        u->offset = offset;
}

/* Threads may be listed, and named anew, behind their first record. */
static struct unlisted name_threads(struct android *a)
{
    struct unlisted u = {.offset = WARNING_NO_OFFSET};

    for (size_t i = 0; i < a->n_threads; i++) {
        const struct android_thread *t = &a->threads[i];
        uint32_t id;
        string_id name;
        if (find_thread(a, t->thread, &id, &name))
            builder_track_rename(a->builder, t->track, name);
        else
            add_unlisted(&u, builder_track_records(a->builder, t->track), t->offset);
    }
    return u;
}

/* Methods may be listed behind their first record: in the summary, where it is a file of its own. */
static struct unlisted name_methods(struct android *a)
{
    struct unlisted u = {.offset = WARNING_NO_OFFSET};

    for (size_t i = 0; i < a->n_unknown; i++) {
        const struct android_unknown *unknown = &a->unknown[i];
        frame_id listed = method_table_get(&a->keys.methods, unknown->id);
        if (listed != FRAME_NONE)
            builder_frame_rename(a->builder, unknown->frame, listed);
        else
            add_unlisted(&u, unknown->records, unknown->offset);
    }
    return u;
}

/* A good file may have some records of methods that it does not list (dynamic proxies), and any number of
 * records of a few threads that ended before the list was written. If most records are of methods that are
 * not listed, or of threads of which more are missing than listed, the bytes are not those that were
 * recorded. */
static void name_all(struct android *a)
{
    struct unlisted threads = name_threads(a), methods = name_methods(a);
    uint64_t half = builder_event_count(a->builder) / 2;

    if ((a->bare_exits ? 2 * methods.records : methods.records) > half)
        builder_warn(a->builder, WARN_MOSTLY_UNLISTED, methods.records, methods.offset);
    else if (threads.count > a->keys.threads.count && threads.records > half)
        builder_warn(a->builder, WARN_MOSTLY_UNLISTED, threads.records, threads.offset);
    builder_warn(a->builder, WARN_UNKNOWN_METHOD, methods.records, methods.offset);
    builder_warn(a->builder, WARN_UNKNOWN_THREAD, threads.count, threads.offset);
}

bool android_finish(struct android *a, uint64_t data_offset)
{
    if (builder_event_count(a->builder) == 0)
        return diag_at(
            a->diag, DIAG_UNUSABLE, data_offset, "no records",
            "Let the app run some code between startMethodTracing and stopMethodTracing, and pull the file "
            "only after the recording was stopped.",
            "The file has a method table but not one whole record: nothing was recorded, or the file was cut.");
    name_all(a);
    return finish_checks(&a->checks, a->builder, &a->keys, a->wall, a->dual) || fail(a);
}
