#include "server/http/clients.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/system/random_bytes.h"

/* The table does not grow: with more clients than this at a time its lists get longer, but there are never
 * more clients than connections and jobs. */
enum { BUCKETS = 1024 };

struct client {
    struct clients *clients;
    bool has_address;
    struct network_address address;
    char text[NETWORK_TEXT_BYTES];

    /* protected by clients.lock */
    struct client *next; /* in its bucket */
    uint64_t refs, connections, waiting;
};

struct clients {
    struct client_shares shares;
    struct hash_seed seed;
    struct client nobody; /* without address; never freed */
    pthread_mutex_t lock;
    struct client *buckets[BUCKETS];
};

struct clients *clients_new(const struct client_shares *shares)
{
    struct clients *c = calloc(1, sizeof(*c));

    if (c == NULL || !random_bytes(&c->seed, sizeof(c->seed))) {
        free(c);
        return NULL;
    }
    c->shares = *shares;
    c->nobody = (struct client){.clients = c, .text = "-", .refs = 1};
    pthread_mutex_init(&c->lock, NULL);
    return c;
}

void clients_free(struct clients *c)
{
    if (c == NULL)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static struct client **bucket_of(struct clients *c, const struct network_address *address)
{
    return &c->buckets[hash_bytes(c->seed, address->bytes, sizeof(address->bytes)) % BUCKETS];
}

/* Under the lock. NULL: no memory. */
static struct client *find_or_add(struct clients *c, const struct network_address *address)
{
    struct client **bucket = bucket_of(c, address), *client = *bucket;

    while (client != NULL && memcmp(&client->address, address, sizeof(*address)) != 0)
        client = client->next;
    if (client != NULL)
        return client;
    client = calloc(1, sizeof(*client));
    if (client == NULL)
        return NULL;
    *client = (struct client){.clients = c, .has_address = true, .address = *address, .next = *bucket};
    network_text(*address, client->text);
    *bucket = client;
    return client;
}

struct client *client_ref(struct clients *c, const struct network_address *address)
{
    pthread_mutex_lock(&c->lock);
    struct client *client = address == NULL ? &c->nobody : find_or_add(c, address);
    if (client != NULL)
        client->refs++;
    pthread_mutex_unlock(&c->lock);
    return client;
}

struct client *client_again(struct client *client)
{
    pthread_mutex_lock(&client->clients->lock);
    client->refs++;
    pthread_mutex_unlock(&client->clients->lock);
    return client;
}

void client_unref(struct client *client)
{
    if (client == NULL)
        return;
    struct clients *c = client->clients;
    pthread_mutex_lock(&c->lock);
    bool last = --client->refs == 0;
    if (last) { /* never `nobody`, which keeps a reference to itself */
        struct client **at = bucket_of(c, &client->address);
        while (*at != client)
            at = &(*at)->next;
        *at = client->next;
    }
    pthread_mutex_unlock(&c->lock);
    if (last)
        free(client);
}

/* Counts one more unless the share is used up. */
static bool take(struct client *client, uint64_t *count, uint64_t share)
{
    pthread_mutex_lock(&client->clients->lock);
    /* Who has no address, as behind a proxy that names nobody, stands for many: no share for it. */
    bool free_left = !client->has_address || *count < share;
    *count += free_left;
    pthread_mutex_unlock(&client->clients->lock);
    return free_left;
}

static void give(struct client *client, uint64_t *count)
{
    pthread_mutex_lock(&client->clients->lock);
    --*count;
    pthread_mutex_unlock(&client->clients->lock);
}

bool client_connect(struct client *client)
{
    return take(client, &client->connections, client->clients->shares.connections);
}

void client_disconnect(struct client *client)
{
    give(client, &client->connections);
}

bool client_wait(struct client *client)
{
    return take(client, &client->waiting, client->clients->shares.waiting);
}

void client_waited(struct client *client)
{
    give(client, &client->waiting);
}

const char *client_text(const struct client *client)
{
    return client->text;
}
