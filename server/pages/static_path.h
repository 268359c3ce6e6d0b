/* Where the files of static/ are served. */
#ifndef SERVER_PAGES_STATIC_PATH_H
#define SERVER_PAGES_STATIC_PATH_H

#include "core/buf.h"
#include "static/static_files.h"

/* Path of a file, from the front page: static/<16 hex digits>/<name>. The digits are of all files together, so
 * that one may name another as its neighbour. Nothing is appended if there is no such file. */
void static_path(struct buf *b, struct str name);
/* False: there is no such file. */
bool static_by_name(struct str name, struct static_file *file);
/* The file that was asked for by that path. False: there is none, or it is of another version. */
bool static_find(struct str hash, struct str name, struct static_file *file);

#endif
