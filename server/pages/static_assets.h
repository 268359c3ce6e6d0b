/* Encoded forms of bytes that live as long as the program: the files of static/. Each is made at first use and
 * kept. Any thread. */
#ifndef SERVER_PAGES_STATIC_ASSETS_H
#define SERVER_PAGES_STATIC_ASSETS_H

#include "server/http/message/encoding.h"

struct static_assets;

struct static_assets *static_assets_new(void);    /* NULL: no memory */
void static_assets_free(struct static_assets *k); /* NULL is fine */

/* `bytes` in the coding *e, which live as long as k; if there is no memory to make them, the bytes themselves, and
 * *e is ENCODING_IDENTITY. Known again by its address: for constant bytes only. */
struct str static_assets_get(struct static_assets *k, struct str bytes, enum encoding *e);

#endif
