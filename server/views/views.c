#include "server/views/views.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/system/clock.h"
#include "core/system/folder.h"
#include "core/system/random_bytes.h"
#include "core/system/threads.h"
#include "core/system/timer.h"
#include "core/system/turns.h"
#include "server/convert/profile_id.h"
#include "server/convert/report.h"
#include "server/convert/summary.h"
#include "server/figures/figures.h"
#include "server/http/clients.h"
#include "server/http/exchange.h"
#include "server/http/message/accept.h"
#include "server/service.h"
#include "server/store/record.h"
#include "server/store/sweep.h"
#include "server/views/profiles.h"
#include "server/views/shared_views.h"

enum {
    MEMORY_SHARE = 8,       /* the part of memory that one view may take */
    LIGHT_BYTES = 256 << 10 /* A view that is larger is for the store, of whatever upload it is. */
};

/* ---- reading ---- */

struct shared_bytes *view_read_object(int fd, uint64_t bytes)
{
    struct buf text = {0};
    bool ok =
        bytes < SIZE_MAX && buf_reserve(&text, (size_t)bytes + 1) && file_read_all(fd, (size_t)bytes, &text);

    text.failed = text.failed || !ok;
    return shared_bytes_new(&text);
}

/* ---- drawing ---- */

/* What is drawn: a profile in use, or a comparison, which has no upload of its own. */
struct drawn {
    const struct shared_profile *profile;
    const struct profile_use *use; /* NULL: it is a comparison */
    struct turn *turn;
};

/* With the upload's bytes, for what is made from the log of calls. False: diag. */
static bool open_source(struct service *s, const struct view_request *r, const struct drawn *d,
                        struct profile_source *source, struct diag *diag)
{
    uint64_t bytes;
    int fd = store_access_bytes(s->store, s->log, r->upload.upload, r->upload.sha256, &bytes, diag);

    if (fd >= 0)
        profiles_source(s->profiles, d->use, fd, d->turn, d->turn->stop, source);
    return fd >= 0;
}

static bool make_report(const struct convert_source *source, const struct view_request *r, struct buf *out,
                        struct diag *diag)
{
    const struct report_input in = {.source = *source,
                                    .view = &r->options,
                                    .request = &r->asked,
                                    .method = str_of(r->asked.method),
                                    .format = r->report->format};
    bool ok = r->report->make(&in, out, diag);

    if (ok)
        report_cut(r->report, &r->asked, out);
    return ok;
}

static bool render(struct service *s, const struct view_request *r, const struct drawn *d, struct buf *out,
                   struct diag *diag)
{
    struct profile_source source = {
        .source = {.profile = d->profile, .config = s->config, .fd = -1, .stop = d->turn->stop}};

    if (r->report == NULL && r->output == NULL)
        return summary_write(d->profile, out, diag);
    if (d->use != NULL && view_is_long(r) && !open_source(s, r, d, &source, diag))
        return false;
    bool ok = r->report != NULL ? make_report(&source.source, r, out, diag)
                                : convert_view(&source.source, r->output, &r->options, out, diag);
    if (source.source.fd >= 0)
        close(source.source.fd);
    return ok;
}

/* It would not drive out most of the others. */
static bool fits_in_memory(const struct service *s, uint64_t bytes)
{
    return bytes <= s->config->views_in_memory_bytes / MEMORY_SHARE;
}

/* And not for the store. */
static bool is_for_memory(const struct service *s, const struct view_request *r, uint64_t bytes)
{
    return r->is_light && bytes <= LIGHT_BYTES && fits_in_memory(s, bytes);
}

/* Puts bytes into the store, if they are for it and it takes them: if not, the view is made again next time.
 *
 * The upload may be deleted at any time, and this may then write a view behind the removal of its others. So its
 * tombstone is looked for after the write (record_is_gone). Where that takes the network, another machine may delete the
 * upload as well: what is left then is never shown, and goes as other views do that nobody uses. */
static void keep(struct service *s, const struct view_request *r, const char *key, struct str bytes)
{
    if (view_compares(r) || is_for_memory(s, r, bytes.n) || !sweep_take_view_room(s->sweep, bytes.n))
        return;
    /* Room was taken before: views that are written side by side must not pass the limit together. */
    struct local *local = store_local(s->store);
    enum store_result result = local_put(local, key, bytes, LOCAL_EVICTABLE);
    sweep_view_put(s->sweep, bytes.n, result == STORE_OK);
    if (result != STORE_OK && result != STORE_EXISTS)
        LOG(s->log, LOG_WARN, "view-not-kept", LOG_STR("key", str_of(key)),
            LOG_STR("why", str_of(store_reason(result))));
    if (result == STORE_OK && r->upload.upload[0] != '\0' && !store_is_remote(s->store) &&
        record_is_gone(s->store, r->upload.upload))
        local_delete(local, key);
}

static struct shared_bytes *draw(struct service *s, const struct view_request *r, const struct drawn *d,
                                 struct diag *diag)
{
    int64_t begun_ms = clock_ms();
    char key[VIEW_KEY_CHARS + 1];
    struct buf out = {0};

    if (!render(s, r, d, &out, diag)) {
        buf_free(&out);
        return NULL;
    }
    if (view_key(s, r, ENCODING_IDENTITY, key))
        keep(s, r, key, buf_view(&out));
    LOG(s->log, LOG_DEBUG, "drawn", LOG_STR("key", str_of(key)), LOG_U64("bytes", out.n),
        LOG_U64("ms", (uint64_t)(clock_ms() - begun_ms)));
    struct shared_bytes *bytes = shared_bytes_new(&out);
    if (bytes == NULL)
        diag_no_memory(diag, "No memory for the view.");
    return bytes;
}

/* The comparison is made for this view, and freed with it: making one takes a tenth of a reading. */
static struct shared_bytes *draw_comparison(struct service *s, const struct view_request *r,
                                            const struct shared_profile *const runs[2], struct turn *turn,
                                            struct diag *diag)
{
    struct view_request compared = *r;
    struct view_options of_b = r->options;

    diff_view_of_b(&r->asked.diff, &of_b);
    struct convert_runs both = {runs, 1, 1, r->options.open, view_moment(&r->options), view_moment(&of_b)};
    struct shared_profile *profile = convert_compare(s->config, &both, diag);
    if (profile == NULL)
        return NULL;
    convert_compared_options(&compared.options);
    compared.asked.diff.asked = &r->options;
    const struct drawn drawn = {profile, NULL, turn};
    struct shared_bytes *bytes = draw(s, &compared, &drawn, diag);
    shared_profile_free(profile);
    return bytes;
}

/* The view without coding, kept if it is for the store; of two profiles, where it compares. Gets them from the
 * profiles of the service. Ends soon after turn->stop was asked. NULL: diag.
 * Of two profiles the first one is used while the other one is read, but waits for no reading: its slot is free. */
static struct shared_bytes *view_draw(struct service *s, const struct view_request *r, struct turn *turn,
                                      struct diag *diag)
{
    const struct profile_id id = view_profile(r), other_id = view_other_profile(r);
    struct profile_use use = {0}, other = {0};
    struct shared_bytes *bytes = NULL;

    if (profiles_get(s->profiles, &id, -1, view_is_long(r) && !view_compares(r), turn, &use, diag) == NULL)
        return NULL;
    if (!view_compares(r)) {
        const struct drawn drawn = {use.profile, &use, turn};
        bytes = draw(s, r, &drawn, diag);
    } else {
        profiles_give_slot(s->profiles, &use);
        if (profiles_get(s->profiles, &other_id, -1, false, turn, &other, diag) != NULL)
            bytes = draw_comparison(s, r, (const struct shared_profile *const[]){use.profile, other.profile},
                                    turn, diag);
    }
    profiles_release(s->profiles, &other);
    profiles_release(s->profiles, &use);
    return bytes;
}

/* The view in this coding, likewise kept under its key; NULL: it cannot be coded. */
static struct shared_bytes *view_encode(struct service *s, const struct view_request *r, enum encoding e,
                                        struct shared_bytes *plain)
{
    char key[VIEW_KEY_CHARS + 1];
    struct buf out = {0};

    if (encoding_apply(e, ENCODING_ONCE, shared_bytes_view(plain), &out) && view_key(s, r, e, key))
        keep(s, r, key, buf_view(&out));
    return shared_bytes_new(&out);
}

/* ---- views of other machines, and for them ---- */

void view_share(const struct service *s, const struct view_request *r, struct str bytes,
                struct shared_view *shared)
{
    struct buf text = {0};

    if (!s->config->share_views)
        return;
    view_describe(SERVICE_VERSION, r, &text);
    if (!text.failed)
        shared_view_take(s, r, buf_view(&text), bytes, shared);
    buf_free(&text);
}

static struct shared_bytes *take_shared(struct service *s, const struct view_request *r, struct turn *turn)
{
    struct shared_bytes *bytes = NULL;
    char key[VIEW_KEY_CHARS + 1];
    struct buf text = {0};

    if (s->config->share_views)
        view_describe(SERVICE_VERSION, r, &text);
    if (text.n > 0 && !text.failed)
        bytes = shared_view_get(s, r, buf_view(&text), turn);
    if (bytes != NULL && view_key(s, r, ENCODING_IDENTITY, key))
        keep(s, r, key, shared_bytes_view(bytes));
    buf_free(&text);
    return bytes;
}

/* ---- views, once for all who ask ---- */

enum {
    MISSES = 4096,
    ANSWER_BYTES = 2048, /* that a sender makes of the bytes and leaves with them, about */
    TELL_STORE_MS = 3600 * 1000
};

/* One coding of one view: in the making, or in memory. */
struct view_thing {
    struct once_thing once; /* first; its value is a struct shared_bytes */
    struct thread_job job;
    struct timer deadline; /* A view may take as long as a client may take with a request. */
    /* Constant from the start of the job on. */
    struct views *views;
    struct view_request request;
    enum encoding wanted;
    struct client *client;      /* on whose behalf it is made: a reference, or NULL */
    struct shared_bytes *plain; /* the view without coding, of which it is made; NULL: see the store */
    enum encoding encoding;     /* of the bytes; the maker's until the view is decided */
    atomic_bool for_upload;     /* some upload waits for it */
    _Atomic int64_t told_ms;    /* when the store last knew of a use */
};

struct views {
    struct service *service;
    struct once *once;
    struct stop nobody; /* Above the stop of each job: it works for those who wait, and for nobody else. */
    struct hash_seed seed;
    atomic_uint_fast64_t missed[MISSES]; /* hashes of keys, each at the place that its lower bits say */
};

static void end_thing(void *context, struct once_thing *thing)
{
    struct view_thing *t = (struct view_thing *)thing; /* its first member */

    (void)context;
    shared_bytes_unref(thing->value);
    shared_bytes_unref(t->plain);
    client_unref(t->client);
}

struct views *views_new(struct service *service)
{
    struct views *v = calloc(1, sizeof(*v));
    const struct once_kind kind = {.thing_bytes = sizeof(struct view_thing), .end = end_thing};

    if (v == NULL)
        return NULL;
    v->service = service;
    v->nobody.above = &service->stop;
    stop_ask(&v->nobody, STOP_LEFT);
    v->once = once_new(&kind, &service->config->views_in_memory_bytes);
    if (v->once != NULL && random_bytes(&v->seed, sizeof(v->seed)))
        return v;
    views_free(v);
    return NULL;
}

void views_free(struct views *v)
{
    if (v == NULL)
        return;
    once_free(v->once);
    free(v);
}

struct once_counts views_counts(struct views *v)
{
    return once_counts(v->once);
}

void view_result_free(struct view_result *result)
{
    if (result->fd >= 0)
        close(result->fd);
    shared_bytes_unref(result->bytes);
}

static void no_memory(struct diag *diag)
{
    diag_no_memory(diag, "No memory for the view.");
}

/* What the view is known by in memory. */
static bool describe(const struct views *v, const struct view_request *r, enum encoding e, struct buf *text)
{
    view_describe(v->service->boot, r, text);
    buf_z(text, encoding_suffix(e));
    return !text->failed;
}

/* ---- what is there ---- */

/* The store takes what it knows no use of for the least recently used: what is read from memory is used
 * all the same. */
static void tell_store(struct views *v, const struct view_request *r, enum encoding e, struct view_thing *t)
{
    int64_t now_ms = clock_ms(), told_ms = atomic_load(&t->told_ms);
    char key[VIEW_KEY_CHARS + 1];
    uint64_t bytes;
    int fd;

    if (now_ms - told_ms < TELL_STORE_MS || !atomic_compare_exchange_strong(&t->told_ms, &told_ms, now_ms))
        return;
    if (view_key(v->service, r, e, key) &&
        local_use(store_local(v->service->store), key, &fd, &bytes) == STORE_OK)
        close(fd);
}

/* After a miss: whether to keep the view in memory. It is if this was asked about it before, not too long
 * ago, so that a walk through many views does not drive out the few that all look at; and if it would not
 * drive out most of the others. */
static bool is_worth_keeping(struct views *v, struct str description, uint64_t bytes)
{
    uint64_t hash = hash_bytes(v->seed, description.p, description.n);

    return fits_in_memory(v->service, bytes) && atomic_exchange(&v->missed[hash % MISSES], hash) == hash;
}

/* Of a thing in memory. */
static uint64_t bytes_in_memory(const struct view_thing *t, struct shared_bytes *bytes)
{
    return sizeof(*t) + ANSWER_BYTES + t->once.key.n + shared_bytes_view(bytes).n;
}

/* Takes a reference of its own. What is there already stays. */
static void keep_in_memory(struct views *v, struct str description, enum encoding e,
                           struct shared_bytes *bytes)
{
    bool begins;
    struct view_thing *t = (struct view_thing *)once_enter(v->once, description, NULL, &begins);

    if (t == NULL)
        return;
    if (begins) {
        t->encoding = e;
        atomic_store(&t->told_ms, clock_ms());
        once_keep(v->once, &t->once);
        bool ended = once_end(v->once, &t->once, shared_bytes_ref(bytes), bytes_in_memory(t, bytes));
        (void)ended; /* it cannot fail */
    }
    once_release(v->once, &t->once);
}

static bool find_in_store(struct views *v, const struct view_request *r, enum encoding e,
                          struct str description, struct view_result *result)
{
    char key[VIEW_KEY_CHARS + 1];

    if (!view_key(v->service, r, e, key) ||
        local_use(store_local(v->service->store), key, &result->fd, &result->file_bytes) != STORE_OK) {
        result->fd = -1;
        return false;
    }
    if (!is_worth_keeping(v, description, result->file_bytes))
        return true;
    result->bytes = view_read_object(result->fd, result->file_bytes);
    /* Without memory for it the file itself is sent, from its start. */
    if (result->bytes == NULL)
        return lseek(result->fd, 0, SEEK_SET) == 0;
    keep_in_memory(v, description, e, result->bytes);
    close(result->fd);
    result->fd = -1;
    return true;
}

/* From memory or the store; what is asked for again goes into memory. */
static bool find(struct views *v, const struct view_request *r, enum encoding e, struct view_result *result)
{
    struct buf text = {0};
    struct figures *figures = v->service->figures;
    bool found = false;

    *result = (struct view_result){.fd = -1, .encoding = e};
    if (describe(v, r, e, &text)) {
        struct view_thing *t = (struct view_thing *)once_look(v->once, buf_view(&text));
        found = t != NULL && t->encoding == e;
        if (found) {
            result->bytes = shared_bytes_ref(t->once.value);
            tell_store(v, r, e, t);
        }
        if (t != NULL)
            once_release(v->once, &t->once);
        figures_look(figures, CACHE_VIEWS_IN_MEMORY, found);
        if (!found) {
            found = find_in_store(v, r, e, buf_view(&text), result);
            figures_look(figures, CACHE_VIEWS_ON_DISK, found);
        }
    }
    buf_free(&text);
    return found;
}

/* ---- making ---- */

/* The view without coding, from who asked, or from the store: a job for it may have ended right before this one was
 * started. NULL: it has to be drawn. */
static struct shared_bytes *take_plain(struct view_thing *t)
{
    struct view_result found;
    struct shared_bytes *plain = t->plain;

    t->plain = NULL;
    if (plain == NULL && find(t->views, &t->request, ENCODING_IDENTITY, &found)) {
        plain = found.bytes != NULL ? shared_bytes_ref(found.bytes)
                                    : view_read_object(found.fd, found.file_bytes);
        view_result_free(&found);
    }
    return plain;
}

static bool may_draw(struct view_thing *t, struct diag *diag)
{
    return (atomic_load(&t->for_upload) || reply_memory_left(t->views->service->config, 0, diag)) &&
           (stop_asked(&t->once.stop) == STOP_NONE || stop_say(&t->once.stop, diag));
}

/* One that cannot be coded is good as it is. NULL: diag. */
static struct shared_bytes *make_once(struct view_thing *t, struct turn *turn, struct shared_view *shared,
                                      struct diag *diag)
{
    struct service *s = t->views->service;
    struct shared_bytes *plain = take_plain(t);

    t->encoding = ENCODING_IDENTITY;
    if (plain == NULL && !atomic_load(&t->for_upload)) /* An upload that is new is on no other machine. */
        plain = take_shared(s, &t->request, turn);
    if (plain == NULL && may_draw(t, diag)) {
        plain = view_draw(s, &t->request, turn, diag);
        if (plain != NULL && shared_view_is_late(s, &t->request))
            view_share(s, &t->request, shared_bytes_view(plain), shared);
    }
    if (plain == NULL || t->wanted == ENCODING_IDENTITY)
        return plain;
    struct shared_bytes *coded = view_encode(s, &t->request, t->wanted, plain);
    if (coded == NULL)
        return plain;
    shared_bytes_unref(plain);
    t->encoding = t->wanted;
    return coded;
}

static void deadline_due(struct timer *timer)
{
    struct view_thing *t = (struct view_thing *)((char *)timer - offsetof(struct view_thing, deadline));

    stop_ask(&t->once.stop, STOP_DEADLINE);
}

/* Without room only what is asked for once more is kept: many uploads that nobody looks at drive out nothing. The bytes that
 * it takes then; 0: it goes with its last use. */
static uint64_t keep_light(struct view_thing *t, struct shared_bytes *bytes)
{
    struct views *v = t->views;
    const uint64_t n = bytes_in_memory(t, bytes);

    if (t->encoding != t->wanted || !is_for_memory(v->service, &t->request, shared_bytes_view(bytes).n))
        return 0;
    if (views_counts(v).bytes + n > v->service->config->views_in_memory_bytes &&
        !is_worth_keeping(v, t->once.key, n))
        return 0;
    once_keep(v->once, &t->once);
    return n;
}

/* The maker holds a reference to the view, and gives it back here. */
static void make(struct view_thing *t, struct turn *turn)
{
    struct service *s = t->views->service;
    struct once *once = t->views->once;
    struct shared_view shared = {.text = {0}};
    struct shared_bytes *bytes;
    uint64_t kept = 0;

    t->deadline.due = deadline_due;
    do {
        struct diag diag = {0};
        timer_set(s->timers, &t->deadline, clock_ms() + (int64_t)s->config->request_timeout_s * 1000);
        bytes = make_once(t, turn, &shared, &diag);
        timer_clear(s->timers, &t->deadline);
        if (bytes == NULL)
            t->once.diag = diag;
        else
            kept = keep_light(t, bytes);
    } while (!once_end_and_release(once, &t->once, bytes, kept));
    turn_give(turn);
    shared_view_put(s, &shared);
}

static void run(struct thread_job *job)
{
    struct view_thing *t = (struct view_thing *)((char *)job - offsetof(struct view_thing, job));
    const struct service *s = t->views->service;
    struct client *client = t->client; /* a view that stays in memory does not hold it */
    struct turn turn;

    t->client = NULL;
    turn_init(&turn, s->turns, job->place.turn_class, job->place.owner, &t->once.stop);
    turn_take(&turn);
    make(t, &turn);
    turn_end(&turn);
    client_unref(client);
}

static void prepare(struct views *v, struct view_thing *t, const struct view_request *r, enum encoding e,
                    struct client *client, struct shared_bytes *plain)
{
    t->views = v;
    t->request = *r;
    t->wanted = e;
    t->plain = plain;
    t->client = client == NULL ? NULL : client_again(client);
}

static void start(struct view_thing *t)
{
    struct service *s = t->views->service;
    bool is_long = view_is_long(&t->request);

    t->once.stop.above = &t->views->nobody;
    t->job = (struct thread_job){
        .run = run, .place = {.turn_class = is_long ? TURN_INPUT : TURN_ANSWER, .owner = t->client}};
    threads_submit(s->threads, THREADS_VIEWS, &t->job);
}

/* Begins to wait for the view, unless it is there; begins its making, unless it is under way. Takes the
 * reference to `plain`. NULL: no memory. */
static struct view_thing *join(struct views *v, const struct view_request *r, enum encoding e,
                               struct client *client, struct shared_bytes *plain, struct once_watch *watch,
                               bool for_upload)
{
    struct view_thing *t = NULL;
    struct buf text = {0};
    bool begins = false;

    if (describe(v, r, e, &text))
        t = (struct view_thing *)once_enter(v->once, buf_view(&text), watch, &begins);
    buf_free(&text);
    if (t != NULL && for_upload)
        atomic_store(&t->for_upload, true);
    if (!begins || t == NULL) {
        shared_bytes_unref(plain);
        return t;
    }
    prepare(v, t, r, e, client, plain);
    start(t);
    return t;
}

/* The view is decided: ends the waiting, and the use. */
static void take(struct views *v, struct view_thing *t, struct view_result *result)
{
    *result = (struct view_result){.fd = -1, .encoding = t->encoding};
    if (t->once.value != NULL)
        result->bytes = shared_bytes_ref(t->once.value);
    else
        result->diag = t->once.diag;
    once_release(v->once, &t->once);
}

/* ---- for an upload ---- */

static void watch_nothing(struct once_watch *w)
{
    (void)w; /* who waits blocks, or comes back later */
}

void views_begin(struct views *v, const struct view_request *r, struct client *client, struct view_ahead *a)
{
    *a = (struct view_ahead){.watch = {.waits = watch_nothing, .decided = watch_nothing}};
    if (find(v, r, ENCODING_IDENTITY, &a->found))
        return;
    a->thing = join(v, r, ENCODING_IDENTITY, client, NULL, &a->watch, true);
    if (a->thing == NULL)
        no_memory(&a->found.diag);
}

/* Takes what has become of it, when it is decided; or why that is waited for no longer. */
static void await(struct views *v, struct view_thing *t, struct once_watch *watch, struct turn *turn,
                  struct view_result *result)
{
    bool decided = once_wait(v->once, &t->once, turn);

    once_unwatch(v->once, &t->once, watch);
    if (decided) {
        take(v, t, result);
        return;
    }
    *result = (struct view_result){.fd = -1};
    stop_say(turn->stop, &result->diag);
    once_release(v->once, &t->once);
}

void views_await(struct views *v, struct view_ahead *a, struct turn *turn, struct view_result *result)
{
    if (a->thing == NULL)
        *result = a->found;
    else
        await(v, a->thing, &a->watch, turn, result);
}

void views_make(struct views *v, const struct view_request *r, struct turn *turn, struct view_result *result)
{
    struct once_watch watch = {.waits = watch_nothing, .decided = watch_nothing};
    struct view_thing *t = NULL;
    struct buf text = {0};
    bool begins = false;

    if (find(v, r, ENCODING_IDENTITY, result))
        return;
    if (describe(v, r, ENCODING_IDENTITY, &text))
        t = (struct view_thing *)once_enter(v->once, buf_view(&text), &watch, &begins);
    buf_free(&text);
    if (t == NULL) {
        no_memory(&result->diag);
        return;
    }
    atomic_store(&t->for_upload, true);
    if (begins) {
        /* What asks the stop of the turn would end the making, and the thing, which others may wait for, begin it anew. */
        const struct stop *own = turn->stop;
        prepare(v, t, r, ENCODING_IDENTITY, NULL, NULL);
        t->once.stop.above = own;
        turn->stop = &t->once.stop;
        make(t, turn);
        turn->stop = own;
    }
    await(v, t, &watch, turn, result);
}

/* ---- for a request ---- */

/* One request that waits for a view: a state of its exchange. */
struct view_request_wait {
    /* Under the lock of the once. */
    struct once_watch watch; /* first, so that the rest is found */
    struct exchange_wait wait;

    /* Used by the thread of the connection only. */
    struct views *views;
    struct view_thing *thing; /* NULL: it does not wait, or took the result */
    struct exchange *exchange;
    struct view_request request;
    bool waits; /* counted in the client's share */
    bool began; /* It was suspended: the watch waited. */
    bool final; /* The job makes the coding that the client likes best: there is nothing better to come. */
    enum exchange_step (*then)(struct exchange *x, const struct view_request *r, struct view_result *result,
                               void *context);
    void *context;
};

static void begin_wait(struct once_watch *watch)
{
    struct view_request_wait *w = (struct view_request_wait *)watch;

    w->began = true;
    exchange_wait(w->exchange, &w->wait);
}

static void wake(struct once_watch *watch)
{
    exchange_resume(&((struct view_request_wait *)watch)->wait);
}

static void end_wait(struct view_request_wait *w)
{
    if (w->waits)
        client_waited(w->exchange->client);
    w->waits = false;
}

/* The exchange ends. */
static void forget(void *state)
{
    struct view_request_wait *w = state;

    if (w->thing != NULL) {
        once_unwatch(w->views->once, &w->thing->once, &w->watch);
        once_release(w->views->once, &w->thing->once);
    }
    end_wait(w);
}

static enum exchange_step deliver(struct view_request_wait *w, struct view_result *result)
{
    return w->then(w->exchange, &w->request, result, w->context);
}

static enum exchange_step resumed(struct exchange *x, void *context);

/* For the view in this coding, made of the plain bytes that the result may hold. */
static enum exchange_step start_waiting(struct view_request_wait *w, enum encoding e,
                                        struct view_result *result)
{
    struct shared_bytes *plain = result->bytes;

    result->bytes = NULL;
    w->waits = client_wait(w->exchange->client);
    if (!w->waits) {
        shared_bytes_unref(plain);
        diag_set(&result->diag, DIAG_BUSY, "too many requests wait",
                 "Try again when some of them are answered.",
                 "One address may wait for so many pictures and pages at a time, and no more.");
        return deliver(w, result);
    }
    w->final = e != ENCODING_IDENTITY;
    w->began = false;
    w->watch = (struct once_watch){.waits = begin_wait, .decided = wake};
    w->thing = join(w->views, &w->request, e, w->exchange->client, plain, &w->watch, false);
    if (w->thing == NULL) {
        end_wait(w);
        no_memory(&result->diag);
        return deliver(w, result);
    }
    /* It may have come between the look and the wait. */
    return w->began ? exchange_then(w->exchange, resumed, w) : resumed(w->exchange, w);
}

/* The plain view is there. It is what was asked for, or what that is made of. */
static enum exchange_step encode_plain(struct view_request_wait *w, struct view_result *result)
{
    uint64_t bytes = result->fd >= 0 ? result->file_bytes : shared_bytes_view(result->bytes).n;
    enum encoding wanted = encoding_for(w->request.encoding, bytes);

    if (wanted == ENCODING_IDENTITY)
        return deliver(w, result);
    if (result->fd >= 0)
        close(result->fd);
    result->fd = -1;
    return start_waiting(w, wanted, result);
}

static enum exchange_step resumed(struct exchange *x, void *context)
{
    struct view_request_wait *w = context;
    struct view_result result;

    (void)x;
    take(w->views, w->thing, &result);
    w->thing = NULL;
    end_wait(w);
    return w->final || result.bytes == NULL ? deliver(w, &result) : encode_plain(w, &result);
}

enum exchange_step views_get(struct exchange *x, const struct view_request *r,
                             enum exchange_step (*then)(struct exchange *x, const struct view_request *r,
                                                        struct view_result *result, void *context),
                             void *context)
{
    struct views *v = x->service->views;
    enum encoding best = r->encoding.best;
    struct view_result result;

    if (find(v, r, best, &result))
        return then(x, r, &result, context);
    struct view_request_wait *w = exchange_state(x, sizeof(*w), forget);
    if (w == NULL) {
        no_memory(&result.diag);
        return then(x, r, &result, context);
    }
    w->views = v;
    w->exchange = x;
    w->request = *r;
    w->then = then;
    w->context = context;
    if (best == ENCODING_IDENTITY || !find(v, r, ENCODING_IDENTITY, &result))
        return start_waiting(w, ENCODING_IDENTITY, &result);
    return encode_plain(w, &result);
}
