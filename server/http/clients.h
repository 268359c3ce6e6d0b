/* The clients that are connected or waited for, each by its address (server/config/network.h), with what
 * it may take from others: a share of the connections, and a share of the work that waits. Any thread;
 * every call takes the one lock of the table for a few instructions.
 *
 * What comes over a Unix socket, or from a trusted proxy without a forwarded address, has no address: it
 * belongs to one client that has no shares to keep to. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/config/network.h"

struct clients;

struct client_shares {
    uint64_t connections; /* of one address, at a time */
    uint64_t waiting;     /* what is made for one address, waiting or under way, at a time */
};

/* One address, for as long as anybody refers to it. */
struct client;

/* NULL: no memory, or no randomness for the table. */
struct clients *clients_new(const struct client_shares *shares);
/* When nobody refers to a client any more; NULL is fine. */
void clients_free(struct clients *c);

/* The client with this address; NULL: the one without. A reference of the caller's own. NULL: no memory. */
struct client *client_ref(struct clients *c, const struct network_address *address) MUST_CHECK;
/* One more reference to the same. */
struct client *client_again(struct client *client);
void client_unref(struct client *client); /* NULL is fine */

/* Counts a connection. False if the client has its share of them already: then nothing is counted. */
bool client_connect(struct client *client) MUST_CHECK;
void client_disconnect(struct client *client);

/* Counts what is made on behalf of the client, who waits. False if its share is used up: nothing is counted then. */
bool client_wait(struct client *client) MUST_CHECK;
void client_waited(struct client *client);

/* "192.0.2.7", "2001:db8::"; "-" without address. Stays as long as the reference. */
const char *client_text(const struct client *client);
