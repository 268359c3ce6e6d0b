/* An archive of which each member that is read here becomes a result, in place of what job.c does with one
 * file: its members are listed; those that cannot be looked into are read at once, to say why; the
 * archive's bytes are kept, once, and a record for each member that a format has recognised; then each of
 * them is read.
 *
 * So the upload is durable before its members are read, and can be answered then, as one of a single file
 * can before its views are made. A member whose profile is refused is withdrawn again, and told of in its
 * diag; unless its link was told before: then the link stays, and says what is wrong. A client that leaves
 * before its answer leaves nothing behind (run_withdrawal in job.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/convert/archive_members.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"
#include "server/upload/progress.h"
#include "server/views/profiles.h"

/* ---- keeping ---- */

/* None worked: why, of each as far as there is room. */
static void refuse_all(struct job *job, struct diag *diag)
{
    struct buf text = {0};

    if (job->n_members == 1) {
        *diag = job->members[0].diag;
        return;
    }
    for (size_t i = 0; i < job->n_members; i++)
        buf_printf(&text, " %s: %s.", job->members[i].record.member, job->members[i].diag.title);
    diag_set(diag, job->members[0].diag.kind, "no file of the archive can be used",
             "Upload one of them alone to hear more of it.", "None of its %zu files could be kept.%.*s",
             job->n_members, text.failed ? 0 : (int)text.n, text.n > 0 ? text.p : "");
    buf_free(&text);
}

static bool any_is_good(const struct job *job)
{
    for (size_t i = 0; i < job->n_members; i++)
        if (job->members[i].diag.kind == DIAG_NONE)
            return true;
    return false;
}

static void publish(struct job *job, struct job_member *m)
{
    struct progress_facts facts = {.bytes = job->bytes, .queued = true};

    if (m->read)
        return;
    snprintf(facts.format, sizeof(facts.format), "%s", m->format_label);
    m->progress = progress_begin(job->service->progresses, &facts);
    progress_publish(m->progress, m->record.id);
}

/* Each record has the bytes of the archive as its own: the first one has the file, and the others share it. */
static bool keep_bytes(struct job *job)
{
    const char *first = NULL;

    for (size_t i = 0; i < job->n_members; i++) {
        struct job_member *m = &job->members[i];
        if (m->diag.kind != DIAG_NONE)
            continue;
        if (first != NULL) {
            (void)job_share_bytes(job, first, &m->record, &m->diag);
            continue;
        }
        if (!job_keep_bytes(job, &m->record))
            return false;
        first = m->record.id;
    }
    return true;
}

static void keep_records(struct job *job)
{
    for (size_t i = 0; i < job->n_members; i++) {
        struct job_member *m = &job->members[i];
        struct record *r = &m->record;
        memcpy(r->token_sha256, job->result.record.token_sha256, sizeof(r->token_sha256));
        if (m->diag.kind != DIAG_NONE || !job_keep_record(job, r, &m->diag))
            continue;
        sweep_upload_expires(job->service->sweep, r->expires_s);
        job_log_kept(job, r);
        publish(job, m);
    }
}

/* False: result.diag, and nothing is kept. */
static bool keep_all(struct job *job, struct turn *turn)
{
    struct diag *diag = &job->result.diag;

    if (!any_is_good(job)) {
        refuse_all(job, diag);
        return false;
    }
    turn_give(turn); /* to keep it takes until the disk has it */
    if (!job_new_token(job, &job->result.record) || !keep_bytes(job))
        return false;
    keep_records(job);
    if (!any_is_good(job)) {
        refuse_all(job, diag);
        return false;
    }
    pthread_mutex_lock(&job->lock);
    job->kept = job->members_kept = true;
    pthread_mutex_unlock(&job->lock);
    job_answer_soon(job);
    return true;
}

/* ---- telling ---- */

void job_tell_members(struct job *job, struct job_result *result)
{
    size_t bytes = job->n_members * sizeof(*job->members);
    bool all_read = true;

    if (!any_is_good(job)) {
        refuse_all(job, &result->diag);
        return;
    }
    result->members = job->members;
    if (!result->complete) {
        result->members = job->members_told = malloc(bytes);
        if (job->members_told == NULL) {
            job->told = false; /* it will be withdrawn */
            diag_set(&result->diag, DIAG_NO_MEMORY, "out of memory", "Try again later.",
                     "No memory for the files of the archive.");
            return;
        }
        memcpy(job->members_told, job->members, bytes);
    }
    result->n_members = job->n_members;
    for (size_t i = job->n_members; i-- > 0;) {
        const struct job_member *m = &result->members[i];
        all_read = all_read && (m->read || m->diag.kind != DIAG_NONE);
        if (m->diag.kind == DIAG_NONE)
            result->record = m->record;
    }
    result->complete = all_read;
}

/* ---- each member ---- */

static void end_progress(struct job *job, struct job_member *m)
{
    pthread_mutex_lock(&job->lock);
    struct progress *progress = m->progress;
    m->progress = NULL;
    pthread_mutex_unlock(&job->lock);
    progress_end(progress);
}

/* What became of the reading: `profile` is NULL if it was refused, for the reason in `diag`. */
static void take_member(struct job *job, struct job_member *m, const struct shared_profile *profile,
                        const struct diag *diag)
{
    struct record *r = &m->record;

    if (profile != NULL && !job->members_kept) {
        const struct profile *p = shared_profile_get(profile);
        memcpy(r->format, p->format.p, p->format.n < sizeof(r->format) ? p->format.n : sizeof(r->format) - 1);
    }
    pthread_mutex_lock(&job->lock);
    m->read = true;
    bool withdrawn = profile == NULL && !job->told;
    if (withdrawn)
        m->diag = *diag;
    pthread_mutex_unlock(&job->lock);
    if (withdrawn && job->members_kept)
        (void)job_withdraw_record(job, r); /* else it stays until it expires: nobody knows its link */
    end_progress(job, m);
}

static void read_member(struct job *job, struct job_member *m, struct turn *turn)
{
    const int fd = job->members_kept ? -1 : job->temp.fd; /* the temporary file became the stored one */
    const struct profile_id id = profile_id_of(&m->record);
    struct profile_use use;
    struct diag diag = {0};

    const struct shared_profile *profile = profiles_get(job->service->profiles, &id, fd, turn, &use, &diag);
    take_member(job, m, profile, &diag);
    profiles_release(job->service->profiles, &use);
}

/* Whether to go on. What ends it before all are kept is told to the client. */
static bool goes_on(struct job *job)
{
    struct diag unheard = {0}, *diag = job->members_kept ? &unheard : &job->result.diag;

    return service_goes_on(job->service, diag) && job_is_wanted(job, diag);
}

/* Before they are kept, those that were not recognised; all others behind that. False: goes_on. */
static bool read_members(struct job *job, struct turn *turn)
{
    turn_take(turn);
    for (size_t i = 0; i < job->n_members; i++) {
        struct job_member *m = &job->members[i];
        if (m->read || m->diag.kind != DIAG_NONE || (!job->members_kept && m->record.format[0] != '\0'))
            continue;
        if (!goes_on(job))
            return false;
        read_member(job, m, turn);
        turn_next(turn);
    }
    return goes_on(job);
}

static void list_members(struct job *job, struct turn *turn)
{
    turn_give(turn);
    for (size_t i = 0; i < job->n_members && stop_asked(&job->stop) == STOP_NONE; i++)
        if (job->members[i].diag.kind == DIAG_NONE)
            job_list(job, &job->members[i].record, turn);
}

/* All were read; or the service stops, or the client has left. If none can be used, and nobody was told
 * so, all records are withdrawn already. */
static void end_members(struct job *job)
{
    for (size_t i = 0; i < job->n_members; i++)
        end_progress(job, &job->members[i]);
    bool none = job->members_kept && !any_is_good(job);
    pthread_mutex_lock(&job->lock);
    if (none) {
        refuse_all(job, &job->result.diag);
        job->kept = job->members_kept = false;
    }
    pthread_mutex_unlock(&job->lock);
    job_answer(job);
}

/* ---- the list ---- */

/* `report.zip/logs/app.trace` */
static bool name_record(struct record *r, const char *archive, const char *member)
{
    struct buf name = {0};

    buf_printf(&name, "%s%s%s", archive, archive[0] == '\0' ? "" : "/", member);
    bool ok = !name.failed && record_set_name(r, buf_view(&name));
    buf_free(&name);
    return ok;
}

static bool take_list(struct job *job, const struct archive_members *list)
{
    const struct record *whole = &job->result.record;
    bool ok = true;

    job->members = calloc(list->n, sizeof(*job->members));
    for (size_t i = 0; i < list->n && ok && job->members != NULL; i++) {
        struct record *r = &job->members[i].record;
        *r = *whole;
        ok = job_new_id(r, &job->result.diag);
        memcpy(r->member, list->list[i].choice, sizeof(r->member));
        if (list->list[i].format == NULL)
            continue;
        job->members[i].format_label = list->list[i].format->label;
        snprintf(r->format, sizeof(r->format), "%s", list->list[i].format->name);
        const struct archive_member *one = &list->list[i];
        ok = ok && name_record(r, whole->name, one->title[0] != '\0' ? one->title : one->name);
    }
    if (job->members == NULL || !ok)
        return job->result.diag.kind == DIAG_NONE &&
               diag_no_memory(&job->result.diag, "No memory for the files of the archive.");
    job->n_members = list->n;
    job->result.members_left_out = list->left_out;
    job->result.archive_cut = list->cut;
    return true;
}

bool job_take_members(struct job *job, struct turn *turn)
{
    const struct service *service = job->service;
    struct archive_members list;
    enum archive_found found =
        archive_members_list(service->config, job->temp.fd, &job->stop, &list, &job->result.diag);
    bool some = found == ARCHIVE_LISTED && list.n > 0 && take_list(job, &list);

    if (found == ARCHIVE_LISTED)
        archive_members_free(&list);
    if (!some)
        return false;
    if (read_members(job, turn) && keep_all(job, turn) && read_members(job, turn))
        list_members(job, turn);
    end_members(job);
    return true;
}
