#include "parser/simpleperf/names.h"

#include <stdio.h>

#include "core/clean.h"
#include "core/protobuf.h"

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

static bool failed(struct sampled_names *s)
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

/* By its name: what of the system, of the app's Java code, or native it is. */
static enum frame_kind kind_of(struct str path)
{
    static const struct str JAVA[] = {
        STR_INIT(".jar"), STR_INIT(".dex"), STR_INIT(".vdex"),           STR_INIT(".odex"),
        STR_INIT(".oat"), STR_INIT(".art"), STR_INIT("[JIT app cache]"), STR_INIT("[JIT cache]")};

    if (str_starts(path, STR("[kernel")) || str_ends(path, STR(".ko")))
        return FRAME_KIND_KERNEL;
    for (size_t i = 0; i < sizeof(JAVA) / sizeof(*JAVA); i++)
        if (str_ends(path, JAVA[i]))
            return FRAME_KIND_JAVA;
    return path.n == 0 || str_eq(path, STR("unknown")) ? FRAME_KIND_UNKNOWN : FRAME_KIND_NATIVE;
}

static bool add_symbol(struct sampled_names *s, struct str name, uint64_t offset)
{
    struct arena *a = builder_arena(s->builder);

    if (s->n_symbols >= s->limits->methods)
        return too_many(s, "symbols", s->limits->methods, DIAG_ABOUT_METHODS);
    if (!ARENA_ROOM(a, s->symbols, s->symbols_capacity, s->n_symbols + 1))
        return failed(s);
    if (!ARENA_ROOM(a, s->frames, s->frames_capacity, 2 * (s->n_symbols + 1)))
        return failed(s);
    s->frames[2 * s->n_symbols] = s->frames[2 * s->n_symbols + 1] = FRAME_NONE;
    s->symbols[s->n_symbols] = sampled_names_text(s, name, offset);
    return s->symbols[s->n_symbols++] != STRING_NONE || failed(s);
}

static bool set_path(struct sampled_names *s, struct names_of_file *file, struct str path, uint64_t offset)
{
    file->path = sampled_names_text(s, path, offset);
    if (file->path == STRING_NONE)
        return failed(s);
    path = builder_text_of(s->builder, file->path);
    file->base = str_behind_last(path, '/');
    file->kind = kind_of(path);
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
        return failed(s);
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
        return failed(s);
    s->threads[s->n_threads++] = thread;
    return true;
}

static const struct names_of_thread *thread_of(const struct sampled_names *s, uint32_t id)
{
    uint32_t place = idmap_get(&s->thread_ids, id);

    return place == IDMAP_NONE ? NULL : &s->threads[place];
}

/* `com.example.app (7657)`: what Android calls a process is the name of its first thread. */
static string_id process_name(struct sampled_names *s, uint32_t process)
{
    const struct names_of_thread *first = thread_of(s, process);
    struct str name = first == NULL ? STR("") : builder_text_of(s->builder, first->name);
    char text[256];

    name = clean_cut(name, 200);
    int n = name.n == 0 ? snprintf(text, sizeof(text), "process %u", process)
                        : snprintf(text, sizeof(text), "%.*s (%u)", (int)name.n, name.p, process);
    return builder_string(s->builder, (struct str){text, (size_t)n});
}

uint32_t sampled_names_track(struct sampled_names *s, uint32_t thread)
{
    const struct names_of_thread *t = thread_of(s, thread);
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

frame_id sampled_names_frame(struct sampled_names *s, uint64_t file, int64_t symbol, uint64_t address,
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
