/* What frames are called: symbols (ModuleSymbols) say which functions stand at an address, inlined ones
 * included; DeobfuscationMapping says what shortened names of Java were. Both are matched when all of the
 * file is read, since they may stand behind all else.
 * protos/perfetto/trace/profiling/profile_common.proto, deobfuscation.proto.
 *
 * A symbol is of the same path, build id and address. A deobfuscated name is of a class.method, of the
 * package that the frame's file is in, or else the process; with a line it is that of the methods that
 * contain it, which are inlined into each other, and else of all that it may have been. */
#include "core/number.h"
#include "core/order.h"
#include "core/put.h"
#include "parser/demangle.h"
#include "parser/perfetto/perfetto_impl.h"

/* ---- processes and threads, and which package a process is of ---- */

enum { UIDS_OF_A_USER = 100000 }; /* Android: uid = user * this + app */

static bool set_name(struct perfetto *t, struct idmap *names, uint64_t number, struct str name)
{
    string_id id = name.n > 0 ? pf_string(t, name) : STRING_EMPTY;

    return id != STRING_NONE && (name.n == 0 || idmap_set(names, number, id));
}

/* Process {pid = 1, cmdline = 3, uid = 5}: the first part of the command line is the name. */
static bool read_process(struct perfetto *t, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    uint64_t pid = 0, uid = 0;
    bool has_uid = false;
    struct str name = STR("");

    while (protobuf_next(&m, &f))
        if (f.number == 1)
            pid = f.value;
        else if (f.number == 3 && name.n == 0)
            name = f.bytes;
        else if (f.number == 5)
            uid = f.value % UIDS_OF_A_USER, has_uid = true;
    return set_name(t, &t->people.process_names, (uint32_t)pid, name) &&
           (!has_uid || idmap_set(&t->people.process_uids, (uint32_t)pid, (uint32_t)uid));
}

/* Thread {number at `tid_field`, name at `name_field`, both below 6}. */
static bool read_thread(struct perfetto *t, struct str message, uint32_t tid_field, uint32_t name_field)
{
    struct protobuf_field f[6];

    protobuf_fields(message, f, 6);
    return set_name(t, &t->people.thread_names, (uint32_t)f[tid_field].value, f[name_field].bytes);
}

bool pf_process_tree(struct perfetto *t, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;

    while (protobuf_next(&m, &f))
        if ((f.number == 1 && !read_process(t, f.bytes)) || (f.number == 2 && !read_thread(t, f.bytes, 1, 2)))
            return false;
    return true;
}

bool pf_track_descriptor(struct perfetto *t, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message), process;
    struct protobuf_field f, part;

    while (protobuf_next(&m, &f)) {
        if (f.number == 4 && !read_thread(t, f.bytes, 2, 5))
            return false;
        if (f.number != 3)
            continue;
        uint64_t pid = 0;
        struct str name = STR("");
        process = protobuf_of_bytes(f.bytes);
        while (protobuf_next(&process, &part))
            if (part.number == 1)
                pid = part.value;
            else if (part.number == 6 || (part.number == 2 && name.n == 0))
                name = part.bytes;
        if (!set_name(t, &t->people.process_names, (uint32_t)pid, name))
            return false;
    }
    return true;
}

bool pf_packages_list(struct perfetto *t, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, package[3]; /* 1: its name, 2: its uid */

    while (protobuf_next(&m, &f)) {
        if (f.number != 1)
            continue;
        protobuf_fields(f.bytes, package, 3);
        uint64_t uid = package[2].value % UIDS_OF_A_USER;
        if (idmap_get(&t->people.packages, uid) == IDMAP_NONE &&
            !set_name(t, &t->people.packages, uid, package[1].bytes))
            return false;
    }
    return true;
}

static string_id numbered(struct perfetto *t, const struct idmap *names, uint32_t number,
                          struct str otherwise)
{
    char text[32 + NUMBER_BYTES_MAX];
    uint32_t known = idmap_get(names, number);

    if (known != IDMAP_NONE)
        return known;
    char *end = number_u64(put_str(text, otherwise), number);
    return builder_string(t->builder, (struct str){text, (size_t)(end - text)});
}

string_id pf_process_name(struct perfetto *t, uint32_t pid)
{
    return numbered(t, &t->people.process_names, pid, STR("Process-"));
}

string_id pf_thread_name(struct perfetto *t, uint32_t tid)
{
    return numbered(t, &t->people.thread_names, tid, STR("Thread-"));
}

string_id pf_process_package(const struct perfetto *t, uint32_t pid)
{
    uint32_t uid = idmap_get(&t->people.process_uids, pid);
    uint32_t package = uid == IDMAP_NONE ? IDMAP_NONE : idmap_get(&t->people.packages, uid);

    return package == IDMAP_NONE ? STRING_EMPTY : package;
}

/* What is walked for each frame, of which a file can have one for a few bytes: above what compilers and R8
 * make of one. */
enum { MEMBERS_MAX = 2048 /* of one obfuscated name */, INLINED_MAX = 256 /* into each other */ };

/* ---- symbols ---- */

static bool add_line(struct perfetto *t, struct str message)
{
    struct pf_names *all = &t->names;
    struct protobuf_field f[4];

    protobuf_fields(message, f, 4);
    struct pf_line line = {.function = pf_string(t, f[1].bytes),
                           .file = pf_string(t, f[2].bytes),
                           .line = f[3].value > INT32_MAX ? 0 : (uint32_t)f[3].value};
    if (!ARENA_ROOM(t->arena, all->lines, all->lines_capacity, all->n_lines + 1) ||
        line.function == STRING_NONE || line.file == STRING_NONE)
        return false;
    all->lines[all->n_lines++] = line;
    return true;
}

static uint64_t symbol_key(const struct perfetto *t, string_id path, string_id build_id, uint64_t address)
{
    const uint64_t parts[] = {path, build_id, address};

    return pf_key(t, parts, 3);
}

static bool add_address(struct perfetto *t, string_id path, string_id build_id, struct str message)
{
    struct pf_names *all = &t->names;
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f;
    struct pf_symbol symbol = {.first = (uint32_t)all->n_lines};
    uint64_t address = 0, left_out = 0;

    while (protobuf_next(&m, &f))
        if (f.number == 1)
            address = f.value;
        else if (f.number == 2 && all->n_lines - symbol.first >= INLINED_MAX)
            left_out++;
        else if (f.number == 2 && !add_line(t, f.bytes))
            return false;
    pf_warn(t, WARN_NAME_CUT, left_out);
    symbol.n = (uint32_t)all->n_lines - symbol.first;
    if (!ARENA_ROOM(t->arena, all->symbols, all->symbols_capacity, all->n_symbols + 1))
        return false;
    all->symbols[all->n_symbols] = symbol;
    return symbol.n == 0 ||
           idmap_set(&all->symbol_ids, symbol_key(t, path, build_id, address), (uint32_t)all->n_symbols++);
}

bool pf_module_symbols(struct perfetto *t, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, header[3];

    protobuf_fields(message, header, 3);
    string_id path = pf_string(t, header[1].bytes), build_id = pf_hex(t, header[2].bytes);
    if (path == STRING_NONE || build_id == STRING_NONE)
        return false;
    while (protobuf_next(&m, &f))
        if (f.number == 3 && !add_address(t, path, build_id, f.bytes))
            return false;
    return true;
}

/* ---- deobfuscation ---- */

/* What is longer is cut from the joined name anyway; the name of a class is read again for each of its members. */
static struct str cut(const struct perfetto *t, struct str name)
{
    return (struct str){name.p, name.n > t->limits->name_bytes ? t->limits->name_bytes + 1 : name.n};
}

/* "scope.name", or the name alone if it has a dot already or there is no scope. */
static string_id joined(struct perfetto *t, struct str scope, struct str name, bool always)
{
    struct buf b = {0};

    scope = cut(t, scope), name = cut(t, name);
    if (!always && str_find(name, '.') < name.n)
        return pf_string(t, name);
    buf_str(&b, scope);
    buf_char(&b, '.');
    buf_str(&b, name);
    return pf_string_of(t, &b);
}

static bool link_member(struct perfetto *t, string_id obfuscated, const struct pf_member *member)
{
    struct pf_names *all = &t->names;
    uint32_t first = idmap_get(&all->member_ids, obfuscated), id = (uint32_t)all->n_members;

    if (first != IDMAP_NONE && all->lists[first].n >= MEMBERS_MAX) {
        pf_warn(t, WARN_MAPPING_CUT, 1);
        return true;
    }
    if (!ARENA_ROOM(t->arena, all->members, all->members_capacity, all->n_members + 1) ||
        !ARENA_ROOM(t->arena, all->lists, all->lists_capacity, all->n_members + 1))
        return false;
    all->members[id] = *member;
    if (first == IDMAP_NONE) {
        if (!idmap_set(&all->member_ids, obfuscated, id))
            return false;
        first = id;
        all->lists[first].n = 0;
    } else {
        all->members[all->lists[first].last].next = id;
    }
    all->lists[first].last = id;
    all->lists[first].n++;
    all->n_members++;
    return true;
}

static bool add_member(struct perfetto *t, string_id package, const struct protobuf_field *class,
                       struct str message)
{
    struct protobuf_field f[5];

    protobuf_fields(message, f, 5);
    string_id obfuscated = joined(t, class[1].bytes, f[1].bytes, true);
    struct pf_member member = {.package = package,
                               .next = PERFETTO_NONE,
                               .start = f[3].value,
                               .has_start = f[3].number != 0,
                               .end = f[4].value,
                               .has_end = f[4].number != 0,
                               .deobfuscated = joined(t, class[2].bytes, f[2].bytes, false)};
    return obfuscated != STRING_NONE && member.deobfuscated != STRING_NONE &&
           link_member(t, obfuscated, &member);
}

static bool add_class(struct perfetto *t, string_id package, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, class[3]; /* 1, 2: its name, obfuscated and deobfuscated */

    protobuf_fields(message, class, 3);
    while (protobuf_next(&m, &f))
        if (f.number == 4 && f.wire == PROTOBUF_BYTES && !add_member(t, package, class, f.bytes))
            return false;
    return true;
}

bool pf_deobfuscation(struct perfetto *t, struct str message)
{
    struct protobuf m = protobuf_of_bytes(message);
    struct protobuf_field f, header[2];

    protobuf_fields(message, header, 2);
    string_id package = pf_string(t, header[1].bytes);
    if (package == STRING_NONE || header[1].bytes.n == 0)
        return package != STRING_NONE; /* of no package: meant for heap graphs */
    while (protobuf_next(&m, &f))
        if (f.number == 3 && f.wire == PROTOBUF_BYTES && !add_class(t, package, f.bytes))
            return false;
    return true;
}

/* ---- which package ---- */

static const struct str DEX_PREFIX = STR_INIT("dex extracted in memory from "), APPS = STR_INIT("/data/app/");

/* The package whose file this is: /data/app/<package>-<random>/.., or /data/app/~~<random>/<package>-<random>/... */
static struct str package_of_path(struct str path)
{
    size_t at = str_find_str(path, DEX_PREFIX);

    if (at < path.n) {
        struct str file = {path.p + at + DEX_PREFIX.n, path.n - at - DEX_PREFIX.n};
        path = str_starts(file, APPS) ? file : path;
    }
    if (!str_starts(path, APPS))
        return STR("");
    path.p += APPS.n, path.n -= APPS.n;
    if (path.n > 0 && path.p[0] == '~') {
        at = str_find(path, '/');
        at += at < path.n;
        path.p += at, path.n -= at;
    }
    size_t end = str_find(path, '-');
    if (end == path.n || str_find((struct str){path.p, end}, '/') < end)
        return STR("");
    return (struct str){path.p, end};
}

/* ---- frames ---- */

struct naming {
    struct perfetto *t;
    const struct pf_frame *frame;
    struct str path;   /* of its mapping; p NULL: it has none */
    string_id package; /* that it is of, STRING_EMPTY: not known */
    bool any_package;  /* it may be of any */
    const struct pf_symbol *symbol;
    bool has_line;
    uint64_t line;
    struct pf_expansion made;
};

static struct str text_of(const struct naming *n, string_id id)
{
    return builder_text_of(n->t->builder, id);
}

static bool is_java_file(struct str path)
{
    static const struct str ENDS[] = {STR_INIT(".oat"), STR_INIT(".odex"), STR_INIT(".vdex"),
                                      STR_INIT(".dex"), STR_INIT(".apk"),  STR_INIT(".jar"),
                                      STR_INIT(".art")};

    for (size_t i = 0; i < sizeof(ENDS) / sizeof(*ENDS); i++)
        if (str_ends(path, ENDS[i]))
            return true;
    return str_find_str(path, STR("dalvik-")) < path.n || str_find_str(path, STR("jit-cache")) < path.n ||
           str_find_str(path, DEX_PREFIX) < path.n;
}

/* Letters, digits and what names of Java have beside; at least one dot within. */
static bool is_java_name(struct str name)
{
    size_t dot = str_find_last(name, '.');

    if (name.n == 0 || dot == 0 || dot + 1 >= name.n)
        return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
        bool other = is_digit(c) || c == '_' || c == '$' || c == '.' || c == '<' || c == '>' || c == '-';
        if (!letter && (!other || i == 0))
            return false;
    }
    return true;
}

static enum frame_kind kind_of(const struct naming *n, struct str name)
{
    const struct pf_frame *f = n->frame;

    if (str_starts(name, STR("ERROR ")))
        return FRAME_KIND_ERROR;
    if (f->kind == PF_KIND_KERNEL || str_eq(n->path, STR("/kernel")))
        return FRAME_KIND_KERNEL;
    if (f->kind == PF_KIND_INTERPRETED || f->kind == PF_KIND_JIT || is_java_file(n->path))
        return FRAME_KIND_JAVA;
    return f->kind == PF_KIND_NATIVE || n->path.n > 0 ? FRAME_KIND_NATIVE : FRAME_KIND_UNKNOWN;
}

/* Splits a name of Java into class and method. False: the arena gives no more. */
static bool put_name(struct naming *n, struct str name, struct profile_frame *to)
{
    struct builder *b = n->t->builder;
    struct str text = name.n > 0 ? name : STR("unknown");
    struct buf readable = {0};

    if (to->kind == FRAME_KIND_JAVA && is_java_name(text)) {
        size_t dot = str_find_last(text, '.');
        to->scope = builder_string(b, (struct str){text.p, dot});
        to->name = builder_string(b, (struct str){text.p + dot + 1, text.n - dot - 1});
        return to->scope != STRING_NONE && to->name != STRING_NONE;
    }
    if (arena_stopped(n->t->arena)) /* one name takes long enough */
        return false;
    demangle(&readable, text, n->t->limits->name_bytes);
    to->name = pf_string_of(n->t, &readable);
    return to->name != STRING_NONE;
}

/* One frame more of the frame's expansion; `inlined` into the one before. */
static bool put_frame(struct naming *n, struct str name, string_id file, uint32_t line, bool inlined)
{
    struct perfetto *t = n->t;
    struct pf_names *all = &t->names;
    const struct pf_frame *f = n->frame;
    struct profile_frame frame = {.file = file, .line = line, .address = f->rel_pc};

    frame.kind = inlined ? FRAME_KIND_INLINED : kind_of(n, name);
    frame.nameless = name.n == 0;
    if (f->mapping != PERFETTO_NONE) {
        const struct pf_mapping *mapping = &t->stacks.mappings[f->mapping];
        frame.module = mapping->path;
        frame.build_id = mapping->build_id;
        frame.load_bias = mapping->load_bias;
        frame.map_offset = mapping->map_offset;
    }
    if (frame.kind == FRAME_KIND_ERROR)
        pf_warn(t, WARN_ERROR_FRAMES, 1);
    if (str_find_str(name, STR("[DEDUPED]")) < name.n)
        pf_warn(t, WARN_DEDUPED, 1);
    if (name.n == 0)
        pf_warn(t, WARN_NO_NAMES, 1);
    if (!put_name(n, name, &frame))
        return false;
    frame_id id = builder_frame(t->builder, &frame);
    if (id == FRAME_NONE || !ARENA_ROOM(t->arena, all->expanded, all->expanded_capacity, all->n_expanded + 1))
        return false;
    all->expanded[all->n_expanded++] = id;
    n->made.n++;
    return true;
}

static bool is_of_package(const struct naming *n, const struct pf_member *m)
{
    return n->any_package || m->package == n->package;
}

static bool contains(const struct naming *n, const struct pf_member *m)
{
    return is_of_package(n, m) && (!m->has_start || n->line >= m->start) &&
           (!m->has_end || n->line <= m->end);
}

/* The methods that contain the line: the first listed is the innermost. *made: there are some. */
static bool put_chain(struct naming *n, uint32_t first, bool *made)
{
    const struct pf_names *all = &n->t->names;
    string_id names[INLINED_MAX];
    uint32_t found = 0;

    for (uint32_t i = first; i != PERFETTO_NONE; i = all->members[i].next)
        if (contains(n, &all->members[i])) {
            if (found == INLINED_MAX) {
                pf_warn(n->t, WARN_MAPPING_CUT, 1);
                break;
            }
            names[found++] = all->members[i].deobfuscated;
        }
    *made = found > 0;
    for (uint32_t i = found; i > 0; i--)
        if (!put_frame(n, text_of(n, names[i - 1]), n->frame->file, (uint32_t)n->line, i < found))
            return false;
    return true;
}

enum { ALTERNATIVES_MAX = 16 };

static bool is_among(string_id id, const string_id *ids, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (ids[i] == id)
            return true;
    return false;
}

/* All names that it may have been, each once, sorted, with " | " between. *made: there are some. */
static bool put_alternatives(struct naming *n, uint32_t first, bool *made)
{
    const struct pf_names *all = &n->t->names;
    struct str names[ALTERNATIVES_MAX];
    string_id ids[ALTERNATIVES_MAX] = {0}; /* of these, in the order of the list */
    uint32_t count = 0;
    struct buf b = {0};

    for (uint32_t i = first; i != PERFETTO_NONE && count < ALTERNATIVES_MAX; i = all->members[i].next) {
        string_id id = all->members[i].deobfuscated;
        struct str name = text_of(n, id);
        uint32_t at = 0;
        if (!is_of_package(n, &all->members[i]) || is_among(id, ids, count))
            continue;
        while (at < count && str_cmp(names[at], name) < 0)
            at++;
        ids[count] = id;
        order_insert(names, &count, ALTERNATIVES_MAX, at, &name, sizeof(name));
    }
    *made = count > 0;
    for (uint32_t i = 0; i < count; i++) {
        buf_z(&b, i > 0 ? " | " : "");
        buf_str(&b, names[i]);
    }
    if (b.failed)
        n->t->arena->failure = ARENA_NO_MEMORY;
    bool ok = !b.failed && (count == 0 || put_frame(n, buf_view(&b), n->frame->file, n->frame->line, false));
    buf_free(&b);
    return ok;
}

static bool put_symbols(struct naming *n)
{
    const struct pf_symbol s = *n->symbol;

    for (uint32_t i = s.n; i > 0; i--) {
        const struct pf_line line = n->t->names.lines[s.first + i - 1];
        if (!put_frame(n, text_of(n, line.function), line.file, line.line, i < s.n))
            return false;
    }
    return true;
}

/* The line of the symbols counts only with a file. */
static void find_line(struct naming *n)
{
    n->has_line = n->frame->line > 0;
    n->line = n->frame->line;
    if (n->symbol == NULL)
        return;
    n->has_line = false;
    for (uint32_t i = 0; i < n->symbol->n && !n->has_line; i++) {
        const struct pf_line *line = &n->t->names.lines[n->symbol->first + i];
        n->has_line = line->file != STRING_EMPTY;
        n->line = line->line;
    }
}

static bool put_all(struct naming *n)
{
    const struct pf_frame *f = n->frame;
    struct str name = text_of(n, f->name);
    uint32_t first = str_find(name, '.') < name.n ? idmap_get(&n->t->names.member_ids, f->name) : IDMAP_NONE;
    bool made = false;

    find_line(n);
    if (first != IDMAP_NONE && n->has_line && !put_chain(n, first, &made))
        return false;
    if (first != IDMAP_NONE && !made && n->symbol == NULL && !put_alternatives(n, first, &made))
        return false;
    if (made)
        return true;
    return n->symbol != NULL ? put_symbols(n) : put_frame(n, name, f->file, f->line, false);
}

/* The frame's place in the file, its symbols, and the package that its names are looked up in. */
static bool prepare(struct naming *n, string_id package)
{
    struct perfetto *t = n->t;
    const struct pf_frame *f = n->frame;

    n->package = package;
    n->path = STR("");
    if (f->mapping == PERFETTO_NONE)
        return true;
    const struct pf_mapping *mapping = &t->stacks.mappings[f->mapping];
    uint32_t symbol =
        idmap_get(&t->names.symbol_ids, symbol_key(t, mapping->path, mapping->build_id, f->rel_pc));
    n->symbol = symbol == IDMAP_NONE ? NULL : &t->names.symbols[symbol];
    n->path = text_of(n, mapping->path);
    n->any_package = str_starts(n->path, STR("/memfd:"));
    struct str of_path = package_of_path(n->path);
    if (of_path.n == 0)
        return true;
    n->package = builder_string(t->builder, of_path);
    n->path = text_of(n, mapping->path);
    return n->package != STRING_NONE;
}

const struct pf_expansion *pf_expand(struct perfetto *t, uint32_t frame, string_id package)
{
    struct pf_names *all = &t->names;
    uint64_t key = (uint64_t)frame << 32 | package;
    uint32_t id = idmap_get(&all->expansion_ids, key);
    struct naming n = {
        .t = t, .frame = &t->stacks.frames[frame], .made = {.first = (uint32_t)all->n_expanded}};

    if (id != IDMAP_NONE)
        return &all->expansions[id];
    if (!prepare(&n, package) || !put_all(&n))
        return NULL;
    if (!ARENA_ROOM(t->arena, all->expansions, all->expansions_capacity, all->n_expansions + 1) ||
        !idmap_set(&all->expansion_ids, key, (uint32_t)all->n_expansions))
        return NULL;
    all->expansions[all->n_expansions] = n.made;
    return &all->expansions[all->n_expansions++];
}
