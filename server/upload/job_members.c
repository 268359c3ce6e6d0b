/* An archive of which each member that is read here becomes a result, in place of what job_finish.c does with one file:
 *
 *     job_begin_members   lists the members; those that cannot be looked into are read at once, to say why
 *     keep_all            the archive's bytes, once, and a record for each member that a format has recognised
 *     member_ready        once for each of them, when its profile is there or was refused
 *     end_members         when all were read
 *
 * So the upload is durable before its members are read, and can be answered then, as one of a single file can before its views are
 * made. A member whose profile is refused is withdrawn again, and told of in its diag; unless its link was told before: then the link
 * stays, and says what is wrong. A client that leaves before its answer leaves nothing behind (job_withdraw). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/convert/archive_members.h"
#include "server/store/sweep.h"
#include "server/upload/job_impl.h"

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

/* Every record refers to the bytes and to the mapping by a ref of its own. */
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

/* Bytes without a record are removed. False: result.diag, and nothing is kept. */
static bool keep_all(struct job *job)
{
    struct diag *diag = &job->result.diag;

    if (!any_is_good(job)) {
        refuse_all(job, diag);
        return false;
    }
    if (!job_keep_bytes(job))
        return false;
    if (job_new_token(job, &job->result.record)) {
        keep_records(job);
        if (!any_is_good(job))
            refuse_all(job, diag);
    }
    if (diag->kind != DIAG_NONE) {
        sweep_content_ended(job->service->sweep, job->result.record.sha256);
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

/* ---- the end ---- */

static void end_progress(struct job *job, struct job_member *m)
{
    pthread_mutex_lock(&job->lock);
    struct progress *progress = m->progress;
    m->progress = NULL;
    pthread_mutex_unlock(&job->lock);
    progress_end(progress);
}

/* All were read; or the service stops, or the client has left. If none can be used, and nobody was told so, all records are withdrawn
 * already. */
static void end_members(struct job *job)
{
    for (size_t i = 0; i < job->n_members; i++)
        end_progress(job, &job->members[i]);
    bool none = job->members_kept && !any_is_good(job);
    if (none)
        sweep_content_ended(job->service->sweep, job->result.record.sha256);
    pthread_mutex_lock(&job->lock);
    if (none) {
        refuse_all(job, &job->result.diag);
        job->kept = job->members_kept = false;
    }
    pthread_mutex_unlock(&job->lock);
    job_complete(job);
}

/* ---- each member ---- */

/* The profile of the one at hand is there, or was refused: nobody needs it any more. */
static void take_member(struct job *job)
{
    struct job_member *m = &job->members[job->member];
    struct record *r = &m->record;
    bool refused = job->need.profile == NULL, withdrawn;

    if (!refused && !job->members_kept) {
        const struct profile *p = shared_profile_get(job->need.profile);
        memcpy(r->format, p->format.p, p->format.n < sizeof(r->format) ? p->format.n : sizeof(r->format) - 1);
    }
    pthread_mutex_lock(&job->lock);
    m->read = true;
    withdrawn = refused && !job->told;
    if (withdrawn)
        m->diag = job->member_diag;
    pthread_mutex_unlock(&job->lock);
    if (withdrawn && job->members_kept)
        (void)job_withdraw_record(job, r); /* else it stays until it expires: nobody knows its link */
    end_progress(job, m);
    profiles_release(job->service->profiles, &job->need);
}

/* The next one to be read; NULL: there is none. Before they are kept, those that were not recognised. */
static struct job_member *next_member(struct job *job)
{
    for (; job->member < job->n_members; job->member++) {
        struct job_member *m = &job->members[job->member];
        if (!m->read && m->diag.kind == DIAG_NONE && (job->members_kept || m->record.format[0] == '\0'))
            return m;
    }
    return NULL;
}

/* Whether to go on. What ends it before all are kept is told to the client. */
static bool goes_on(struct job *job)
{
    struct diag unheard = {0}, *diag = job->members_kept ? &unheard : &job->result.diag;

    return service_goes_on(job->service, diag) && job_is_wanted(job, diag);
}

static void member_ready(struct task *task);

static void go_on(struct job *job)
{
    while (goes_on(job)) {
        const struct job_member *m = next_member(job);
        if (m == NULL && (job->members_kept || !keep_all(job)))
            break;
        if (m == NULL) {
            job->member = 0;
            continue;
        }
        const struct record *r = &m->record;
        const int fd = job->members_kept ? -1 : job->temp.fd; /* the temporary file became the stored one */
        const struct profile_id id = profile_id_of(r);
        job->member_diag = (struct diag){0};
        job->need =
            (struct profile_need){.task = &job->finish, .queue = &job->queue, .diag = &job->member_diag};
        job->finish.run = member_ready;
        if (!profiles_get(job->service->profiles, &id, fd, &job->need))
            return;
        take_member(job);
    }
    end_members(job);
}

static void member_ready(struct task *task)
{
    struct job *job = (struct job *)((char *)task - offsetof(struct job, finish));

    take_member(job);
    go_on(job);
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
        memcpy(r->member, list->list[i].choice, sizeof(r->member));
        if (list->list[i].format == NULL)
            continue;
        job->members[i].format_label = list->list[i].format->label;
        snprintf(r->format, sizeof(r->format), "%s", list->list[i].format->name);
        ok = name_record(r, whole->name, list->list[i].name);
    }
    if (job->members == NULL || !ok)
        return diag_no_memory(&job->result.diag, "No memory for the files of the archive.");
    job->n_members = list->n;
    job->result.members_left_out = list->left_out;
    job->result.archive_cut = list->cut;
    return true;
}

bool job_begin_members(struct job *job)
{
    const struct service *service = job->service;
    struct archive_members list;
    enum archive_found found =
        archive_members_list(service->config, job->temp.fd, &service->stop, &list, &job->result.diag);
    bool some = found == ARCHIVE_LISTED && list.n > 0 && take_list(job, &list);

    if (found == ARCHIVE_LISTED)
        archive_members_free(&list);
    if (!some)
        return false;
    conversion_abandon(job->conversion);
    job->conversion = NULL;
    go_on(job);
    return true;
}
