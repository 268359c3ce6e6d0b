/* What is made by replaying the log may be made in slices of time, side by side, by the threads that the source lends
 * (core/parallel.h). */
#pragma once

#include "core/arena.h"
#include "server/convert/convert.h"

/* Cuts [from_ns, to_ns) where the log has about as much on both sides; to_ns: WINDOW_NO_END: to its end. Sets begin_ns, of
 * PARALLEL_JOBS_MAX, ascending, the first one from_ns. Returns how many slices there are: 1 where more are not worth it. The
 * log is there. */
unsigned time_slices_cut(const struct convert_source *s, uint64_t from_ns, uint64_t to_ns,
                         uint64_t *begin_ns);

/* Makes one, with an arena of its own. False: diag, or the arena gave no more. */
typedef bool time_slice_make(void *context, unsigned nth, struct arena *arena, struct diag *diag);

/* Makes n > 1 slices side by side, of which each lives in its arena: arenas[n], of which each gives as much as `of` still does; the
 * caller frees them, also behind a failure. False: diag. */
bool time_slices_make(const struct convert_source *s, unsigned n, time_slice_make *make, void *context,
                      const struct arena *of, struct arena *arenas, struct diag *diag) MUST_CHECK;
