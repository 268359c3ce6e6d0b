/* The mappings of a team's builds, in the folder mappings_dir of the configuration: found by the id that
 * R8 writes into the mapping and into the source files of the build (pg_map_id or pg_map_hash), or else by
 * names. They are offered, and applied only when the upload's owner asks. Looks at the folder each time,
 * so that a build may put a file there at any time. Any thread but a connection's. */
#pragma once

#include "core/system/turns.h"
#include "server/convert/mapping_fit.h"
#include "server/upload/names_upload.h"

/* The first file of the folder whose heading has this id: an open descriptor, the caller's to close. -1:
 * there is none. */
int known_mapping_open(const struct service *service, struct str id) MUST_CHECK;

/* A file of the folder by its name below it ("app/1.2/mapping.txt"), which has to be one that a walk
 * through the folder comes to: so what a client sends is never opened as a path. */
bool known_mapping_take_file(struct names_file *f, const struct service *service, struct str file,
                             struct diag *diag) MUST_CHECK;

/* Takes the file of this id as if it had been uploaded. False: diag. */
bool known_mapping_take(struct names_file *f, const struct service *service, struct str id,
                        struct diag *diag) MUST_CHECK;

/* The same of a mapping that another upload has, by its digest. */
bool known_mapping_take_stored(struct names_file *f, const struct service *service,
                               const struct record_names *names, struct diag *diag) MUST_CHECK;

/* ---- the search by names ----
 *
 * For a profile that has no id of its build's mapping: which mapping of the folder fits it best, told by the share of its names that each
 * knows. Reads the files, the newest first:
 *
 *     mapping_search_new -> mapping_search_run -> mapping_search_offer -> mapping_search_free
 *
 * One thread at a time. */

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
struct mapping_search *mapping_search_new(const struct service *service, struct str names,
                                          struct diag *diag) MUST_CHECK;
void mapping_search_free(struct mapping_search *s); /* NULL is fine */

/* Reads the files, in turns, and ends soon after turn->stop was asked. False: diag; also if no mapping fits. */
bool mapping_search_run(struct mapping_search *s, struct turn *turn, struct diag *diag) MUST_CHECK;

/* Its file lives as long as the search. */
struct mapping_offer mapping_search_offer(const struct mapping_search *s);

/* "knows 80 of 93 names that are not Android's. 3 mappings were looked at, .. ": what stands behind the
 * name of the file. */
void mapping_offer_words(const struct mapping_offer *offer, struct buf *b);
