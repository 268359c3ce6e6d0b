/* Which mapping of the service's folder fits a profile best, told by the share of its names that each knows: for a profile that has no
 * id of its build's mapping. Reads the files, the newest first:
 *
 *     mapping_search_new -> mapping_search_run -> mapping_search_offer -> mapping_search_free
 *
 * One thread at a time, never a connection's. */
#ifndef SERVER_UPLOAD_MAPPING_SEARCH_H
#define SERVER_UPLOAD_MAPPING_SEARCH_H

#include "core/system/turns.h"
#include "server/convert/mapping_fit.h"
#include "server/service.h"

/* What is offered. */
struct mapping_offer {
    struct str file; /* its name below the folder; empty: there is no mapping at all */
    struct mapping_share share;
    uint32_t mappings; /* files that were read as mappings */
    uint32_t
        alike; /* of these, those that know as large a share as the offered one, which is the newest of them */
    uint32_t unread; /* files that could not be read, whatever they are */
    uint32_t left;   /* files that were not looked at any more: the older ones */
};

struct mapping_search;

/* `names` as of convert_java_names; they must outlive it. NULL: diag. */
struct mapping_search *mapping_search_new(const struct service *service, struct str names, struct diag *diag)
    __attribute__((warn_unused_result));
void mapping_search_free(struct mapping_search *s); /* NULL is fine */

/* Reads the files, in turns, and ends soon after turn->stop was asked. False: diag; also if no mapping fits. */
bool mapping_search_run(struct mapping_search *s, struct turn *turn, struct diag *diag)
    __attribute__((warn_unused_result));

/* Its file lives as long as the search. */
struct mapping_offer mapping_search_offer(const struct mapping_search *s);

/* "knows 80 of 93 names that are no platform's. 3 mappings were looked at, .. ": what stands behind the name of the file. */
void mapping_offer_words(const struct mapping_offer *offer, struct buf *b);

#endif
