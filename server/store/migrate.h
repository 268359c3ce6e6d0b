/* Stores of earlier versions, in which uploads of equal content shared their bytes:
 *
 *     blobs/ab/<sha256>      bytes, mappings and symbols
 *     refs/<sha256>/<id>     empty; the upload <id> needs that blob
 *
 * Their records stay as they are: they are first revisions (record.h). Each upload gets the bytes as its own, which
 * takes no room, and files of names go to period 0. When all of that is durable, the blobs and refs are removed. It can
 * be cut off anywhere, and begins again then. A blob of which no record could be read stays, in case that somebody
 * repairs the record: then this is done again at the next start. */
#pragma once

#include "core/diag.h"
#include "core/system/log.h"
#include "server/store/store.h"

/* Before anybody else uses the store. A store of this version is left alone. False: diag, and nothing was removed. */
bool migrate_store(struct store *s, const struct log *log, struct diag *diag);
