#include "server/store/record_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/system/random_bytes.h"

enum { SLOTS = 256, STALE_MOST_S = 3600 };

/* A slot holds what was found last of the ids that fall to it. */
struct slot {
    char id[RECORD_ID_CHARS + 1]; /* "": nothing */
    enum record_state state;
    struct record record;
    uint64_t changes;   /* of the store, before it was read */
    uint64_t forgotten; /* how often something of this slot was: who has begun to read before keeps nothing */
    int64_t read_s;
    char reading[RECORD_ID_CHARS + 1]; /* the store is asked for this one; "": for none */
};

struct record_cache {
    struct store *store;
    struct hash_seed seed;
    pthread_mutex_t lock; /* of slots */
    pthread_cond_t read;  /* a slot is not being read any more */
    struct slot slots[SLOTS];
};

struct record_cache *record_cache_new(struct store *s)
{
    struct record_cache *c = calloc(1, sizeof(*c));

    if (c == NULL || !random_bytes(&c->seed, sizeof(c->seed))) {
        free(c);
        return NULL;
    }
    c->store = s;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->read, NULL);
    return c;
}

void record_cache_free(struct record_cache *c)
{
    if (c == NULL)
        return;
    pthread_cond_destroy(&c->read);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static struct slot *slot_of(struct record_cache *c, struct str id)
{
    return &c->slots[hash_bytes(c->seed, id.p, id.n) % SLOTS];
}

/* While the object store does not answer: what was found last, if that is not long ago. */
static bool find_stale(struct record_cache *c, struct str id, int64_t now_s, struct record *r)
{
    const struct slot *slot = slot_of(c, id);

    pthread_mutex_lock(&c->lock);
    bool found = str_eq(str_of(slot->id), id) && slot->state == RECORD_FOUND &&
                 slot->record.expires_s > now_s && now_s - slot->read_s <= STALE_MOST_S;
    if (found)
        *r = slot->record;
    pthread_mutex_unlock(&c->lock);
    return found;
}

bool record_cache_find(struct record_cache *c, struct str id, int64_t now_s, enum record_state *state,
                       struct record *r)
{
    const struct slot *slot = slot_of(c, id);

    pthread_mutex_lock(&c->lock);
    /* Behind a network for the next second, too: who looked it up before is not to do so again right behind. */
    int64_t until_s = slot->read_s + (store_is_remote(c->store) ? 1 : 0);
    /* There, what this machine changes is forgotten, and what others change is not counted. */
    bool unchanged = store_is_remote(c->store) || slot->changes == store_changes(c->store);
    bool fresh = now_s >= slot->read_s && now_s <= until_s && unchanged && str_eq(str_of(slot->id), id) &&
                 (slot->state != RECORD_FOUND || slot->record.expires_s > now_s);
    if (fresh) {
        *state = slot->state;
        *r = slot->record;
    }
    pthread_mutex_unlock(&c->lock);
    return fresh;
}

void record_cache_forget(struct record_cache *c, struct str id)
{
    struct slot *slot = slot_of(c, id);

    pthread_mutex_lock(&c->lock);
    slot->forgotten++;
    if (str_eq(str_of(slot->id), id))
        slot->id[0] = '\0';
    pthread_mutex_unlock(&c->lock);
}

static void keep(struct record_cache *c, struct str id, const struct slot *found)
{
    struct slot *slot = slot_of(c, id);

    pthread_mutex_lock(&c->lock);
    if (slot->forgotten == found->forgotten) {
        *slot = *found;
        memcpy(slot->id, id.p, RECORD_ID_CHARS);
    }
    pthread_mutex_unlock(&c->lock);
}

static uint64_t forgotten(struct record_cache *c, struct str id)
{
    pthread_mutex_lock(&c->lock);
    uint64_t times = slot_of(c, id)->forgotten;
    pthread_mutex_unlock(&c->lock);
    return times;
}

/* Behind a network one asks for all who want to know the same: the others wait for it. True: this one is to ask. */
static bool begin_reading(struct record_cache *c, struct str id)
{
    struct slot *slot = slot_of(c, id);
    bool waited = false;

    pthread_mutex_lock(&c->lock);
    for (; str_eq(str_of(slot->reading), id); waited = true)
        pthread_cond_wait(&c->read, &c->lock);
    bool reads = !waited && slot->reading[0] == '\0';
    if (reads)
        memcpy(slot->reading, id.p, RECORD_ID_CHARS);
    pthread_mutex_unlock(&c->lock);
    return reads;
}

static void end_reading(struct record_cache *c, struct str id)
{
    pthread_mutex_lock(&c->lock);
    slot_of(c, id)->reading[0] = '\0';
    pthread_cond_broadcast(&c->read);
    pthread_mutex_unlock(&c->lock);
}

static enum record_state read_and_keep(struct record_cache *c, struct str id, int64_t now_s, struct record *r)
{
    /* Before reading: what changes meanwhile makes the slot stale and not wrong. */
    struct slot found = {.changes = store_changes(c->store), .read_s = now_s, .forgotten = forgotten(c, id)};
    enum record_state state = found.state = record_read(c->store, id, now_s, r);

    if (state == RECORD_AWAY && find_stale(c, id, now_s, r))
        return RECORD_STALE;
    found.record = *r;
    /* Behind a network it is worth to know as well that there is none. */
    if (state == RECORD_FOUND ||
        (store_is_remote(c->store) && record_id_valid(id) && (state == RECORD_NONE || state == RECORD_GONE)))
        keep(c, id, &found);
    return state;
}

bool record_cache_ages(struct record_cache *c, struct str id, int64_t now_s)
{
    struct slot *slot = slot_of(c, id);

    pthread_mutex_lock(&c->lock);
    bool ages = now_s > slot->read_s && str_eq(str_of(slot->id), id) && slot->reading[0] == '\0';
    if (ages)
        memcpy(slot->reading, id.p, RECORD_ID_CHARS);
    pthread_mutex_unlock(&c->lock);
    return ages;
}

void record_cache_renew(struct record_cache *c, struct str id, int64_t now_s, bool asks)
{
    struct record r;

    if (asks)
        (void)read_and_keep(c, id, now_s, &r);
    end_reading(c, id);
}

enum record_state record_cache_read(struct record_cache *c, struct str id, int64_t now_s, struct record *r)
{
    enum record_state state;
    bool is_valid = record_id_valid(id);

    if (is_valid && record_cache_find(c, id, now_s, &state, r))
        return state;
    if (!is_valid || !store_is_remote(c->store))
        return read_and_keep(c, id, now_s, r);
    bool reads = begin_reading(c, id);
    if (!reads && record_cache_find(c, id, now_s, &state, r))
        return state;
    state = read_and_keep(c, id, now_s, r);
    if (reads)
        end_reading(c, id);
    return state;
}
