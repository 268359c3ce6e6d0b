#include "server/convert/archive_members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/benchmarks.h"
#include "parser/recognise.h"
#include "server/convert/convert.h"
#include "server/convert/convert_impl.h"
#include "server/convert/identify.h"

struct listing {
    struct archive_members *members;
    size_t most;
    bool no_memory;
};

/* The first of a name is chosen by it, those behind it by their place. So is one whose name looks like a place. */
static bool is_chosen_by_name(const struct archive_members *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->list[i].name, name) == 0)
            return false;
    return name[0] != '#';
}

/* By its label, which is what the list has in words. */
static const struct format *format_of(const char *label)
{
    for (size_t i = 0; label != NULL && i < FORMATS_COUNT; i++)
        if (strcmp(FORMATS[i]->label, label) == 0)
            return FORMATS[i];
    return NULL;
}

static bool add(void *context, const struct unpack_member *member)
{
    struct listing *l = context;
    struct archive_members *m = l->members;

    if (m->n == l->most) {
        m->left_out++;
        return true;
    }
    struct archive_member *list = realloc(m->list, (m->n + 1) * sizeof(*list));
    if (list == NULL) {
        l->no_memory = true;
        return false;
    }
    m->list = list;
    struct archive_member *one = &list[m->n];
    one->title[0] = '\0';
    snprintf(one->name, sizeof(one->name), "%s", member->name);
    if (is_chosen_by_name(m, member->name))
        memcpy(one->choice, one->name, sizeof(one->choice));
    else
        snprintf(one->choice, sizeof(one->choice), "#%llu", (unsigned long long)member->number);
    one->format = format_of(member->what);
    m->n++;
    return true;
}

void archive_members_free(struct archive_members *members)
{
    free(members->list);
    *members = (struct archive_members){.list = NULL};
}

static void take_titles(struct archive_members *members, const struct benchmarks *benchmarks)
{
    for (size_t i = 0; i < members->n; i++) {
        struct archive_member *m = &members->list[i];
        const struct benchmark_run *run = benchmarks_find(benchmarks, str_of(m->name));
        struct buf title = {0};
        if (run != NULL)
            benchmarks_put_title(run, &title);
        if (!title.failed && title.n > 0)
            snprintf(m->title, sizeof(m->title), "%.*s", (int)title.n, title.p);
        buf_free(&title);
    }
}

static bool list(const struct packer *archive, const struct config *config, const struct source_input *whole,
                 const struct stop *stop, struct archive_members *members, struct diag *diag)
{
    struct listing l = {.members = members, .most = (size_t)config->max_members};
    struct reader_limits limits = conversion_limits(config);
    struct unpack_report report = {.state = UNPACK_WHOLE, .index = STR("")};
    struct benchmarks benchmarks = {.n = 0};
    struct arena arena;

    arena_init(&arena, (size_t)config->job_memory_bytes);
    bool ok = recognise_members(archive, whole, &arena, &limits.unpacked, add, &l, &report, diag);
    arena.stop = stop;
    if (ok && report.index.n > 0)
        benchmarks_read(&benchmarks, archive, whole, report.index, &limits.unpacked, &arena);
    take_titles(members, &benchmarks);
    benchmarks_free(&benchmarks);
    arena_free(&arena);
    members->cut = report.state != UNPACK_WHOLE;
    return l.no_memory ? conversion_no_memory(diag) : ok;
}

enum archive_found archive_members_list(const struct config *config, int fd, const struct stop *stop,
                                        struct archive_members *members, struct diag *diag)
{
    struct readable file = {.fd = fd, .stop = stop};
    const struct source_input whole = readable_input(&file);
    const struct packer *archive = recognise_archive(&whole);

    *members = (struct archive_members){.list = NULL};
    if (archive == NULL && file.diag.kind == DIAG_NONE)
        return ARCHIVE_NONE;
    if (archive != NULL && list(archive, config, &whole, stop, members, diag))
        return ARCHIVE_LISTED;
    if (file.diag.kind != DIAG_NONE)
        *diag = file.diag; /* knows more than that it could not be read */
    diag_add_words(diag);
    archive_members_free(members);
    return ARCHIVE_FAILED;
}
