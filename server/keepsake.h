/* Encoded forms of bytes that live as long as the program: the files of static/. Each is made at first use and
 * kept. Any thread. */
#ifndef SERVER_KEEPSAKE_H
#define SERVER_KEEPSAKE_H

#include "server/encoding.h"

struct keepsakes;

struct keepsakes *keepsakes_new(void);    /* NULL: no memory */
void keepsakes_free(struct keepsakes *k); /* NULL is fine */

/* `bytes` in the coding *e, which live as long as k; if there is no memory to make them, the bytes themselves, and
 * *e is ENCODING_IDENTITY. Known again by its address: for constant bytes only. */
struct str keepsakes_get(struct keepsakes *k, struct str bytes, enum encoding *e);

#endif
