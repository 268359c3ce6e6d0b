/* What the list of a space says of an upload (server/spaces/entry.h): before its record what is known at once; behind its
 * answer also what two views tell, which its page needs, too. An upload in no space has nothing of this. */
#include "server/spaces/spaces.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"
#include "server/webhook/webhook.h"

bool job_keep_entry(struct job *job, const struct record *record, struct diag *diag)
{
    struct spaces *spaces = job->service->spaces;
    struct buf text = {0};

    if (record->space[0] == '\0')
        return true;
    if (!entry_write(record, STR(""), STR(""), &text)) {
        buf_free(&text);
        return diag_no_memory(diag, "No memory to list the upload in its space.");
    }
    enum store_result result = spaces_put(spaces, record, buf_view(&text));
    if (result == STORE_FULL && sweep_make_room(job->service->sweep))
        result = spaces_put(spaces, record, buf_view(&text));
    if (result != STORE_OK)
        store_access_failed(job->service->log, result, "listed", diag);
    buf_free(&text);
    return result == STORE_OK;
}

/* False: nothing can be told, or no memory. */
static bool make_words(struct job *job, const struct record *record, struct turn *turn, struct buf *text)
{
    struct buf facts = {0}, said = {0};

    entry_make_views(job->service, record, job->client, turn, &facts, &said);
    bool ok = facts.n > 0 && !facts.failed && !said.failed &&
              entry_write(record, buf_view(&facts), buf_view(&said), text);
    buf_free(&facts);
    buf_free(&said);
    return ok;
}

/* Whether it is known that the record does not say any more what the entry does: it was changed, or the upload has
 * ended. */
static bool counts_no_more(const struct job *job, const struct record *record)
{
    struct record now;

    if (record_is_gone(job->service->store, record->id))
        return true;
    enum record_state state = record_load(job->service->store, str_of(record->id), &now);
    return state == RECORD_NONE ||
           (state == RECORD_FOUND && (!str_eq(str_of(now.space), str_of(record->space)) ||
                                      !str_eq(str_of(now.mark), str_of(record->mark))));
}

void job_list(struct job *job, const struct record *record, struct turn *turn)
{
    struct spaces *spaces = job->service->spaces;
    struct diag ignored = {0}; /* the log says it */
    struct buf text = {0};

    if (record->space[0] == '\0')
        return;
    if (make_words(job, record, turn, &text)) {
        enum store_result result = spaces_put_words(spaces, record, buf_view(&text));
        if (result != STORE_OK && result != STORE_EXISTS)
            store_access_failed(job->service->log, result, "listed with its words", &ignored);
        if (counts_no_more(job, record))
            spaces_remove(spaces, record);
        else
            webhook_listed(job->service->webhook, record);
    }
    buf_free(&text);
}
