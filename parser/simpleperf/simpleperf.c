/* simpleperf's report-sample files, which Android Studio names .trace as well.
 *
 *   "SIMPLEPERF", u16 version (1), little-endian; then records: u32 length, and a message of so many bytes; a length of 0 ends
 *   them. A message has one field:
 *     1 Sample         see below, at what a sample says
 *     2 LostSituation  1 samples, 2 of them lost
 *     3 File           1 path, 2 id, 3 symbols
 *     4 Thread
 *     5 MetaInfo       1 names of events (repeated), 2 package, 3 kind of app, 4 Android SDK, 5 kind of build, 6 off-CPU times
 *     6 ContextSwitch
 *
 * Files, threads and the events may stand behind the samples that use them, so the file is gone through
 * twice: for the names, and for the samples. Source: AOSP,
 * system/extras/simpleperf/cmd_report_sample.proto. */
#include <stdio.h>
#include <string.h>

#include "core/buf.h"
#include "core/clean.h"
#include "core/cursor.h"
#include "core/idmap.h"
#include "core/number.h"
#include "core/protobuf.h"
#include "parser/format.h"
#include "parser/module_kind.h"
#include "parser/value_name.h"

/* ---- names ---- */

struct names_of_file {
    string_id path;
    struct str base; /* of the path: without its folders */
    enum frame_kind kind;
    size_t first, n; /* of its symbols */
};

struct names_of_thread {
    uint32_t process;
    string_id name;
};

/* How a method ran, as a call chain says it. */
enum execution { EXECUTION_NATIVE, EXECUTION_INTERPRETED, EXECUTION_COMPILED, EXECUTION_ART, EXECUTIONS };

struct sampled_names {
    struct builder *builder;
    const struct reader_limits *limits;
    struct diag *diag;
    struct idmap file_ids, thread_ids; /* -> place below */
    struct names_of_file *files;
    size_t n_files, files_capacity;
    struct names_of_thread *threads;
    size_t n_threads, threads_capacity;
    string_id *symbols; /* of all files */
    frame_id
        *frames; /* by symbol, two each: as its file says, and as a Java method; FRAME_NONE: not made yet */
    size_t n_symbols, symbols_capacity, frames_capacity;
};

/* ---- samples ---- */

enum { EVENTS_MAX = PROFILE_VALUES_MAX - 1, UNWINDING_CODES = 9, NO_EVENT = EVENTS_MAX };

/* An entry of a call chain that came before, by its bytes: most come many times, and so need not be read again. */
enum { KNOWN_ENTRIES = 16384, KNOWN_ENTRY_BYTES_MIN = 8, KNOWN_ENTRY_BYTES_MAX = 16 };

struct known_entry {
    uint64_t first, last; /* 8 bytes of it from both ends, which together are all */
    uint32_t n;           /* bytes; 0: none */
    frame_id frame;
};

enum { CHAIN_MAX = 128 };

/* A thread, once it has a sample. Of one that went off the CPU the sample waits until it is known how long
 * it stayed there. */
struct sampled_thread {
    uint32_t track;
    /* The call chain of its last sample, root first, at most CHAIN_MAX of it: the next one mostly begins with the same. */
    struct known_entry *chain;
    uint32_t n_chain;
    size_t chain_capacity;
    bool waits;
    uint64_t time;
    uint64_t on_ns;   /* when it was last told to be on the CPU again; 0: never */
    frame_id *frames; /* root first */
    size_t n, capacity;
    uint64_t values[PROFILE_VALUES_MAX];
};

struct samples {
    struct sampled_names *names;
    struct hash_seed seed;
    struct known_entry *known; /* KNOWN_ENTRIES, each where the hash of its bytes says; NULL: no sample yet */
    uint32_t n_events;
    uint32_t
        switch_event; /* which event says that a thread goes off the CPU; NO_EVENT: none, or nothing says for how long */
    uint64_t begin_ns;       /* the earliest time of the file */
    struct idmap thread_ids; /* -> place below */
    struct sampled_thread *threads;
    size_t n_threads, threads_capacity;
    struct str *entries; /* of the call chain of a sample, the innermost first, */
    size_t entries_capacity;
    frame_id *frames; /* and what they are, root first */
    size_t capacity;
    uint64_t unwinding[UNWINDING_CODES]; /* samples by their error; 0: none */
};

/* ---- the tables of names ---- */

static void sampled_names_init(struct sampled_names *s, struct builder *b, const struct reader_limits *limits,
                               struct diag *diag)
{
    *s = (struct sampled_names){.builder = b, .limits = limits, .diag = diag};
    idmap_init(&s->file_ids, builder_arena(b), builder_seed(b));
    idmap_init(&s->thread_ids, builder_arena(b), builder_seed(b));
}

/* A name, cut to the limit. STRING_NONE: no memory. */
static string_id sampled_names_text(struct sampled_names *s, struct str text, uint64_t offset)
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

/* Messages File and Thread. False: diag.
 * File: 1 id, 2 path, 3 symbols. */
static bool sampled_names_file(struct sampled_names *s, struct str message, uint64_t offset)
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
static bool sampled_names_thread(struct sampled_names *s, struct str message, uint64_t offset)
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
    size_t n; /* of s->entries */
};

static void samples_init(struct samples *s, struct sampled_names *names)
{
    *s = (struct samples){.names = names, .seed = builder_seed(names->builder), .switch_event = NO_EVENT};
    idmap_init(&s->thread_ids, builder_arena(names->builder), builder_seed(names->builder));
}

static bool failed(struct samples *s)
{
    return builder_failed(s->names->builder, s->names->diag);
}

/* The time of a Sample or ContextSwitch. */
static uint64_t samples_time(struct str message, uint32_t field)
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

/* All but the frame. False: shorter or longer entries are never known. */
static bool key_of(struct str message, struct known_entry *key)
{
    key->n = 0;
    if (message.n < KNOWN_ENTRY_BYTES_MIN || message.n > KNOWN_ENTRY_BYTES_MAX)
        return false;
    key->first = cursor_le64((const uint8_t *)message.p);
    key->last = cursor_le64((const uint8_t *)message.p + message.n - 8);
    key->n = (uint32_t)message.n;
    return true;
}

static bool same_key(const struct known_entry *a, const struct known_entry *b)
{
    return a->n == b->n && a->first == b->first && a->last == b->last;
}

/* FRAME_NONE as its frame: no memory. */
static void look_up(struct samples *s, struct str message, struct known_entry *entry)
{
    if (!key_of(message, entry)) {
        entry->frame = read_entry(s, message);
        return;
    }
    struct known_entry *known =
        &s->known[hash_u64(s->seed, entry->first ^ (entry->last << 17 | entry->last >> 47)) % KNOWN_ENTRIES];
    if (!same_key(known, entry)) {
        entry->frame = read_entry(s, message);
        if (entry->frame == FRAME_NONE)
            return;
        *known = *entry;
    }
    entry->frame = known->frame;
}

/* A function of its own, so that the usual entry saves no registers. */
static __attribute__((noinline)) bool more_entries(struct samples *s, size_t n)
{
    struct arena *a = builder_arena(s->names->builder);

    return (!arena_stopped(a) && ARENA_ROOM(a, s->entries, s->entries_capacity, n + 1)) || failed(s);
}

static inline bool add_entry(struct samples *s, struct str entry, size_t *n)
{
    if (*n == s->entries_capacity && !more_entries(s, *n))
        return false;
    s->entries[(*n)++] = entry;
    return true;
}

/* Makes s->frames of the n entries of a chain. As far as it begins like the thread's last one, its frames are the same. */
static bool find_frames(struct samples *s, struct sampled_thread *t, size_t n)
{
    struct arena *a = builder_arena(s->names->builder);
    size_t kept = n < CHAIN_MAX ? n : CHAIN_MAX, same = 0;
    struct known_entry entry;

    if (!ARENA_ROOM(a, s->frames, s->capacity, n + 1) ||
        !ARENA_ROOM(a, t->chain, t->chain_capacity, kept + 1))
        return failed(s);
    for (size_t most = kept < t->n_chain ? kept : t->n_chain; same < most; same++) {
        if (!key_of(s->entries[n - 1 - same], &entry) || !same_key(&t->chain[same], &entry))
            break;
        s->frames[same] = t->chain[same].frame;
    }
    for (size_t i = n; i-- > same;) {
        look_up(s, s->entries[n - 1 - i], &entry);
        if (entry.frame == FRAME_NONE || arena_stopped_at(a, i))
            return failed(s);
        s->frames[i] = entry.frame;
        if (i < kept)
            t->chain[i] = entry;
    }
    t->n_chain = (uint32_t)kept;
    return true;
}

/* 1 the unwinder's own number, 2 address, 3 code. */
static uint64_t unwinding_code(struct str message)
{
    struct protobuf_field f[4];

    protobuf_fields(message, f, 4);
    return f[3].value;
}

/* Takes the entries of a call chain from the front of the message, in the form that nearly all have: tag and
 * length in a byte each. False: diag. */
static bool take_entries(struct samples *s, struct protobuf *m, size_t *n)
{
    enum { TAG = 3 << 3 | PROTOBUF_BYTES, HEAD = 2 };
    const uint8_t *p = m->p, *end = m->end;

    for (; end - p >= HEAD && p[0] == TAG && p[1] < 0x80 && p[1] <= end - p - HEAD; p += HEAD + p[1]) {
        if (!add_entry(s, (struct str){(const char *)p + HEAD, p[1]}, n))
            return false;
    }
    m->p = p;
    return true;
}

static bool parse(struct samples *s, struct str message, struct sample *sample)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    *sample = (struct sample){0};
    if (s->known == NULL) {
        s->known = arena_array(builder_arena(s->names->builder), KNOWN_ENTRIES, sizeof(*s->known));
        if (s->known == NULL)
            return failed(s);
    }
    for (;;) {
        if (!take_entries(s, &m, &sample->n))
            return false;
        if (!protobuf_next(&m, &f))
            return true;
        if (f.number == 3 && f.wire == PROTOBUF_BYTES && !add_entry(s, f.bytes, &sample->n))
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

/* Messages Sample and ContextSwitch. False: diag. */
static bool samples_add(struct samples *s, struct str message, uint64_t offset)
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
    struct sampled_thread *t = thread_of(s, sample.thread);
    /* A thread that has another sample is back on the CPU, though nothing says since when. */
    if (t == NULL || !settle(s, t, sample.time) || !find_frames(s, t, sample.n))
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
static bool samples_switch(struct samples *s, struct str message)
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

/* After the last one: what still waits, and what the errors were. False: diag. */
static bool samples_end(struct samples *s)
{
    for (size_t i = 0; i < s->n_threads; i++)
        if (!settle(s, &s->threads[i], s->threads[i].time))
            return false;
    return note_unwinding(s);
}

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

static uint32_t events_of(const struct simpleperf *s)
{
    return s->n_events < EVENTS_MAX ? s->n_events : EVENTS_MAX;
}

static bool set_event(struct simpleperf *s, struct profile_value *values, uint32_t i)
{
    struct str event = builder_text_of(s->names.builder, s->events[i]);

    if (str_eq(event, STR("sched:sched_switch")) && s->off_cpu && s->has_switches)
        s->samples.switch_event = i;
    return value_name_event(s->names.builder, values, i, event, true);
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
    bool ok = name_an_event(s);
    uint32_t n = events_of(s);

    for (uint32_t i = 0; ok && i < n; i++)
        ok = set_event(s, values, i);
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
