/* simpleperf's report-sample files, which Android Studio names .trace as well.
 *
 *   "SIMPLEPERF", u16 version (1), little-endian; then records: u32 length, and a message of so many bytes; a length of 0 ends
 *   them. A message has one field:
 *     1 Sample         see simpleperf_samples.c
 *     2 LostSituation  1 samples, 2 of them lost
 *     3 File           1 path, 2 id, 3 symbols: see simpleperf_samples.c
 *     4 Thread
 *     5 MetaInfo       1 names of events (repeated), 2 package, 3 kind of app, 4 Android SDK, 5 kind of build, 6 off-CPU times
 *     6 ContextSwitch
 *
 * Files, threads and the events may stand behind the samples that use them, so the file is gone through
 * twice: for the names, and for the samples. Source: AOSP,
 * system/extras/simpleperf/cmd_report_sample.proto. */
#include <stdio.h>
#include <string.h>

#include "core/cursor.h"
#include "core/number.h"
#include "core/protobuf.h"
#include "parser/simpleperf/simpleperf_samples.h"
#include "parser/value_name.h"

enum { MAGIC_BYTES = 10, HEADER_BYTES = 12, VERSION = 1, LENGTH_BYTES = 4 };
enum { SAMPLE = 1, LOST = 2, FILE_NAMES = 3, THREAD = 4, META = 5, SWITCH = 6 };

static const char MAGIC[] = "SIMPLEPERF";

struct simpleperf {
    struct source *source;
    struct sampled_names names;
    struct samples samples;
    string_id events[EVENTS_MAX];
    uint32_t n_events; /* of the file; those from EVENTS_MAX on are left out */
    bool off_cpu, has_switches;
    uint64_t n_samples, lost, first_ns, last_ns;
};

/* ---- the first way: names ---- */

static bool note_fact(struct simpleperf *s, struct str name, struct str value)
{
    return builder_fact(s->names.builder, name, value) || builder_failed(s->names.builder, s->names.diag);
}

static bool take_event(struct simpleperf *s, struct str name, uint64_t offset)
{
    if (s->n_events < EVENTS_MAX) {
        s->events[s->n_events] = sampled_names_text(&s->names, name, offset);
        if (s->events[s->n_events] == STRING_NONE)
            return builder_failed(s->names.builder, s->names.diag);
    }
    s->n_events++;
    return true;
}

static bool take_meta(struct simpleperf *s, struct str message, uint64_t offset)
{
    static const struct str FACTS[] = {[2] = STR_INIT("package"),
                                       [3] = STR_INIT("app_type"),
                                       [4] = STR_INIT("android_sdk"),
                                       [5] = STR_INIT("build_type")};
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    while (protobuf_next(&m, &f)) {
        if (f.number == 1 && f.wire == PROTOBUF_BYTES && !take_event(s, f.bytes, offset))
            return false;
        if (f.number >= 2 && f.number <= 5 && f.wire == PROTOBUF_BYTES &&
            f.bytes.n <= s->names.limits->name_bytes && !note_fact(s, FACTS[f.number], f.bytes))
            return false;
        if (f.number == 6 && f.wire == PROTOBUF_VARINT)
            s->off_cpu = f.value != 0;
    }
    return true;
}

static void take_lost(struct simpleperf *s, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    while (protobuf_next(&m, &f))
        if (f.number == 2 && f.wire == PROTOBUF_VARINT)
            s->lost = number_add(s->lost, f.value);
}

static void note_time(struct simpleperf *s, struct str message)
{
    uint64_t time = samples_time(message, 1);

    s->n_samples++;
    if (time == UINT64_MAX)
        return;
    s->first_ns = time < s->first_ns ? time : s->first_ns;
    s->last_ns = time > s->last_ns ? time : s->last_ns;
}

static bool take_names(struct simpleperf *s, const struct protobuf_field *f, uint64_t offset)
{
    switch (f->number) {
    case SAMPLE:
        note_time(s, f->bytes);
        return true;
    case LOST:
        take_lost(s, f->bytes);
        return true;
    case FILE_NAMES:
        return sampled_names_file(&s->names, f->bytes, offset);
    case THREAD:
        return sampled_names_thread(&s->names, f->bytes, offset);
    case META:
        return take_meta(s, f->bytes, offset);
    case SWITCH:
        s->has_switches = true;
        return true;
    default:
        return true;
    }
}

/* ---- the second way: samples ---- */

static bool take_samples(struct simpleperf *s, const struct protobuf_field *f, uint64_t offset)
{
    if (f->number == SAMPLE)
        return samples_add(&s->samples, f->bytes, offset);
    return f->number != SWITCH || samples_switch(&s->samples, f->bytes);
}

/* The message at the front, with its length before it. False: there is none; *cut: because the file ends. */
static bool need_record(struct source *s, struct str *message, bool *cut)
{
    size_t n;
    const uint8_t *p = source_need(s, LENGTH_BYTES, &n);
    size_t length = n < LENGTH_BYTES ? 0 : cursor_le32(p);

    *cut = n < LENGTH_BYTES;
    if (length == 0)
        return false;
    p = source_need(s, LENGTH_BYTES + length, &n);
    *cut = n < LENGTH_BYTES + length;
    *message = (struct str){(const char *)p + LENGTH_BYTES, length};
    return !*cut;
}

/* All records, each field of them. *cut: the file ends before their end, or within one. */
static bool each_record(struct simpleperf *s,
                        bool (*take)(struct simpleperf *s, const struct protobuf_field *f, uint64_t offset),
                        bool *cut)
{
    struct str message;

    source_pass(s->source, HEADER_BYTES);
    for (;;) {
        uint64_t offset = source_offset(s->source);
        if (arena_stopped(builder_arena(s->names.builder)))
            return builder_failed(s->names.builder, s->names.diag);
        if (!need_record(s->source, &message, cut))
            return true;
        struct protobuf m = protobuf_of_bytes(message);
        struct protobuf_field f;
        while (protobuf_next(&m, &f))
            if (f.wire == PROTOBUF_BYTES && !take(s, &f, offset))
                return false;
        if (m.state != PROTOBUF_GOOD && take == take_samples)
            builder_warn(s->names.builder, WARN_BAD_BLOCK, 1, offset);
        source_consume(s->source, LENGTH_BYTES + message.n);
    }
}

/* ---- values ---- */

/* Clocks count ns; every other event itself. */
static bool is_clock(struct str event)
{
    return str_starts(event, STR("cpu-clock")) || str_starts(event, STR("task-clock"));
}

static uint32_t events_of(const struct simpleperf *s)
{
    return s->n_events < EVENTS_MAX ? s->n_events : EVENTS_MAX;
}

static bool set_event(struct simpleperf *s, struct profile_value *values, uint32_t i, bool *has_clock)
{
    struct str event = builder_text_of(s->names.builder, s->events[i]);
    bool clock = is_clock(event);
    char text[160];
    int n = snprintf(text, sizeof(text), clock ? "CPU time (%.*s)" : "%.*s events",
                     event.n < 100 ? (int)event.n : 100, event.p);
    string_id label = builder_string(s->names.builder, (struct str){text, (size_t)n});

    if (label == STRING_NONE)
        return false;
    values[i] = (struct profile_value){.label = builder_text_of(s->names.builder, label),
                                       .unit = clock ? UNIT_NS : UNIT_COUNT,
                                       .role = clock && !*has_clock ? ROLE_CPU : ROLE_OTHER};
    *has_clock = *has_clock || clock;
    if (str_eq(event, STR("sched:sched_switch")) && s->off_cpu && s->has_switches)
        s->samples.switch_event = i;
    return value_name_set(builder_arena(s->names.builder), values, i, event);
}

/* A file that names no event has one. */
static bool name_an_event(struct simpleperf *s)
{
    return s->n_events > 0 || take_event(s, STR("events"), WARNING_NO_OFFSET);
}

static bool declare(struct simpleperf *s)
{
    static const struct profile_value WAITING = {STR_INIT("waiting"), STR_INIT("waiting (off the CPU)"),
                                                 UNIT_NS, ROLE_WAITING};
    struct profile_value values[PROFILE_VALUES_MAX];
    struct builder *b = s->names.builder;
    bool has_clock = false, ok = name_an_event(s);
    uint32_t n = events_of(s);

    for (uint32_t i = 0; ok && i < n; i++)
        ok = set_event(s, values, i, &has_clock);
    if (s->n_events > EVENTS_MAX)
        builder_warn(b, WARN_VALUES_LEFT_OUT, s->n_events - EVENTS_MAX, WARNING_NO_OFFSET);
    s->samples.n_events = n;
    s->samples.begin_ns = s->first_ns;
    if (s->samples.switch_event != NO_EVENT) {
        values[n] = WAITING;
        ok = ok && value_name_set(builder_arena(b), values, n++, WAITING.name);
    }
    builder_clocks(b, 1, false);
    return (ok && builder_values(b, NULL, 0, values, n)) || builder_failed(b, s->names.diag);
}

/* ---- the file ---- */

static enum detection detect(const uint8_t *p, size_t n, bool final)
{
    if (memcmp(p, MAGIC, n < MAGIC_BYTES ? n : MAGIC_BYTES) != 0)
        return DETECT_NO;
    return n >= MAGIC_BYTES ? DETECT_YES : final ? DETECT_NO : DETECT_MORE;
}

static void begin(struct simpleperf *s, struct reading *r)
{
    sampled_names_init(&s->names, r->builder, r->limits, r->diag);
    samples_init(&s->samples, &s->names);
    s->source = r->source;
    s->first_ns = UINT64_MAX;
}

static bool check_version(struct simpleperf *s)
{
    size_t n;
    const uint8_t *head = source_need(s->source, HEADER_BYTES, &n);

    if (n >= HEADER_BYTES && head[MAGIC_BYTES] == VERSION && head[MAGIC_BYTES + 1] == 0)
        return true;
    return diag_at(s->names.diag, DIAG_UNUSABLE, MAGIC_BYTES, "unknown version",
                   "Make it with another simpleperf: report-sample --protobuf.",
                   "The file is a simpleperf recording of a version that is not known, or it is cut.");
}

static bool put_facts(struct simpleperf *s)
{
    char text[24];

    if (s->lost > 0)
        builder_warn(s->names.builder, WARN_LOST_SAMPLES, s->lost, WARNING_NO_OFFSET);
    if (s->first_ns >= s->last_ns)
        return true;
    snprintf(text, sizeof(text), "%llu", (unsigned long long)(s->last_ns - s->first_ns));
    return note_fact(s, STR("elapsed_ns"), str_of(text));
}

static bool no_samples(struct simpleperf *s)
{
    return diag_set(s->names.diag, DIAG_UNUSABLE, "no samples",
                    "Record while the app works: simpleperf record -g --app PACKAGE.",
                    "The file is a simpleperf recording without a sample.");
}

static void check_end(struct simpleperf *s, bool cut)
{
    uint64_t at = source_offset(s->source), behind = source_pass(s->source, UINT64_MAX);

    if (cut)
        builder_warn(s->names.builder, WARN_CUT_RECORD, 1, at);
    else if (behind > LENGTH_BYTES)
        builder_warn(s->names.builder, WARN_TRAILING_BYTES, behind - LENGTH_BYTES, at + LENGTH_BYTES);
}

static bool read_recording(struct reading *r)
{
    struct simpleperf *s = arena_alloc(builder_arena(r->builder), sizeof(*s));
    bool cut = false;

    if (s == NULL)
        return builder_failed(r->builder, r->diag);
    begin(s, r);
    if (!source_keep(s->source) || !check_version(s) || !each_record(s, take_names, &cut) || !declare(s))
        return false;
    source_rewind(s->source);
    if (!each_record(s, take_samples, &cut) || !samples_end(&s->samples))
        return false;
    check_end(s, cut);
    return put_facts(s) && (s->n_samples > 0 || no_samples(s));
}

const struct format FORMAT_SIMPLEPERF = {
    .name = "simpleperf",
    .label = "simpleperf recording",
    .written_by = "Android Studio's recorded callstacks (`.trace`); `simpleperf report-sample --protobuf "
                  "--show-callchain`",
    .detect = detect,
    .read = read_recording,
};
