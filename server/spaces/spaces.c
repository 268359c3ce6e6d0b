#include "server/spaces/spaces.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/clock.h"

enum {
    LISTED_MS = 2000, /* a list is believed for so long at least */
    SHARE = 20        /* and for so many times as long as it took */
};

struct slot {
    struct entry *entry;
    uint64_t born; /* the number of the list that was the last to be begun when the entry came */
};

/* One space in memory. */
struct space {
    struct space *next;
    char name[SPACE_NAME_BYTES + 1];
    unsigned refs; /* who uses it; protected by the lock of all, as is the next */
    uint64_t used; /* when it was asked for last, counted in requests */

    /* Held by who makes a list; taken without the lock below. */
    pthread_mutex_t listing;

    pthread_mutex_t lock;       /* of all that follows */
    bool loaded;                /* A list was made. */
    uint64_t lists;             /* that were begun */
    int64_t listed_ms, took_ms; /* when the last one was there, and how long the store took for it */
    struct slot *of;            /* in the order of entries */
    size_t n, capacity, bytes;
};

struct spaces {
    struct store *store;
    const struct log *log;
    pthread_mutex_t lock; /* of the list of spaces */
    struct space *first;
    uint64_t requests;
};

/* ---- spaces in memory ---- */

struct spaces *spaces_new(struct store *store, const struct log *log)
{
    struct spaces *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    pthread_mutex_init(&s->lock, NULL);
    s->store = store;
    s->log = log;
    return s;
}

static void free_space(struct space *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->of[i].entry);
    free(p->of);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->listing);
    free(p);
}

void spaces_free(struct spaces *s)
{
    if (s == NULL)
        return;
    while (s->first != NULL) {
        struct space *p = s->first;
        s->first = p->next;
        free_space(p);
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Under the lock of all. NULL: it is not in memory. */
static struct space *find(struct spaces *s, struct str name)
{
    struct space *p = s->first;

    while (p != NULL && !str_eq(str_of(p->name), name))
        p = p->next;
    return p;
}

/* NULL: no memory. */
static struct space *add(struct spaces *s, struct str name)
{
    struct space *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    memcpy(p->name, name.p, name.n);
    pthread_mutex_init(&p->listing, NULL);
    pthread_mutex_init(&p->lock, NULL);
    p->next = s->first;
    s->first = p;
    return p;
}

/* A reference. NULL: it is not in memory; or, to be added, no memory is left. */
static struct space *take(struct spaces *s, struct str name, bool adds)
{
    pthread_mutex_lock(&s->lock);
    struct space *p = find(s, name);
    if (p == NULL && adds)
        p = add(s, name);
    if (p != NULL) {
        p->refs++;
        p->used = ++s->requests;
    }
    pthread_mutex_unlock(&s->lock);
    return p;
}

static void drop(struct spaces *s, struct space *p)
{
    struct space **at = &s->first;

    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    free_space(p);
}

/* The one that nobody uses and nobody has asked for longest; an empty one at once. NULL: none has to go. */
static struct space *find_spare(const struct spaces *s)
{
    struct space *oldest = NULL;
    size_t bytes = 0;

    for (struct space *p = s->first; p != NULL; p = p->next) {
        if (p->refs > 0)
            continue; /* its size may change at this moment */
        if (p->n == 0)
            return p;
        bytes += p->bytes;
        if (oldest == NULL || p->used < oldest->used)
            oldest = p;
    }
    return bytes > SPACES_BYTES_MOST ? oldest : NULL;
}

static void give(struct spaces *s, struct space *p)
{
    struct space *spare;

    pthread_mutex_lock(&s->lock);
    p->refs--;
    while ((spare = find_spare(s)) != NULL)
        drop(s, spare);
    pthread_mutex_unlock(&s->lock);
}

/* ---- its entries, under its lock ---- */

/* The place of the first entry that is not before this one. */
static size_t place_of(const struct space *p, const struct record_entry *name)
{
    size_t from = 0, to = p->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (record_entry_order(&p->of[middle].entry->name, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool is_at(const struct space *p, size_t place, const struct record_entry *name)
{
    return place < p->n && record_entry_order(&p->of[place].entry->name, name) == 0;
}

/* Takes the entry; without memory it is seen by a later list. */
static void insert(struct space *p, struct entry *e)
{
    size_t place = place_of(p, &e->name);

    if (is_at(p, place, &e->name)) {
        free(e);
        return;
    }
    if (p->n == p->capacity) {
        size_t more = p->capacity > 0 ? p->capacity * 2 : 64;
        struct slot *grown = realloc(p->of, more * sizeof(*grown));
        if (grown == NULL) {
            free(e);
            return;
        }
        p->of = grown;
        p->capacity = more;
    }
    memmove(p->of + place + 1, p->of + place, (p->n - place) * sizeof(*p->of));
    p->of[place] = (struct slot){e, p->lists};
    p->n++;
    p->bytes += entry_bytes(e);
}

static void remove_at(struct space *p, size_t place)
{
    p->bytes -= entry_bytes(p->of[place].entry);
    free(p->of[place].entry);
    p->n--;
    memmove(p->of + place, p->of + place + 1, (p->n - place) * sizeof(*p->of));
}

/* ---- a list ---- */

struct listed {
    struct record_entry *of;
    size_t n, capacity;
    bool failed; /* no memory */
};

static bool note(void *listed, const struct store_object *object)
{
    struct listed *l = listed;
    struct record_entry name;

    if (!record_entry_read(object->key, &name) || record_entry_is_digest(&name))
        return true;
    if (l->n == l->capacity) {
        size_t more = l->capacity > 0 ? l->capacity * 2 : 256;
        struct record_entry *grown = realloc(l->of, more * sizeof(*grown));
        if (grown == NULL) {
            l->failed = true;
            return false;
        }
        l->of = grown;
        l->capacity = more;
    }
    l->of[l->n++] = name;
    return true;
}

static int order_names(const void *a, const void *b)
{
    return record_entry_order(a, b);
}

/* Sorted, and the newest of them alone. */
static enum store_result list_names(const struct spaces *s, const struct space *p, struct listed *l)
{
    char prefix[STORE_KEY_BYTES];

    record_entries_prefix(str_of(p->name), prefix);
    enum store_result result = store_list(s->store, prefix, note, l);
    if (result != STORE_OK || l->failed)
        return l->failed ? STORE_FAILED : result;
    if (l->n > 0)
        qsort(l->of, l->n, sizeof(*l->of), order_names);
    if (l->n > SPACES_ENTRIES_MOST) {
        size_t older = l->n - SPACES_ENTRIES_MOST;
        memmove(l->of, l->of + older, SPACES_ENTRIES_MOST * sizeof(*l->of));
        l->n = SPACES_ENTRIES_MOST;
    }
    return STORE_OK;
}

/* Takes out of the space what is not listed, unless it came behind the beginning of this list; and out of the list what is
 * in the space. */
static void compare(struct space *p, struct listed *l, uint64_t list)
{
    size_t at = 0, stays = 0, unknown = 0;

    for (size_t i = 0; i < p->n; i++) {
        struct slot slot = p->of[i];
        while (at < l->n && record_entry_order(&l->of[at], &slot.entry->name) < 0)
            l->of[unknown++] = l->of[at++];
        bool is_listed = at < l->n && record_entry_order(&l->of[at], &slot.entry->name) == 0;
        at += is_listed;
        if (is_listed || slot.born >= list) {
            p->of[stays++] = slot;
        } else {
            p->bytes -= entry_bytes(slot.entry);
            free(slot.entry);
        }
    }
    p->n = stays;
    while (at < l->n)
        l->of[unknown++] = l->of[at++];
    l->n = unknown;
}

/* *e is NULL for one that is gone by now, or not readable; then the log says so. */
static enum store_result read_entry(const struct spaces *s, const struct space *p,
                                    const struct record_entry *name, struct entry **e)
{
    char key[STORE_KEY_BYTES];
    struct buf text = {0};

    record_entry_put_key(str_of(p->name), name, key);
    enum store_result result = store_read(s->store, key, ENTRY_BYTES_MAX, &text);
    *e = result == STORE_OK ? entry_read(name, buf_view(&text)) : NULL;
    buf_free(&text);
    if (*e == NULL && result != STORE_NOT_FOUND && result != STORE_UNAVAILABLE)
        LOG(s->log, LOG_WARN, "entry-not-read", LOG_STR("key", str_of(key)));
    return result;
}

/* Those in the list are read, a part of them at a time, and are found from then on. In their order, so that each comes
 * behind those that are there. STORE_UNAVAILABLE: not all could be read. */
static enum store_result read_unknown(const struct spaces *s, struct space *p, const struct listed *l)
{
    enum { AT_A_TIME = 64 };
    struct entry *read[AT_A_TIME];
    enum store_result result = STORE_OK;

    for (size_t at = 0; at < l->n && result != STORE_UNAVAILABLE;) {
        size_t n = 0;
        for (; n < AT_A_TIME && at < l->n && result != STORE_UNAVAILABLE; n++)
            result = read_entry(s, p, &l->of[at++], &read[n]);
        pthread_mutex_lock(&p->lock);
        for (size_t i = 0; i < n; i++)
            if (read[i] != NULL)
                insert(p, read[i]);
        pthread_mutex_unlock(&p->lock);
    }
    return result == STORE_UNAVAILABLE ? result : STORE_OK;
}

/* By who holds `listing`. */
static enum store_result list_again(const struct spaces *s, struct space *p)
{
    struct listed l = {0};
    const int64_t begun_ms = clock_ms();

    pthread_mutex_lock(&p->lock);
    const uint64_t list = ++p->lists;
    pthread_mutex_unlock(&p->lock);
    enum store_result result = list_names(s, p, &l);
    const int64_t took_ms = clock_ms() - begun_ms;
    if (result == STORE_OK) {
        pthread_mutex_lock(&p->lock);
        compare(p, &l, list);
        pthread_mutex_unlock(&p->lock);
        result = read_unknown(s, p, &l);
    }
    pthread_mutex_lock(&p->lock);
    p->loaded = p->loaded || result == STORE_OK;
    p->listed_ms = clock_ms();
    p->took_ms = result == STORE_OK ? took_ms : 0; /* one that failed says nothing of how long a list takes */
    pthread_mutex_unlock(&p->lock);
    free(l.of);
    return result;
}

static bool is_loaded(struct space *p, bool *is_old)
{
    pthread_mutex_lock(&p->lock);
    int64_t believed_ms = p->took_ms * SHARE > LISTED_MS ? p->took_ms * SHARE : LISTED_MS;
    *is_old = clock_ms() - p->listed_ms > believed_ms;
    bool loaded = p->loaded;
    pthread_mutex_unlock(&p->lock);
    return loaded;
}

/* Who finds an old list makes the next one; others go on with the old one meanwhile, if there is one, and
 * all do if the next one cannot be made. */
static bool refresh(const struct spaces *s, struct space *p, struct diag *diag)
{
    enum store_result result = STORE_OK;
    bool is_old, loaded = is_loaded(p, &is_old);

    if (loaded && (!is_old || pthread_mutex_trylock(&p->listing) != 0))
        return true;
    if (!loaded)
        pthread_mutex_lock(&p->listing);
    if (!is_loaded(p, &is_old) || is_old) /* others may have made it meanwhile */
        result = list_again(s, p);
    pthread_mutex_unlock(&p->listing);
    loaded = is_loaded(p, &is_old);
    if (!loaded)
        store_access_failed(s->log, result, "listed", diag);
    return loaded;
}

/* ---- what is asked ---- */

static enum store_result put_entry(struct spaces *s, struct str space, struct record_entry name,
                                   struct str text)
{
    char key[STORE_KEY_BYTES];

    record_entry_put_key(space, &name, key);
    enum store_result result = store_put(s->store, key, text);
    /* Nobody else has this key: what is there already was put by a try whose answer was lost. */
    if (result != STORE_OK && result != STORE_EXISTS)
        return result;
    struct space *p = take(s, space, false);
    if (p == NULL)
        return STORE_OK;
    struct entry *e = entry_read(&name, text);
    pthread_mutex_lock(&p->lock);
    if (e != NULL)
        insert(p, e);
    pthread_mutex_unlock(&p->lock);
    give(s, p);
    return STORE_OK;
}

enum store_result spaces_put(struct spaces *s, const struct record *r, struct str text)
{
    return put_entry(s, str_of(r->space), record_entry_of(r, ENTRY_FIRST), text);
}

enum store_result spaces_put_words(struct spaces *s, const struct record *r, struct str text)
{
    return put_entry(s, str_of(r->space), record_entry_of(r, ENTRY_WORDS), text);
}

static void forget_entry(struct space *p, struct record_entry name)
{
    pthread_mutex_lock(&p->lock);
    size_t place = place_of(p, &name);
    if (is_at(p, place, &name))
        remove_at(p, place);
    pthread_mutex_unlock(&p->lock);
}

void spaces_forget(struct spaces *s, const struct record *r)
{
    struct space *p = r->space[0] == '\0' ? NULL : take(s, str_of(r->space), false);

    if (p == NULL)
        return;
    forget_entry(p, record_entry_of(r, ENTRY_WORDS));
    forget_entry(p, record_entry_of(r, ENTRY_FIRST));
    give(s, p);
}

void spaces_remove(struct spaces *s, const struct record *r)
{
    char key[STORE_KEY_BYTES];

    if (r->space[0] == '\0')
        return;
    for (int kind = ENTRY_KINDS - 1; kind >= 0; kind--) {
        record_entry_key(r, (enum record_entry_kind)kind, key);
        (void)store_delete(s->store, key);
    }
    spaces_forget(s, r);
}

/* Of several entries of one upload the last one counts: it is met first. */
static bool is_of_before(const struct space *p, size_t i)
{
    return i + 1 < p->n && strcmp(p->of[i].entry->name.id, p->of[i + 1].entry->name.id) == 0;
}

static bool look_through(const struct space *p, const struct spaces_asked *asked,
                         void (*each)(void *context, const struct entry *e), void *context)
{
    size_t n = 0, i = asked->before.id[0] == '\0' ? p->n : place_of(p, &asked->before);

    while (i-- > 0) {
        const struct query_subject subject = entry_subject(p->of[i].entry);
        if (is_of_before(p, i) || !query_fits(asked->query, &subject))
            continue;
        if (n++ == asked->most)
            return true;
        each(context, p->of[i].entry);
    }
    return false;
}

bool spaces_list(struct spaces *s, const struct spaces_asked *asked,
                 void (*each)(void *context, const struct entry *e), void *context, bool *more,
                 struct diag *diag)
{
    struct space *p = take(s, asked->space, true);

    if (p == NULL)
        return diag_no_memory(diag, "No memory for the list.");
    bool ok = refresh(s, p, diag);
    pthread_mutex_lock(&p->lock);
    *more = ok && look_through(p, asked, each, context);
    pthread_mutex_unlock(&p->lock);
    give(s, p);
    return ok;
}
