/* The files of static/: where they are served, and their encoded forms, of which each is made at first use
 * and kept. Any thread. */
#pragma once

#include "server/http/message/accept.h"
#include "static/static_files.h"

/* Path of a file, from the front page: static/<16 hex digits>/<name>. The digits are of all files together, so
 * that one may name another as its neighbour. Nothing is appended if there is no such file. */
void static_path(struct buf *b, struct str name);
/* False: there is no such file. */
bool static_by_name(struct str name, struct static_file *file);
/* The file that was asked for by that path. False: there is none, or it is of another version. */
bool static_find(struct str hash, struct str name, struct static_file *file);

struct static_assets;

struct static_assets *static_assets_new(void);    /* NULL: no memory */
void static_assets_free(struct static_assets *k); /* NULL is fine */

/* `bytes` in the coding *e, which live as long as k; if there is no memory to make them, the bytes themselves, and
 * *e is ENCODING_IDENTITY. Known again by its address: for constant bytes only. */
struct str static_assets_get(struct static_assets *k, struct str bytes, enum encoding *e);
