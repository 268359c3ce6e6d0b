#include "core/system/memory_limit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/system/folder.h"

enum { FILE_BYTES_MAX = 64 * 1024 };

static bool read_small(const char *path, struct buf *out)
{
    int fd = file_open(AT_FDCWD, path, O_RDONLY);

    if (fd < 0)
        return false;
    bool ok = file_read_all(fd, FILE_BYTES_MAX, out);
    close(fd);
    return ok;
}

static void lower(struct memory_limit *l, uint64_t bytes, enum memory_kind kind, const char *source)
{
    if (bytes < l->bytes)
        *l = (struct memory_limit){bytes, kind, source};
}

/* Version 2 writes "max" where there is no limit, version 1 a number near 2^63: neither is below the
 * machine's memory. */
static void take_file(struct memory_limit *l, struct str folder, struct str group, const char *name)
{
    struct buf path = {0}, text = {0};
    uint64_t bytes;

    buf_str(&path, folder);
    buf_str(&path, group);
    buf_printf(&path, "/%s", name);
    buf_char(&path, '\0');
    if (!path.failed && read_small(path.p, &text) &&
        str_to_u64(str_without_line_end(buf_view(&text)), 10, &bytes))
        lower(l, bytes, MEMORY_OF_GROUP, "cgroup");
    buf_free(&path);
    buf_free(&text);
}

/* A group is limited by each of its parents, too. Within a container the path may be that of the host, and
 * the files are those of the top. */
static void take_group(struct memory_limit *l, const char *hierarchy, const char *controller,
                       struct str group, const char *name)
{
    struct buf folder = {0};

    buf_printf(&folder, "%s%s", hierarchy, controller);
    while (!folder.failed && group.n > 0) {
        take_file(l, buf_view(&folder), group, name);
        group.n = str_find_last(group, '/') < group.n ? str_find_last(group, '/') : 0;
    }
    if (!folder.failed)
        take_file(l, buf_view(&folder), STR(""), name);
    buf_free(&folder);
}

/* "4:memory:/path" in version 1, "0::/path" in version 2: cgroups(7). */
static void take_membership(struct memory_limit *l, struct str line, const char *hierarchy)
{
    struct str id, controllers;

    if (!str_split(&line, ':', &id) || !str_split(&line, ':', &controllers))
        return;
    struct str group = line;
    if (controllers.n == 0)
        take_group(l, hierarchy, "", group, "memory.max");
    else if (str_find_str(controllers, STR("memory")) < controllers.n)
        take_group(l, hierarchy, "/memory", group, "memory.limit_in_bytes");
}

static void take_resource(struct memory_limit *l, __rlimit_resource_t resource, const char *source)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        lower(l, limit.rlim_cur, MEMORY_OF_ADDRESSES, source);
}

struct memory_limit memory_limit(const char *membership, const char *hierarchy)
{
    struct memory_limit l = {UINT64_MAX, MEMORY_OF_MACHINE, "nothing"};
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    struct buf text = {0};

    if (pages > 0 && page_bytes > 0)
        lower(&l, (uint64_t)pages * (uint64_t)page_bytes, MEMORY_OF_MACHINE, "machine");
    if (read_small(membership, &text)) {
        struct str rest = buf_view(&text), line;
        while (str_split(&rest, '\n', &line))
            take_membership(&l, line, hierarchy);
    }
    buf_free(&text);
    take_resource(&l, RLIMIT_AS, "ulimit -v");
    take_resource(&l, RLIMIT_DATA, "ulimit -d");
    return l;
}

struct memory_limit memory_limit_here(void)
{
    return memory_limit("/proc/self/cgroup", "/sys/fs/cgroup");
}

uint64_t memory_mapped(void)
{
    struct buf text = {0};
    uint64_t pages = 0;
    long page_bytes = sysconf(_SC_PAGESIZE);
    bool ok = read_small("/proc/self/statm", &text);
    struct str rest = buf_view(&text), first;

    if (!ok || page_bytes <= 0 || !str_split(&rest, ' ', &first) || !str_to_u64(first, 10, &pages))
        pages = 0;
    buf_free(&text);
    return pages * (uint64_t)page_bytes;
}
