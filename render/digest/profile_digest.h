/* Writes the digest of a profile: see runs/run_digest.h for its shape, which also reads it. */
#pragma once

#include "core/buf.h"
#include "render/verdict/system_log.h"
#include "render/view/input.h"

/* Appends the digest of the tracks that in->view selects. `log` is of a system trace; NULL: it is none. False: diag. */
bool digest_write(const struct render_input *in, const struct system_log *log, struct buf *out,
                  struct diag *diag) MUST_CHECK;
