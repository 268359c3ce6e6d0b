/* The mappings of a team's builds, in the folder mappings_dir of the configuration: found by the id that R8 writes into the mapping and
 * into the source files of the build (pg_map_id or pg_map_hash). They are offered, and applied only when the upload's owner asks.
 * Looks at the folder each time, so that a build may put a file there at any time. Any thread but a connection's. */
#ifndef SERVER_UPLOAD_KNOWN_MAPPING_H
#define SERVER_UPLOAD_KNOWN_MAPPING_H

#include "server/upload/names_file.h"

/* The first file of the folder whose heading has this id: an open descriptor, the caller's to close. -1: there is none. */
int known_mapping_open(const struct service *service, struct str id) __attribute__((warn_unused_result));

/* Takes that file as if it had been uploaded. False: diag. */
bool known_mapping_take(struct names_file *f, const struct service *service, struct str id, struct diag *diag)
    __attribute__((warn_unused_result));

/* The same of a mapping that another upload has, by its digest. */
bool known_mapping_take_stored(struct names_file *f, const struct service *service, const char *sha256,
                               struct diag *diag) __attribute__((warn_unused_result));

#endif
