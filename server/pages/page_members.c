#include "server/pages/page_members.h"

#include "server/pages/page_data.h"
#include "server/pages/page_frame.h"

static void put_link(struct buf *b, struct str root, const struct job_result *result,
                     const struct job_member *m)
{
    page_put(b, "<li><a href=\"{}p/{}#token={}\"><bdi>{}</bdi></a></li>\n", root, str_of(m->record.id),
             str_of(result->delete_token), page_data_name(m->record.name));
}

static void put_failure(struct buf *b, const struct job_member *m)
{
    page_put(b, "<li><bdi>{}</bdi>: {}. {} {}</li>\n", str_of(m->record.member), str_of(m->diag.title),
             str_of(m->diag.detail), str_of(m->diag.hint));
}

static void put_failures(struct buf *b, const struct job_result *result)
{
    bool any = false;

    for (size_t i = 0; i < result->n_members; i++) {
        if (result->members[i].diag.kind == DIAG_NONE)
            continue;
        buf_z(b, any ? "" : "<h2>Not read</h2>\n<ul>\n");
        put_failure(b, &result->members[i]);
        any = true;
    }
    buf_z(b, any ? "</ul>\n" : "");
    if (result->members_left_out > 0)
        buf_printf(b, "<p>%llu more files were left out: the limit max_members was reached.</p>\n",
                   (unsigned long long)result->members_left_out);
    if (result->archive_cut)
        buf_z(b, "<p>The archive cannot be read to its end: there may be more files in it.</p>\n");
    if (!result->complete)
        buf_z(b,
              "<p>Not all of these files were read yet. What is wrong with one is said on its page.</p>\n");
}

void page_members(struct buf *b, struct str root, const struct job_result *result)
{
    page_frame_begin(b, &(struct page_frame){.title = STR("Results"), .root = root});
    buf_z(b, "<h1>The results of the archive</h1>\n<ul>\n");
    for (size_t i = 0; i < result->n_members; i++)
        if (result->members[i].diag.kind == DIAG_NONE)
            put_link(b, root, result, &result->members[i]);
    buf_z(b, "</ul>\n");
    put_failures(b, result);
    page_frame_end(b);
}
