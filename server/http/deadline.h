/* Ends connections whose client takes too long with what it is to do now: to send a header, or a body, or
 * to take an answer. The HTTP library's own timeout only sees connections that are silent; one byte a
 * second passes it for ever. No time runs while the service works: a slow answer of ours is not the
 * client's fault. One thread looks often, and shuts down what is late; the library then closes it as it
 * closes any connection that breaks. At those whose client waits for us, for whom no time runs, it lets
 * somebody else look: the library does not see that such a client leaves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct deadlines;

/* One connection. Zero before deadline_add. */
struct deadline {
    /* protected by the lock of the deadlines */
    struct deadline *next, *previous;
    int fd;
    int64_t until_s; /* monotonic; 0: no time runs */
};

struct deadlines_handler {
    void (*tick)(void *context); /* once a second, for others who wait */
    /* Some times a second for each connection for which no time runs, under the lock: it goes on so until
     * this returns. */
    void (*look)(struct deadline *c);
    void *context;
};

/* NULL: no memory or no thread. */
struct deadlines *deadlines_new(const struct deadlines_handler *handler);
/* All connections must have been removed. NULL is fine. */
void deadlines_free(struct deadlines *d);

/* From now on the client has so many seconds, rounded up to the next look; 0: no time runs. */
void deadline_add(struct deadlines *d, struct deadline *c, int fd,
                  uint64_t seconds); /* before the descriptor is used */
void deadline_set(struct deadlines *d, struct deadline *c, uint64_t seconds);
void deadline_remove(struct deadlines *d, struct deadline *c); /* before the descriptor is closed */
/* Shuts every connection down now. */
void deadlines_expire_all(struct deadlines *d);
