/* Kinds of files that no fixed bytes tell: how their beginning is built. `head` is as foreign_find takes it.
 * Pure. */
#ifndef PARSER_REFUSE_FOREIGN_SHAPES_H
#define PARSER_REFUSE_FOREIGN_SHAPES_H

#include "core/str.h"

/* Protocol buffers: perfetto.protos.Trace, and perftools.profiles.Profile. */
bool foreign_is_perfetto(struct str head);
bool foreign_is_pprof(struct str head);

/* Samples as `perf script` and simpleperf's report_sample.py print them: a line that ends in `event:`, then
 * indented lines with an address each. */
bool foreign_is_perf_script(struct str head);

/* Text of logcat in any of its forms: two lines at least that only it writes, and most of them. */
bool foreign_is_logcat(struct str head);

/* Lines of ProGuard's and R8's mapping files: `a.B -> c:`. */
bool foreign_is_mapping(struct str head);

/* One short complaint of a shell's command, or of adb. */
bool foreign_is_complaint(struct str head);

/* A method trace in base64. */
bool foreign_is_base64_trace(struct str head);

/* A method trace with something in front of it: blanks and line ends, the headers of HTTP, lines of text. */
bool foreign_is_trace_behind_blanks(struct str head);
bool foreign_is_trace_behind_http(struct str head);
bool foreign_is_trace_behind_text(struct str head);

/* Nothing but zeros, for longer than any file of ours would begin so. */
bool foreign_is_zeros(struct str head);

#endif
