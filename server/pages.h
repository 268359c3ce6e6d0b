/* The HTML pages: functions from data to text. No script, no inline style; every text from outside is
 * escaped. */
#ifndef SERVER_PAGES_H
#define SERVER_PAGES_H

#include <jansson.h>

#include "core/buf.h"
#include "server/config.h"
#include "server/record.h"
#include "server/reply.h"
#include "server/static.h"

/* The headers that every page is sent with: what it may load (nothing from elsewhere, nothing inline), and
 * how long it may be kept. */
void page_headers(struct reply *r);

/* The upload form. `base` is the service's own URL, for the curl line. */
void page_upload(struct buf *b, struct str base, const struct config *config);
/* The same as a manual for the terminal. */
void page_manual(struct buf *b, struct str base, const struct config *config);

/* One profile: facts, warnings, tracks by weight with their graphs. `summary` as convert_summary makes it. */
void page_result(struct buf *b, const struct record *r, const json_t *summary);

/* The form behind /p/<id>/delete?token= */
void page_delete(struct buf *b, const struct record *r, struct str token);
void page_deleted(struct buf *b);

void page_problem(struct buf *b, unsigned status, struct str title, struct str detail, struct str hint,
                  uint64_t request_id);

/* Path of a file of static/ with its content's hash: /static/<16 hex digits>/<name>. Also checks one that was
 * asked for. */
void static_path(struct buf *b, struct str name);
const struct static_file *static_find(struct str hash, struct str name);

#endif
