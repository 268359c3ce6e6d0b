/* Uploaded bytes into the store. */
#pragma once

#include "server/service.h"
#include "server/store/store.h"

/* Takes room below store_bytes for bytes that are not there yet, and makes them durable under this key; an object that
 * is there serves as well; `is_new`: nobody else can have put it. `sha256` is their digest in hex. Takes until the store has
 * them. False: diag, and the room is given back. */
bool keep_blob(const struct service *service, struct local_temp *temp, const char *key, bool is_new,
               const char *sha256, struct diag *diag) MUST_CHECK;
