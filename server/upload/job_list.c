/* What the list of a space says of an upload (server/spaces/entry.h). It is made of two views, which the page of the upload
 * needs, too. An upload in no space has nothing of this. */
#include "server/spaces/spaces.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"
#include "server/views/views.h"

void job_describe(struct job *job, const struct record *record, struct turn *turn, struct buf *entry)
{
    struct views *views = job->service->views;
    struct view_request summary, words;
    struct view_ahead of_summary, of_words;
    struct view_result made;
    struct buf facts = {0}, said = {0};

    if (record->space[0] == '\0')
        return;
    entry_views(job->service, record, &summary, &words);
    views_begin(views, &summary, job->client, &of_summary);
    views_begin(views, &words, job->client, &of_words);
    views_await(views, &of_summary, turn, &made);
    entry_take_view(&made, &facts);
    views_await(views, &of_words, turn, &made);
    entry_take_view(&made, &said);
    if (!entry_write(record, buf_view(&facts), buf_view(&said), entry))
        entry->failed = true;
    buf_free(&facts);
    buf_free(&said);
}

/* False: diag. */
bool job_keep_entry(struct job *job, const struct record *record, struct diag *diag)
{
    struct spaces *spaces = job->service->spaces;

    if (job->entry.failed)
        return diag_no_memory(diag, "No memory to list the upload in its space.");
    if (job->entry.n == 0)
        return true;
    enum store_result result = spaces_put(spaces, record, buf_view(&job->entry));
    if (result == STORE_FULL && sweep_make_room(job->service->sweep))
        result = spaces_put(spaces, record, buf_view(&job->entry));
    if (result != STORE_OK)
        store_access_failed(job->service->log, result, "listed", diag);
    return result == STORE_OK;
}

/* Members are read when they are kept, so that theirs comes behind the record. */
void job_list_members(struct job *job, struct turn *turn)
{
    turn_give(turn);
    for (size_t i = 0; i < job->n_members; i++) {
        const struct job_member *m = &job->members[i];
        struct diag ignored = {0};
        buf_clear(&job->entry);
        if (m->diag.kind != DIAG_NONE || stop_asked(&job->stop) != STOP_NONE)
            continue;
        job_describe(job, &m->record, turn, &job->entry);
        if (!job_keep_entry(job, &m->record, &ignored))
            continue; /* the log says why */
        if (record_is_gone(job->service->store, m->record.id))
            spaces_remove(job->service->spaces, &m->record);
    }
}
