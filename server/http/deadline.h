/* Ends connections that take too long as a whole; the HTTP library's own timeout only sees idle ones. One
 * thread looks once a second. */
#ifndef SERVER_HTTP_DEADLINE_H
#define SERVER_HTTP_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

struct deadlines;

/* One connection. Zero before deadline_add. */
struct deadline {
    struct deadline *next, *previous;
    int fd;
    int64_t since_s; /* monotonic */
};

/* `tick` is called once a second too, for others who wait. NULL: no memory or no thread. */
struct deadlines *deadlines_new(uint64_t limit_s, void (*tick)(void *context), void *context);
/* All connections must have been removed. NULL is fine. */
void deadlines_free(struct deadlines *d);

void deadline_add(struct deadlines *d, struct deadline *c, int fd); /* before the descriptor is used */
void deadline_remove(struct deadlines *d, struct deadline *c);      /* before the descriptor is closed */
/* The time begins anew. */
void deadline_reset(struct deadlines *d, struct deadline *c);
/* Shuts every connection down now. */
void deadlines_expire_all(struct deadlines *d);

#endif
