/* The samples of a report-sample file, and what they refer to by numbers. */
#include "parser/simpleperf/simpleperf_samples.h"

#include <stdio.h>
#include <string.h>

#include "core/buf.h"
#include "core/clean.h"
#include "core/cursor.h"
#include "core/order.h"
#include "core/protobuf.h"
#include "parser/module_kind.h"

/* ---- names ---- */

void sampled_names_init(struct sampled_names *s, struct builder *b, const struct reader_limits *limits,
                        struct diag *diag)
{
    *s = (struct sampled_names){.builder = b, .limits = limits, .diag = diag};
    idmap_init(&s->file_ids, builder_arena(b), builder_seed(b));
    idmap_init(&s->thread_ids, builder_arena(b), builder_seed(b));
}

string_id sampled_names_text(struct sampled_names *s, struct str text, uint64_t offset)
{
    return builder_name(s->builder, text, s->limits->name_bytes, offset);
}

static bool names_failed(struct sampled_names *s)
{
    return builder_failed(s->builder, s->diag);
}

static bool too_many(struct sampled_names *s, const char *of_what, uint32_t limit, enum diag_topic topic)
{
    diag_set(s->diag, DIAG_LIMIT, "too many names", "Record for a shorter time, or less of the system.",
             "The file lists more %s than the limit of %u.", of_what, limit);
    s->diag->topic = topic;
    return false;
}

/* ---- files ---- */

static bool add_symbol(struct sampled_names *s, struct str name, uint64_t offset)
{
    struct arena *a = builder_arena(s->builder);

    if (s->n_symbols >= s->limits->methods)
        return too_many(s, "symbols", s->limits->methods, DIAG_ABOUT_METHODS);
    if (!ARENA_ROOM(a, s->symbols, s->symbols_capacity, s->n_symbols + 1))
        return names_failed(s);
    if (!ARENA_ROOM(a, s->frames, s->frames_capacity, 2 * (s->n_symbols + 1)))
        return names_failed(s);
    s->frames[2 * s->n_symbols] = s->frames[2 * s->n_symbols + 1] = FRAME_NONE;
    s->symbols[s->n_symbols] = sampled_names_text(s, name, offset);
    return s->symbols[s->n_symbols++] != STRING_NONE || names_failed(s);
}

static bool set_path(struct sampled_names *s, struct names_of_file *file, struct str path, uint64_t offset)
{
    file->path = sampled_names_text(s, path, offset);
    if (file->path == STRING_NONE)
        return names_failed(s);
    path = builder_text_of(s->builder, file->path);
    file->base = str_behind_last(path, '/');
    file->kind = module_kind(path);
    return true;
}

/* File: 1 id, 2 path, 3 symbols. */
bool sampled_names_file(struct sampled_names *s, struct str message, uint64_t offset)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct names_of_file file = {.path = STRING_EMPTY, .first = s->n_symbols};
    uint64_t id = 0;

    while (protobuf_next(&m, &f)) {
        id = f.number == 1 && f.wire == PROTOBUF_VARINT ? f.value : id;
        if (f.number == 2 && f.wire == PROTOBUF_BYTES && !set_path(s, &file, f.bytes, offset))
            return false;
        if (f.number == 3 && f.wire == PROTOBUF_BYTES && !add_symbol(s, f.bytes, offset))
            return false;
    }
    file.n = s->n_symbols - file.first;
    if (!ARENA_ROOM(builder_arena(s->builder), s->files, s->files_capacity, s->n_files + 1) ||
        !idmap_set(&s->file_ids, id, (uint32_t)s->n_files))
        return names_failed(s);
    s->files[s->n_files++] = file;
    return true;
}

/* ---- threads ---- */

/* Thread: 1 id, 2 process, 3 name. */
bool sampled_names_thread(struct sampled_names *s, struct str message, uint64_t offset)
{
    struct protobuf_field f[4];

    protobuf_fields(message, f, 4);
    uint32_t id = (uint32_t)f[1].value;
    struct names_of_thread thread = {.process = (uint32_t)f[2].value,
                                     .name = sampled_names_text(s, f[3].bytes, offset)};
    if (s->n_threads >= s->limits->threads)
        return too_many(s, "threads", s->limits->threads, DIAG_ABOUT_THREADS);
    if (!ARENA_ROOM(builder_arena(s->builder), s->threads, s->threads_capacity, s->n_threads + 1) ||
        thread.name == STRING_NONE || !idmap_set(&s->thread_ids, id, (uint32_t)s->n_threads))
        return names_failed(s);
    s->threads[s->n_threads++] = thread;
    return true;
}

static const struct names_of_thread *listed_thread(const struct sampled_names *s, uint32_t id)
{
    uint32_t place = idmap_get(&s->thread_ids, id);

    return place == IDMAP_NONE ? NULL : &s->threads[place];
}

/* `com.example.app (7657)`: what Android calls a process is the name of its first thread. */
static string_id process_name(struct sampled_names *s, uint32_t process)
{
    const struct names_of_thread *first = listed_thread(s, process);
    struct str name = first == NULL ? STR("") : builder_text_of(s->builder, first->name);
    char text[256];

    name = clean_cut(name, 200);
    int n = name.n == 0 ? snprintf(text, sizeof(text), "process %u", process)
                        : snprintf(text, sizeof(text), "%.*s (%u)", (int)name.n, name.p, process);
    return builder_string(s->builder, (struct str){text, (size_t)n});
}

/* For the thread. NODE_NONE: diag, or no memory. */
static uint32_t new_track(struct sampled_names *s, uint32_t thread)
{
    const struct names_of_thread *t = listed_thread(s, thread);
    struct track_words words = {.kind = TRACK_THREAD, .number = thread};
    string_id name;
    char text[32];

    if (t == NULL) {
        builder_warn(s->builder, WARN_UNKNOWN_THREAD, 1, WARNING_NO_OFFSET);
        snprintf(text, sizeof(text), "Thread-%u", thread);
        name = builder_string(s->builder, str_of(text));
    } else {
        name = t->name;
        words.group = process_name(s, t->process);
        words.process = t->process;
    }
    uint32_t track = name == STRING_NONE || words.group == STRING_NONE
                         ? NODE_NONE
                         : builder_track(s->builder, thread, name);
    if (track != NODE_NONE)
        builder_track_is(s->builder, track, &words);
    return track;
}

/* ---- frames ---- */

static enum frame_kind executed_as(enum execution execution, enum frame_kind kind)
{
    return execution == EXECUTION_INTERPRETED || execution == EXECUTION_COMPILED ? FRAME_KIND_JAVA : kind;
}

/* `libfoo.so[+1a2b]` */
static frame_id nameless(struct sampled_names *s, const struct names_of_file *file, uint64_t address,
                         enum execution execution)
{
    struct str base = file == NULL || file->base.n == 0 ? STR("unknown") : clean_cut(file->base, 200);
    char text[256];
    int n = snprintf(text, sizeof(text), "%.*s[+%llx]", (int)base.n, base.p, (unsigned long long)address);
    struct profile_frame frame = {.name = builder_string(s->builder, (struct str){text, (size_t)n}),
                                  .module = file == NULL ? STRING_EMPTY : file->path,
                                  .kind =
                                      executed_as(execution, file == NULL ? FRAME_KIND_UNKNOWN : file->kind),
                                  .address = address,
                                  .nameless = true,
                                  .load_bias = PROFILE_BIAS_KNOWN};

    return frame.name == STRING_NONE ? FRAME_NONE : builder_frame(s->builder, &frame);
}

/* The frame of a symbol of a file; without one (-1) of an address there. FRAME_NONE: no memory. */
static frame_id listed_frame(struct sampled_names *s, uint64_t file, int64_t symbol, uint64_t address,
                             enum execution execution)
{
    uint32_t place = idmap_get(&s->file_ids, file);
    const struct names_of_file *f = place == IDMAP_NONE ? NULL : &s->files[place];

    if (f == NULL || symbol < 0 || (uint64_t)symbol >= f->n)
        return nameless(s, f, address, execution);
    size_t at = f->first + (size_t)symbol;
    enum frame_kind kind = executed_as(execution, f->kind);
    frame_id *made = &s->frames[2 * at + (kind != f->kind)];
    if (*made == FRAME_NONE)
        *made = builder_frame(
            s->builder, &(struct profile_frame){
                            .name = s->symbols[at], .module = f->path, .kind = kind, .address = address});
    return *made;
}

/* ---- samples ---- */

/* Sample: 1 time, 2 thread, 3 call chain (the innermost first), 4 count, 5 event, 6 unwinding. */
struct sample {
    uint64_t time, count, event, unwinding;
    uint32_t thread;
    size_t n; /* of s->frames */
};

void samples_init(struct samples *s, struct sampled_names *names)
{
    *s = (struct samples){.names = names, .switch_event = NO_EVENT};
    idmap_init(&s->thread_ids, builder_arena(names->builder), builder_seed(names->builder));
}

static bool failed(struct samples *s)
{
    return builder_failed(s->names->builder, s->names->diag);
}

uint64_t samples_time(struct str message, uint32_t field)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    while (protobuf_next(&m, &f))
        if (f.number == field && f.wire == PROTOBUF_VARINT)
            return f.value;
    return UINT64_MAX;
}

/* ---- what a sample says ---- */

/* 1 address, 2 file, 3 symbol (-1: none), 4 how it ran. */
static frame_id read_entry(struct samples *s, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    uint64_t address = 0, file = 0, execution = 0;
    int64_t symbol = -1;

    while (protobuf_next(&m, &f)) {
        if (f.wire != PROTOBUF_VARINT)
            continue;
        address = f.number == 1 ? f.value : address;
        file = f.number == 2 ? f.value : file;
        symbol = f.number == 3 ? (int64_t)f.value : symbol;
        execution = f.number == 4 ? f.value : execution;
    }
    enum execution ran = execution < EXECUTIONS ? (enum execution)execution : EXECUTION_NATIVE;
    return listed_frame(s->names, file, symbol, address, ran);
}

static frame_id frame_of(struct samples *s, struct str message)
{
    if (message.n < KNOWN_ENTRY_BYTES_MIN || message.n > KNOWN_ENTRY_BYTES_MAX)
        return read_entry(s, message);
    uint64_t first = cursor_le64((const uint8_t *)message.p),
             last = cursor_le64((const uint8_t *)message.p + message.n - 8);
    struct known_entry *known =
        &s->known[hash_u64(builder_seed(s->names->builder), first ^ (last << 17 | last >> 47)) %
                  KNOWN_ENTRIES];
    if (known->n == message.n && known->first == first && known->last == last)
        return known->frame;
    frame_id frame = read_entry(s, message);
    if (frame != FRAME_NONE)
        *known = (struct known_entry){first, last, (uint32_t)message.n, frame};
    return frame;
}

static bool add_frame(struct samples *s, struct str message, size_t *n)
{
    struct arena *a = builder_arena(s->names->builder);

    if (arena_stopped_at(a, *n) || (*n >= s->capacity && !ARENA_ROOM(a, s->frames, s->capacity, *n + 1)))
        return failed(s);
    frame_id frame = frame_of(s, message);
    s->frames[(*n)++] = frame;
    return frame != FRAME_NONE || failed(s);
}

/* 1 the unwinder's own number, 2 address, 3 code. */
static uint64_t unwinding_code(struct str message)
{
    struct protobuf_field f[4];

    protobuf_fields(message, f, 4);
    return f[3].value;
}

/* Takes the entry of a call chain from the front of the message, in the form that nearly all have: tag and
 * length in a byte each. */
static bool take_entry(struct protobuf *m, struct str *entry)
{
    enum { TAG = 3 << 3 | PROTOBUF_BYTES, HEAD = 2 };
    size_t left = (size_t)(m->end - m->p);

    if (left < HEAD || m->p[0] != TAG || m->p[1] >= 0x80 || m->p[1] > left - HEAD)
        return false;
    *entry = (struct str){(const char *)m->p + HEAD, m->p[1]};
    m->p += HEAD + entry->n;
    return true;
}

static bool parse(struct samples *s, struct str message, struct sample *sample)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct str entry;

    *sample = (struct sample){0};
    if (s->known == NULL) {
        s->known = arena_array(builder_arena(s->names->builder), KNOWN_ENTRIES, sizeof(*s->known));
        if (s->known == NULL)
            return failed(s);
    }
    for (;;) {
        while (take_entry(&m, &entry))
            if (!add_frame(s, entry, &sample->n))
                return false;
        if (!protobuf_next(&m, &f))
            return true;
        if (f.number == 3 && f.wire == PROTOBUF_BYTES && !add_frame(s, f.bytes, &sample->n))
            return false;
        if (f.number == 6 && f.wire == PROTOBUF_BYTES)
            sample->unwinding = unwinding_code(f.bytes);
        if (f.wire != PROTOBUF_VARINT)
            continue;
        sample->time = f.number == 1 ? f.value : sample->time;
        sample->thread = f.number == 2 ? (uint32_t)f.value : sample->thread;
        sample->count = f.number == 4 ? f.value : sample->count;
        sample->event = f.number == 5 ? f.value : sample->event;
    }
}

/* ---- threads ---- */

/* NULL: diag. */
static struct sampled_thread *thread_of(struct samples *s, uint32_t id)
{
    struct builder *b = s->names->builder;
    uint32_t place = idmap_get(&s->thread_ids, id);

    if (place != IDMAP_NONE)
        return &s->threads[place];
    uint32_t track = ARENA_ROOM(builder_arena(b), s->threads, s->threads_capacity, s->n_threads + 1)
                         ? new_track(s->names, id)
                         : NODE_NONE;
    if (track == NODE_NONE || !idmap_set(&s->thread_ids, id, (uint32_t)s->n_threads)) {
        failed(s);
        return NULL;
    }
    s->threads[s->n_threads] = (struct sampled_thread){.track = track};
    return &s->threads[s->n_threads++];
}

static uint64_t since_begin(const struct samples *s, uint64_t time)
{
    return time > s->begin_ns ? time - s->begin_ns : 0;
}

/* The sample that waits, with the time until then as what it waited. */
static bool settle(struct samples *s, struct sampled_thread *t, uint64_t until)
{
    if (!t->waits)
        return true;
    t->waits = false;
    t->values[s->n_events] = until > t->time ? until - t->time : 0;
    return builder_sample_at(s->names->builder, t->track,
                             builder_stack(s->names->builder, t->track, NODE_NONE, t->frames, t->n),
                             t->values, since_begin(s, t->time)) ||
           failed(s);
}

static bool keep_waiting(struct samples *s, struct sampled_thread *t, const struct sample *sample)
{
    if (!ARENA_ROOM(builder_arena(s->names->builder), t->frames, t->capacity, sample->n + 1))
        return failed(s);
    if (sample->n > 0)
        memcpy(t->frames, s->frames, sample->n * sizeof(*t->frames));
    t->n = sample->n;
    t->time = sample->time;
    t->waits = true;
    memset(t->values, 0, sizeof(t->values));
    t->values[sample->event] = sample->count;
    /* Records of a file are not quite in the order of time: it may be back already. */
    return t->on_ns <= t->time || settle(s, t, t->on_ns);
}

bool samples_add(struct samples *s, struct str message, uint64_t offset)
{
    uint64_t values[PROFILE_VALUES_MAX] = {0};
    struct sample sample;

    if (!parse(s, message, &sample))
        return false;
    if (sample.event >= s->n_events) {
        builder_warn(s->names->builder, WARN_UNKNOWN_EVENT, 1, offset);
        return true;
    }
    if (sample.count == 0) {
        builder_warn(s->names->builder, WARN_SAMPLES_UNCOUNTED, 1, offset);
        sample.count = 1;
    }
    s->unwinding[sample.unwinding < UNWINDING_CODES ? sample.unwinding : 1]++;
    order_reverse(s->frames, sample.n);
    struct sampled_thread *t = thread_of(s, sample.thread);
    /* A thread that has another sample is back on the CPU, though nothing says since when. */
    if (t == NULL || !settle(s, t, sample.time))
        return false;
    if (sample.event == s->switch_event)
        return keep_waiting(s, t, &sample);
    values[sample.event] = sample.count;
    return builder_sample_at(s->names->builder, t->track,
                             builder_stack(s->names->builder, t->track, NODE_NONE, s->frames, sample.n),
                             values, since_begin(s, sample.time)) ||
           failed(s);
}

/* ContextSwitch: 1 whether it is on the CPU now, 2 time, 3 thread. */
bool samples_switch(struct samples *s, struct str message)
{
    struct protobuf_field f[4];

    protobuf_fields(message, f, 4);
    uint32_t place = idmap_get(&s->thread_ids, (uint32_t)f[3].value);
    if (f[1].value == 0 || f[3].number == 0 || place == IDMAP_NONE)
        return true;
    s->threads[place].on_ns = f[2].value;
    return settle(s, &s->threads[place], f[2].value);
}

/* ---- the end ---- */

/* In words of people who record. */
static const char *const UNWINDING[UNWINDING_CODES] = {"",
                                                       "unknown reason",
                                                       "not enough of the stack was recorded",
                                                       "invalid memory",
                                                       "no unwind information",
                                                       "invalid map",
                                                       "more than 512 frames",
                                                       "a frame that repeats",
                                                       "invalid ELF file"};

static bool note_unwinding(struct samples *s)
{
    struct buf text = {0};
    uint64_t all = 0;

    for (size_t i = 1; i < UNWINDING_CODES; i++)
        if (s->unwinding[i] > 0) {
            all += s->unwinding[i];
            buf_printf(&text, "%s%s: ", text.n > 0 ? ", " : "", UNWINDING[i]);
            buf_u64_grouped(&text, s->unwinding[i]);
        }
    if (all > 0)
        builder_warn(s->names->builder, WARN_UNWINDING, all, WARNING_NO_OFFSET);
    bool ok =
        all == 0 || (!text.failed && builder_fact(s->names->builder, STR("unwinding"), buf_view(&text)));
    buf_free(&text);
    return ok || failed(s);
}

bool samples_end(struct samples *s)
{
    for (size_t i = 0; i < s->n_threads; i++)
        if (!settle(s, &s->threads[i], s->threads[i].time))
            return false;
    return note_unwinding(s);
}
