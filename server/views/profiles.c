#include "server/views/profiles.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/clock.h"
#include "core/system/once.h"
#include "core/system/threads.h"
#include "core/system/turns.h"
#include "server/convert/convert.h"
#include "server/convert/profile_id.h"
#include "server/figures/figures.h"
#include "server/service.h"
#include "server/store/record.h"
#include "server/store/store.h"

/* ---- side by side, in turns ---- */

/* Where pieces of a file are smaller, starting a thread and joining what it read costs more than it gains. */
enum { PIECE_BYTES = 4 << 20 };

/* While the asker waits for the others, its turn may be theirs. */
static void run_asker(void *of)
{
    struct turn_worker *w = of;

    w->job.run(w->job.of);
    turn_give(w->turn);
}

static void run_beside(void *of)
{
    struct turn_worker *w = of;
    int64_t begun_us = clock_thread_us();

    turn_take(&w->own);
    w->job.run(w->job.of);
    turn_give(&w->own);
    w->took_us += clock_thread_us() - begun_us;
}

static void run(const struct parallel *parallel, const struct parallel_job *jobs, unsigned n)
{
    struct turn_parallel *p = (struct turn_parallel *)(uintptr_t)parallel; /* its first member */
    struct parallel_job workers[PARALLEL_JOBS_MAX] = {{run_asker, &p->workers[0]}};
    const struct turn *asker = p->workers[0].turn;

    p->workers[0].job = jobs[0];
    for (unsigned i = 1; i < n; i++) {
        struct turn_worker *w = &p->workers[i];
        w->job = jobs[i];
        turn_init(&w->own, asker->turns, asker->place.turn_class, asker->place.owner, asker->stop);
        workers[i] = (struct parallel_job){run_beside, w};
    }
    threads_parallel(workers, n);
    for (unsigned i = 1; i < n; i++)
        turn_end(&p->workers[i].own);
    turn_take(p->workers[0].turn);
}

/* The asker's turn, and those that are free. */
static unsigned turns_for(struct turns *turns)
{
    unsigned workers = turns_workers(turns), busy = turns_busy(turns);
    unsigned n = turns_waiting(turns) > 0 || busy >= workers ? 1 : 1 + workers - busy;

    return n < PARALLEL_JOBS_MAX ? n : PARALLEL_JOBS_MAX;
}

void turn_parallel_init(struct turn_parallel *p, struct turn *turn)
{
    p->parallel = (struct parallel){turns_for(turn->turns), PIECE_BYTES, run};
    for (unsigned i = 0; i < p->parallel.jobs; i++) {
        struct turn_worker *w = &p->workers[i];
        *w = (struct turn_worker){.turn = i == 0 ? turn : &w->own};
    }
}

/* Processor time of the other threads, in microseconds. */
static int64_t turn_parallel_beside_us(const struct turn_parallel *p)
{
    int64_t us = 0;

    for (unsigned i = 1; i < p->parallel.jobs; i++)
        us += p->workers[i].took_us;
    return us;
}

/* ---- reading in turns ---- */

static ptrdiff_t read_at(void *context, uint64_t at, void *to, size_t n)
{
    struct turn_reader *r = context;
    const struct source_input in = readable_input(&r->file);

    turn_next(r->turn);
    return in.read_at(in.context, at, to, n);
}

static bool size_of(void *context, uint64_t *bytes)
{
    struct turn_reader *r = context;
    const struct source_input in = readable_input(&r->file);

    return in.size(in.context, bytes);
}

void turn_file_open(struct turn_file *f, int fd, struct turn *turn, const struct stop *stop)
{
    turn_parallel_init(&f->threads, turn);
    for (unsigned i = 0; i < f->threads.parallel.jobs; i++) {
        f->readers[i] =
            (struct turn_reader){.file = {.fd = fd, .stop = stop}, .turn = f->threads.workers[i].turn};
        *(i == 0 ? &f->in : &f->beside[i - 1]) =
            (struct source_input){.read_at = read_at, .size = size_of, .context = &f->readers[i]};
    }
    f->in.beside = f->beside;
}

/* ---- names that were stored ---- */

static bool use(struct conversion *conversion, enum record_names_file which, int fd, struct diag *diag)
{
    return which == RECORD_SYMBOLS ? conversion_symbols(conversion, fd, STR(""), diag)
                                   : conversion_map(conversion, fd, STR(""), diag);
}

bool stored_names_use(const struct service *service, const struct record_names *names,
                      struct conversion *conversion, struct diag *diag)
{
    uint64_t bytes;
    bool ok = true;

    for (int i = 0; ok && i < RECORD_NAMES_FILES; i++) {
        if (names->of[i][0] == '\0')
            continue;
        int fd =
            store_access_names(service->store, service->log, names, (enum record_names_file)i, &bytes, diag);
        ok = fd >= 0 && use(conversion, (enum record_names_file)i, fd, diag);
        if (fd >= 0)
            close(fd);
    }
    return ok;
}

/* ---- profiles ---- */

struct profile_thing {
    struct once_thing once; /* first */
    struct profile_id id;
    struct profile_use whole; /* of a window: what it is a window of */
    struct turn slot; /* one of profiles.slots: the maker's until has_slot, and protected by the lock then */
    bool with_calls;  /* Its reading writes the log of calls. Of who reads it. */
    /* Protected by profiles.lock. */
    unsigned waited; /* uses by who waited for it */
    bool has_slot;
    int64_t used_ms; /* monotonic: when it was last asked for or released */
};

struct profiles {
    const struct service *service;
    struct once *once;
    /* Logs that are in the making, by the address of the profile; made ones are the profile's. */
    struct once *logs;
    struct turns *slots; /* config->folds of them */
    /* Of what follows; may be taken under the lock of the once, not the other way round. */
    pthread_mutex_t lock;
    unsigned wanting;                      /* readings that take a slot, or wait for one */
    const struct profile_thing *last_used; /* among profiles larger than the cache; only compared */
};

/* ---- slots ---- */

/* Under the lock. */
static void leave_slot(struct profile_thing *t)
{
    if (t->has_slot)
        turn_give(&t->slot);
    t->has_slot = false;
}

/* Waits for its turn among those who want one. False: the stop was asked. A profile that lingers gives its slot. */
static bool take_slot(struct profiles *p, struct profile_thing *t, struct turn *turn)
{
    pthread_mutex_lock(&p->lock);
    p->wanting++;
    pthread_mutex_unlock(&p->lock);
    if (!turn_try(&t->slot)) {
        turn_give(turn);
        once_trim(p->once);
        t->slot.place.owner = turn->place.owner;
        turn_take(&t->slot);
        turn_take(turn);
    }
    pthread_mutex_lock(&p->lock);
    p->wanting--;
    bool has = t->has_slot = t->slot.held != TURN_NONE;
    pthread_mutex_unlock(&p->lock);
    return has;
}

/* ---- what stays: called by the once ---- */

static bool is_large(const struct profiles *p, const struct profile_thing *t)
{
    return t->once.bytes > p->service->config->profile_cache_bytes;
}

/* Whether a large profile that nobody uses may stay for now. It keeps or takes a slot, since its memory is
 * that of a reading; it does not if somebody waits for one. */
static bool lingers(void *profiles, struct once_thing *thing)
{
    struct profiles *p = profiles;
    struct profile_thing *t = (struct profile_thing *)thing; /* its first member */

    pthread_mutex_lock(&p->lock);
    bool stays = p->service->config->profile_cache_bytes > 0 && p->last_used == t &&
                 clock_ms() - t->used_ms < PROFILES_LINGER_S * 1000 && p->wanting == 0 &&
                 (t->has_slot || turn_try(&t->slot));
    t->has_slot = t->has_slot || stays;
    pthread_mutex_unlock(&p->lock);
    return stays;
}

static void end_thing(void *profiles, struct once_thing *thing)
{
    struct profiles *p = profiles;
    struct profile_thing *t = (struct profile_thing *)thing;

    shared_profile_free(thing->value);
    turn_end(&t->slot);
    if (t->whole.thing != NULL)
        once_let_go(p->once, &t->whole.thing->once);
}

static void end_log(void *context, struct once_thing *thing)
{
    (void)context;
    (void)thing;
}

struct profiles *profiles_new(const struct service *service)
{
    struct profiles *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    const struct once_kind kind = {sizeof(struct profile_thing), end_thing, lingers, p};
    p->service = service;
    p->once = once_new(&kind, &service->config->profile_cache_bytes);
    p->logs = once_new(&(struct once_kind){.thing_bytes = sizeof(struct once_thing), .end = end_log},
                       &service->config->profile_cache_bytes);
    p->slots = turns_new(
        service->config->folds > 0 ? (unsigned)service->config->folds : turns_workers(service->turns), false);
    pthread_mutex_init(&p->lock, NULL);
    if (p->once != NULL && p->logs != NULL && p->slots != NULL)
        return p;
    profiles_free(p);
    return NULL;
}

void profiles_free(struct profiles *p)
{
    if (p == NULL)
        return;
    once_free(p->logs);
    once_free(p->once);
    turns_free(p->slots);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

struct once_counts profiles_counts(struct profiles *p)
{
    return once_counts(p->once);
}

void profiles_tick(struct profiles *p)
{
    once_trim(p->once);
}

/* ---- reading ---- */

/* `alone`: on this thread only. *beside_us: processor time of others. */
static struct shared_profile *profile_read(struct conversion *conversion, int fd, struct turn *turn,
                                           const struct stop *stop, bool alone, int64_t *beside_us,
                                           struct diag *diag)
{
    struct turn_file file;

    turn_file_open(&file, fd, turn, stop);
    if (!alone)
        conversion_parallel(conversion, &file.threads.parallel);
    conversion_stop(conversion, stop);
    struct shared_profile *made = conversion_read(conversion, &file.in, diag);
    if (made == NULL && file.readers[0].file.diag.kind != DIAG_NONE)
        *diag = file.readers[0].file.diag; /* knows more than that it could not be read */
    *beside_us = turn_parallel_beside_us(&file.threads);
    return made;
}

/* The log of calls, in turns. */
static bool read_log(const struct profile_source *s, const struct stop *stop, struct diag *diag)
{
    struct turn_file file;

    turn_file_open(&file, s->source.fd, s->turn, stop);
    bool ok = profile_log_read(&s->source, &file.in, &file.threads.parallel, stop, diag);
    if (!ok && file.readers[0].file.diag.kind != DIAG_NONE)
        *diag = file.readers[0].file.diag;
    return ok;
}

static struct conversion *begin_reading(const struct service *s, const struct profile_id *id,
                                        struct diag *diag)
{
    struct conversion *conversion = conversion_new(s->config);

    if (conversion == NULL) {
        diag_no_memory(diag, "No memory is left to read the upload.");
        return NULL;
    }
    conversion_choose(conversion, id->member);
    conversion_split(conversion, id->split);
    if (stored_names_use(s, &id->names, conversion, diag))
        return conversion;
    conversion_abandon(conversion);
    return NULL;
}

static void log_reading(const struct profiles *p, const struct profile_id *id, const char *event,
                        const char *from, const struct shared_profile *made, int64_t begun_ms)
{
    char source[RECORD_SHA256_CHARS + 1];

    profile_id_source(id, source);
    LOG(p->service->log, LOG_INFO, event, LOG_STR("source", str_of(source)), LOG_STR("from", str_of(from)),
        LOG_U64("bytes", made == NULL ? 0 : shared_profile_bytes(made)), LOG_U64("failed", made == NULL),
        LOG_U64("ms", (uint64_t)(clock_ms() - begun_ms)));
}

/* ---- logs of calls ---- */

static void make_log(const struct profile_source *s, struct once_thing *t)
{
    enum turn_class before = s->turn->place.turn_class;
    const struct shared_profile *whole = shared_profile_whole(s->source.profile);
    bool ok;

    t->stop.above = s->source.stop;
    turn_set_class(s->turn, TURN_INPUT);
    do {
        struct diag diag = {0};
        int64_t begun_ms = clock_ms();
        ok = read_log(s, &t->stop, &diag);
        t->diag = diag;
        log_reading(s->profiles, &s->id, "calls-read", "store", ok ? whole : NULL, begun_ms);
    } while (!once_end(s->profiles->logs, t, ok ? (void *)(uintptr_t)whole : NULL, 0));
    turn_set_class(s->turn, before);
}

static bool make_log_once(void *source, const struct convert_source *from, struct diag *diag)
{
    struct profile_source *s = source;
    const struct shared_profile *whole = shared_profile_whole(from->profile);
    const struct str key = {(const char *)&whole, sizeof(whole)};
    bool begins, decided = true;
    struct once_thing *t = once_enter(s->profiles->logs, key, NULL, &begins);

    if (t == NULL)
        return diag_no_memory(diag, "No memory is left to read the upload.");
    if (begins)
        make_log(s, t);
    else
        decided = once_wait(s->profiles->logs, t, s->turn);
    bool made = decided && t->value != NULL;
    if (!decided)
        stop_say(s->turn->stop, diag);
    else if (!made)
        *diag = t->diag;
    once_release(s->profiles->logs, t);
    turn_parallel_init(&s->threads, s->turn); /* by now other turns are free */
    return made;
}

void profiles_source(struct profiles *p, const struct profile_use *use, int fd, struct turn *turn,
                     const struct stop *stop, struct profile_source *source)
{
    *source = (struct profile_source){.source = {use->profile, p->service->config, fd, stop,
                                                 &source->threads.parallel, make_log_once, source},
                                      .profiles = p,
                                      .turn = turn,
                                      .id = profile_id_whole(&use->thing->id)};
    turn_parallel_init(&source->threads, turn);
}

/* ---- reading: the whole, or a window ---- */

/* Gives the turn meanwhile: the bytes may come over a network. -1: diag. */
static int open_stored(const struct service *s, const struct profile_id *id, struct turn *turn,
                       uint64_t *bytes, struct diag *diag)
{
    if (!store_is_remote(s->store))
        return store_access_bytes(s->store, s->log, id->upload, id->sha256, bytes, diag);
    turn_give(turn);
    int fd = store_access_bytes(s->store, s->log, id->upload, id->sha256, bytes, diag);
    turn_take(turn);
    return fd;
}

/* `fd`: the bytes, or -1: they are in the store. An upload that reads its own bytes does so alone: how much of a processor
 * it may take is counted on its thread (upload/work_limit.h). NULL: diag. */
static struct shared_profile *read_whole(struct profiles *p, struct profile_thing *t, int fd,
                                         struct turn *turn, struct diag *diag)
{
    const struct service *s = p->service;
    int64_t begun_ms = clock_ms();
    struct shared_profile *made = NULL;
    uint64_t bytes;
    int64_t begun_us = clock_thread_us(), beside_us = 0;
    int from = fd >= 0 ? fd : open_stored(s, &t->id, turn, &bytes, diag);
    struct conversion *conversion = from < 0 ? NULL : begin_reading(s, &t->id, diag);

    if (conversion != NULL && t->with_calls)
        conversion_may_keep_log(conversion, (size_t)s->config->job_memory_bytes);
    if (conversion != NULL)
        made = profile_read(conversion, from, turn, &t->once.stop, fd >= 0, &beside_us, diag);
    if (from >= 0 && from != fd)
        close(from);
    if (made != NULL)
        figures_reading(s->figures, shared_profile_get(made)->format,
                        (uint64_t)(clock_thread_us() - begun_us + beside_us));
    log_reading(p, &t->id, "folded", fd >= 0 ? "spool" : "store", made, begun_ms);
    return made;
}

/* Its slot was for the memory of who waits for a reading, and is free from then on: a window is kept
 * longer than that. */
static struct shared_profile *read_window(struct profiles *p, struct profile_thing *t, struct turn *turn,
                                          struct diag *diag)
{
    const struct service *s = p->service;
    const struct profile_id whole = profile_id_whole(&t->id);
    int64_t begun_ms = clock_ms();
    struct shared_profile *made = NULL;
    uint64_t bytes;

    if (t->whole.profile == NULL && profiles_get(p, &whole, -1, true, turn, &t->whole, diag) == NULL)
        return NULL;
    profiles_give_slot(p, &t->whole);
    int fd = open_stored(s, &t->id, turn, &bytes, diag);
    if (fd >= 0) {
        struct profile_source source;
        profiles_source(p, &t->whole, fd, turn, &t->once.stop, &source);
        made = convert_window(&source.source, &t->id.window, diag);
        close(fd);
    }
    log_reading(p, &t->id, "window", "store", made, begun_ms);
    return made;
}

/* One reading, which takes a slot if it reads from the store. */
static struct shared_profile *read_once(struct profiles *p, struct profile_thing *t, int fd,
                                        struct turn *turn, struct diag *diag)
{
    struct shared_profile *made = NULL;

    if (profile_id_has_window(&t->id))
        return read_window(p, t, turn, diag);
    if (fd >= 0)
        return read_whole(p, t, fd, turn, diag);
    if (!take_slot(p, t, turn))
        stop_say(&t->once.stop, diag);
    else if (!once_decided(p->once, &t->once)) /* an upload may have brought it meanwhile */
        made = read_whole(p, t, -1, turn, diag);
    if (made == NULL) {
        pthread_mutex_lock(&p->lock);
        leave_slot(t);
        pthread_mutex_unlock(&p->lock);
    }
    return made;
}

static bool end_reading(struct profiles *p, struct profile_thing *t, struct shared_profile *made)
{
    uint64_t bytes = made == NULL ? 0 : shared_profile_bytes(made);

    /* A window of what is larger than all room goes with its last use. */
    if (made != NULL && (t->whole.thing == NULL || !is_large(p, t->whole.thing)))
        once_keep(p->once, &t->once);
    bool ended = once_end(p->once, &t->once, made, bytes);
    if (ended && t->once.value != made)
        shared_profile_free(made);
    return ended;
}

/* A long reading is no short work, whoever waits for it. While others wait for it, too, it goes on without
 * the maker's client. */
static void make(struct profiles *p, struct profile_thing *t, int fd, struct turn *turn)
{
    enum turn_class before = turn->place.turn_class;
    const struct stop *own = turn->stop;
    struct shared_profile *made;

    t->once.stop.above = own;
    turn->stop = &t->once.stop;
    if (fd < 0)
        turn_set_class(turn, TURN_INPUT);
    do {
        struct diag diag = {0};
        made = read_once(p, t, fd, turn, &diag);
        if (made == NULL && !once_decided(p->once, &t->once))
            t->once.diag = diag;
    } while (!end_reading(p, t, made));
    turn->stop = own;
    turn_set_class(turn, before);
}

/* ---- asking ---- */

static struct profile_thing *enter(struct profiles *p, const struct profile_id *id, bool *begins,
                                   struct diag *diag)
{
    struct buf key = {0};
    struct profile_thing *t = NULL;

    profile_id_canonical(id, &key);
    if (!key.failed)
        t = (struct profile_thing *)once_enter(p->once, buf_view(&key), NULL, begins);
    buf_free(&key);
    if (t == NULL) {
        diag_no_memory(diag, "No memory is left to read the upload.");
    } else if (*begins) {
        t->id = *id;
        turn_init(&t->slot, p->slots, TURN_INPUT, NULL, &t->once.stop);
    }
    return t;
}

bool profiles_has(struct profiles *p, const struct profile_id *id)
{
    struct once_thing *t = NULL;
    struct buf key = {0};

    profile_id_canonical(id, &key);
    if (!key.failed)
        t = once_look(p->once, buf_view(&key));
    buf_free(&key);
    if (t != NULL)
        once_let_go(p->once, t);
    return t != NULL;
}

/* Counts the use, of a thing that is there or will be. */
static void begin_use(struct profiles *p, struct profile_thing *t, struct profile_use *use, bool waits)
{
    *use = (struct profile_use){.thing = t, .waited = waits};
    pthread_mutex_lock(&p->lock);
    t->waited += waits;
    t->used_ms = clock_ms();
    pthread_mutex_unlock(&p->lock);
}

static const struct shared_profile *settle(struct profiles *p, struct profile_use *use, bool decided,
                                           const struct turn *turn, struct diag *diag)
{
    use->profile = decided ? use->thing->once.value : NULL;
    if (use->profile != NULL)
        return use->profile;
    if (decided)
        *diag = use->thing->once.diag;
    else
        stop_say(turn->stop, diag);
    profiles_release(p, use);
    return NULL;
}

/* *again: the reading that this waited for was of another upload with the same bytes, which was deleted meanwhile. */
static const struct shared_profile *get_once(struct profiles *p, const struct profile_id *id, int fd,
                                             bool with_calls, struct turn *turn, struct profile_use *use,
                                             struct diag *diag, bool *again)
{
    bool begins, decided = true;
    struct profile_thing *t = enter(p, id, &begins, diag);

    *use = (struct profile_use){.thing = NULL};
    *again = false;
    if (t == NULL)
        return NULL;
    figures_look(p->service->figures, CACHE_PROFILES, !begins);
    begin_use(p, t, use, begins || !once_decided(p->once, &t->once));
    if (begins) {
        t->with_calls = with_calls;
        make(p, t, fd, turn);
    } else if (use->waited) {
        decided = once_wait(p->once, &t->once, turn);
        *again = decided && t->once.value == NULL && t->once.diag.kind == DIAG_GONE &&
                 strcmp(t->id.upload, id->upload) != 0;
    }
    return settle(p, use, decided, turn, diag);
}

const struct shared_profile *profiles_get(struct profiles *p, const struct profile_id *id, int fd,
                                          bool with_calls, struct turn *turn, struct profile_use *use,
                                          struct diag *diag)
{
    const struct shared_profile *profile;
    bool again;

    do {
        *diag = (struct diag){0};
        profile = get_once(p, id, fd, with_calls, turn, use, diag, &again);
    } while (again);
    return profile;
}

bool profiles_make_log(struct profiles *p, const struct profile_id *id, struct turn *turn, struct diag *diag)
{
    struct profile_source source;
    struct profile_use use;
    uint64_t bytes;
    bool ok = false;

    if (profiles_get(p, id, -1, true, turn, &use, diag) == NULL)
        return false;
    int fd = shared_profile_get(use.profile)->timed ? open_stored(p->service, id, turn, &bytes, diag) : -1;
    if (fd >= 0) {
        profiles_source(p, &use, fd, turn, turn->stop, &source);
        ok = profile_log_make(&source.source, diag);
        close(fd);
    }
    profiles_release(p, &use);
    return ok;
}

const struct shared_profile *profiles_put(struct profiles *p, const struct profile_id *id,
                                          struct shared_profile *made, struct profile_use *use,
                                          struct diag *diag)
{
    bool begins;
    struct profile_thing *t = enter(p, id, &begins, diag);

    *use = (struct profile_use){.thing = NULL};
    if (t == NULL) {
        shared_profile_free(made);
        return NULL;
    }
    log_reading(p, id, "folded", "arrival", made, clock_ms());
    begin_use(p, t, use, false);
    (void)end_reading(p, t, made);
    return use->profile = t->once.value;
}

/* What is kept counts as such; what is larger is in use by those who have waited for it. */
void profiles_give_slot(struct profiles *p, struct profile_use *use)
{
    if (use->thing == NULL || !use->waited)
        return;
    pthread_mutex_lock(&p->lock);
    use->thing->waited--;
    use->waited = false;
    leave_slot(use->thing);
    pthread_mutex_unlock(&p->lock);
}

void profiles_release(struct profiles *p, struct profile_use *use)
{
    struct profile_thing *t = use->thing;

    if (t == NULL)
        return;
    /* A log of calls may have been made for it meanwhile. */
    if (use->profile != NULL)
        once_resize(p->once, &t->once, shared_profile_bytes(use->profile));
    pthread_mutex_lock(&p->lock);
    t->waited -= use->waited;
    t->used_ms = clock_ms();
    if (use->profile != NULL && is_large(p, t))
        p->last_used = t;
    if (t->waited == 0 && !is_large(p, t))
        leave_slot(t);
    pthread_mutex_unlock(&p->lock);
    *use = (struct profile_use){.thing = NULL};
    once_release(p->once, &t->once);
}
