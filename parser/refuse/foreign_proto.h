/* Files that are protocol buffers have no magic bytes. They are known by how their beginning is built. `head` is the
 * beginning of the file as foreign_find takes it; it may end within a field. Pure. */
#ifndef PARSER_REFUSE_FOREIGN_PROTO_H
#define PARSER_REFUSE_FOREIGN_PROTO_H

#include "core/str.h"

/* perfetto.protos.Trace: nothing but packets. A text is never taken for one, though an empty line at its beginning reads
 * as a packet's first byte. */
bool foreign_is_perfetto(struct str head);

/* perftools.profiles.Profile, as pprof writes it, unpacked. */
bool foreign_is_pprof(struct str head);

#endif
