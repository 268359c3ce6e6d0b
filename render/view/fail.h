/* What to say when a view's memory or output is used up. */
#ifndef RENDER_VIEW_FAIL_H
#define RENDER_VIEW_FAIL_H

#include "core/arena.h"
#include "core/buf.h"
#include "core/diag.h"

/* Both set diag, if it is not set already, and always return false. */
bool fail_arena(const struct arena *a, struct diag *diag);
bool fail_buf(const struct buf *b, struct diag *diag);

#endif
