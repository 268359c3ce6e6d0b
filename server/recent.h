/* Records that were read a moment ago. Looking at an upload's record and its tombstone takes two files, which is
 * more than all the rest of sending a view that is in memory. A record is given from memory within the second in
 * which it was read, and only as long as the store has not changed: who is told that an upload is deleted finds it
 * deleted. Any thread. */
#ifndef SERVER_RECENT_H
#define SERVER_RECENT_H

#include "server/record.h"

struct recent;

struct recent *recent_new(struct store *s); /* NULL: no memory, or no randomness for the table */
void recent_free(struct recent *c);         /* NULL is fine */

/* As record_read. */
enum record_state recent_read(struct recent *c, struct str id, int64_t now_s, struct record *r);

#endif
