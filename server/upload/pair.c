#include "server/upload/pair.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "server/store/store_access.h"
#include "server/store/sweep.h"

enum { PIECE_BYTES = 16 << 10 };

static enum pair_half other(enum pair_half half)
{
    return half == PAIR_KEY ? PAIR_DATA : PAIR_KEY;
}

void pair_init(struct pair *p, struct job *job, const struct service *service)
{
    *p = (struct pair){.job = job, .service = service};
}

void pair_free(struct pair *p)
{
    if (p->service != NULL)
        store_temp_discard(p->service->store, &p->held);
    buf_free(&p->next);
    buf_free(&p->unheld);
}

bool pair_seen(const struct pair *p)
{
    return p->file[PAIR_KEY].seen || p->file[PAIR_DATA].seen;
}

static uint64_t held_left(const struct pair *p)
{
    return (uint64_t)p->held.written - p->held_sent;
}

uint64_t pair_waiting_bytes(const struct pair *p)
{
    return held_left(p) + p->unheld.n + p->next.n;
}

/* ---- what arrives ---- */

static enum two_files_kind kind_of(const struct pair_file *f)
{
    return two_files_kind(f->head, f->head_bytes);
}

static bool keep(struct buf *b, const char *bytes, size_t n, struct diag *diag)
{
    buf_bytes(b, bytes, n);
    return !b->failed || diag_no_memory(diag, "No memory to take more of the upload.");
}

static enum store_result write_held(struct pair *p, const char *bytes, size_t n)
{
    enum store_result result = p->held.open ? STORE_OK : store_temp_open(p->service->store, &p->held);

    return result == STORE_OK ? store_temp_write(&p->held, bytes, n) : result;
}

static bool hold(struct pair *p, const char *bytes, size_t n, struct diag *diag)
{
    enum store_result result = p->unheld.n > 0 ? STORE_FULL : write_held(p, bytes, n);

    /* No more than what one piece of the body holds: pair_go_on() has to write it before the next one is taken. */
    if (result == STORE_FULL)
        return keep(&p->unheld, bytes, n, diag);
    if (result != STORE_OK)
        store_access_failed(p->service->log, result, "stored", diag);
    return result == STORE_OK;
}

static bool pass(struct pair *p, const char *bytes, size_t n, struct diag *diag)
{
    return p->sending ? keep(&p->next, bytes, n, diag) : job_push(p->job, bytes, n);
}

/* Where the file that arrives goes, now that its kind is known. The whole is
 *
 *     key, data                  of a trace in two files
 *     stream, joint, summary     of a streaming trace, whose summary comes as the key; the joint says how long that is
 *
 * What is first in the whole goes on at once when it is known to be first; everything else is held:
 *
 *     key first        held, as nobody knows yet whether it is a summary
 *     data first       held until the key has come; a stream goes on
 *     key behind data  goes on in front of the held data; a summary is held until its length is known
 *     data behind key  goes on behind the held key; a stream in front of it
 */
static bool decide(struct pair *p, struct diag *diag)
{
    struct pair_file *f = &p->file[p->at], *before = &p->file[other(p->at)];
    bool stream = kind_of(&p->file[PAIR_DATA]) == TWO_FILES_STREAM;

    if (before->seen) {
        p->matched = two_files_match(kind_of(&p->file[PAIR_KEY]), kind_of(&p->file[PAIR_DATA]), diag);
        if (!p->matched)
            return false;
    }
    if (p->at == PAIR_KEY)
        f->way = !before->seen || stream ? PAIR_HELD : PAIR_PASSED;
    else
        f->way = before->seen || kind_of(f) != TWO_FILES_DATA ? PAIR_PASSED : PAIR_HELD;
    if (p->at == PAIR_KEY || !before->seen || stream)
        return true;
    p->sending = true;
    return two_files_check_key_end(before->tail, before->tail_bytes, diag);
}

static void keep_tail(struct pair_file *f, const char *bytes, size_t n)
{
    if (n >= sizeof(f->tail)) {
        f->tail_bytes = sizeof(f->tail);
        memcpy(f->tail, bytes + n - sizeof(f->tail), sizeof(f->tail));
        return;
    }
    size_t kept = sizeof(f->tail) - n < f->tail_bytes ? sizeof(f->tail) - n : f->tail_bytes;
    memmove(f->tail, f->tail + f->tail_bytes - kept, kept);
    memcpy(f->tail + kept, bytes, n);
    f->tail_bytes = kept + n;
}

static bool put(struct pair *p, const char *bytes, size_t n, struct diag *diag)
{
    return p->file[p->at].way == PAIR_HELD ? hold(p, bytes, n, diag) : pass(p, bytes, n, diag);
}

/* What was kept back until the kind was known is all in the head. */
static bool settle(struct pair *p, struct diag *diag)
{
    struct pair_file *f = &p->file[p->at];

    return decide(p, diag) && (f->head_bytes == 0 || put(p, (const char *)f->head, f->head_bytes, diag));
}

bool pair_begin(struct pair *p, enum pair_half half, struct diag *diag)
{
    p->at = half;
    if (!p->file[half].seen)
        return true;
    diag_set(diag, DIAG_USAGE, "more than one file", TWO_FILES_HINT, "The form has the field %s twice.",
             half == PAIR_KEY ? "key" : "data");
    diag->topic = DIAG_ABOUT_TWO_FILES;
    return false;
}

bool pair_data(struct pair *p, const char *bytes, size_t n, struct diag *diag)
{
    struct pair_file *f = &p->file[p->at];
    size_t room = sizeof(f->head) - f->head_bytes, taken = n < room ? n : room;

    f->seen = true;
    f->bytes += n;
    keep_tail(f, bytes, n);
    memcpy(f->head + f->head_bytes, bytes, taken);
    f->head_bytes += taken;
    if (f->way == PAIR_UNDECIDED) {
        if (f->head_bytes < sizeof(f->head))
            return true;
        if (!settle(p, diag))
            return false;
    }
    return n == taken || put(p, bytes + taken, n - taken, diag);
}

bool pair_end(struct pair *p, bool named, struct diag *diag)
{
    struct pair_file *f = &p->file[p->at];

    f->seen = f->seen || named;
    return !f->seen || f->way != PAIR_UNDECIDED || settle(p, diag);
}

/* ---- a full disk ---- */

/* It takes seconds: nothing for a thread that serves connections. No lock is needed: only this task resumes the exchange,
 * which was suspended before the task was submitted, and one that waits for work does not end. */
static void make_room(struct task *task)
{
    struct pair_room *room = (struct pair_room *)task;

    room->made = sweep_make_room(room->sweep);
    exchange_resume(&room->wait);
}

static enum pair_step hold_rest(struct pair *p, struct exchange *x, struct diag *diag)
{
    struct pair_room *room = &p->room;
    bool asked = room->tries > 0;
    enum store_result result = STORE_FULL;

    if (p->unheld.n == 0)
        return PAIR_DONE;
    errno = ENOSPC;
    if (asked && room->made)
        result = write_held(p, p->unheld.p, p->unheld.n);
    if (result == STORE_OK) {
        buf_free(&p->unheld);
        room->tries = 0;
        return PAIR_DONE;
    }
    if (result != STORE_FULL || (asked && !room->made) || room->tries == SWEEP_ROOM_TRIES) {
        store_access_failed(p->service->log, result, "stored", diag);
        return PAIR_FAILED;
    }
    *room = (struct pair_room){.task.run = make_room,
                               .queue.task_class = TASK_SMALL,
                               .sweep = p->service->sweep,
                               .tries = room->tries + 1};
    exchange_wait_for_work(x, &room->wait);
    pool_submit(p->service->pool, &room->queue, &room->task);
    return PAIR_WAIT;
}

/* ---- the end ---- */

bool pair_finish(struct pair *p, struct diag *diag)
{
    const struct pair_file *key = &p->file[PAIR_KEY];

    if (key->bytes > UINT32_MAX)
        return two_files_key_too_large(diag);
    if (p->matched && kind_of(&p->file[PAIR_DATA]) == TWO_FILES_DATA &&
        !two_files_check_key_end(key->tail, key->tail_bytes, diag))
        return false;
    p->sending = true;
    return true;
}

static bool sends(const struct pair *p)
{
    return p->sending && held_left(p) + p->next.n > 0;
}

static bool send_joint(struct pair *p)
{
    uint8_t joint[TWO_FILES_JOINT_BYTES];
    bool needed = p->matched && !p->joined && kind_of(&p->file[PAIR_DATA]) == TWO_FILES_STREAM;

    p->joined = true;
    if (!needed)
        return true;
    two_files_joint(joint, (uint32_t)p->file[PAIR_KEY].bytes);
    return job_push(p->job, joint, sizeof(joint));
}

static bool send_held(struct pair *p, struct diag *diag)
{
    char piece[PIECE_BYTES];
    size_t want = held_left(p) < sizeof(piece) ? (size_t)held_left(p) : sizeof(piece);
    ssize_t n = TEMP_FAILURE_RETRY(pread(p->held.fd, piece, want, (off_t)p->held_sent));

    if (n <= 0) {
        store_access_failed(p->service->log, STORE_FAILED, "stored", diag);
        return false;
    }
    p->held_sent += (uint64_t)n;
    return job_push(p->job, piece, (size_t)n);
}

enum pair_step pair_go_on(struct pair *p, struct exchange *x, struct diag *diag)
{
    enum pair_step held = hold_rest(p, x, diag);

    if (held != PAIR_DONE)
        return held;
    while (sends(p)) {
        if (!job_ready(p->job, x))
            return PAIR_WAIT;
        if (held_left(p) > 0) {
            if (!send_joint(p) || !send_held(p, diag))
                return PAIR_FAILED;
            continue;
        }
        bool taken = job_push(p->job, p->next.p, p->next.n);
        buf_free(&p->next);
        if (!taken)
            return PAIR_FAILED;
    }
    p->sending = false;
    return PAIR_DONE;
}
