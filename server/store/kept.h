/* How many bytes of uploads the store keeps of each person, against upload_bytes_kept. A person is who uploaded and was
 * known (record.owner); uploads of nobody are not counted. The same bytes count once for one person, however many
 * uploads are of them: so an archive of which each member became an upload counts once. Any thread.
 *
 * The counts follow each upload that is kept or ends. Beside that each sweep of all counts anew, so that what this
 * process has not seen, or has counted wrongly (an upload that came or ended while it was counted), is right again then:
 * from a start to its first sweep nobody has anything. Where memory is short nothing is counted, and nothing refused.
 *
 * Functions take a NULL kept: nothing is counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/store/record.h"

struct kept;

/* NULL: no memory, or no randomness for the tables. */
struct kept *kept_new(uint64_t limit_bytes);
void kept_free(struct kept *k);

/* Before the record of an upload is written. False: there is no room for it, and nothing was counted. */
bool kept_take(struct kept *k, const struct record *r) MUST_CHECK;
/* The upload has ended, or could not be written. */
void kept_give(struct kept *k, const struct record *r);
/* Whether this person keeps as much as they may. */
bool kept_is_full(struct kept *k, const char *owner);

/* A count of all that is there: begin, each upload, end. One at a time; outside of one kept_count does nothing. Without
 * `whole`, not all was seen: the counts stay as they were. */
void kept_count_begin(struct kept *k);
void kept_count(struct kept *k, const struct record *r);
void kept_count_end(struct kept *k, bool whole);
