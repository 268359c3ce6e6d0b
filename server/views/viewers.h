/* Pages of other tools, in which the service's own pages offer to open an export: only those that the configuration names. Nothing goes
 * there but by the click of a person, in the browser of whom it happens: the service itself asks nobody. */
#ifndef SERVER_VIEWS_VIEWERS_H
#define SERVER_VIEWS_VIEWERS_H

#include "server/http/reply.h"
#include "server/service.h"

struct viewer {
    const char *
        name; /* of the output, or the format of calls, that it reads; static/open-in.js knows by it how to hand this over */
    const char *label; /* for people */
    bool fetches;      /* it gets the export by its URL. The others are given it by the page. */
    size_t url;        /* in struct config */
};

/* THE TABLE. */
extern const struct viewer VIEWERS[];
extern const size_t VIEWERS_COUNT;

/* Which one reads that, if it is configured; else NULL. */
const struct viewer *viewer_of(const struct config *config, const char *name);
/* Where it is, as configured; empty: it is not offered. */
struct str viewer_url(const struct viewer *v, const struct config *config);

/* Lets the page of the viewer, and no other one, read the answer, an export of that name, if that is how it gets it. */
void viewer_allow(struct reply *r, const struct config *config, const char *name);

#endif
