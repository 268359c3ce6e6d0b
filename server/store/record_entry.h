/* The entries of a space: what its list says of each upload, so that no record is read for it.
 *
 *     spaces/<space>/<period>/<created>-<id>           of a new upload
 *     spaces/<space>/<period>/<created>-<id>.<mark>    of one whose space or labels were changed
 *     ..-words                                         the same, with what only views of the upload tell
 *     ..-digest                                        no entry, but what is kept of the upload's numbers
 *
 * An entry never changes. It counts if its key is one of those that the record's space and mark make. That with words is
 * put when they are made, which may be long behind the record. Each change has a mark of
 * its own, which never comes again; of several entries of one upload the last one in their order is the youngest. The first of the two is put before
 * the record, or the revision, that it is of. The one before it is removed behind that, and the last one with the upload. So
 * a crash between two steps leaves an entry that does not count, or one of no upload, and never an upload that is not
 * listed. A sweep removes what does not count, a day behind its time: nobody is still about to write a record for it. */
#pragma once

#include "server/store/record_text.h"
#include "server/store/store.h"

#define RECORD_ENTRIES "spaces/"

/* What a key says beside its space. The order of entries is that of created_s, then id, then mark. */
struct record_entry {
    int64_t created_s;
    char id[RECORD_ID_CHARS + 1];
    char mark[RECORD_MARK_BYTES + 1];
};

/* The entries that a record with a space has. */
enum record_entry_kind {
    ENTRY_FIRST,
    ENTRY_WORDS,
    ENTRY_DIGEST, /* of an object store alone: the upload's digest (server/spaces/stored_digest.h), for the other machines */
    ENTRY_KINDS
};
struct record_entry record_entry_of(const struct record *r, enum record_entry_kind kind);
/* Another one of the same upload, with the same mark. */
struct record_entry record_entry_as(const struct record_entry *e, enum record_entry_kind kind);
bool record_entry_is_digest(const struct record_entry *e);
/* The key of an entry, and that of a record. */
void record_entry_put_key(struct str space, const struct record_entry *e, char key[STORE_KEY_BYTES]);
void record_entry_key(const struct record *r, enum record_entry_kind kind, char key[STORE_KEY_BYTES]);
/* What the keys of a space begin with. */
void record_entries_prefix(struct str space, char prefix[STORE_KEY_BYTES]);

/* Gives the record a new mark, before its space or its labels are changed. False: the system gives no randomness. */
bool record_entry_mark(struct record *r, int64_t now_s) MUST_CHECK;

/* False: it is not the key of an entry. */
bool record_entry_read(const char *key, struct record_entry *e);
/* When it was put, or a moment before: Unix time. */
int64_t record_entry_put_s(const struct record_entry *e);
int record_entry_order(const struct record_entry *a, const struct record_entry *b);
