/* The mappings of a team's builds, in the folder mappings_dir of the configuration: found by the id that R8 writes into the mapping and
 * into the source files of the build (pg_map_id or pg_map_hash), or else by names (mapping_search.h). They are offered, and applied only
 * when the upload's owner asks. Looks at the folder each time, so that a build may put a file there at any time. Any thread but a
 * connection's. */
#ifndef SERVER_UPLOAD_KNOWN_MAPPING_H
#define SERVER_UPLOAD_KNOWN_MAPPING_H

#include "server/upload/names_file.h"

/* Where a walk through the folder begins (core/system/folder.h). */
#define KNOWN_MAPPING_TOP "./"

enum { KNOWN_MAPPINGS_MAX = 10000 /* files of the folder that are looked at */ };

/* The first file of the folder whose heading has this id: an open descriptor, the caller's to close. -1: there is none. */
int known_mapping_open(const struct service *service, struct str id) __attribute__((warn_unused_result));

/* A file of the folder by its name below it ("app/1.2/mapping.txt"), which has to be one that a walk through the folder comes to: so
 * what a client sends is never opened as a path. */
bool known_mapping_take_file(struct names_file *f, const struct service *service, struct str file,
                             struct diag *diag) __attribute__((warn_unused_result));

/* Takes the file of this id as if it had been uploaded. False: diag. */
bool known_mapping_take(struct names_file *f, const struct service *service, struct str id, struct diag *diag)
    __attribute__((warn_unused_result));

/* The same of a mapping that another upload has, by its digest. */
bool known_mapping_take_stored(struct names_file *f, const struct service *service, const char *sha256,
                               struct diag *diag) __attribute__((warn_unused_result));

/* For who walks through the folder: a descriptor of it, or -1 with errno; whether a path of the walk is a mapping's; the name by which
 * people know it; and a descriptor of a regular file, or -1. */
int known_mappings_open(const struct service *service) __attribute__((warn_unused_result));
bool known_mapping_is(const char *path);
struct str known_mapping_name(const char *path);
int known_mapping_open_file(int top, const char *path) __attribute__((warn_unused_result));

#endif
