/* What the list of a space says of an upload, as an object of the store (server/store/record_entry.h): JSON on one line,
 *
 *     {"id": "..", "created": "2026-11-26T10:00:00Z", "name": "app.trace", "owner": "ann", "format": "android-trace",
 *      "size": 57472596, "sha256": "..", "warnings": 2, "label": {"branch": "main"}, "known": {"package": "com.example"},
 *      "track": 1, "tracks": 12, "totals": [{"value": "wall", "unit": "us", "total": 18}], "headline": "The main thread ..",
 *      "rules": ["headline", "waits-for-binder"], "methods": ["com.example.FeedAdapter.getView"]}
 *
 * "label" is what people said, "known" what the file itself says, of keys that they did not use.
 * "rules" are those of which the verdict has a sentence, "methods" those that it names. The first entry of a new upload has
 * nothing that its views tell, and "known" has the format alone; so has one whose views could not be made. */
#pragma once

#include <jansson.h>

#include "server/spaces/query.h"
#include "server/store/record_entry.h"
#include "server/views/views.h"

enum { ENTRY_BYTES_MAX = 64 << 10 };

/* The two views that an entry is made of: the summary, and the words as JSON. */
void entry_views(const struct service *service, const struct record *r, struct view_request *summary,
                 struct view_request *words);

/* Appends the bytes of one of them, and frees the result: nothing where the view could not be made, whose reason is told to
 * who asks for it. */
void entry_take_view(struct view_result *view, struct buf *bytes);

/* Appends what both hold, and has the digest of the upload made (stored_digest.h), which is kept beside them. Waits for all of
 * them without the turn. */
void entry_make_views(struct service *service, const struct record *r, struct client *client,
                      struct turn *turn, struct buf *summary, struct buf *words);

/* Appends the object. `summary` and `words` are what these views hold, empty where they could not be made. False: no
 * memory. */
bool entry_write(const struct record *r, struct str summary, struct str words, struct buf *out) MUST_CHECK;

/* An entry in memory. */
struct entry {
    struct record_entry name;
    uint32_t text_bytes;
    uint32_t of_bytes[QUERY_WHERES]; /* of the subject of queries */
    uint32_t said_bytes;             /* of the labels, those that people said */
    char bytes[];                    /* its JSON, then the subject of queries, one behind the other */
};
/* NULL: no memory, or no entry. The caller's to free. */
struct entry *entry_read(const struct record_entry *name, struct str text);
size_t entry_bytes(const struct entry *e); /* in memory */
struct str entry_text(const struct entry *e);
/* The digest of the upload's bytes; empty where the text is damaged. */
struct str entry_sha256(const struct entry *e);
/* The labels that people said: lines "KEY=VALUE\n". */
struct str entry_said_labels(const struct entry *e);
struct query_subject entry_subject(const struct entry *e);
