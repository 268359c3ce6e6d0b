/* Names of processes and threads, and which package a process is of. */
#include "core/number.h"
#include "core/put.h"
#include "parser/perfetto/perfetto_impl.h"

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
